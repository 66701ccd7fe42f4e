"""A progress bar for long work: on a terminal, and nowhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

#: Seconds that work may take before it is long.
_LONG = 1.0


def progress(items: Iterable[tuple[int, T]], total: int | None, what: str) -> Iterator[T]:
    """Hand out items, each with the steps it stands for; show a bar once that takes long.

    Parameters
    ----------
    items : iterable of (steps, item)
    total : int, optional
        All steps, if it is known how many there are.
    what : str
        What is being done.
    """
    if not sys.stderr.isatty():
        for _, item in items:
            yield item
        return
    from rich.console import Console
    from rich.progress import Progress

    start = time.monotonic()
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total, visible=False)
        for steps, item in items:
            yield item
            bar.update(task, advance=steps, visible=time.monotonic() - start > _LONG)
