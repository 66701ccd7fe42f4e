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


#: Programs, by what they show. pandas imports pyarrow where it is installed; that is not ours.
OTHERS = "import numpy, pandas, narwhals"
PARTS = [
    "import biasamp_adapters as bam; bam.JointCounts",
    "import biasamp_adapters as bam; bam.DirectionalBiasAmplification()([0, 1], [0, 1], "
    "sensitive_features=['a', 'b'])",
    "import biasamp_adapters as bam; bam.LeakageAmplification()([0, 1], [0, 1], "
    "sensitive_features=['a', 'b'])",
    "import biasamp_adapters as bam; bam.audit",
    "import biasamp_adapters.datasets",
]

#: Each program runs in a fork of an interpreter that has imported what it may import.
FORKS = """
import json, os, sys
{before}
for program in {programs!r}:
    sys.stdout.flush()
    child = os.fork()
    if not child:
        exec(program, {{}})
        print(json.dumps(sorted({{name.split(".")[0] for name in sys.modules}})), flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit("failed: " + program)
"""


def imported(*programs: str, before: str = "") -> list[set[str]]:
    """The packages that each program has imported when it ends."""
    code = FORKS.format(before=before, programs=programs)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [set(json.loads(line)) for line in run.stdout.splitlines()]


def test_the_package_imports_nothing_heavy() -> None:
    ours, duckdb = imported("import biasamp_adapters", "import duckdb")
    assert ours & HEAVY == set()
    # The check sees what is imported.
    assert "duckdb" in duckdb


def test_its_parts_import_nothing_heavy_of_their_own() -> None:
    nothing, *found = imported("", *PARTS, before=OTHERS)
    assert "pandas" in nothing
    heavy = {part: (names - nothing) & HEAVY for part, names in zip(PARTS, found, strict=True)}
    assert heavy == {part: set() for part in PARTS}


def test_pages_and_cards_are_drawn_without_matplotlib() -> None:
    report = "import biasamp_adapters as bam; report = bam.audit([0, 1] * 9, [0, 0, 1] * 6, "
    report += "sensitive_features=[1, 2, 3] * 6, n_boot=50); report.to_html(); report._repr_html_()"
    (found,) = imported(report)
    assert "jinja2" in found
    assert "matplotlib" not in found


def test_every_public_name_is_there() -> None:
    import biasamp_adapters

    for name in biasamp_adapters.__all__:
        assert getattr(biasamp_adapters, name) is not None
    assert set(biasamp_adapters.__all__) == set(dir(biasamp_adapters))


def test_an_unknown_name() -> None:
    import biasamp_adapters

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        biasamp_adapters.nothing  # noqa: B018  # the access is what is tested
