"""The command, called as a user does and called within the tests' own process."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from forks import Ended, forked

from biasamp_adapters.cli import run

#: The columns of ``table`` in their roles.
COLUMNS = ["--task", "T", "--prediction", "P", "--attribute", "A"]


def biasamp(*arguments: object) -> Ended:
    """Call the command in this process; much faster than a process of its own."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["biasamp", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            run()
    assert isinstance(stopped.value.code, int)
    return Ended(stopped.value.code, out.getvalue(), err.getvalue())


def process(*arguments: object, **options: Any) -> Ended:
    """Call the command in a process that has not imported the package, but what it needs."""
    call = ["biasamp", *map(str, arguments)]
    return forked(
        f"import sys\nsys.argv = {call!r}\nfrom biasamp_adapters.cli import run\nrun()", **options
    )


def new_process(*arguments: object, **options: Any) -> Ended:
    """Call the command in a process that has imported nothing, which takes longer."""
    command = [sys.executable, "-m", "biasamp_adapters.cli", *map(str, arguments)]
    ended = subprocess.run(
        command, capture_output=True, encoding="utf-8", timeout=60, check=False, **options
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def table() -> pd.DataFrame:
    """200 people: truth T, predictions P and Q, groups A with a prediction AP, weights, runs."""
    rows = pd.DataFrame(
        {
            "T": [1] * 60 + [0] * 40 + [1] * 40 + [0] * 60,
            "P": [1] * 70 + [0] * 30 + [1] * 30 + [0] * 70,
            "Q": [1] * 50 + [0] * 50 + [1] * 45 + [0] * 55,
            "A": ["a"] * 100 + ["b"] * 100,
            "AP": ["a"] * 90 + ["b"] * 100 + ["a"] * 10,
        }
    )
    rows["B"] = ["x", "y"] * 100
    rows["w"] = [0.5, 1.5, 2.0, 1.0] * 50
    rows["seed"] = [1, 2, 10, 2] * 50
    return rows


def write_csv(frame: pd.DataFrame, path: Path) -> Path:
    """Write rows as CSV; a gzip file if the name says so."""
    frame.to_csv(path, index=False)
    return path


def write_parquet(frame: pd.DataFrame, path: Path) -> Path:
    """Write rows as Parquet, with DuckDB."""
    # On the connection of the module: to make one takes longer than to write a small table.
    duckdb.from_df(frame).write_parquet(str(path))
    return path
