"""The notebooks of the hosts run at the first try, and are short."""

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))

#: What the last cell of each shows, in part.
SHOWN = {
    "aif360": "two_year_recid = 0 is marked as favourable",
    "fairlearn": "the gap between African-American and Caucasian in two_year_recid = 1 grows",
    "scikit_learn": "the bound: the mean of amplification is at most 0.04.",
}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_has_few_lines(path, capsys) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    lines = [line for code in codes for line in code.splitlines() if line.strip()]
    assert len(lines) <= 15
    scope: dict[str, object] = {}
    *earlier, last = codes
    for code in earlier:
        exec(code, scope)
    shown = capsys.readouterr().out
    if last.startswith("print"):
        exec(last, scope)
        shown = capsys.readouterr().out
    else:
        shown = " ".join(str(eval(last, scope)).split())
    assert SHOWN[path.stem] in shown


def test_notebooks_are_those_of_the_three_hosts() -> None:
    assert [path.stem for path in NOTEBOOKS] == [*SHOWN]
