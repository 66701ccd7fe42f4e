"""Importing the package costs nothing that was not asked for."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# Hosts, engines and libraries that only some of the work needs.
HEAVY = {
    "aif360",
    "dask",
    "duckdb",
    "fairlearn",
    "ibis",
    "jinja2",
    "matplotlib",
    "polars",
    "pyarrow",
    "pyspark",
    "rich",
    "scipy",
    "sklearn",
    "torch",
    "typer",
}


def _imported(statements: str) -> set[str]:
    code = f"import json, sys\n{statements}\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in json.loads(run.stdout.splitlines()[-1])}


def test_the_package_imports_nothing_heavy() -> None:
    assert _imported("import biasamp_adapters") & HEAVY == set()


@pytest.mark.parametrize(
    "statements",
    [
        "import biasamp_adapters as bam; bam.JointCounts",
        "import biasamp_adapters as bam; bam.DirectionalBiasAmplification()([0, 1], [0, 1], "
        "sensitive_features=['a', 'b'])",
        "import biasamp_adapters as bam; bam.LeakageAmplification()([0, 1], [0, 1], "
        "sensitive_features=['a', 'b'])",
        "import biasamp_adapters as bam; bam.audit",
        "import biasamp_adapters.datasets",
    ],
)
def test_its_parts_import_nothing_heavy_of_their_own(statements: str) -> None:
    # pandas imports pyarrow where it is installed; that is not ours.
    assert (_imported(statements) - _imported("import numpy, pandas, narwhals")) & HEAVY == set()


def test_the_check_sees_what_is_imported() -> None:
    assert "duckdb" in _imported("import duckdb")


def test_every_public_name_is_there() -> None:
    import biasamp_adapters

    for name in biasamp_adapters.__all__:
        assert getattr(biasamp_adapters, name) is not None
    assert set(biasamp_adapters.__all__) == set(dir(biasamp_adapters))


def test_an_unknown_name() -> None:
    import biasamp_adapters

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        biasamp_adapters.nothing  # noqa: B018  # the access is what is tested
