"""LA and DPA: levels by hand, how labels are made inaccurate, and which way is taken for it."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import biasamp_adapters as bam

LA, DPA = bam.LeakageAmplification, bam.DirectionalPredictabilityAmplification
Columns = dict[str, Any]

#: 100 rows of each group: the labels are even, and of the predictions 60 and 40 are 1.
GROUPS = ["a"] * 100 + ["b"] * 100
EVEN = [1] * 50 + [0] * 50 + [1] * 50 + [0] * 50
UNEVEN = [1] * 60 + [0] * 40 + [1] * 40 + [0] * 60
ROWS: Columns = {"y_true": EVEN, "y_pred": UNEVEN, "sensitive_features": GROUPS}

#: Cross-entropies of labels and predictions, given the group.
LOSS, LOSS_OF_UNEVEN = log(2), -(0.6 * log(0.6) + 0.4 * log(0.4))


@pytest.mark.parametrize(
    ("quality", "before", "after"),
    [
        ("accuracy", 0.5, 0.6),
        ("balanced_accuracy", 0.5, 0.6),
        ("f1_macro", 0.5, 0.6),
        ("inverse_cross_entropy", 1 / LOSS, 1 / LOSS_OF_UNEVEN),
        ("one_minus_cross_entropy", 1 - LOSS, 1 - LOSS_OF_UNEVEN),
        ("hard_inverse_cross_entropy", 1 / (100 * 0.5), 1 / (100 * 0.4)),
        ("inverse_mse", 1 / 0.25, 1 / (0.6 * 0.4)),
        ("inverse_rmse", 1 / 0.5, 1 / (0.6 * 0.4) ** 0.5),
        ("uncertainty_coefficient", 0, 1 - LOSS_OF_UNEVEN / LOSS),
    ],
)
def test_change_is_relative_or_the_difference_of_levels(
    quality: str, before: float, after: float
) -> None:
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


@pytest.mark.parametrize("pos_label", [None, 1, 0])
def test_f1_is_that_of_the_positive_class(pos_label: Any) -> None:
    # Class 1 guessed for a, 60 of (100 + 100), or for all rows, 100 of (200 + 100); class 0 for b
    # or for all is the same by symmetry, and so are 50 of (100 + 100) of the labels.
    before, after = max(2 * 50 / 200, 2 * 100 / 300), max(2 * 60 / 200, 2 * 100 / 300)
    metric = DPA(quality="f1", equalize=None, pos_label=pos_label)
    assert metric(**ROWS) == pytest.approx((after - before) / (after + before), abs=1e-12)
    # 90 of 100 rows of a and 20 of b are 1: guessed for a, 2 * 90 / (110 + 100); 0 for b, 2 * 80 /
    # (90 + 100).
    made = [1] * 90 + [0] * 10 + [1] * 20 + [0] * 80
    after = 2 * 80 / 190 if pos_label == 0 else 2 * 90 / 210
    value = metric(EVEN, made, sensitive_features=GROUPS)
    assert value == pytest.approx((after - before) / (after + before), abs=1e-12)


# Missing predictions are one more label for an attacker.


def test_missing_predictions_are_no_class_of_f1() -> None:
    # Of the 40 predictions of a, 20 are 1 and 20 are missing; of b ten are 1 and 30 are 0. Class 1
    # is guessed for a alone, 2 * 20 / (30 + 40), or for all, 2 * 30 / (30 + 80).
    predicted = [1] * 20 + [None] * 20 + [1] * 10 + [0] * 30
    metric = DPA(quality="f1", equalize=None, missing="abstain")
    result = metric.result(
        [1, 0] * 40, predicted, sensitive_features=["a"] * 40 + ["b"] * 40, n_boot=0
    )
    assert result.estimates["psi_model"].value == pytest.approx(2 * 20 / 70, abs=1e-12)


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


def choice(columns: Columns, kind: Any = DPA, **options: Any) -> str:
    """Return which of the two ways "auto" takes."""
    values = {
        equalize: kind(equalize=equalize, n_trials=20, **options)(**columns)
        for equalize in ("auto", "expected", "sampled")
    }
    assert values["expected"] != values["sampled"]
    return next(way for way in ("expected", "sampled") if values[way] == values["auto"])


@pytest.mark.parametrize("direction", ["A->T", "T->A"])
@pytest.mark.parametrize(("cell", "way"), [(120, "sampled"), (130, "expected")])
def test_auto_of_cross_entropy_follows_its_bias(direction: str, cell: int, way: str) -> None:
    # All rates are 1/2, so both losses are log 2. One of ten is wrong: F (1 - F) is .09 everywhere,
    # and the sum over inputs and targets is 4 (.09 / .5) = .72. B = .72 / 2n / (2 log 2) is .00054
    # for n = 480 and .0004994 for n = 520, on either side of .0005.
    columns = with_errors(np.full((2, 2), cell), np.full((2, 2), cell // 10))
    assert choice(columns, direction=direction) == way


def test_auto_counts_the_rows_that_weights_are_worth() -> None:
    # 520 rows would do, but half of them weigh next to nothing.
    columns = with_errors(np.full((2, 2), 130), np.full((2, 2), 13))
    assert choice(columns | {"sample_weight": np.full(520, 0.3)}) == "expected"
    assert choice(columns | {"sample_weight": np.tile([1.0, 1e-9], 260)}) == "sampled"


@pytest.mark.parametrize("direction", ["A->T", "T->A"])
@pytest.mark.parametrize(("n", "way"), [(30, "sampled"), (40, "expected")])
def test_auto_of_accuracy_needs_clear_winners(direction: str, n: int, way: str) -> None:
    # Each input has .8 of one target, and one of ten is wrong: .8 * .9 + .2 * .1 = .74 and .26, a
    # gap of .48 beside 3 sqrt((1 - .48^2) / n) = .4805 or .4161.
    most, least, errors = n * 4 // 5, n // 5, n // 10
    columns = with_errors([[most, least], [least, most]], [[errors, 0], [0, errors]])
    assert choice(columns, direction=direction, quality="accuracy") == way
    assert choice(columns, kind=LA, quality="accuracy") == way


@pytest.mark.parametrize("quality", ["f1_macro", "f1", "inverse_rmse", "one_minus_cross_entropy"])
def test_auto_of_other_qualities_draws(quality: str) -> None:
    # So many rows that both rules above would take the expectation.
    columns = with_errors([[4000, 1000], [1000, 4000]], [[500, 0], [0, 500]])
    assert choice(columns, quality=quality) == "sampled"
    assert choice(columns) == choice(columns, quality="accuracy") == "expected"
    # Balanced accuracy of a flipped input, and of a flipped target.
    assert choice(columns, kind=LA) == "expected"
    assert choice(columns, quality="balanced_accuracy") == "sampled"


def test_drawn_flips_of_many_classes_are_unbiased_where_expected_ones_are_not() -> None:
    # A and T are independent and A^ errs at random, so that DPA is 0 but for noise and bias. With
    # 200 classes of 10 rows flips in expectation are .028 off (the definitions, section 5).
    values = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth, group = rng.integers(200, size=2000), rng.integers(2, size=2000)
        columns = {"sensitive_features": group, "y_pred": truth}
        columns["sensitive_features_pred"] = group ^ (rng.random(2000) < 0.2)
        values.append(
            [
                DPA(direction="T->A", n_trials=10, equalize=equalize)(truth, **columns)
                for equalize in ("auto", "expected")
            ]
        )
    (bias, hidden), error = np.mean(values, axis=0), np.std(values, axis=0) / np.sqrt(40)
    assert abs(bias) < 5 * error[0] < 0.004
    assert hidden == pytest.approx(0.028, abs=0.0005 + 5 * error[1])


def test_columns_are_flipped_for_fitted_attackers_as_for_the_exact_one() -> None:
    # One of ten entries is wrong, in the first column of group a and in the second of group b.
    first = with_errors([[80, 20], [20, 80]], [[16, 4], [0, 0]])
    second = with_errors([[30, 70], [60, 40]], [[0, 0], [12, 8]])
    truth, predicted = (
        np.column_stack([columns[name] for columns in (first, second)])
        for name in ("y_true", "y_pred")
    )
    levels = []
    for attacker in ("exact", LogisticRegression(C=1e9)):
        metric = DPA(
            attacker=attacker, quality="accuracy", equalize="sampled", evaluation="resubstitution"
        )
        result = replace(metric, n_trials=50).result(
            truth, predicted, sensitive_features=first["sensitive_features"], n_boot=0
        )
        levels.append([result.estimates[name].value for name in ("psi_dataset", "psi_model")])
    # Of 200 rows flips have an error of sqrt(.09 / 200) = .02 in a trial, and .003 in the mean.
    assert levels[0][0] == pytest.approx(levels[1][0], abs=5 * 0.003)
    assert levels[0][1] == pytest.approx(levels[1][1], abs=1e-12)


# Leave-one-out, and the uncertainty coefficient.


def test_leave_one_out_draws_its_flips() -> None:
    # So many rows that the expectation would do; each draw is another value.
    columns = with_errors(np.full((2, 2), 500), np.full((2, 2), 50))
    loo = DPA(evaluation="loo", n_trials=1)
    values = {loo.result(**columns, n_boot=0, random_state=seed).value for seed in range(3)}
    assert len(values) == 3
    right = with_errors([[6, 2], [1, 3]], np.zeros((2, 2), dtype=int))
    result = loo.result(**right, n_boot=0)
    loss = -(6 * log(5.5 / 8) + 2 * log(1.5 / 8) + 1 * log(0.5 / 4) + 3 * log(2.5 / 4)) / 12
    assert result.estimates["psi_model"].value == pytest.approx(1 / loss, abs=1e-12)
    assert result.value == 0


@pytest.mark.parametrize("moved", [6, 7])
def test_uncertainty_is_a_difference_where_nothing_depends_on_the_group(moved: int) -> None:
    # Of 100 rows of each group 50 + d and 50 - d are predicted 1. G = 2 (2 (50 + d) log((50 + d) /
    # 50) + 2 (50 - d) log((50 - d) / 50)) is 2.89 for 6 and 3.93 for 7; 3.84 is the limit.
    up, down = 50 + moved, 50 - moved
    g = 2 * (2 * up * log(up / 50) + 2 * down * log(down / 50))
    predicted = [1] * up + [0] * down + [1] * down + [0] * up
    columns: Columns = {"y_true": EVEN, "y_pred": predicted, "sensitive_features": GROUPS}
    u = g / (2 * 200 * log(2))
    metric = DPA(quality="uncertainty_coefficient", equalize=None)
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
    assert LA(quality="uncertainty_coefficient", equalize=None)(**columns) == pytest.approx(u)
    absolute = DPA(quality="uncertainty_coefficient", equalize=None, change="absolute")
    assert absolute(**columns) == pytest.approx(u, abs=1e-12)


def test_uncertainty_of_a_matrix_is_a_ratio_if_that_of_each_column_is() -> None:
    # Predictions of the first column move as above by 20, and of the second by 6.
    first, second = (
        [1] * (50 + d) + [0] * (50 - d) + [1] * (50 - d) + [0] * (50 + d) for d in (20, 6)
    )
    metric = DPA(quality="uncertainty_coefficient", equalize=None)
    is_ratio = []
    for columns in ([first, first], [first, second]):
        result = metric.result(
            np.array([EVEN, EVEN]).T, np.array(columns).T, sensitive_features=GROUPS, n_boot=0
        )
        is_ratio.append(result.measurement.is_ratio)
    assert is_ratio == [True, False]


# Notes.


@pytest.mark.parametrize(("errors", "is_below"), [(6, True), (5, False)])
@pytest.mark.parametrize("kind", [LA, DPA])
def test_accuracy_below_chance_is_noted(kind: Any, errors: int, is_below: bool) -> None:
    columns = with_errors(np.full((2, 2), 10), np.full((2, 2), errors))
    result = kind(equalize="expected").result(**columns, n_boot=0)
    note = "The accuracy of model is below chance (1/2), so LA and DPA have no fair baseline."
    assert result.notes == ((note,) if is_below else ())
    assert kind(equalize=None).result(**columns, n_boot=0).notes == ()


def test_accuracy_of_groups_below_chance_is_noted_as_such() -> None:
    groups, others, classes = [*"aabb"] * 5, [*"bbab"] * 5, [0, 1, 0, 1] * 5
    columns = {"y_true": classes, "sensitive_features": groups, "sensitive_features_pred": others}
    result = DPA(direction="T->A", equalize="expected").result(**columns, n_boot=0)
    note = "The accuracy of the groups that model predicts is below chance (1/2), so DPA T→A has"
    assert any(text.startswith(note) for text in result.notes)


# Functions of one's own as qualities of the exact attacker.


def gini(table: np.ndarray, values: Any = None) -> np.ndarray:
    """Return the mean of squared shares, for each table."""
    row = table.sum(axis=-1, keepdims=True)
    return (table**2 / np.maximum(row, 1e-300)).sum(axis=(-2, -1)) / table.sum(axis=(-2, -1))


def squared_mean(table: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the mean over the rows of the squared mean of the targets of their input."""
    row = table.sum(axis=-1)
    return ((table @ values) ** 2 / np.maximum(row, 1e-300)).sum(axis=-1) / row.sum(axis=-1)


