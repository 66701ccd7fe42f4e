"""Long work shows a bar on a terminal, and is quiet elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from forks import forked

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
