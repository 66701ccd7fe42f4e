"""MostAccurateWithin: which candidate it picks from results written by hand."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from biasamp_adapters.sklearn import MostAccurateWithin


def results(
    accuracy: list[float], *folds: list[float], name: str = "amplification"
) -> dict[str, Any]:
    """cv_results_ with the amplification of each candidate, fold by fold; scores are negative."""
    out: dict[str, Any] = {"mean_test_accuracy": np.array(accuracy)}
    for number, fold in enumerate(folds):
        out[f"split{number}_test_{name}"] = -np.array(fold)
    return out


def test_the_most_accurate_of_all_where_the_bound_does_not_bind() -> None:
    found = results([0.7, 0.9, 0.8], [0.1, 0.3, 0.2], [0.1, 0.3, 0.2])
    assert MostAccurateWithin(bound=0.3)(found) == 1


def test_the_most_accurate_of_those_that_keep_the_bound() -> None:
    # Equal folds have no uncertainty.
    found = results([0.7, 0.9, 0.8], [0.1, 0.3, 0.2], [0.1, 0.3, 0.2])
    assert MostAccurateWithin(bound=0.29)(found) == 2
    assert MostAccurateWithin(bound=0.2)(found) == 2
    assert MostAccurateWithin(bound=0.19)(found) == 0
    assert isinstance(MostAccurateWithin(bound=0.19)(found), int)


def test_a_bound_may_be_a_fraction() -> None:
    found = results([0.7, 0.9], [0.1, 0.3])
    rule = MostAccurateWithin(bound=Fraction(1, 5))
    assert rule(found) == 0
    assert "is at most 0.2." in rule.explain(found)
    with pytest.raises(ValueError, match=r"no candidate keeps the bound of 0\.05"):
        MostAccurateWithin(bound=Fraction(1, 20))(found)


def test_the_first_of_equally_accurate_ones() -> None:
    found = results([0.7, 0.9, 0.9, 0.9], [0.1, 0.3, 0.1, 0.0], [0.1, 0.3, 0.1, 0.0])
    assert MostAccurateWithin(bound=1)(found) == 1
    assert MostAccurateWithin(bound=0.2)(found) == 2


def test_the_mean_decides_unless_told_otherwise() -> None:
    # Means .2 and .1; the interval of the first reaches from .2 - .635 to .2 + .635.
    found = results([0.9, 0.8], [0.15, 0.1], [0.25, 0.1])
    assert MostAccurateWithin(bound=0.201)(found) == 0
    assert MostAccurateWithin(bound=0.199)(found) == 1
    assert MostAccurateWithin(bound=0.199) == MostAccurateWithin(bound=0.199, judged="mean")


def test_the_lower_end_of_a_t_interval_decides_if_asked_for() -> None:
    # Mean .2, standard deviation .1 / sqrt(2), standard error .05; t(.975, 1) is 12.706.
    found = results([0.9, 0.8], [0.15, 0], [0.25, 0])
    low = 0.2 - 12.706 * 0.05
    assert MostAccurateWithin(bound=low + 1e-4, judged="low")(found) == 0
    # A bound below 0: only the second candidate, which is at 0, or none.
    with pytest.raises(ValueError, match="no candidate keeps the bound"):
        MostAccurateWithin(bound=low - 1e-4, judged="low")(found)


def test_three_folds_by_hand() -> None:
    # Means .1 and standard errors .01 and .03 of three folds; t(.975, 2) is 4.3027.
    steady, shaky = 0.01 * np.sqrt(3), 0.03 * np.sqrt(3)
    found = results(
        [0.9, 0.8, 0.1],
        [0.1 - steady, 0.1 - shaky, 0],
        [0.1, 0.1, 0],
        [0.1 + steady, 0.1 + shaky, 0],
    )
    # .1 - .043 = .057 and .1 - .129 < 0.
    assert MostAccurateWithin(bound=0.058, judged="low")(found) == 0
    assert MostAccurateWithin(bound=0.056, judged="low")(found) == 1
    # t(.75, 2) is .8165: .1 - .0082 = .0918 and .1 - .0245 = .0755.
    assert MostAccurateWithin(bound=0.093, confidence=0.5, judged="low")(found) == 0
    assert MostAccurateWithin(bound=0.091, confidence=0.5, judged="low")(found) == 1
    assert MostAccurateWithin(bound=0.074, confidence=0.5, judged="low")(found) == 2


@given(
    st.integers(1, 5).flatmap(
        lambda folds: st.lists(
            st.tuples(
                st.sampled_from([0.6, 0.7, 0.8]),
                st.lists(st.integers(-20, 60), min_size=folds, max_size=folds),
            ),
            min_size=1,
            max_size=6,
        )
    ),
    st.integers(-10, 40),
    st.sampled_from([0.5, 0.8, 0.95]),
)
def test_the_rule_in_its_own_words(
    drawn: list[tuple[float, list[int]]], percent: int, confidence: float
) -> None:
    # No end of an interval is at a number like that, so rounding decides nothing.
    bound = (percent + 0.123456) / 100
    accuracy = [of for of, _ in drawn]
    folds = np.array([values for _, values in drawn]) / 100
    low = folds.mean(axis=1)
    if folds.shape[1] > 1:
        error = folds.std(axis=1, ddof=1) / np.sqrt(folds.shape[1])
        low = low - t.ppf((1 + confidence) / 2, folds.shape[1] - 1) * error
    within = [i for i in range(len(drawn)) if low[i] <= bound]
    rule = MostAccurateWithin(bound=bound, confidence=confidence, judged="low")
    found = results(accuracy, *folds.T.tolist())
    if not within:
        with pytest.raises(ValueError, match="no candidate keeps the bound"):
            rule(found)
    else:
        assert rule(found) == max(within, key=lambda i: (accuracy[i], -i))


def test_one_fold_has_no_interval() -> None:
    found = results([0.9, 0.8], [0.2, 0.1])
    assert MostAccurateWithin(bound=0.2)(found) == 0
    assert MostAccurateWithin(bound=0.15)(found) == 1


def test_a_model_that_reduces_bias_keeps_any_positive_bound() -> None:
    # As objective="signed" has it: minus the value is a score above 0.
    found = results([0.9, 0.8], [-0.3, 0.2], [-0.3, 0.2])
    assert MostAccurateWithin(bound=0)(found) == 0
    assert MostAccurateWithin(bound=-0.3)(found) == 0


def test_other_keys_and_further_results_are_left_alone() -> None:
    found = results([0.9, 0.8], [0.5, 0.1], [0.5, 0.1], name="bias")
    found |= {"mean_test_f1": [0.1, 0.2], "mean_test_bias": [np.nan, np.nan], "rank": ["a", "b"]}
    found |= {"split0_train_bias": [np.nan, 0], "split0_test_f1": [np.nan, 0]}
    assert MostAccurateWithin(bound=1, amplification="bias")(found) == 0
    assert MostAccurateWithin(bound=1, amplification="bias", accuracy="f1")(found) == 1
    assert MostAccurateWithin(bound=0.2, amplification="bias")(found) == 1


@pytest.mark.parametrize(
    "key", ["mean_test_accuracy", "split0_test_amplification", "split1_test_amplification"]
)
def test_a_nan_anywhere_is_refused(key: str) -> None:
    found = results([0.9, 0.8, 0.7], [0.1, 0.1, 0.1], [0.1, 0.1, 0.1])
    found[key][2] = np.nan  # not even among the best
    message = rf"scores must not be NaN; received 1 of 3 in {key} \(error_score='raise' shows why"
    with pytest.raises(ValueError, match=message):
        MostAccurateWithin(bound=1)(found)


@pytest.mark.parametrize(
    ("missing", "name"),
    [("mean_test_accuracy", "accuracy"), ("split0_test_amplification", "amplification")],
)
def test_a_score_that_is_not_there_is_refused(missing: str, name: str) -> None:
    found = results([0.9, 0.8], [0.1, 0.1])
    del found[missing]
    found["mean_test_amp"] = found["mean_test_f1"] = found.get("mean_test_accuracy", [0.5, 0.5])
    message = (
        rf"scoring must have the key '{name}'; received \[.*'amp', 'f1'.*\] \(to name another key, "
        rf"MostAccurateWithin\({name}='\.\.\.'\)\)$"
    )
    with pytest.raises(ValueError, match=message):
        MostAccurateWithin(bound=1)(found)


def test_none_that_keeps_the_bound() -> None:
    found = results([0.9, 0.8], [0.4, 0.3], [0.4, 0.3])
    message = (
        r"no candidate keeps the bound of 0\.1: amplification, judged by its mean, is at least "
        r"0\.3$"
    )
    with pytest.raises(ValueError, match=message):
        MostAccurateWithin(bound=0.1)(found)


@pytest.mark.parametrize("bound", [np.nan, np.inf, -np.inf])
def test_what_is_no_bound(bound: float) -> None:
    with pytest.raises(ValueError, match=f"bound must be a finite number; received {bound}"):
        MostAccurateWithin(bound=bound)


@pytest.mark.parametrize("confidence", [0, 1, 95, np.nan])
def test_what_is_no_confidence(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence must lie strictly between 0 and 1; received"):
        MostAccurateWithin(bound=0.1, confidence=confidence)


def test_a_rule_is_a_value() -> None:
    rule = MostAccurateWithin(bound=0.1, accuracy="f1", confidence=0.9)
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert rule != MostAccurateWithin(bound=0.1, accuracy="f1")
    with pytest.raises(AttributeError):
        rule.bound = 1  # type: ignore[misc]


@pytest.mark.parametrize(("judged", "chosen"), [("low", 0), ("mean", 1), ("high", 2)])
def test_what_is_judged(judged: Any, chosen: int) -> None:
    """Means of .06, .04 and .02; of two folds, an end is 12.706 standard errors away."""
    errors = [0.001, 0.001, 0.001]
    means = [0.06, 0.04, 0.02]
    results = {
        "mean_test_accuracy": [0.8, 0.7, 0.6],
        "split0_test_amplification": [-m - e for m, e in zip(means, errors, strict=True)],
        "split1_test_amplification": [-m + e for m, e in zip(means, errors, strict=True)],
    }
    # The half-width is 12.706 * .001: .0127. Ends: .047 and .073, .027 and .053, .007 and .033.
    assert MostAccurateWithin(bound=0.05, judged=judged)(results) == chosen
    assert MostAccurateWithin(bound=0.072, judged=judged)(results) == (judged == "high")


def test_an_end_that_there_is_not() -> None:
    with pytest.raises(ValueError, match=r"judged must be one of .*; received 'median'"):
        MostAccurateWithin(bound=0.1, judged="median")  # type: ignore[arg-type]


def test_an_account_of_the_pick() -> None:
    """Of two folds, an end is 12.706 standard errors away: .01 * 12.706 = .1271."""
    found = results([0.9, 0.8, 0.7], [0.29, 0.09, 0.05], [0.31, 0.11, 0.05])
    found["params"] = [{"depth": 8}, {"depth": 4}, {"depth": 2}]
    assert MostAccurateWithin(bound=0.2).explain(found).splitlines() == [
        "2 of 3 candidates keep the bound: amplification, judged by its mean, is at most 0.2.",
        "Picked, as the most accurate of them:",
        "  candidate 1 {'depth': 4}",
        "  accuracy 0.8000, amplification +0.1000 [-0.0271, +0.2271]",
        "The most accurate of all, which is left out:",
        "  candidate 0 {'depth': 8}",
        "  accuracy 0.9000, amplification +0.3000 [+0.1729, +0.4271]",
        "In brackets: 95% interval for the mean of 2 folds.",
    ]
    every = MostAccurateWithin(bound=0.2, judged="low").explain(found)
    assert every.splitlines()[:3] == [
        "3 of 3 candidates keep the bound: amplification, judged by its lower end, is at most 0.2.",
        "Picked, as the most accurate of them:",
        "  candidate 0 {'depth': 8}",
    ]
    assert "left out" not in every


def test_an_account_of_one_fold_and_other_keys() -> None:
    found = results([0.9, 0.8], [0.3, 0.1], name="bias")
    text = MostAccurateWithin(bound=0.2, amplification="bias").explain(found)
    assert "\n  candidate 1\n  accuracy 0.8000, bias +0.1000\n" in text
    assert "interval" not in text


def test_there_is_no_account_where_none_keeps_the_bound() -> None:
    with pytest.raises(ValueError, match="no candidate keeps the bound"):
        MostAccurateWithin(bound=0.1).explain(results([0.9], [0.4]))


@pytest.mark.parametrize(("judged", "bound"), [("mean", 0.2), ("high", 0.2), ("low", 0.2)])
def test_both_sides(judged: Any, bound: float) -> None:
    """Equal folds have no uncertainty: amplification of .1, -.3 and -.2."""
    found = results([0.7, 0.9, 0.8], [0.1, -0.3, -0.2], [0.1, -0.3, -0.2])
    assert MostAccurateWithin(bound=bound, judged=judged)(found) == 1
    rule = MostAccurateWithin(bound=bound + 1e-9, judged=judged, two_sided=True)
    assert rule(found) == 2
    assert rule.explain(found).startswith(
        "2 of 3 candidates keep the bound: the size of amplification, judged by its "
    )
    with pytest.raises(
        ValueError, match=r"the size of amplification, judged by its mean, is at least 0.1$"
    ):
        MostAccurateWithin(bound=0.05, two_sided=True)(found)


def test_the_size_is_that_of_the_mean_and_not_the_mean_of_sizes() -> None:
    found = results([0.9], [0.1], [-0.1])
    assert MostAccurateWithin(bound=0.0, two_sided=True)(found) == 0
