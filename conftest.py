"""Where pages of the documentation run: each in an empty folder, with a terminal of 80 columns."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent

collect_ignore = ["docs/conf.py"]
# Pages with commands are run by tests/test_documented_commands.py, doctests with them. Pytest still
# runs the doctests of one that is named: python -m pytest docs/command.md
for _page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
    if "```console" in _page.read_text(encoding="utf-8"):
        collect_ignore.append(str(_page.relative_to(ROOT)))

# Pages whose hosts or engines are not installed.
_NEEDED = {
    "docs/fairlearn.md": ["fairlearn"],
    "docs/aif360.md": ["aif360"],
    "docs/guide/engines.md": ["polars", "pyarrow", "dask"],
}
collect_ignore += [page for page, names in _NEEDED.items() if not all(map(find_spec, names))]


@pytest.fixture(autouse=True)
def runs_pages_in_an_empty_folder(request: pytest.FixtureRequest) -> None:
    """Let a page write files, and print as wide as a terminal that nobody has changed."""
    if isinstance(request.node, pytest.DoctestItem) and request.node.path.suffix == ".md":
        monkeypatch = request.getfixturevalue("monkeypatch")
        monkeypatch.chdir(request.getfixturevalue("tmp_path"))
        monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(autouse=True)
def closes_figures() -> Iterator[None]:
    """Close what an example drew: matplotlib warns of more than 20 open figures."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
