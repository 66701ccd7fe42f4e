"""Uniform base rates of two and three pronouns, as in [W21] Table 2 and A.3."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from base_rate_cases import (
    ARGUMENTS,
    HE,
    JOBS,
    LEANS,
    PRONOUN,
    PRONOUNS,
    VALUES,
    a_to_t,
    near_one_half,
    t_to_a,
    turned,
)
from metric_cases import DIRECTIONS

from biasamp_adapters import BaseRates, DirectionalBiasAmplification

THREE = [*PRONOUNS, "they"]

#: How likely "they" is in each sentence, and to cook.
THEY = [0.0, 0.25, 0.1, 0.4]
EPSILON = 1e-7


def uniform(pronouns: list[str], they: int = 0) -> BaseRates:
    """Uniform rates; "they" has one direction in every task."""
    directions = {**LEANS, "they": dict.fromkeys(JOBS, they)}
    return BaseRates(
        task_given_attribute={pronoun: dict.fromkeys(JOBS, 1 / 2) for pronoun in pronouns},
        attribute_given_task={job: dict.fromkeys(pronouns, 1 / len(pronouns)) for job in JOBS},
        direction={pronoun: directions[pronoun] for pronoun in pronouns},
    )


def with_they(direction: str) -> dict[str, Any]:
    """The same output for "he" and "she", and some for "they"."""
    if direction == "T->A":
        chances = [[p, 1 - p, third] for p, third in zip(HE, THEY, strict=True)]
        return t_to_a(chances, THREE)
    third = pd.DataFrame({"nurse": [1 - p for p in THEY], "cook": THEY})
    both = pd.concat([a_to_t()["y_pred"], third])
    return a_to_t(y_pred=both, sensitive_features=[*PRONOUN, *["they"] * 4])


def value(direction: str, rates: BaseRates, rows: dict[str, Any]) -> float:
    return DirectionalBiasAmplification(direction=direction, reference=rates)(**rows)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_epsilon_in_the_place_of_directions(direction: str) -> None:
    """[W21] A.3: rates of .5 + 1e-7 and .5 - 1e-7 have a sign, and next to no size."""
    near = near_one_half(EPSILON)
    rates = BaseRates(
        task_given_attribute=near,
        attribute_given_task=turned(near),
        attribute=dict.fromkeys(PRONOUNS, 0.5),
    )
    found = value(direction, rates, ARGUMENTS[direction]())
    assert found == pytest.approx(VALUES[direction], abs=1e-6)
    # Each of the four contributions is smaller by the epsilon.
    assert found == pytest.approx(VALUES[direction] - EPSILON, abs=1e-12)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_third_pronoun_without_a_direction_leaves_two_thirds(direction: str) -> None:
    """Why Table 2 has .1368 and .0084 for two pronouns, and .0914 and .0056 for three.

    "they" has the same rate in every task, so it correlates with none: its pairs count 0, and the
    same 2 |T| contributions are averaged over 3 |T| pairs. (.1368 * 2/3 is .0912: there the model's
    probabilities are scaled to sum to 1 over the pronouns, so those of "he" and "she" change too.)
    """
    found = value(direction, uniform(THREE), with_they(direction))
    assert found == pytest.approx(VALUES[direction] * (2 * len(JOBS)) / (3 * len(JOBS)))
    assert value(direction, uniform(PRONOUNS), ARGUMENTS[direction]()) == pytest.approx(
        VALUES[direction]
    )


def test_a_tie_is_found_where_rates_sum_to_1_over_tasks() -> None:
    rates = BaseRates(
        task_given_attribute={**near_one_half(EPSILON), "they": dict.fromkeys(JOBS, 0.5)},
        attribute=dict.fromkeys(THREE, 1 / 3),
    )
    found = value("A->T", rates, with_they("A->T"))
    assert found == pytest.approx((VALUES["A->T"] - EPSILON) * 2 / 3, abs=1e-12)


def by_the_letter() -> dict[str, dict[str, float]]:
    """Rates of A.3 given the job: "they" is below one third in every task."""
    third = 1 / 3
    return {
        job: {pronoun: third + EPSILON * sign for pronoun, sign in of_job.items()}
        for job, of_job in turned({**LEANS, "they": dict.fromkeys(JOBS, -1)}).items()
    }


def test_a_tie_is_found_with_the_shares_that_the_rates_imply() -> None:
    # With as many sentences of each job, P(they) is the mean of its rates, and so each of them.
    table = by_the_letter()
    shares = {pronoun: (table["cook"][pronoun] + table["nurse"][pronoun]) / 2 for pronoun in THREE}
    rates = BaseRates(attribute_given_task=table, attribute=shares)
    found = value("T->A", rates, with_they("T->A"))
    assert found == pytest.approx((VALUES["T->A"] - EPSILON) * 2 / 3, abs=1e-12)


@pytest.mark.parametrize("by_epsilon", [False, True])
def test_a_third_pronoun_that_leans_from_every_task_is_no_tie(by_epsilon: bool) -> None:
    """With shares of one third, A.3 read to the letter gives "they" a direction in T->A.

    Its terms do not cancel: of "they" are cooks by (0 + .1) / 2 and nurses by (.25 + .4) / 2.
    """
    they = (1 / 3 - (0.0 + 0.1) / 2) + (1 / 3 - (0.25 + 0.4) / 2)
    shares = dict.fromkeys(THREE, 1 / 3)
    rates = uniform(THREE, -1)
    if by_epsilon:
        rates = BaseRates(attribute_given_task=by_the_letter(), attribute=shares)
    found = value("T->A", rates, with_they("T->A"))
    assert found == pytest.approx((4 * VALUES["T->A"] + they) / 6, abs=1e-6)


def test_a_third_pronoun_that_leans_from_every_task_cancels_in_the_other_direction() -> None:
    """A->T: its rates sum to 1 over tasks, in the output as in the rates, so its terms cancel."""
    found = value("A->T", uniform(THREE, -1), with_they("A->T"))
    assert found == pytest.approx(VALUES["A->T"] * 2 / 3)


@pytest.mark.parametrize("share", [1 / 3, 0.3333333])
def test_shares_of_three_are_thirds_however_many_digits_they_have(share: float) -> None:
    # Equal rates correlate with nothing; a sum of .9999999 is taken for 1.
    rates = BaseRates(
        task_given_attribute={pronoun: dict.fromkeys(JOBS, 0.5) for pronoun in THREE},
        attribute=dict.fromkeys(THREE, share),
    )
    metric = DirectionalBiasAmplification(reference=rates)
    assert metric.result(**with_they("A->T")).by_pair["sign"].tolist() == [0] * 6
