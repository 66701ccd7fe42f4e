"""Trials of `audit` on known truths: verdicts, differences of models, and the largest gap.

    python benchmarks/audit_trials.py

It passes if

- ten designs of the trials of the verdict (100 samples each) have a wrong code in at most 7.5 % of
  the samples, or the code that was measured before as often within the Monte Carlo error, and each
  sample has the codes and statuses that `judge` reads from rates of the same rows and draws, which
  are counted here;
- some of 2, 6 or 21 equal models is said to differ from the first, or from the model before it
  (`track`), in at most 8 % of the samples (1,000 rows, 1,000 replicates), number by number;
- the interval of each largest difference holds 0, and that of the impact ratio 1, in at least 93 %
  of the audits of equal groups.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
from verdict_designs import TWO, designs
from verdict_samples import Array, Design, SampleRows, chances_of_cells, draw_rows, sizes_of
from verdict_trials import MOST_ANNOUNCED, MOST_WRONG, is_wrong, mark, percent

import biasamp_adapters as bam
from biasamp_adapters.counting.labels import ATTRIBUTE, ATTRIBUTE_PREDICTION, PREDICTION, TASK
from biasamp_adapters.counting.partition import Partition
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.inference.verdict import GroupRates, Judgement, judge

#: Names of designs and their rows; the last exchanges groups and classes.
TRIED = (
    ("gap kept, 2 groups", 1000, "A->T"),
    ("gaps x 1.3, 6 groups", 1000, "A->T"),
    ("gaps kept, 12 groups", 6000, "A->T"),
    ("3 classes, 3 groups, kept", 600, "A->T"),
    ("matrix 2 x 20, kept", 3000, "A->T"),
    ("lognormal weights, sigma 0.5, kept", 1000, "A->T"),
    ("60 clusters of 15, groups crossed, kept", 900, "A->T"),
    ("6 equal models, 2 groups, kept", 1000, "A->T"),
    ("4 groups of 20 rows, kept", 80, "A->T"),
    ("gap 20 -> 30", 1000, "T->A"),
)

#: Groups, the rate of each in labels and predictions, and rows.
EQUAL = ((2, 0.4, 60), (2, 0.1, 600), (3, 0.3, 300), (4, 0.4, 400), (6, 0.4, 1200), (6, 0.7, 3000))

LEAST_COVERED, MONTE_CARLO_ERRORS = 0.93, 2.5


def rows_of(design: Design, rng: np.random.Generator) -> SampleRows:
    """Return the rows of one sample, of cells too."""
    if design.needs_rows:
        return draw_rows(design, rng)
    cells = chances_of_cells(design) if design.cells is None else np.asarray(design.cells)
    chances = (cells * design.group_shares[:, None, None]).ravel()
    cell = rng.choice(len(chances), design.rows, p=chances / chances.sum())
    group, label, predicted = np.unravel_index(cell, cells.shape)
    indicators = np.eye(cells.shape[1], dtype=np.float32)
    labels = [indicators[label], indicators[predicted]]
    return SampleRows(group, labels, np.ones(design.rows), np.arange(design.rows))


def audit_rows(design: Design, sample: SampleRows, direction: str = "A->T") -> Any:
    """Return the report; for T->A, groups are the classes of the design."""
    labels = sample.labels if design.columns else [x.argmax(axis=1) for x in sample.labels]
    truth, *predicted = labels
    models: Any = {f"model {i}": x for i, x in enumerate(predicted)}
    if len(predicted) == 1:
        [models] = predicted
    options: dict[str, Any] = {"n_boot": design.n_boot}
    if design.sigma or design.weight_tail:
        options["sample_weight"] = sample.weights
    if design.clusters:
        options["clusters"] = sample.cluster
    if direction == "A->T":
        return bam.audit(truth, models, sensitive_features=sample.group, **options)
    given: Any = {"sensitive_features": truth, "sensitive_features_pred": models}
    return bam.audit(sample.group, sample.group, **given, **options)


# Verdicts.


def try_verdicts(samples: int) -> bool:
    """Print how often codes are wrong, and how often `judge` gives the same."""
    known = {(design.name, design.rows): design for design in designs()}
    passes = []
    for name, rows, direction in TRIED:
        design = known[name, rows]
        rng, codes, wrong, same = design.generator(), Counter[str](), 0, 0
        for _ in range(samples):
            sample = rows_of(design, rng)
            told, judged = both_judgements(design, sample, direction)
            codes.update(x.code for x in told)
            wrong += any(is_wrong(x, design) for x in judged)
            same += [in_short(x) for x in told] == [in_short(x) for x in judged]
        passes += [same == samples, is_as_measured(design, wrong, samples, codes)]
        shares = ", ".join(f"{code} {n}" for code, n in codes.most_common())
        label = f"{name} ({direction})"
        told = f"wrong {percent(wrong / samples, samples)}  same as judge {same} of {samples}"
        print(f"{mark(all(passes[-2:]))} {label:50}{rows:6}  {told}  {shares}", flush=True)
    return all(passes)


def is_as_measured(design: Design, wrong: int, samples: int, codes: Counter[str]) -> bool:
    """Return whether codes are as right as those of the pure function, within chance."""
    share, expected = wrong / samples, MOST_WRONG
    if not design.code:
        return share <= MOST_WRONG + MONTE_CARLO_ERRORS * error_of(expected, samples)
    power = codes[design.code] / codes.total()
    return abs(power - design.power) <= MONTE_CARLO_ERRORS * error_of(design.power, samples)


def error_of(share: float, samples: int) -> float:
    return float(np.sqrt(share * (1 - share) / samples))


def in_short(judgement: Judgement) -> tuple[str, list[str], list[bool]]:
    """Return the code of a judgement, and the status of each gap."""
    statuses = [gap.status for gap in judgement.gaps]
    return judgement.code, statuses, [gap.in_mean for gap in judgement.gaps]


def both_judgements(
    design: Design, sample: SampleRows, direction: str
) -> tuple[list[Judgement], list[Judgement]]:
    """Return the judgements of an audit, and those of the pure function on the same draws."""
    drawn: list[tuple[Rows, Array]] = []
    draw = Partition.draw

    def record(partition: Partition, size: int, rng: np.random.Generator) -> Array:
        times = draw(partition, size, rng)
        drawn.append((partition.rows, times[:, partition.part] * partition.weight))
        return times

    with mock.patch.object(Partition, "draw", record):
        computed = audit_rows(design, sample, direction).computed
    rows = computed.evaluation.rows
    weights = np.concatenate([rows.weight[None], *(x for of, x in drawn if of is rows)])
    task, group, predicted = TASK, ATTRIBUTE, PREDICTION
    if direction == "T->A":
        task, group, predicted = ATTRIBUTE, TASK, ATTRIBUTE_PREDICTION
    by_group = rows.variable(group).sparse.toarray()[:, : len(design.true)]
    n_classes = design.rates.shape[2]
    names = computed.models

    def rates(role: str, model: str | None) -> Array:
        columns = rows.variable(role, model).sparse.toarray()[:, :n_classes]
        sums = np.einsum("bn,ng,nc->bgc", weights, by_group, columns, optimize=True)
        total: Array = (weights @ by_group)[..., None]
        return sums / total

    sizes = sizes_of(design, sample)
    data = GroupRates(
        true=rates(task, None),
        predicted={name: rates(predicted, name) for name in names},
        rows=sizes,
        sizes=sizes,
        groups=range(len(sizes)),
        classes=range(n_classes),
    )
    told = [audit.judgement for audit in computed.by_direction[direction]]
    return told, list(judge(data, compared=design.compared))


# Equal models.


def try_models(samples: int) -> bool:
    """Print how often some of several equal models is said to differ, in each number."""
    passes = []
    for models in (2, 6, 21):
        name = f"{models} equal models"
        design = Design(name, TWO, TWO, 1000, models=models, n_boot=1000)
        rng, announced = design.generator(), Counter[tuple[str, str]]()
        for _ in range(samples):
            report = audit_rows(design, rows_of(design, rng))
            announced.update({("from the first", x) for x in clear_differences(report)})
            steps = bam.track(report)
            announced.update({("steps", x) for x in steps["metric"][steps["clear"]]})
        for kind in ("from the first", "steps"):
            for number in ("BA", "mean change", "excess", "accuracy"):
                share = announced[kind, number] / samples
                passes.append(share <= MOST_ANNOUNCED)
                text = f"{name}, {kind}, {number}"
                told = percent(share, samples)
                print(f"{mark(passes[-1])} {text:50}{1000:6}  announced {told}", flush=True)
    return all(passes)


def clear_differences(report: Any) -> Iterator[str]:
    for record in report.summary["differences"]:
        if record["low"] is not None and (record["low"] > 0 or record["high"] < 0):
            yield record["name"]


# The largest gap.


def try_largest(samples: int) -> bool:
    """Print how often the intervals of equal groups hold 0, or 1 for the ratio."""
    passes = []
    for groups, rate, rows in EQUAL:
        name = f"{groups} equal groups, rate {rate}"
        design = Design(name, [rate] * groups, [rate] * groups, rows, n_boot=1000)
        rng, held = design.generator(), defaultdict[str, list[bool]](list)
        for _ in range(samples):
            report = audit_rows(design, rows_of(design, rng))
            for record in report.summary["largest"]:
                if record["low"] is not None:
                    held[record["measure"]].append(record["low"] == 0)
                if record["measure"] == "selection_rate" and record["ratio_high"] is not None:
                    held["impact ratio"].append(record["ratio_high"] >= 1)
        for measure, every in held.items():
            passes.append(np.mean(every) >= LEAST_COVERED)
            told = f"{percent(float(np.mean(every)), len(every))} of {len(every)}"
            text = f"{name}, {measure}"
            print(f"{mark(passes[-1])} {text:50}{rows:6}  covered: {told}", flush=True)
    return all(passes)


def main() -> int:
    parts = {
        "verdicts": (try_verdicts, 100),
        "models": (try_models, 400),
        "largest": (try_largest, 1000),
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, help="by default 100, 400 and 1,000")
    parser.add_argument("--part", choices=parts)
    chosen = parser.parse_args()
    passes = []
    for part, (attempt, samples) in parts.items():
        if chosen.part in (None, part):
            passes.append(attempt(chosen.samples or samples))
    return 0 if all(passes) else 1


if __name__ == "__main__":
    sys.exit(main())
