"""Long work shows a bar on a terminal, and is quiet elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SLOW = """
import time
from biasamp_adapters._progress import progress
items = ((1, time.sleep(0.4) or i) for i in range(4))
print(list(progress(items, 4, "Drawing tables")))
"""


def test_quiet_without_a_terminal() -> None:
    run = subprocess.run([sys.executable, "-c", SLOW], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("[0, 1, 2, 3]\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_bar_on_a_terminal() -> None:
    import pty

    ours, theirs = pty.openpty()
    run = subprocess.run(
        [sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=theirs, text=True, check=True,
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
    assert run.stdout == "[0, 1, 2, 3]\n"
    assert b"Drawing tables" in shown
