"""Saved counts that were changed are refused: by their checksum, or because no rows give them."""

from __future__ import annotations

import json
import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import settings

from biasamp_adapters import (
    AmplificationWarning,
    CooccurrenceCounts,
    JointCounts,
    SmallCellsWarning,
    load_counts,
)
from biasamp_adapters.counts import Counts

#: Files of the version without a checksum, as the version of this package before it wrote them.
OLD = Path(__file__).parent / "data"

SUFFIXES = [".json", ".parquet"]
KINDS = ["joint", "cooccurrence"]
WEIGHTS = [0.1, 1 / 3, 2.0, 1.0, 0.5, 4.0] * 10


def joint(**options: Any) -> JointCounts:
    """Ten rows in each of six cells; the old files hold the same with weights."""
    return JointCounts.from_arrays(
        [1, 1, 0, 0, 1, 0] * 10, [1, 0, 0, 1, 1, 0] * 10, [*"aaabbb"] * 10, **options
    )


def cooccurrence(**options: Any) -> CooccurrenceCounts:
    """Sixty rows of two tasks; the old files hold the same with weights."""
    truth = [[1, 0], [1, 1], [0, 1], [0, 1], [1, 1], [1, 0]]
    said = [[1, 0], [0, 1], [0, 1], [1, 1], [1, 0], [1, 0]]
    return CooccurrenceCounts.from_arrays(
        truth * 10,
        said * 10,
        [*"aaabbb"] * 10,
        labels=["dog", "cat"],
        label_sets="observed",
        second_moments=True,
        **options,
    )


COUNTS: dict[str, Callable[..., Counts]] = {"joint": joint, "cooccurrence": cooccurrence}


def saved(counts: Any, path: Path) -> Path:
    """The path, with counts whose small cells nobody minds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallCellsWarning)
        counts.save(path)
    return path


def document_of(path: Path) -> dict[str, Any]:
    """The content of a JSON file."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", KINDS)
def test_files_without_a_checksum_load_with_a_warning(kind: str, suffix: str) -> None:
    path = OLD / f"{kind}-version-1{suffix}"
    with pytest.warns(AmplificationWarning, match=rf"{path.name}' has no checksum") as caught:
        loaded = load_counts(path)
    assert caught[0].filename == __file__
    counted = COUNTS[kind](sample_weight=WEIGHTS)
    if kind == "joint":
        assert loaded == counted
    # Sums of weights that were added up in another order.
    for name, sums in counted.moments.items():
        np.testing.assert_allclose(loaded.moments[name], sums, rtol=1e-14)
    if kind == "cooccurrence":
        assert loaded.is_normal


@pytest.mark.parametrize("kind", KINDS)
def test_both_formats_have_one_checksum(kind: str, tmp_path: Path) -> None:
    counts = COUNTS[kind](sample_weight=WEIGHTS)
    text = document_of(saved(counts, tmp_path / "counts.json"))
    path = saved(counts, tmp_path / "counts.parquet")
    with duckdb.connect() as connection:
        ((header,),) = connection.execute(
            f"SELECT value FROM parquet_kv_metadata('{path}') "
            "WHERE starts_with(decode(key), 'biasamp')"
        ).fetchall()
    assert len(text["sha256"]) == 64
    assert json.loads(header)["sha256"] == text["sha256"]
    # Loading and saving changes nothing either.
    again = document_of(saved(load_counts(path), tmp_path / "again.json"))
    assert again == text


