"""Simulate the intervals of dependent rows: do they contain the true value if clusters are drawn?

``python -m benchmarks.coverage_clusters`` draws persons with several rows each from populations
whose values are known, prints how often 95 % intervals contain them, with ``clusters=`` and
without, and writes the table of the documentation. It takes about ten minutes; ``--quick``
takes one.
"""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm

import biasamp_adapters as bam
from benchmarks.coverage_tables import arrows, share
from benchmarks.simulation import parser_of, samples_of, write_results
from biasamp_adapters.auditing.findings import evaluate
from biasamp_adapters.inference.estimates import IntervalOptions
from biasamp_adapters.inference.replicates import BlockDraws
from biasamp_adapters.reference import align

Array = NDArray[Any]
Rows = dict[str, Array]

#: Rows of each person; with unequal clusters the mean, of 1 to 49 rows.
_EACH = 10

#: Persons in a sample.
PERSONS = (200, 60, 30, 15, 8)

#: Rows of the population of a matrix, and people of one of labels.
_IMAGES, _PEOPLE = 2_000_000, 10**9

#: Standard deviations of what a person adds to each decision: to the truth, to the prediction and
#: to the predicted group.
_TRUTH, _GUESS, _NAMED = 0.8, 0.6, 0.6

#: For each task of the matrix: how often it is there, and how much more in group 1.
_OFTEN = np.array([0.2, -0.1, -0.4, -0.6, -0.8, -1.0, -1.2, 0.0])
_LEAN = np.array([0.6, -0.5, 0.4, 0.7, -0.6, 0.5, -0.7, 0.45])

_COLUMNS = ["data", "clusters", "drawn", "number", "samples", "given", "coverage", "error", "width"]


class Seen(NamedTuple):
    """One number in one sample: its value, what its interval is for, and the interval."""

    value: float
    target: float
    interval: tuple[float, float] | None


def labels(persons: Array, rng: np.random.Generator, *, alone: bool = False) -> Rows:
    """Rows of one task, whose person is ``persons``; each row is a person if they are ``alone``."""
    group, person = _person(persons, rng, alone=alone)
    task = _yes(-0.5 + 0.7 * group + _TRUTH * person(1)[:, 0], rng)
    made = _yes(-1 + 1.8 * task + 0.4 * group + _GUESS * person(1)[:, 0], rng)
    return _arrays(group, task, made, _named(group, task, person, rng))


def matrix(persons: Array, rng: np.random.Generator, *, alone: bool = False) -> Rows:
    """The same with several tasks, on which a person has effects that go together."""
    group, person = _person(persons, rng, alone=alone)
    shared, own = person(1), person(len(_OFTEN))
    task = _yes(_OFTEN + _LEAN * group[:, None] + _TRUTH * (0.6 * shared + 0.8 * own), rng)
    side = _LEAN * (group[:, None] - 0.4)
    made = _yes(-1.1 + 2 * task + 0.6 * side + _GUESS * person(len(_OFTEN)), rng)
    return _arrays(group, task, made, _named(group, task[:, 0], person, rng))


def _person(persons: Array, rng: np.random.Generator, *, alone: bool) -> tuple[Array, Any]:
    """The group of each row, and a function that draws effects of its person."""
    n = len(persons) if alone else int(persons.max()) + 1
    number = np.arange(n) if alone else persons
    group = (rng.random(n) < 0.4).astype(int)[number]
    return group, lambda width: rng.normal(size=(n, width))[number]


def _yes(probit: Array, rng: np.random.Generator) -> Array:
    return (rng.random(probit.shape) < norm.cdf(probit)).astype(np.int8)


def _named(group: Array, task: Array, person: Any, rng: np.random.Generator) -> Array:
    return _yes(-1.1 + 2.1 * group + 0.4 * task + _NAMED * person(1)[:, 0], rng)


def _arrays(group: Array, task: Array, made: Array, named: Array) -> Rows:
    return {
        "y_true": task,
        "y_pred": made,
        "sensitive_features": group,
        "sensitive_features_pred": named,
    }


