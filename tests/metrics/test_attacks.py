"""LA and DPA: levels by hand, how labels are made inaccurate, and which way is taken for it."""

from dataclasses import replace
from math import isnan, log
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import biasamp_adapters as bam

LA, DPA = bam.LeakageAmplification, bam.DirectionalPredictabilityAmplification
Columns = dict[str, Any]
U = "uncertainty_coefficient"

#: 100 rows of each group: the labels are even, and of the predictions 60 and 40 are 1.
GROUPS = ["a"] * 100 + ["b"] * 100
EVEN = [1] * 50 + [0] * 50 + [1] * 50 + [0] * 50
UNEVEN = [1] * 60 + [0] * 40 + [1] * 40 + [0] * 60
ROWS: Columns = {"y_true": EVEN, "y_pred": UNEVEN, "sensitive_features": GROUPS}

#: Cross-entropies of labels and predictions, given the group.
LOSS, LOSS_OF_UNEVEN = log(2), -(0.6 * log(0.6) + 0.4 * log(0.4))


def squared_mean(table: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the mean over the rows of the squared mean of the targets of their input."""
    row = table.sum(axis=-1)
    return ((table @ values) ** 2 / np.maximum(row, 1e-300)).sum(axis=-1) / row.sum(axis=-1)


@pytest.mark.parametrize(
    ("quality", "before", "after"),
    [
        # Class 1 is guessed for a, 60 of (100 + 100), or for all rows, 100 of (200 + 100).
        ("f1", max(2 * 50 / 200, 2 * 100 / 300), max(2 * 60 / 200, 2 * 100 / 300)),
        ("inverse_cross_entropy", 1 / LOSS, 1 / LOSS_OF_UNEVEN),
        (U, 0, 1 - LOSS_OF_UNEVEN / LOSS),
        # A function of one's own reads the numbers of the targets: means are .5, and .6 and .4.
        (squared_mean, 0.5**2, (0.6**2 + 0.4**2) / 2),
    ],
)
def test_change_is_relative_or_a_difference(quality, before, after) -> None:
    options: Any = {"quality": quality, "equalize": None}
    relative = DPA(**options).result(**ROWS, n_boot=0)
    absolute = DPA(change="absolute", **options).result(**ROWS, n_boot=0)
    for result in (relative, absolute):
        levels = [result.estimates[name].value for name in ("psi_dataset", "psi_model")]
        assert levels == pytest.approx([before, after], abs=1e-12)
        pairs = result.by_pair
        assert pairs["value"].tolist() == pytest.approx([result.value] * 4, abs=1e-12)
    assert relative.value == pytest.approx((after - before) / (after + before), abs=1e-12)
    assert absolute.value == pytest.approx(after - before, abs=1e-12)


def test_own_quality_has_an_interval_and_its_name() -> None:
    result = DPA(quality=squared_mean, equalize=None).result(**ROWS, n_boot=100)
    assert (result.metric, result.key) == ("DPA(squared_mean) A->T", "dpa_squared_mean_a_to_t")
    assert result.interval is not None


@pytest.mark.parametrize(
    ("pos_label", "after"),
    [
        # 90 of 100 rows of a and 20 of b are 1: guessed for a, 2 * 90 / (110 + 100); 0 for b, 2 *
        # 80 / (90 + 100). Without a choice 1 is positive.
        (None, 2 * 90 / 210),
        (1, 2 * 90 / 210),
        (0, 2 * 80 / 190),
    ],
)
def test_f1_is_that_of_the_positive_class(pos_label, after) -> None:
    predicted = [1] * 90 + [0] * 10 + [1] * 20 + [0] * 80
    metric = DPA(quality="f1", equalize=None, pos_label=pos_label)
    result = metric.result(EVEN, predicted, sensitive_features=GROUPS, n_boot=0)
    assert result.estimates["psi_model"].value == pytest.approx(after, abs=1e-12)


@pytest.mark.parametrize("metric", [DPA(pos_label=7), LA(pos_label=7, quality="f1")])
def test_attack_of_an_unknown_label_is_refused(metric) -> None:
    with pytest.raises(ValueError, match=r"pos_label must be None.*; received 7"):
        metric(EVEN, EVEN, sensitive_features=GROUPS)


def test_missing_predictions_are_no_class_of_f1() -> None:
    # Of the 40 predictions of a, 20 are 1 and 20 are missing; of b ten are 1 and 30 are 0. Class 1
    # is guessed for a alone, 2 * 20 / (30 + 40), or for all, 2 * 30 / (30 + 80).
    predicted = [1] * 20 + [None] * 20 + [1] * 10 + [0] * 30
    metric = DPA(quality="f1", equalize=None, missing="abstain")
    groups = ["a"] * 40 + ["b"] * 40
    result = metric.result([1, 0] * 40, predicted, sensitive_features=groups, n_boot=0)
    assert result.estimates["psi_model"].value == pytest.approx(2 * 20 / 70, abs=1e-12)
    assert "20 predictions of model are missing." in result.notes


# Which way "auto" takes.


def with_errors(table: Any, errors: Any) -> Columns:
    """Return rows of a table of two groups by two classes, of which so many of a cell are wrong.

    The predicted group is wrong in the same rows, so that T->A sees what A->T does.
    """
    n, wrong = np.array(table), np.array(errors)
    group, truth = np.repeat(np.indices((2, 2)).reshape(2, -1), n.ravel(), axis=1)
    is_wrong = np.concatenate([np.arange(k) < m for k, m in zip(n.flat, wrong.flat, strict=True)])
    return {
        "y_true": truth,
        "y_pred": truth ^ is_wrong,
        "sensitive_features": group,
        "sensitive_features_pred": group ^ is_wrong,
    }


def independent(n: int) -> Columns:
    """Return rows of n of each group and class, of which one of ten is wrong."""
    return with_errors(np.full((2, 2), n), np.full((2, 2), n // 10))


def dependent(n: int) -> Columns:
    """Return rows of n of each group, of which .8 have its class; one of ten is wrong."""
    most, least, wrong = n * 4 // 5, n // 5, n // 10
    return with_errors([[most, least], [least, most]], [[wrong, 0], [0, wrong]])


T_TO_A = {"direction": "T->A"}


@pytest.mark.parametrize(
    ("columns", "metric", "way"),
    [
        # All rates are 1/2, so both losses are log 2: F (1 - F) is .09 everywhere, and the sum over
        # inputs and targets is 4 (.09 / .5) = .72. B = .72 / 2n / (2 log 2) is .00054 for n = 480
        # and .0004994 for n = 520, on either side of .0005.
        (independent(120), DPA(), "sampled"),
        (independent(130), DPA(), "expected"),
        (independent(120), DPA(**T_TO_A), "sampled"),
        (independent(130), DPA(**T_TO_A), "expected"),
        # Weights count as the rows that they are worth: 520, or half of them.
        (independent(130) | {"sample_weight": np.full(520, 0.3)}, DPA(), "expected"),
        (independent(130) | {"sample_weight": np.tile([1.0, 1e-9], 260)}, DPA(), "sampled"),
        # .8 * .9 + .2 * .1 = .74 and .26 of each input: a gap of .48 beside 3 sqrt((1 - .48^2) / n)
        # = .4805 or .4161.
        (dependent(30), DPA(quality="accuracy"), "sampled"),
        (dependent(40), DPA(quality="accuracy"), "expected"),
        (dependent(30), DPA(quality="accuracy", **T_TO_A), "sampled"),
        (dependent(40), DPA(quality="accuracy", **T_TO_A), "expected"),
        (dependent(30), LA(quality="accuracy"), "sampled"),
        (dependent(40), LA(quality="accuracy"), "expected"),
        # Balanced accuracy of a flipped input, and of a flipped target.
        (dependent(5000), LA(), "expected"),
        (dependent(5000), DPA(quality="balanced_accuracy"), "sampled"),
        # Of other qualities no rule is known.
        (dependent(5000), DPA(quality="f1_macro"), "sampled"),
        (dependent(5000), DPA(quality="one_minus_cross_entropy"), "sampled"),
    ],
)
def test_auto_takes_the_expectation_of_small_bias(columns, metric, way) -> None:
    values = {
        equalize: replace(metric, equalize=equalize, n_trials=20)(**columns)
        for equalize in ("auto", "expected", "sampled")
    }
    assert values["expected"] != values["sampled"]
    assert values["auto"] == values[way]


def test_columns_are_flipped_for_fitted_attackers_as_for_the_exact_one() -> None:
    # One of ten entries is wrong, in the first column of group a and in the second of group b.
    first = with_errors([[80, 20], [20, 80]], [[16, 4], [0, 0]])
    second = with_errors([[30, 70], [60, 40]], [[0, 0], [12, 8]])
    matrices = {x: np.column_stack([first[x], second[x]]) for x in ("y_true", "y_pred")}
    settings: Any = {"quality": "accuracy", "equalize": "sampled", "n_trials": 50}
    levels = []
    for attacker in ("exact", LogisticRegression(C=1e9)):
        metric = DPA(attacker=attacker, evaluation="resubstitution", **settings)
        result = metric.result(**first | matrices, n_boot=0)
        levels.append([result.estimates[name].value for name in ("psi_dataset", "psi_model")])
    # Of 200 rows flips have an error of sqrt(.09 / 200) = .02 in a trial, and .003 in the mean.
    assert levels[0][0] == pytest.approx(levels[1][0], abs=5 * 0.003)
    assert levels[0][1] == pytest.approx(levels[1][1], abs=1e-12)


def test_leave_one_out_draws_its_flips() -> None:
    # So many rows that the expectation would do; each draw is another value.
    loo = DPA(evaluation="loo", n_trials=1)
    values = {loo.result(**independent(500), n_boot=0, random_state=i).value for i in range(3)}
    assert len(values) == 3


def test_relative_change_of_a_level_below_0_has_a_note() -> None:
    # 1 - log 4 is below 0; a constant prediction has the level 1.
    columns: Columns = {"y_true": [0, 1, 2, 3] * 10, "y_pred": [0] * 40}
    columns["sensitive_features"] = ["a"] * 20 + ["b"] * 20
    quality = {"quality": "one_minus_cross_entropy"}
    result = DPA(**quality).result(**columns, n_boot=0)
    assert isnan(result.value)
    assert "one_minus_cross_entropy is below 0, so no relative change is defined" in str(result)
    difference = DPA(change="absolute", equalize=None, **quality)(**columns)
    assert difference == pytest.approx(log(4))


# The uncertainty coefficient.


@pytest.mark.parametrize("moved", [6, 7])
def test_uncertainty_is_a_difference_where_nothing_depends_on_the_group(moved) -> None:
    # Of 100 rows of each group 50 + d and 50 - d are predicted 1. G = 2 (2 (50 + d) log((50 + d) /
    # 50) + 2 (50 - d) log((50 - d) / 50)) is 2.89 for 6 and 3.93 for 7; 3.84 is the limit.
    up, down = 50 + moved, 50 - moved
    g = 2 * (2 * up * log(up / 50) + 2 * down * log(down / 50))
    columns = ROWS | {"y_pred": [1] * up + [0] * down + [1] * down + [0] * up}
    u = g / (2 * 200 * log(2))
    metric = DPA(quality=U, equalize=None)
    result = metric.result(**columns, n_boot=0)
    is_difference = moved == 6
    assert result.value == pytest.approx(u if is_difference else 1, abs=1e-12)
    assert result.by_pair["value"].tolist() == pytest.approx([result.value] * 4, abs=1e-12)
    note = (
        "DPA(U) of model is a difference of its two levels, not a ratio, where neither predictions "
        "nor labels clearly depend on the group."
    )
    assert (note in result.notes) == is_difference
    if is_difference:
        with pytest.warns(bam.AmplificationWarning, match="neither predictions nor labels"):
            assert metric(**columns) == result.value
    # A difference of levels needs no such rule.
    assert LA(quality=U, equalize=None)(**columns) == pytest.approx(u, abs=1e-12)
    # A matrix gives a ratio if each column does.
    certain = [UNEVEN, UNEVEN], [UNEVEN, columns["y_pred"]]
    truth = np.array([EVEN, EVEN]).T
    for predicted, is_ratio in zip(certain, (True, not is_difference), strict=True):
        result = metric.result(truth, np.array(predicted).T, sensitive_features=GROUPS, n_boot=0)
        assert result.measurement.is_ratio == is_ratio


@pytest.mark.parametrize(
    ("metric", "errors", "note"),
    [
        (LA(equalize="expected"), 6, "The accuracy of model is below chance (1/2), so LA and DPA"),
        (DPA(equalize="expected"), 6, "The accuracy of model is below chance (1/2), so LA and DPA"),
        (
            DPA(equalize="expected", direction="T->A"),
            6,
            "The accuracy of the groups that model predicts is below chance (1/2), so DPA T→A has",
        ),
        (DPA(equalize="expected"), 5, None),
        (DPA(equalize=None), 6, None),
    ],
)
def test_accuracy_below_chance_is_noted(metric, errors, note) -> None:
    columns = with_errors(np.full((2, 2), 10), np.full((2, 2), errors))
    notes = metric.result(**columns, n_boot=0).notes
    assert len(notes) == (note is not None)
    assert all(text.startswith(note) for text in notes)


def test_wide_table_has_fewer_trials_and_a_note(monkeypatch) -> None:
    assert LA(equalize="sampled")(**ROWS) == LA(equalize="sampled", n_trials=100)(**ROWS)
    for most, n_trials in ((4 * 20, 20), (4 * 4, 5)):  # Five are the fewest.
        monkeypatch.setattr("biasamp_adapters.metrics.attack_measurement._MOST_CELLS", most)
        note = f"Mean of {n_trials} trials; flips and folds leave a standard error of "
        assert LA(equalize="sampled").result(**ROWS, n_boot=0).notes[0].startswith(note)
    assert LA(equalize="sampled", n_trials=30).result(**ROWS, n_boot=0).notes == ()
