"""The tables of the package: published numbers, and what can go wrong with a download."""

import gzip
import io
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import BadStatusLine
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

import biasamp_adapters as bam

NAME = "compas-scores-two-years.csv"
SCRIPT = Path(__file__).parents[1] / "benchmarks" / "make_datasets.py"

# COMPAS, from counts.


@pytest.mark.parametrize(
    ("race", "published"),
    [("African-American", [990, 805, 532, 1369]), ("Caucasian", [1139, 349, 461, 505])],
)
def test_load_compas_has_the_published_truth_tables(race, published) -> None:
    # Larson et al. 2016: lower and higher scores without, then with a new arrest in two years.
    records = bam.datasets.load_compas().query("race == @race")
    is_high = records["decile_score"] >= 5
    assert records.groupby(["two_year_recid", is_high]).size().tolist() == published


def test_load_compas_within_30_days_has_the_published_rows() -> None:
    records = bam.datasets.load_compas().query("within_30_days == 1")
    expected = {"African-American": 3175, "Caucasian": 2103, "Hispanic": 509, "Other": 343}
    expected |= {"Asian": 31, "Native American": 11}
    assert records["race"].value_counts().to_dict() == expected
    assert records["two_year_recid"].sum() == 2809


# COMPAS, as published.


def published_file(data_folder: Path) -> bytes:
    """Return the real rows as the source has them: more columns, two names twice, CRLF, names."""
    table = pd.read_csv(data_folder / f"{NAME}.gz", dtype=str, keep_default_na=False)
    table.insert(0, "name", "josé doe")
    table.insert(1, "dob", "1970-01-01")
    repeated = pd.DataFrame({"decile_score": "10", "priors_count": "99"}, index=table.index)
    table = pd.concat([table[table.columns[::-1]], repeated], axis=1)
    return table.to_csv(index=False, lineterminator="\r\n").encode("latin-1")


@pytest.fixture
def answer_with(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], list[str]]:
    """Return a function that puts an answer, or an error, in the place of the network."""

    def set_answer(answer: bytes | Exception) -> list[str]:
        asked = []

        def urlopen(url: str, timeout: float) -> io.BytesIO:
            assert timeout > 0
            asked.append(url)
            if isinstance(answer, Exception):
                raise answer
            return io.BytesIO(answer)

        monkeypatch.setattr(urllib.request, "urlopen", urlopen)
        return asked

    return set_answer


@pytest.fixture(autouse=True)
def no_network(answer_with: Callable[[Any], list[str]]) -> None:
    """Fail where a test asks for the network without saying so."""
    answer_with(AssertionError("this test must not use the network"))


def test_fetch_compas_cached_table_has_the_published_columns(data_folder) -> None:
    people = bam.datasets.fetch_compas(data_home=data_folder)
    assert people.shape == (7214, 14)
    first = people.iloc[0]
    expected = [69, "Greater than 45", "Male", "Other"]
    assert first[["age", "age_cat", "sex", "race"]].tolist() == expected
    numbers = people.drop(columns=["age_cat", "sex", "race", "c_charge_degree", "score_text"])
    assert numbers.pop("days_b_screening_arrest").isna().sum() == 307
    assert set(numbers.dtypes) == {np.dtype("int64")}


def test_fetch_compas_missing_table_is_downloaded_once(data_folder, tmp_path, answer_with) -> None:
    asked = answer_with(published_file(data_folder))
    home = tmp_path / "new"
    downloaded = bam.datasets.fetch_compas(data_home=home)
    cached = bam.datasets.fetch_compas(data_home=home)
    expected = bam.datasets.fetch_compas(data_home=data_folder)
    pd.testing.assert_frame_equal(downloaded, expected)
    pd.testing.assert_frame_equal(cached, expected)
    source = "https://raw.githubusercontent.com/propublica/compas-analysis/master/"
    assert asked == [source + NAME]
    # What is kept has no names of people.
    assert [path.name for path in home.iterdir()] == [NAME]
    kept = (home / NAME).read_bytes()
    assert kept == gzip.decompress((data_folder / f"{NAME}.gz").read_bytes())
    assert b"doe" not in kept


def test_fetch_compas_file_put_there_by_hand_is_read(data_folder, tmp_path) -> None:
    (tmp_path / NAME).write_bytes(published_file(data_folder))
    people = bam.datasets.fetch_compas(data_home=tmp_path)
    pd.testing.assert_frame_equal(people, bam.datasets.fetch_compas(data_home=data_folder))


