"""The counts of COMPAS that come with the package, against published numbers."""

from __future__ import annotations

import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import COMPAS_TREES
from sklearn.tree import DecisionTreeClassifier

import biasamp_adapters as bam
from biasamp_adapters.datasets import (
    compas,
    fetch_compas,
    load_compas_cells,
    load_compas_counts,
    load_published,
)

#: Larson et al. 2016, "truth tables" of the score cut at 5, all defendants with two years of
#: records: of those without a new arrest the lower and higher scores, then of those with one.
TRUTH_TABLES = {
    "all": [2681, 1282, 1216, 2035],
    "African-American": [990, 805, 532, 1369],
    "Caucasian": [1139, 349, 461, 505],
}

#: The same, rows by race within 30 days, as in their notebook.
WITHIN_30_DAYS = {
    "African-American": 3175,
    "Caucasian": 2103,
    "Hispanic": 509,
    "Other": 343,
    "Asian": 31,
    "Native American": 11,
}


def truth_table(cells: pd.DataFrame) -> list[int]:
    """Numbers of people by two-year outcome and score."""
    by = [cells["two_year_recid"], cells["decile_score"] >= 5]
    return cells.groupby(by)["n"].sum().tolist()


def test_the_published_truth_tables() -> None:
    cells = load_compas_cells()
    assert truth_table(cells) == TRUTH_TABLES["all"]
    assert sum(TRUTH_TABLES["all"]) == 7214
    for race in ("African-American", "Caucasian"):
        assert truth_table(cells[cells["race"] == race]) == TRUTH_TABLES[race]


def test_rows_within_30_days() -> None:
    cells = load_compas_cells().query("within_30_days == 1")
    assert cells.groupby("race")["n"].sum().to_dict() == WITHIN_30_DAYS
    assert sum(WITHIN_30_DAYS.values()) == 6172
    # Their notebook: 2,809 of them, 45.51 %, with an arrest within two years.
    assert cells.loc[cells["two_year_recid"] == 1, "n"].sum() == 2809
    # And the levels of age, sex and degree of the charge.
    assert cells.groupby("age_cat")["n"].sum().to_dict() == {
        "25 - 45": 3532,
        "Greater than 45": 1293,
        "Less than 25": 1347,
    }
    assert cells.groupby("sex")["n"].sum().to_dict() == {"Female": 1175, "Male": 4997}


def test_table_6_of_t25() -> None:
    printed = load_published("t25_table_6").query(
        "split == 'unbalanced' and task_label == 'true' and attribute_label == 'true'"
    )
    counts = load_compas_counts(label="is_recid", within_30_days=True, attribute="race")
    found = counts.to_frame().groupby(["task", "race"])["n"].sum()
    races = {0: "Caucasian", 1: "African-American"}
    for row in printed.rename(columns={"count": "n"}).itertuples():
        assert found[row.task, races[row.attribute]] == row.n


def test_error_rates_of_the_report_are_those_that_were_published() -> None:
    # 44.85 and 23.45 per cent of those without a new arrest, 27.99 and 47.72 of those with one.
    report = bam.audit_counts(load_compas_counts(), n_boot=0)
    assert report.summary["data"]["rows"] == 3696 + 2454
    published = {
        "false_positive_rate_difference": [44.85, 23.45],
        "true_positive_rate_difference": [100 - 27.99, 100 - 47.72],
    }
    rows = {row["measure"]: row for row in report.summary["fairness"]}
    for measure, rates in published.items():
        found = [100 * group["value"] for group in rows[measure]["groups"]]
        # Printed to two decimals.
        assert found == pytest.approx(rates, abs=0.006)


