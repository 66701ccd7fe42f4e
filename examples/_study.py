"""What the studies share: their options, their tables as CSV files, and verdicts on numbers."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

Tables = dict[str, pd.DataFrame]

#: A number and its half-width stay on one line.
SPACE = "\N{NO-BREAK SPACE}"


def run(find: Callable[..., Tables]) -> None:
    """Print the tables of a study; with ``--write``, write each as ``STUDY_NAME.csv`` too.

    A study that reads data takes ``data_home``, the folder that holds their files.
    """
    path = Path(inspect.getfile(find))
    parser = argparse.ArgumentParser(description=sys.modules[find.__module__].__doc__)
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the tables here too")
    needs_data = "data_home" in inspect.signature(find).parameters
    if needs_data:
        folder = os.environ.get("BIASAMP_DATA")
        parser.add_argument("--data-home", type=Path, default=folder, required=folder is None)
    options = parser.parse_args()
    tables = find(Path(options.data_home)) if needs_data else find()
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        print(f"{name}\n{table.to_string(index=False)}\n")
        if options.write:
            (options.write / f"{path.stem}_{name}.csv").write_text(as_csv(table), encoding="utf-8")


def as_csv(table: pd.DataFrame) -> str:
    """Return the text of a table."""
    return table.to_csv(index=False, lineterminator="\n")


def number(value: float, decimals: int = 4, half_width: float | None = None) -> str:
    """Return a number as the tables have it: a true minus, no minus 0, and ± where there is one."""
    if pd.isna(value):
        return ""
    text = f"{round(value, decimals) + 0.0:.{decimals}f}".replace("-", "−")
    if half_width is None:
        return text
    return f"{text}{SPACE}±{SPACE}{half_width:.{decimals}f}"


def with_interval(value: float, ends: Sequence[float] | None) -> str:
    """Return a number with its interval, if there is one."""
    if ends is None:
        return number(value)
    return f"{number(value)} ({number(ends[0])} to {number(ends[1])})"


def over_runs(values: Any) -> str:
    """Return the mean of runs and half of its 95 % interval (Student's t)."""
    mean, spread = np.mean(values), np.std(values, ddof=1)
    half = stats.t.ppf(0.975, len(values) - 1) * spread / np.sqrt(len(values))
    return number(mean, 4, half if half > 1e-12 else None)


def verdict(printed: float, decimals: int, ours: float, half_width: float = 0.0) -> str:
    """Return "exact" if ours prints as the paper has it, or whether its interval holds ours."""
    apart = abs(ours - printed)
    if apart <= 0.5 * 10.0**-decimals + 1e-9:
        return "exact"
    return "within the interval" if apart <= half_width else "refuted"
