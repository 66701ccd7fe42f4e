"""Every command that a page shows does what the page says.

A page with commands is run as its reader would: top to bottom, in an empty folder. Its Python
examples run where they stand, so that a command finds the files that the page has just written. A
command must end with exit code 0, or the one that a following ``$ echo $?`` shows, and its output
must match what is shown, where ``...`` stands for anything.
"""

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from biasamp_adapters.cli import main

ROOT = Path(__file__).resolve().parents[1]

#: Set-up and checks, which are not run here, because CI runs them.
NOT_RUN = ("git ", "cd ", "python -m venv ", "source ", "python -m pip ", "pip ", "mypy", ".ci/run")
NOT_RUN += ("python -m pytest", "python -m sphinx ", "ruff ", "lint-imports")


OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Command(NamedTuple):
    """A command of a page, what it prints, and how it ends."""

    line: int
    text: str
    output: str
    exit_code: int = 0


def pages() -> list[Path]:
    made = {"_build", "generated", "notebooks"}
    written = [page for page in sorted(ROOT.glob("docs/**/*.md")) if not made & {*page.parts}]
    return written + sorted(ROOT.glob("*.md"))


def count_words(text: str) -> int:
    """Return how many words a page has; signs alone, such as prompts and lines, are none."""
    return sum(any(map(str.isalnum, word)) for word in text.split())


def commands(text: str) -> Iterator[Command]:
    """Yield the commands of all console blocks of a page."""
    for block in _BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(1)) + 1
        lines = re.sub(r"\\\n\s*", " ", block[1])
        found: list[Command] = []
        for part in re.split(r"^\$ ", lines, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            if command == "echo $?":
                found[-1] = found[-1]._replace(exit_code=int(output))
            elif not command.startswith(NOT_RUN):
                found.append(Command(line, command.strip(), output.strip()))
        yield from found


def run_command(command: Command, capfd: pytest.CaptureFixture[str]) -> None:
    """Run one command in this process; that of an installed package is tested in test_cli.py."""
    program, *arguments = shlex.split(command.text)
    assert program == "biasamp", f"{program} is not run here; name it in NOT_RUN if so"
    capfd.readouterr()
    assert main(arguments) == command.exit_code, capfd.readouterr().err
    shown = "".join(capfd.readouterr())
    wanted = command.output + "\n"
    assert not command.output or doctest.OutputChecker().check_output(wanted, shown, OPTIONS), shown


def run_example(example: doctest.Example, page: str, names: dict[str, Any]) -> None:
    """Run one Python example, with the options of pytest's doctests."""
    test = doctest.DocTest([example], names, page, page, 0, None)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    failed = runner.run(test, out=report.append, clear_globs=False).failed
    names.update(test.globs)
    assert not failed, "".join(report)


@pytest.mark.parametrize(
    "page",
    [page for page in pages() if "```console" in page.read_text(encoding="utf-8")],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_page_with_commands_shows_what_they_print(page, tmp_path, monkeypatch, capfd) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    text = page.read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples(text)
    steps: dict[float, Command | doctest.Example] = {x.lineno + 1: x for x in examples}
    steps |= {x.line + i / 1000: x for i, x in enumerate(commands(text))}
    names: dict[str, Any] = {"__name__": "__main__"}
    for _, step in sorted(steps.items()):
        if isinstance(step, Command):
            run_command(step, capfd)
        else:
            run_example(step, str(page.relative_to(ROOT)), names)


def test_pages_have_at_most_30_000_words() -> None:
    words = {page: count_words(page.read_text(encoding="utf-8")) for page in pages()}
    assert sum(words.values()) <= 30_000, words