def _population_of_labels() -> Any:
    """The table of labels: given the group and the truth, effects of a person are independent."""
    cells = np.array([*product((0, 1), repeat=4)])
    group, task, made, named = cells.T

    def chance(value: Array, probit: Array, spread: float) -> Array:
        yes = norm.cdf(probit / np.sqrt(1 + spread**2))
        return np.where(value == 1, yes, 1 - yes)

    people = np.where(group == 1, 0.4, 0.6) * chance(task, -0.5 + 0.7 * group, _TRUTH)
    people = people * chance(made, -1 + 1.8 * task + 0.4 * group, _GUESS)
    people = people * chance(named, -1.1 + 2.1 * group + 0.4 * task, _NAMED)
    weight = np.rint(_PEOPLE * people)
    rows = _arrays(group, task, made, named)
    return bam.JointCounts.from_arrays(**rows, sample_weight=weight).as_frequencies()


def _population_of_matrix() -> Any:
    """Rows of as many persons, whose values are near enough to the true ones."""
    rows = matrix(np.zeros(_IMAGES), np.random.default_rng(1), alone=True)
    return bam.CooccurrenceCounts.from_arrays(**rows)


#: How rows are made, whether clusters are of equal size, and the population.
_DATA = {
    "labels": (labels, True, _population_of_labels),
    "labels, unequal clusters": (labels, False, _population_of_labels),
    "8 labels": (matrix, True, _population_of_matrix),
}


@cache
def population(data: str) -> Any:
    """The counts of the population, as they are aligned."""
    return align(_DATA[data][2](), None)


def metrics(data: str) -> dict[str, Any]:
    """The metrics that are looked at."""
    directional = bam.DirectionalBiasAmplification
    found = {"BA A->T": directional(), "BA T->A": directional(direction="T->A"), "MALS": bam.MALS()}
    return found | {"DPA A->T": bam.DirectionalPredictabilityAmplification()}


def sample(data: str, n_persons: int, rng: np.random.Generator) -> Rows:
    """The rows of some persons, and the person of each."""
    rows, equal, _ = _DATA[data]
    sizes = np.full(n_persons, _EACH)
    if not equal:
        sizes = np.minimum(rng.geometric(1 / _EACH, n_persons), 49)
    persons = np.repeat(np.arange(n_persons), sizes)
    return rows(persons, rng) | {"clusters": persons}


