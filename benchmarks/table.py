"""A table that is printed line by line, and the results of its goals and checks."""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

_MEETS = {">=": operator.ge, "<=": operator.le}


class Scale(NamedTuple):
    """The size of the data.

    Attributes
    ----------
    rows : int
        Rows of the arrays that are counted.
    quick : bool
        Whether this is a short run, whose ratios are imprecise.
    """

    rows: int = 10_000_000
    quick: bool = False

    def of(self, n_rows: int) -> int:
        """Rows of other data: ``n_rows``, or a twentieth of them in a short run."""
        return n_rows // 20 if self.quick else n_rows


class Table:
    """Prints ratios, and remembers which were reached and which checks failed.

    Parameters
    ----------
    judged : bool
        Whether ratios are compared with goals.

    Attributes
    ----------
    reached, missed, failed : list of str
        Ratios that meet their goals, ratios that do not, and checks that found a difference.
    """

    def __init__(self, *, judged: bool = True) -> None:
        self._judged = judged
        self.reached: list[str] = []
        self.missed: list[str] = []
        self.failed: list[str] = []

    def ratio(self, what: str, value: float, goal: str, scale: str, unit: str = "x") -> None:
        """One row: a ratio, or a size in ``unit``; its goal such as ">= 4"; the times behind it."""
        verdict = ""
        if goal and self._judged:
            comparison, bound = goal.split()
            met = _MEETS[comparison](value, float(bound))
            (self.reached if met else self.missed).append(
                f"{what.strip()}: {show(value)}, goal {goal}"
            )
            verdict = "reached" if met else "MISSED"
        self.text(f"{what:<66} {show(value):>9} {unit:<2} {goal:>9} {verdict:<8} {scale}")

    def text(self, line: str = "") -> None:
        """Any other line."""
        sys.stdout.write(line.rstrip() + "\n")
        sys.stdout.flush()

    def check(self, what: str, equal: bool, detail: str = "") -> None:
        """Record whether two ways agree; a difference fails the run."""
        self.text(f"    {'checked' if equal else 'DIFFERENT'}: {what} {detail}")
        if not equal:
            self.failed.append(what)

    def close(self, what: str, ours: Any, theirs: Any, within: float = 1e-12) -> None:
        """Check that numbers differ by no more than ``within``."""
        gap = float(np.max(np.abs(np.subtract(ours, theirs))))
        self.check(what, gap <= within, f"(largest difference {gap:.1e})")

    def small(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table of a few columns, for growth."""
        for row in (header, *rows):
            self.text("    " + "".join(f"{cell:>16}" for cell in row))

    def summary(self) -> None:
        """How many goals were reached, and which were not."""
        if self._judged:
            n_goals = len(self.reached) + len(self.missed)
            self.text(f"\n{len(self.reached)} of {n_goals} ratios reached their goals.")
            for line in self.missed:
                self.text(f"  missed: {line}")
        else:
            self.text("\nA short run: goals are not judged.")
        self.text(f"{len(self.failed)} checks failed." if self.failed else "Every check passed.")
        for line in self.failed:
            self.text(f"  failed: {line}")


def show(value: float) -> str:
    """Three digits, or more before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def seconds(*taken: float) -> str:
    """Times side by side, each in a suitable unit."""
    texts = []
    for value in taken:
        factor, unit = next(
            ((f, u) for f, u in ((1, "s"), (1e3, "ms"), (1e6, "µs")) if value * f >= 1), (1e9, "ns")
        )
        texts.append(f"{value * factor:.3g} {unit}")
    return " / ".join(texts)
