"""What is given as clusters, in every function that takes arrays of rows, and in tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cluster_cases import GROUP, OTHER_LENGTHS, PERSON, REFUSED, ROWS, SAID, SAME, TRUTH
from metric_cases import quietly

import biasamp_adapters as bam
from biasamp_adapters._roles import Inputs, Role
from biasamp_adapters.metrics.attacks.attack_rows import number_rows

BA = bam.DirectionalBiasAmplification()
NUMBERS = {"y_true": np.linspace(0, 1, 120), "y_pred": np.linspace(1, 0, 120) ** 2}
MATRICES = {"y_true": np.stack([TRUTH, 1 - TRUTH], 1), "y_pred": np.stack([SAID, 1 - SAID], 1)}


def _interval(clusters: Any, **rows: Any) -> Any:
    return quietly(BA.result, **(ROWS | rows), clusters=clusters, n_boot=50).interval


def _audited(clusters: Any) -> Any:
    scores = np.linspace(0, 1, 120)
    report = quietly(bam.audit, **ROWS, y_score=scores, clusters=clusters, n_boot=20)
    return report.summary["data"], report.summary["sweeps"]


def _fitted(clusters: Any) -> Any:
    """The clusters of rows that attackers are fitted to, which never split between folds."""
    inputs = Inputs(**(ROWS | NUMBERS), clusters=clusters)
    roles = [Role.TASK, Role.PREDICTION, Role.ATTRIBUTE]
    rows = number_rows(inputs, roles, dict.fromkeys(Role), "error")
    assert rows is not None
    return rows.folds(5, np.random.default_rng(0)).tolist()


def _compared(clusters: Any) -> Any:
    models = {"one": SAID, "other": 1 - TRUTH}
    found = quietly(bam.compare, BA, **(ROWS | {"y_pred": models}), clusters=clusters, n_boot=20)
    return [found.results[name].interval for name in models] + [found.difference]


#: Functions that take arrays; each returns what depends on the clusters.
TAKE_ARRAYS: dict[str, Callable[[Any], Any]] = {
    "audit": _audited,
    "result": _interval,
    "result of matrices": lambda x: _interval(x, **MATRICES),
    "compare": _compared,
    "fitted attacker": _fitted,
}


@pytest.mark.parametrize("function", TAKE_ARRAYS)
def test_columns_of_every_type_are_the_same(function: str) -> None:
    take = TAKE_ARRAYS[function]
    expected = take(PERSON)
    # An audit takes its time; it reads rows twice, which an iterator would not stand.
    for name in ("iterator", "mixed types") if function == "audit" else SAME:
        assert take(SAME[name]()) == expected, name


@pytest.mark.parametrize("function", TAKE_ARRAYS)
def test_what_is_no_column_of_clusters_is_refused(function: str) -> None:
    take = TAKE_ARRAYS[function]
    for name, (column, message) in REFUSED.items():
        with pytest.raises(ValueError, match=f"^{re.escape(message)}") as raised:
            take(column())
        assert "\n" not in str(raised.value), name
        assert len(str(raised.value)) < 250, name
    for column in OTHER_LENGTHS.values():
        with pytest.raises(ValueError, match=r"same length; received .*clusters \d+"):
            take(column())


def test_rows_in_another_order_are_told() -> None:
    rows = {name: pd.Series(values) for name, values in ROWS.items()}
    clusters = pd.Series(PERSON, index=range(119, -1, -1))
    with pytest.warns(bam.AmplificationWarning, match="clusters"):
        BA.result(**rows, clusters=clusters)


# Tables

TABLE = pd.DataFrame({"A": GROUP, "T": TRUTH, "P": SAID, "who": PERSON})
NAMES = {"task": "T", "prediction": "P", "attribute": "A"}


def _of_frame(table: Any, clusters: Any) -> Any:
    counts = bam.JointCounts.from_frame(table, **NAMES, clusters=clusters)
    return quietly(bam.audit_counts, counts, n_boot=20)


def _of_file(table: Any, clusters: Any) -> Any:
    table.to_csv("rows.csv", index=False)
    return quietly(bam.audit_frame, "rows.csv", **NAMES, clusters=clusters, n_boot=20)


TAKE_TABLES: dict[str, Callable[[Any, Any], Any]] = {
    "from_frame": _of_frame,
    "audit_frame": lambda table, clusters: quietly(
        bam.audit_frame, table, **NAMES, clusters=clusters, n_boot=20
    ),
    "file": _of_file,
}


@pytest.mark.parametrize("function", TAKE_TABLES)
def test_columns_of_tables(function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    take = TAKE_TABLES[function]
    assert take(TABLE, "who").summary["data"]["clusters"] == 60
    texts = TABLE.assign(who=[f"{person:03d}" for person in PERSON])
    assert take(texts, "who").summary["data"]["clusters"] == 60
    refused = {
        r"missing values; received 1 \(": ([None, *PERSON[1:]], "who"),
        "at least two; received one, which holds all 120 rows": ("only", "who"),
        "must hold several rows; received 120 clusters of one row each": (range(120), "who"),
        "'whom'": (PERSON, "whom"),
        r"clusters must .*received \['who', 'A'\]": (PERSON, ["who", "A"]),
        "clusters must .*received 3": (PERSON, 3),
    }
    for message, (persons, clusters) in refused.items():
        with pytest.raises(ValueError, match=message) as raised:
            take(TABLE.assign(who=persons), clusters)
        assert "\n" not in str(raised.value)
