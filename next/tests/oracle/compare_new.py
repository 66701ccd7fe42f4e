"""Compare this package with the stored values of the package at commit 6d3b716.

``python -m oracle.compare_new``, run in the folder of the tests, compares intervals too. It prints
how many deviations each reason of ``explained`` explains, and those that none explains, which fail.
The same data are read by both; see ``write_old`` for the stored values.

Values are equal if they differ by at most 1e-12, relative to values above 1. NaN equals NaN.

Values of LA and DPA that are means over drawn flips cannot be equal. Both packages choose by
themselves, with ``equalize="auto"``, whether to draw, so a value agrees if it equals the stored
value, or the stored score of flips in expectation, or if it lies within 5 standard errors of the
mean over 1,000 flips that the old package drew with another seed. The errors are those of both
means. With ``equalize="expected"`` and without flips, values have to be equal. Two kinds of drawn
values are not judged: means of levels that are infinite in some of the 1,000 flips, and relative
changes of the uncertainty coefficient where its draws decide whether they are ratios.
"""

from __future__ import annotations

import gzip
import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import biasamp_adapters as bam
from oracle.calls import N_BOOT, new_arrays, new_metric
from oracle.cases import make_cases
from oracle.explained import explanation
from oracle.inputs import chosen_pairs, fingerprint, weighted_sum
from oracle.parts import Case

VALUES = Path(__file__).parent / "values.json.gz"

_TOLERANCE = 1e-12

#: Standard errors by which means over flips may differ, and the flips behind stored means.
_ERRORS, _STORED_TRIALS = 5, 1000

#: The range of ratios of widths of intervals, each of 400 replicates, that is not listed.
_WIDTHS = (2 / 3, 3 / 2)


class Deviation(NamedTuple):
    """A difference between the packages.

    Attributes
    ----------
    case : str
        The id of a case.
    kind : str
        "refused" or "accepted" by this package alone, "crash", "warning", "data" of other numbers,
        "value", "not judged" (drawn), "call" (that differs from its result), "names" (of numbers),
        "flips drawn" or "flips not drawn" (by this package alone), "labels", "order" (of labels),
        "pairs", "sign", "uncertain", "uncertain ties", "interval given", "interval withheld",
        "width".
    name : str
        The number that differs.
    old, new : object
    """

    case: str
    kind: str
    name: str = ""
    old: Any = None
    new: Any = None

    def __str__(self) -> str:
        return f"{self.case}: {self.kind} {self.name}: {self.old} -> {self.new}"


class Comparison(NamedTuple):
    """All deviations, and the ratios of widths of intervals (new / old) by name."""

    deviations: list[Deviation]
    widths: dict[str, list[float]]


def load_values() -> dict[str, Any]:
    """Return the stored records by the ids of cases."""
    with gzip.open(VALUES, "rt") as file:
        return json.load(file)


def deviations(
    cases: Iterable[Case], values: Mapping[str, Any], n_boot: int = 0
) -> list[Deviation]:
    """Return all differences between this package and the stored values.

    Parameters
    ----------
    cases : iterable of cases
    values : mapping of case ids to records
    n_boot : int
        Bootstrap replicates; 0 compares no intervals.
    """
    return compare(cases, values, n_boot).deviations


def compare(cases: Iterable[Case], values: Mapping[str, Any], n_boot: int) -> Comparison:
    """Return the differences and the ratios of widths of intervals."""
    every: list[Deviation] = []
    widths: dict[str, list[float]] = {}
    for case in cases:
        record = values[case["id"]]
        if fingerprint(case) != record["data"]:
            every.append(Deviation(case["id"], "data"))
            continue
        found = run(case, n_boot)
        every += found.deviations
        if found.result is None:
            if "error" not in record and found.error.startswith("ValueError"):
                every.append(Deviation(case["id"], "refused", "", None, found.error))
            continue
        if "error" in record:
            every.append(Deviation(case["id"], "accepted", "", record["error"]))
            if case["twin"] is None:
                continue
            record = values[case["twin"]]
        every += differences(case, record, found)
        if n_boot:
            every += interval_differences(case, record, found.result, widths)
    return Comparison(every, widths)


# Calls of this package.


class Run(NamedTuple):
    """What a call gave: its result or its error, the value of a call for a float, complaints."""

    result: Any
    error: str
    called: float
    deviations: list[Deviation]


