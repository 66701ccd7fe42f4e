"""Change counting, metrics and inference in small ways, and check whether the tests fail.

`python mutation.py` draws mutants, writes each into a copy of the project and runs the tests that
call the changed function, fastest first, until one fails. It lists the mutants that survive. Tests
that call no function of the package run last, as they may start other processes.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from mutants import Finder, Mutant

_FORK = multiprocessing.get_context("fork")
_PROJECT, _PACKAGE = Path(__file__).resolve().parents[1], "biasamp_adapters"
_ROOMS = ("counting", "metrics", "inference")
_COLUMNS = ("number", "file", "line", "outcome", "before", "after", "test", "seconds")

_OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
#: Hypothesis is imported before pytest sees it as a plugin, which it would warn about.
_OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]

#: Imported once, before processes are forked: what the package and its tests import.
_IMPORTED = ("pytest", "hypothesis", "pandas", "scipy.stats", "sklearn.linear_model", "polars")
_IMPORTED += ("pyarrow", "duckdb", "narwhals.stable.v2")

#: Tests of the first run, which most mutants do not survive, and the most memory of a run.
_FIRST, _MOST_MEMORY = 40, 8 * 2**30

_GOAL = 0.85


class Watcher:
    """A plugin of pytest: chosen tests in an order, their seconds, and what they call."""

    def __init__(self, order: Iterable[str] | None = None, watched: str | None = None) -> None:
        self.rank = None if order is None else {name: i for i, name in enumerate(order)}
        self.watched = watched
        self.seconds: dict[str, float] = defaultdict(float)
        self.called: dict[str, set[str]] = defaultdict(set)
        self.failed = self.current = ""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Choose and sort."""
        if self.rank is not None:
            items[:] = [item for item in items if item.nodeid in self.rank]
            items.sort(key=lambda item: self.rank[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin to watch a test."""
        self.current = nodeid
        if self.watched is not None:
            threading.settrace(self.trace)
            sys.settrace(self.trace)

    def pytest_runtest_logfinish(self) -> None:
        """Watch no longer."""
        sys.settrace(None)
        threading.settrace(None)

    def trace(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note a function of the package that is called."""
        name, line = frame.f_code.co_filename, frame.f_code.co_firstlineno
        inside = name.removeprefix(self.watched)
        if inside != name and inside.startswith(_PACKAGE):
            self.called[self.current].add(f"{inside}:{line}")

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note seconds, and the first failure."""
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed = self.failed or report.nodeid


# Runs of tests, each in a process of its own.


def run_forked(work: Callable[[], Any], seconds: float) -> tuple[str, Any]:
    """Return "done" and what ``work`` returns, "died" or "timeout"."""
    receiver, sender = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=send_result, args=(work, sender))
    process.start()
    sender.close()
    try:
        answer = ("done", receiver.recv()) if receiver.poll(seconds) else ("timeout", None)
    except EOFError:
        answer = ("died", None)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # Also what the tests started.
    process.join()
    return answer


def send_result(work: Callable[[], Any], sender: Any) -> None:
    """Send what ``work`` returns, in a group of processes of its own and without its output."""
    os.setsid()
    with open(os.devnull, "w") as quiet:
        os.dup2(quiet.fileno(), 1)
        os.dup2(quiet.fileno(), 2)
        sender.send(work())


def run_tests(folder: Path, paths: Iterable[str], watcher: Watcher) -> int:
    """Run tests in this process, of the package in ``folder``."""
    import pytest

    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    os.chdir(folder)
    os.environ["PYTHONPATH"] = str(folder)
    sys.path.insert(0, str(folder))
    return int(pytest.main([*_OPTIONS, *paths], plugins=[watcher]))


def measure_tests(folder: Path, paths: list[str]) -> dict[str, Any]:
    """Return the seconds of each test and the functions that it calls, without a change."""
    watcher = Watcher(watched=f"{folder}{os.sep}")
    status = run_tests(folder, paths, watcher)
    called, seconds = dict(watcher.called), dict(watcher.seconds)
    return {"status": status, "failed": watcher.failed, "seconds": seconds, "called": called}


def run_chosen(folder: Path, names: list[str]) -> tuple[int, str]:
    """Return the status of the chosen tests, and the first that failed."""
    watcher = Watcher(order=names)
    paths = dict.fromkeys(map(file_of, names))
    return run_tests(folder, paths, watcher), watcher.failed


def file_of(test: str) -> str:
    """Return the file of a test."""
    return test.partition("::")[0]


# Mutants.


def choose_tests(mutant: Mutant, measured: dict[str, Any]) -> list[str]:
    """Return the tests to run: those of the function or the file, and those that call nothing."""
    seconds, called = measured["seconds"], measured["called"]
    name = str(mutant.path)
    related = {test for test in called if f"{name}:{mutant.function}" in called[test]}
    if not related:
        related = {test for test in called if any(x.startswith(f"{name}:") for x in called[test])}
    # A fixture or a cache that tests share is called by the first of them alone.
    files = set(map(file_of, related))
    near = {test for test in seconds if file_of(test) in files} - related
    outside = set(seconds) - set(called) - near
    return [test for part in (related, near, outside) for test in sorted(part, key=seconds.get)]


def try_mutant(
    folder: Path, mutant: Mutant, measured: dict[str, Any], timeout: float
) -> tuple[str, str]:
    """Return "found", "timeout", "died" or "survived", and the test that failed."""
    chosen = choose_tests(mutant, measured)
    for names in filter(None, (chosen[:_FIRST], chosen[_FIRST:])):
        seconds = min(timeout, 30 + 5 * sum(measured["seconds"][name] for name in names))
        outcome, seen = run_forked(partial(run_chosen, folder, names), seconds)
        if outcome != "done":
            return outcome, ""
        if seen[0] not in (0, 5):  # 5: no test ran.
            return "found", seen[1]
    return "survived", ""


def try_all(
    folder: Path,
    drawn: Iterable[tuple[int, Mutant]],
    measured: dict[str, Any],
    timeout: float,
    out: Path,
) -> None:
    """Write each mutant into the copy, and what became of it into a file."""
    for number, mutant in drawn:
        path, start = folder / mutant.path, time.monotonic()
        original = path.read_bytes()
        write(path, mutant.source, number + 1)
        outcome, test = try_mutant(folder, mutant, measured, timeout)
        write(path, original, 0)
        texts = (" ".join(text.split()) for text in (mutant.before, mutant.after))
        seconds = f"{time.monotonic() - start:.1f}"
        with out.open("a", newline="", encoding="utf-8") as file:
            row = (number, mutant.path, mutant.line, outcome, *texts, test, seconds)
            csv.writer(file, lineterminator="\n").writerow(row)


def write(path: Path, source: bytes, number: int) -> None:
    """Write a file with a time of its own, so that no compiled file of another one is taken."""
    path.write_bytes(source)
    os.utime(path, (10**9 + number, 10**9 + number))


def all_mutants(folder: Path) -> Iterator[Mutant]:
    """Yield the mutants of all files, in an order that does not change."""
    for room in _ROOMS:
        for path in sorted((folder / _PACKAGE / room).rglob("*.py")):
            yield from Finder(path.relative_to(folder), path.read_bytes()).mutants


# The whole.


def set_environment() -> None:
    """Keep one thread, find the data from a copy, and import what all processes share."""
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    for path in (parent / "shared" / "data" for parent in _PROJECT.parents):
        if path.is_dir():
            os.environ.setdefault("BIASAMP_DATA", str(path))
    # A module of this folder may have the name of a package, such as coverage.
    sys.path[:] = [
        path for path in sys.path if Path(path).resolve() != Path(__file__).resolve().parent
    ]
    for name in _IMPORTED:
        with suppress(ImportError):
            importlib.import_module(name)


def read_rows(out: Path) -> list[dict[str, str]]:
    """Return what became of the mutants so far."""
    if not out.exists():
        out.write_text(",".join(_COLUMNS) + "\n", encoding="utf-8")
    with out.open(encoding="utf-8", newline="") as file:
        return sorted(csv.DictReader(file), key=lambda row: (row["file"], int(row["line"])))


def try_drawn(options: argparse.Namespace, scratch: Path) -> list[dict[str, str]]:
    """Return what became of the mutants that are drawn."""
    out = (options.out or scratch / "mutants.csv").resolve()
    done = {int(row["number"]) for row in read_rows(out)}
    folders, ignored = [], shutil.ignore_patterns("__pycache__", ".*", "_build")
    for job in range(options.jobs):
        folders.append(scratch / f"copy{job}")
        shutil.copytree(_PROJECT, folders[-1], ignore=ignored)
    every = list(all_mutants(folders[0]))
    drawn = list(enumerate(random.Random(options.seed).sample(every, options.mutants)))
    outcome, measured = run_forked(partial(measure_tests, folders[0], options.tests), 3600)
    if outcome != "done" or measured["status"]:
        told = outcome if measured is None else measured["failed"] or measured["status"]
        raise SystemExit(f"the tests must pass without a change; received {told}")
    seconds = measured["seconds"].values()
    sys.stdout.write(f"{len(every)} mutants; {len(seconds)} tests, {sum(seconds):.0f} s\n")
    sys.stdout.flush()
    left = [each for each in drawn if each[0] not in done]
    workers = []
    for job, folder in enumerate(folders):
        arguments = (folder, left[job :: options.jobs], measured, options.timeout, out)
        workers.append(_FORK.Process(target=try_all, args=arguments))
        workers[-1].start()
    for worker in workers:
        worker.join()
    return read_rows(out)


def main() -> None:
    """Draw mutants, try them, and print what survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", nargs="*", default=[], help="files or folders; default: all")
    parser.add_argument("--timeout", type=float, default=300, help="seconds of one run of tests")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, help="a CSV file; one that exists is continued")
    options = parser.parse_args()
    set_environment()
    with tempfile.TemporaryDirectory() as scratch:
        rows = try_drawn(options, Path(scratch))
    outcomes = Counter(row["outcome"] for row in rows)
    for row in (row for row in rows if row["outcome"] == "survived"):
        sys.stdout.write(f"{row['file']}:{row['line']}: {row['before']}  =>  {row['after']}\n")
    share = 1 - outcomes["survived"] / max(len(rows), 1)
    sys.stdout.write(f"\n{len(rows)} of {options.mutants} mutants were tried: {dict(outcomes)}.\n")
    sys.stdout.write(f"{share:.1%} did not survive; the goal is {_GOAL:.0%}.\n")
    sys.exit(0 if share >= _GOAL and len(rows) == options.mutants else 1)


if __name__ == "__main__":
    main()
