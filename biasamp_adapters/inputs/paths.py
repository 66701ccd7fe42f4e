"""Paths: as the user writes them, and as DuckDB takes them."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from pathlib import Path


def expand(patterns: Sequence[str]) -> list[str]:
    """The files that paths and glob patterns name, each once, however it is spelled.

    Raises
    ------
    ValueError
        If a pattern names no file.
    """
    files: dict[tuple[int, int], str] = {}
    for pattern in patterns:
        found = [pattern] if Path(pattern).is_file() else sorted(glob.glob(pattern, recursive=True))
        found = [name for name in found if Path(name).is_file()]
        if not found:
            raise ValueError(f"FILE must be a file or match some; there is none for {pattern!r}")
        for name in found:
            # Another spelling, or a link, leads to the same rows: they count once.
            found_at = os.stat(name)
            files.setdefault((found_at.st_dev, found_at.st_ino), name)
    return list(files.values())


def quoted(text: str) -> str:
    """A string as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def quoted_path(path: str | os.PathLike[str]) -> str:
    """The path of one local file as SQL writes it: DuckDB takes a path for a pattern."""
    return quoted(re.sub(r"([*?\[])", r"[\1]", _local(os.fspath(path))))


def folder_keys(path: str) -> list[str]:
    """The keys of the folders called ``key=value`` that a path names, as Hive lays out tables."""
    folders = Path(_local(path)).parts[:-1]
    return [name.partition("=")[0] for name in folders if name.count("=") == 1]


def _local(path: str) -> str:
    """The same path, absolute where DuckDB would look on the network or in the home folder."""
    return os.path.abspath(path) if path.startswith("~") or ":" in path else path


def same_name(name: str) -> bytes:
    """A key for the name of a column, as DuckDB compares names: the case of ASCII is ignored."""
    return name.encode("utf-8", "surrogateescape").lower()
