"""Progress bars and status lines for long work, on terminals only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

T = TypeVar("T")

#: Seconds after which work shows a progress bar.
_LONG = 1.0

#: The work that is being shown. Work within other work is not shown.
_shown: list[str] = []


@contextmanager
def _showing(what: str) -> Iterator[None]:
    _shown.append(what)
    try:
        yield
    finally:
        _shown.remove(what)


def progress(items: Iterable[tuple[int, T]], total: int | None, what: str) -> Iterator[T]:
    """Yield items, and show a progress bar once that takes long.

    Each item comes with the number of steps that it stands for; ``total`` is that of all items, if
    it is known.
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
    """Show a status line during work of unknown length."""
    if _shown or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with _showing(what), Console(stderr=True).status(what):
        yield