def run(case: Case, n_boot: int) -> Run:
    """Call the metric of a case, for a result and for a float."""
    complaints: list[Deviation] = []
    result, error, called = None, "", np.nan
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            metric, arrays = new_metric(case), new_arrays(case)
            result = metric.result(**arrays, n_boot=n_boot, random_state=0)
            arrays.pop("clusters", None)
            called = metric(arrays.pop("y_true", None), arrays.pop("y_pred", None), **arrays)
        except ValueError as refusal:
            error = f"ValueError: {refusal}"
        except Exception as crash:  # Every other error is a defect, which the list has to show.
            error = f"{type(crash).__name__}: {crash}"
            complaints.append(Deviation(case["id"], "crash", "", None, error))
    for warning in caught:
        if not issubclass(warning.category, bam.AmplificationWarning):
            text = f"{warning.category.__name__}: {warning.message}"
            complaints.append(Deviation(case["id"], "warning", "", None, text))
    return Run(None if error else result, error, called, complaints)


# Values.


def is_equal(old: float, new: float) -> bool:
    """Return whether two numbers are equal but for rounding."""
    if np.isnan(old) or np.isnan(new) or np.isinf(old) or np.isinf(new):
        return bool(np.array_equal(old, new, equal_nan=True))
    return bool(abs(new - old) <= _TOLERANCE * max(1.0, abs(old)))


def differences(case: Case, record: Mapping[str, Any], found: Run) -> list[Deviation]:
    """Return the differences of values and tables of pairs."""
    every, name_of_case = [], case["id"]
    numbers = {name: x.value for name, x in found.result.estimates.items()}
    stored = {name: x[0] for name, x in record["estimates"].items()}
    if numbers.keys() != stored.keys():
        every.append(Deviation(name_of_case, "names", "", sorted(stored), sorted(numbers)))
    if not is_equal(numbers["value"], found.called):
        every.append(Deviation(name_of_case, "call", "value", numbers["value"], found.called))
    for name in stored.keys() & numbers.keys():
        old, new = stored[name], numbers[name]
        if not is_equal(old, new):
            kind = "value"
            if may_be_drawn(case):
                kind = kind_of_drawn(case, record, name, new)
            if kind:
                every.append(Deviation(name_of_case, kind, name, old, new))
    return [*every, *differences_of_pairs(case, record, found.result)]


def may_be_drawn(case: Case) -> bool:
    """Return whether the values of a case may be means over drawn flips."""
    equalize = case["settings"].get("equalize")
    return case["metric"] in ("LA", "DPA") and equalize in ("auto", "sampled")


def kind_of_drawn(case: Case, record: Mapping[str, Any], name: str, new: float) -> str:
    """Return the kind of the deviation of a value that may be drawn, or nothing if it agrees."""
    if record.get("open") or not np.isfinite(record["drawn"][name]).all():
        return "not judged"
    if is_within_errors(case, record["drawn"][name], new):
        return "flips drawn" if record["mode"] == "expected" else ""
    is_expected = is_equal(record["expected"][name], new)
    return "flips not drawn" if is_expected and case["settings"]["equalize"] == "auto" else "value"


def is_within_errors(case: Case, drawn: Sequence[float], new: float) -> bool:
    """Return whether a mean over flips agrees with the stored one, [mean, spread of trials]."""
    mean, spread = drawn
    trials = case["settings"].get("n_trials") or 100
    error = spread * np.sqrt(1 / trials + 1 / _STORED_TRIALS)
    return bool(abs(new - mean) <= _ERRORS * error + 1e-8 * max(1.0, abs(mean)))


# Pairs.


def differences_of_pairs(case: Case, record: Mapping[str, Any], result: Any) -> list[Deviation]:
    """Return the differences of the tables of pairs."""
    table = result.by_pair
    every = []
    stored = [(name_of(g), name_of(c)) for g in record["groups"] for c in record["classes"]]
    ours = list(zip(map(name_of, table["group"]), map(name_of, table["class"]), strict=True))
    if ours != stored:
        if sorted(ours) != sorted(stored):
            lists = [[*dict.fromkeys(column)] for column in (table["group"], table["class"])]
            old = [record["groups"], record["classes"]]
            return [Deviation(case["id"], "labels", "", old, lists)]
        every = [Deviation(case["id"], "order", "", stored[:5], ours[:5])]
        place = {pair: i for i, pair in enumerate(ours)}
        table = table.iloc[[place[pair] for pair in stored]].reset_index(drop=True)
    numbers = differences_of_numbers(case, record, table)
    return [*every, *(numbers or differences_of_columns(case, record, table))]


def name_of(label: Any) -> str:
    """Return a label as text: 1, 1.0 and True are one label, and members of a set are sorted."""
    if isinstance(label, int | float):
        return str(float(label))
    return " + ".join(sorted(str(label).split(" + ")))


