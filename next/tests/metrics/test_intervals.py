"""Why a number has no interval: each reason, reached by an example, and the other side of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import biasamp_adapters as bam

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")

Columns = dict[str, Any]


def rows_of(cells: dict[tuple[Any, ...], int]) -> Columns:
    """Return columns of rows (group, class, predicted class, predicted group), each so often."""
    rows = [cell for cell, n in cells.items() for _ in range(n)]
    names = ("sensitive_features", "y_true", "y_pred", "sensitive_features_pred")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=False))


def two_groups(n_a: int, n_b: int) -> Columns:
    """Return rows of two groups of two classes, of which every third is predicted wrong."""
    truth = [i // 2 % 2 for i in range(n_a + n_b)]
    predicted = [1 - t if i % 3 == 0 else t for i, t in enumerate(truth)]
    return {"y_true": truth, "y_pred": predicted, "sensitive_features": [0] * n_a + [1] * n_b}


def reason_of(metric: Any, columns: Columns, name: str = "value", **options: Any) -> str:
    """Return why a number has no interval; an empty text if it has one that holds the number."""
    estimate = metric.result(**columns, **{"n_boot": 200} | options).estimates[name]
    if not estimate.reason:
        assert estimate.low <= estimate.value <= estimate.high
        return ""
    assert estimate.interval is None
    assert np.isnan([estimate.low, estimate.high]).all()
    return estimate.reason


BA, MALS, MULTI = (
    bam.DirectionalBiasAmplification,
    bam.MALSBiasAmplification,
    bam.MultiAttributeBiasAmplification,
)
LA, DPA = bam.LeakageAmplification, bam.DirectionalPredictabilityAmplification


# Replicates.


def test_interval_without_replicates_was_not_requested() -> None:
    result = BA().result(**two_groups(40, 40), n_boot=0)
    assert result.reason == "no intervals were requested (n_boot=0)"
    assert (result.interval, result.n_boot) == (None, 0)


@pytest.mark.parametrize(
    ("n_boot", "confidence", "fewest"),
    [(39, 0.95, 40), (40, 0.95, None), (19, 0.9, 20), (20, 0.9, None), (199, 0.99, 200)],
)
def test_interval_needs_a_replicate_in_each_tail(
    n_boot: int, confidence: float, fewest: int | None
) -> None:
    # A tail of 2.5 % holds one of 40 replicates.
    reason = reason_of(BA(), two_groups(40, 40), n_boot=n_boot, confidence=confidence)
    expected = f"a level of {100 * confidence:.6g}% needs at least {fewest} replicates"
    assert reason == (expected if fewest else "")


def test_undefined_value_has_no_interval() -> None:
    columns = rows_of({("a", 0, 0, "a"): 30, ("b", 0, 0, "b"): 30})
    metric = BA(direction="T->A", class_labels=[0, 1], pos_label=1)
    assert reason_of(metric, columns) == "the value is undefined"


def test_unbounded_value_has_no_interval() -> None:
    # Predictions are the group, so that the loss is 0; labels tell nothing about it.
    columns = rows_of({(g, t, g): 20 for g in (0, 1) for t in (0, 1)})
    metric = LA(quality="inverse_cross_entropy", equalize=None)
    assert reason_of(metric, columns) == "the value is unbounded, because the loss is 0"


@pytest.mark.parametrize(("n_clusters", "is_rare"), [(2, True), (5, False)])
def test_class_of_few_clusters_is_absent_from_replicates(n_clusters: int, is_rare: bool) -> None:
    # Positives are in so many of 60 clusters. A draw holds none of these with a chance of some e^-2
    # = 14 % or e^-5 = .7 %, and 5 % of the replicates may be undefined.
    clusters, groups = np.repeat(np.arange(60), 20), np.arange(1200) % 2
    truth = (clusters < n_clusters).astype(int)
    columns = {"y_true": truth, "y_pred": truth, "clusters": clusters}
    columns |= {"sensitive_features": groups, "sensitive_features_pred": groups}
    reason = reason_of(BA(direction="T->A", pos_label=1), columns, n_boot=2000)
    if not is_rare:
        assert reason == ""
        return
    n_undefined, _, rest = reason.partition(" ")
    assert rest == "of 2,000 replicates are undefined, because a group or class is too rare"
    assert int(n_undefined) / 2000 == pytest.approx(np.exp(-2), abs=0.04)


# Few rows.


@pytest.mark.parametrize(
    ("n_small", "reason"),
    [
        # The variance of the mean of two rates is as 1 / rows.
        (14, "0 have fewer than 15 rows each and carry 97% of its variance"),  # 1/14 and 1/486
        (15, ""),
    ],
)
@pytest.mark.parametrize("metric", [BA(), MULTI()], ids=repr)
def test_small_group_that_decides_leaves_no_interval(
    metric: Any, n_small: int, reason: str
) -> None:
    assert reason_of(metric, two_groups(n_small, 500 - n_small)) == reason


@pytest.mark.parametrize(("n_groups", "share"), [(2, 86), (3, None)])
def test_small_group_decides_above_85_percent_of_the_variance(
    n_groups: int, share: int | None
) -> None:
    # A group of 10 rows beside one or two of 60: (1/10) / (1/10 + 1/60) is 6/7, and 6/8 with two.
    columns = two_groups(10, 60 * (n_groups - 1))
    columns["sensitive_features"] = [0] * 10 + [1] * 60 + [2] * 60 * (n_groups - 2)
    reason = f"0 have fewer than 15 rows each and carry {share}% of its variance"
    assert reason_of(BA(), columns) == (reason if share else "")


@pytest.mark.parametrize(("n_positives", "is_few"), [(14, True), (15, False)])
@pytest.mark.parametrize("kind", ["labels", "matrix"])
def test_rare_class_of_t_to_a_leaves_no_interval(kind: str, n_positives: int, is_few: bool) -> None:
    truth = [1] * n_positives + [0] * (500 - n_positives)
    groups = [i // 2 % 2 for i in range(500)]
    columns = {"y_true": truth, "y_pred": truth, "sensitive_features": groups}
    columns["sensitive_features_pred"] = [1 - g if i % 3 == 0 else g for i, g in enumerate(groups)]
    if kind == "matrix":
        columns |= {name: np.array(truth)[:, None] for name in ("y_true", "y_pred")}
    reason = reason_of(BA(direction="T->A", pos_label=1 if kind == "labels" else None), columns)
    name = 1 if kind == "labels" else 0  # A column without a name is number 0.
    expected = f"{name} have fewer than 15 rows each and carry 100% of its variance"
    assert reason == (expected if is_few else "")
    # A->T compares rates of groups, and knows nothing of rare classes.
    assert reason_of(BA(), columns) == ""


@pytest.mark.parametrize(("n", "is_few"), [(14, True), (15, False)])
def test_mals_needs_rows_that_are_predicted_positive(n: int, is_few: bool) -> None:
    # 100 rows are positive, two thirds of them of group 1, and so many are predicted so.
    columns = {"y_true": [1] * 100 + [0] * 400, "y_pred": [1] * n + [0] * (500 - n)}
    columns["sensitive_features"] = [min(i % 3, 1) for i in range(500)]
    reason = "1 have fewer than 15 rows each and carry 100% of its variance"
    assert reason_of(MALS(), columns) == (reason if is_few else "")
    # Its true rates are shares of the reference's positives.
    few = MALS(reference=([1] * 14 + [0] * 6, [1] * 15 + [0] * 5))
    assert reason_of(few, columns) == reason


def test_weighted_rows_count_as_the_rows_that_they_are_worth() -> None:
    # 20 of 500 rows are positive. Of weights .1, 3 and .1 the rows are worth (3.2)^2 / (3 * 9.02)
    # = 38 % as many: 7.6.
    truth, groups = [1] * 20 + [0] * 480, [i // 3 % 2 for i in range(500)]
    columns = {"y_true": truth, "y_pred": truth, "sensitive_features": groups}
    columns["sensitive_features_pred"] = [1 - g if i % 4 == 0 else g for i, g in enumerate(groups)]
    metric = BA(direction="T->A", pos_label=1)
    assert reason_of(metric, columns) == ""
    assert reason_of(metric, columns | {"sample_weight": [2.5] * 500}) == ""
    weights = np.resize([0.1, 3.0, 0.1], 500)
    reason = reason_of(metric, columns | {"sample_weight": weights})
    assert "1 have fewer than 15 effective rows" in reason


@pytest.mark.parametrize(("n_clusters", "has_interval"), [(7, False), (8, True)])
def test_few_clusters_leave_no_interval(n_clusters: int, has_interval: bool) -> None:
    columns = two_groups(100, 100) | {"clusters": [i % n_clusters for i in range(200)]}
    reason = "" if has_interval else "intervals need at least 8 clusters, and there are 7"
    assert reason_of(BA(), columns) == reason


@pytest.mark.parametrize(("n_alone", "share"), [(3, None), (4, 57)])
def test_label_sets_of_single_rows_leave_multi_without_interval(
    n_alone: int, share: int | None
) -> None:
    # Three columns have twenty rows each, and the others one row: 3 of 6 or 4 of 7 label sets.
    truth = np.vstack([np.repeat(np.eye(3, 7), 20, axis=0), np.eye(4, 7, k=3)[:n_alone]])
    predicted = truth.copy()
    predicted[::4, :3] = 0
    columns = {
        "y_true": truth,
        "y_pred": predicted,
        "sensitive_features": np.arange(len(truth)) % 2,
    }
    expected = f"{share}% of the label sets occur in one row only" if share else ""
    assert reason_of(MULTI(), columns) == expected
    assert reason_of(MULTI(min_support=2), columns) == ""
    # A class of labels is no set.
    classes = truth.argmax(axis=1)
    columns |= {"y_true": classes, "y_pred": classes}
    assert reason_of(MULTI(), columns) == ""


# LA and DPA.


@pytest.mark.parametrize(("n_rows", "is_few"), [(19, True), (20, False)])
def test_attacks_need_twenty_rows(n_rows: int, is_few: bool) -> None:
    cells = {(0, 0, 0): 8, (1, 1, 1): n_rows - 12, (0, 1, 1): 2, (1, 0, 0): 2}
    reason = reason_of(LA(), rows_of(cells))
    assert reason == ("LA and DPA need at least 20 rows" if is_few else "")
    # Rows of weights 1 and 3 are worth (1 + 3)^2 / (2 (1 + 9)) = 80 % as many: 16 of 20, 24 of 30.
    twice = rows_of({cell: n + 2 * (n_rows == 20) for cell, n in cells.items()})
    n = len(twice["y_true"])
    weighted = twice | {"sample_weight": [1, 3] * (n // 2) + [1] * (n % 2)}
    assert reason_of(LA(), weighted) == ("LA and DPA need at least 20 rows" if is_few else "")


@pytest.mark.parametrize(("n_alone", "is_many"), [(3, False), (4, True)])
def test_rows_that_are_alone_in_their_cell_leave_attacks_without_interval(
    n_alone: int, is_many: bool
) -> None:
    # Of 100 rows so many have a class of their own, and the others are even.
    n = 100 - n_alone
    classes = [*[i % 2 for i in range(n)], *range(2, 2 + n_alone)]
    groups = [*[i // 2 % 2 for i in range(n)], *[0] * n_alone]
    columns = {"y_true": classes, "y_pred": classes, "sensitive_features": groups}
    reason = reason_of(DPA(quality="accuracy"), columns)
    expected = "more than 3% of the rows have a group and class that no other row has"
    assert reason == (expected if is_many else "")


def test_levels_without_a_dependence_have_no_interval() -> None:
    # 2 n H U of 57 and 43 beside 43 and 57 is 3.93, above 1.96^2; of 56 and 44 it is 2.89.
    even = {(0, 0): 50, (0, 1): 50, (1, 0): 50, (1, 1): 50}
    for moved, is_shown in ((7, True), (6, False)):
        table = {(0, 0): 50 + moved, (0, 1): 50 - moved, (1, 0): 50 - moved, (1, 1): 50 + moved}
        truth, predicted = rows_of(even), rows_of(table)
        columns = truth | {"y_pred": predicted["y_true"]}
        metric = DPA(quality="accuracy", equalize=None)
        none = "no dependence can be told from chance, so its strength has no interval"
        assert reason_of(metric, columns, "psi_dataset") == none
        assert reason_of(metric, columns, "psi_model") == ("" if is_shown else none)


def test_ratio_of_chance_has_no_interval() -> None:
    # U of the predictions is that of 57 and 43 above, U of the labels 0. Chance alone makes G 1 for
    # each of the two, of 3.93 together.
    truth = rows_of({(0, 0): 50, (0, 1): 50, (1, 0): 50, (1, 1): 50})
    columns = truth | {"y_pred": [0] * 57 + [1] * 43 + [0] * 43 + [1] * 57}
    metric = DPA(quality="uncertainty_coefficient", equalize=None)
    reason = "chance explains more than 3% of both levels, too much for a ratio"
    assert metric.result(**columns, n_boot=0).value == 1
    assert reason_of(metric, columns) == reason
    # A difference of levels is no ratio.
    difference = DPA(quality="uncertainty_coefficient", equalize=None, change="absolute")
    assert reason_of(difference, columns) == ""
    # Of 30 times as many rows G is 118, of which 2 are 1.7 %.
    many = {name: values * 30 for name, values in columns.items()}
    assert reason_of(metric, many) == ""


@pytest.mark.parametrize(
    ("moved", "share"),
    [
        # G is 77.1 of 80 and 20 beside 20 and 80, and 32.9 of 70 and 30. Chance makes 1 of the
        # labels and 1 of the predictions: 2 / 77.1 is 2.6 %, and 2 / 32.9 is 6.1 %.
        ((30, 30), 0.026),
        ((30, 20), (0.026 + 0.061) / 2),
        ((30, 6), 0.026),  # U of the second column is a difference, and no ratio.
    ],
)
def test_ratio_of_a_matrix_has_the_mean_chance_of_its_columns(
    moved: tuple[int, int], share: float
) -> None:
    even, groups = [1, 0] * 100, [0] * 100 + [1] * 100
    predicted = [np.repeat([1, 0, 1, 0], [50 + d, 50 - d, 50 - d, 50 + d]) for d in moved]
    metric = DPA(quality="uncertainty_coefficient", equalize=None)
    columns = {"y_true": np.array([even, even]).T, "y_pred": np.array(predicted).T}
    reason = reason_of(metric, columns | {"sensitive_features": groups})
    assert reason.startswith("chance explains more than 3%") == (share > 0.03)


@pytest.mark.parametrize(("n_groups", "is_shifted"), [(40, True), (20, True), (2, False)])
def test_level_of_a_sparse_table_that_resampling_shifts_has_no_interval(
    n_groups: int, is_shifted: bool
) -> None:
    # Of 320 rows 3/4 have the class of their group. The loss has a standard deviation of
    # log(3) sqrt(3/16) = .48 by row, so an error of .027. Resampled tables lose less by some
    # groups / (2 n): .063 for 40 groups, which leaves the value outside of its replicates; .031 for
    # 20, which does not; and .003 for two.
    n = 320 // n_groups // 4
    cells = {(a, t, t): n * (3 if a % 2 == t else 1) for a in range(n_groups) for t in (0, 1)}
    reason = reason_of(DPA(equalize=None), rows_of(cells), "psi_model")
    shifted = "resampling shifts the value by more than its standard error"
    assert reason.startswith(shifted) == is_shifted


def test_leave_one_out_has_no_interval() -> None:
    reason = reason_of(DPA(evaluation="loo"), two_groups(40, 40))
    assert reason == "bootstrap samples hold duplicates, so leave-one-out is not valid"


def test_fitted_attacker_has_no_interval_and_is_named() -> None:
    from sklearn.linear_model import LogisticRegression

    metric = LA(attacker=LogisticRegression(), n_trials=1)
    expected = "the attacker is a fitted LogisticRegression, which is not fitted again"
    assert reason_of(metric, two_groups(40, 40)).startswith(expected)


def test_level_of_a_small_group_that_may_be_tied_reaches_as_far_as_its_rate() -> None:
    # 1 is predicted for .33, .624 and .6 of three groups, so the level is (.624 + .67) / 3. If the
    # rate of the third, of 40 rows, is two standard errors higher, .6 + 2 * .077, it is .043 more.
    sizes, ones = [5000, 5000, 40], [1650, 3120, 24]
    groups = np.repeat([0, 1, 2], sizes)
    predicted = np.concatenate([np.arange(n) < k for n, k in zip(sizes, ones, strict=True)])
    result = bam.LeakageAmplification().result(predicted, predicted, sensitive_features=groups)
    level = result.estimates["psi_model"]
    assert level.value == pytest.approx((0.624 + 0.67) / 3)
    assert level.high == pytest.approx(level.value + 0.043, abs=0.01)


def small_group(n_wrong: int, n_wrong_of_others: int) -> Columns:
    """Return 40 rows of a group whose labels are all 1, and 4,000 rows of another group."""
    truth = [1] * 40 + [0, 1] * 2000
    wrong = [True] * n_wrong + [False] * (40 - n_wrong)
    wrong += [True] * n_wrong_of_others + [False] * (4000 - n_wrong_of_others)
    predicted = [1 - t if is_wrong else t for t, is_wrong in zip(truth, wrong, strict=True)]
    return {"y_true": truth, "y_pred": predicted, "sensitive_features": [0] * 40 + [1] * 4000}


@pytest.mark.parametrize(
    ("metric", "name", "n_wrong", "n_wrong_of_others", "is_still"),
    [
        # Sums of rates vary by 2 sqrt(40) / 4000 = .003, and half of 40 rows is a rate of .0125.
        (BA(), "value", 0, 40, True),
        (BA(), "value", 1, 40, False),  # Also by 2 / 40.
        (BA(), "value", 0, 0, False),  # No model without errors varies.
        (BA(), "value", 0, 1000, False),  # By 2 sqrt(1000) / 4000 = .016.
        # The recall of the others varies by sqrt(.25 / 4000) = .008, that of the 40 rows is 1.
        (LA(), "psi_model", 0, 40, True),
        (LA(), "psi_model", 1, 40, False),
    ],
)
def test_small_group_without_errors_leaves_no_interval(
    metric: Any, name: str, n_wrong: int, n_wrong_of_others: int, is_still: bool
) -> None:
    reason = reason_of(metric, small_group(n_wrong, n_wrong_of_others), name)
    expected = (
        "half a row of the smallest group or class would change it by more than its standard "
        "error; more rows are needed"
    )
    assert reason == (expected if is_still else "")


def test_interval_of_small_groups_is_that_of_students_t() -> None:
    # BA is half of .25 + .25. In each group of 20 rows, 5 change in one direction, with a variance
    # of .25 * .75 = 20 * .009375. Of 2 * 19 degrees of freedom, t is 2.0244, and 38 / 39 of the
    # variance is in replicates: 2.0244 * sqrt(39 / 38 * .009375 / 2) = .1404.
    truth = [1] * 12 + [0] * 8 + [1] * 8 + [0] * 12
    predicted = [1] * 17 + [0] * 3 + [1] * 3 + [0] * 17
    metric = bam.DirectionalBiasAmplification()
    result = metric.result(truth, predicted, sensitive_features=[0] * 20 + [1] * 20, n_boot=20_000)
    assert result.value == pytest.approx(0.25)
    assert np.diff(result.interval) / 2 == pytest.approx(0.1404, rel=0.03)
