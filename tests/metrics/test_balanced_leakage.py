"""LA by balanced accuracy, its default: groups of unequal size, ties, weights, fitted attackers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import Kind
from metric_cases import quietly
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import (
    DirectionalPredictabilityAmplification,
    Indicators,
    JointCounts,
    LeakageAmplification,
    audit_counts,
)
from biasamp_adapters.metrics.attacks.sparse_tables import clear_winners, tie_optimism
from biasamp_adapters.reference import align

#: Of group 0, 300 rows of which 60 % are positive, and of group 1, 100 rows of which 20 % are; the
#: model says 1 to 80 % and 10 %.
UNEQUAL = {
    "y_true": [1] * 180 + [0] * 120 + [1] * 20 + [0] * 80,
    "y_pred": [1] * 240 + [0] * 60 + [1] * 10 + [0] * 90,
    "sensitive_features": [0] * 300 + [1] * 100,
}


def test_the_largest_group_is_not_the_best_guess_whatever_is_said() -> None:
    """Of the truth .6 of group 0 and .8 of group 1 are guessed, of the predictions .8 and .9.

    By accuracy, the best guess from a 1 and from a 0 is group 0 for the truth: 300 of 400 rows.
    Of those who get a 0, 90 of 150 are of group 1: 240 + 90 of 400.
    """
    value = LeakageAmplification(equalize=None)(**UNEQUAL)
    assert value == pytest.approx((0.8 + 0.9) / 2 - (0.6 + 0.8) / 2)
    by_accuracy = LeakageAmplification(quality="accuracy", equalize=None)(**UNEQUAL)
    assert by_accuracy == pytest.approx((240 + 90) / 400 - 300 / 400)


def test_accuracy_says_nothing_of_predictions_that_differ_by_half() -> None:
    """700 rows of a and 300 of b, truth the same in both, yes to 60 % of a and 10 % of b.

    Group a is the best guess from a yes (420 of 450) and a no (280 of 550): 700 of 1,000 rows.
    """
    group = ["a"] * 700 + ["b"] * 300
    truth = ([1] * 350 + [0] * 350) + ([1] * 150 + [0] * 150)
    made = [1] * 420 + [0] * 280 + [1] * 30 + [0] * 270
    rows: dict[str, Any] = {"y_true": truth, "y_pred": made, "sensitive_features": group}
    assert LeakageAmplification(quality="accuracy", equalize=None)(**rows) == 0
    assert LeakageAmplification(equalize=None)(**rows) == pytest.approx((0.6 + 0.9) / 2 - 0.5)


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=20))
def test_it_is_accuracy_where_groups_are_of_equal_size(rows: list[tuple[int, ...]]) -> None:
    """Each group has the task labels of a column of its own."""
    first, second, made_first, made_second = (list(column) for column in zip(*rows, strict=True))
    arguments: dict[str, Any] = {
        "y_true": first + second,
        "y_pred": made_first + made_second,
        "sensitive_features": [0] * len(rows) + [1] * len(rows),
    }
    for equalize in (None, "expected"):
        options: dict[str, Any] = {"equalize": equalize, "labels": [0, 1, 2]}
        balanced = quietly(LeakageAmplification(**options), **arguments)
        accuracy = quietly(LeakageAmplification(quality="accuracy", **options), **arguments)
        assert balanced == pytest.approx(accuracy, abs=1e-12)


def test_the_title_names_the_quality_that_is_not_the_default() -> None:
    assert LeakageAmplification().title == "LeakageAmplification"
    assert LeakageAmplification(quality="accuracy").title == "LeakageAmplification (accuracy)"
    result = LeakageAmplification(quality="accuracy").result(**UNEQUAL)
    assert result.short_name == "LA(accuracy)"


def test_an_audit_shows_it(kind: Kind) -> None:
    report = audit_counts(kind.count(*UNEQUAL.values(), **kind.apart), n_boot=0)
    row = next(row for row in report.summary["metrics"] if row["name"] == "LA")
    assert row["recipe"]["quality"] == "balanced_accuracy"


def test_groups_without_rows_are_left_out() -> None:
    metric = LeakageAmplification(equalize=None, groups=[0, 1, 2])
    assert metric(**UNEQUAL) == LeakageAmplification(equalize=None)(**UNEQUAL)


def test_weights_are_as_good_as_repetition() -> None:
    weight = np.tile([1, 3], 200)
    rows = {name: np.asarray(column) for name, column in UNEQUAL.items()}
    metric = LeakageAmplification(equalize=None)
    repeated = {name: np.repeat(column, weight) for name, column in rows.items()}
    assert metric(**rows, sample_weight=weight) == pytest.approx(metric(**repeated), abs=1e-12)


def test_sums_of_weights_are_equalised_in_expectation() -> None:
    weight = np.tile([0.5, 2.0], 200)
    sums = JointCounts.from_arrays(*UNEQUAL.values(), sample_weight=weight)
    value = quietly(LeakageAmplification().from_counts, sums).value
    expected = LeakageAmplification(equalize="expected").from_counts(sums).value
    assert value == expected


@pytest.mark.parametrize(("times", "way"), [(1, "sampled"), (5, "expected")])
def test_the_channel_is_used_where_winners_are_clear(times: int, way: str) -> None:
    """40 and 20 of 80 and 40 rows: with one error in ten the shares of 1 are .58 and .34.

    Their difference of .24 has the standard error sqrt(.58 * .42 / 80 + .34 * .66 / 40) = .0930,
    of which three are .279, or with five times the rows .0416, three of which are .125.
    """
    group = np.repeat([0, 1], [80, 40])
    truth = np.repeat([1, 0, 1, 0], [48, 32, 12, 28])
    made = truth.copy()
    made[[0, 1, 2, 3, 4, 5, 48, 49, 80, 81, 92, 93]] ^= 1
    rows = (np.tile(column, times) for column in (truth, made, group))
    counts = JointCounts.from_arrays(*rows)
    measurement = LeakageAmplification().measure(align(counts, None), counts.first_model)
    assert measurement.mode == way  # type: ignore[attr-defined]


def test_dpa_still_draws_flips() -> None:
    """Flips of the target change the sizes of its classes, by which the quality divides."""
    rows = {name: np.tile(column, 50) for name, column in UNEQUAL.items()}
    counts = JointCounts.from_arrays(*rows.values())
    metric = DirectionalPredictabilityAmplification(quality="balanced_accuracy")
    measurement = metric.measure(align(counts, None), counts.first_model)
    assert measurement.mode == "sampled"  # type: ignore[attr-defined]


def test_ties_are_between_shares_of_the_groups() -> None:
    """Of 100 and 25 rows one half has each label; each of two groups counts one half.

    The difference of the shares has the variance .25 / 100 + .25 / 25 = .0125, in both inputs.
    """
    table = np.array([[50, 12.5], [50, 12.5]])
    # The larger of two normal numbers exceeds their mean by 1 / sqrt(2 pi) of the error.
    expected = np.sqrt(0.0125 / (2 * np.pi))
    assert tie_optimism(table, 125, balanced=True) == pytest.approx(expected, rel=1e-3)
    assert not clear_winners(table, 125, balanced=True)
    # By rows, group 0 is the clear winner in both.
    assert tie_optimism(table, 125) == 0
    assert clear_winners(table, 125)


def test_more_groups_that_are_tied_gain_more() -> None:
    """Three groups of 100 rows, half of which have each label; each group counts one third.

    The largest of three normal numbers is on average 3 / (2 sqrt(pi)) standard deviations, which
    are sqrt(.25 / 100) here, in both inputs.
    """
    table = np.full((2, 3), 50.0)
    expected = 2 / 3 * 3 / (2 * np.sqrt(np.pi)) * np.sqrt(0.25 / 100)
    assert tie_optimism(table, 300, balanced=True) == pytest.approx(expected, rel=1e-3)


def test_a_group_without_rows_ties_with_none() -> None:
    table = np.array([[50.0, 0.0], [50.0, 0.0]])
    assert tie_optimism(table, 100, balanced=True) == 0


@pytest.mark.parametrize("evaluation", ["resubstitution", "cv"])
def test_attackers_are_fitted_to_groups_of_equal_weight(evaluation: Any) -> None:
    """A regression that counts rows would guess group 0 from either label of the truth.

    The prediction of 0 is group 1 by the rates of the groups, .2 against .9.
    """
    options: dict[str, Any] = {"equalize": None, "n_trials": 1}
    fitted = LeakageAmplification(
        attacker=LogisticRegression(), evaluation=evaluation, **options
    ).result(**UNEQUAL)
    exact = LeakageAmplification(**options).result(**UNEQUAL)
    for name, level in exact.levels.items():
        assert fitted.levels[name].value == pytest.approx(level.value, abs=1e-12)
    assert not [note for note in fitted.notes if "sample_weight" in note]


def test_columns_of_a_matrix_have_weights_of_their_own() -> None:
    """Group 0 is a column of 300 of 400 rows, and its opposite another."""
    group = np.asarray(UNEQUAL["sensitive_features"])
    both = Indicators(np.stack([group, 1 - group], axis=1))
    metric = LeakageAmplification(
        attacker=DecisionTreeClassifier(max_depth=1, random_state=0),
        evaluation="resubstitution",
        equalize=None,
        n_trials=1,
    )
    value = metric(UNEQUAL["y_true"], UNEQUAL["y_pred"], sensitive_features=both)
    assert value == pytest.approx((0.8 + 0.9) / 2 - (0.6 + 0.8) / 2)


def test_an_attacker_without_weights_is_noted_where_it_matters() -> None:
    metric = LeakageAmplification(attacker=KNeighborsClassifier(), equalize=None, n_trials=1)
    result = quietly(metric.result, **UNEQUAL)
    rule = "the fit of KNeighborsClassifier takes no sample_weight, so large classes are favoured"
    assert any(note.startswith(rule) for note in result.notes)
    equal = {name: column[200:] for name, column in UNEQUAL.items()}
    assert not quietly(metric.result, **equal).notes
