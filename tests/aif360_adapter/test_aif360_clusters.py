"""Clusters of the rows of AIF360 datasets."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from cluster_cases import OTHER_LENGTHS, PERSON, REFUSED, SAME

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

from dataset_cases import SEXES, fixed_frame, metric_of, quiet, sides

import biasamp_adapters as bam
from biasamp_adapters.aif360 import audit_report


def people() -> tuple[pd.DataFrame, list[str]]:
    """Two rows of each of 60 persons."""
    return fixed_frame(), [f"p{i % 60}" for i in range(120)]


def test_metric_and_report_draw_clusters() -> None:
    frame, who = people()
    metric = metric_of(frame, clusters=who, **SEXES)
    measure = bam.DirectionalBiasAmplification()
    groups = sides(frame["sex"])
    rows = {"sensitive_features": groups, "clusters": who, "n_boot": 99}
    expected = quiet(measure.result, frame["T"], frame["T_pred"], **rows)
    found = quiet(metric.amplification, measure, n_boot=99)
    assert found.interval == expected.interval
    assert metric_of(frame, **SEXES).amplification(measure, n_boot=99).interval != found.interval
    assert audit_report(metric, n_boot=50).summary["data"]["clusters"] == 60


def test_rows_in_no_group_leave_their_cluster() -> None:
    frame, who = people()
    # Only women and men over the age are compared; the others are left out.
    groups = {
        "unprivileged_groups": [{"sex": 0, "age": 1}],
        "privileged_groups": [{"sex": 1, "age": 1}],
    }
    counts = metric_of(frame, clusters=who, **groups).dataset_counts().counts
    inside = frame["age"].to_numpy() == 1
    assert counts.n_rows == inside.sum()
    assert counts.n_clusters == len(set(np.array(who)[inside]))


def test_columns_of_every_type_are_the_same() -> None:
    frame, _ = people()

    def interval(clusters: object) -> object:
        # The metric is asked twice, where an iterator could be read once.
        metric = metric_of(frame, clusters=clusters, **SEXES)
        quietly = [quiet(metric.amplification, bam.MALS(), n_boot=50) for _ in range(2)]
        assert quietly[0].interval == quietly[1].interval
        return quietly[0].interval

    expected = interval(PERSON)
    for name, column in SAME.items():
        assert interval(column()) == expected, name
    for column, message in REFUSED.values():
        with pytest.raises(ValueError, match=f"^{re.escape(message)}") as raised:
            interval(column())
        # A dataset has no rule for missing values.
        assert "missing=" not in str(raised.value)
    for column in OTHER_LENGTHS.values():
        with pytest.raises(ValueError, match=r"each of the dataset's 120 rows; received"):
            interval(column())
