"""Files as data: which are read, as what types, and what is said about those that are not."""

import gzip
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from counting import table_rows

import biasamp_adapters as bam
from biasamp_adapters.counting.paths import is_saved_counts
from biasamp_adapters.counting.tables import read_table

CSV = "y,p,g\n1,0,a\n0,1,b\n0,1,b\n"
NAMES = {"y_true": "y", "y_pred": "p", "sensitive_features": "g"}


def rows_of(data: Any, **options: Any) -> Counter[tuple[Any, ...]]:
    return table_rows.rows_of(data, NAMES, **options)


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


LINES = '{"y":1,"p":0,"g":"a"}\n' + '{"y":0,"p":1,"g":"b"}\n' * 2
EXPECTED = {(1, 0, "a"): 1, (0, 1, "b"): 2}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("comma.csv", CSV),
        ("UPPER.CSV", CSV),
        ("semicolon.csv", CSV.replace(",", ";")),
        ("tab.tsv", CSV.replace(",", "\t")),
        ("bar.txt", CSV.replace(",", "|")),
        ("comma.data", CSV),
        ("windows.csv", CSV.replace("\n", "\r\n")),
        ("mac.csv", CSV.replace("\n", "\r")),
        ("mark.csv", b"\xef\xbb\xbf" + CSV.encode()),
        ("last line.csv", CSV.rstrip("\n")),
        ("quoted.csv", '"y","p","g"\n"1","0","a"\n0,1,b\n0,1,b\n'),
        ("index.csv", ",y,p,g\n0,1,0,a\n1,0,1,b\n2,0,1,b\n"),
        ("text.csv", 'y,t,p,g\n1,"a, ""b""\nand c",0,a\n0,,1,b\n0,,1,b\n'),
        ("records.json", '[{"y":1,"p":0,"g":"a"},{"y":0,"p":1,"g":"b"},{"y":0,"p":1,"g":"b"}]'),
        ("lines.jsonl", LINES),
        ("lines.ndjson", '{"y":1,"p":0,"g":"a"}\n' + '{"g":"b","y":0,"p":1}\n' * 2),
        ("rows.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        ("rows.jsonl.gz", gzip.compress(LINES.encode(), mtime=0)),
        ("odd [1]*? name's.csv", CSV),
    ],
)
def test_file_of_a_format_gives_its_rows(tmp_path, name, content) -> None:
    path = write(tmp_path / name, content)
    assert rows_of(path) == EXPECTED
    assert rows_of(str(path)) == EXPECTED


def test_files_of_a_pattern_or_a_list_are_one_table(tmp_path) -> None:
    write(tmp_path / "mon.csv", CSV)
    # Other columns, another order and another delimiter.
    write(tmp_path / "tue.csv", "g;extra;p;y\nb;9;1;0\n")
    expected = {(1, 0, "a"): 1, (0, 1, "b"): 3}
    assert rows_of(tmp_path / "*.csv") == expected
    assert rows_of([tmp_path / "mon.csv", tmp_path / "tue.csv"]) == expected
    # A file that is named twice is read once.
    assert rows_of([tmp_path / "mon.csv", str(tmp_path / "mon.csv")]) == EXPECTED


def test_file_of_compas_counts_as_its_frame(data_folder) -> None:
    path = data_folder / "compas-scores-two-years.csv.gz"
    names: dict[str, Any] = {"y_true": "two_year_recid", "y_pred": {"other": "is_recid"}}
    names |= {"sensitive_features": ["race", "sex"], "clusters": None}
    counts = bam.Counts.from_frame(path, **names)
    assert counts.n_rows == 7214
    assert counts == bam.Counts.from_frame(pd.read_csv(path), **names)


