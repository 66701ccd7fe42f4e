"""Programs in an interpreter of their own, without waiting for it to import what all of them need.

One interpreter imports the libraries below the hosts and this package. It runs each program in a
fork of itself, so that a program finds neither the package nor a host imported.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

#: It reads programs, one line of JSON each, and answers with the exit code and what was written.
_SERVER = """
import json, os, sys, tempfile, time, traceback
import duckdb, matplotlib.pyplot, narwhals, pandas, scipy.optimize, scipy.stats, typer
import sklearn.linear_model, sklearn.metrics, sklearn.neighbors, sklearn.preprocessing

def run(code, folder, environment):
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    try:
        exec(code, {"__name__": "__main__"})
    except SystemExit as stopped:
        return stopped.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0

for line in sys.stdin:
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if not child:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            ended = run(*json.loads(line))
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
            os._exit(ended)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        print(json.dumps([ended, out.read(), err.read()]), flush=True)
"""

_HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

for name in [name for name in sys.modules if name.partition(".")[0] in {hidden!r}]:
    del sys.modules[name]
sys.meta_path.insert(0, Hidden())
"""

#: As an interpreter begins whose streams are closed.
_CLOSE = """
import os

for number in {closed!r}:
    name = ("stdin", "stdout", "stderr")[number]
    os.close(number)
    setattr(sys, name, None)
    setattr(sys, "__" + name + "__", None)
"""


class Ended(NamedTuple):
    """How a program ended."""

    code: int
    out: str
    err: str


@cache
def _server() -> subprocess.Popen[str]:
    """The interpreter, which ends with the tests, when nobody writes to it any more."""
    return subprocess.Popen(
        [sys.executable, "-c", _SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )


def forked(
    code: str,
    *,
    hidden: tuple[str, ...] = (),
    closed: tuple[int, ...] = (),
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Ended:
    """Run a program that does not find the packages ``hidden``, with ``closed`` streams."""
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    before = _HIDE.format(hidden=hidden) + _CLOSE.format(closed=closed)
    program = [before + code, str(cwd or Path.cwd()), {**(env or os.environ)}]
    server.stdin.write(json.dumps(program) + "\n")
    server.stdin.flush()
    return Ended(*json.loads(server.stdout.readline()))
