"""What importing the adapter leaves behind: nothing in the user's log, and no AIF360 elsewhere."""

from __future__ import annotations

import pytest
from forks import Ended, forked

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

#: All that the root logger is.
STATE = """
import logging
def state():
    root = logging.getLogger()
    return [*map(id, root.handlers)], root.level, root.disabled, [*root.filters], root.propagate
"""


def run(statements: str, *, hidden: tuple[str, ...] = (), warnings: str = "default") -> Ended:
    """The statements in an interpreter that does not find ``hidden``, with a filter of warnings."""
    code = f"import warnings\nwarnings.simplefilter({warnings!r})\n{STATE}{statements}"
    return forked(code, hidden=hidden)


def test_nothing_of_the_host_is_imported_before() -> None:
    found = run("print({'aif360', 'fairlearn', 'biasamp_adapters'} & set(sys.modules))")
    assert found == (0, "set()\n", "")


def test_aif360_itself_logs_and_its_handler_stays_if_it_came_first() -> None:
    found = run(
        "import aif360.metrics, aif360.sklearn.utils\n"
        "before = state()\n"
        "import biasamp_adapters.aif360\n"
        "print(state() == before, len(state()[0]))"
    )
    assert found.out == "True 1\n"
    assert "WARNING:root:" in found.err


def test_the_import_says_nothing_and_all_is_as_before() -> None:
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
    assert (found.out, found.err) == ("True [] True\n", "ours hello\n")


def test_what_the_user_configured_stays() -> None:
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
    assert (found.out, found.err) == ("True True\n", "ours hello\n")


@pytest.mark.parametrize(
    "configure", ["logging.basicConfig(format='%(message)s')", ""], ids=["basicConfig", "nothing"]
)
def test_what_other_threads_log_meanwhile_is_kept(configure: str) -> None:
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
    assert found.err.count("request") == int(found.out)
    assert int(found.out) > 10


def test_the_error_names_the_extra() -> None:
    found = run(
        "before = state()\n"
        "try:\n    import biasamp_adapters.aif360\n"
        "except ImportError as error:\n    print(type(error).__name__, error, state() == before)",
        hidden=("aif360",),
    )
    assert (found.out, found.err) == (
        "ImportError biasamp_adapters.aif360 needs AIF360: "
        "pip install 'biasamp-adapters[aif360]' True\n",
        "",
    )


def test_what_aif360_itself_lacks_is_named() -> None:
    found = run(
        "before = state()\n"
        "try:\n    import biasamp_adapters.aif360\n"
        "except ModuleNotFoundError as error:\n    print(error.name, state() == before)",
        hidden=("sklearn",),
    )
    assert (found.out, found.err) == ("sklearn True\n", "")


@pytest.mark.parametrize(
    "statement",
    ["import biasamp_adapters as bam; bam.MALS; bam.audit", "import biasamp_adapters.cli"],
)
def test_the_rest_of_the_package_does_not_import_aif360(statement: str) -> None:
    found = run(f"{statement}\nprint('aif360' in sys.modules)")
    assert (found.out, found.err) == ("False\n", "")


def test_the_adapter_hides_no_library_and_needs_no_fairlearn() -> None:
    found = run(
        "import biasamp_adapters.aif360 as baa, aif360.metrics\n"
        "print(aif360.__name__, baa.__name__, "
        "issubclass(baa.BiasAmplificationMetric, aif360.metrics.ClassificationMetric))",
        hidden=("fairlearn",),
    )
    assert (found.out, found.err) == ("aif360 biasamp_adapters.aif360 True\n", "")


def test_every_public_name_is_there() -> None:
    import biasamp_adapters.aif360 as baa

    assert all(getattr(baa, name).__doc__ for name in baa.__all__)
    assert baa.__all__ == sorted(baa.__all__)
