"""What importing the adapter leaves behind: nothing in the user's log, and no AIF360 elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

#: An interpreter that has imported what AIF360 needs, but neither AIF360 nor this package. It runs
#: each line that it reads, a program in JSON, in a fork of itself, and answers with the output.
FORKS = """
import json, os, sys, tempfile, traceback
import matplotlib.pyplot, pandas, scipy.optimize, scipy.stats
import sklearn.base, sklearn.linear_model, sklearn.metrics, sklearn.neighbors, sklearn.preprocessing

for line in sys.stdin:
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if not child:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            try:
                exec(json.loads(line), {})
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
        os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        print(json.dumps([out.read(), err.read()]), flush=True)
"""

HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

for name in [name for name in sys.modules if name.partition(".")[0] in {hidden!r}]:
    del sys.modules[name]
sys.meta_path.insert(0, Hidden())
"""

#: All that the root logger is.
STATE = """
import logging
def state():
    root = logging.getLogger()
    return [*map(id, root.handlers)], root.level, root.disabled, [*root.filters], root.propagate
"""


class Output(NamedTuple):
    """What a program wrote."""

    stdout: str
    stderr: str


#: Runs statements where the packages ``hidden`` are not found, with a filter of all warnings.
Run = Callable[..., Output]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Programs in an interpreter that has not imported AIF360, a fork for each."""
    command = [sys.executable, "-c", FORKS]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as server:
        stdin, stdout = server.stdin, server.stdout
        assert stdin is not None
        assert stdout is not None

        def run_one(
            statements: str, *, hidden: tuple[str, ...] = (), warnings: str = "default"
        ) -> Output:
            code = HIDE.format(hidden=hidden) + STATE
            code += f"import warnings\nwarnings.simplefilter({warnings!r})\n{statements}"
            stdin.write(json.dumps(code) + "\n")
            stdin.flush()
            return Output(*json.loads(stdout.readline()))

        yield run_one
        stdin.close()


def test_nothing_of_the_host_is_imported_before(run: Run) -> None:
    found = run("print({'aif360', 'fairlearn', 'biasamp_adapters'} & set(sys.modules))")
    assert found == ("set()\n", "")


def test_aif360_itself_logs_and_its_handler_stays_if_it_came_first(run: Run) -> None:
    found = run(
        "import aif360.metrics, aif360.sklearn.utils\n"
        "before = state()\n"
        "import biasamp_adapters.aif360\n"
        "print(state() == before, len(state()[0]))"
    )
    assert found.stdout == "True 1\n"
    assert "WARNING:root:" in found.stderr


def test_the_import_says_nothing_and_all_is_as_before(run: Run) -> None:
    found = run(
        "import warnings, numpy as np, pandas as pd\n"
        "def settings():\n"
        "    return warnings.filters[:], np.geterr(), pd.get_option('display.max_rows'), state()\n"
        "before = settings()\n"
        "import biasamp_adapters.aif360\n"
        "print(settings() == before, state()[0], 'aif360.metrics' in sys.modules)\n"
        "logging.basicConfig(level=logging.INFO, format='ours %(message)s')\n"
        "logging.info('hello')",
        warnings="always",
    )
    assert (found.stdout, found.stderr) == ("True [] True\n", "ours hello\n")


def test_what_the_user_configured_stays(run: Run) -> None:
    found = run(
        "logging.basicConfig(level=logging.INFO, format='ours %(message)s')\n"
        "logging.root.addHandler(logging.NullHandler())\n"
        "logging.root.addFilter(lambda record: True)\n"
        "before, same = state(), logging.getLogger().handlers\n"
        "import biasamp_adapters.aif360\n"
        "print(state() == before, logging.getLogger().handlers is same)\n"
        "logging.info('hello'); logging.debug('hidden')",
        warnings="error",
    )
    assert (found.stdout, found.stderr) == ("True True\n", "ours hello\n")


@pytest.mark.parametrize(
    "configure", ["logging.basicConfig(format='%(message)s')", ""], ids=["basicConfig", "nothing"]
)
def test_what_other_threads_log_meanwhile_is_kept(run: Run, configure: str) -> None:
    found = run(
        "import threading, time\n"
        f"{configure}\n"
        "done = threading.Event()\n"
        "sent = 0\n"
        "def talk():\n"
        "    global sent\n"
        "    while not done.is_set():\n"
        "        logging.getLogger('service').warning('request'); sent += 1; time.sleep(.001)\n"
        "thread = threading.Thread(target=talk); thread.start()\n"
        "import biasamp_adapters.aif360\n"
        "done.set(); thread.join(); print(sent)"
    )
    assert found.stderr.count("request") == int(found.stdout)
    assert int(found.stdout) > 10


def test_the_error_names_the_extra(run: Run) -> None:
    found = run(
        "before = state()\n"
        "try:\n    import biasamp_adapters.aif360\n"
        "except ImportError as error:\n    print(type(error).__name__, error, state() == before)",
        hidden=("aif360",),
    )
    assert (found.stdout, found.stderr) == (
        "ImportError biasamp_adapters.aif360 needs AIF360: "
        "pip install 'biasamp-adapters[aif360]' True\n",
        "",
    )


def test_what_aif360_itself_lacks_is_named(run: Run) -> None:
    found = run(
        "before = state()\n"
        "try:\n    import biasamp_adapters.aif360\n"
        "except ModuleNotFoundError as error:\n    print(error.name, state() == before)",
        hidden=("sklearn",),
    )
    assert (found.stdout, found.stderr) == ("sklearn True\n", "")


@pytest.mark.parametrize(
    "statement",
    ["import biasamp_adapters as bam; bam.MALS; bam.audit", "import biasamp_adapters.cli"],
)
def test_the_rest_of_the_package_does_not_import_aif360(run: Run, statement: str) -> None:
    found = run(f"{statement}\nprint('aif360' in sys.modules)")
    assert (found.stdout, found.stderr) == ("False\n", "")


def test_the_adapter_hides_no_library_and_needs_no_fairlearn(run: Run) -> None:
    found = run(
        "import biasamp_adapters.aif360 as baa, aif360.metrics\n"
        "print(aif360.__name__, baa.__name__, "
        "issubclass(baa.BiasAmplificationMetric, aif360.metrics.ClassificationMetric))",
        hidden=("fairlearn",),
    )
    assert (found.stdout, found.stderr) == ("aif360 biasamp_adapters.aif360 True\n", "")


def test_every_public_name_is_there() -> None:
    import biasamp_adapters.aif360 as baa

    assert all(getattr(baa, name).__doc__ for name in baa.__all__)
    assert baa.__all__ == sorted(baa.__all__)
