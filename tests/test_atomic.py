"""Files are written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from biasamp_adapters import atomic


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", ["report.html", "x" * 200 + ".json", "[a]*+é.json"])
def test_file_is_written_in_utf_8_and_replaced(tmp_path, name) -> None:
    path = tmp_path / name
    for text in ("ä → é", "second"):
        atomic.write_text(path, text)
        assert path.read_text(encoding="utf-8") == text
    assert names(tmp_path) == [name]


def test_failure_keeps_the_old_file_alone(tmp_path, monkeypatch) -> None:
    path = tmp_path / "counts.json"
    atomic.write_text(path, "old")
    with pytest.raises(UnicodeEncodeError):
        atomic.write_text(path, "half a pair: \ud800")

    def fail(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match=r"counts\.json cannot be written: No space left on device"):
        atomic.write_text(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["counts.json"]


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_file_has_the_permissions_of_others_or_of_the_one_before(tmp_path) -> None:
    path, plain = tmp_path / "counts.json", tmp_path / "plain"
    plain.write_text("")
    atomic.write_text(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    path.chmod(0o640)
    atomic.write_text(path, "newer")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_link_stays_a_link(tmp_path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    atomic.write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are those of POSIX")
def test_pipe_is_written_to_and_stays(tmp_path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    atomic.write_text(pipe, "text")
    assert (os.read(reader, 9), pipe.is_fifo()) == (b"text", True)
    os.close(reader)
