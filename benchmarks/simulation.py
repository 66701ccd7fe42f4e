"""What simulations share: their options, samples on several processors, and files of results."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

Array = NDArray[Any]

_PEOPLE = 10**9


def people_of(joint: Array) -> Array:
    """A population as a table of whole numbers of people, from the share of each cell."""
    return np.rint(_PEOPLE * joint).astype(np.int64)


def of_both_classes(rates: Any) -> Array:
    """Rates of class 1 as those of both classes, along a new last axis."""
    rates = np.asarray(rates, dtype=float)
    return np.stack([1 - rates, rates], axis=-1)


def parser_of(
    description: str | None, *, samples: int, n_boot: int, jobs: int = 2
) -> argparse.ArgumentParser:
    """The options of a simulation; the values are their defaults."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--samples", type=int, default=samples, help="samples of each design")
    parser.add_argument("--n-boot", type=int, default=n_boot, help="replicates of an interval")
    parser.add_argument("--jobs", type=int, default=jobs, help="processes")
    parser.add_argument("--out", type=Path, default=Path("docs/_static/coverage"), help="folder")
    return parser


def samples_of(
    observe: Callable[..., Any], *design: Any, samples: int, n_boot: int, jobs: int
) -> list[Any]:
    """What ``observe(*design, seed, n_boot)`` returns for each seed."""
    return list(
        Parallel(n_jobs=jobs)(delayed(observe)(*design, seed, n_boot) for seed in range(samples))
    )


def write_means(
    designs: Iterable[Sequence[Any]],
    observe: Callable[..., dict[str, float]],
    line: Callable[..., dict[str, Any]],
    options: argparse.Namespace,
    name: str,
) -> None:
    """Simulate all designs, print a line for each, and write the lines as a table.

    Parameters
    ----------
    designs : iterable of tuples
    observe : callable
        Takes a design, a seed and the number of replicates, and returns numbers of one sample.
    line : callable
        Takes a design and the frame of its samples, and returns a line of the table.
    options : Namespace
        Those of :func:`parser_of`.
    name : str
        The name of the file.
    """
    lines = []
    for design in designs:
        seen = samples_of(
            observe, *design, samples=options.samples, n_boot=options.n_boot, jobs=options.jobs
        )
        lines.append(line(*design, pd.DataFrame(seen)))
        sys.stdout.write(f"{lines[-1]}\n")
        sys.stdout.flush()
    pd.DataFrame(lines).to_csv(options.out / name, index=False)


def cell(value: object) -> str:
    """Text of one number: five digits, nothing for NaN."""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else f"{value:.5g}"
    return str(value)


def write_results(rows: Iterable[dict[str, Any]], columns: Sequence[str], path: Path) -> None:
    """The lines as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)
