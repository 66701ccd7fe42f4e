"""Each study of the papers gives the tables of its page, and each number of a page is in them.

The tables of docs/studies are what the scripts write. The arithmetic that is visible here comes
from the papers or from counts: [W21] is Wang and Russakovsky, "Directional Bias Amplification",
2021, and [T25] is Tokas, Nair and Kerner, "DPA", 2025.
"""

import importlib
import inspect
import re
import subprocess
import sys
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES, PAGES = ROOT / "examples", ROOT / "docs" / "studies"
STUDIES = sorted(path.stem for path in EXAMPLES.glob("[a-z]*.py"))

#: How far a number may be from that of the page. Other processors and versions of scikit-learn
#: round otherwise, so that a prediction or two of 640 may change where networks are trained.
ATOL = {"attackers": 0.02, "masks_on_digits": 0.02, "runs_and_ratios": 0.02}
ROUNDING = 1.01e-4

#: Of networks, the test trains some, and compares the rows of the page with these values.
QUICK: dict[str, Any] = {"attackers": {"epochs": [2]}, "masks_on_digits": {"masks": ["full"]}}

NUMBER = re.compile(r"−?\d[\d,]*(?:\.\d+)?")


def numbers(text: str) -> list[float]:
    found = NUMBER.findall(text)
    return [float(number.replace("−", "-").replace(",", "")) for number in found]


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(PAGES / "tables" / f"{name}.csv", dtype=str, keep_default_na=False)


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module


@pytest.mark.parametrize("name", STUDIES)
def test_study_gives_its_tables(study, name, request) -> None:
    find = study(name).find
    needs_data = "data_home" in inspect.signature(find).parameters
    options = QUICK.get(name, {})
    tables = find(request.getfixturevalue("data_folder")) if needs_data else find(**options)
    for part, found in tables.items():
        page, ours = table(f"{name}_{part}"), found.map(str)
        for values in options.values():
            page = page[page.isin([str(value) for value in values]).any(axis=1)]
        assert [*ours] == [*page]
        assert len(ours) == len(page)
        for column in page:
            for cell, expected in zip(ours[column], page[column], strict=True):
                assert NUMBER.sub("0", cell) == NUMBER.sub("0", expected), column
                atol = ATOL.get(name, ROUNDING)
                assert numbers(cell) == pytest.approx(numbers(expected), abs=atol), column
                if name in ATOL and "±" in expected:  # A mean that is clearly not 0 keeps its sign.
                    mean, half = numbers(expected)
                    assert abs(mean) <= half or mean * numbers(cell)[0] > 0, column


def test_study_as_a_command_prints_and_writes_its_tables(tmp_path) -> None:
    command = [sys.executable, str(EXAMPLES / "worked_examples.py"), "--write", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "two groups, second model   MALS  0.033  0.0333   exact" in done.stdout
    written = (tmp_path / "worked_examples_values.csv").read_bytes()
    assert written == (PAGES / "tables" / "worked_examples_values.csv").read_bytes()


#: Numbers of the pages that no table has, with the arithmetic.
ARITHMETIC = {
    "behaviour": [-0.24, 0.24],  # The grid of the script.
    "corpus_constraints": [0.0103, 0.0129, 0.712],  # Printed in [W21] 3.3.
    "index": [0.06],  # Printed in [T25] 3.2.
    "nine_models": [round(100 * 2 / 205, 3)],
}


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_page_has_the_numbers_of_its_tables_alone(page) -> None:
    text = page.read_text(encoding="utf-8")
    names = re.findall(r":file: tables/(\w+)\.csv", text)
    cells = " ".join(" ".join(table(name).to_numpy().ravel()) for name in names)
    headers = " ".join(" ".join(table(name).columns) for name in names)
    allowed = np.array([*numbers(cells), *numbers(headers), *ARITHMETIC.get(page.stem, [])])
    prose = re.sub(r"\[[WT]\d\d\] [\d., and]+|\(?3\.2|J, Fig|Eq\. \d+", "", text)
    for number in re.findall(r"−?\d+\.\d+", prose):
        value, decimals = numbers(number)[0], len(number.partition(".")[2])
        assert (abs(allowed - value) <= 0.5 * 10.0**-decimals + 1e-9).any(), number


def test_every_table_is_on_one_page() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES.glob("*.md"))
    included = re.findall(r":file: tables/(\w+)\.csv", text)
    assert sorted(included) == sorted(path.stem for path in (PAGES / "tables").glob("*.csv"))


# Independent arithmetic.


def test_shortcuts_limits_hold_for_predictions_at_the_bound() -> None:
    # Of 100 rows of each of two groups, half of them positive, 80 and 20 are predicted positive,
    # and as many as possible of them are right: 50 and 20 hits, 20 and 50 right negatives.
    truth = np.tile([1] * 50 + [0] * 50, 2)
    predicted = np.r_[[1] * 80, [0] * 20, [1] * 20, [0] * 80]
    data = {"y_true": truth, "y_pred": predicted, "sensitive_features": np.repeat(["a", "b"], 100)}
    multi = bam.multi_attribute_bias_amplification(**data)
    assert multi == pytest.approx(0.3)
    assert (truth == predicted).mean() == pytest.approx(1 - multi)
    h = -0.8 * log(0.8) - 0.2 * log(0.2)
    metric = bam.DirectionalPredictabilityAmplification(equalize=None)
    assert metric(**data) == pytest.approx((log(2) - h) / (log(2) + h))
