"""Long work shows a bar on a terminal, is quiet elsewhere, and says so if it will take minutes."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from forks import forked

from biasamp_adapters import DirectionalBiasAmplification, LongCallWarning, _progress
from biasamp_adapters._progress import progress

SLOW = """
import time
from biasamp_adapters._progress import progress
items = ((1, time.sleep(0.4) or i) for i in range(3))
print(list(progress(items, 3, "Drawing tables")))
"""

STREAM = """
import time
import pandas as pd
from biasamp_adapters import JointCounts
chunks = (time.sleep(0.4) or pd.DataFrame({"t": [0, 1]}) for _ in range(3))
print(JointCounts.from_chunks(chunks, task="t").n_rows)
"""

CASES = {
    "Drawing tables": (SLOW, "[0, 1, 2]\n"),
    # How many chunks there are is not known.
    "Counting chunks": (STREAM, "6\n"),
}


@pytest.mark.parametrize("what", CASES)
def test_quiet_without_a_terminal(what: str) -> None:
    code, expected = CASES[what]
    assert forked(code) == (0, expected, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize("what", CASES)
def test_a_bar_on_a_terminal(what: str) -> None:
    code, expected = CASES[what]
    import pty

    ours, theirs = pty.openpty()
    run = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=theirs, text=True, check=True,
        env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:
        pass  # Linux ends a closed terminal with an error, not with an empty read.
    os.close(ours)
    assert run.stdout == expected
    assert what.encode() in shown


def steps(n: int, each: float, monkeypatch: pytest.MonkeyPatch, first: float = 0.0) -> list[int]:
    """What ``progress`` yields of n items of one step, each of which takes so many seconds."""
    clock = 0.0

    def items() -> Iterator[tuple[int, int]]:
        nonlocal clock
        for item in range(n):
            clock += each + first * (item == 0)
            yield 1, item

    monkeypatch.setattr(_progress.time, "monotonic", lambda: clock)
    return list(progress(items(), n, "Drawing tables", "fewer of them take less time"))


def test_minutes_are_announced_once_and_early(monkeypatch: pytest.MonkeyPatch) -> None:
    # After two of 100 items of 5 seconds, 98 * 5 = 490 seconds are left.
    with pytest.warns(LongCallWarning) as caught:
        assert steps(100, 5, monkeypatch) == [*range(100)]
    assert [str(each.message) for each in caught] == [
        "Drawing tables will take about 8 minutes more; fewer of them take less time"
    ]


def test_a_long_first_item_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    # After one of 4 items of 25 seconds, 75 seconds are left.
    with pytest.warns(LongCallWarning, match="about a minute more"):
        steps(4, 25, monkeypatch)


@pytest.mark.parametrize(("n", "each", "first"), [(12, 5, 0), (100, 0.1, 9), (3, 25, 0)])
def test_a_minute_is_not_announced(
    n: int, each: float, first: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After 10, 11 and 1 items, not more than a minute is left; a slow start is no speed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        steps(n, each, monkeypatch, first)


def test_an_audit_names_the_number_of_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many groups and classes, one block of replicates follows the other."""
    monkeypatch.setattr(_progress, "_LONG", 0.0)
    monkeypatch.setattr(_progress, "_VERY_LONG", 0.0)
    rng = np.random.default_rng(0)
    truth, group = rng.integers(0, 40, (2, 2000))
    with pytest.warns(LongCallWarning, match=r"^Drawing tables .*; fewer replicates \(n_boot\)"):
        DirectionalBiasAmplification().result(truth, truth, sensitive_features=group, n_boot=2000)
