"""The package gives the values of the package at commit 6d3b716, whose cases are in ``oracle``.

``python -m oracle.compare_new``, run in the folder of the tests, compares all cases, and intervals
too; it takes some two minutes.
"""

from __future__ import annotations

import copy

import pytest
from oracle.calls import N_BOOT
from oracle.cases import FAMILIES, make_cases
from oracle.compare_new import deviations, load_values
from oracle.explained import explanation
from oracle.parts import Case

#: Every second case is compared here, so that the tests take some 15 seconds; intervals of fewer.
_STEP, _STEP_OF_INTERVALS = 2, 16

#: Deviations that the message of a failing test shows.
_SHOWN = 8


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {case["id"]: case for case in make_cases()}


@pytest.fixture(scope="module")
def values() -> dict[str, dict]:
    return load_values()


@pytest.mark.parametrize("family", FAMILIES)
def test_metrics_of_a_family_of_cases_give_stored_values(family, cases, values):
    of_family = [case for case in cases.values() if case["family"] == family]
    differences = deviations(of_family[::_STEP], values)
    unexplained = [x for x in differences if explanation(cases[x.case], x) is None]
    shown = "\n".join(str(x)[:200] for x in unexplained[:_SHOWN])
    assert not unexplained, f"{len(unexplained)} deviations, such as\n{shown}"


def test_intervals_of_some_cases_of_every_family_are_the_stored_ones(cases, values):
    some = list(cases.values())[::_STEP_OF_INTERVALS]
    differences = deviations(some, values, N_BOOT)
    assert not [str(x) for x in differences if explanation(cases[x.case], x) is None]


def test_deviations_of_a_changed_value_names_case_and_number(cases, values):
    case = cases["labels-001"]
    record = copy.deepcopy(values[case["id"]])
    record["estimates"]["value"][0] += 1e-11
    (difference,) = deviations([case], {case["id"]: record})
    assert (difference.case, difference.kind, difference.name) == ("labels-001", "value", "value")


def test_deviations_of_other_data_are_no_differences_of_values(cases, values):
    case = copy.deepcopy(cases["labels-001"])
    case["settings"]["pos_label"] = None
    assert [x.kind for x in deviations([case], values)] == ["data"]
