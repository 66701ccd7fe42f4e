"""The COMPAS loader: the real table, and every way in which a table can be absent or wrong."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import subprocess
import sys
import threading
import urllib.error
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biasamp_adapters.datasets import compas, fetch_compas

NAME = "compas-scores-two-years.csv"

#: Six rows: kept; kept; too long before the arrest; no arrest; traffic offence; no score.
REDUCED = """\
age,age_cat,sex,race,juv_fel_count,juv_misd_count,juv_other_count,priors_count,\
days_b_screening_arrest,c_charge_degree,decile_score,score_text,is_recid,two_year_recid
69,Greater than 45,Male,Caucasian,0,0,0,0,-1,F,1,Low,0,0
34,25 - 45,Female,African-American,0,0,0,3,-30,F,3,Low,1,1
24,Less than 25,Male,African-American,0,0,1,4,31,F,4,Low,1,1
23,Less than 25,Male,Caucasian,0,1,0,1,,F,8,High,0,0
41,25 - 45,Male,Caucasian,0,0,0,0,0,O,6,Medium,0,0
44,25 - 45,Male,Caucasian,0,0,0,0,0,M,1,N/A,0,0
"""

#: The same rows as the source has them: more columns, of which two repeat a name with other values.
HEADER, *ROWS = REDUCED.splitlines()
PUBLISHED = "\r\n".join(
    [f"id,name,first,last,dob,{HEADER},type,decile_score,priors_count,end"]
    + [f"{i},jane doe-{i},jane,doe,1970-01-0{i},{row},R,10,99,327" for i, row in enumerate(ROWS)]
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the six rows the published table."""
    monkeypatch.setattr(compas, "SHA256", hashlib.sha256(REDUCED.encode()).hexdigest())


def answer_with(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    """Replace the network by ``answer``, raised if it is an error."""

    def urlopen(url: str, timeout: float) -> Any:
        assert url.startswith("https://raw.githubusercontent.com/propublica/")
        assert timeout > 0
        if isinstance(answer, BaseException):
            raise answer
        return answer

    monkeypatch.setattr(compas, "urlopen", urlopen)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, urllib.error.URLError("Name or service not known"))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """A local source: a path is answered by its bytes, or by 404."""
    pages: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, args=(0.05,))
        thread.start()
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setattr(compas, "_URL", f"http://127.0.0.1:{httpd.server_port}/{NAME}")
        yield pages
        httpd.shutdown()
        thread.join()


# The real table


@pytest.mark.parametrize(
    ("label", "counts"),
    [("is_recid", [1229, 874, 1402, 1773]), ("two_year_recid", [1281, 822, 1514, 1661])],
)
def test_counts_are_those_of_table_6a(shared_data: Path, label: str, counts: list[int]) -> None:
    bunch = fetch_compas(data_home=shared_data, label=label)
    table = pd.crosstab(bunch.sensitive_features, bunch.target)
    assert table.loc[["Caucasian", "African-American"]].to_numpy().ravel().tolist() == counts
    assert bunch.target.name == label
    assert bunch.target_names == [label]


def test_all_races_are_the_rows_of_propublica(shared_data: Path, offline: None) -> None:
    bunch = fetch_compas(data_home=shared_data, races=None)
    assert bunch.data.shape == (6172, 5)
    assert set(bunch.sensitive_features) == set(compas._RACES)
    assert len(fetch_compas(data_home=shared_data, races=["Asian"]).data) == 31


def test_frames(shared_data: Path) -> None:
    bunch = fetch_compas(data_home=shared_data)
    assert list(bunch.data) == bunch.feature_names == compas._FEATURES
    assert list(bunch.frame) == list(compas._COLUMNS)
    assert bunch.frame.shape == (5278, 14)
    assert bunch.frame.index.equals(pd.RangeIndex(5278))
    assert (bunch.data.dtypes == "int64").all()
    assert bunch.target.dtype == "int64"
    assert bunch.frame["days_b_screening_arrest"].abs().max() <= 30
    assert "not crimes" in bunch.DESCR


def test_arrays(shared_data: Path) -> None:
    frames = fetch_compas(data_home=shared_data)
    bunch = fetch_compas(data_home=shared_data, as_frame=False)
    assert bunch.frame is None
    for name in ("data", "target", "sensitive_features"):
        assert isinstance(bunch[name], np.ndarray)
        assert (bunch[name] == frames[name].to_numpy()).all()


def test_return_x_y(shared_data: Path) -> None:
    data, target = fetch_compas(data_home=shared_data, return_X_y=True)
    assert isinstance(data, pd.DataFrame)
    assert isinstance(target, pd.Series)
    data, target = fetch_compas(data_home=shared_data, return_X_y=True, as_frame=False)
    assert data.shape == (5278, 5)
    assert target.sum() == 822 + 1661


def test_reading_leaves_the_folder_as_it_was(shared_data: Path, tmp_path: Path) -> None:
    path = tmp_path / f"{NAME}.gz"
    path.write_bytes((shared_data / path.name).read_bytes())
    fetch_compas(data_home=tmp_path)
    assert [*tmp_path.iterdir()] == [path]


# Arguments


@pytest.mark.parametrize("label", ["recid", "race", None])
def test_unknown_label(tmp_path: Path, label: Any) -> None:
    with pytest.raises(ValueError, match=rf"label must be one of .*two_year.*received {label!r}"):
        fetch_compas(data_home=tmp_path, label=label)


