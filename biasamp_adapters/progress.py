"""Long work shows a progress bar on a terminal, and says in advance if it takes minutes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Any, TypeVar

from biasamp_adapters.figures import count
from biasamp_adapters.warning import warn

_Step = TypeVar("_Step")

#: Work that has taken so many seconds gets a bar; work that will take so many gets a warning, once
#: so many seconds have shown how fast it is.
_SECONDS_TO_BAR, _SECONDS_TO_WARNING, _SECONDS_TO_FORECAST = 2.0, 60.0, 2.0


def watch(steps: Iterable[_Step], n_steps: int, work: str, shorter: str) -> Iterator[_Step]:
    """Yield steps of equal work.

    Parameters
    ----------
    steps : iterable
    n_steps : int
    work : str
        What is done, such as "replicates".
    shorter : str
        What makes it shorter, such as "a smaller n_boot".
    """
    start, bar, is_forecast = monotonic(), None, False
    try:
        for n_done, step in enumerate(steps):
            elapsed = monotonic() - start
            if not is_forecast and n_done and elapsed > _SECONDS_TO_FORECAST:
                is_forecast, seconds = True, elapsed / n_done * n_steps
                if seconds > _SECONDS_TO_WARNING:
                    minutes = count(round(seconds / 60), "minute")
                    warn(f"the {work} will take about {minutes}; {shorter} makes it shorter")
            if bar is None and elapsed > _SECONDS_TO_BAR and sys.stderr.isatty():
                bar = _start_bar(work, n_steps)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=n_done)
            yield step
    finally:
        if bar is not None:
            bar.stop()


def _start_bar(work: str, n_steps: int) -> Any:
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.add_task(work, total=n_steps)
    bar.start()
    return bar