def differences_of_numbers(case: Case, record: Mapping[str, Any], table: Any) -> list[Deviation]:
    """Return the stored numbers of pairs that differ."""
    every = []
    for name, column in record["pairs"].items():
        rows = chosen_pairs(len(table), len(column))
        new = table[name].iloc[rows].tolist()
        for i, row in enumerate(rows.tolist()):
            if not is_pair_equal(case, record, name, i, new[i]):
                pair = f"{name} of {table['group'][row]}, {table['class'][row]}"
                every.append(Deviation(case["id"], "pairs", pair, column[i], new[i]))
    return every


def differences_of_columns(case: Case, record: Mapping[str, Any], table: Any) -> list[Deviation]:
    """Return the differences of the sums of whole columns, of signs and of their doubts."""
    every = []
    for name, old in record["sums"].items():
        new, allowed = weighted_sum(table[name]), 1e-10 * max(len(table), abs(old[1]))
        if old[0] != new[0] or abs(old[1] - new[1]) > allowed:
            every.append(Deviation(case["id"], "pairs", f"sum of {name}", old, new))
    if "sign" in record and case["metric"] != "Multi":  # Multi has no sign.
        signs = "".join("-0+"[int(x) + 1] for x in table["sign"])
        doubts = "".join(str(int(x)) for x in table["uncertain"])
        if record["sign"] != signs:
            every.append(Deviation(case["id"], "sign", "", record["sign"], signs))
        if record["uncertain"] != doubts:
            differ = zip(record["uncertain"], doubts, signs, strict=True)
            are_ties = all(sign == "0" for old, new, sign in differ if old != new)
            kind = "uncertain ties" if are_ties else "uncertain"
            every.append(Deviation(case["id"], kind, "", record["uncertain"], doubts))
    return every


def is_pair_equal(case: Case, record: Mapping[str, Any], name: str, i: int, new: float) -> bool:
    """Return whether a number of a pair agrees with the stored one, or with its drawn flips."""
    if is_equal(record["pairs"][name][i], new):
        return True
    if name not in record.get("drawn pairs", ()) or not may_be_drawn(case):
        return False
    if is_equal(record["pairs in expectation"][name][i], new):
        return True
    if record.get("open pairs", {i: False})[i]:
        return True
    if not np.isfinite(record["drawn pairs"][name][i]).all():
        return True
    return is_within_errors(case, record["drawn pairs"][name][i], new)


# Intervals.


def interval_differences(
    case: Case, record: Mapping[str, Any], result: Any, widths: dict[str, list[float]]
) -> list[Deviation]:
    """Return the intervals that one package alone gives, and those of another width."""
    every = []
    for name, (_, *old) in record["estimates"].items():
        if name not in result.estimates:
            continue
        new = result.estimates[name]
        if len(old) == 1 and new.interval is not None:
            why = record["estimates"]["value"][-1] if old[0] == "as value" else old[0]
            every.append(Deviation(case["id"], "interval given", name, why, new.interval))
        if len(old) == 2 and new.interval is None:
            every.append(Deviation(case["id"], "interval withheld", name, old, new.reason))
        if len(old) == 2 and new.interval is not None:
            of_old, of_new = old[1] - old[0], new.interval[1] - new.interval[0]
            if max(of_old, of_new) <= 1e-9:
                continue
            ratio = of_new / of_old if of_old else np.inf
            widths.setdefault(name, []).append(ratio)
            if not _WIDTHS[0] <= ratio <= _WIDTHS[1]:
                every.append(Deviation(case["id"], "width", name, old, [*new.interval]))
    return every


# The report of a full run.


def report() -> tuple[str, bool]:
    """Return all deviations as text, with the numbers of cases, and whether all are explained."""
    cases, values = make_cases(), load_values()
    found = compare(cases, values, N_BOOT)
    by_id = {case["id"]: case for case in cases}
    refused = sum("error" in record for record in values.values())
    lines = [f"{len(cases)} cases, of which the old package refuses {refused}"]
    for name, ratios in found.widths.items():
        low, middle, high = np.quantile(ratios, [0.05, 0.5, 0.95])
        numbers = f"{len(ratios)} intervals of both, width new / old {middle:.3f}"
        lines.append(f"{name}: {numbers} (90 % from {low:.3f} to {high:.3f})")
    reasons = {hashable(x): explanation(by_id[x.case], x) for x in found.deviations}
    kinds = Counter((x.kind, reason or "not explained") for x, reason in reasons.items())
    lines += [f"{n} x {kind}: {reason}" for (kind, reason), n in sorted(kinds.items())]
    lines += [str(x) for x, reason in reasons.items() if reason is None]
    return "\n".join(lines), None not in reasons.values()


def hashable(deviation: Deviation) -> Deviation:
    """Return a deviation whose numbers are text."""
    return deviation._replace(old=str(deviation.old), new=str(deviation.new))


if __name__ == "__main__":
    text, is_explained = report()
    print(text)
    sys.exit(0 if is_explained else 1)