@pytest.mark.parametrize("races", [["Caucasian", "Martian"], [], "Caucasian", ("caucasian",)])
def test_unknown_races(tmp_path: Path, races: Any) -> None:
    with pytest.raises(ValueError, match=r"races must be None or a list out of .*; received"):
        fetch_compas(data_home=tmp_path, races=races)


# The content


@pytest.mark.parametrize(
    "text",
    [
        PUBLISHED,
        REDUCED,
        REDUCED.replace("\n", "\r\n"),
        REDUCED.replace(",-1,F", ",-1.0,F").replace(",0,O", ",0.0,O"),
        REDUCED.replace(",Male,", ", Male ,"),
        PUBLISHED.replace("jane", "j\xe4ne"),
    ],
    ids=["published", "reduced", "crlf", "floats", "spaces", "latin-1"],
)
@pytest.mark.usefixtures("small", "offline")
def test_content_counts_not_bytes(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_bytes(text.encode("latin-1"))
    frame = fetch_compas(data_home=tmp_path).frame
    assert frame["age"].tolist() == [69, 34]
    assert frame["decile_score"].tolist() == [1, 3]
    assert frame["priors_count"].tolist() == [0, 3]
    assert frame["days_b_screening_arrest"].tolist() == [-1, -30]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (REDUCED.replace("69,", "68,"), 6),
        (REDUCED.replace(",-1,F", ",1,F"), 6),
        (REDUCED.replace("N/A", ""), 6),
        ("\n".join([HEADER, *ROWS[::-1]]), 6),
        ("\n".join([HEADER, *ROWS[:-1]]), 5),
        (REDUCED.rstrip("0\n"), 6),
    ],
    ids=["value", "sign", "missing", "order", "fewer", "cut"],
)
@pytest.mark.usefixtures("small")
def test_other_content(tmp_path: Path, text: str, rows: int) -> None:
    path = tmp_path / NAME
    path.write_text(text)
    with pytest.raises(OSError, match=rf"{NAME} must hold the rows that .*\({rows} rows\)"):
        fetch_compas(data_home=tmp_path)
    assert path.read_text() == text


def test_missing_columns(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("age,race\n20,Other\n")
    with pytest.raises(OSError, match=r"must hold the columns of .*; it lacks \['age_cat', 'sex'"):
        fetch_compas(data_home=tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"", b"no gzip", gzip.compress(PUBLISHED.encode())[:-20], gzip.compress(b"")],
    ids=["empty", "text", "cut", "nothing"],
)
def test_unreadable(tmp_path: Path, content: bytes) -> None:
    (tmp_path / f"{NAME}.gz").write_bytes(content)
    with pytest.raises(OSError, match=r"\.gz must be a CSV file; it cannot be read: \w+"):
        fetch_compas(data_home=tmp_path)


# The network


def test_not_there_and_not_to_be_downloaded(tmp_path: Path) -> None:
    rule = f"Data not found and `download_if_missing` is False; {tmp_path} holds neither"
    with pytest.raises(OSError, match=rule):
        fetch_compas(data_home=tmp_path, download_if_missing=False)


class Redirected:
    """An answer that came over plain HTTP."""

    url = "http://example.org/"

    def __enter__(self) -> Redirected:
        return self

    def __exit__(self, *args: object) -> None:
        pass


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (urllib.error.URLError("Name or service not known"), "Name or service not known"),
        (TimeoutError(), "TimeoutError"),
        (http.client.BadStatusLine("?"), r"\?"),
        (Redirected(), "it redirects to http://example.org/"),
    ],
)
def test_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Any, reason: str) -> None:
    answer_with(monkeypatch, answer)
    rule = rf"^https://raw.*{NAME} could .*{reason}.*; put it into {tmp_path} as {NAME}$"
    with pytest.raises(ConnectionError, match=rule) as caught:
        fetch_compas(data_home=tmp_path)
    assert caught.value.__context__ is None
    assert [*tmp_path.iterdir()] == []


@pytest.mark.usefixtures("small")
def test_download_writes_the_needed_columns_only(
    tmp_path: Path, server: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    server[f"/{NAME}"] = PUBLISHED.encode()
    first = fetch_compas(data_home=tmp_path / "new", races=None).frame
    (path,) = (tmp_path / "new").iterdir()
    assert path.name == f"{NAME}.gz"
    assert gzip.decompress(path.read_bytes()).decode() == REDUCED
    assert b"jane" not in path.read_bytes()

    answer_with(monkeypatch, AssertionError("the file is there"))
    pd.testing.assert_frame_equal(fetch_compas(data_home=path.parent, races=None).frame, first)


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (PUBLISHED.replace("69,", "68,"), "must hold the rows"),
        (PUBLISHED[:-40], "must hold the rows"),
        ("<html>\nlog in\n</html>\n", "must hold the columns"),
        ("", "must be a CSV file"),
        (None, "could not be downloaded .*404"),
    ],
    ids=["value", "cut", "login page", "empty", "404"],
)
@pytest.mark.usefixtures("small")
def test_download_of_something_else_keeps_nothing(
    tmp_path: Path, server: dict[str, bytes], body: str | None, rule: str
) -> None:
    if body is not None:
        server[f"/{NAME}"] = body.encode()
    with pytest.raises(OSError, match=rf"^http://127.*{rule}"):
        fetch_compas(data_home=tmp_path)
    assert [*tmp_path.iterdir()] == []


def test_import_leaves_scikit_learn_alone() -> None:
    code = "import sys, biasamp_adapters.datasets; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
