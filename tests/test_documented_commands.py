"""Every console command that the documentation shows does what the page says.

A page is run as its reader would: top to bottom, in an empty folder. Python blocks run where they
stand, so that a command finds the files that the page has just written. So do doctests, for which
pytest does not collect these pages again (``collect_ignore``). A command must end with exit code 0,
or the one that a following ``$ echo $?`` shows, and its output must match what is shown, where
``...`` stands for anything.

So are the commands of jobs for continuous integration that a page shows as YAML.

Commands that set up an environment or run the checks themselves (``SET_UP``) are not run here: CI
runs them, in ``.ci/run``.
"""

from __future__ import annotations

import doctest
import io
import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from biasamp_adapters.cli import run

REPOSITORY = Path(__file__).resolve().parents[1]

#: How lines begin that are not run here, because CI runs them.
SET_UP = (
    "git ",
    "cd ",
    "python -m venv ",
    "source ",
    ". ",
    "python -m pip ",
    "pip ",
    "python -m pytest",
    "pytest",
    "python -m sphinx ",
    "sphinx-build ",
    "ruff ",
    "mypy",
    "lint-imports",
    "pre-commit ",
    ".ci/run",
)

#: A block of plain Python that needs one of these is not run where it is not installed.
OPTIONAL = ("dask", "ibis", "polars", "pyarrow", "pyspark")

