"""Base rates that are wrong, or do not fit the data: errors that say what and where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from base_rate_cases import (
    ARGUMENTS,
    COOK,
    HALF_OF_JOBS,
    HALF_OF_PRONOUNS,
    JOB,
    JOBS,
    LEANS,
    PRONOUN,
    PRONOUNS,
    a_to_t,
    t_to_a,
)

import biasamp_adapters as bam
from biasamp_adapters import MALS, BaseRates, DirectionalBiasAmplification

SHARES = dict.fromkeys(PRONOUNS, 0.5)
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "needs task_given_attribute or attribute_given_task; received neither"),
    "no rates": ({"attribute": SHARES, "direction": LEANS}, "received neither"),
    "rate above 1": (
        {"task_given_attribute": {"he": {"cook": 1.5}}},
        r"rates in task_given_attribute must lie in \[0, 1\]; received 1.5",
    ),
    "rate below 0": (
        {"attribute_given_task": {"cook": {"he": 0.5, "she": -0.1}}},
        r"rates in attribute_given_task must lie in \[0, 1\]; received -0.1",
    ),
    "pair left out": (
        {"task_given_attribute": {"he": {"cook": 0.5, "nurse": 0.5}, "she": {"cook": 0.5}}},
        "task_given_attribute must hold a number for every pair; received a missing value",
    ),
    "words": (
        {"task_given_attribute": {"he": {"cook": "half"}}},
        "task_given_attribute must hold numbers",
    ),
    "array": (
        {"task_given_attribute": [[0.5, 0.5], [0.5, 0.5]]},
        "task_given_attribute must be a DataFrame or a mapping of mappings; received list",
    ),
    "flat mapping": ({"task_given_attribute": {"he": 0.5}}, "must map to mappings; received"),
    "empty": ({"task_given_attribute": {}}, "must name every group and task once"),
    "group twice": (
        {"task_given_attribute": pd.DataFrame([[0.5], [0.4]], index=["he", "he"])},
        "task_given_attribute must name every group and task once",
    ),
    "other groups": (
        {"task_given_attribute": HALF_OF_JOBS, "attribute_given_task": {"cook": {"man": 1}}},
        "must cover the same groups and tasks; attribute_given_task has 'man', another 'he', 'she'",
    ),
    "other tasks": (
        {
            "task_given_attribute": HALF_OF_JOBS,
            "direction": {"he": {"cook": 1}, "she": {"cook": 1}},
        },
        "must cover the same groups and tasks; direction has 'cook', another 'cook', 'nurse'",
    ),
    "tables the wrong way round": (
        {"task_given_attribute": HALF_OF_JOBS, "attribute_given_task": HALF_OF_JOBS},
        "must cover the same groups and tasks",
    ),
    "half a direction": (
        {
            "task_given_attribute": HALF_OF_JOBS,
            "direction": {pronoun: dict.fromkeys(JOBS, 0.5) for pronoun in PRONOUNS},
        },
        "direction must hold -1, 0 and 1; received 0.5",
    ),
    "shares above 1": (
        {"task_given_attribute": HALF_OF_JOBS, "attribute": {"he": 0.5, "she": 0.6}},
        r"shares in attribute must not be negative and sum to 1; received \[0.5, 0.6\]",
    ),
    "negative share": (
        {"task_given_attribute": HALF_OF_JOBS, "attribute": {"he": 1.5, "she": -0.5}},
        "shares in attribute must not be negative",
    ),
    "share of NaN": (
        {"task_given_attribute": HALF_OF_JOBS, "attribute": {"he": 1.0, "she": np.nan}},
        "shares in attribute must not be negative and sum to 1",
    ),
    "share left out": (
        {"task_given_attribute": HALF_OF_JOBS, "attribute": {"he": 1.0}},
        "attribute must give a share for each of 'he', 'she'; received 'he'",
    ),
    "list of shares": (
        {"task_given_attribute": HALF_OF_JOBS, "attribute": [0.5, 0.5]},
        "attribute must ",
    ),
    "share of words": (
        {"task_given_attribute": HALF_OF_JOBS, "attribute": {"he": "half", "she": 0.5}},
        "attribute must ",
    ),
    "share of text": (
        {"task_given_attribute": HALF_OF_JOBS, "attribute": {"he": "0.5", "she": "0.5"}},
        "attribute must hold numbers; received values such as '0.5'",
    ),
    "infinite rate": (
        {"task_given_attribute": {"he": {"cook": np.inf}, "she": {"cook": 0.5}}},
        r"rates in task_given_attribute must lie in \[0, 1\]; received inf",
    ),
    "rates of text": (
        {"task_given_attribute": {"he": {"cook": "0.5"}, "she": {"cook": "0.5"}}},
        "task_given_attribute must hold numbers; received values such as '0.5'",
    ),
    "no share": (
        {"task_given_attribute": HALF_OF_JOBS, "attribute": {"he": None, "she": 1.0}},
        "attribute must ",
    ),
    "share given twice": (
        {
            "task_given_attribute": HALF_OF_JOBS,
            "attribute": pd.Series([0.2, 0.3, 0.5], index=["he", "he", "she"]),
        },
        "attribute must ",
    ),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_rates_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BaseRates(**options)


NINE_TENTHS = {"a": {0: 0.5, 1: 0.4}, "b": {0: 0.2, 1: 0.8}}
NINE_TENTHS_OF_GROUPS = {0: {"a": 0.5, "b": 0.5}, 1: {"a": 0.2, "b": 0.7}}


def test_rates_of_one_label_a_row_sum_to_1() -> None:
    rates = BaseRates(task_given_attribute=NINE_TENTHS)
    message = (
        r"rates in task_given_attribute must sum to 1 for each attribute.*received 0\.9 for 'a'"
    )
    metric = DirectionalBiasAmplification(reference=rates)
    with pytest.raises(ValueError, match=message):
        metric(None, [0, 1, 1, 0], sensitive_features=list("aabb"))
    # Tasks that are columns need not sum to 1: a row may have both, or none.
    columns = np.array([[1, 0], [1, 1], [0, 1], [0, 0]])
    value = metric(None, columns, sensitive_features=list("aabb"))
    # Of a: (1 - .5), (.5 - .4); of b: (0 - .2), (.5 - .8); .35 and .6 in the mean of the rates.
    assert value == pytest.approx((0.5 - 0.1 + 0.2 - 0.3) / 4)


def test_rates_of_one_group_a_row_sum_to_1() -> None:
    rates = BaseRates(attribute_given_task=NINE_TENTHS_OF_GROUPS, attribute={"a": 0.4, "b": 0.6})
    metric = DirectionalBiasAmplification(direction="T->A", reference=rates)
    message = r"rates in attribute_given_task must sum to 1 for each task.*received 0\.9 for 1"
    with pytest.raises(ValueError, match=message):
        metric([0, 1, 1, 0], None, sensitive_features=None, sensitive_features_pred=list("aabb"))


JOBS_ONLY = BaseRates(task_given_attribute=HALF_OF_JOBS, direction=LEANS)
PRONOUNS_ONLY = BaseRates(attribute_given_task=HALF_OF_PRONOUNS, direction=LEANS)


@pytest.mark.parametrize(
    ("metric", "missing"),
    [
        (MALS(reference=JOBS_ONLY), "attribute_given_task"),
        (DirectionalBiasAmplification(reference=PRONOUNS_ONLY), "task_given_attribute"),
    ],
)
def test_rates_that_a_metric_lacks_are_named(metric: Any, missing: str) -> None:
    with pytest.raises(ValueError, match=f"BaseRates must hold {missing} for this metric"):
        metric(None, JOB, sensitive_features=PRONOUN)


UNCOVERED: dict[str, tuple[dict[str, Any], str]] = {
    "predicted job": ({"y_pred": ["cook", "pilot"] * 2}, "y_pred holds 'pilot', known are 'cook'"),
    "column": ({"y_pred": pd.DataFrame({"cook": COOK, "pilot": COOK})}, "'pilot'"),
    "column left out": (
        {"y_pred": pd.DataFrame({"cook": COOK})},
        "the columns 'cook'; received 'cook', 'nurse'",
    ),
    "group": ({"sensitive_features": ["he", "they"] * 2}, "sensitive_features holds 'they'"),
    "true job": ({"y_true": ["pilot"] * 4, "y_pred": JOB}, "y_true holds 'pilot'"),
}


@pytest.mark.parametrize(("changed", "message"), UNCOVERED.values(), ids=UNCOVERED.keys())
def test_labels_without_rates_are_named(changed: dict[str, Any], message: str) -> None:
    metric = DirectionalBiasAmplification(reference=JOBS_ONLY)
    with pytest.raises(ValueError, match=f"BaseRates must cover .*{message}"):
        metric(**a_to_t(**changed))


def test_predicted_groups_without_rates_are_named() -> None:
    metric = DirectionalBiasAmplification(direction="T->A", reference=PRONOUNS_ONLY)
    they = bam.Indicators([[0.5, 0.5]] * 4, names=["he", "they"])
    with pytest.raises(ValueError, match=r"BaseRates must cover .*sensitive_features_pred.*'they'"):
        metric(**t_to_a(sensitive_features_pred=they))


MISSING: dict[str, tuple[str, dict[str, Any], str]] = {
    "A->T without groups": ("A->T", {"sensitive_features": None}, "sensitive_features must be"),
    "A->T without predictions": ("A->T", {"y_pred": None}, "y_pred must be given"),
    "T->A without tasks": ("T->A", {"y_true": None}, "y_true must be given"),
    "T->A without predictions": (
        "T->A",
        {"sensitive_features_pred": None},
        "sensitive_features_pred must be given",
    ),
}


@pytest.mark.parametrize(("direction", "changed", "message"), MISSING.values(), ids=MISSING.keys())
def test_what_rates_do_not_replace(direction: str, changed: dict[str, Any], message: str) -> None:
    rates = BaseRates(
        task_given_attribute=HALF_OF_JOBS, attribute_given_task=HALF_OF_PRONOUNS, direction=LEANS
    )
    metric = DirectionalBiasAmplification(direction=direction, reference=rates)
    with pytest.raises(ValueError, match=message):
        metric(**ARGUMENTS[direction](**changed))
