"""An audit's ways in (counts, models, estimators) and its frame."""

from __future__ import annotations

from functools import reduce
from math import hypot
from operator import add
from typing import Any

import numpy as np
import pandas as pd
import pytest
from report_cases import AMPLIFIED, ERRORS, GROUP, TRUTH, names, row_of
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import biasamp_adapters as bam
from biasamp_adapters.datasets import load_diabetes_audit

#: api.md, "Audit".
COLUMNS = [
    "metric",
    "direction",
    "slug",
    "value",
    "low",
    "high",
    "blind_errors",
    "excess",
    "n",
    "note",
    "pos_label",
]


def counts_of(frame: pd.DataFrame) -> bam.JointCounts:
    """The counts that an audit of the rows would make."""
    return bam.JointCounts.from_arrays(frame["T"], frame["T_pred"], frame["A"], frame["A_pred"])


def audit_rows(frame: pd.DataFrame, **options: Any) -> bam.AuditReport:
    return bam.audit(
        frame["T"],
        frame["T_pred"],
        sensitive_features=frame["A"],
        sensitive_features_pred=frame["A_pred"],
        **options,
    )


def test_counts_give_the_report_of_their_rows(compas: pd.DataFrame) -> None:
    by_counts = bam.audit_counts(counts_of(compas), n_boot=100, random_state=3)
    by_rows = audit_rows(compas, n_boot=100, random_state=3)
    assert by_counts.summary == by_rows.summary


def test_parts_give_the_report_of_the_whole(compas: pd.DataFrame) -> None:
    part = np.random.default_rng(0).integers(0, 4, len(compas))
    whole = reduce(add, (counts_of(rows) for _, rows in compas.groupby(part)))
    assert bam.audit_counts(whole, n_boot=100).summary == audit_rows(compas, n_boot=100).summary


def test_order_of_rows_does_not_matter(compas: pd.DataFrame) -> None:
    shuffled = compas.sample(frac=1, random_state=0)
    assert audit_rows(shuffled, n_boot=100).summary == audit_rows(compas, n_boot=100).summary


def test_repeats(compas: pd.DataFrame) -> None:
    first = audit_rows(compas, n_boot=100)
    assert audit_rows(compas, n_boot=100).summary == first.summary
    assert audit_rows(compas, n_boot=100, random_state=0).summary == first.summary
    other = audit_rows(compas, n_boot=100, random_state=1)
    assert row_of(other, "BA A->T")["value"] == row_of(first, "BA A->T")["value"]
    assert row_of(other, "BA A->T")["low"] != row_of(first, "BA A->T")["low"]
    assert other.summary["method"]["random_state"] == 1


def test_generator_is_not_called_a_seed(compas: pd.DataFrame) -> None:
    found = audit_rows(compas, n_boot=10, random_state=np.random.default_rng(0))
    assert found.summary["method"]["random_state"] == "a generator of the caller's"


def test_confidence_widens_the_interval(compas: pd.DataFrame) -> None:
    wide = row_of(audit_rows(compas, n_boot=300, confidence=0.99), "BA A->T")
    narrow = row_of(audit_rows(compas, n_boot=300, confidence=0.5), "BA A->T")
    assert wide["low"] < narrow["low"] < narrow["value"] < narrow["high"] < wide["high"]


def test_frame_has_the_promised_columns(compas: pd.DataFrame) -> None:
    report = audit_rows(compas, n_boot=50)
    frame = report.to_frame()
    assert [*frame.columns] == COLUMNS
    assert len(frame) == len(names(report))
    assert not frame.duplicated(["metric", "direction"]).any()
    assert frame["value"].tolist() == [row["value"] for row in report.summary["metrics"]]
    assert (frame["low"] <= frame["high"]).all()
    assert (frame["n"] == 5278).all()
    # Only BA-> and MALS are compared with blind errors.
    for column in ("blind_errors", "excess"):
        compared = frame.loc[frame[column].notna(), "metric"]
        assert {*compared} == {"MALS", "DirectionalBiasAmplification"}


def test_frame_without_intervals_holds_nan(compas: pd.DataFrame) -> None:
    frame = audit_rows(compas, n_boot=0).to_frame()
    assert frame[["low", "high"]].isna().all(axis=None)
    assert {*frame.dtypes[["value", "low", "high", "blind_errors", "excess"]]} == {
        np.dtype("float64")
    }


