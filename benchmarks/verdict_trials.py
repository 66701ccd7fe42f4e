"""Trials of the verdict, of differences of models and of the largest gap on known truths.

    python benchmarks/verdict_trials.py --samples 1000

A code is wrong if the truth does not hold what it says: `amplifies` where no gap grows, `reduces`
where none shrinks or reverses, `reverses` where none reverses, `mixed` where nothing grows or
nothing shrinks or reverses. Where several models are judged, one wrong code makes the sample wrong.
Each line has the share of wrong samples with its Monte Carlo error. It passes if

- gaps are kept or vanish, and at most 7.5 % of the samples are wrong (at most 4 % on average),
- a code whose share was measured before has this share within 3 points,
- some of 2, 6 or 21 equal models is said to differ in at most 8 % of the samples,
- the interval of the largest gap, where there is one, holds 0 in at least 93 % of the samples of
  equal groups.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from verdict_designs import TWO, designs
from verdict_samples import Array, Design

from biasamp_adapters.inference.bands import largest_gap, simultaneous_bands
from biasamp_adapters.inference.intervals import Estimate
from biasamp_adapters.inference.verdict import (
    ALL_ROWS,
    GroupRates,
    Judgement,
    choose_comparison,
    judge,
)

MOST_WRONG, MOST_WRONG_ON_AVERAGE, POWER_APART = 0.075, 0.04, 0.03
MOST_ANNOUNCED, LEAST_COVERED = 0.08, 0.93


@dataclass(frozen=True)
class Outcome:
    """What the samples of one design gave."""

    design: Design
    samples: int
    wrong: int
    codes: Counter[str]

    @property
    def share_wrong(self) -> float:
        return self.wrong / self.samples

    @property
    def passes(self) -> bool | None:
        """Whether the design passes, or None if nothing is asked of it."""
        if self.design.truth != "change":
            return self.share_wrong <= MOST_WRONG
        if not self.design.code:
            return None
        power = self.codes[self.design.code] / self.codes.total()
        return abs(power - self.design.power) <= POWER_APART + 1e-9

    def line(self) -> str:
        shares = ", ".join(
            f"{code} {100 * n / self.codes.total():.1f}" for code, n in self.codes.most_common()
        )
        if self.design.code:
            shares += f" (expected: {self.design.code} {100 * self.design.power:.0f})"
        name = f"{self.design.name:50}{self.design.rows:6}"
        return (
            f"{mark(self.passes)} {name}  wrong {percent(self.share_wrong, self.samples)}  {shares}"
        )


def mark(passes: bool | None) -> str:
    return "    " if passes is None else "pass" if passes else "FAIL"


def percent(share: float, samples: int) -> str:
    """Return a share with its Monte Carlo error, at least that of a share of 1 %."""
    error = np.sqrt(max(share * (1 - share), 0.01) / samples)
    return f"{100 * share:5.1f} ± {100 * error:.1f} %"


def try_design(design: Design, samples: int) -> Outcome:
    rng, codes, wrong = design.generator(), Counter[str](), 0
    for _ in range(samples):
        sample = design.draw(rng)
        sizes, groups, classes = sample.sizes, range(len(sample.sizes)), range(sample.true.shape[2])
        data = GroupRates(sample.true, sample.predicted, sizes, sizes, groups, classes)
        if choose_comparison(sizes, design.compared or classes).kind == ALL_ROWS:
            data = with_all_rows(data)
        judgements = judge(data, compared=design.compared)
        codes.update(judgement.code for judgement in judgements)
        wrong += any(is_wrong(judgement, design) for judgement in judgements)
    return Outcome(design, samples, wrong, codes)


def with_all_rows(data: GroupRates) -> GroupRates:
    """Return rates with those of all rows, which are means by size, as one more group."""
    rates = {name: add_mean(draws, data.sizes) for name, draws in data.predicted.items()}
    rows = np.append(data.rows, data.rows.sum())
    return replace(data, true=add_mean(data.true, data.sizes), predicted=rates, rows=rows)


def add_mean(rates: Array, sizes: Array) -> Array:
    means = np.average(rates, axis=1, weights=sizes)[:, None]
    return np.concatenate([rates, means], axis=1)


def is_wrong(judgement: Judgement, design: Design) -> bool:
    """Return whether the truth of the design does not hold what the code says."""
    overall = np.einsum("bgc,g->bc", design.rates, design.group_shares)[:, None]
    rates = np.concatenate([design.rates, overall], axis=1)
    gaps = [(place(gap.first), place(gap.second), gap.of_class) for gap in judgement.gaps]
    if not gaps:
        return False
    first, second, of_class = np.array(gaps).T
    true, predicted = rates[:, first, of_class] - rates[:, second, of_class]
    growth = np.round(np.abs(predicted) - np.abs(true), 9)
    reverses = bool((true * predicted < -1e-9).any())
    grows, shrinks = bool((growth > 0).any()), bool((growth < 0).any()) or reverses
    holds = {
        "amplifies": grows,
        "reduces": shrinks,
        "reverses": reverses,
        "mixed": grows and shrinks,
    }
    return not holds.get(judgement.code, True)


def place(group: object) -> int:
    """Return the position of a group; all rows together stand last."""
    return -1 if group == ALL_ROWS else int(str(group))


def try_verdicts(samples: int, chosen: str) -> bool:
    """Print the trials of the verdict, and return whether all pass."""
    outcomes = []
    for design in designs():
        if chosen not in design.name:
            continue
        outcomes.append(try_design(design, samples))
        print(outcomes[-1].line(), flush=True)
    shares = [each.share_wrong for each in outcomes if each.design.truth != "change"]
    average = float(np.mean(shares)) if shares else 0.0
    passes = average <= MOST_WRONG_ON_AVERAGE
    print(f"{mark(passes)} {len(shares)} designs of kept or vanishing gaps, on average", end="  ")
    print(f"wrong {100 * average:.1f} %", flush=True)
    return passes and all(each.passes is not False for each in outcomes)


def try_models(samples: int) -> bool:
    """Print how often some of several equal models is said to differ in BA."""
    passes = []
    for models in (2, 6, 21):
        name = f"differences of {models} equal models"
        design = Design(name, TWO, TWO, 1000, models=models, n_boot=1000)
        rng, first, steps = design.generator(), 0, 0
        for _ in range(samples):
            sample = design.draw(rng)
            amplification = directional_amplification(sample.true, sample.predicted)
            half_row = 0.5 / sample.sizes.min()
            first += some_differ(amplification[:, 1:] - amplification[:, :1], half_row)
            steps += some_differ(np.diff(amplification, axis=1), half_row)
        for kind, announced in (("from the first", first), ("steps", steps)):
            share = announced / samples
            passes.append(share <= MOST_ANNOUNCED)
            told = percent(share, samples)
            print(
                f"{mark(passes[-1])} {f'{name}, {kind}':50}{1000:6}  announced {told}", flush=True
            )
    return all(passes)


def directional_amplification(true: Array, predicted: dict[str, Array]) -> Array:
    """Return BA of each draw and model; with two groups and classes, half the change of the gap."""
    gap = true[:, 1, 1] - true[:, 0, 1]
    changes = [rates[:, 1, 1] - rates[:, 0, 1] - gap for rates in predicted.values()]
    return np.sign(gap[0]) * np.stack(changes, axis=1) / 2


def some_differ(draws: Array, half_row: float) -> bool:
    low, high = simultaneous_bands(draws[0], draws[1:], half_row)
    return bool(((low > 0) | (high < 0)).any())


def largest_designs() -> list[Design]:
    """Return rates by group; those of labels are not used."""
    equal = [(2, 0.4, 60), (2, 0.05, 600), (3, 0.3, 300), (6, 0.4, 300), (6, 0.4, 1200)]
    equal += [(6, 0.7, 3000), (12, 0.4, 300), (12, 0.4, 2400)]
    every = [Design(f"{n} equal groups, rate {p}", [p] * n, [p] * n, rows) for n, p, rows in equal]
    small = (0.95, 0.05)
    every.append(Design("2 equal groups, one of 5 %", [0.3] * 2, [0.3] * 2, 1000, shares=small))
    for rows in (100, 1000):
        every.append(Design("2 groups, .35 and .55", TWO, TWO, rows))
    for rows in (300, 3000):
        rates = [0.2, 0.3, 0.35, 0.5, 0.6, 0.7]
        every.append(Design("6 groups, .2 to .7", rates, rates, rows))
        every.append(Design("3 groups, .05 to .2", [0.05, 0.1, 0.2], [0.05, 0.1, 0.2], rows))
    return every


def try_largest(samples: int) -> bool:
    """Print how often the intervals of the largest difference and of the ratio hold the truth."""
    passes = []
    for design in largest_designs():
        rng, differences, ratios = design.generator(), [], []
        least, most = min(design.predicted), max(design.predicted)
        for _ in range(samples):
            sample = design.draw(rng)
            groups = range(len(sample.sizes))
            largest = largest_gap(sample.predicted["model"][:, :, 1], sample.sizes, groups)
            differences += holds(largest.difference, most - least)
            ratios += holds(largest.ratio, least / most)
        passes.append(np.mean(differences) >= LEAST_COVERED if least == most else None)
        shares = f"difference {covered(differences)}   ratio {covered(ratios)}"
        print(f"{mark(passes[-1])} {design.name:50}{design.rows:6}  covered: {shares}", flush=True)
    return all(each is not False for each in passes)


def holds(estimate: Estimate, truth: float) -> list[bool]:
    """Return whether the interval holds the truth; nothing if there is no interval."""
    return [] if estimate.reason else [estimate.low <= truth <= estimate.high]


def covered(every: list[bool]) -> str:
    return f"{percent(float(np.mean(every)), len(every))} of {len(every)}" if every else "-"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--part", choices=["verdicts", "models", "largest"])
    parser.add_argument("--design", default="", help="only designs whose name holds this text")
    chosen = parser.parse_args()
    passes = []
    if chosen.part in (None, "verdicts"):
        passes.append(try_verdicts(chosen.samples, chosen.design))
    if chosen.part in (None, "models"):
        passes.append(try_models(chosen.samples))
    if chosen.part in (None, "largest"):
        passes.append(try_largest(chosen.samples))
    return 0 if all(passes) else 1


if __name__ == "__main__":
    sys.exit(main())