def observe(data: str, n_persons: int, seed: int, n_boot: int) -> list[tuple[str, str, Seen]]:
    """One sample, with and without its clusters."""
    rng = np.random.default_rng([seed, n_persons, *data.encode()])
    rows, out = sample(data, n_persons, rng), []
    kind = bam.JointCounts if rows["y_true"].ndim == 1 else bam.CooccurrenceCounts
    options = {} if kind is bam.JointCounts else {"keep_rows": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        for drawn in ("clusters", "rows"):
            arrays = {name: x for name, x in rows.items() if name != "clusters" or drawn == name}
            counts = kind.from_arrays(**arrays, **options)
            out += [(drawn, *seen) for seen in _observed(data, counts, n_boot, seed)]
    return out


def _observed(data: str, counts: Any, n_boot: int, seed: int) -> Iterator[tuple[str, Seen]]:
    truth, chosen = population(data), metrics(data)
    evaluation = align(counts, None, truth.counts.labels, truth.counts.groups)
    model = counts.first_model
    found = evaluate(
        evaluation,
        IntervalOptions(n_boot, 0.95, random_state=seed),
        {model: list(chosen.values())},
        None,
    )
    tables = truth.counts.tables()
    for name, metric in chosen.items():
        result = found.results[model, metric.__name__]
        if name.startswith("DPA"):
            expected = bam.DirectionalPredictabilityAmplification(equalize="expected")
            target = expected.measure(truth, model).value
        else:
            # The value of the population with the signs of the sample.
            scores = result.measurement.scores(tables, tables, BlockDraws())
            target = float(scores["value"])
        yield name, Seen(result.value, target, result.interval)
    for measure in ("selection_rate", "true_positive_rate"):
        # Several tasks have no rates by group, and the differences of the first are as good.
        rates = next(rate for rate in found.rates[model][measure] if rate.groups or not rate.column)
        estimate = rates.groups[-1] if rates.groups else rates.gap
        target = _rate(tables, measure, by_group=bool(rates.groups))
        yield measure.replace("_", " "), Seen(estimate.value, target, estimate.interval)


def _rate(tables: Any, measure: str, *, by_group: bool) -> float:
    """The rate of group 1 in the positive class, or its difference from group 0 in task 0."""
    column = -1 if by_group else 0
    truth, predicted = tables.joint("attribute", "task"), tables.joint("attribute", "prediction")
    hits = tables.agreement("task", by_group=True)
    rows = tables.marginal("attribute")[:, None]
    rates = predicted / rows if measure == "selection_rate" else hits / truth
    rate = rates[:, column]
    return float(rate[1] if by_group else abs(rate[1] - rate[0]))


def simulate(data: str, n_persons: int, samples: int, n_boot: int, jobs: int) -> Iterator[Any]:
    """One line for each number, over independent samples."""
    population(data)
    every: dict[tuple[str, str], list[Seen]] = {}
    for one in samples_of(observe, data, n_persons, samples=samples, n_boot=n_boot, jobs=jobs):
        for drawn, name, seen in one:
            every.setdefault((drawn, name), []).append(seen)
    for (drawn, name), seen_all in every.items():
        head = {"data": data, "clusters": n_persons, "drawn": drawn, "number": name}
        yield head | summary(seen_all)


def summary(seen: list[Seen]) -> dict[str, Any]:
    """How many samples have an interval, and how many of these hold what they are for."""
    given = [one for one in seen if one.interval is not None]
    out: dict[str, Any] = {"samples": len(seen), "given": len(given) / len(seen)}
    if given:
        low, high = np.array([one.interval for one in given]).T
        target = np.array([one.target for one in given])
        hold = float(np.mean((low <= target) & (target <= high)))
        steady = (hold * len(given) + 2) / (len(given) + 4)
        needed = 3.92 * np.std([one.value - one.target for one in seen])
        out |= {
            "coverage": hold,
            "error": np.sqrt(steady * (1 - steady) / (len(given) + 4)),
            "width": (high - low).mean() / needed,
        }
    return out


def write(rows: list[dict[str, Any]], folder: Path) -> None:
    """All results, and the table of the documentation: per cent, by the number of clusters."""
    folder.mkdir(parents=True, exist_ok=True)
    write_results(rows, _COLUMNS, folder / "clusters_results.csv")
    numbers = list(dict.fromkeys(row["number"] for row in rows))
    results = pd.DataFrame(rows).set_index(["data", "drawn", "number"]).sort_index()
    with (folder / "clusters.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["data", "clusters", "drawn", *map(arrows, numbers)])
        for data, n_persons, drawn in product(_DATA, PERSONS, ("clusters", "rows")):
            of_number = [results.loc[(data, drawn, name)].set_index("clusters") for name in numbers]
            shares = [share(found, n_persons) for found in of_number]
            table.writerow([data, n_persons, drawn, *shares])


def main() -> None:
    """Run all of it."""
    parser = parser_of(__doc__, samples=400, n_boot=500)
    parser.add_argument("--quick", action="store_true", help="few samples, no files")
    options = parser.parse_args()
    rows = []
    for data, n_persons in product(_DATA, PERSONS):
        samples = 20 if options.quick else options.samples
        for row in simulate(data, n_persons, samples, options.n_boot, options.jobs):
            rows.append(row)
            share = f"{row['coverage']:.3f} ± {row['error']:.3f}" if "coverage" in row else "-"
            sys.stdout.write(
                f"{data:25} {n_persons:4} {row['drawn']:9} {row['number']:19} covers {share} "
                f"given {row['given']:.2f} width {row.get('width', np.nan):.2f}\n"
            )
        sys.stdout.flush()
    if not options.quick:
        write(rows, options.out)


if __name__ == "__main__":
    # Other processes can import this module, but not the script that is run.
    from benchmarks.coverage_clusters import main as run

    run()
