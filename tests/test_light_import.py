"""Importing the package loads nothing that was not asked for."""

import json
import subprocess
import sys

import pytest

#: Hosts, engines and libraries that only some of the work needs.
HEAVY = {"aif360", "dask", "duckdb", "fairlearn", "ibis", "jinja2", "joblib", "matplotlib"}
HEAVY |= {"polars", "pyarrow", "pyspark", "rich", "scipy", "sklearn", "torch", "typer"}

#: pandas imports pyarrow where it is installed; that is not ours.
OTHERS = "import numpy, pandas, narwhals.stable.v2, scipy.sparse, scipy.special; "


def load(program: str) -> set[str]:
    show = "import json, sys; print(json.dumps(sorted({x.split('.')[0] for x in sys.modules})))"
    ended = subprocess.run(
        [sys.executable, "-c", f"{program}; {show}"], capture_output=True, text=True, check=True
    )
    return set(json.loads(ended.stdout.splitlines()[-1]))


def test_import_loads_nothing_heavy() -> None:
    assert not load("import biasamp_adapters") & HEAVY
    assert not load("import biasamp_adapters") & {"numpy", "pandas", "narwhals"}


def test_import_of_all_names_needs_no_host() -> None:
    assert not load("from biasamp_adapters import *") & {"aif360", "fairlearn"}


@pytest.mark.parametrize(("host", "name"), [("aif360", "AIF360"), ("fairlearn", "Fairlearn")])
def test_import_without_a_host_names_its_extra(host, name) -> None:
    program = f"import sys; sys.modules[{host!r}] = None; import biasamp_adapters; "
    command = [sys.executable, "-c", f"{program} biasamp_adapters.{host}"]
    ended = subprocess.run(command, capture_output=True, text=True)
    install = f'pip install "biasamp-adapters[{host}]"'
    assert ended.stderr.splitlines()[-1] == f"ImportError: {name} is missing: {install}"


@pytest.mark.parametrize("metric", ["BA", "LA"])
def test_call_of_a_metric_loads_numpy_pandas_and_sparse_arrays_only(metric) -> None:
    name = {"BA": "directional_bias_amplification", "LA": "leakage_amplification"}[metric]
    call = f"import biasamp_adapters as bam; bam.{name}([0, 1], [0, 1], sensitive_features=[2, 3])"
    assert load(OTHERS + call) & HEAVY == load(OTHERS + "pass") & HEAVY


def test_audit_of_scores_loads_neither_matplotlib_nor_sklearn() -> None:
    columns = "y_true=[0, 1, 1] * 99, y_score=[1, 2, 2] * 99, sensitive_features=list('abb') * 99"
    audit = f"bam.audit({columns}, threshold=2, n_boot=50).to_html()"
    assert not load(f"import biasamp_adapters as bam; {audit}") & {"matplotlib", "sklearn"}
