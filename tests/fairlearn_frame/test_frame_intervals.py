"""Intervals of a frame: those of the host's resampled rows, and what they are not given for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score

host = pytest.importorskip("fairlearn.metrics", reason="the fairlearn extra is not installed")

from frame_cases import METHODS, hosts, ours, people, quietly  # noqa: E402

from biasamp_adapters import (  # noqa: E402
    AmplificationWarning,
    DirectionalBiasAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)

SE = 4
MEMBERS = [
    ("overall_ci", None),
    ("by_group_ci", None),
    *(("difference_ci", method) for method in METHODS),
    *(("ratio_ci", method) for method in METHODS),
    ("group_min_ci", None),
    ("group_max_ci", None),
]
TWO = {"n_boot": 100, "ci_quantiles": [0.05, 0.95]}
HOST = {"accuracy": accuracy_score, "selected": host.selection_rate}
AMPLIFIED = {
    "BA": DirectionalBiasAmplification(),
    "Multi": MultiAttributeBiasAmplification(),
    "LA": LeakageAmplification(),
}


def ends(frame: Any, member: str, method: str | None) -> list[Any]:
    """The quantiles of one member."""
    found = getattr(frame, member)
    if member in ("overall_ci", "by_group_ci"):
        return found
    return quietly(found, **({} if method is None else {"method": method}))


def skewed(n: int, seed: int = 0) -> pd.DataFrame:
    """Rows whose groups differ so much that no difference is near 0."""
    rows = people(n, seed)
    rng = np.random.default_rng(seed)
    worse = (rows["B"] == "u") & (rng.random(n) < 0.7)
    rows.loc[worse, "T_hat"] = rows.loc[worse, "A"]
    return rows


def agreement(y_true: Any, y_pred: Any) -> float:
    """A metric that no closed form computes."""
    return float(np.mean(y_true == y_pred))


def assert_like_resampled_rows(
    rows: pd.DataFrame, metrics: dict[str, Any], mine: dict[str, Any], theirs: dict[str, Any]
) -> None:
    n_host, n_ours, quantiles = 80, 2000, [0.25, 0.75]
    # Of m draws, the share below the true quantile q has the standard error sqrt(q (1 - q) / m).
    slack = SE * np.sqrt(0.25 * 0.75 * (1 / n_host + 1 / n_ours))
    around = [q + side * slack for q in quantiles for side in (-1, 1)]
    frame = ours(rows, metrics, n_boot=n_ours, ci_quantiles=around, **mine)
    options = {"n_boot": n_host, "ci_quantiles": quantiles, "random_state": 0}
    drawn = quietly(hosts, rows, metrics, **options, **theirs)
    for member, method in MEMBERS:
        brackets = [np.asarray(end, dtype=float) for end in ends(frame, member, method)]
        for i, found in enumerate(ends(drawn, member, method)):
            expected = np.asarray(found, dtype=float)
            low, high = brackets[2 * i : 2 * i + 2]
            defined = ~np.isnan(low)
            # The ratio of BA is never given.
            assert defined.all() or (member == "ratio_ci" and defined.any()), (member, method)
            assert (low <= expected)[defined].all(), (member, method)
            assert (high >= expected)[defined].all(), (member, method)


def test_quantiles_of_groups_are_those_of_the_hosts_resampled_rows() -> None:
    metrics = {"agreement": agreement, "tpr": host.true_positive_rate}
    assert_like_resampled_rows(skewed(200), metrics, {}, {})


def test_quantiles_of_slices_are_those_of_the_hosts_resampled_rows() -> None:
    rows = skewed(200)
    bound = {"reference": (rows["T"], rows["A"]), "groups": [0, 1], "labels": [0, 1]}
    metrics = {"selected": host.selection_rate, "BA": DirectionalBiasAmplification(**bound)}
    slices = rows["B"]
    assert_like_resampled_rows(
        rows, metrics, {"group_features": slices}, {"sensitive_features": slices}
    )


def test_quantiles_in_control_levels_are_those_of_the_hosts_resampled_rows() -> None:
    rows = skewed(200)
    control = {"control_features": rows["C"]}
    assert_like_resampled_rows(rows, {"tpr": host.true_positive_rate}, control, control)


@pytest.mark.parametrize("control", [None, "C"])
@pytest.mark.parametrize("single", [False, True])
def test_shapes_are_the_hosts(control: str | None, single: bool) -> None:
    rows = people()
    metrics = accuracy_score if single else HOST
    options = {"n_boot": 10, "ci_quantiles": [0.3, 0.5, 0.7]}
    if control:
        options["control_features"] = rows[control]
    mine = quietly(ours, rows, metrics, **options)
    theirs = hosts(rows, metrics, **options, random_state=0)
    for member, method in MEMBERS:
        for end, expected in zip(
            ends(mine, member, method), ends(theirs, member, method), strict=True
        ):
            assert isinstance(end, type(expected)) or (np.isscalar(end) and np.isscalar(expected))
            if isinstance(expected, pd.Series | pd.DataFrame):
                pd.testing.assert_index_equal(end.index, expected.index)
            if isinstance(expected, pd.DataFrame):
                pd.testing.assert_index_equal(end.columns, expected.columns)
    assert mine.ci_quantiles == theirs.ci_quantiles


@pytest.mark.parametrize(
    "features",
    [{}, {"control_features": "C"}, {"group_features": "B"}, {"sensitive_features": "B"}],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_are_finite_and_hold_the_value(features: dict[str, str], weighted: bool) -> None:
    rows = skewed(400)
    given = {argument: rows[name] for argument, name in features.items()}
    if weighted:
        given["sample_weight"] = rows["weight"]
    # Noise adds to Multi, which then has no interval.
    signed = {name: metric for name, metric in AMPLIFIED.items() if "Multi" not in name}
    frame = ours(rows, HOST | signed, **TWO, **given)
    for member, value in [("overall_ci", frame.overall), ("by_group_ci", frame.by_group)]:
        low, high = getattr(frame, member)
        assert np.isfinite(low).all(axis=None)
        assert ((low <= value) & (value <= high)).all(axis=None)


@pytest.mark.parametrize(
    "features", [{}, {"control_features": "C"}, {"group_features": ["B", "C"]}]
)
def test_quantiles_are_in_order(features: dict[str, Any]) -> None:
    rows = skewed(400)
    given = {argument: rows[name] for argument, name in features.items()}
    frame = ours(rows, HOST | AMPLIFIED, n_boot=100, ci_quantiles=[0.1, 0.3, 0.5, 0.9], **given)
    for member, method in MEMBERS:
        stacked = np.array([np.asarray(end) for end in ends(frame, member, method)])
        assert (np.diff(stacked, axis=0)[:, ~np.isnan(stacked[0])] >= 0).all()


def test_quantiles_may_come_in_any_order() -> None:
    rows = people()
    up = ours(rows, HOST, n_boot=50, ci_quantiles=[0.1, 0.9]).by_group_ci
    down = ours(rows, HOST, n_boot=50, ci_quantiles=[0.9, 0.1]).by_group_ci
    for end, same in zip(up, reversed(down), strict=True):
        pd.testing.assert_frame_equal(end, same)


def state(kind: str, seed: int) -> Any:
    makers = {"Generator": np.random.default_rng, "RandomState": np.random.RandomState, "int": int}
    return makers[kind](seed)


@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
@pytest.mark.parametrize("kind", ["int", "Generator", "RandomState"])
@pytest.mark.parametrize("features", [{}, {"control_features": "C"}, {"group_features": "B"}])
def test_the_same_random_state_repeats(kind: str, features: dict[str, str]) -> None:
    rows = people()
    given = {argument: rows[name] for argument, name in features.items()}
    first, again, other = (
        ours(rows, HOST | AMPLIFIED, **TWO, **given, random_state=state(kind, seed))
        for seed in (1, 1, 2)
    )
    for member, method in MEMBERS:
        found = [ends(frame, member, method) for frame in (first, again, other)]
        assert np.array_equal(*map(np.array, found[:2]), equal_nan=True)
        assert not np.array_equal(np.array(found[0]), np.array(found[2]), equal_nan=True)


def test_no_random_state_is_a_fixed_one() -> None:
    rows = people()
    first, again = ours(rows, HOST, **TWO), ours(rows, HOST, **TWO, random_state=0)
    assert [end.tolist() for end in first.overall_ci] == [end.tolist() for end in again.overall_ci]


def test_a_metric_is_drawn_alike_beside_others() -> None:
    rows = people()
    alone = ours(rows, {"BA": DirectionalBiasAmplification()}, **TWO)
    beside = ours(rows, HOST | {"BA": DirectionalBiasAmplification()}, **TWO)
    assert alone.overall_ci[0]["BA"] == beside.overall_ci[0]["BA"]


def test_weights_of_one_are_no_weights() -> None:
    rows = people()
    # The flips of LA take other draws.
    metrics = HOST | {name: AMPLIFIED[name] for name in ("BA", "Multi")}
    plain = ours(rows, metrics, **TWO)
    weighted = ours(rows, metrics, **TWO, sample_weight=np.ones(len(rows)))
    for member, method in MEMBERS:
        found = [np.array(ends(frame, member, method)) for frame in (plain, weighted)]
        np.testing.assert_allclose(*found, rtol=0, atol=1e-12)


def test_the_difference_between_groups_is_drawn_with_both() -> None:
    # One group is right in all rows; the other, of n rows, in a share p: 1 - p has sd sqrt(pq / n).
    n, p = 2000, 0.5
    rows = pd.DataFrame({"A": [0] * n + [1] * n, "T": [0, 1] * n})
    rows["T_hat"] = rows["T"]
    rows.loc[rows.index < n * (1 - p), "T_hat"] = 1 - rows["T"]
    frame = ours(rows, accuracy_score, n_boot=2000, ci_quantiles=[0.1587, 0.8413])
    low, high = frame.difference_ci()
    assert frame.difference() == 1 - p
    # The standard deviation of half the distance: of normal quantiles 1 sd off, 1.3 sd / sqrt(m).
    sd = np.sqrt(p * (1 - p) / n)
    assert (high - low) / 2 == pytest.approx(sd, abs=SE * 1.3 * sd / np.sqrt(2000))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_boot": 10}, "n_boot and ci_quantiles must be given together"),
        ({"ci_quantiles": [0.5]}, "n_boot and ci_quantiles must be given together"),
        ({"n_boot": 0, "ci_quantiles": [0.5]}, "n_boot must be at least 1; received 0"),
        ({"n_boot": 2.5, "ci_quantiles": [0.5]}, r"n_boot must be a whole .*; received 2\.5"),
        ({"n_boot": True, "ci_quantiles": [0.5]}, "n_boot must be a whole .*; received True"),
        ({"n_boot": 10, "ci_quantiles": []}, r"ci_quantiles must be floats .*; received \[\]"),
        ({"n_boot": 10, "ci_quantiles": [0.0]}, "ci_quantiles must be floats strictly between"),
        ({"n_boot": 10, "ci_quantiles": [0.5, 1.0]}, "ci_quantiles must be floats strictly"),
        ({"n_boot": 10, "ci_quantiles": ["a"]}, "ci_quantiles must be floats strictly between"),
        ({"n_boot": 10, "ci_quantiles": 0.5}, "ci_quantiles must be"),
        ({"n_boot": 10, "ci_quantiles": [float("nan")]}, "ci_quantiles must be floats strictly"),
        ({**TWO, "random_state": "a"}, r"random_state .* must be a whole number"),
        ({**TWO, "random_state": -1}, r"random_state .* must be a whole number"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ours(people(), accuracy_score, **options)


@pytest.mark.parametrize(("member", "method"), MEMBERS)
def test_no_intervals_without_replicates(member: str, method: str | None) -> None:
    with pytest.raises(ValueError, match="n_boot and ci_quantiles must be given"):
        ends(ours(people(), accuracy_score), member, method)


def test_too_few_replicates_give_no_interval_and_a_note() -> None:
    with pytest.warns(AmplificationWarning, match="20 replicates are too few"):
        frame = ours(people(), HOST, n_boot=20, ci_quantiles=[0.025, 0.975])
    assert frame.by_group_ci[0].isna().all(axis=None)
    assert any("too few" in note for note in frame.notes)
