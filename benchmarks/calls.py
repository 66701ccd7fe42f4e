"""What is behind one value: time, and the files, functions and calls of the package's code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import biasamp_adapters as bam
from benchmarks.measure import processor_time
from benchmarks.table import Scale, Table, seconds

_PACKAGE = str(Path(bam.__file__).parent)

#: Calls that are measured together.
_IN_A_ROW = 20

#: Code that Python 3.11 runs in separate frames, and later versions inline.
_INLINED = ("<listcomp>", "<dictcomp>", "<setcomp>")


class Passed(NamedTuple):
    """The part of the package's own code that a call executed.

    Attributes
    ----------
    files, functions : int
        Distinct ones; a lambda or a generator expression is a function.
    calls : int
        Number of times that a function was entered; a generator counts once per requested value.
    depth : int
        Largest number of nested functions.
    """

    files: int
    functions: int
    calls: int
    depth: int


def passed_through(work: Callable[[], Any]) -> Passed:
    """Run the work twice, and count the second time, when all is imported and cached."""
    work()
    functions: set[tuple[str, int, str]] = set()
    n_calls = depth = deepest = 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal n_calls, depth, deepest
        code = frame.f_code
        if not code.co_filename.startswith(_PACKAGE) or code.co_name in _INLINED:
            return
        if event == "call":
            functions.add((code.co_filename, code.co_firstlineno, code.co_qualname))
            n_calls, depth = n_calls + 1, depth + 1
            deepest = max(deepest, depth)
        elif event == "return":
            depth -= 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    files = {file for file, _, _ in functions}
    return Passed(len(files), len(functions), n_calls, deepest)


def calls(table: Table, scale: Scale) -> None:
    """Process time, files, functions, calls and depth of the package's code behind one value."""
    rng = np.random.default_rng(0)
    group, truth, predicted = rng.integers(0, 2, (3, 1000))
    matrix, predicted_matrix = rng.integers(0, 2, (2, 1000, 3))
    given: dict[str, Any] = {"sensitive_features": group}
    directional = bam.DirectionalBiasAmplification()
    predictability = bam.DirectionalPredictabilityAmplification()
    works: dict[str, Callable[[], Any]] = {
        "BA A->T of labels": lambda: directional(truth, predicted, **given),
        "BA A->T of a label matrix": lambda: directional(matrix, predicted_matrix, **given),
        "DPA A->T of labels": lambda: predictability(truth, predicted, **given),
    }
    try:
        from biasamp_adapters.fairlearn import (
            amplification_frame,
            directional_bias_amplification,
        )
    except ImportError as error:
        table.text(f"    skipped: {error}")
    else:
        works["amplification_frame of BA A->T"] = lambda: amplification_frame(
            truth, predicted, metrics=directional, **given
        )
        works["directional_bias_amplification"] = partial(
            directional_bias_amplification, truth, predicted, **given
        )
        _against_fairlearn(table, truth, predicted, group)
    rows = [(name, *map(str, passed_through(work))) for name, work in works.items()]
    width = max(map(len, works))
    rows = [(name.ljust(width), *numbers) for name, *numbers in rows]
    table.small(("what".ljust(width), *Passed._fields), rows)


def _in_a_row(work: Callable[[], Any]) -> None:
    for _ in range(_IN_A_ROW):
        work()


def _against_fairlearn(table: Table, truth: Any, predicted: Any, group: Any) -> None:
    """A value of labels in any form, beside a value by Fairlearn and a result with its pairs."""
    from fairlearn.metrics import demographic_parity_difference

    metric, forms = bam.DirectionalBiasAmplification(), (np.asarray, np.ndarray.tolist, pd.Series)
    arrays, lists, columns = (
        partial(metric, form(truth), form(predicted), sensitive_features=form(group))
        for form in forms
    )
    table.check("lists and Series give the same value", arrays() == lists() == columns())

    def with_pairs() -> Any:
        return metric.result(truth, predicted, sensitive_features=group).by_pair

    host = partial(demographic_parity_difference, truth, predicted, sensitive_features=group)
    # In a row, as a search calls it: after other work a call takes about twice as long.
    works = [partial(_in_a_row, work) for work in (arrays, lists, columns, with_pairs, host)]
    value, *others, theirs = (taken / _IN_A_ROW for taken in processor_time(*works))
    what = f"a BA call on labels, n = {len(truth):,}"
    table.ratio(what, value * 1e3, "<= 0.3", "", "ms")
    for name, taken in zip(("of lists", "of Series", "with its pairs"), others, strict=True):
        table.ratio(f"  the same {name} / arrays", taken / value, "", seconds(taken, value))
    table.ratio("  demographic_parity_difference / BA", theirs / value, "", seconds(theirs, value))
