"""Long work shows a bar on a terminal, is quiet elsewhere, and says in advance if it takes long."""

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator

import pytest

import biasamp_adapters as bam
from biasamp_adapters import progress

#: Each step is slower than a bar waits for.
PROGRAM = """
import time
from biasamp_adapters import progress
progress._SECONDS_TO_BAR = 0.1
steps = (time.sleep(0.2) or i for i in range(3))
print(list(progress.watch(steps, 3, "replicates", "a smaller n_boot")))
"""


def test_work_without_a_terminal_is_quiet() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("[0, 1, 2]\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_work_on_a_terminal_has_a_bar() -> None:
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=theirs, env=environment
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:
        pass  # Linux ends a closed terminal with an error, and not with an empty read.
    os.close(ours)
    assert ended.stdout == b"[0, 1, 2]\n"
    assert b"replicates" in shown


@pytest.mark.parametrize(
    ("n", "seconds", "minutes"),
    [
        # When the second of 100 steps begins, 6 seconds have passed and one step is done.
        (100, 3, ["10 minutes"]),
        # So two steps' time has passed for one: 62 and 58 seconds in all.
        (10, 3.1, ["1 minute"]),
        (10, 2.9, []),
        # 1.6 seconds for one of 1,000 steps are too few to tell; 2.4 for two are 1,200 in all.
        (1000, 0.8, ["20 minutes"]),
    ],
)
def test_minutes_are_said_once_and_in_advance(monkeypatch, n, seconds, minutes) -> None:
    clock = 0.0

    def steps() -> Iterator[int]:
        nonlocal clock
        for step in range(n):
            clock += seconds
            yield step

    monkeypatch.setattr(progress, "monotonic", lambda: clock)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", bam.AmplificationWarning)
        assert list(progress.watch(steps(), n, "replicates", "a smaller n_boot")) == [*range(n)]
    expected = "the replicates will take about {}; a smaller n_boot makes it shorter"
    assert [str(warning.message) for warning in caught] == [expected.format(x) for x in minutes]