#: Mutations of a file, as many as a property has examples or more; DuckDB takes a while for each.
TIMES = {".json": 4 * settings().max_examples, ".parquet": settings().max_examples}


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The same with one byte that is another one."""
    at, byte = rng.randrange(len(data)), rng.randrange(255)
    return data[:at] + bytes([byte + (byte >= data[at])]) + data[at + 1 :]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", KINDS)
def test_one_changed_byte_never_makes_other_counts(kind: str, suffix: str, tmp_path: Path) -> None:
    counts = COUNTS[kind](sample_weight=WEIGHTS)
    path = saved(counts, tmp_path / f"counts{suffix}")
    data, rng = path.read_bytes(), random.Random(0)
    for _ in range(TIMES[suffix]):
        path.write_bytes(mutated(data, rng))
        loaded = outcome(path)
        if isinstance(loaded, ValueError):
            # One line that names the file, not what DuckDB or a parser says of it.
            assert re.fullmatch(
                rf"path must be a file .*{re.escape(repr(str(path)))}.*", str(loaded)
            )
        else:
            # As where a byte of the checksum of a page is changed, which DuckDB does not read.
            assert loaded == counts
            assert repr((loaded.labels, loaded.groups)) == repr((counts.labels, counts.groups))


def outcome(path: Path) -> Counts | ValueError:
    """The counts of a file, or why it is refused."""
    try:
        return load_counts(path)
    except ValueError as error:
        return error


CHANGED = "was changed since, as its SHA-256 shows"
SWAPPED: dict[str, dict[str, Any]] = {
    "groups": {"groups": ["b", "a"]},
    "labels": {"labels": [1, 0]},
    "a row more": {"n": [11, 10, 10, 10, 10, 10]},
    "many rows": {"n": [2**62, 10, 10, 10, 10, 10]},
    "another model": {"axes": [["attribute", None], ["task", None], ["prediction", "x"]]},
    "rows left out": {"dropped": 1},
    "another checksum": {"sha256": "0" * 64},
}


@pytest.mark.parametrize("kind", SWAPPED)
def test_a_change_that_rows_could_give(kind: str, tmp_path: Path) -> None:
    path = saved(joint(), tmp_path / "counts.json")
    path.write_text(json.dumps(document_of(path) | SWAPPED[kind]))
    with pytest.raises(ValueError, match=CHANGED):
        load_counts(path)
    with pytest.raises(ValueError, match=CHANGED):
        JointCounts.load(path)


def test_formatting_is_no_change(tmp_path: Path) -> None:
    path = saved(joint(), tmp_path / "counts.json")
    document = document_of(path)
    path.write_text(json.dumps(dict(sorted(document.items())), indent=4))
    assert load_counts(path) == joint()


@pytest.mark.parametrize("change", [{"sha256": None}, {"version": 1}, {"version": True}])
def test_a_checksum_cannot_be_left_out(change: dict[str, Any], tmp_path: Path) -> None:
    path = saved(joint(), tmp_path / "counts.json")
    path.write_text(json.dumps(document_of(path) | change))
    with pytest.raises(ValueError, match=r"must be a file that JointCounts\.save"):
        load_counts(path)


def old(kind: str, tmp_path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Path:
    """A file without a checksum that was changed."""
    document = document_of(OLD / f"{kind}-version-1.json")
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(document | change(document)))
    return path


def put(name: str, at: int, value: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Put a value into a column."""
    return lambda of: {name: [value if i == at else x for i, x in enumerate(of[name])]}


#: Ten rows of the weight 2 are in the first cell: w is 20 and w2 40; in the second 3.33 and 1.11.
IMPOSSIBLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "w too large for w2": put("w", 0, 20.1),
    "w2 too small for w": put("w2", 0, 39.9),
    "w2 larger than that of one row": put("w2", 1, 11.2),
    "w that no float can square": put("w", 0, 1e300),
    "w and w2 beyond all weights": lambda _: {"w": [1e101] * 6, "w2": [1e201] * 6},
    "weights that are all 0": lambda _: {"w": [0.0] * 6, "w2": [0.0] * 6},
    "weights below all weights": lambda _: {"w": [1e-200] * 6, "w2": [0.0] * 6},
    "infinite": put("w", 0, float("inf")),
    "true for 1": put("n", 0, True),
    "a whole number with a point": put("n", 0, 10.0),
    "true as a code": lambda of: {"codes": [[False, False, False], *of["codes"][1:]]},
    "true as a sum": put("w", 1, True),
    "true rows left out": lambda _: {"dropped": True},
    "a version that is true": lambda _: {"version": True},
    "a sum as text": put("w", 0, "20.0"),
    "a count too large for 64 bits": put("n", 0, 2**64),
    "a label that is not a number": lambda _: {"labels": [0, float("nan")]},
    "an infinite label": lambda _: {"labels": [0, float("-inf")]},
    "a level as text": lambda _: {"levels": ["0.5"]},
    "levels out of order": lambda _: {"levels": [0.6, 0.5]},
    "a model that is a number": lambda of: {"axes": [*of["axes"][:2], ["prediction", 5]]},
    "an attribute that is a number": lambda _: {"attributes": [1]},
    "a name that no file has": lambda _: {"colour": "red"},
    "a weight of every row of nothing": lambda of: {"unit": [0.0] * 6},
}


@pytest.mark.parametrize("kind", IMPOSSIBLE)
def test_what_no_rows_give(kind: str, tmp_path: Path) -> None:
    path = old("joint", tmp_path, IMPOSSIBLE[kind])
    with pytest.raises(ValueError, match=r"must be a file that JointCounts\.save"):
        load_counts(path)