def test_file_with_names_that_pandas_cannot_tell_from_labels_is_found(tmp_path) -> None:
    path = write(tmp_path / "rows.csv", "y,p,g,Black,black,x,x\n1,0,a,5,6,7,8\n")
    (chunk,) = read_table(path, {"y_true": "y", "y_pred": "black", "sensitive_features": "Black"})
    assert list(chunk["sensitive_features"]) == [5]
    assert list(chunk["y_pred"]["black"]) == [6]
    with pytest.raises(ValueError, match="2 columns have the name 'x'"):
        list(read_table(path, {"y_true": "x"}))


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["1", "0", ""], [1, 0, None]),
        (["1", "0.5", " 2"], [1.0, 0.5, 2.0]),
        (["1.0", "0", "nan"], [1.0, 0.0, None]),
        (["True", "FALSE", "true"], [True, False, True]),
        (["True", "0", "1"], [1, 0, 1]),
        (["yes", "no", "NA"], ["yes", "no", "NA"]),
        (["01", "1", "2"], ["01", "1", "2"]),
        (["1", "2", "not stated"], ["1", "2", "not stated"]),
        (["#1", "#2", "3"], ["#1", "#2", "3"]),
        (["9007199254740993", "9007199254740992", ""], [2**53 + 1, 2**53, None]),
        (["12345678901234567890", "1", "2"], ["12345678901234567890", "1", "2"]),
        (["2020-01-02", "2020-01-01", "2020-01-01"], ["2020-01-02", "2020-01-01", "2020-01-01"]),
        ([" Male", "Male", "Male"], [" Male", "Male", "Male"]),
    ],
)
@pytest.mark.parametrize("has_count", [False, True], ids=["grouped", "in chunks"])
def test_csv_column_has_the_type_of_all_its_cells(tmp_path, cells, labels, has_count) -> None:
    path = write(tmp_path / "rows.csv", "g,n\n" + "".join(f'"{cell}",1\n' for cell in cells))
    arguments = {"sensitive_features": "g"} | ({"count": "n"} if has_count else {})
    (chunk,) = read_table(path, arguments)
    read: Counter[tuple[type, Any]] = Counter()
    for label, n in zip(
        pd.Series(chunk["sensitive_features"]).tolist(), chunk["count"], strict=True
    ):
        label = None if pd.isna(label) else label
        read[type(label), label] += int(n)
    assert read == Counter((type(label), label) for label in labels)


def test_csv_files_that_hold_numbers_and_text_are_text_everywhere(tmp_path) -> None:
    write(tmp_path / "mon.csv", "y,p,g\n1,1,0\n1,1,1\n")
    write(tmp_path / "tue.csv", "y,p,g\n0,1,1\n0,1,not stated\n")
    rows = (1, 1, "0"), (1, 1, "1"), (0, 1, "1"), (0, 1, "not stated")
    assert rows_of(tmp_path / "*.csv") == Counter(rows)


MIXED = '{"y":1,"p":1,"g":1}\n{"y":"0","p":true,"g":"not stated"}\n'


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("rows.csv", "y,p,g\n1,1,5\n0,other,5\n", [("1", "1", 5), ("0", "other", 5)]),
        ("rows.jsonl", MIXED, [(1, True, "1"), (0, True, "not stated")]),
    ],
)
def test_labels_of_mixed_types_are_text(tmp_path, name, content, expected) -> None:
    assert rows_of(write(tmp_path / name, content)) == Counter(expected)


def test_csv_true_and_false_beside_0_and_1_are_one_coding(tmp_path) -> None:
    path = write(tmp_path / "rows.csv", "y,p,g\n1,True,a\n0,False,b\n0,True,a\n")
    assert bam.Counts.from_frame(path, **NAMES).class_labels == (0, 1)


def test_csv_missing_values_leave_the_type_of_the_others(tmp_path) -> None:
    path = write(tmp_path / "rows.csv", "y,p,g\n1,NA,a\n0,1,?\n0,1,b\n")
    assert rows_of(path)["1", "NA", "a"] == 1
    expected = {(1, None, "a"): 1, (0, 1, None): 1, (0, 1, "b"): 1}
    assert rows_of(path, missing_values=["NA", "?"]) == expected
    with pytest.raises(ValueError, match="must be a list of labels; received -1"):
        bam.Counts.from_frame(path, **NAMES, missing_values=-1)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_matrix_of_a_file_holds_numbers(tmp_path, ending) -> None:
    frame = pd.DataFrame({"true_a": [True, False], "true_b": [0, 1], "pred_b": [0.25, 1.0]})
    frame = frame.assign(pred_a=[1, None], s=[0.5, 2])
    path = tmp_path / f"rows.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)
    (chunk,) = read_table(path, {"y_true": "true_*", "y_pred": "pred_*", "sample_weight": "s"})
    truth, predicted = (pd.DataFrame(x.values) for x in (chunk["y_true"], chunk["y_pred"]["pred"]))
    assert truth.to_numpy().tolist() == [[1, 0], [0, 1]]
    assert [*predicted] == ["pred_a", "pred_b"]
    assert predicted.loc[0].tolist() == [1, 0.25]
    assert pd.isna(predicted.loc[1, "pred_a"])
    assert chunk["sample_weight"].tolist() == [0.5, 2]


