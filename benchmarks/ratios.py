"""Compare this package with an older one, or with what one would write by hand, in one run.

`python ratios.py --old PYTHON --new PYTHON` takes two interpreters, each with one of the packages.
Every measurement is a process of its own with one thread, and both sides take turns. Seconds are
those of the processor in the best of all calls; megabytes are the peak of a process, with its data.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from cases import CASES, Case

_CASES = Path(__file__).resolve().with_name("cases.py")

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")

_HEAD = ("case", "old", "new", "yardstick", "ratio", "goal", "pass", "MB old", "MB new")


def measure(python: str, name: str, side: str) -> dict[str, Any]:
    """Return what one process measured; no numbers if it failed."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= dict.fromkeys(_THREADS, "1")
    with tempfile.TemporaryDirectory() as folder:
        command = [python, "-P", str(_CASES), name, side]
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, cwd=folder, check=False
        )
    if done.returncode:
        sys.stderr.write(f"{name}, {python}: {(done.stderr.splitlines() or ['no message'])[-1]}\n")
        return {"seconds": math.nan, "megabytes": math.nan, "package": None}
    return json.loads(done.stdout.splitlines()[-1])  # A progress bar may come first.


def check_packages(runs: dict[str, list[dict[str, Any]]]) -> None:
    """Raise if both interpreters import the same package."""
    old, new = ({run["package"] for run in runs[side]} for side in ("old", "new"))
    if (old & new) - {None}:
        raise SystemExit(f"the interpreters must have different packages; both import {old & new}")


def run_case(name: str, case: Case, options: argparse.Namespace) -> tuple[list[str], bool]:
    """Return the row of a case, and whether it reaches its goal."""
    sides = {"old": (options.old, "package"), "new": (options.new, "package")}
    if case.yardstick is not None:
        sides["yardstick"] = (options.new, "yardstick")
    runs: dict[str, list[dict[str, Any]]] = {side: [] for side in ("old", "new", "yardstick")}
    for _ in range(options.times):
        for side, (python, of_cases) in sides.items():
            if side != "old" or options.slow or not case.is_slow:
                runs[side].append(measure(python, name, of_cases))
    check_packages(runs)
    seconds = {side: least(of_side, "seconds") for side, of_side in runs.items()}
    megabytes = {side: least(of_side, "megabytes") for side, of_side in runs.items()}
    ratio = seconds["new"] / seconds["old" if case.yardstick is None else "yardstick"]
    number = seconds["new"] if case.is_slow else ratio
    passes = number <= case.goal and megabytes["new"] <= case.megabytes
    return [
        name,
        *(show_seconds(seconds[side]) for side in runs),
        "–" if math.isnan(ratio) else f"{ratio:.2f}",
        f"{case.goal:g}{' s' if case.is_slow else ''}, {case.megabytes} MB",
        "yes" if passes else "NO",
        *(
            "–" if math.isnan(megabytes[side]) else f"{megabytes[side]:.0f}"
            for side in ("old", "new")
        ),
    ], passes


def least(runs: list[dict[str, Any]], key: str) -> float:
    """Return the least number of several runs; NaN if one failed or none was made."""
    return float(np.min([run[key] for run in runs] or [math.nan]))


def show_seconds(seconds: float) -> str:
    """Return seconds in a suitable unit."""
    if math.isnan(seconds):
        return "–"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def main() -> None:
    """Print the table, and fail if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--old", "--new"):
        parser.add_argument(name, required=True, type=os.path.abspath, metavar="PYTHON")
    parser.add_argument("--times", type=int, default=3, help="runs of each side")
    parser.add_argument("--cases", default="", help="only cases whose names contain this")
    parser.add_argument("--slow", action="store_true", help="run the older package everywhere")
    options = parser.parse_args()
    sys.stdout.write(f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}\n")
    missed = 0
    for name, case in CASES.items():
        if options.cases in name:
            row, passes = run_case(name, case, options)
            missed += not passes
            sys.stdout.write(f"| {' | '.join(row)} |\n")
            sys.stdout.flush()
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
