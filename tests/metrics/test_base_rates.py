"""Rates set by hand in the place of a truth that is not there ([W21] 5.3)."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from base_rate_cases import (
    ARGUMENTS,
    HALF_OF_JOBS,
    HALF_OF_PRONOUNS,
    JOB,
    LEANING,
    LEANS,
    PRONOUN,
    PRONOUNS,
    VALUES,
    a_to_t,
    t_to_a,
)
from conftest import rows_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from metric_cases import DIRECTIONS, quietly

import biasamp_adapters as bam
from biasamp_adapters import (
    MALS,
    BaseRates,
    DirectionalBiasAmplification,
    MultiAttributeBiasAmplification,
)

#: Equal rates of both kinds, and the directions, which they do not tell.
EVEN = BaseRates(
    task_given_attribute=HALF_OF_JOBS, attribute_given_task=HALF_OF_PRONOUNS, direction=LEANS
)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_probabilities_without_a_truth(direction: str) -> None:
    metric = DirectionalBiasAmplification(direction=direction, reference=EVEN)
    result = metric.result(**ARGUMENTS[direction]())
    assert result.value == pytest.approx(VALUES[direction])
    # Errors are errors against a truth.
    assert result.blind_errors is None
    assert result.excess is None
    expected = [LEANS[pair.attribute][pair.task] for pair in result.by_pair.itertuples()]
    assert result.by_pair["sign"].tolist() == expected


def test_pairs_that_lean_away_come_first() -> None:
    result = DirectionalBiasAmplification(reference=EVEN).result(**a_to_t())
    assert result.by_pair["sign"].tolist()[0] == 1
    assert result.by_sign.index.tolist() == [-1, 1]


def test_pairs_and_what_their_mean_hides() -> None:
    result = DirectionalBiasAmplification(reference=EVEN).result(**a_to_t())
    pairs = result.by_pair.set_index(["attribute", "task"])
    deltas = {("he", "cook"): 0.6 - 0.5, ("he", "nurse"): 0.4 - 0.5}
    deltas |= {("she", "cook"): 0.3 - 0.5, ("she", "nurse"): 0.7 - 0.5}
    assert pairs["delta"].to_dict() == pytest.approx(deltas)
    # Rates set by hand are no sample whose sign could be noise.
    assert not pairs["uncertain"].any()
    assert result.by_sign["pairs"].to_dict() == {-1: 2, 1: 2}
    assert result.by_sign["contribution"].tolist() == pytest.approx([(0.1 + 0.2) / 2] * 2)
    assert result.by_attribute.to_dict() == pytest.approx({"he": 0.1, "she": 0.2})
    assert result.mean_abs_delta == pytest.approx((0.1 + 0.1 + 0.2 + 0.2) / 4)


def test_signs_are_whole_numbers_wherever_they_come_from() -> None:
    kinds = [
        DirectionalBiasAmplification(reference=rates).result(**a_to_t()).by_pair["sign"].dtype.kind
        for rates in (EVEN, BaseRates(task_given_attribute=LEANING))
    ]
    assert kinds == ["i", "i"]


def test_a_truth_that_is_there_is_not_read() -> None:
    metric = DirectionalBiasAmplification(reference=EVEN)
    truth = pd.DataFrame({"cook": [1, 1, 0, 0], "nurse": [0, 0, 1, 1]})
    assert metric(**a_to_t(y_true=truth)) == metric(**a_to_t())


def test_directions_given_win() -> None:
    against = {a: {t: -sign for t, sign in row.items()} for a, row in LEANS.items()}
    options: dict[str, Any] = {
        "task_given_attribute": LEANING,
        "attribute": dict.fromkeys(PRONOUNS, 0.5),
    }
    own, other = (
        DirectionalBiasAmplification(reference=BaseRates(**options, direction=direction))
        for direction in (None, against)
    )
    # Everyone cooks: for "he" by .3 more, along; for "she" by .6 more, against.
    cooks = pd.DataFrame({"cook": [1] * 4, "nurse": [0] * 4})
    assert own(**a_to_t(y_pred=cooks)) == pytest.approx((2 * 0.3 - 2 * 0.6) / 4)
    assert other(**a_to_t(y_pred=cooks)) == pytest.approx((2 * 0.6 - 2 * 0.3) / 4)


@pytest.mark.parametrize(("groups", "sign"), [("abcc", 1), ("aabc", -1)])
def test_observed_shares_set_the_sign_where_none_are_given(groups: str, sign: int) -> None:
    # The rate of b, .5, lies above (.9 + .5 + 2 * .1) / 4 = .4, below (2 * .9 + .5 + .1) / 4 = .6.
    rates = BaseRates(task_given_attribute={"a": {1: 0.9}, "b": {1: 0.5}, "c": {1: 0.1}})
    metric = DirectionalBiasAmplification(reference=rates)
    made = bam.Indicators([[1]] * 4, names=[1])
    result = metric.result(None, made, sensitive_features=list(groups))
    assert result.by_pair["sign"].tolist() == [1, sign, -1]


def test_shares_given_come_before_the_observed() -> None:
    shares = {"a": 0.25, "b": 0.25, "c": 0.5}
    table = {"a": {1: 0.9}, "b": {1: 0.5}, "c": {1: 0.1}}
    metric = DirectionalBiasAmplification(
        reference=BaseRates(task_given_attribute=table, attribute=shares)
    )
    result = metric.result(None, bam.Indicators([[1]] * 4, names=[1]), sensitive_features=[*"aabc"])
    assert result.by_pair["sign"].tolist() == [1, 1, -1]


def test_equal_rates_are_a_tie_where_rows_have_no_group() -> None:
    # Half of the rows show nobody. Both groups cook alike: nothing correlates with anything.
    group = bam.Indicators([[1, 0], [0, 1], [0, 0], [0, 0]], names=PRONOUNS)
    metric = DirectionalBiasAmplification(reference=BaseRates(task_given_attribute=HALF_OF_JOBS))
    result = metric.result(**a_to_t(sensitive_features=group))
    assert result.by_pair["sign"].tolist() == [0, 0, 0, 0]


tables = arrays(np.int64, (3, 3), elements=st.integers(1, 6))


@given(tables, st.randoms(use_true_random=False), st.booleans())
def test_the_rates_of_the_truth_are_the_truth(table: Any, random: Any, with_shares: bool) -> None:
    rows = rows_of(table, "A", "T")
    data = {"y_true": rows["T"], "sensitive_features": rows["A"]}
    for name in ("y_pred", "sensitive_features_pred"):
        data[name] = random.choices(range(3), k=len(rows))
    rates = BaseRates(
        task_given_attribute=pd.DataFrame(table / table.sum(axis=1, keepdims=True)),
        attribute_given_task=pd.DataFrame((table / table.sum(axis=0)).T),
        attribute=pd.Series(table.sum(axis=1) / table.sum()) if with_shares else None,
    )
    for direction in DIRECTIONS:
        by_truth, by_rates = (
            DirectionalBiasAmplification(direction=direction, reference=reference).result(**data)
            for reference in (None, rates)
        )
        assert by_rates.value == pytest.approx(by_truth.value, abs=1e-12)
        assert by_rates.by_pair["sign"].tolist() == by_truth.by_pair["sign"].tolist()
        deltas = by_truth.by_pair["delta"].tolist()
        assert by_rates.by_pair["delta"].tolist() == pytest.approx(deltas, abs=1e-12)
    references = [(rows["T"], rows["A"]), rates]
    of_rows, of_rates = (quietly(MALS(reference=each), **data) for each in references)
    assert of_rates == pytest.approx(of_rows, abs=1e-12, nan_ok=True)


def test_mals_takes_its_rates_and_its_favoured_groups() -> None:
    # Cooks lean to "he" by 3/4, nurses to "she" by .6, and judges to nobody. The three predicted
    # cooks are all "he", the one predicted nurse is "she".
    of_jobs = {"cook": {"he": 0.75, "she": 0.25}, "nurse": {"he": 0.4, "she": 0.6}}
    of_jobs["judge"] = {"he": 0.5, "she": 0.5}
    metric = MALS(reference=BaseRates(attribute_given_task=of_jobs))
    said, who = ["cook"] * 3 + ["nurse", "judge"], ["he"] * 3 + ["she", "he"]
    expected = ((1 - 0.75) + (1 - 0.6) + 0) / 3
    result = metric.result(None, said, sensitive_features=who)
    assert result.value == pytest.approx(expected)
    assert result.by_pair["sign"].tolist() == [1, 0, 0, 0, 1, 0]
    by_prediction = metric(None, said, sensitive_features=None, sensitive_features_pred=who)
    assert by_prediction == pytest.approx(expected)


MOVES = {
    "A->T": [0.5 - 0.7, 0.5 - 0.3, 0.5 - 0.4, 0.5 - 0.6],
    "T->A": [0.5 - 0.7, 0.5 - 0.3, 0.5 - 0.2, 0.5 - 0.8],
    # Of the favoured groups alone, averaged over tasks.
    "undirected": [0.5 - 0.7, 0.5 - 0.8],
}


@pytest.mark.parametrize(("direction", "moves"), MOVES.items(), ids=MOVES.keys())
def test_multi_has_no_sign_and_needs_no_directions(direction: str, moves: list[float]) -> None:
    rates = BaseRates(
        task_given_attribute=LEANING,
        attribute_given_task={"cook": {"he": 0.7, "she": 0.3}, "nurse": {"he": 0.2, "she": 0.8}},
    )
    metric = MultiAttributeBiasAmplification(direction=direction, reference=rates)
    # Of every job half are "he", and of every pronoun half cook.
    rows: dict[str, Any] = {"y_true": JOB, "y_pred": None, "sensitive_features": None}
    halves = ["he", "he", "she", "she"]
    if direction == "T->A":
        rows |= {"sensitive_features_pred": halves}
    else:
        rows |= {"y_true": None, "y_pred": JOB, "sensitive_features": halves}
    assert metric(**rows) == pytest.approx(np.abs(moves).mean())


def test_multi_refuses_probabilities() -> None:
    metric = MultiAttributeBiasAmplification(reference=EVEN)
    with pytest.raises(ValueError, match="0/1 predictions only; y_pred holds probabilities"):
        metric(**a_to_t())


def test_probabilities_of_a_positive_class() -> None:
    # .7 and .3 for rates of .6 and .4 of class 1, and so of class 0.
    rates = BaseRates(task_given_attribute={"x": {0: 0.4, 1: 0.6}, "y": {0: 0.6, 1: 0.4}})
    metric = DirectionalBiasAmplification(reference=rates)
    value = metric(None, [0.8, 0.6, 0.1, 0.5], sensitive_features=["x", "x", "y", "y"])
    assert value == pytest.approx(0.1)


@pytest.mark.parametrize("signs", ["reference", "reestimated"])
def test_replicates_keep_the_rates(signs: Any) -> None:
    # Whatever rows are drawn, "he" cooks and "she" nurses; a truth, which is not read, would vary.
    said = ["cook" if pronoun == "he" else "nurse" for pronoun in PRONOUN * 10]
    truth = ["cook", "cook", "nurse", "nurse"] * 10
    metric = DirectionalBiasAmplification(reference=BaseRates(task_given_attribute=LEANING))
    result = metric.result(
        truth, said, sensitive_features=PRONOUN * 10, n_boot=100, signs=signs, random_state=0
    )
    assert result.value == pytest.approx(((1 - 0.7) + (0.3 - 0) + (0.4 - 0) + (1 - 0.6)) / 4)
    assert result.interval == pytest.approx((result.value, result.value))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_intervals_without_a_truth(direction: str) -> None:
    metric = DirectionalBiasAmplification(direction=direction, reference=EVEN)
    rows = {
        name: values if values is None else many(values)
        for name, values in ARGUMENTS[direction]().items()
    }
    result = metric.result(**rows, n_boot=200, random_state=0)
    assert result.value == pytest.approx(VALUES[direction])
    assert result.interval is not None
    assert result.interval[0] < result.value < result.interval[1]


def many(values: Any) -> Any:
    """The same rows ten times."""
    if isinstance(values, bam.Indicators):
        return bam.Indicators(values.values * 10, names=values.names)
    return pd.concat([values] * 10) if isinstance(values, pd.DataFrame) else values * 10


@pytest.mark.parametrize("again", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_metrics_are_copied_with_their_rates(again: Callable[[Any], Any]) -> None:
    metric = DirectionalBiasAmplification(direction="T->A", reference=EVEN)
    assert again(metric)(**t_to_a()) == metric(**t_to_a())
    assert repr(again(EVEN)) == repr(EVEN)
    assert "attribute_given_task" in repr(EVEN)
    assert "2 groups and 2 tasks" in repr(EVEN)
