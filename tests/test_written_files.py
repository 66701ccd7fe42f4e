"""Files are written whole or not at all, and a writer that was killed leaves nothing for long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from biasamp_adapters import _files
from biasamp_adapters._files import replacing, write_text

WRITER = textwrap.dedent(
    """
    import sys, time
    from biasamp_adapters._files import replacing

    with replacing(sys.argv[1]) as path:
        path.write_text("new")
        print("writing", flush=True)
        sys.stdin.readline()
    """
)


def writer(target: Path) -> subprocess.Popen[str]:
    """A process that writes to a file, and waits for a line before it puts it in place."""
    started = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "writing\n"
    return started


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


on_posix = pytest.mark.skipif(os.name != "posix", reason="asks whether a process lives")


@on_posix
@pytest.mark.parametrize("name", ["report.html", "x" * 60 + ".json", "[a]*+é.json"])
def test_what_a_killed_writer_left_is_removed(name: str, tmp_path: Path) -> None:
    target = tmp_path / name
    for _ in range(2):
        killed = writer(target)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
    # The second writer has removed what the first one left.
    assert len(names(tmp_path)) == 1
    assert not target.exists()
    write_text("done", target)
    assert names(tmp_path) == [name]
    assert target.read_text() == "done"


@on_posix
def test_what_a_living_writer_writes_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    other = writer(target)
    write_text("first", target)
    assert len(names(tmp_path)) == 2
    other.communicate("go on\n")
    assert other.returncode == 0
    assert names(tmp_path) == ["report.html"]
    assert target.read_text() == "new"


def test_writers_of_one_process_leave_each_other_alone(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    with replacing(target) as first:
        first.write_text("first")
        write_text("second", target)
        assert first.exists()
    assert target.read_text() == "first"


def test_files_of_other_machines_are_removed_when_they_are_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of their processes nothing is known here.
    target = tmp_path / "report.html"
    with monkeypatch.context() as patch:
        patch.setattr(_files, "_machine", lambda: "00000000")
        left = []
        for _ in range(2):
            with replacing(target) as temporary:
                left.append(temporary)
    for path in left:
        path.touch()
    two_days_ago = time.time() - 2 * 24 * 60 * 60
    os.utime(left[0], (two_days_ago, two_days_ago))
    write_text("done", target)
    assert names(tmp_path) == sorted([left[1].name, "report.html"])


@pytest.mark.parametrize(
    "name",
    [
        ".report.html",
        ".report.html-1",
        ".report.html-backup-1-0123456789abcdef",
        ".report.html.old-01234567-999999999-0123456789abcdef",
        "report.html-01234567-999999999-0123456789abcdef",
        ".other.html-01234567-999999999-0123456789abcdef",
    ],
)
def test_files_of_others_are_left_alone(name: str, tmp_path: Path) -> None:
    other = tmp_path / name
    other.touch()
    os.utime(other, (0, 0))
    write_text("done", tmp_path / "report.html")
    assert names(tmp_path) == sorted([name, "report.html"])
