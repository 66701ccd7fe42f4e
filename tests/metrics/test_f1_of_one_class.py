"""Which class ``quality="f1"`` is of: the positive one of what the attacker guesses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from metric_cases import quietly
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from biasamp_adapters import (
    DirectionalPredictabilityAmplification,
    Indicators,
    LeakageAmplification,
)

#: Of 40 people in a, 10 are hired, in b 20; the model hires 8 and 24.
GROUP = ["a"] * 40 + ["b"] * 40
HIRED = ["yes"] * 10 + ["no"] * 30 + ["yes"] * 20 + ["no"] * 20
SAID = ["yes"] * 8 + ["no"] * 32 + ["yes"] * 24 + ["no"] * 16
ROWS: dict[str, Any] = {"y_true": HIRED, "y_pred": SAID, "sensitive_features": GROUP}


def dpa(**parameters: Any) -> DirectionalPredictabilityAmplification:
    return DirectionalPredictabilityAmplification(quality="f1", equalize=None, **parameters)


def levels(metric: Any, **changed: Any) -> list[float]:
    result = quietly(metric.result, **{**ROWS, **changed})
    return [level.value for level in result.levels.values()]


def relative(dataset: float, model: float) -> float:
    return (model - dataset) / (model + dataset)


def test_the_positive_class_is_the_last_of_two() -> None:
    # "yes" named for b: 2 * 20 / (30 + 40) hits; for all, 2 * 30 / (30 + 80) are fewer.
    # Of the predictions, 2 * 24 / (32 + 40).
    expected = [2 * 20 / (30 + 40), 2 * 24 / (32 + 40)]
    assert levels(dpa()) == pytest.approx(expected, abs=1e-12)
    assert dpa()(**ROWS) == pytest.approx(relative(*expected), abs=1e-12)


def test_pos_label_takes_the_other() -> None:
    # "no" named for both groups: 2 * 50 / (50 + 80), for a alone 2 * 30 / (50 + 40).
    expected = [max(2 * 50 / 130, 2 * 30 / 90), max(2 * 48 / (48 + 80), 2 * 32 / (48 + 40))]
    assert levels(dpa(pos_label="no")) == pytest.approx(expected, abs=1e-12)
    result = dpa(pos_label="no").result(**ROWS)
    assert result.measurement.recipe["quality"] == "f1 (class no)"


@pytest.mark.parametrize("pos_label", [None, "yes", "no"])
def test_a_fitted_attacker_is_scored_at_its_best_cut_off(pos_label: Any) -> None:
    """On the rows it was fitted on, a regression on one indicator knows the table."""
    fitted = dpa(
        pos_label=pos_label,
        attacker=LogisticRegression(C=1e9),
        evaluation="resubstitution",
        n_trials=1,
    )
    expected = levels(dpa(pos_label=pos_label))
    assert levels(fitted) == pytest.approx(expected, abs=1e-9)
    named = np.array(GROUP) == "b"
    if pos_label != "no":
        of_rows = f1_score(np.array(HIRED) == "yes", named)
        assert of_rows == pytest.approx(expected[0], abs=1e-12)


def test_it_needs_probabilities_of_a_fitted_attacker() -> None:
    from sklearn.svm import LinearSVC

    rule = "the qualities .* and f1 need an attacker with predict_proba; received LinearSVC"
    with pytest.raises(ValueError, match=rule):
        quietly(dpa(attacker=LinearSVC())._value, dpa()._count(_inputs()))


def _inputs() -> Any:
    from biasamp_adapters._roles import Inputs

    return Inputs(HIRED, SAID, GROUP)


def test_of_leakage_and_of_t_to_a_it_is_of_a_group() -> None:
    # The truth gives b away where it is "yes": 2 * 20 / (40 + 30), and all: 2 * 40 / (40 + 80).
    leakage = LeakageAmplification(quality="f1", equalize=None)
    expected = [max(2 * 20 / 70, 2 * 40 / 120), max(2 * 24 / (40 + 32), 2 * 40 / 120)]
    assert levels(leakage) == pytest.approx(expected, abs=1e-12)
    other = LeakageAmplification(quality="f1", equalize=None, pos_label="a")
    expected = [max(2 * 30 / (40 + 50), 2 * 40 / 120), max(2 * 32 / (40 + 48), 2 * 40 / 120)]
    assert levels(other) == pytest.approx(expected, abs=1e-12)
    rule = "pos_label must be one of the labels 'a', 'b' of what the attacker guesses; .*'yes'"
    with pytest.raises(ValueError, match=rule):
        LeakageAmplification(quality="f1", pos_label="yes")(**ROWS)
    with pytest.raises(ValueError, match=rule):
        dpa(direction="T->A", pos_label="yes")(**ROWS, sensitive_features_pred=GROUP)


def test_of_three_classes_it_is_the_mean() -> None:
    rows = {"y_true": [0, 1, 2, 2], "y_pred": [0, 1, 2, 2], "sensitive_features": list("aabb")}
    # 0 and 1 share the rows of a: 2 * 1 / (1 + 2) each. All of b is 2.
    expected = (2 / 3 + 2 / 3 + 1) / 3
    assert levels(dpa(), **rows) == pytest.approx([expected] * 2, abs=1e-12)
    assert levels(dpa(pos_label=2), **rows) == [1, 1]
    assert levels(dpa(pos_label=1), **rows) == pytest.approx([2 / 3] * 2, abs=1e-12)
    told = quietly(dpa().result, **rows).measurement.recipe["quality"]
    assert told == "f1 (mean over classes)"


def test_the_mean_leaves_out_a_class_that_does_not_occur() -> None:
    rows = {"y_true": [0, 1, 2] * 2, "y_pred": [0, 1, 1] * 2, "sensitive_features": list("aab") * 2}
    # Of the predictions, 0 is named for a, 2 * 2 / (2 + 4), and 1 for all, 2 * 4 / (4 + 6).
    assert levels(dpa(), **rows)[1] == pytest.approx((4 / 6 + 8 / 10) / 2, abs=1e-12)
    assert levels(dpa(pos_label=2), **rows)[1] == 0


def test_of_columns_it_is_of_yes() -> None:
    yes = (np.array(HIRED) == "yes").astype(int)
    said = (np.array(SAID) == "yes").astype(int)
    columns = {
        "y_true": np.column_stack([yes, 1 - yes]),
        "y_pred": np.column_stack([said, 1 - said]),
    }
    first, second = dpa()(**ROWS), dpa(pos_label="no")(**ROWS)
    found = dpa()(**columns, sensitive_features=GROUP)
    assert found == pytest.approx((first + second) / 2, abs=1e-12)
    pairs = quietly(
        dpa().result, **columns, sensitive_features=Indicators(np.eye(2)[[0] * 40 + [1] * 40])
    )
    assert pairs.by_pair["value"].notna().all()


def test_pos_label_is_for_f1_alone() -> None:
    rule = "pos_label is for quality='f1', .*; received 1 for 'inverse_cross_entropy'"
    with pytest.raises(ValueError, match=rule):
        DirectionalPredictabilityAmplification(pos_label=1)


def test_two_classes_of_one_evaluation_are_told_apart() -> None:
    first, second = dpa(), dpa(pos_label="no")
    counts = first._count(_inputs())
    evaluation = first._evaluation(counts)
    found = [m.measure(evaluation, counts.first_model).point()["value"] for m in (first, second)]
    assert found == pytest.approx([first(**ROWS), second(**ROWS)], abs=1e-12)


def test_the_favourable_label_of_aif360_is_positive() -> None:
    pytest.importorskip("aif360")
    import pandas as pd
    from aif360.datasets import BinaryLabelDataset

    from biasamp_adapters.aif360 import BiasAmplificationMetric

    rows = pd.DataFrame({"sex": [float(x == "a") for x in GROUP]})
    options: Any = {"label_names": ["y"], "protected_attribute_names": ["sex"]}
    options |= {"favorable_label": 0, "unfavorable_label": 1}
    truth, said = (
        BinaryLabelDataset(df=rows.assign(y=[float(x == "yes") for x in labels]), **options)
        for labels in (HIRED, SAID)
    )
    metric = BiasAmplificationMetric(truth, said)
    parameters: Any = {"quality": "f1", "equalize": None}
    found = metric.directional_predictability_amplification("A->T", **parameters)
    assert found == pytest.approx(dpa(pos_label="no")(**ROWS), abs=1e-12)
    assert metric.directional_predictability_amplification(
        "A->T", pos_label=1, **parameters
    ) == pytest.approx(dpa()(**ROWS), abs=1e-12)
    # What LA guesses is the group.
    assert metric.leakage_amplification(**parameters) == pytest.approx(
        LeakageAmplification(**parameters, pos_label="a")(**ROWS), abs=1e-12
    )
