"""What a terminal shows: tables and progress; what a pipe gets: plain text that keeps still."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command import COLUMNS, process, table, write_csv

ESCAPE = "\x1b["


def on_terminal(*arguments: object, width: int = 100, **env: str) -> str:
    """Everything that the command writes to a terminal of so many columns."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "biasamp_adapters.cli", *map(str, arguments)]
    running = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": str(width), **env},
    )
    os.close(theirs)
    out = b""
    while True:
        try:
            read = os.read(ours, 65536)
        except OSError:
            # Of Linux, once the other end is closed.
            break
        if not read:
            break
        out += read
    assert running.wait(timeout=60) == 0
    os.close(ours)
    return out.decode("utf-8")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The people, two of whose columns have names that would like to be markup."""
    rows = table().rename(columns={"P": "[red]P[/red]"})
    rows["A"] = rows["A"].map({"a": "[bold]a", "b": "\x1b[31mb"})
    return write_csv(rows, tmp_path_factory.mktemp("people") / "people.csv")


@pytest.fixture(scope="module")
def options(people: Path) -> list[object]:
    """An audit of them."""
    named = ["[red]P[/red]" if name == "P" else name for name in COLUMNS]
    return ["audit", people, *named, "--n-boot", 50]


@pytest.fixture(scope="module")
def shown(options: list[object]) -> str:
    """What a terminal of 100 columns shows."""
    return on_terminal(*options)


def test_terminal_has_tables(shown: str) -> None:
    assert "─────" in shown
    assert "Bias amplification audit" in shown
    # Labels are text: not markup, and nothing that drives the terminal.
    assert "[red]P[/red]" in shown
    assert "[bold]a" in shown
    assert "\x1b[31mb" not in shown
    lines = re.sub("\x1b\\[[0-9;?]*[a-zA-Z]", "", shown).replace("\r", "\n").split("\n")
    assert max(map(len, lines)) == 100


def test_notes_stand_below_their_table(options: list[object]) -> None:
    shown = on_terminal(*options, NO_COLOR="1", width=200)
    rows = json.loads(process(*options, "--json", "-").out)["metrics"]
    noted = [row for row in rows if row["note"]]
    assert noted
    for row in noted:
        # The first words; the rest is on the next line.
        assert f"{row['name']}: {row['note'][:60]}" in shown


def test_progress_is_shown_on_a_terminal(shown: str) -> None:
    assert "Counting rows" in shown


def test_pipe_gets_plain_text(options: list[object]) -> None:
    ended = process(*options)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Bias amplification audit\n")
    assert ESCAPE not in ended.out
    assert "─" not in ended.out
