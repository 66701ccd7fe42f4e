"""Pages of the documentation: code fits into its box, and the samples that they show are made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"

PAGES = sorted(
    path
    for ending in ("rst", "md")
    for path in DOCS.rglob(f"*.{ending}")
    if not {"_build", "_templates", "generated"} & {*path.parts}
)

#: Characters that a box holds: code in a window of 1,280 pixels, output in one of 1,440. They
#: follow from the widths and the size of type in ``docs/_static/pages.css``.
CODE, OUTPUT = 79, 95

_DOCTEST = re.compile(r"\s*(>>>|\.\.\.)( |$)")
_DIRECTIVE = re.compile(r"(\s*)\.\. (?:code-block|parsed-literal):: ?(\w*)")
_FENCE = re.compile(r"\s*```(\w*)")


def long_lines(text: str) -> Iterator[tuple[int, str]]:
    """Number and text of the lines of code and output that are longer than their box."""
    in_example, indent, language = False, None, None  # of the block that is read
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        depth = len(line) - len(line.lstrip())
        if indent is not None and bare and depth <= indent:
            indent = language = None
        if match := _FENCE.match(line):
            language, indent = (match[1] or "text", -1) if language is None else (None, None)
            continue
        if match := _DIRECTIVE.match(line):
            indent, language = len(match[1]), match[2] or "text"
            continue
        is_code = bool(_DOCTEST.match(line))
        in_example = bool(bare) and (is_code or in_example)
        if not in_example and language is None:
            continue
        limit = OUTPUT if (in_example and not is_code) or language == "text" else CODE
        # The box shows a block without the indentation that it has in the page.
        if len(bare) > limit:
            yield number, bare


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_code_fits_into_its_box(page: Path) -> None:
    found = [*long_lines(page.read_text(encoding="utf-8"))]
    assert not found, "\n".join(f"{number}: {len(line)}: {line}" for number, line in found)


def test_long_lines_of_a_page() -> None:
    code, output = "x" * (CODE - 3), "y" * OUTPUT
    page = f"""\
{"A sentence may be long. " * 9}

>>> {code}
{output}y

.. code-block:: python

   {code}xxxx

   {code}xxx

```text
{output}y
{output}
```
"""
    assert [number for number, _ in long_lines(page)] == [3, 4, 8, 13]


def test_the_header_has_room_for_its_entries() -> None:
    _, tree = (DOCS / "index.rst").read_text(encoding="utf-8").split(".. toctree::")
    assert len(re.findall(r"^   [^:\s]", tree, flags=re.MULTILINE)) == 6


def test_samples_of_pages_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS)
    from sample_reports import write

    write(tmp_path)
    written = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    shown = {
        name
        for page in PAGES
        for name in re.findall(r"\bsamples/([\w.]+)", page.read_text(encoding="utf-8"))
    }
    assert shown == {*written}
    for text in written.values():
        assert not re.search(r"(src|href)=\"http|url\((?!#|data:)", text)
    assert "amplifies bias" in written["compas.html"]
    assert "Verdict:" in written["terminal.svg"].replace("&#160;", " ")
