"""What the command prints: reports as wide as the terminal, or as plain text."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from biasamp_adapters.auditing.render import FULL_WIDTH, WIDTH
from biasamp_adapters.auditing.terminal import body, plain, verdict


def show(summaries: Sequence[Any], written: Sequence[Path], *, full: bool) -> None:
    """Print the reports, which files were written, and the verdicts once more."""
    # Only UTF-8 has all the marks of pictures.
    terminal = sys.stdout.isatty() and _encoding().lower().startswith("utf")
    console = Console(soft_wrap=True)
    width = console.width if sys.stdout.isatty() else FULL_WIDTH if full else WIDTH
    lines: list[Text] = []
    for summary in summaries:
        lines += [Text()] * bool(lines) + body(summary, width, full=full, pictures=terminal)
    lines += [Text(f"wrote {path}") for path in written]
    for summary in summaries:
        lines += verdict(summary, width, named=len(summaries) > 1)
    if terminal:
        console.print(*lines, sep="\n")
    else:
        typer.echo(_encodable(plain(lines)), nl=False)


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


#: What stands for characters where standard output has no Unicode.
_ASCII = str.maketrans(
    {"\u2212": "-", "\u2013": "-", "\u2192": "->", "\u00b7": "|", "\u00d7": "x", "\u2026": "..."}
)


def _encodable(text: str) -> str:
    """Text that standard output can show: without Unicode, a minus must still be a minus."""
    try:
        text.encode(_encoding())
    except UnicodeEncodeError:
        text = text.translate(_ASCII).encode(_encoding(), "backslashreplace").decode(_encoding())
    return text
