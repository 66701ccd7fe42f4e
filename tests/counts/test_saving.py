"""A file of counts is whole or not there, and read as nothing else: of labels and of matrices."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from kinds import Kind

from biasamp_adapters import SmallCellsWarning
from biasamp_adapters.counts import documents

FIVE = 5


@pytest.fixture(params=[".json", ".parquet"])
def suffix(request: pytest.FixtureRequest) -> str:
    """How the name of the file ends."""
    return str(request.param)


@pytest.fixture
def counts(kind: Kind) -> Any:
    """Counts of cells that are not small."""
    return kind.count([0, 1] * FIVE, [1, 1] * FIVE, ["a", "b"] * FIVE)


@pytest.fixture
def other(kind: Kind) -> Any:
    """Counts of other rows."""
    return kind.count([0, 1] * FIVE, [0, 1] * FIVE, {"s": ["a", "b"] * FIVE, "r": [1, 2] * FIVE})


NAMES = ["it's", 'a "b"', "sp ace", "Ünï", "100%", "a*b", "[ab]", "a?b", "{a}", "$HOME", "-", ";"]


def test_awkward_paths(kind: Kind, counts: Any, other: Any, suffix: str, tmp_path: Path) -> None:
    # Were a name read as a pattern, "a*b" and "[ab]" would match these as well.
    decoys = [tmp_path / f"{name}{suffix}" for name in ("axb", "a", "b")]
    other.save(decoys[0])
    for decoy in decoys[1:]:
        shutil.copy(decoys[0], decoy)
    for name in NAMES:
        # On its own, and below a folder of that name.
        for path in (tmp_path / f"{name}{suffix}", tmp_path / name / f"{name}{suffix}"):
            path.parent.mkdir(exist_ok=True)
            counts.save(str(path))
            assert kind.counts.load(str(path)) == counts, name
            path.unlink()
    assert [kind.counts.load(decoy) == other for decoy in decoys] == [True] * 3


def test_small_cells_warn(kind: Kind, suffix: str, tmp_path: Path) -> None:
    # Cells of 4, 5 and 1 rows; of a matrix the sums of all rows are cells too.
    counts = kind.count([0] * 4 + [1] * 5 + [2], classes=(0, 1, 2))
    message = f"2 of {3 if kind.name == 'labels' else 5} cells hold fewer than 5 rows and may"
    with pytest.warns(SmallCellsWarning, match=message) as caught:
        counts.save(tmp_path / f"counts{suffix}")
    # The warning points at the caller, whose folder it is.
    assert caught[0].filename == __file__
    assert kind.counts.load(tmp_path / f"counts{suffix}") == counts


@pytest.mark.parametrize("name", ["counts", "counts.csv", "counts.json.gz", "counts.pkl", ".json"])
def test_a_wrong_ending(counts: Any, name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=rf"path must end in \.json or \.parquet; .*{name!r}"):
        counts.save(tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_a_missing_folder(counts: Any, suffix: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"folder of an output file must exist; received .*nope"):
        counts.save(tmp_path / "nope" / f"counts{suffix}")


def test_a_missing_file(kind: Kind, suffix: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nope"):
        kind.counts.load(tmp_path / f"nope{suffix}")


def header(counts: Any, path: Path) -> dict[str, Any]:
    """What a file says of its format, in the oldest version."""
    counts.save(path)
    return {"format": json.loads(path.read_text(encoding="utf-8"))["format"], "version": 1}


FOREIGN: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "empty": lambda _: b"",
    "text": lambda _: b"truth,prediction\n0,1\n",
    "binary": lambda _: bytes(range(256)),
    "a number": lambda _: b"3",
    "a list": lambda _: b"[1, 2]",
    "another object": lambda head: json.dumps(head).encode(),
    "pickle": lambda head: pickle.dumps(head),
}


def rule(kind: Kind) -> str:
    """What is said of a file of something else."""
    return (
        rf"path must be a file that {kind.counts.__name__}\.save wrote, "
        r"biasamp-counts of version 4 or an earlier one; received "
    )


@pytest.mark.parametrize("content", FOREIGN)
def test_a_file_of_something_else(
    kind: Kind, counts: Any, content: str, suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"foreign{suffix}"
    path.write_bytes(FOREIGN[content](header(counts, tmp_path / "counts.json")))
    with pytest.raises(ValueError, match=rule(kind) + f".*foreign{suffix}"):
        kind.counts.load(path)


def test_a_parquet_file_of_something_else(kind: Kind, tmp_path: Path) -> None:
    pd.DataFrame({"code_0": [0], "n": [1]}).to_parquet(tmp_path / "foreign.parquet")
    with pytest.raises(ValueError, match=rule(kind)):
        kind.counts.load(tmp_path / "foreign.parquet")


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_file_cut_short(kind: Kind, counts: Any, suffix: str, cut: int, tmp_path: Path) -> None:
    path = tmp_path / f"counts{suffix}"
    counts.save(path)
    # The last byte of the JSON file is a line end, which nothing hangs on.
    path.write_bytes(path.read_bytes().rstrip(b"\n")[:-cut])
    with pytest.raises(ValueError, match=rule(kind)):
        kind.counts.load(path)


def _disk_full(*_: Any, **__: Any) -> Any:
    raise OSError("disk full")


def _half_written(path: Path) -> None:
    path.write_bytes(b"half of")
    _disk_full()


@pytest.mark.parametrize("moment", ["while writing", "while replacing"])
def test_a_failure_leaves_the_old_file(
    kind: Kind,
    counts: Any,
    other: Any,
    suffix: str,
    moment: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / f"counts{suffix}"
    counts.save(path)
    with monkeypatch.context() as patch:
        if moment == "while replacing":
            patch.setattr(Path, "replace", _disk_full)
        else:
            patch.setattr(Path, "write_text", lambda path, *_, **__: _half_written(path))
            patch.setattr(documents, "_write_parquet", lambda *args: _half_written(args[-1]))
        with pytest.raises(OSError, match="disk full"):
            other.save(path)
    assert os.listdir(tmp_path) == [path.name]
    assert kind.counts.load(path) == counts


def test_a_file_is_replaced_and_readable(
    kind: Kind, counts: Any, other: Any, suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"counts{suffix}"
    counts.save(path)
    other.save(path)
    assert kind.counts.load(path) == other
    assert os.listdir(tmp_path) == [path.name]
    ordinary = tmp_path / "ordinary"
    ordinary.touch()
    assert path.stat().st_mode == ordinary.stat().st_mode


class _Trap:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_a_pickle_is_never_opened(kind: Kind, suffix: str, tmp_path: Path) -> None:
    path, sprung = tmp_path / f"counts{suffix}", tmp_path / "sprung"
    path.write_bytes(pickle.dumps(_Trap(sprung)))
    with pytest.raises(ValueError, match=rule(kind)):
        kind.counts.load(path)
    assert not sprung.exists()
    pickle.loads(path.read_bytes())
    assert sprung.exists()