@pytest.mark.parametrize("unit", [0.0, 1e300, -1.0])
def test_a_weight_of_each_row_that_no_row_has(unit: float, tmp_path: Path) -> None:
    path = old("joint", tmp_path, lambda _: {"unit": [unit] * 6})
    document = document_of(path)
    del document["w"], document["w2"]
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=r"must be a file that JointCounts\.save"):
        load_counts(path)


def test_a_name_that_is_changed_takes_no_column_away(tmp_path: Path) -> None:
    # Without it the rows would have no weights, and the rest of the file is sound.
    path = saved(joint(sample_weight=WEIGHTS, by_weight=True), tmp_path / "counts.json")
    document = document_of(path) | {"version": 1}
    del document["sha256"]
    document["unis"] = document.pop("unit")
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=r"must be a file that JointCounts\.save"):
        load_counts(path)


def scaled(name: str, factor: float) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Multiply a column."""
    return lambda of: {name: [factor * x for x in of[name]]}


MATRIX_IMPOSSIBLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "weights too large for their squares": scaled("w", 1.5),
    "squares too large for weights": scaled("w2", 100.0),
    "squares of all rows that contradict those of a group": put("w2", 0, 1e3),
    "weights that no float can square": scaled("w", 1e300),
    "weights that are all 0": lambda of: {"w": [0.0] * len(of["w"])} | {"w2": [0.0] * len(of["w"])},
    "true as a sum": put("n", 0, True),
    "squares that do not lead to the sums": scaled("second_squares", 2.0),
    "sums that do not lead to the sums": scaled("second_sums", 2.0),
    "a product larger than both of its squares": lambda of: {
        "second_squares": [
            100 * x if i % (width(of) + 1) == 1 else x for i, x in enumerate(of["second_squares"])
        ]
    },
    "a name that no file has": lambda _: {"colour": "red"},
}


def width(document: dict[str, Any]) -> int:
    """Columns of a row: the second moments are as many numbers squared a pattern."""
    return round(len(document["second_squares"]) / len(document["second_sums"]))


@pytest.mark.parametrize("kind", MATRIX_IMPOSSIBLE)
def test_what_no_rows_of_matrices_give(kind: str, tmp_path: Path) -> None:
    path = old("cooccurrence", tmp_path, MATRIX_IMPOSSIBLE[kind])
    with pytest.raises(ValueError, match=r"must be a file that .*CooccurrenceCounts\.save wrote"):
        load_counts(path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("again", ['"version": 1', '"n": [1]', '"groups": ["b", "a"]'])
def test_a_name_that_is_there_twice(kind: str, again: str, tmp_path: Path) -> None:
    for text in (
        (OLD / f"{kind}-version-1.json").read_text(),
        saved(COUNTS[kind](), tmp_path / "new.json").read_text(),
    ):
        path = tmp_path / "counts.json"
        path.write_text(text.rstrip("}\n") + ", " + again + "}")
        with pytest.raises(ValueError, match=r"must be a file that .*\.save wrote"):
            load_counts(path)


@pytest.mark.parametrize("weights", [[1.0] * 60, [0.1] * 60, [1e-9, 1e9, 1e-150] * 20])
@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_rows_have(kind: str, weights: list[float], tmp_path: Path) -> None:
    # Equal weights are the bound of Cauchy and Schwarz, up to rounding.
    counts = COUNTS[kind](sample_weight=weights)
    assert load_counts(saved(counts, tmp_path / "counts.json")) == counts


def test_probabilities_with_weights(tmp_path: Path) -> None:
    # Of one row of the weight 2 and the probability 1/2, w is 1 and w2 is 2.
    counts = CooccurrenceCounts.from_arrays(
        [[1]] * 9, [[0.5]] * 9, [*"aaaaaaaab"], sample_weight=[2.0] * 9
    )
    assert load_counts(saved(counts, tmp_path / "counts.json")) == counts


@pytest.mark.parametrize("deep", ["[" * 200_000 + "]" * 200_000, '{"n":' * 200_000])
def test_deep_nesting_is_no_file_of_ours(deep: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text(deep)
    with pytest.raises(ValueError, match=r"must be a file that JointCounts\.save"):
        load_counts(path)


@pytest.mark.parametrize("kind", KINDS)
def test_pages_of_parquet_that_cannot_be_read(kind: str, tmp_path: Path) -> None:
    path = saved(COUNTS[kind](), tmp_path / "counts.parquet")
    data = bytearray(path.read_bytes())
    # The pages come first, after the four bytes of the mark of Parquet.
    data[4:60] = np.random.default_rng(0).bytes(56)
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"must be a file that .*\.save wrote"):
        load_counts(path)
