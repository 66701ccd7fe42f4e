"""How long work takes, and one line of the table that is printed."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any


def median(work: Callable[[], Any], times: int = 5) -> float:
    """Median seconds of ``times`` calls."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def line(what: str, ratio: float, goal: str, scale: str) -> None:
    """One row of the table."""
    sys.stdout.write(f"{what:<58} {ratio:>10.2f}x   goal {goal:<22} {scale}\n")
    sys.stdout.flush()