def test_own_quality_reads_the_numbers_that_targets_stand_for() -> None:
    # The means are .5 and .5 of the labels, and .6 and .4 of the predictions.
    before, after = 0.5**2, (0.6**2 + 0.4**2) / 2
    value = DPA(quality=squared_mean, equalize=None)(**ROWS)
    assert value == pytest.approx((after - before) / (after + before), abs=1e-12)


def test_own_quality_is_a_function_of_tables() -> None:
    # Squares of shares: .5 of even labels, and .6^2 + .4^2 = .52 of the predictions.
    metric = DPA(quality=gini, equalize=None)
    result = metric.result(**ROWS)
    assert result.value == pytest.approx((0.52 - 0.5) / (0.52 + 0.5), abs=1e-12)
    assert (result.metric, result.key) == ("DPA(gini) A->T", "dpa_gini_a_to_t")
    assert result.interval is not None
    assert LA(quality=gini, equalize=None)(**ROWS) == pytest.approx(0.52 - 0.5, abs=1e-12)


def test_leakage_of_a_wide_table_has_fewer_trials_and_a_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("biasamp_adapters.metrics.attack_measurement._MOST_CELLS", 4 * 20)
    rng = np.random.default_rng(0)
    truth, predicted, groups = rng.integers(2, size=(3, 200))
    arrays = {"y_true": truth, "y_pred": predicted, "sensitive_features": groups, "n_boot": 0}
    note = "Mean of 20 trials; flips and folds leave a standard error of "
    sampled = bam.LeakageAmplification(equalize="sampled")
    assert any(note in text for text in sampled.result(**arrays).notes)
    chosen = bam.LeakageAmplification(equalize="sampled", n_trials=30)
    assert not any("trials" in text for text in chosen.result(**arrays).notes)
