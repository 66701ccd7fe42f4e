"""The forms that base rates take, and what they must agree on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from base_rate_cases import (
    ARGUMENTS,
    HALF_OF_JOBS,
    HALF_OF_PRONOUNS,
    JOBS,
    LEANING,
    LEANS,
    PRONOUNS,
    VALUES,
    Table,
    a_to_t,
    near_one_half,
    t_to_a,
    turned,
)
from metric_cases import DIRECTIONS

from biasamp_adapters import BaseRates, DirectionalBiasAmplification

FORMS: dict[str, Callable[[Table], Any]] = {
    "mappings": lambda table: table,
    "mapping of Series": lambda table: {key: pd.Series(row) for key, row in table.items()},
    "DataFrame": lambda table: pd.DataFrame(table).T,
    "DataFrame in another order": lambda table: pd.DataFrame(table).T.iloc[::-1, ::-1],
    "DataFrame of objects": lambda table: pd.DataFrame(table).T.astype(object),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_forms_of_tables(direction: str, form: Callable[[Table], Any]) -> None:
    rates = BaseRates(
        task_given_attribute=HALF_OF_JOBS,
        attribute_given_task=form(HALF_OF_PRONOUNS),
        direction=form(LEANS),
    )
    metric = DirectionalBiasAmplification(direction=direction, reference=rates)
    assert metric(**ARGUMENTS[direction]()) == pytest.approx(VALUES[direction])


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forms_of_rates(form: Callable[[Table], Any]) -> None:
    metric = DirectionalBiasAmplification(
        reference=BaseRates(task_given_attribute=form(LEANING), direction=LEANS)
    )
    # .6 for .7, and .3 for .4: "he" moves against, "she" along.
    assert metric(**a_to_t()) == pytest.approx((-0.1 - 0.1 + 0.1 + 0.1) / 4)
    pairs = metric.result(**a_to_t()).by_pair.set_index(["attribute", "task"])
    assert pairs.loc[("he", "nurse"), "delta"] == pytest.approx(0.4 - 0.3)


@pytest.mark.parametrize("form", [dict, pd.Series, lambda shares: pd.Series(shares).iloc[::-1]])
def test_forms_of_shares(form: Callable[[dict[str, float]], Any]) -> None:
    # Of cooks 1/2 are "he", of all 3/4: "he" leans away from them.
    table = {"cook": {"he": 0.5, "she": 0.5}, "nurse": {"he": 0.75, "she": 0.25}}
    rates = BaseRates(attribute_given_task=table, attribute=form({"he": 0.75, "she": 0.25}))
    result = DirectionalBiasAmplification(direction="T->A", reference=rates).result(**t_to_a())
    assert result.by_pair["sign"].tolist() == [-1, 0, 1, 0]


def test_crossed_groups() -> None:
    people = [("he", "old"), ("he", "young"), ("she", "old"), ("she", "young")]
    jobs = {group: {"cook": p, "nurse": 1 - p} for group, p in zip(people, COOKS, strict=True)}
    shares = dict.fromkeys(people, 1 / 4)
    rates = BaseRates(
        task_given_attribute=jobs,
        # By Bayes, with cooks of half of all.
        attribute_given_task={
            job: {group: jobs[group][job] / 4 / 0.5 for group in people} for job in JOBS
        },
        attribute=shares,
    )
    frame = pd.DataFrame(people, columns=["pronoun", "age"])
    result = DirectionalBiasAmplification(reference=rates).result(
        None, ["cook", "cook", "nurse", "nurse"], sensitive_features=frame
    )
    assert result.value == pytest.approx((2 * (1 - 0.8) + 2 * (1 - 0.6) + 4 * 0.3) / 8)
    assert result.by_attribute.index.tolist() == [" × ".join(group) for group in people]


#: How often each of four crossed groups cooks: half of all do.
COOKS = [0.8, 0.6, 0.3, 0.3]


@pytest.mark.parametrize("labels", [[1, 0], [False, True], [2.5, 1], ["b", 1]])
def test_labels_of_any_kind(labels: list[Any]) -> None:
    yes, no = labels
    rates = BaseRates(task_given_attribute={"x": {yes: 0.6, no: 0.4}, "y": {yes: 0.4, no: 0.6}})
    metric = DirectionalBiasAmplification(reference=rates)
    value = metric(None, [yes, yes, yes, no], sensitive_features=[*"xxyy"])
    # Of x both for .6, of y one of two for .4.
    assert value == pytest.approx((2 * (1 - 0.6) + 2 * (0.4 - 0.5)) / 4)


def test_true_and_1_are_one_label_in_all_tables() -> None:
    rates = BaseRates(
        task_given_attribute={"x": {True: 0.6, False: 0.4}, "y": {True: 0.4, False: 0.6}},
        direction={"x": {0: -1, 1: 1}, "y": {0: 1, 1: -1}},
    )
    metric = DirectionalBiasAmplification(reference=rates)
    result = metric.result(None, [True, True, True, False], sensitive_features=[*"xxyy"])
    # Of x both for .6, of y one of two for .4, along and against the signs that are given.
    assert result.value == pytest.approx((2 * (1 - 0.6) + 2 * (0.4 - 0.5)) / 4)
    signs = result.by_pair.set_index(["attribute", "task"])["sign"]
    assert [signs["x", True], signs["y", True]] == [1, -1]


#: "he" cooks more, by the job of each pronoun; less, by the pronoun of each job.
CONTRADICTING: dict[str, Any] = {
    "task_given_attribute": LEANING,
    "attribute_given_task": turned(near_one_half(-0.1)),
}


def test_contradictions_name_a_pair() -> None:
    with pytest.raises(
        ValueError,
        match=r"must imply the same directions; they contradict each other for 4 pair\(s\), the "
        "first 'he' and 'cook'",
    ):
        BaseRates(**CONTRADICTING, attribute=dict.fromkeys(PRONOUNS, 0.5))


def test_one_contradiction_among_ties() -> None:
    one = {"cook": {"he": 0.5, "she": 0.5}, "nurse": {"he": 0.6, "she": 0.5}}
    with pytest.raises(ValueError, match=r"for 1 pair\(s\), the first 'he' and 'nurse'"):
        BaseRates(
            task_given_attribute=LEANING,
            attribute_given_task=one,
            attribute=dict.fromkeys(PRONOUNS, 0.5),
        )


@pytest.mark.parametrize(("one", "other"), [(0.1, 0.0), (0.0, 0.1), (0.0, 0.0), (0.1, 0.3)])
def test_a_tie_contradicts_nothing(one: float, other: float) -> None:
    rates = BaseRates(
        task_given_attribute=near_one_half(one),
        attribute_given_task=turned(near_one_half(other)),
        attribute=dict.fromkeys(PRONOUNS, 0.5),
    )
    signs = [
        DirectionalBiasAmplification(direction=direction, reference=rates)
        .result(**ARGUMENTS[direction]())
        .by_pair["sign"]
        .tolist()
        for direction in DIRECTIONS
    ]
    # Each direction reads the rates that it compares with.
    assert signs == [[1, -1, -1, 1] if size else [0] * 4 for size in (one, other)]


def test_directions_settle_a_contradiction() -> None:
    rates = BaseRates(**CONTRADICTING, attribute=dict.fromkeys(PRONOUNS, 0.5), direction=LEANS)
    result = DirectionalBiasAmplification(reference=rates).result(**a_to_t())
    assert result.by_pair["sign"].tolist() == [1, -1, -1, 1]


def test_no_way_to_a_direction_says_what_would_be() -> None:
    rates = BaseRates(attribute_given_task=HALF_OF_PRONOUNS)
    metric = DirectionalBiasAmplification(direction="T->A", reference=rates)
    with pytest.raises(
        ValueError,
        match=r"T->A needs the directions .* attribute= \(the shares of the groups\) or direction=",
    ):
        metric(**t_to_a())