HEADLESS = "39, Private, 13, Male\n50, Private, 13, Female\n"
NO_HEADER = "must begin with the names of columns: write them first, or pass pandas.read_csv("
NO_UTF8 = "is not UTF-8 (line {}): pass the frame of pandas.read_csv(..., encoding=...)."
OTHER = "must be CSV, Parquet or JSON: pass {}(...)."


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rows.csv", gzip.compress(CSV.encode(), mtime=0), "is gzip: let its name end in '.gz'."),
        ("rows.csv", b"PAR1" + b"x" * 40, "is Parquet: let its name end in '.parquet'."),
        ("rows.csv", "", "is empty."),
        ("rows.csv", "\n", NO_HEADER),
        ("adult.data", HEADLESS, NO_HEADER),
        ("rows.csv", "y,p,g\n1,0,é\n".encode("latin-1"), NO_UTF8.format(2)),
        ("rows.csv", CSV.encode("utf-16"), NO_UTF8.format(1)),
        ("rows.csv", CSV + "1,0,a\r\n" * 3, "mixes line ends (LF and CRLF), or has a quote that"),
        ("rows.csv", CSV + "secret,1\n", "(line 5): Expected Number of Columns: 3 F"),
        ("rows.csv", CSV + "secret" * 400_000 + "\n" + CSV, "Maximum line size of 2000000"),
        ("rows.csv", CSV + '1,0,"a\n', "cannot be read (line 5): Value with unterminated quote"),
        ("rows.arff", "@relation rows", OTHER.format("pandas.read_csv")),
        ("rows.duckdb", "0000DUCK", "pass duckdb.connect(...).table(...)."),
        ("rows.xlsx", b"PK\x03\x04", OTHER.format("pandas.read_excel")),
        ("rows.json", '{"y":{"0":1},"p":{"0":1},"g":{"0":"a"}}', "has lists or records"),
        ("rows.json", '[{"y":1,"p":"secret"},{"y":', "cannot be read: Malformed JSON"),
        ("rows.jsonl", '{"y":1,"p":0,"g":"secret","y":2}\n', "cannot be read"),
        ("rows.json", "[]", "must hold records."),
        ("rows.parquet", b"PAR1" + b"secret" * 9, "cannot be read"),
        ("rows.csv.gz", CSV, "cannot be read: Input is not a GZIP stream"),
        ("rows.csv.gz", gzip.compress(CSV.encode() * 99, mtime=0)[:-20], "cannot be read"),
    ],
)
def test_unreadable_file_raises_its_cause(tmp_path, monkeypatch, name, content, message) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path(name), content)
    with pytest.raises(ValueError, match=rf"^'{re.escape(name)}' .*{re.escape(message)}") as raised:
        rows_of(name)
    # One short line, without the data of the file.
    assert len(str(raised.value)) <= 300
    assert "\n" not in str(raised.value)
    assert "secret" not in str(raised.value)


def test_long_cell_that_fits_is_read(tmp_path) -> None:
    path = write(tmp_path / "rows.csv", CSV + "1,0," + "x" * 1_900_000)
    assert sum(rows_of(path).values()) == 4


def test_text_in_a_column_of_numbers_raises(tmp_path) -> None:
    path = write(tmp_path / "rows.csv", "true_a,g\n1,a\nyes,b\n")
    with pytest.raises(ValueError, match="column 'true_a' must hold numbers; received yes"):
        list(read_table(path, {"y_true": "true_*"}))


