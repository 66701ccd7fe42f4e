"""Fixtures that many tests share: the real data, the engines, the browser."""

from __future__ import annotations

import atexit
import functools
import gc
import importlib.util
import inspect
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# Tests run side by side, one process per core. Before numpy is imported, which starts the threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

# Shared machines stall now and then; a slow example is not a wrong one.
_PROFILES = {
    "default": 16,  # what a contributor waits for; other ones each time
    "full": 100,  # CI, with the newest versions
    "few": 10,  # where all that can differ is what a library does
}
for _name, _examples in _PROFILES.items():
    settings.register_profile(_name, deadline=None, max_examples=_examples)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def slow_examples(share: int) -> settings:
    """For properties whose examples take long: a half, a quarter, ... of the profile's examples."""
    return settings(max_examples=max(1, settings().max_examples // share))


if sys.version_info < (3, 12):
    # Python 3.12 remembers this itself. Narwhals asks for each array that scikit-learn checks.
    inspect._shadowed_dict = functools.lru_cache(inspect._shadowed_dict)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let no garbage collection look at ten thousand tests and their libraries, now or later.

    What tests themselves leave behind in cycles is little, so it is collected less often than by
    default.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


# Let libraries go as ever; some complain of what is left. Not before pytest has looked for
# exceptions of what tests left behind, for which it collects twice.
atexit.register(gc.unfreeze)


_REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def thorough() -> None:
    """For tests, and fixtures of tests, that take seconds and are there in a smaller form too."""
    if os.environ.get("HYPOTHESIS_PROFILE") != "full":
        pytest.skip("takes seconds; HYPOTHESIS_PROFILE=full runs it")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data: BIASAMP_DATA, or shared/data beside the repository."""
    named = os.environ.get("BIASAMP_DATA")
    if named == "":
        pytest.skip("BIASAMP_DATA is empty, which says that the data folder is not here")
    folder = Path(named or _REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"CI must have the data folder; there is no {folder}")
        pytest.skip("the data folder is not here; set BIASAMP_DATA")
    return folder


#: What decision trees on the five features of [T25] say of the 5,278 COMPAS rows on which they were
#: trained. A row for each T (is_recid) and A (1 is African-American), a column for each prediction
#: of T and of A. ``tests/datasets/test_compas_counts.py`` finds these numbers in the rows.
COMPAS_TREES = {
    (0, 0): {(0, 0): 677, (0, 1): 388, (1, 0): 39, (1, 1): 125},
    (0, 1): {(0, 0): 321, (0, 1): 800, (1, 0): 31, (1, 1): 250},
    (1, 0): {(0, 0): 235, (0, 1): 166, (1, 0): 245, (1, 1): 228},
    (1, 1): {(0, 0): 128, (0, 1): 363, (1, 0): 83, (1, 1): 1199},
}


@pytest.fixture(scope="session")
def compas() -> pd.DataFrame:
    """The 5,278 COMPAS rows with T, A (1 = African-American) and a tree's predictions of both."""
    rows = [
        (*truth, *predicted)
        for truth, numbers in COMPAS_TREES.items()
        for predicted, n in numbers.items()
        for _ in range(n)
    ]
    frame = pd.DataFrame(rows, columns=["T", "A", "T_pred", "A_pred"])
    # Not sorted, so that every part of the rows has some of each kind.
    return frame.sample(frac=1, random_state=0, ignore_index=True)


@pytest.fixture(scope="session", autouse=True)
def one_database() -> Iterator[None]:
    """Connections in memory are to one database, as to open one takes longer than most queries.

    What processes do has databases of its own: tests of the command that call ``process``.
    """
    import duckdb

    opened = duckdb.connect

    @functools.cache
    def database(config: tuple[tuple[str, Any], ...]) -> Any:
        made = opened(config=dict(config))
        # A file may be written anew within the resolution of its time.
        made.execute("SET enable_external_file_cache = false")
        return made

    def connect(*given: Any, **named: Any) -> Any:
        if given or {*named} != {"config"}:
            return opened(*given, **named)
        return database((*named["config"].items(),)).cursor()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb, "connect", connect)
        yield
        database.cache_clear()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, without a window, started once for all pages."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium")
    if program is None:
        # CI has no other way to learn that it tests no page.
        if os.environ.get("CI") == "true":
            pytest.fail("CI must have a browser; there is no chromium on the PATH")
        pytest.skip("there is no chromium on the PATH")
    with api.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module", autouse=True)
