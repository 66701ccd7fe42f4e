"""Why a number has no interval: each reason, reached by an example, and the other side of it."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t
from sklearn.linear_model import LogisticRegression

import biasamp_adapters as bam
from biasamp_adapters.inference.intervals import Trust, estimate

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")

Columns = dict[str, Any]

BA, MALS = bam.DirectionalBiasAmplification, bam.MALSBiasAmplification
MULTI = bam.MultiAttributeBiasAmplification
LA, DPA = bam.LeakageAmplification, bam.DirectionalPredictabilityAmplification
U = "uncertainty_coefficient"


def rows_of(cells: dict[tuple[Any, ...], int]) -> Columns:
    """Return columns of rows (group, class, predicted class, predicted group), each so often."""
    rows = [cell for cell, n in cells.items() for _ in range(n)]
    names = ("sensitive_features", "y_true", "y_pred", "sensitive_features_pred")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=False))


def groups_of(*sizes: int) -> Columns:
    """Return rows of groups, 3/4 or 1/2 positive, of which every third is predicted wrong."""
    truth = [int(i % 4 > min(group, 1)) for group, n in enumerate(sizes) for i in range(n)]
    predicted = [1 - t if i % 3 == 0 else t for i, t in enumerate(truth)]
    groups = [group for group, n in enumerate(sizes) for _ in range(n)]
    return {"y_true": truth, "y_pred": predicted, "sensitive_features": groups}


def positives(n: int, wrong: int = 3) -> Columns:
    """Return 500 rows, of which the first are positive; every third group is predicted wrong."""
    truth, groups = [1] * n + [0] * (500 - n), [i // 2 % 2 for i in range(500)]
    guessed = [1 - g if i % wrong == 0 else g for i, g in enumerate(groups)]
    columns = {"y_true": truth, "y_pred": truth, "sensitive_features": groups}
    return columns | {"sensitive_features_pred": guessed}


def predicted_positives(n: int) -> Columns:
    """Return 500 rows, of which 100 are positive and so many predicted so: 2/3 are of group 1."""
    truth, predicted = ([1] * k + [0] * (500 - k) for k in (100, n))
    groups = np.resize([0, 1, 1], 500)
    return {"y_true": truth, "y_pred": predicted, "sensitive_features": groups}


def moved(d: int, times: int = 1) -> Columns:
    """Return even labels, of which 50 + d of 100 rows of group 0 are predicted 1, and 50 - d of 1.

    Each row occurs several times.
    """
    predicted = np.repeat([1, 0, 1, 0], [50 + d, 50 - d, 50 - d, 50 + d])
    columns = {"y_true": [1, 0] * 100, "y_pred": predicted}
    columns["sensitive_features"] = np.repeat([0, 1], 100)
    return {name: np.tile(values, times) for name, values in columns.items()}


def moved_columns(first: int, second: int) -> Columns:
    """Return a matrix of two columns, which move as above."""
    pair = moved(first), moved(second)
    matrices = {name: np.array([x[name] for x in pair]).T for name in ("y_true", "y_pred")}
    return pair[0] | matrices


def small_group(n_wrong: int, n_wrong_of_others: int) -> Columns:
    """Return 40 rows of a group whose labels are all 1, and 4,000 rows of another group."""
    truth = np.array([1] * 40 + [0, 1] * 2000)
    is_wrong = np.concatenate([np.arange(40) < n_wrong, np.arange(4000) < n_wrong_of_others])
    groups = np.repeat([0, 1], [40, 4000])
    return {"y_true": truth, "y_pred": truth ^ is_wrong, "sensitive_features": groups}


def alone(n: int) -> Columns:
    """Return 100 rows, of which so many have a class of their own."""
    classes = [*[i % 2 for i in range(100 - n)], *range(2, 2 + n)]
    groups = [*[i // 2 % 2 for i in range(100 - n)], *[0] * n]
    return {"y_true": classes, "y_pred": classes, "sensitive_features": groups}


def label_sets(n_alone: int) -> Columns:
    """Return a matrix: three columns have twenty rows each, and others have one row."""
    truth = np.vstack([np.repeat(np.eye(3, 7), 20, axis=0), np.eye(4, 7, k=3)[:n_alone]])
    predicted = truth.copy()
    predicted[::4, :3] = 0
    groups = np.arange(len(truth)) % 2
    return {"y_true": truth, "y_pred": predicted, "sensitive_features": groups}


def sparse(n_groups: int) -> Columns:
    """Return 320 rows, of which 3/4 have the class of their group."""
    n = 320 // n_groups // 4
    cells = {(a, t, t): n * (3 if a % 2 == t else 1) for a in range(n_groups) for t in (0, 1)}
    return rows_of(cells)


TWENTY = {(0, 0, 0): 8, (1, 1, 1): 8, (0, 1, 1): 2, (1, 0, 0): 2}
FEW = "has fewer than 15 rows and carries"
ALONE, CHANCE = "more than 3% of the rows have a group", "chance explains more than 3% of both"
NONE_SHOWN = "no dependence can be told from chance, so its strength has no interval"
SHIFTED = "resampling shifts the value by more than its standard error"
EFFECTIVE = "LA and DPA need at least 20 effective rows"
T_TO_A = BA(direction="T->A", pos_label=1)
FITTED = LA(attacker=LogisticRegression(), n_trials=1)
HALVES = bam.BaseRates({group: dict.fromkeys(range(3), 0.5) for group in (0, 1)})
IN_7, IN_14, IN_15 = (
    groups_of(100, 100) | {"clusters": [i % k for i in range(200)]} for k in (7, 14, 15)
)
SIX_OF_46 = groups_of(200, 200)
SIX_OF_46["clusters"] = [i // 5 if i < 200 else 40 + i % 6 for i in range(400)]
HEAVY, LIGHT = ({"sample_weight": [1] * k + [w] * (500 - k)} for k, w in ((486, 10), (400, 1e-3)))
UNEVEN = {"sample_weight": np.resize([0.1, 3.0, 0.1], 500)}
ONE_OF_FORTY = {"y_true": np.arange(120).reshape(40, 3) == 0, "y_pred": np.ones((40, 3), int)}

CASES: list[tuple[Any, Columns, str, str]] = [
    (
        BA(direction="T->A", class_labels=[0, 1], pos_label=1),
        rows_of({("a", 0, 0, "a"): 30, ("b", 0, 0, "b"): 30}),
        "value",
        "the value is undefined",
    ),
    # Predictions are the group, so that the loss is 0; labels tell nothing about it.
    (
        LA(quality="inverse_cross_entropy", equalize=None),
        rows_of({(g, t, g): 20 for g in (0, 1) for t in (0, 1)}),
        "value",
        "the value is unbounded, because the loss is 0",
    ),
    # The variance of the mean of two rates is as 1 / rows: 1/14 and 1/486.
    (BA(), groups_of(14, 486), "value", f"0 {FEW} 97% of its variance"),
    (MULTI(), groups_of(14, 486), "value", f"0 {FEW} 97% of its variance"),
    (BA(), groups_of(15, 485), "value", ""),
    (MULTI(), groups_of(15, 485), "value", ""),
    # The limit is 85 %: (1/10) / (1/10 + 1/60) is 6/7, and 6/8 with two groups of 60.
    (BA(), groups_of(10, 60), "value", f"0 {FEW} 86% of its variance"),
    (BA(), groups_of(10, 60, 60), "value", ""),
    # T->A compares shares in classes, and A->T knows nothing of rare classes.
    (T_TO_A, positives(14), "value", f"class 1 {FEW} 100% of its variance"),
    (T_TO_A, positives(15), "value", ""),
    (BA(), positives(14), "value", ""),
    # MALS needs rows that are predicted positive, and positive in its reference.
    (MALS(), predicted_positives(14), "value", f"class 1 {FEW} 100% of its variance"),
    (MALS(), predicted_positives(15), "value", ""),
    (MALS(reference=([1] * 14, [1] * 12 + [0] * 2)), predicted_positives(99), "value", "class 1"),
    # Of weights .1, 3 and .1 rows are worth (3.2)^2 / (3 * 9.02) = 38 % as many: 7.6 of 20.
    (T_TO_A, positives(18) | {"sample_weight": [2.5] * 500}, "value", ""),
    (T_TO_A, positives(20, wrong=4) | UNEVEN, "value", "class 1 has fewer than 15 effective rows"),
    (BA(), IN_7, "value", "intervals need at least 8 clusters, and there are 7"),
    (LA(), IN_15, "value", ""),
    (LA(), IN_14, "value", "0 and 1 have fewer than 15 clusters"),
    # Clusters that have rows of a group, and effective rows of a group, are those of the verdict.
    (BA(), IN_14, "value", "0 and 1 have fewer than 15 clusters each and carry 100%"),
    (BA(), IN_15, "value", ""),
    (BA(), SIX_OF_46, "value", "1 has fewer than 15 clusters and"),
    (MALS(), SIX_OF_46, "value", "1 has fewer than 15 clusters"),
    (BA(), groups_of(486, 14) | HEAVY, "value", "1 has fewer than 15 effective rows and carries 9"),
    (MULTI(), groups_of(486, 14) | HEAVY, "value", "1 has fewer than 15 effective rows and"),
    (MALS(), groups_of(486, 14) | HEAVY, "value", "1 has fewer than 15 effective rows"),
    (BA(), groups_of(400, 100) | LIGHT, "excess", ""),
    # 4 of 7 or 3 of 6 label sets have one row; a class of labels is no set.
    (MULTI(), label_sets(4), "value", "57% of the label sets occur in one row only"),
    (MULTI(), label_sets(3), "value", ""),
    (MULTI(min_support=2), label_sets(4), "value", ""),
    (MULTI(), alone(4), "value", ""),
    # Of the columns that base rates name, one has a row, and two have none.
    (MULTI(reference=HALVES), groups_of(20, 20) | ONE_OF_FORTY, "value", "100% of the label sets"),
    # LA and DPA. Weights 1 and 3 are worth (1 + 3)^2 / (2 (1 + 9)) = 80 % as many: 16 of 20.
    (LA(), rows_of(TWENTY | {(1, 1, 1): 7}), "value", "LA and DPA need at least 20 rows"),
    (LA(), rows_of(TWENTY), "value", ""),
    (LA(), rows_of(TWENTY) | {"sample_weight": [1, 3] * 10}, "value", EFFECTIVE),
    (DPA(quality="accuracy"), alone(4), "value", ALONE),
    (DPA(quality="accuracy"), alone(3), "value", ""),
    # G = 2 n H U of 57 and 43 beside 43 and 57 is 3.93, above 1.96^2; of 56 and 44 it is 2.89.
    (DPA(quality="accuracy", equalize=None), moved(6), "psi_model", NONE_SHOWN),
    (DPA(quality="accuracy", equalize=None), moved(7), "psi_model", ""),
    (DPA(quality="accuracy", equalize=None), moved(7), "psi_dataset", NONE_SHOWN),
    # Levels of a loss, 1 / (100 * .43), may lie below that of a guess by chance, 1/2.
    (DPA(quality="hard_inverse_cross_entropy", equalize=None), moved(7), "psi_model", ""),
    # Chance makes 1 of the labels and 1 of the predictions: 2 / 3.93. A difference is no ratio. Of
    # 30 times as many rows G is 118, of which 2 are 1.7 %.
    (DPA(quality=U, equalize=None), moved(7), "value", CHANCE),
    (DPA(quality=U, equalize=None, change="absolute"), moved(7), "value", ""),
    (DPA(quality=U, equalize=None), moved(7, times=30), "value", ""),
    # Of a matrix the mean counts: 2 / 77.1 is 2.6 % for d = 30, and 2 / 32.9 is 6.1 % for 20. U of
    # a column with d = 6 is a difference, and no ratio.
    (DPA(quality=U, equalize=None), moved_columns(30, 20), "value", CHANCE),
    (DPA(quality=U, equalize=None), moved_columns(30, 30), "value", ""),
    (DPA(quality=U, equalize=None), moved_columns(30, 6), "value", ""),
    # The loss has a standard deviation of log(3) sqrt(3/16) = .48 by row, so an error of .027 of
    # 320. Resampled tables lose less by some groups / (2 n): .031 for 20 groups, .003 for two.
    (DPA(equalize=None), sparse(20), "psi_model", SHIFTED),
    (DPA(equalize=None), sparse(2), "psi_model", ""),
    (DPA(evaluation="loo"), groups_of(40, 40), "value", "bootstrap samples hold duplicates"),
    (FITTED, groups_of(40, 40), "value", "the attacker is a fitted LogisticRegression, which is"),
]

#: An event that n rows do not show has a chance of up to 3 / n at the 95 % level: (1 - p)^n > .05.
THREE = -np.log(0.05)


@pytest.mark.parametrize(("metric", "columns", "name", "reason"), CASES)
def test_number_has_an_interval_or_a_reason(metric, columns, name, reason) -> None:
    estimate = metric.result(**columns, n_boot=200).estimates[name]
    assert estimate.reason.startswith(reason)
    if reason:
        assert estimate.interval is None
        assert np.isnan([estimate.low, estimate.high]).all()
        return
    assert estimate.reason == ""
    assert estimate.low <= estimate.value <= estimate.high


@pytest.mark.parametrize(
    ("metric", "n_columns", "reach"),
    [
        # A row of 40 leaves one of two classes for the other: two of four rates change by 1/40.
        (BA(), 1, THREE * 2 / 40 / 4),
        (BA(pos_label=1), 1, THREE * 1 / 40 / 2),
        (MULTI(), 1, THREE * 2 / 40 / 4),
        (BA(), 2, THREE * 1 / 40 / 4),  # A prediction of one of two tasks.
        # A share of 40 + 2,000 positives.
        (MALS(), 1, THREE / 2040),
    ],
)
def test_interval_reaches_three_rows_of_the_smallest_group(metric, n_columns, reach) -> None:
    # Errors of the 4,000 others alone vary by 2 sqrt(40) / 4000 / 4 = .0008.
    columns = small_group(0, 40)
    for name in ("y_true", "y_pred"):
        columns[name] = np.column_stack([columns[name]] * n_columns)
    result = metric.result(**columns, n_boot=200)
    assert result.value == pytest.approx(0, abs=1e-12)
    assert max(result.interval) == pytest.approx(reach, abs=1e-9)
    assert min(result.interval) == pytest.approx(0 if metric.short == "Multi" else -reach, abs=1e-9)
    five = {name: np.repeat(values, 5, axis=0) for name, values in columns.items()}
    of_clusters = metric.result(**five, clusters=np.repeat(np.arange(4040), 5), n_boot=200)
    assert of_clusters.interval == pytest.approx(result.interval, abs=1e-9)
    # A model without errors never varies, and neither do errors between classes of one sign.
    assert metric.result(**small_group(0, 0), n_boot=200).interval == (0, 0)
    truth = np.repeat([0, 1, 2, 0, 1, 2], [60, 50, 40, 20, 30, 100])
    groups, predicted = np.repeat([*"ab"], 150), np.r_[[1] * 30, truth[30:]]
    columns = {"sensitive_features": groups, "y_pred": predicted}
    of_three = BA().result(y_true=truth, **columns, n_boot=200)
    assert of_three.interval == pytest.approx((-THREE * 2 / 150 / 6, THREE * 2 / 150 / 6))


def test_interval_of_a_balanced_level_reaches_three_rows_of_the_smallest_class() -> None:
    level = LA().result(**small_group(0, 40), n_boot=200).estimates["psi_model"]
    assert level.low == pytest.approx(level.value - THREE / 40 / 2, abs=1e-9)


@pytest.mark.parametrize(
    ("n_boot", "confidence", "reason"),
    [
        (0, 0.95, "no intervals were requested (n_boot=0)"),
        # A tail of 2.5 % holds one of 40 replicates.
        (39, 0.95, "a level of 95% needs at least 40 replicates"),
        (40, 0.95, ""),
        (19, 0.9, "a level of 90% needs at least 20 replicates"),
        (20, 0.9, ""),
        (199, 0.99, "a level of 99% needs at least 200 replicates"),
    ],
)
def test_interval_needs_replicates_in_tails(n_boot, confidence, reason) -> None:
    result = BA().result(**groups_of(40, 40), n_boot=n_boot, confidence=confidence)
    assert (result.reason, result.n_boot) == (reason, n_boot)


@pytest.mark.parametrize("n_clusters", [2, 5])
def test_class_of_few_clusters_is_absent_from_replicates(n_clusters) -> None:
    # Positives are in so many of 60 clusters. A draw holds none of these with a chance of some e^-2
    # = 14 % or e^-5 = .7 %.
    clusters, groups = np.repeat(np.arange(60), 20), np.arange(1200) % 3 // 2
    columns = {"sensitive_features": groups, "sensitive_features_pred": groups}
    columns |= {"y_true": (clusters < n_clusters).astype(int), "clusters": clusters}
    result = T_TO_A.result(**columns)
    n = int(np.isnan(result.estimate.replicates).sum())
    assert n / 2000 == pytest.approx(np.exp(-n_clusters), abs=0.04)
    # The mean over both classes is one over the other class where one is absent.
    assert np.isfinite(BA(direction="T->A").result(**columns).estimate.replicates).all()
    assert result.reason == "class 1 has fewer than 15 clusters and carries 100% of its variance"
    assert not any("left out of its interval" in note for note in result.notes)


@pytest.mark.parametrize("direction", ["A->T", "T->A"])
def test_interval_of_small_groups_is_wider_by_students_t_and_ends_at_1(direction) -> None:
    # Variances of 20 and 80 rows are as 1/20 and 1/80, with the degrees of freedom of Welch and
    # Satterthwaite, and a bootstrap finds f / (f + 1) of them. Multi has the plain replicates.
    f = (1 / 20 + 1 / 80) ** 2 / (1 / (20**2 * 19) + 1 / (80**2 * 79))
    expected = np.sqrt((f + 1) / f) * t.ppf(0.975, f) / norm.ppf(0.975)
    roles, signs = ("sensitive_features", "y_true", "y_pred"), ([1, 0], [*"ab"])
    if direction == "T->A":  # Rates in classes.
        roles, signs = ("y_true", "sensitive_features", "sensitive_features_pred"), signs[::-1]
    true, predicted = [0] * 20 + [1] * 80, [1] * 18 + [0] * 2 + [1] * 16 + [0] * 64
    columns = dict(zip(roles, (["a"] * 20 + ["b"] * 80, true, predicted), strict=True))
    metrics = BA(direction=direction, reference=signs), MULTI(direction=direction)
    ba, multi = (x.result(**columns, n_boot=200).estimate.replicates for x in metrics)
    assert ba.std() / multi.std() == pytest.approx(expected, abs=1e-9)
    # Fewer clusters are drawn instead.
    in_clusters = columns | {"clusters": np.arange(100), "n_boot": 200}
    ba, multi = (x.result(**in_clusters).estimate.replicates for x in metrics)
    assert ba.std() / multi.std() == pytest.approx(1, abs=1e-9)
    nearly = metrics[0].result(**columns | {roles[2]: [1] * 19 + [0] * 81}, n_boot=200)
    assert (nearly.value, nearly.interval[1]) == (pytest.approx(0.975), 1)


@pytest.mark.parametrize(
    ("value", "noise", "reason"),
    [(0.97, 0, ""), (0.98, 0, SHIFTED), (0.98, 0.01, ""), (0.02, 0, SHIFTED)],
)
def test_value_outside_of_its_replicates_has_no_interval(value, noise, reason) -> None:
    # 2.5 and 97.5 % of the replicates are .025 and .975.
    trust = Trust(np.linspace(0, 1, 101), noise=noise)
    assert estimate(value, trust, 0.95).reason.startswith(reason)
    assert (estimate(value, trust, 0.95).interval is None) is bool(reason)
