"""Simulate the intervals of Multi and of its variance, also where nothing changes.

``python -m benchmarks.coverage_magnitudes`` draws samples of labels and of label matrices from
populations whose changes are known, and writes ``magnitudes.csv`` for the documentation: how
often the intervals hold the true value, how often they lie above 0, and how often those that do
hold the true value. It takes about fifteen minutes on one core; ``--quick`` takes one.

The rules were found on the designs called "tuning"; the table shows the others.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import biasamp_adapters as bam

Array = NDArray[Any]

#: How predictions move rates: the size of the change, and the share of the groups that it moves.
BEHAVIOURS = {
    "rates kept": (0.0, 1.0),
    "small changes": (0.3, 1.0),
    "clear changes": (1.0, 1.0),
    "few groups change": (2.0, 0.3),
}

#: Rows of a population of label matrices where rates change.
_IMAGES = 40_000

#: Groups, classes, the size of a group relative to the one before, rows that keep their label.
_TUNING = [(2, 2, 0.8, 0.8), (2, 6, 0.8, 0.8), (4, 3, 0.8, 0.8), (12, 2, 0.8, 0.8)]
_HELD_OUT = [
    (2, 2, 0.5, 0.9),
    (2, 3, 0.7, 0.6),
    (3, 6, 0.6, 0.9),
    (6, 2, 0.7, 0.7),
    (8, 4, 0.9, 0.9),
    (12, 6, 0.85, 0.7),
]
_MATRICES = [(2, 10, 0.6, 0.9), (3, 6, 0.7, 0.7)]


@dataclass(frozen=True)
class Case:
    """A way to draw samples, and the metric that is asked about them.

    Attributes
    ----------
    data : str
        What the rows hold.
    metric : Multi
    draw : callable
        Takes the rows of a sample and a generator, and returns counts.
    truth : callable
        Takes a result, and returns the true value and variance; NaN for a variance unknown.
    """

    data: str
    metric: Any
    draw: Callable[[int, np.random.Generator], Any]
    truth: Callable[[Any], tuple[float, float]]


def _changed(rates: Array, change: float, moved: float, rng: np.random.Generator) -> Array:
    tilt = change * rng.normal(0, 1, rates.shape)
    tilt[int(np.ceil(moved * len(rates))) :] = 0
    out = rates * np.exp(tilt)
    return np.asarray(out / out.sum(axis=1, keepdims=True))


def label_cases(shape: tuple[int, int, float, float], behaviour: str) -> Iterator[Case]:
    """Labels: a part of the rows gets a new label, from the rates of the group or changed ones."""
    groups, classes, ratio, kept = shape
    rng = np.random.default_rng([groups, classes, 11])
    share = ratio ** np.arange(groups)
    base = rng.dirichlet(np.full(classes, 2.0)) * 0.8 + 0.2 / classes
    rates = _changed(np.tile(base, (groups, 1)), 0.6, 1.0, rng)
    new = _changed(rates, *BEHAVIOURS[behaviour], rng)
    given = kept * np.eye(classes) + (1 - kept) * new[:, None, :]
    joint = (share / share.sum())[:, None, None] * rates[:, :, None] * given
    deltas = (1 - kept) * (new - rates)
    cells = np.indices(joint.shape).reshape(3, -1)

    def drawn(n: int, rng: np.random.Generator) -> tuple[Array, ...]:
        times = rng.multinomial(n, joint.ravel())
        return (*cells[:, times > 0], times[times > 0].astype(float))

    def forwards(n: int, rng: np.random.Generator) -> Any:
        a, t, predicted, times = drawn(n, rng)
        counts = bam.JointCounts.from_arrays(t, predicted, a, sample_weight=times)
        return counts.as_frequencies()

    def backwards(n: int, rng: np.random.Generator) -> Any:
        t, a, predicted, times = drawn(n, rng)
        counts = bam.JointCounts.from_arrays(t, t, a, predicted, sample_weight=times)
        return counts.as_frequencies()

    def known(result: Any) -> tuple[float, float]:
        return float(np.abs(deltas).mean()), float(deltas.var())

    before, after = joint.sum(axis=2), joint.sum(axis=1)
    shifts = np.abs(after / after.sum(axis=0) - before / before.sum(axis=0))
    if behaviour == "rates kept":
        shifts = np.zeros_like(shifts)

    def favoured(result: Any) -> tuple[float, float]:
        sign = result.by_pair["sign"].to_numpy().reshape(shifts.shape)
        return float((sign * shifts).sum(axis=0).mean()), np.nan

    lists = {"labels": [*range(classes)], "groups": [*range(groups)]}
    swapped = {"labels": lists["groups"], "groups": lists["labels"]}
    multi = bam.MultiAttributeBiasAmplification
    yield Case("labels A->T", multi(**lists), forwards, known)
    yield Case("labels T->A", multi(direction="T->A", **swapped), backwards, known)
    yield Case("labels undirected", multi(direction="undirected", **lists), forwards, favoured)


def _images(n: int, shape: Any, change: float, moved: float, rng: np.random.Generator) -> Any:
    """Rows of label matrices; a part of them gets all labels of a new row of the same group."""
    groups, tasks, ratio, kept = shape
    fixed = np.random.default_rng([groups, tasks, 12])
    share = ratio ** np.arange(groups)
    lean = fixed.normal(0, 0.4, (groups, tasks))
    tilt = change * fixed.normal(0, 1, (groups, tasks))
    tilt[int(np.ceil(moved * groups)) :] = 0
    loading, often = fixed.normal(0, 0.6, tasks), np.linspace(0.3, -1.2, tasks)
    group = rng.choice(groups, size=n, p=share / share.sum())

    def labels(shift: Array) -> Array:
        common = rng.normal(size=(n, 1)) * loading
        return (common + rng.normal(size=(n, tasks)) + often + shift[group] > 0).astype(np.int8)

    truth = labels(lean)
    made = np.where(rng.random((n, 1)) < kept, truth, labels(lean + tilt))
    return truth, made, group


def matrix_cases(shape: tuple[int, int, float, float], behaviour: str) -> Iterator[Case]:
    """Label matrices, and their sets of up to two labels."""
    change, moved = BEHAVIOURS[behaviour]
    people = _images(_IMAGES, shape, change, moved, np.random.default_rng(13))

    def draw(n: int, rng: np.random.Generator) -> Any:
        if change == 0:
            rows = _images(n, shape, change, moved, rng)
        else:
            chosen = rng.integers(_IMAGES, size=n)
            rows = tuple(part[chosen] for part in people)
        return bam.CooccurrenceCounts.from_arrays(*rows, keep_rows=True)

    whole = bam.CooccurrenceCounts.from_arrays(*people, keep_rows=True)
    for name, options in (
        ("matrix A->T", {"max_size": 1}),
        ("label sets A->T", {"max_size": 2, "combinations": "subsets", "min_support": 5}),
    ):
        metric = bam.MultiAttributeBiasAmplification(**{"combinations": "subsets", **options})
        known = metric.from_counts(whole).by_pair.set_index(["attribute", "task"])["delta"]

        def truth(result: Any, known: Any = known) -> tuple[float, float]:
            if change == 0:
                return 0.0, 0.0
            # Of the sets that the sample shows.
            pairs = result.by_pair.set_index(["attribute", "task"]).index
            deltas = known.reindex(pairs).to_numpy()
            return float(np.nanmean(np.abs(deltas))), float(np.nanvar(deltas))

        yield Case(name, metric, draw, truth)


@dataclass
class Tally:
    """What was seen of the intervals of one number in one design."""

    n: int = 0
    given: int = 0
    holds: int = 0
    above: int = 0
    holds_above: int = 0

    def add(self, interval: tuple[float, float] | None, true: float) -> None:
        """One sample more."""
        self.n += 1
        if interval is not None:
            low, high = interval
            hold = low - 1e-12 <= true <= high + 1e-12
            self.given += 1
            self.holds += hold
            self.above += low > 0
            self.holds_above += hold and low > 0


def simulate(case: Case, n_rows: int, samples: int, n_boot: int) -> dict[str, Tally]:
    """Both numbers of a case over independent samples."""
    tallies = {"Multi": Tally(), "variance": Tally()}
    rng = np.random.default_rng([n_rows, samples, *case.data.encode()])
    for seed in range(samples):
        result = case.metric.from_counts(case.draw(n_rows, rng), n_boot=n_boot, random_state=seed)
        value, variance = case.truth(result)
        tallies["Multi"].add(result.interval, value)
        if not np.isnan(variance):
            tallies["variance"].add(result.spread.interval, variance)
    return tallies


def cases(tuning: bool) -> Iterator[tuple[str, Case, float]]:
    """Behaviours, cases, and how many samples they get, relative to those of labels A->T."""
    for behaviour in BEHAVIOURS:
        for shape in _TUNING if tuning else _HELD_OUT:
            for case in label_cases(shape, behaviour):
                yield behaviour, case, 1.0 if case.data == "labels A->T" else 0.4
        for shape in () if tuning else _MATRICES:
            for case in matrix_cases(shape, behaviour):
                yield behaviour, case, 0.4


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few samples, no file")
    parser.add_argument("--tuning", action="store_true", help="the designs of the tuning, no file")
    parser.add_argument("--samples", type=int, default=150, help="samples of a design")
    parser.add_argument("--n-boot", type=int, default=300, help="replicates of an interval")
    parser.add_argument("--out", type=Path, default=Path("docs/_static/coverage/magnitudes.csv"))
    options = parser.parse_args()
    warnings.simplefilter("ignore", bam.AmplificationWarning)
    found: dict[tuple[str, str, int, str], list[Tally]] = {}
    for behaviour, case, share in cases(options.tuning):
        for n_rows in (200, 1_000, 5_000, 20_000):
            samples = 5 if options.quick else round(options.samples * share)
            if n_rows == 20_000 and not case.data.startswith("labels"):
                continue
            for number, tally in simulate(case, n_rows, samples, options.n_boot).items():
                if tally.n:
                    key = case.data, behaviour, n_rows, number
                    found.setdefault(key, []).append(tally)
                    sys.stdout.write(f"{case.metric} {key} {tally}\n")
        sys.stdout.flush()
    if not (options.quick or options.tuning):
        write_table(found, options.out)


def write_table(found: dict[tuple[str, str, int, str], list[Tally]], path: Path) -> None:
    """Shares over designs, in percent, and the lowest of a design."""

    def percent(part: int, whole: int) -> str:
        return f"{100 * part / whole:.1f}" if whole else ""

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        head = ["data", "predictions", "rows", "number", "designs", "samples", "given", "hold"]
        writer.writerow([*head, "hold, worst design", "above 0", "of these hold"])
        for key, tallies in sorted(found.items()):
            n, given, holds, above, right = (
                sum(getattr(tally, name) for tally in tallies)
                for name in ("n", "given", "holds", "above", "holds_above")
            )
            worst = min(tally.holds / tally.given for tally in tallies if tally.given)
            shares = (percent(given, n), percent(holds, given), f"{100 * worst:.1f}")
            above_0 = percent(above, given), percent(right, above)
            writer.writerow([*key, len(tallies), n, *shares, *above_0])


if __name__ == "__main__":
    main()
