"""Simulate the intervals of the largest less the smallest rate of 2 to 24 groups.

``python -m benchmarks.coverage_gaps`` draws samples from populations in which all groups have the
same rates, and from others in which they differ, and counts how often the interval of an audit lies
above 0 in the first and does not hold the true difference in the second. It takes about fifteen
minutes and writes a table of the documentation.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.coverage_populations import TablePopulation
from benchmarks.simulation import parser_of, people_of, samples_of
from biasamp_adapters.auditing.findings import evaluate
from biasamp_adapters.inference.estimates import IntervalOptions
from biasamp_adapters.reference import align

Array = NDArray[Any]

#: The fairness measures of an audit.
MEASURES = ("selection_rate", "true_positive_rate", "false_positive_rate", "accuracy")

#: Sizes of groups: all alike; each a half, a third and so on of the first; all but one alike.
SIZES = {
    "equal": lambda n: np.ones(n),
    "1, 1/2, 1/3, ...": lambda n: 1 / np.arange(1, n + 1),
    "one of a fiftieth": lambda n: np.r_[np.ones(n - 1), n / 50],
}

#: Share of positives, true and false positive rate.
RATES = {"usual": (0.4, 0.7, 0.2), "rare": (0.1, 0.5, 0.03)}


class Groups(NamedTuple):
    """A population of groups.

    Attributes
    ----------
    n : int
    sizes, rates : str
        Keys of ``SIZES`` and ``RATES``.
    spread : float
        How far rates differ: those of the groups are from 1 - spread to 1 + spread times the mean.
    rows : int
    """

    n: int
    sizes: str
    rates: str
    spread: float
    rows: int


#: What rules were chosen on, and what was only looked at afterwards.
TUNED = [
    Groups(n, sizes, "usual", spread, 2_400)
    for spread, sizes, n in product((0.0, 0.3), list(SIZES)[:2], (2, 3, 6, 12, 24))
]
AFTERWARDS = [
    *(
        Groups(n, sizes, rates, 0.0, rows)
        for rates, rows, sizes, n in [
            *product(["usual"], [4_800], ["equal", "one of a fiftieth"], (4, 8, 16, 24)),
            *product(["rare"], [2_400], SIZES, (2, 6, 24)),
            *product(["rare"], [4_800], ["1, 1/2, 1/3, ..."], (2, 6, 24)),
        ]
    ),
    *(
        Groups(n, sizes, "rare", 0.8, 2_400)
        for sizes, n in product(["equal", "one of a fiftieth"], (2, 6, 24))
    ),
]


def shares(groups: Groups) -> Array:
    """P(group, truth, prediction)."""
    size = SIZES[groups.sizes](groups.n)
    tilt = 1 + groups.spread * np.linspace(-1, 1, groups.n)
    # The largest group is neither the lowest nor the highest.
    tilt = np.roll(tilt, groups.n // 2)[:, None]
    base, *given = RATES[groups.rates]
    said = np.array(given[::-1]) * tilt
    truth = np.array([1 - base, base])
    return np.einsum("g,t,gtp->gtp", size / size.sum(), truth, np.stack([1 - said, said], axis=-1))


def true_gaps(share: Array) -> dict[str, float]:
    """The largest less the smallest rate in the population, of each measure."""
    rows = share.sum(axis=(1, 2))
    by_truth = share[..., 1] / share.sum(axis=2)
    rates = (share[..., 1].sum(axis=1) / rows, by_truth[:, 1], by_truth[:, 0])
    right = (share[:, 0, 0] + share[:, 1, 1]) / rows
    return {name: float(np.ptp(rate)) for name, rate in zip(MEASURES, (*rates, right), strict=True)}


def population(groups: Groups) -> TablePopulation:
    """The people."""
    table = people_of(shares(groups))[:, :, None, :, None]
    return TablePopulation(table, tuple(f"{i:02}" for i in range(groups.n)), np.ones(1))


def intervals(groups: Groups, seed: int, n_boot: int) -> dict[str, tuple[float, float] | None]:
    """The interval of each measure in one sample."""
    people, rng = population(groups), np.random.default_rng([seed, groups.rows, groups.n])
    rows = people.sample(groups.rows, rng)
    del rows["sensitive_features_pred"]
    evaluation = align(people.count(rows), None, None, people.groups)
    options = IntervalOptions(n_boot, 0.95, random_state=rng)
    model = evaluation.counts.first_model
    measures = evaluate(evaluation, options, {model: []}, None).rates[model]
    return {name: found[0].gap.interval for name, found in measures.items()}


def simulate(groups: Groups, samples: int, n_boot: int, jobs: int) -> Iterator[dict[str, Any]]:
    """One line for each measure."""
    true = true_gaps(shares(groups))
    seen = samples_of(intervals, groups, samples=samples, n_boot=n_boot, jobs=jobs)
    for measure in MEASURES:
        given = np.array([one[measure] for one in seen if one[measure] is not None])
        low, high = given.T if len(given) else np.empty((2, 0))
        yield groups._asdict() | {
            "measure": measure,
            "samples": samples,
            "given": len(given) / samples,
            "true": true[measure],
            "too high": np.mean(low > true[measure] + 1e-6),
            "too low": np.mean(high < true[measure] - 1e-6),
            "width": np.mean(high - low),
        }


def write_table(results: pd.DataFrame, path: Path) -> None:
    """Per cent of the intervals that miss, in the worst measure of each design."""
    rows = []
    keys = ["rates", "spread", "rows", "sizes", "chosen on"]
    for values, some in results.groupby(keys, sort=False):
        row: dict[str, Any] = dict(zip(keys, values, strict=True))
        row["rates"] += ", equal" if row.pop("spread") == 0 else ", different"
        missed = (some["too high"] + some["too low"]).groupby(some["n"]).max()
        rows.append(row | {f"{n} groups": f"{100 * share:.1f}" for n, share in missed.items()})
    columns = [f"{n} groups" for n in sorted(results["n"].unique())]
    head = ["rates", "rows", "sizes", "chosen on"]
    table = pd.DataFrame(rows).reindex(columns=[*head, *columns])
    table.fillna("").to_csv(path, index=False)


def main() -> None:
    """Run all of it."""
    options = parser_of(__doc__, samples=300, n_boot=600).parse_args()
    rows = []
    for chosen, designs in (("yes", TUNED), ("no", AFTERWARDS)):
        for groups in designs:
            for row in simulate(groups, options.samples, options.n_boot, options.jobs):
                rows.append({"chosen on": chosen, **row})
                sys.stdout.write(f"{rows[-1]}\n")
            sys.stdout.flush()
    results = pd.DataFrame(rows)
    results.round(4).to_csv(options.out / "gaps_results.csv", index=False)
    write_table(results, options.out / "gaps.csv")


if __name__ == "__main__":
    main()