def short_audits(request: pytest.FixtureRequest) -> Iterator[None]:
    """In tests of reports, attackers are fitted once, and a score has 8 thresholds.

    With all of them, most of the time of an audit goes into these. The values of attackers are
    asked in tests/attackers; audits with all trials and thresholds in tests/cli and tests/golden.
    A module that needs all of them has a fixture of this name that does nothing.
    """
    if request.path.parent.name not in ("auditing", "browser"):
        yield
        return
    from biasamp_adapters.auditing import count_columns, ranked_scores
    from biasamp_adapters.metrics import predictability

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(predictability, "FITTED_TRIALS", 1)
        patch.setattr(predictability, "EXACT_TRIALS", 2)
        for module in (count_columns, ranked_scores):
            patch.setattr(module, "LEVELS", np.arange(1, 9) / 8 * (1 - 1e-12))
        yield


@pytest.fixture(scope="module")
def example(request: pytest.FixtureRequest) -> Any:
    """The module ``examples/NAME.py`` for the tests of ``test_NAME.py``."""
    name = request.path.stem.removeprefix("test_")
    spec = importlib.util.spec_from_file_location(name, _REPOSITORY / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if hasattr(module, "load_digits"):
        # Its 1,797 images are parsed from text.
        setattr(module, "load_digits", functools.cache(module.load_digits))  # noqa: B010
    return module


def _polars(frame: pd.DataFrame) -> Any:
    polars = pytest.importorskip("polars", reason="the polars extra is not installed")
    return polars.DataFrame({name: column.tolist() for name, column in frame.items()})


def _pyarrow(frame: pd.DataFrame) -> Any:
    pyarrow = pytest.importorskip("pyarrow", reason="the arrow extra is not installed")
    return pyarrow.table({name: column.tolist() for name, column in frame.items()})


def _dask(frame: pd.DataFrame) -> Any:
    dask = pytest.importorskip("dask.dataframe", reason="the dask extra is not installed")
    # Two partitions, on dask's own scheduler.
    typed = _pyarrow(frame).to_pandas(types_mapper=pd.ArrowDtype)
    return dask.from_pandas(typed, npartitions=2)


def _ibis(frame: pd.DataFrame) -> Any:
    ibis = pytest.importorskip("ibis", reason="the ibis extra is not installed")
    return ibis.memtable(_pyarrow(frame))


@functools.cache
def _spark_session() -> Any:
    sql = pytest.importorskip("pyspark.sql", reason="the spark extra is not installed")
    return (
        sql.SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", 2)
        # Small tables: compiling a query takes longer than running it.
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.adaptive.enabled", "false")
        .getOrCreate()
    )


def _spark(frame: pd.DataFrame) -> Any:
    return _spark_session().createDataFrame(_pyarrow(frame))


def _duckdb(frame: pd.DataFrame) -> Any:
    import duckdb

    # On the connection of the module: older versions close one that nobody holds.
    return duckdb.from_df(frame)


#: Name to constructor: what differs between engines is a table, not branches.
ENGINES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "polars": _polars,
    "polars-lazy": lambda frame: _polars(frame).lazy(),
    "pyarrow": _pyarrow,
    "duckdb": _duckdb,
    "dask": _dask,
    "ibis": _ibis,
    "spark": _spark,
}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Callable[[pd.DataFrame], Any]:
    """A constructor that turns a pandas frame into one of the engine under test."""
    return ENGINES[request.param]


@pytest.fixture(params=["labels", "matrix"], scope="session")
def kind(request: pytest.FixtureRequest) -> Any:
    """How the rows of a test are counted: as labels, or as a matrix with a column per class."""
    from kinds import KINDS

    return KINDS[request.param]


def duckdb_takes_quotes() -> bool:
    """Whether DuckDB can name a column that has a quotation mark in an expression."""
    import duckdb

    return int(duckdb.__version__.split(".")[0]) >= 2


def rows_of(table: Any, *axes: str) -> pd.DataFrame:
    """Rows from an array of counts whose axes are named ``axes``, one row a count."""
    table = np.asarray(table)
    codes = np.repeat(np.argwhere(table >= 0), table.ravel(), axis=0)
    return pd.DataFrame(codes, columns=list(axes))