def test_file_without_rows_raises(tmp_path) -> None:
    path = write(tmp_path / "rows.csv", "y,p,g\n")
    with pytest.raises(ValueError, match="at least one row"):
        bam.Counts.from_frame(path, **NAMES)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_column_that_a_later_file_lacks_raises_with_the_file(tmp_path, ending) -> None:
    write(tmp_path / "mon.csv", CSV)
    write(tmp_path / "tue.csv", "y,q,g\n1,1,a\n")
    duckdb.sql("SELECT 1 AS y, 0 AS p, 'a' AS g").write_parquet(str(tmp_path / "mon.parquet"))
    duckdb.sql("SELECT 1 AS y, 'a' AS g").write_parquet(str(tmp_path / "tue.parquet"))
    write(tmp_path / "mon.jsonl", '{"y":1,"p":0,"g":"a"}\n')
    write(tmp_path / "tue.jsonl", '{"y":1,"g":"a"}\n')
    with pytest.raises(ValueError, match=rf"tue\.{ending}' must have one column 'p'"):
        rows_of(tmp_path / f"*.{ending}")


def test_files_of_parquet_may_differ_in_order_and_types(tmp_path) -> None:
    duckdb.sql("SELECT 1 AS y, 0 AS p, 'a' AS g").write_parquet(str(tmp_path / "mon.parquet"))
    tuesday = "SELECT 'b' AS g, 9 AS extra, 0.5::DOUBLE AS p, 0::TINYINT AS y"
    duckdb.sql(tuesday).write_parquet(str(tmp_path / "tue.pq"))
    expected = {(1, 0.0, "a"): 1, (0, 0.5, "b"): 1}
    assert rows_of([tmp_path / "mon.parquet", tmp_path / "tue.pq"]) == expected


ABSENT, REMOTE = "There is no file '{}'.", "Paths must be those of local files; received '{}'."


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("prediction.csv", ABSENT),
        ("zzz/*.parquet", ABSENT),
        ("s3://bucket/x.parquet", REMOTE),
        ("https://example.org/*.csv", REMOTE),
        (".", "'{}' must be a file, or files as in 'folder/*.csv'."),
        (os.devnull, "'{}' must be a file, or files as in 'folder/*.csv'."),
        ([], "Files must be all CSV, all Parquet or all JSON, and at least one."),
        (["a.csv", "b.json"], "Files must be all CSV, all Parquet or all JSON, and at least one."),
    ],
)
def test_path_without_files_that_can_be_read_raises(tmp_path, monkeypatch, path, message) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.csv", CSV)
    write(tmp_path / "b.json", '{"y":1}\n')
    with pytest.raises((FileNotFoundError, ValueError)) as raised:
        rows_of(path)
    assert str(raised.value) == message.format(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_pipe_raises_and_is_not_opened(tmp_path) -> None:
    os.mkfifo(tmp_path / "rows.csv")
    with pytest.raises(ValueError, match=r"rows\.csv' must be a file"):
        rows_of(tmp_path / "rows.csv")


def test_is_saved_counts_tells_counts_from_records(tmp_path) -> None:
    counts = bam.Counts.from_arrays([0, 1] * 9, [0, 1] * 9, sensitive_features=["a", "b"] * 9)
    counts.save(tmp_path / "counts.json")
    assert is_saved_counts(tmp_path / "counts.json")
    assert is_saved_counts(write(tmp_path / "sorted.json", '{"block_sums": null, "checksum": "f'))
    marked = b"\xef\xbb\xbf" + (tmp_path / "counts.json").read_bytes()
    assert bam.Counts.load(write(tmp_path / "marked.json", marked)).n_rows == 18
    records = '[{"format": "biasamp-counts-1"}]'
    assert not is_saved_counts(write(tmp_path / "records.json", records))
    assert not is_saved_counts(write(tmp_path / "rows.csv", CSV))


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_last_line_longer_than_the_buffer_is_refused(tmp_path: Path, ending: str, end: str) -> None:
    content = (CSV + "1,0," + "x" * 33_000_000 + end).encode()
    content = gzip.compress(content, 1, mtime=0) if ending == "csv.gz" else content
    with pytest.raises(ValueError, match="has a line that is too long"):
        rows_of(write(tmp_path / f"rows.{ending}", content))
