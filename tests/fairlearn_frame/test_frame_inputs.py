"""Inputs that a frame refuses, and missing values, which it drops or counts as asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score

host = pytest.importorskip("fairlearn.metrics", reason="the fairlearn extra is not installed")

from frame_cases import ours, people, quietly  # noqa: E402

from biasamp_adapters import (  # noqa: E402
    MALS,
    AmplificationWarning,
    DirectionalBiasAmplification,
    load_base_rates,
)
from biasamp_adapters.fairlearn import AmplificationFrame, amplification_frame  # noqa: E402

BA = {"BA": DirectionalBiasAmplification()}


@pytest.mark.parametrize("argument", ["control_features", "group_features"])
@pytest.mark.parametrize("metrics", [BA, BA | {"accuracy": accuracy_score}])
def test_the_attribute_cannot_slice_itself(argument: str, metrics: Any) -> None:
    rows = people()
    for feature in (rows["A"].rename("same"), rows[["A", "B"]].set_axis(["same", "B"], axis=1)):
        with pytest.raises(ValueError, match=r"two groups inside some level of 'same'.*itself"):
            ours(rows, metrics, **{argument: feature})


@pytest.mark.parametrize("features", [{}, {"control_features": "B"}, {"group_features": "B"}])
def test_host_metrics_of_one_group(features: dict[str, str]) -> None:
    rows = people().assign(A=0)
    sliced = {name: rows[column] for name, column in features.items()}
    frame = quietly(ours, rows, accuracy_score, **sliced)
    right = rows["T"] == rows["T_hat"]
    expected = right.groupby(rows["B"]).mean().tolist() if features else [right.mean()]
    assert frame.by_group.tolist() == pytest.approx(expected, abs=1e-12)


def with_a_gap(values: pd.Series) -> pd.Series:
    return values.astype(object).where(values.index != 7, None)


ROLES = ["y_true", "y_pred", "sensitive_features", "sensitive_features_pred"]


def given(rows: pd.DataFrame, role: str, change: Any) -> dict[str, Any]:
    columns = dict(zip(ROLES, ["T", "T_hat", "A", "A_hat"], strict=True))
    columns |= {"control_features": "B", "group_features": "C", "sample_weight": "weight"}
    taken = [*ROLES, role]
    return {
        each: change(rows[columns[each]]) if each == role else rows[columns[each]] for each in taken
    }


FEATURES = ["control_features", "group_features"]


@pytest.mark.parametrize("role", [*ROLES, *FEATURES])
def test_missing_values_are_an_error(role: str) -> None:
    with pytest.raises(ValueError, match=f"{role} must not have missing values; received 1"):
        amplification_frame(**given(people(), role, with_a_gap), metrics=BA)


@pytest.mark.parametrize("role", FEATURES)
@pytest.mark.parametrize("missing", ["drop", "abstain"])
def test_missing_features_are_always_an_error(role: str, missing: Any) -> None:
    rows = given(people(), role, with_a_gap)
    with pytest.raises(ValueError, match=f"{role} must not have missing values"):
        amplification_frame(**rows, metrics=BA, missing=missing)


def test_a_missing_weight_is_an_error() -> None:
    rows = given(people(), "sample_weight", lambda weight: weight.where(weight.index != 7))
    with pytest.raises(ValueError, match=r"sample_weight must be finite .* received nan in 1 row"):
        amplification_frame(**rows, metrics=BA)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("features", [{}, {"group_features": "C"}])
def test_dropped_rows_are_counted(role: str, features: dict[str, str]) -> None:
    rows = people()
    metrics = BA | {"accuracy": accuracy_score}
    sliced = {name: rows[column] for name, column in features.items()}
    with pytest.warns(AmplificationWarning, match=r"^1 row\(s\) with missing values were left out"):
        frame = amplification_frame(
            **given(rows, role, with_a_gap), **sliced, metrics=metrics, missing="drop"
        )
    assert "1 row(s) with missing values were left out" in frame.notes
    kept = rows.drop(index=7)
    sliced = {name: kept[column] for name, column in features.items()}
    expected = ours(kept, metrics, **sliced)
    assert np.array_equal(frame.by_group, expected.by_group)
    assert frame.overall.tolist() == expected.overall.tolist()


def test_abstentions_count_as_wrong() -> None:
    rows = people()
    gaps = given(rows, "y_pred", with_a_gap)
    frame = amplification_frame(**gaps, metrics=BA, missing="abstain")
    metric = DirectionalBiasAmplification(missing="abstain")
    assert frame.overall["BA"] == metric(**gaps)
    with pytest.raises(ValueError, match="accuracy cannot read rows without a prediction"):
        amplification_frame(**gaps, metrics={"accuracy": accuracy_score}, missing="abstain")


def test_the_rule_for_missing_values_is_that_of_the_frame() -> None:
    with pytest.raises(ValueError, match="missing= must be given to amplification_frame"):
        ours(people(), DirectionalBiasAmplification(missing="drop"))


@pytest.mark.parametrize("role", [*ROLES, *FEATURES, "sample_weight"])
@pytest.mark.parametrize("scalar", [1, 0.5, "a"])
def test_scalars_are_refused(role: str, scalar: Any) -> None:
    with pytest.raises(ValueError, match=f"{role} must be a column of values; received"):
        amplification_frame(**given(people(), role, lambda _: scalar), metrics=BA)


@pytest.mark.parametrize("role", [*ROLES, *FEATURES, "sample_weight"])
def test_lengths_must_agree(role: str) -> None:
    with pytest.raises(ValueError, match=rf"same length; received .*{role}\S* 239"):
        amplification_frame(**given(people(), role, lambda column: column[1:]), metrics=BA)


@pytest.mark.parametrize("features", [{}, {"group_features": "C"}, {"control_features": "C"}])
def test_the_attribute_must_be_given(features: dict[str, str]) -> None:
    rows = people()
    sliced = {name: rows[column] for name, column in features.items()}
    for metrics in (BA, {"accuracy": accuracy_score}):
        with pytest.raises(ValueError, match="sensitive_features must be given"):
            ours(rows, metrics, sensitive_features=None, **sliced)


@pytest.mark.parametrize("features", [{}, {"group_features": "B"}, {"control_features": "B"}])
def test_rows_of_weight_zero_leave_a_slice_undefined(features: dict[str, str]) -> None:
    rows = people()
    rows.loc[rows["B"] == "u", "weight"] = 0
    sliced = {name: rows[column] for name, column in features.items()}
    options = sliced or {"sensitive_features": rows["B"]}
    metrics = {"accuracy": accuracy_score}
    frame = quietly(ours, rows, metrics, sample_weight=rows["weight"], **options)
    values = frame.overall if "control_features" in features else frame.by_group
    assert values["accuracy"].isna().tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ({}, "metrics must be a callable or a dict of them; received {}"),
        ("accuracy", "metrics must be a callable or a dict of them; received 'accuracy'"),
        ([accuracy_score], "metrics must be a callable or a dict of them"),
        ({"a": 3}, "metrics must be a callable or a dict of them; received {'a': 3}"),
        ({"vector": lambda y, p: np.array([1, 2])}, "vector must return one number; received"),
        ({"none": lambda y, p: None}, "none must return one number; received None"),
        ({"text": lambda y, p: "a"}, "text must return one number; received 'a'"),
    ],
)
def test_bad_metrics(metrics: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ours(people(), metrics)


def test_metrics_without_weights_cannot_read_weighted_rows() -> None:
    rows = people()
    message = (
        r"^agreement must have a parameter named sample_weight .*; received .*"
        r"\(leave it out of metrics= here, and give it to a MetricFrame of its own"
    )
    with pytest.raises(ValueError, match=message):
        ours(
            rows,
            {"agreement": lambda y_true, y_pred: np.mean(y_true == y_pred)},
            sample_weight=rows["weight"],
        )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sample_params": {}}, r"'sample_params': .*frame\(\.\.\., sample_weight=\)"),
        ({"prot_attr_pred": [0]}, "'prot_attr_pred': .* attribute as sensitive_features_pred$"),
        ({"attribute_prediction": [0]}, "'attribute_prediction': .* sensitive_features_pred$"),
        ({"predicted_protected_attributes": [0]}, "'predicted_.*': .* sensitive_features_pred$"),
        ({"sample_wieght": [1]}, "'sample_wieght'$"),
    ],
)
def test_arguments_of_other_names(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=f"^amplification_frame has no argument {message}"):
        ours(people(), BA, **given)


def test_the_class_is_not_called() -> None:
    rows = people()
    message = r"^AmplificationFrame is made by amplification_frame\(.*sample_weight=\.\.\.\)"
    for given in ({"metrics": accuracy_score, "y_true": rows["T"]}, {}):
        with pytest.raises(TypeError, match=message):
            AmplificationFrame(**given)


def test_several_models_are_refused() -> None:
    rows = people()
    with pytest.raises(ValueError, match=r"y_pred must be of one model; received \['a', 'b'\]"):
        amplification_frame(
            rows["T"], {"a": rows["T_hat"], "b": rows["T"]}, sensitive_features=rows["A"]
        )


def test_base_rates_of_a_file_are_of_the_labels_of_the_data(tmp_path: Path) -> None:
    # The names in a file are text, and the labels True and False. The rate of positives is .8
    # instead of .6 in group "a" and 0 instead of .4 in "b": (.2 + .2 + .4 + .4) / 4.
    rates = {"a": {"False": 0.4, "True": 0.6}, "b": {"False": 0.6, "True": 0.4}}
    path = tmp_path / "rates.json"
    path.write_text(json.dumps({"task_given_attribute": rates}), encoding="utf-8")
    predicted = [True] * 40 + [False] * 60
    frame = amplification_frame(
        predicted,
        predicted,
        sensitive_features=["a"] * 50 + ["b"] * 50,
        metrics=DirectionalBiasAmplification(),
        reference=load_base_rates(path),
    )
    assert frame.overall == pytest.approx(0.3, abs=1e-12)


def test_probabilities_are_those_of_the_positive_class() -> None:
    rows = people()
    score = np.random.default_rng(0).random(len(rows)).round(2)
    frame = amplification_frame(
        rows["T"], score, sensitive_features=rows["A"], metrics=BA | {"auc": roc_auc_score}
    )
    assert frame.overall["auc"] == pytest.approx(roc_auc_score(rows["T"], score), abs=1e-12)
    expected = DirectionalBiasAmplification()(rows["T"], score, sensitive_features=rows["A"])
    assert frame.overall["BA"] == pytest.approx(expected, abs=1e-12)


NAMES = ["y_true", "y_pred", "len", "metric", "a", "a_b", "0", "feature 0", "sample_weight"]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_of_a_feature_collides(name: str) -> None:
    rows, metrics = people(), {"BA": DirectionalBiasAmplification(), "count": host.count}
    plain = ours(rows, metrics, control_features=rows["B"])
    named = ours(
        rows,
        metrics,
        sensitive_features=rows["A"].rename(name),
        control_features=rows["B"].rename("metric" if name == "len" else "len"),
    )
    assert named.by_group.index.names[1] == name
    assert np.array_equal(named.by_group, plain.by_group)
    assert np.array_equal(named.overall, plain.overall)


def test_no_name_of_a_metric_collides() -> None:
    rows = people()
    chosen = [DirectionalBiasAmplification(), host.count, accuracy_score, MALS()]
    expected = ours(rows, dict(enumerate(chosen)))
    for names in (NAMES[:4], NAMES[4:8], ["A", "B", "overall", "groups"]):
        frame = ours(rows, dict(zip(names, chosen, strict=True)))
        assert frame.by_group.columns.tolist() == names
        assert np.array_equal(frame.by_group, expected.by_group)


@pytest.mark.parametrize(
    "features",
    [
        {"control_features": "A"},
        {"control_features": "B", "group_features": "B"},
    ],
)
def test_names_of_features_must_differ(features: dict[str, str]) -> None:
    rows = people()
    given_ = {argument: rows["B"].rename(name) for argument, name in features.items()}
    with pytest.raises(ValueError, match="features must have distinct names"):
        ours(rows, None, **given_)
