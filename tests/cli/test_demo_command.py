"""``biasamp demo``: a report on real data, without a download unless rows of COMPAS are wanted."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from command import Ended, biasamp, new_process, process

import biasamp_adapters as bam
from biasamp_adapters.datasets import load_compas_audit, load_compas_counts, load_diabetes_audit

FAST = ["--n-boot", "50"]
#: No request leaves the machine: nothing listens at the proxy.
OFFLINE = {"https_proxy": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "no_proxy": ""}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, from which nothing can be downloaded."""
    for name, value in OFFLINE.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "scikit-learn"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def expected(data: Any) -> dict[str, Any]:
    """The audit of the demonstration's rows."""
    return bam.audit(
        data.y_true,
        data.y_pred,
        sensitive_features=data.sensitive_features,
        sensitive_features_pred=data.sensitive_features_pred,
        reference=data.reference,
        n_boot=50,
        title=data.title,
    ).summary


def test_writes_the_page_offline(folder: Path) -> None:
    # As on a machine that has never drawn anything, and where nothing can be kept.
    environment = {**os.environ, "MPLCONFIGDIR": "/dev/null/fonts"}
    ended = new_process("demo", cwd=folder, env=environment)
    assert (ended.code, ended.err) == (0, "")
    assert [path.name for path in folder.iterdir()] == ["biasamp-demo.html"]
    page = (folder / "biasamp-demo.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "COMPAS: recidivism and race" in page
    assert "score &gt;= 5 amplifies bias" in page
    # The name of SVG is no address that a browser opens.
    assert not re.search(r"https?://", page.replace("http://www.w3.org/2000/svg", ""))
    assert ended.out.startswith("COMPAS: recidivism and race\n")
    assert "wrote biasamp-demo.html\nVerdict: " in ended.out
    assert not (folder.parent / "scikit-learn").exists()


@pytest.mark.parametrize("attributes", [[], ["sex"], ["race", "sex"]])
def test_is_the_audit_of_the_counts(folder: Path, attributes: list[str]) -> None:
    options = [option for name in attributes for option in ("--attribute", name)]
    ended = biasamp("demo", *FAST, *options, "--json", "demo.json")
    assert (ended.code, ended.err) == (0, "")
    found = json.loads((folder / "demo.json").read_text(), parse_constant=pytest.fail)
    attribute = attributes or ["race"]
    expected = bam.audit_counts(
        load_compas_counts(attribute=attribute),
        y_score=load_compas_counts(attribute=attribute, threshold=None),
        n_boot=50,
        title=f"COMPAS: recidivism and {' and '.join(attribute)}",
    )
    assert found == expected.summary
    # 3,696 + 2,454 people, at ten thresholds and above them all.
    assert found["data"]["rows"] == 6150
    assert [len(curve["points"]) for curve in found["sweeps"]] == [11]


def test_rows_of_diabetes(folder: Path) -> None:
    ended = biasamp("demo", "--dataset", "diabetes", *FAST, "--json", "demo.json")
    assert ended.code == 0
    found = json.loads((folder / "demo.json").read_text(), parse_constant=pytest.fail)
    assert found == expected(load_diabetes_audit())
    # Half of the 442 rows; the other half are the reference.
    assert found["data"]["rows"] == 221
    assert found["data"]["reference"] == "reference data of 221 rows"


def test_repeats(folder: Path) -> None:
    def call(name: str, *options: str) -> tuple[Ended, bytes]:
        ended = biasamp("demo", *FAST, "--html", name, *options)
        return ended, (folder / name).read_bytes()

    first, page = call("1.html")
    again, same = call("2.html")
    assert same == page
    assert again.out.replace("2.html", "1.html") == first.out
    _, other = call("3.html", "--seed", "1")
    assert other != page


def test_compas_from_a_folder(folder: Path, shared_data: Path) -> None:
    # A copy: the shared folder may be read only.
    home = folder.parent / "home"
    home.mkdir()
    shutil.copyfile(
        shared_data / "compas-scores-two-years.csv.gz", home / "compas-scores-two-years.csv.gz"
    )
    options = ["--data-home", home, "--html", "compas.html", "--json", "compas.json"]
    ended = biasamp("demo", "--dataset", "compas-rows", *FAST, *options)
    assert (ended.code, ended.err) == (0, "")
    found = json.loads((folder / "compas.json").read_text(), parse_constant=pytest.fail)
    assert found == expected(load_compas_audit(home))
    assert found["data"]["rows"] == 2639
    assert [of["label"] for of in found["data"]["groups"]] == ["African-American", "Caucasian"]
    assert "COMPAS: recidivism and race" in (folder / "compas.html").read_text(encoding="utf-8")
    assert [path.name for path in home.iterdir()] == ["compas-scores-two-years.csv.gz"]


@pytest.mark.parametrize("as_process", [False, True])
def test_compas_offline_without_data(folder: Path, as_process: bool) -> None:
    call = ["demo", "--dataset", "compas-rows", "--data-home", str(folder.parent / "home")]
    ended = process(*call, cwd=folder, env={**os.environ}) if as_process else biasamp(*call)
    assert (ended.code, ended.out) == (2, "")
    (line,) = ended.err.splitlines()
    assert line.startswith("biasamp: error: https://raw.githubusercontent.com/propublica/")
    assert "could not be downloaded" in line
    assert "put it into" in line
    assert [*folder.iterdir()] == []


def test_compas_that_was_changed(folder: Path) -> None:
    home = folder.parent / "home"
    home.mkdir()
    (home / "compas-scores-two-years.csv").write_text("age,race\n30,Caucasian\n")
    ended = biasamp("demo", "--dataset", "compas-rows", "--data-home", home)
    assert (ended.code, ended.out) == (2, "")
    (line,) = ended.err.splitlines()
    assert "must hold the columns of compas-scores-two-years.csv" in line
    assert [*folder.iterdir()] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--dataset", "adult"], "'--dataset'.*'adult'"),
        (["--html", "absent/demo.html"], "folder of an output file must exist"),
        (["--n-boot", "-1"], "--n-boot must be a whole number from 0 to 1,000,000; received -1"),
        (["--attribute", "name"], "attribute must be one of .*'race'.*; received 'name'"),
        (["--dataset", "diabetes", "--attribute", "sex"], "--attribute is for --dataset compas"),
        (["--data-home", "."], "--data-home is for --dataset compas-rows; .* for compas"),
        (["surplus"], "[Uu]nexpected extra argument.*surplus"),
    ],
)
def test_bad_options(folder: Path, options: list[str], message: str) -> None:
    ended = biasamp("demo", *options)
    assert (ended.code, ended.out) == (2, "")
    (line,) = ended.err.splitlines()
    assert line.startswith("biasamp: error: ")
    assert re.search(message, line)
    assert [*folder.iterdir()] == []