def test_several_models_stand_side_by_side(compas: pd.DataFrame) -> None:
    both = bam.audit(
        compas["T"],
        {"tree": compas["T_pred"], "truth": compas["T"]},
        sensitive_features=compas["A"],
        sensitive_features_pred={"tree": compas["A_pred"], "truth": None},
        n_boot=50,
    )
    frame = both.to_frame()
    assert [*frame.columns] == ["model", *COLUMNS]
    assert names(both, "tree") == names(audit_rows(compas, n_boot=0))
    # No attribute was predicted by the second model, so it has no T->A.
    assert [n for n in names(both, "truth") if "T->A" in n] == []
    alone = audit_rows(compas, n_boot=0)
    for name in names(alone):
        expected = pytest.approx(row_of(alone, name)["value"], abs=1e-12)
        assert row_of(both, name, "tree")["value"] == expected
    # A perfect model scores 0 on every metric.
    assert frame.loc[frame["model"] == "truth", "value"].abs().max() == pytest.approx(0, abs=1e-12)


def test_differences_are_paired(compas: pd.DataFrame) -> None:
    rng = np.random.default_rng(0)
    flip = rng.random(len(compas)) < 0.02
    models = {
        "tree": compas["T_pred"],
        "nearly the same": compas["T_pred"].where(~flip, 1 - compas["T_pred"]),
    }
    report = bam.audit(compas["T"], models, sensitive_features=compas["A"], n_boot=1000)
    assert {row["compared_with"] for row in report.summary["differences"]} == {"tree"}
    assert len(report.summary["differences"]) == len(names(report, "tree"))
    for row in report.summary["differences"]:
        first, second = (row_of(report, row["name"], model) for model in models)
        assert row["value"] == pytest.approx(second["value"] - first["value"], abs=1e-12)
        assert row["low"] <= row["high"]
    (paired,) = (row for row in report.summary["differences"] if row["name"] == "BA A->T")
    ends = [row_of(report, "BA A->T", model) for model in models]
    # Unpaired, the variances would add.
    unpaired = hypot(*(end["high"] - end["low"] for end in ends))
    assert paired["high"] - paired["low"] < unpaired / 2


def test_equal_models_do_not_differ(compas: pd.DataFrame) -> None:
    models = {"one": compas["T_pred"], "two": compas["T_pred"]}
    report = bam.audit(compas["T"], models, sensitive_features=compas["A"], n_boot=100)
    for row in report.summary["differences"]:
        if row["name"].split(" ")[0] in ("MALS", "BA", "Multi"):
            assert (row["value"], row["low"], row["high"]) == (0, 0, 0)


def test_third_model_is_compared_with_the_first() -> None:
    models = {"truth": TRUTH, "more": AMPLIFIED, "errors": ERRORS}
    report = bam.audit(TRUTH, models, sensitive_features=GROUP, n_boot=50)
    found = {
        row["model"]: row["value"]
        for row in report.summary["differences"]
        if row["name"] == "BA A->T"
    }
    # Amplified: each rate moves by 5/50. Errors: 24 + 4 of a and 16 + 6 of b are called positive,
    # so each rate moves back by 2/50.
    assert found == pytest.approx({"more": 5 / 50, "errors": -2 / 50})


@pytest.fixture(scope="module")
def patients() -> dict[str, Any]:
    """Scikit-learn's diabetes rows with features, task and attribute."""
    demo = load_diabetes_audit()
    return {
        "X": demo.frame[["age", "bmi", "bp"]],
        "y": demo.y_true,
        "sensitive_features": demo.sensitive_features,
    }


def test_estimator(patients: dict[str, Any]) -> None:
    x, y, group = patients.values()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, y)
    found = bam.AuditReport.from_estimator(model, x, y, sensitive_features=group, n_boot=50)
    expected = bam.audit(y, model.predict(x), sensitive_features=group, n_boot=50)
    assert found.summary == expected.summary


def test_estimators_of_task_and_attribute(patients: dict[str, Any]) -> None:
    x, y, group = patients.values()
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()).fit(x, y),
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0).fit(x, y),
    }
    of_group = DecisionTreeClassifier(max_depth=2, random_state=0).fit(x, group)
    found = bam.AuditReport.from_estimator(
        models, x, y, sensitive_features=group, attribute_estimator=of_group, n_boot=50
    )
    expected = bam.audit(
        y,
        {name: model.predict(x) for name, model in models.items()},
        sensitive_features=group,
        sensitive_features_pred=of_group.predict(x),
        n_boot=50,
    )
    assert found.summary == expected.summary
    assert found.summary["data"]["models"] == ["logistic", "tree"]
    assert "BA T->A" in names(found, "tree")


def test_names_of_models_that_are_no_text() -> None:
    with pytest.raises(ValueError, match=r"models in y_pred must be strings; received \[1, 2\]"):
        bam.audit(TRUTH, {1: TRUTH, 2: AMPLIFIED}, sensitive_features=GROUP, n_boot=0)


def test_seed_of_numpy_is_a_seed(compas: pd.DataFrame) -> None:
    found = audit_rows(compas, n_boot=10, random_state=np.int64(7))
    assert found.summary == audit_rows(compas, n_boot=10, random_state=7).summary
