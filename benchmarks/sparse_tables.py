"""Simulate DPA and LA on sparse tables: bias, coverage of the intervals, and where none is given.

``python -m benchmarks.sparse_tables`` draws tables from populations whose amplification is known,
prints what each way to equalise makes of them, and writes a CSV file and the curves of the
documentation. It takes about ten minutes; ``--quick`` takes one.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import biasamp_adapters as bam
from benchmarks.sparse_curves import write_curves
from benchmarks.sparse_designs import KNOWN_CASE, Design, designs
from biasamp_adapters.counts.variables import MODEL
from biasamp_adapters.inference.replicates import replicate
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.measurement import Measurement
from biasamp_adapters.reference import align

#: The results of one drawn table: numbers by name.
Seen = dict[str, Any]

_CONFIDENCE = 0.95

_QUALITIES = {
    "DPA": ("inverse_cross_entropy", "accuracy", "uncertainty_coefficient"),
    "LA": ("accuracy", "inverse_cross_entropy"),
}

_COLUMNS = [
    "bias",
    "bias_error",
    "given",
    "coverage",
    "dataset_bias",
    "dataset_given",
    "dataset_coverage",
    "model_bias",
    "model_given",
    "model_coverage",
    "expected_share",
    "ratio_share",
    "ratio_bias",
    "difference_bias",
    "reason",
]


def metric_of(design: Design, quality: str, **options: Any) -> Metric:
    """The metric that the design is about."""
    if design.metric == "LA":
        return bam.LeakageAmplification(quality=quality, **options)
    return bam.DirectionalPredictabilityAmplification(quality=quality, **options)


def measure(design: Design, counts: bam.JointCounts) -> dict[tuple[str, str], Measurement]:
    """Each quality under each way to equalise, measured on the same counts; "auto" comes first."""
    evaluation, out = align(counts, None), {}
    for quality in _QUALITIES[design.metric]:
        ways: dict[str, dict[str, Any]] = {"auto": {}, "sampled": {"equalize": "sampled"}}
        if quality != "uncertainty_coefficient":
            ways["expected"] = {"equalize": "expected"}
        if quality == "inverse_cross_entropy":
            ways["loo"] = {"evaluation": "loo"}
        for way, options in ways.items():
            metric = metric_of(design, quality, **options)
            out[quality, way] = metric.measure(evaluation, MODEL)
    return out


def observe(
    design: Design, rng: np.random.Generator, n_boot: int
) -> Iterator[tuple[tuple[str, str], Seen]]:
    """Draw one table and evaluate it in every way."""
    counts = design.draw(rng)
    measurements = measure(design, counts)
    # Every way to equalise has the same replicates: they always flip labels of their own.
    auto = {quality: one for (quality, way), one in measurements.items() if way == "auto"}
    drawn = replicate(auto, align(counts, None), n_boot, rng)
    for quality, chosen in auto.items():
        exact, mode = design.exact(quality), getattr(chosen, "mode", None)
        seen: dict[str, Seen] = {}
        for way in (way for of, way in measurements if of == quality):
            # What "auto" chose has been computed.
            if way == mode:
                seen[way] = seen["auto"]
            else:
                result = bam.AmplificationResult.of(
                    measurements[quality, way], drawn[quality], _CONFIDENCE
                )
                seen[way] = compare(result, exact)
            yield (quality, way), seen[way] | {"expected_share": mode == "expected"}


def compare(result: bam.AmplificationResult, exact: dict[str, float]) -> Seen:
    """Errors of the value and the levels, and whether their intervals hold the exact ones."""
    levels = {name: level.value for name, level in result.levels.items()}
    dataset, model = levels["psi_dataset"], levels["psi_model"]
    total = dataset + model
    ratio = result.metric.startswith("Directional") and not getattr(
        result.measurement, "difference", False
    )
    target = exact["ratio" if ratio else "difference"]
    out: Seen = {
        "bias": result.value - target,
        "interval": holds(result.interval, target),
        "reason": next((n for n in result.notes if n.startswith("no interval")), ""),
        "ratio_share": ratio,
        "ratio_bias": ((model - dataset) / total if total else 0.0) - exact["ratio"],
        "difference_bias": model - dataset - exact["difference"],
    }
    for name, level in result.levels.items():
        side = name.removeprefix("psi_")
        out[f"{side}_bias"] = level.value - exact[name]
        out[f"{side}_interval"] = holds(level.interval, exact[name])
    return out


def holds(interval: tuple[float, float] | None, target: float) -> bool | None:
    """Whether the interval contains the target; None where there is no interval."""
    if interval is None:
        return None
    low, high = interval
    return low - 1e-9 <= target <= high + 1e-9


def simulate(design: Design, datasets: int, n_boot: int) -> Iterator[dict[str, Any]]:
    """One line for each quality and way to equalise, over independent tables."""
    every: dict[tuple[str, str], list[Seen]] = {}
    for seed in range(datasets):
        rng = np.random.default_rng([seed, *map(hash_of, asdict(design).values())])
        for key, seen in observe(design, rng, n_boot):
            every.setdefault(key, []).append(seen)
    for (quality, way), seen_all in every.items():
        head = asdict(design) | {"quality": quality, "equalize": way}
        yield head | summary(quality, seen_all)


def hash_of(value: str | int) -> int:
    """A number for a name, the same in every run."""
    return value if isinstance(value, int) else sum(value.encode())


def summary(quality: str, seen: list[Seen]) -> dict[str, Any]:
    """Means over tables; shares of intervals that hold the exact value among those given."""
    out: dict[str, Any] = {}
    for name in ("", "dataset_", "model_"):
        errors = np.array([one[f"{name}bias"] for one in seen])
        errors = errors[np.isfinite(errors)]
        given = [one[f"{name}interval"] for one in seen if one[f"{name}interval"] is not None]
        out[f"{name}bias"] = errors.mean() if len(errors) else np.nan
        out[f"{name}given"] = len(given) / len(seen)
        out[f"{name}coverage"] = np.mean(given) if given else np.nan
        if not name:
            out["bias_error"] = errors.std(ddof=1) / np.sqrt(len(errors)) if len(errors) else np.nan
    out["expected_share"] = np.mean([one["expected_share"] for one in seen])
    if quality == "uncertainty_coefficient":
        for name in ("ratio_share", "ratio_bias", "difference_bias"):
            out[name] = np.mean([one[name] for one in seen])
    reasons = Counter(kind(one["reason"]) for one in seen if one["reason"])
    out["reason"] = next((reason for reason, _ in reasons.most_common(1)), "")
    return out


def kind(reason: str) -> str:
    """A reason without its numbers, so that equal reasons can be counted."""
    words = reason.removeprefix("no interval: ").split(",")[0].split()
    return " ".join(word for word in words if not any(c.isdigit() for c in word))


def cell(value: object) -> str:
    """Text of one number: four decimals, nothing for NaN."""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else f"{value:.4f}".rstrip("0").rstrip(".")
    return str(value)


def line(row: dict[str, Any]) -> str:
    """One line of the printed table."""
    design = " ".join(f"{row[name]!s:>{n}}" for name, n in _WIDTHS.items())
    coverage = "   -" if np.isnan(row["coverage"]) else f"{row['coverage']:4.2f}"
    return (
        f"{design}  bias {row['bias']:+.4f} ± {row['bias_error']:.4f}  "
        f"given {row['given']:4.2f} covering {coverage}  {row['reason'][:60]}\n"
    )


_WIDTHS = {
    "metric": 3,
    "quality": 23,
    "equalize": 8,
    "truth": 11,
    "sizes": 6,
    "values": 3,
    "classes": 2,
    "rows": 3,
}


def write_table(rows: Iterable[dict[str, Any]], path: Path) -> None:
    """The lines as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*_WIDTHS, *_COLUMNS], lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tables of at most 2,000 rows")
    parser.add_argument("--datasets", type=int, help="tables drawn for a design")
    parser.add_argument("--n-boot", type=int, default=200, help="replicates of an interval")
    parser.add_argument("--out", type=Path, default=Path("docs/_static/sparse_tables"))
    options = parser.parse_args()
    datasets = options.datasets or (10 if options.quick else 40)
    options.out.mkdir(parents=True, exist_ok=True)
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        for design in designs(options.quick):
            # The known case is what the documentation quotes to three decimals.
            several = datasets * 5 if design == KNOWN_CASE else datasets
            for row in simulate(design, several, options.n_boot):
                rows.append(row)
                sys.stdout.write(line(row))
            sys.stdout.flush()
    write_table(rows, options.out / "results.csv")
    write_curves(options.out)


if __name__ == "__main__":
    main()