def test_fetch_compas_not_there_raises(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "of_scikit_learn"))
    with pytest.raises(FileExistsError, match="File exists"):
        bam.datasets.fetch_compas(data_home=__file__)
    for home, folder in ((tmp_path, tmp_path), (None, tmp_path / "of_scikit_learn")):
        with pytest.raises(FileNotFoundError, match=f"{folder} must hold {NAME} if"):
            bam.datasets.fetch_compas(data_home=home, download_if_missing=False)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (urllib.error.URLError("Name or service not known"), "Name or service not known"),
        (urllib.error.HTTPError("", 404, "Not Found", None, None), "HTTP Error 404"),  # type: ignore[arg-type]
        (TimeoutError(), "TimeoutError"),
        (BadStatusLine("?"), r"\?"),
    ],
)
def test_fetch_compas_without_network_raises(tmp_path, answer_with, error, reason) -> None:
    answer_with(error)
    message = rf"^https://.*{NAME} cannot be downloaded \(.*{reason}.*\).* into {tmp_path}.*load_"
    with pytest.raises(ConnectionError, match=message):
        bam.datasets.fetch_compas(data_home=tmp_path)
    assert list(tmp_path.iterdir()) == []


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "a value": lambda text: text.replace(b"\n69,", b"\n68,", 1),
    "a row less": lambda text: text[: text.rstrip().rindex(b"\n") + 1],
    "another order": lambda text: b"\n".join([*text.split(b"\n")[:1], *text.split(b"\n")[:0:-1]]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_fetch_compas_refuses_changed_rows(data_folder, tmp_path, change) -> None:
    text = gzip.decompress((data_folder / f"{NAME}.gz").read_bytes())
    changed = CHANGES[change](text)
    assert changed != text
    path = tmp_path / NAME
    path.write_bytes(changed)
    rows = 7213 if change == "a row less" else 7214
    with pytest.raises(OSError, match=rf"^{path} must hold ProPublica's rows .* {rows} rows"):
        bam.datasets.fetch_compas(data_home=tmp_path)
    assert path.read_bytes() == changed


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no gzip",
        gzip.compress(b"age,race\n" * 99, mtime=0)[:-9],
        gzip.compress(b"age,race\n20,Other", mtime=0),
    ],
    ids=["empty", "text", "cut", "other columns"],
)
def test_fetch_compas_unreadable_file_is_named(tmp_path, content) -> None:
    path = tmp_path / f"{NAME}.gz"
    path.write_bytes(content)
    with pytest.raises(OSError, match=rf"^{path} must be ProPublica's table; it cannot be read"):
        bam.datasets.fetch_compas(data_home=tmp_path)


@pytest.mark.parametrize("content", [b"", b"<html>\nlog in\n</html>\n"], ids=["empty", "login"])
def test_fetch_compas_of_another_file_keeps_nothing(tmp_path, answer_with, content) -> None:
    answer_with(content)
    with pytest.raises(OSError, match=r"^https://.* must be ProPublica's table"):
        bam.datasets.fetch_compas(data_home=tmp_path)
    assert list(tmp_path.iterdir()) == []


# Diabetes.


def test_load_diabetes_audit_has_the_patients_of_scikit_learn() -> None:
    source = load_diabetes(scaled=False, as_frame=True).frame
    patients = bam.datasets.load_diabetes_audit()
    assert len(patients) == len(source) == 442
    assert patients.equals(bam.datasets.load_diabetes_audit())
    high = source["target"] > source["target"].median()
    expected = source.groupby(["sex", high]).size()
    counts = patients.groupby(["sex", "high_progression"]).size()
    assert counts.tolist() == expected.tolist() == [118, 117, 103, 104]
    groups = patients["age_group"].value_counts()
    assert groups["under 40"] == (source["age"] < 40).sum() == 117
    assert groups["60 and over"] == (source["age"] >= 60).sum() == 103


def test_load_diabetes_audit_predictions_follow_from_the_score() -> None:
    patients = bam.datasets.load_diabetes_audit()
    score = patients["high_progression_score"]
    tenths = [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]
    assert sorted(set(score)) == tenths
    assert patients["high_progression_pred"].tolist() == (score >= 0.5).astype(int).tolist()
    assert set(patients["sex_pred"]) == {"sex 1", "sex 2"}


# How the files are made, and what reading them takes.


def test_make_datasets_writes_the_files_of_the_package(data_folder, tmp_path) -> None:
    command = [sys.executable, SCRIPT, tmp_path, "--data-home", data_folder]
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "compas_counts.csv: 7,214 records" in ended.stdout
    for name in ("compas_counts.csv", "diabetes_counts.csv"):
        source = files("biasamp_adapters.datasets") / name
        assert (tmp_path / name).read_bytes() == source.read_bytes()


def test_load_without_download_leaves_scikit_learn_alone() -> None:
    calls = "bam.datasets.load_compas(); bam.datasets.load_diabetes_audit()"
    program = f"import sys, biasamp_adapters as bam; {calls}; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
