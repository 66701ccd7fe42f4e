"""What every test needs: the right package, the folder of real data, and Hypothesis' settings."""

import importlib.metadata
import os
from pathlib import Path

# Tests run side by side, one process for each core. Numpy starts its threads when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pandas as pd
import pytest
from hypothesis import settings

import biasamp_adapters as bam

ROOT = Path(__file__).resolve().parents[1]

#: Shared machines stall now and then, so a slow example is no failure.
settings.register_profile(
    "tests", deadline=None, database=None, max_examples=50, derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("tests")


def pytest_configure(config: pytest.Config) -> None:
    """Stop if the tests would run against another copy of the package."""
    source = Path(bam.__file__).resolve()
    if not source.is_relative_to(ROOT):
        raise pytest.UsageError(
            f"the tests of {ROOT} need the package of the same folder; imported {source}"
        )
    installed = importlib.metadata.version("biasamp-adapters")
    if installed != bam.__version__:
        raise pytest.UsageError(
            f"biasamp-adapters {installed} is installed, but the source has version "
            f"{bam.__version__}: install it again"
        )


def find_data() -> Path | None:
    """Return the folder of real data: BIASAMP_DATA, or shared/data in a folder above."""
    named = os.environ.get("BIASAMP_DATA")
    if named is not None:
        return Path(named) if named and Path(named).is_dir() else None
    candidates = (folder / "shared" / "data" for folder in ROOT.parents)
    return next((folder for folder in candidates if folder.is_dir()), None)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data; tests are skipped without it, and fail in CI."""
    folder = find_data()
    if folder is not None:
        return folder
    reason = "the folder of real data is not here; BIASAMP_DATA names it"
    if bool(os.environ.get("CI")):
        pytest.fail(f"CI needs the real data: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def compas() -> pd.DataFrame:
    """Two groups: 3,696 rows of which 1,901 have 1, and 2,454 with 966; predicted 2,174 and 854."""
    table = bam.datasets.load_compas().query("race in ['African-American', 'Caucasian']")
    return table.assign(high=(table["decile_score"] >= 5).astype(int))


@pytest.fixture(scope="session")
def compas_report(compas: pd.DataFrame) -> bam.AuditReport:
    return bam.audit(compas, "high", y_true="two_year_recid", sensitive_features="race")
