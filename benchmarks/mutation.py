"""Change the package in small ways, and check whether the tests fail.

``python -m benchmarks.mutation --sample 500 --seed 0`` draws changes (mutants) of the modules that
count and the metrics, makes each in a copy of the repository, and runs the tests that execute the
changed line, fastest first, until one fails. A mutant that no test notices has survived. One line
of a CSV file is written for each; a second run continues where the first was stopped.

It needs ``cosmic-ray`` and ``coverage``, which are not among the dependencies. Which test executes
which line is measured first, and kept in the file that ``--map`` names.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import itertools
import json
import math
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from benchmarks.mutation_operators import in_annotation, operators

FOLDERS = ("biasamp_adapters/counts", "biasamp_adapters/metrics")
TESTS = ("tests/counts", "tests/metrics", "tests/attackers", *FOLDERS)
COLUMNS = ("draw", "module", "line", "operator", "outcome", "change", "test", "tests", "seconds")

#: A line that runs on import belongs to a tested line at most this many lines below.
_NEAR = 12
#: Hypothesis is imported before pytest sees it as a plugin, which it would warn about.
_QUIET = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
_OPTIONS = [*_QUIET, "-q", "-p", "no:cacheprovider", "-p", "no:cov", "--hypothesis-seed=0"]
#: Tests of the first batch, by which most mutants are killed, and baseline seconds of the second.
_FIRST, _MOST_SECONDS = 30, 60.0
_IMPORTED = ("duckdb", "hypothesis", "narwhals", "pandas", "polars", "pyarrow", "sklearn.tree")
_MOST_MEMORY = 6 * 2**30


@dataclass
class Mutant:
    """One change of one module: the ``occurrence``-th place that the operator fits."""

    module: str
    line: int
    operator: str
    number: int
    occurrence: int

    @cached_property
    def source(self) -> str | None:
        """The changed module; None where it would not compile."""
        operator = list(operators())[self.number]
        try:
            changed = mutate_code(Path(self.module).read_text("utf-8"), operator, self.occurrence)
            compile(changed, self.module, "exec")
        except SyntaxError:
            return None
        return changed

    def change(self) -> str:
        """What became of what, on one line."""
        old = Path(self.module).read_text("utf-8").splitlines()
        new = (self.source or "").splitlines()
        same = next(i for i, (a, b) in enumerate(itertools.zip_longest(old, new)) if a != b)
        tail = len(new) - len(old)
        end = next(
            (i for i in range(len(old), same, -1) if old[i - 1] != new[i - 1 + tail]), same + 1
        )
        return " ".join(
            [*map(str.strip, old[same:end]), "=>", *map(str.strip, new[same : end + tail])]
        )


def mutants() -> Iterator[Mutant]:
    """Every change that the operators know, in an order that does not change."""
    for path in sorted(path for folder in FOLDERS for path in Path(folder).rglob("*.py")):
        nodes = list(ast_nodes(get_ast(path.read_text("utf-8"))))
        for number, operator in enumerate(operators()):
            positions = ((node, at) for node in nodes for at in operator.mutation_positions(node))
            for occurrence, (node, at) in enumerate(positions):
                if not in_annotation(node):
                    name = type(operator).__name__
                    yield Mutant(str(path), at[0][0], name, number, occurrence)


class Order:
    """A plugin of pytest: only these tests, in this order; which failed, and how long each took."""

    def __init__(self, chosen: Iterable[str] | None = None) -> None:
        self.rank = None if chosen is None else {name: i for i, name in enumerate(chosen)}
        self.failed, self.seconds = "", defaultdict[str, float](float)
        self.on_test: Callable[[str], None] = lambda name: None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Choose and sort."""
        if self.rank is not None:
            items[:] = [item for item in items if item.nodeid in self.rank]
            items.sort(key=lambda item: self.rank[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins."""
        self.on_test(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test ends."""
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed = self.failed or report.nodeid


def forked(work: Callable[[], Any], seconds: float) -> Any:
    """What ``work`` returns in a process of its own; None if it dies or takes longer."""
    with tempfile.TemporaryFile("w+") as answer, open(os.devnull, "w") as quiet:
        child = os.fork()
        if not child:
            os.setsid()
            os.dup2(quiet.fileno(), 1)
            os.dup2(quiet.fileno(), 2)
            json.dump(work(), answer)
            answer.flush()
            os._exit(0)
        end = time.monotonic() + seconds
        while not os.waitpid(child, os.WNOHANG)[0]:
            if time.monotonic() > end:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return None
            time.sleep(0.02)
        answer.seek(0)
        text = answer.read()
    return json.loads(text) if text else None


def test_map(path: Path) -> dict[str, Any]:
    """Seconds of every test, and the tests that execute each line: measured, or read again."""
    if not path.exists():
        import coverage

        watch = coverage.Coverage(data_file=None, source=list(FOLDERS))
        order, lines = Order(), defaultdict[str, dict[int, list[str]]](dict)
        order.on_test = watch.switch_context
        watch.start()
        pytest.main([*_OPTIONS, *TESTS], plugins=[order])
        watch.stop()
        for file in watch.get_data().measured_files():
            contexts = watch.get_data().contexts_by_lineno(file)
            name = str(Path(file).relative_to(Path.cwd()))
            lines[name] = {line: [c for c in of if c] for line, of in contexts.items()}
        path.write_text(json.dumps({"seconds": order.seconds, "lines": lines}))
    return json.loads(path.read_text())


def tests_of(mutant: Mutant, known: dict[str, Any]) -> list[str]:
    """Tests that execute the line, fastest first.

    A line that runs on import, such as a decorator, has none: those of the next line that has.
    """
    lines = known["lines"].get(mutant.module, {})
    near = (lines.get(str(mutant.line + i)) for i in range(_NEAR))
    names = set(next(filter(None, near), ())) or set(itertools.chain(*lines.values()))
    return sorted(names, key=lambda name: (known["seconds"].get(name, 0.0), name))


def outcome(
    mutant: Mutant, known: dict[str, Any], most: float, also: Sequence[str]
) -> tuple[str, str, int]:
    """Killed, timeout or survived; the test that noticed; how many were run at most."""
    if also:
        seen = forked(lambda: run(None, also), 60 + 8 * most)
        if seen is None or seen[0] not in (0, 5):
            return ("killed", seen[1], 0) if seen else ("timeout", "", 0)
    tests = tests_of(mutant, known)
    total = itertools.accumulate(known["seconds"].get(name, 0.0) for name in tests)
    within = sum(seconds < most for seconds in total)
    for batch in (tests[:_FIRST], tests[_FIRST:within]):
        if not batch:
            continue
        budget = 60 + 8 * sum(known["seconds"].get(name, 0.0) for name in batch)
        seen = forked(lambda batch=batch: run(batch), budget)
        if seen is None:
            return "timeout", "", len(tests)
        status, failed = seen
        if status not in (0, 5):
            return "killed", failed, len(tests)
    return "survived", "", min(len(tests), max(within, _FIRST))


def run(names: Sequence[str] | None, files: Iterable[str] = ()) -> tuple[int, str]:
    """Run tests in this process."""
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    order = Order(names)
    files = files or dict.fromkeys(name.split("::")[0] for name in names or ())
    status = pytest.main([*_OPTIONS, "-x", *files], plugins=[order])
    return int(status), order.failed


def work(
    sample: Iterable[tuple[int, Mutant]],
    known: dict[str, Any],
    out: Path,
    most: float = _MOST_SECONDS,
    also: Sequence[str] = (),
) -> None:
    """Make each change in a copy of the repository, and write what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "main"
        ignored = shutil.ignore_patterns(".git", ".hypothesis", "_build", ".mypy_cache")
        shutil.copytree(Path.cwd(), copy, ignore=ignored)
        os.chdir(copy)
        sys.path[:0] = [str(copy)]
        os.environ |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        sys.dont_write_bytecode = True
        for draw, mutant in sample:
            if mutant.source is None:
                continue
            path, start, change = Path(mutant.module), time.monotonic(), mutant.change()
            original = path.read_text("utf-8")
            for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
                compiled.unlink()
            path.write_text(mutant.source, "utf-8")
            try:
                result, test, tests = outcome(mutant, known, most, also)
            finally:
                path.write_text(original, "utf-8")
            shutil.rmtree(".hypothesis", ignore_errors=True)
            row = (draw, mutant.module, mutant.line, mutant.operator, result, change, test, tests)
            with out.open("a", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow((*row, round(time.monotonic() - start, 1)))


def wilson(killed: int, of: int, z: float = 1.959964) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's score."""
    share, extra = killed / of, z**2 / of
    half = z * math.sqrt(share * (1 - share) / of + extra / (4 * of))
    return (share + extra / 2 - half) / (1 + extra), (share + extra / 2 + half) / (1 + extra)


def summary(out: Path) -> Iterator[str]:
    """Scores of all of it, by module and by operator."""
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for by in ("", "folder", "module", "operator"):
        groups = defaultdict[str, list[bool]](list)
        for row in rows:
            row["folder"] = str(Path(row["module"]).parent)
            groups[row.get(by, "all")].append(row["outcome"] != "survived")
        for name, killed in sorted(groups.items()):
            low, high = wilson(sum(killed), len(killed))
            share = sum(killed) / len(killed)
            yield f"{name:60} {sum(killed):4}/{len(killed):<4} {share:.3f} [{low:.3f}, {high:.3f}]"


def main() -> None:
    """Draw, run and print the scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=500, help="mutants to draw")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path("docs/_static/mutation/results.csv"))
    parser.add_argument("--draws", type=int, nargs="+", help="only these of the sample")
    parser.add_argument("--also", nargs="+", default=[], help="files of tests to run first")
    parser.add_argument(
        "--most", type=float, default=_MOST_SECONDS, help="seconds of tests for one mutant"
    )
    parser.add_argument("--map", type=Path, default=Path("build/mutation_map.json"))
    options = parser.parse_args()
    out = options.out.resolve()
    for path in (out, options.map):
        path.parent.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("BIASAMP_DATA", str(Path.cwd().parent / "shared" / "data"))
    os.environ.setdefault("HYPOTHESIS_PROFILE", "full")  # as in CI
    known = forked(lambda: test_map(options.map), math.inf)
    every = list(mutants())
    random.Random(options.seed).shuffle(every)
    if not out.exists():
        out.write_text(",".join(COLUMNS) + "\n", "utf-8")
    with out.open(encoding="utf-8", newline="") as file:
        done = {int(row["draw"]) for row in csv.DictReader(file)}
    left = [
        (draw, mutant)
        for draw, mutant in enumerate(every[: options.sample])
        if draw not in done and (options.draws is None or draw in options.draws)
    ]
    sys.stdout.write(f"{len(left)} to run of {len(every)} mutants\n")
    sys.stdout.flush()
    # What the package and the tests import, not the package itself: once, before dividing.
    for name in _IMPORTED:
        importlib.import_module(name)
    for job in range(options.jobs):
        if not os.fork():
            work(left[job :: options.jobs], known, out, options.most, options.also)
            os._exit(0)
    for _ in range(options.jobs):
        os.wait()
    sys.stdout.writelines(line + "\n" for line in summary(out))


if __name__ == "__main__":
    main()
