"""Progress bars and status lines on terminals, and a warning before work that takes minutes."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from biasamp_adapters._warnings import LongCallWarning, warn

T = TypeVar("T")

#: Seconds after which work shows a progress bar.
_LONG = 1.0

#: Seconds that are left after which a warning says so.
_VERY_LONG = 60.0

#: Seconds that the first item may take without being read as the speed of the others: it also does
#: what is done once.
_FIRST = 10.0

#: The work that is being shown. Work within other work is not shown.
_shown: list[str] = []


@contextmanager
def _showing(what: str) -> Iterator[None]:
    _shown.append(what)
    try:
        yield
    finally:
        _shown.remove(what)


def progress(
    items: Iterable[tuple[int, T]], total: int | None, what: str, shorter: str = ""
) -> Iterator[T]:
    """Yield items, show a progress bar once that takes long, and warn if it will take minutes.

    Each item comes with the number of steps that it stands for; ``total`` is that of all items, if
    it is known. The warning names what makes the work ``shorter``.
    """
    if total is not None:
        items = _forecast(items, total, what, shorter)
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


def _forecast(
    items: Iterable[tuple[int, T]], total: int, what: str, shorter: str
) -> Iterator[tuple[int, T]]:
    """The same items, with a warning as soon as the first ones show that all will take minutes."""
    items, start, before, done = iter(items), time.monotonic(), 0, 0
    for steps, item in items:
        yield steps, item
        now, done = time.monotonic(), done + steps
        if not before and now - start < _FIRST:
            start, before = now, done
        elif now - start > _LONG:
            left = (total - done) * (now - start) / (done - before)
            if left > _VERY_LONG:
                minutes = "a minute" if left < 90 else f"{left / 60:.0f} minutes"
                hint = f"; {shorter}" if shorter else ""
                warn(f"{what} will take about {minutes} more{hint}", LongCallWarning)
            break
    yield from items


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a status line during work of unknown length."""
    if _shown or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with _showing(what), Console(stderr=True).status(what):
        yield