def test_verdict_in_points() -> None:
    # New arrests: (532 + 1369) / 3696 = 51.4 % and (461 + 505) / 2454 = 39.4 %. Predicted: (805 +
    # 1369) / 3696 = 58.8 % and (349 + 505) / 2454 = 34.8 %. BA: the mean of 58.8 - 51.4 and
    # 39.4 - 34.8.
    report = bam.audit_counts(load_compas_counts())
    (verdict,) = report.verdicts
    assert verdict["verdict"] == "amplifies"
    expected = ((2174 - 1901) / 3696 + (966 - 854) / 2454) / 2
    value = report.to_frame().set_index(["metric", "direction"])["value"]
    assert value["DirectionalBiasAmplification", "A->T"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("label", ["two_year_recid", "is_recid"])
@pytest.mark.parametrize("attribute", ["race", ["race", "sex"], "age_cat"])
def test_are_the_counts_of_the_rows(shared_data: Path, label: str, attribute: Any) -> None:
    frame = fetch_compas(data_home=shared_data, label=label).frame
    frame["score >= 5"] = (frame["decile_score"] >= 5).astype(int)
    names = {"task": label, "prediction": ["score >= 5"], "attribute": attribute}
    rows = bam.JointCounts.from_frame(frame, **names)
    assert load_compas_counts(label=label, attribute=attribute, within_30_days=True) == rows


def test_thresholds_are_models() -> None:
    two = load_compas_counts(threshold=[5, 8, 5])
    assert two.models == ("score >= 5", "score >= 8")
    assert two.model("score >= 5").n_rows == 6150
    assert two.model("score >= 8") == load_compas_counts(threshold=8)
    scores = load_compas_counts(threshold=None)
    assert scores.models == ("decile_score",)
    assert {*scores.to_frame()["decile_score"]} == {*range(1, 11)}


def test_races() -> None:
    assert load_compas_counts(races=None).n_rows == 7214
    assert load_compas_counts(races=None, within_30_days=True).n_rows == 6172
    assert load_compas_counts(races=["Asian", "Hispanic"]).groups == ("Asian", "Hispanic")


def test_what_the_docstring_says_of_small_cells() -> None:
    cells = load_compas_cells()
    assert len(cells) == 1972
    assert (cells["n"] == 1).sum() == 914
    assert (cells["n"] < 5).sum() == 1580
    assert (cells["n"] > 0).all()
    assert not cells.duplicated([*cells.columns[:-1]]).any()
    # A table of its own for every caller.
    cells["n"] = 0
    assert load_compas_cells()["n"].sum() == 7214


def test_the_note_states_the_source_and_its_checksum() -> None:
    note = files("biasamp_adapters.datasets").joinpath("compas_counts.rst").read_text("utf-8")
    assert compas.SHA256 in note
    for words in ("ProPublica", "Licence", "https://github.com/propublica/compas-analysis"):
        assert words in note


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attribute": "name"}, r"attribute must be one of \['race', .*; received 'name'"),
        ({"attribute": []}, r"attribute must name one column or different ones; received \[\]"),
        ({"attribute": ["sex", "sex"]}, r"different ones; received \['sex', 'sex'\]"),
        ({"label": "decile_score"}, r"label must be one of .*; received 'decile_score'"),
        ({"threshold": 0}, r"threshold must be a whole number from 1 to 10, .* received 0"),
        ({"threshold": [5, 11]}, r"received \[5, 11\]"),
        ({"threshold": []}, r"received \[\]"),
        ({"threshold": 5.5}, r"received 5\.5"),
        ({"threshold": "5"}, r"received '5'"),
        ({"threshold": True}, r"received True"),
        ({"races": ["Martian"]}, r"races must be None or a list out of .* \['Martian'\]"),
        ({"races": "Caucasian"}, r"received 'Caucasian'"),
    ],
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_compas_counts(**options)


def test_the_file_is_what_the_script_makes(example: Any, shared_data: Path) -> None:
    people = compas.published_rows(shared_data, download=False)
    text = example.counts_of(people).to_csv(index=False, lineterminator="\n")
    shipped = files("biasamp_adapters.datasets").joinpath("compas_counts.csv")
    assert shipped.read_text("utf-8") == text


def test_the_script_writes_the_file(
    example: Any, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "counts.csv"
    call = ["compas_counts.py", "--data-home", str(shared_data), "--out", str(out)]
    monkeypatch.setattr(sys, "argv", call)
    example.main()
    shipped = files("biasamp_adapters.datasets").joinpath("compas_counts.csv")
    assert out.read_bytes() == shipped.read_bytes()


def test_the_script_says_in_one_line_what_is_wrong(
    example: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "compas-scores-two-years.csv").write_text("age,race\n30,Caucasian\n")
    monkeypatch.setattr(sys, "argv", ["compas_counts.py", "--data-home", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        example.main()
    assert "must hold the columns of compas-scores-two-years.csv" in capsys.readouterr().err


def test_trees_on_the_rows_give_the_counts_of_the_tests(shared_data: Path) -> None:
    rows = fetch_compas(data_home=shared_data, label="is_recid")
    race = (rows.sensitive_features == "African-American").astype(int)
    predicted = [
        DecisionTreeClassifier(random_state=0).fit(rows.data, labels).predict(rows.data)
        for labels in (rows.target, race)
    ]
    found = Counter(zip(rows.target, race, *predicted, strict=True))
    assert found == {
        (*truth, *said): n for truth, numbers in COMPAS_TREES.items() for said, n in numbers.items()
    }
