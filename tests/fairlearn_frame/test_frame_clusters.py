"""Clusters in a frame: replicates draw them as a whole, in every slice."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from cluster_cases import OTHER_LENGTHS, PERSON, REFUSED, ROWS, SAME
from metric_cases import quietly

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

from fairlearn.metrics import count, selection_rate

from biasamp_adapters import MALS, AmplificationWarning, DirectionalBiasAmplification
from biasamp_adapters.fairlearn import amplification_frame

OPTIONS: dict[str, Any] = {"n_boot": 2000, "ci_quantiles": [0.025, 0.975]}


def people(n: int = 400, copies: int = 9) -> dict[str, Any]:
    """Rows of as many people, each copied, with a level that copies share."""
    rng = np.random.default_rng(0)
    group, level = rng.integers(0, 2, n), rng.integers(0, 2, n)
    truth = (rng.random(n) < np.where(group, 0.6, 0.3)).astype(int)
    made = (rng.random(n) < np.where(truth, 0.8, 0.1 + 0.1 * group)).astype(int)
    rows = {"y_true": truth, "y_pred": made, "sensitive_features": group}
    rows |= {"control_features": level, "clusters": np.arange(n)}
    return {name: np.repeat(values, copies) for name, values in rows.items()}


def widths(frame: Any) -> Any:
    low, high = frame.overall_ci
    return high.to_numpy(dtype=float) - low.to_numpy(dtype=float)


@pytest.mark.parametrize("controlled", [False, True])
def test_copies_of_rows_tell_no_more_than_the_rows(controlled: bool) -> None:
    metrics = {"BA": DirectionalBiasAmplification(), "MALS": MALS(), "selected": selection_rate}
    rows = people()
    if not controlled:
        del rows["control_features"]
    alone = {name: values[::9] for name, values in rows.items() if name != "clusters"}
    without = {name: values for name, values in rows.items() if name != "clusters"}
    found, expected, wrong = (
        widths(amplification_frame(metrics=metrics, **given, **OPTIONS))
        for given in (rows, alone, without)
    )
    # Ends are quantiles of 2,000 replicates, with a noise of about 3 % of the width.
    np.testing.assert_allclose(found, expected, rtol=0.15)
    assert (found > 2.5 * wrong).all()


def test_few_clusters_are_noted() -> None:
    rows = people(40, 3)
    # So few people are too few for some of the intervals as well, which is another warning.
    with pytest.warns(AmplificationWarning) as warned:
        frame = amplification_frame(metrics=MALS(), **rows, **OPTIONS)
    assert any("are in fewer than 60 clusters" in str(one.message) for one in warned)
    assert any("60 clusters" in note for note in frame.notes)


@pytest.mark.parametrize("weighted", [False, True])
def test_metrics_of_the_host_have_no_interval_where_ours_have_none(weighted: bool) -> None:
    rows = people(40, 3) | {"clusters": np.arange(120) % 5}
    if weighted:
        rows["sample_weight"] = np.linspace(0.5, 1.5, 120)
    metrics = {"selected": selection_rate, "rows": count, "MALS": MALS()}
    frame = quietly(amplification_frame, metrics=metrics, **rows, **OPTIONS)
    assert np.isnan(widths(frame)).all()
    for name in metrics:
        few = rf"^{name}, .*5 clusters are too few"
        assert any(re.search(few, note) for note in frame.notes), name


def test_rows_are_counted_in_drawn_clusters() -> None:
    # Each cluster has ten rows of group 0 or of 1, and 97 of 100 are drawn (see resample_clusters).
    group = np.repeat(np.arange(100) % 2, 10)
    rows = {"y_true": group, "y_pred": group, "sensitive_features": group}
    clusters = np.repeat(np.arange(100), 10)
    frame = quietly(amplification_frame, metrics=count, clusters=clusters, **rows, **OPTIONS)
    assert (frame.overall, frame.by_group.tolist()) == (1000, [500, 500])
    (low, *_), (high, *_) = (ends.to_numpy() for ends in frame.by_group_ci)
    # How many of 97 draws fall on a group of one half has a standard deviation of sqrt(97) / 2.
    assert high - low == pytest.approx(2 * 1.96 * 10 * np.sqrt(97) / 2, rel=0.1)


def test_a_level_may_hold_a_single_cluster() -> None:
    rows = people(100, 3)
    # All of level 1 is one person.
    rows["clusters"] = np.where(rows["control_features"] == 1, 1000, rows["clusters"])
    with pytest.warns(AmplificationWarning):
        frame = amplification_frame(metrics={"MALS": MALS()}, **rows, **OPTIONS)
    assert frame.overall["MALS"].notna().all()


def test_columns_of_every_type_are_the_same() -> None:
    metrics = {"BA": DirectionalBiasAmplification(), "MALS": MALS()}

    def ends(clusters: Any) -> Any:
        options = {"n_boot": 50, "ci_quantiles": [0.1, 0.9], "clusters": clusters}
        frame = quietly(amplification_frame, metrics=metrics, **ROWS, **options)
        return [end.tolist() for end in frame.overall_ci]

    expected = ends(PERSON)
    for name, column in SAME.items():
        assert ends(column()) == expected, name
    for column, message in REFUSED.values():
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            ends(column())
    for column in OTHER_LENGTHS.values():
        with pytest.raises(ValueError, match=r"same length; received .*clusters"):
            ends(column())
