"""Intervals of rows that depend on each other: whole clusters are drawn, in every surface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kinds import Kind

import biasamp_adapters as bam
from biasamp_adapters import AmplificationWarning, JointCounts
from biasamp_adapters._roles import Inputs, Role
from biasamp_adapters.inference.replicates import accelerations
from biasamp_adapters.metrics.attacks.attack_rows import AttackRows, number_rows, rows_of_counts
from biasamp_adapters.reference import align

#: Each row is copied as often.
COPIES = 9

METRICS = [
    bam.MALS(),
    bam.DirectionalBiasAmplification(),
    bam.DirectionalBiasAmplification(direction="T->A"),
    bam.DirectionalPredictabilityAmplification(equalize=None),
    bam.LeakageAmplification(equalize=None),
]


def people(n: int = 400, seed: int = 0) -> dict[str, Any]:
    """Rows of as many people, whose groups have other rates."""
    rng = np.random.default_rng(seed)
    group = rng.random(n) < 0.4
    truth = rng.random(n) < np.where(group, 0.6, 0.3)
    made = rng.random(n) < np.where(truth, 0.8, 0.1) + np.where(group, 0.15, 0)
    named = np.where(rng.random(n) < 0.8, group, truth)
    arrays = (truth, made, group, named)
    return dict(zip(Inputs._fields, (x.astype(int) for x in arrays), strict=False))


def copied(rows: dict[str, Any], copies: int = COPIES) -> dict[str, Any]:
    """The same rows, each several times, and what they are copies of."""
    out = {name: np.repeat(values, copies, axis=0) for name, values in rows.items()}
    return out | {"clusters": np.repeat(np.arange(len(rows["y_true"])), copies)}


def counted(kind: Kind, rows: dict[str, Any]) -> Any:
    return kind.count(**rows, **kind.apart)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.__name__)
def test_copies_of_rows_tell_no_more_than_the_rows(kind: Kind, metric: Any) -> None:
    if kind.name == "matrix" and isinstance(metric, bam.LeakageAmplification):
        pytest.skip("LA fits an attacker to a matrix, and has no interval")
    rows = people()
    n_boot, options = 4000, {"random_state": 1}
    alone = metric.from_counts(counted(kind, rows), n_boot=n_boot, **options)
    found = metric.from_counts(counted(kind, copied(rows)), n_boot=n_boot, **options)
    assert found.value == pytest.approx(alone.value, abs=1e-12)
    spreads = [result.replicated.replicates.std() for result in (found, alone)]
    # The standard error of the ratio of two standard deviations is sqrt(2 / (2 * 4000)) = .016.
    assert spreads[0] / spreads[1] == pytest.approx(1, abs=5 * 0.016)
    # As if they were independent, the interval would be a third as wide.
    without = {name: x for name, x in copied(rows).items() if name != "clusters"}
    wrong = metric.from_counts(counted(kind, without), n_boot=n_boot, **options)
    assert spreads[0] / wrong.replicated.replicates.std() == pytest.approx(3, abs=3 * 5 * 0.016)


def test_a_reference_draws_its_own_clusters(kind: Kind) -> None:
    # MALS reads values of the reference, of which 100 rows leave more doubt than 900 copies.
    rows, training = people(2000), people(100, seed=1)
    counts, spreads = counted(kind, rows), []
    for given in (training, copied(training)):
        metric = bam.MALS(reference=counted(kind, given))
        result = metric.from_counts(counts, n_boot=4000, random_state=1)
        assert result.replicated is not None
        spreads.append(result.replicated.replicates.std())
    # Of 100 clusters 96 are drawn: at most sqrt(100 / 96) = 1.02 times the spread.
    assert spreads[1] / spreads[0] == pytest.approx(1.01, abs=5 * 0.016)


@pytest.mark.parametrize("metric", METRICS[:3], ids=lambda metric: metric.__name__)
def test_the_jackknife_leaves_out_whole_clusters(kind: Kind, metric: Any) -> None:
    # Without all copies of a row, rates are those without the row.
    measured = []
    for rows in (people(60), copied(people(60))):
        evaluation = align(counted(kind, rows), None)
        measured.append(metric.measure(evaluation, evaluation.counts.first_model))
    alone, found = (accelerations([measurement], [1])["value"] for measurement in measured)
    assert found == pytest.approx(alone, abs=1e-9)
    assert alone != 0


def test_the_weight_of_a_cluster_is_known_from_sums() -> None:
    rows = copied(people(200), 3)
    rows["sample_weight"] = np.random.default_rng(0).random(len(rows["y_true"]))
    metric, found = bam.DirectionalBiasAmplification(), []
    for by_weight in (False, True):
        evaluation = align(JointCounts.from_arrays(**rows, by_weight=by_weight), None)
        found.append(accelerations([metric.measure(evaluation, "model")], [1])["value"])
        assert metric.from_counts(evaluation.counts, n_boot=100).interval is not None
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_weights_are_drawn_with_their_clusters(kind: Kind) -> None:
    # Persons of two rows weigh 1 + 3 and 5 + 1; twelve of fifteen are drawn.
    counts = kind.count(
        [0, 1] * 15,
        None,
        list("ab") * 15,
        sample_weight=[1.0, 3.0] * 10 + [5.0, 1.0] * 5,
        clusters=np.repeat([*range(15)], 2),
        **kind.apart,
    )
    tables = next(counts.draw(200, np.random.default_rng(0), 200))
    assert {*tables.total.tolist()} < {4 * (12 - i) + 6 * i for i in range(13)}
    groups = tables.marginal(Role.ATTRIBUTE)
    # The first row of a person is in group a: 1 of 4, or 5 of 6.
    heavy = (tables.total - 48) / 2
    np.testing.assert_allclose(groups[:, 0], (12 - heavy) + 5 * heavy)


def test_flips_stay_by_row(kind: Kind) -> None:
    # Sampled flips of drawn clusters: integer tables, whose levels have an interval.
    rows = copied(people())
    metric = bam.DirectionalPredictabilityAmplification(equalize="sampled", n_trials=20)
    result = metric.from_counts(counted(kind, rows), n_boot=200)
    assert result.interval is not None
    weighted = rows | {"sample_weight": np.tile([1.0, 2.0, 0.5], len(rows["y_true"]) // 3)}
    assert metric.from_counts(counted(kind, weighted), n_boot=200).interval is not None


def test_pairs_are_as_uncertain_as_those_of_the_rows(kind: Kind) -> None:
    rng = np.random.default_rng(3)
    rows = {"y_true": rng.integers(0, 2, 40), "y_pred": rng.integers(0, 2, 40)}
    rows["sensitive_features"] = rng.integers(0, 2, 40)
    metric = bam.DirectionalBiasAmplification()
    alone, found = (
        metric.from_counts(counted(kind, given)).by_pair["uncertain"].tolist()
        for given in (rows, copied(rows, 50))
    )
    assert found == alone == [True] * len(alone)


@pytest.mark.parametrize("name", ["result", "compare", "audit"])
def test_arrays_as_counts_of_them(name: str) -> None:
    rows = copied(people(200), 4)
    counts = JointCounts.from_arrays(**rows)
    metric = bam.DirectionalBiasAmplification()
    if name == "result":
        found = metric.result(**rows, n_boot=100).interval
        assert found == metric.from_counts(counts, n_boot=100).interval
    elif name == "audit":
        found = bam.audit(**rows, n_boot=100).to_frame()
        assert found.equals(bam.audit_counts(counts, n_boot=100).to_frame())
    else:
        rows["y_pred"] = {"one": rows["y_pred"], "two": 1 - rows["y_pred"]}
        found = bam.compare(metric, **rows, n_boot=100).difference.interval
        counts = JointCounts.from_arrays(**rows)
        assert found == bam.compare_counts(metric, counts, n_boot=100).difference.interval


def test_a_matrix_needs_no_interval_to_have_clusters() -> None:
    metric = bam.DirectionalBiasAmplification()
    truth = [[0, 1], [1, 0]] * 10
    value = metric.result(
        truth, truth, sensitive_features=[0, 1] * 10, clusters=[*range(10)] * 2
    ).value
    assert value == 0


def test_an_audit_tells_of_its_clusters() -> None:
    report = bam.audit(**copied(people(70), 4), n_boot=50)
    assert report.summary["data"]["clusters"] == 70
    assert report.summary["method"]["interval"] == (
        "percentile bootstrap over whole clusters of rows, drawn as count tables"
    )
    assert "280 rows in 70 clusters" in str(report)
    without = bam.audit(**people(70), n_boot=50)
    assert without.summary["data"]["clusters"] is None
    assert "clusters" not in str(without)


def test_rates_of_an_audit_draw_clusters() -> None:
    rows = copied(people())
    without = {name: x for name, x in rows.items() if name != "clusters"}
    widths = []
    for given in (rows, without):
        fairness = bam.audit(**given, n_boot=1000).to_frame("fairness")
        widths.append((fairness["high"] - fairness["low"]).to_numpy())
    # Nine copies of each row: three times as wide, but for the noise of quantiles.
    assert widths[0] / widths[1] == pytest.approx(3, abs=0.5)


def test_a_sweep_draws_clusters() -> None:
    rows = copied(people(60), 3)
    score = rows["y_pred"] + np.tile([0.1, 0.2, 0.3], 60)
    (curve,) = bam.audit(**rows, y_score=score, n_boot=100).summary["sweeps"]
    without = {name: x for name, x in rows.items() if name != "clusters"}
    (other,) = bam.audit(**without, y_score=score, n_boot=100).summary["sweeps"]
    for mine, theirs in zip(curve["points"], other["points"], strict=True):
        assert mine["share"] == theirs["share"]
        assert mine["amplification"]["value"] == theirs["amplification"]["value"]
    assert curve["points"][2]["amplification"]["low"] != other["points"][2]["amplification"]["low"]


FEW = (
    "rows of 1 are in fewer than 60 clusters: intervals that rest on such a group may be too narrow"
)


def of_two_groups(first: int, second: int) -> dict[str, Any]:
    """Two rows of each person, of whom as many are in the two groups."""
    group = np.repeat([0, 1], [first, second])
    truth = np.arange(first + second) % 2
    rows = {"y_true": truth, "y_pred": 1 - truth * group, "sensitive_features": group}
    return copied(rows, 2)


def test_groups_in_few_clusters_are_noted() -> None:
    rows, metric = of_two_groups(60, 59), bam.DirectionalBiasAmplification()
    with pytest.warns(AmplificationWarning, match=FEW):
        assert FEW in metric.result(**rows, n_boot=50).notes
    assert metric.result(**rows).notes == ()
    assert f"{FEW[0].upper()}{FEW[1:]}." in bam.audit(**rows, n_boot=50).summary["notes"]
    assert not any("clusters" in note for note in bam.audit(**rows, n_boot=0).summary["notes"])
    assert metric.result(**of_two_groups(60, 60), n_boot=50).notes == ()


def test_clusters_of_groups_that_are_columns() -> None:
    # Two persons are in group 0, one of them also in group 1.
    counts = bam.CooccurrenceCounts.from_arrays(
        sensitive_features=bam.Indicators([[1, 0], [1, 1], [1, 0], [0, 0]]),
        clusters=["p", "p", "q", "q"],
        keep_rows=True,
    )
    assert counts.clusters_of("attribute").tolist() == [2, 1]


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        (["p"] * 6, "clusters must be at least two; received one, which holds all 6 rows"),
        ([*range(6)], "clusters must hold several rows; received 6 clusters of one row each"),
    ],
)
def test_clusters_that_cannot_be_drawn(clusters: list[Any], message: str) -> None:
    rows: dict[str, Any] = {"y_true": [0, 1] * 3, "y_pred": [0, 1] * 3}
    rows |= {"sensitive_features": list("aabbab"), "clusters": clusters}
    with pytest.raises(ValueError, match=message):
        bam.DirectionalBiasAmplification().result(**rows)
    with pytest.raises(ValueError, match=message):
        bam.audit(**rows)
    counts = JointCounts.from_arrays(**rows)
    with pytest.raises(ValueError, match=message):
        bam.MALS(reference=counts)([0, 1], [0, 1], sensitive_features=["a", "b"])


def test_parts_of_a_single_cluster_may_be_added_up() -> None:
    parts = [
        JointCounts.from_arrays([0, 1, 1], [0, 1, 1], list("aab"), clusters=[0] * 3),
        JointCounts.from_arrays([0, 1, 0], [0, 1, 1], list("abb"), clusters=[0] * 3),
    ]
    assert bam.DirectionalBiasAmplification().from_counts(sum(parts)).n == 6


# Attackers that are fitted


def test_folds_do_not_split_clusters() -> None:
    counts = JointCounts.from_arrays(**copied(people(30), 3))
    rows = rows_of_counts(counts, counts.first_model, [Role.TASK, Role.ATTRIBUTE])
    folds = rows.folds(5, np.random.default_rng(0))
    assert rows.cluster is not None
    assert all(len(set(folds[rows.cluster == i])) == 1 for i in range(30))
    # 30 clusters in 5 folds.
    assert np.unique(folds, return_counts=True)[1].tolist() == [18] * 5


def test_folds_of_rows_are_as_before() -> None:
    rows = AttackRows({}, np.ones(10), 10)
    expected = np.random.default_rng(0).permutation(10) % 5
    np.testing.assert_array_equal(rows.folds(5, np.random.default_rng(0)), expected)


def test_numbers_keep_their_clusters() -> None:
    roles, lists = [Role.TASK, Role.ATTRIBUTE], dict.fromkeys(Role)
    inputs = Inputs([0.5, 1.5, 2.5, 3.5], None, list("abab"), clusters=["p", "p", "q", None])
    with pytest.raises(ValueError, match="clusters must not have missing values; received 1"):
        number_rows(inputs, roles, lists, "error")
    rows = number_rows(inputs, roles, lists, "drop")
    assert rows is not None
    assert (rows.n_rows, rows.dropped) == (3, 1)
    np.testing.assert_array_equal(rows.cluster, [0, 0, 1])
    with pytest.raises(ValueError, match=r"same length; received .*clusters 2"):
        number_rows(inputs._replace(clusters=["p", "q"]), roles, lists, "error")
    with pytest.raises(ValueError, match=r"clusters must be at least two"):
        number_rows(inputs._replace(clusters=["p"] * 4), roles, lists, "error")


def test_few_clusters_give_no_interval() -> None:
    rows = {"y_true": [1, 1, 0, 0] * 50, "y_pred": [1, 0, 0, 0] * 50}
    group, clusters = ["a"] * 100 + ["b"] * 100, list(range(7)) * 28 + [0] * 4
    metric = bam.DirectionalBiasAmplification()
    with pytest.warns(AmplificationWarning):
        result = metric.result(**rows, sensitive_features=group, clusters=clusters, n_boot=100)
    assert result.interval is None
    assert any("7 clusters are too few" in note for note in result.notes)


def test_added_parts_are_noted(kind: Kind) -> None:
    # Persons 0 to 399 are in both parts, which counts cannot know.
    part = counted(kind, copied(people(), 2))
    metric = bam.DirectionalBiasAmplification()
    assert not metric.from_counts(part, n_boot=50).notes
    with pytest.warns(AmplificationWarning, match="2 parts were added"):
        result = metric.from_counts(part + part, n_boot=50)
    assert any("if a cluster has rows in several parts" in note for note in result.notes)
    assert not metric.from_counts(part + part).notes