_RST_BLOCK = re.compile(
    r"^( *)\.\. code-block:: (\w+)\n(?:\1 +:.*\n)*\n((?:\1 +\S.*\n|[ \t]*\n)+)", re.MULTILINE
)
_MD_BLOCK = re.compile(r"^()```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: What the engines of some tabs call is deprecated in the newest pandas and DuckDB.
OF_ENGINES = pytest.mark.filterwarnings("ignore::DeprecationWarning:(dask|ibis)")
_OUTPUT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Step(NamedTuple):
    """One thing that a page tells its reader to do: a command, a job, plain Python or a doctest."""

    line: int
    kind: str
    text: str
    output: str = ""
    exit_code: int = 0
    example: doctest.Example | None = None


def pages() -> list[Path]:
    """The pages of the documentation that we wrote, not those that Sphinx makes of docstrings."""
    written = sorted((REPOSITORY / "docs").rglob("*.rst"))
    made = ("_build", "_templates", "generated")
    top = [REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [path for path in written if not set(made) & set(path.parts)] + top


def commands(line: int, block: str) -> Iterator[Step]:
    """The commands of one console block, with the output and exit code that it shows."""
    text = re.sub(r"\\\n\s*", " ", block)
    parts = re.split(r"^\s*\$ ", text, flags=re.MULTILINE)
    found: list[Step] = []
    for part in parts[1:]:
        command, _, output = part.partition("\n")
        if command.strip() == "echo $?":
            found[-1] = found[-1]._replace(exit_code=int(output))
        elif not command.startswith(SET_UP):
            found.append(Step(line, "command", command.strip(), output.strip()))
    yield from found


def scripts(node: Any) -> Iterator[str]:
    """The commands of a job, as GitHub Actions or GitLab CI name them."""
    if isinstance(node, list):
        for part in node:
            yield from scripts(part)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in ("run", "script"):
                yield from [value] if isinstance(value, str) else value
            else:
                yield from scripts(value)


def jobs(line: int, block: str) -> Iterator[Step]:
    """The commands of a block of YAML."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    for command in scripts(yaml.safe_load(block)):
        if not command.startswith(SET_UP):
            yield Step(line, "job", command)


def steps(path: Path) -> list[Step]:
    """What a page tells its reader to do, in the order of the page."""
    text = path.read_text(encoding="utf-8")
    found: list[Step] = []
    for match in (_RST_BLOCK if path.suffix == ".rst" else _MD_BLOCK).finditer(text):
        line = text.count("\n", 0, match.start(3)) + 1
        _, language, block = match.groups()
        if language in ("console", "bash", "shell", "sh"):
            found += commands(line, block)
        elif language == "yaml":
            found += jobs(line, block)
        elif language in ("python", "py") and ">>>" not in block:
            indent = len(block) - len(block.lstrip(" \n"))
            dedented = re.sub(rf"^ {{{indent}}}", "", block, flags=re.MULTILINE)
            found.append(Step(line, "python", dedented))
    if not found:
        return []
    for example in doctest.DocTestParser().get_examples(text):
        found.append(Step(example.lineno + 1, "doctest", example.source, example=example))
    return sorted(found, key=lambda step: step.line)


def run_command(step: Step, where: str) -> None:
    """Run one command; only ``biasamp`` is known. Its process is tested in ``tests/cli``."""
    program, *arguments = shlex.split(step.text)
    assert program == "biasamp", f"{where}: CI does not run {program!r}; name it in SET_UP if so"
    shown = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(shown), redirect_stderr(shown):
        patch.setattr(sys, "argv", [program, *arguments])
        with pytest.raises(SystemExit) as stopped:
            run()
    assert stopped.value.code == step.exit_code, f"{where}: {step.text}\n{shown.getvalue()}"
    if step.output:
        checker = doctest.OutputChecker()
        wanted, got = step.output + "\n", shown.getvalue()
        assert checker.check_output(wanted, got, _OUTPUT), f"{where}: {step.text}\n{got}"


def run_doctest(step: Step, where: str, names: dict[str, Any]) -> None:
    """Run one interactive example, with the options of pytest's doctests."""
    assert step.example is not None
    test = doctest.DocTest([step.example], names, where, where, 0, None)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    failed = runner.run(test, out=report.append, clear_globs=False).failed
    names.update(test.globs)
    assert not failed, "".join(report)


def run_python(step: Step, where: str, names: dict[str, Any]) -> None:
    """Run a block of plain Python, unless it needs an optional library that is not there."""
    try:
        exec(compile(step.text, where, "exec"), names)
    except ModuleNotFoundError as error:
        if error.name not in OPTIONAL:
            raise


@OF_ENGINES
@pytest.mark.parametrize("page", pages(), ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_commands_of_a_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    to_do = steps(page)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for step in to_do:
        where = f"{page.relative_to(REPOSITORY)}, line {step.line}"
        if step.kind in ("command", "job"):
            run_command(step, where)
        elif step.kind == "python":
            run_python(step, where, names)
        else:
            run_doctest(step, where, names)


@pytest.mark.parametrize("page", pages(), ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_no_command_is_overlooked(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    shown = re.findall(r"^\s*\$ biasamp", text, flags=re.MULTILINE)
    assert len(shown) == sum(step.kind == "command" for step in steps(page))


def test_doctests_are_run_once() -> None:
    here = {path for path in pages() if path.suffix == ".rst" and steps(path)}
    ignored = runpy.run_path(str(REPOSITORY / "conftest.py"))["collect_ignore"]
    assert {REPOSITORY / page for page in ignored} == here


def test_jobs_are_run() -> None:
    page = REPOSITORY / "docs" / "user_guide" / "gates.rst"
    found = [step.text for step in steps(page) if step.kind == "job"]
    assert len(found) == 2
    assert all(text.startswith("biasamp audit predictions.csv --task hired") for text in found)


@OF_ENGINES
def test_every_tab_of_engines_opens_the_same_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = REPOSITORY / "docs" / "user_guide" / "engines.rst"
    write, *tabs, audit = [step.text for step in steps(page) if step.kind == "python"]
    monkeypatch.chdir(tmp_path)
    exec(write, {})
    reports = []
    for tab in tabs:
        names: dict[str, Any] = {}
        run_python(Step(0, "python", tab), "engines.rst", names)
        if "table" in names:
            exec(audit, names)
            reports.append(names["report"].summary)
    assert len(tabs) == 8
    assert len(reports) > 1
    assert all(report == reports[0] for report in reports)
