"""Measure time and memory."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


def side_by_side(
    *works: Callable[[], Any],
    times: int = 5,
    limit: float = 60.0,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Median seconds of each of several works, which take turns so that all meet the same noise.

    No new turn begins after ``limit`` seconds.
    """
    taken: list[list[float]] = [[] for _ in works]
    while len(taken[0]) < times and sum(map(sum, taken)) < limit:
        for work, seconds in zip(works, taken, strict=True):
            start = clock()
            work()
            seconds.append(clock() - start)
    return [statistics.median(seconds) for seconds in taken]


def processor_time(*works: Callable[[], Any], times: int = 15) -> list[float]:
    """Median seconds of process time of each of several works, with BLAS on one thread.

    Threads that wait would count as well.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return side_by_side(*works, times=times, clock=time.process_time)


def median(work: Callable[[], Any], times: int = 5) -> float:
    """Median seconds of ``times`` calls."""
    return side_by_side(work, times=times)[0]


def peak_megabytes(work: Callable[[], Any]) -> float:
    """Most memory that Python and numpy held during a call, beyond what they held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


class Process(NamedTuple):
    """What a command cost, and what it wrote."""

    seconds: float
    megabytes: float
    output: str


#: A small process that starts the command, because a child inherits the peak of its parent.
_PARENT = """
import resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
seconds = time.perf_counter() - start
# In kilobytes, but in bytes on macOS.
unit = 1 if sys.platform == "darwin" else 1024
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit / 1e6
print(done.returncode, seconds, peak)
print(done.stdout, done.stderr)
"""


def run_process(command: Sequence[str]) -> Process:
    """Run a command to its end and measure it.

    Raises
    ------
    RuntimeError
        If it fails.
    """
    done = subprocess.run(
        [sys.executable, "-c", _PARENT, *command], capture_output=True, text=True, check=True
    )
    first, output = done.stdout.split("\n", 1)
    code, seconds, peak = first.split()
    if code != "0":
        raise RuntimeError(f"{' '.join(command)} failed: {output}")
    return Process(float(seconds), float(peak), output)
