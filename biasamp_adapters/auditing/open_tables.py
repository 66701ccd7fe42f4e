"""Open what a user names as data or reference: a frame, files of a table, or files of counts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from biasamp_adapters._text import placing_errors
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.loading import load_counts
from biasamp_adapters.counts.saved import is_saved
from biasamp_adapters.inputs.files import agree_on_types, expand, open_files, reading


class Table(NamedTuple):
    """Rows to count: a frame, or a DuckDB relation over files, whose text has no types yet."""

    rows: Any
    of_files: bool


def paths_of(given: Any) -> list[str] | None:
    """The paths that a path or a list of paths names; None for anything else."""
    listed = [given] if isinstance(given, str | os.PathLike) else given
    if not isinstance(listed, list | tuple) or not listed:
        return None
    are_paths = all(isinstance(path, str | os.PathLike) for path in listed)
    return [os.fspath(path) for path in listed] if are_paths else None


@contextmanager
def opened(data: Any, reference: Any, *, filename: bool) -> Iterator[tuple[Table, Table | None]]:
    """The tables of data and reference, of which paths name files; None is no reference.

    With ``filename``, the files of the data have a column that says which file a row came from.
    """
    paths = [paths_of(given) for given in (data, reference)]
    with ExitStack() as stack:
        files = [path for listed in paths if listed for path in listed]
        connection = stack.enter_context(reading(files)) if files else None

        def table(given: Any, patterns: list[str] | None, *, filename: bool) -> Table:
            if connection is None or patterns is None:
                return Table(given, False)
            return Table(open_files(connection, patterns, filename=filename), True)

        base = None if reference is None else table(reference, paths[1], filename=False)
        yield table(data, paths[0], filename=filename), base


def with_common_types(
    data: Table,
    reference: Table | None,
    roles: Sequence[Sequence[str]],
    indicators: Sequence[str],
) -> tuple[Table, Table | None]:
    """The tables, with one type for the columns of files that hold the same labels.

    Frames have types of their own.
    """
    of_files = [table.rows for table in (data, reference) if table is not None and table.of_files]
    typed = agree_on_types(of_files, roles, indicators)
    if data.of_files:
        data = Table(typed[0], True)
    if reference is not None and reference.of_files:
        reference = Table(typed[-1], True)
    return data, reference


def are_saved(patterns: Sequence[str]) -> bool:
    """Whether files hold counts, and not tables.

    Raises
    ------
    ValueError
        If there are no files, or some hold counts and some tables.
    """
    files = expand(patterns)
    # A table is never JSON. If all files are Parquet, only one is opened: there may be thousands.
    counts = [name for name in files if name.lower().endswith(".json")]
    others = [name for name in files if name not in counts]
    parquet = [name for name in others if name.lower().endswith(".parquet")]
    for name in parquet if counts else parquet[:1]:
        if is_saved(name):
            others.remove(name)
    if counts and others:
        raise ValueError(
            f"files must all be tables or all be counts; received {counts[0]}, {others[0]}"
        )
    return len(others) < len(files)


def load_saved(patterns: Sequence[str]) -> dict[str, Counts] | None:
    """The counts of files by name; None if the files are tables."""
    return {name: load_counts(name) for name in expand(patterns)} if are_saved(patterns) else None


def sum_of_counts(counts: Mapping[str, Counts] | None) -> Any:
    """Counts of several files, added up; None of no file."""
    total: Any = None
    for name, part in (counts or {}).items():
        try:
            with placing_errors(f"of {name}"):
                total = part if total is None else total + part
        except TypeError:
            raise ValueError("files of counts must all be of labels, or all of matrices") from None
    return total
