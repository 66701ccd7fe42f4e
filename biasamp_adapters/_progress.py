"""What long work shows on a terminal, and nowhere else: a bar, or that it goes on."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

T = TypeVar("T")

#: Seconds that work may take before it is long.
_LONG = 1.0

#: What is being shown. Work within other work shows nothing of its own.
_shown: list[str] = []


@contextmanager
def _showing(what: str) -> Iterator[None]:
    _shown.append(what)
    try:
        yield
    finally:
        _shown.remove(what)


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

    start, done = time.monotonic(), 0
    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=total)
    with ExitStack() as stack:
        for steps, item in items:
            yield item
            done += steps
            if not _shown and time.monotonic() - start > _LONG:
                stack.enter_context(_showing(what))
                stack.enter_context(bar)
            bar.update(task, completed=done)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show that something of unknown length is being done."""
    if _shown or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with _showing(what), Console(stderr=True).status(what):
        yield
