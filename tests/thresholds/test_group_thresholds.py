"""Thresholds of each group: its rate of predictions is that of its truth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biasamp_adapters as bam
from biasamp_adapters import group_thresholds

SCORE = [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]
TRUTH = [1, 0, 1, 1, 1, 0, 0, 0]
GROUP = ["a"] * 4 + ["b"] * 4


class Drawn(NamedTuple):
    """Rows of up to three groups, each of which has both classes and two scores."""

    truth: np.ndarray
    score: np.ndarray
    group: np.ndarray
    weight: np.ndarray


@st.composite
def rows(draw: Any, min_groups: int = 1) -> Drawn:
    """Few distinct scores, so that there are ties."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(2, 12), min_size=min_groups, max_size=3))
    group = np.repeat(np.array(["x", "y", "z"])[: len(sizes)], sizes)
    truth, score = rng.integers(0, 2, len(group)), rng.integers(0, 6, len(group)) / 4
    starts = np.cumsum([0, *sizes[:-1]])
    truth[starts], truth[starts + 1], score[starts], score[starts + 1] = 0, 1, 0.0, 1.25
    return Drawn(truth, score, group, rng.integers(1, 4, len(group)))


def fitted(drawn: Drawn, tolerance: float = 0.0, **options: Any) -> np.ndarray:
    """What is predicted for the rows that set the thresholds."""
    found = group_thresholds(
        drawn.truth, drawn.score, sensitive_features=drawn.group, tolerance=tolerance, **options
    )
    return found.predict(drawn.score, sensitive_features=drawn.group)


def cuts(drawn: Drawn, group: str) -> list[tuple[int, int]]:
    """Of each possible cut in a group, how many rows are positive and how many are right."""
    member = drawn.group == group
    truth, score = drawn.truth[member], drawn.score[member]
    found = [score >= limit for limit in [np.inf, *np.unique(score)[::-1]]]
    return [(int(made.sum()), int((made == truth).sum())) for made in found]


def test_by_hand() -> None:
    """Three of four rows in group a, one of four in b."""
    found = group_thresholds(TRUTH, SCORE, sensitive_features=GROUP)
    assert found.groups == ("a", "b")
    assert found.thresholds.tolist() == [pytest.approx(0.65), pytest.approx(0.35)]
    # Four of eight rows are positive: between .6 and .4.
    assert found.pooled == 0.5
    predicted = found.predict(SCORE, sensitive_features=GROUP)
    assert predicted.tolist() == [1, 1, 1, 0, 1, 0, 0, 0]
    table = found.to_frame().set_index("group")
    assert table.loc["a", ["rows", "true", "predicted", "accuracy"]].tolist() == [
        4,
        0.75,
        0.75,
        0.5,
    ]
    assert table.loc["b", ["rows", "true", "predicted", "accuracy"]].tolist() == [4, 0.25, 0.25, 1]


def test_a_tolerance_buys_accuracy() -> None:
    """In group a, all four positive are right three times, three positive only twice."""
    made = [
        group_thresholds(TRUTH, SCORE, sensitive_features=GROUP, tolerance=tolerance).predict(
            SCORE, sensitive_features=GROUP
        )
        for tolerance in (0.24, 0.25)
    ]
    assert [(np.array(TRUTH) == each).sum() for each in made] == [6, 7]
    assert made[1].tolist() == [1, 1, 1, 1, 1, 0, 0, 0]


@given(rows())
def test_rates_are_the_nearest_to_those_of_the_truth(drawn: Drawn) -> None:
    predicted = fitted(drawn)
    for group in np.unique(drawn.group):
        member = drawn.group == group
        wanted = int(drawn.truth[member].sum())
        nearest = min((abs(n - wanted), n) for n, _ in cuts(drawn, group))
        assert int(predicted[member].sum()) == nearest[1]


@given(rows(), st.sampled_from([0.01, 0.1, 0.3, 1.0]))
def test_within_the_tolerance_nothing_is_more_accurate(drawn: Drawn, tolerance: float) -> None:
    predicted = fitted(drawn, tolerance)
    for group in np.unique(drawn.group):
        member = drawn.group == group
        truth, made = drawn.truth[member], predicted[member]
        away = {n: abs(n - truth.sum()) for n, _ in cuts(drawn, group)}
        allowed = [n for n in away if away[n] <= tolerance * len(truth) + 1e-9]
        right = {n: right for n, right in cuts(drawn, group) if n in allowed}
        if not allowed:
            assert away[int(made.sum())] == min(away.values())
            continue
        best = max(right.values())
        assert (made == truth).sum() == best
        # Of equally accurate ones, the nearest.
        assert away[int(made.sum())] == min(away[n] for n in allowed if right[n] == best)


@given(rows(2), st.sampled_from([0.0, 0.2]))
def test_amplification_is_at_most_the_largest_difference_of_rates(
    drawn: Drawn, tolerance: float
) -> None:
    """BA of one of two classes is a mean of differences of rates, each with a sign."""
    predicted = fitted(drawn, tolerance)
    metric = bam.DirectionalBiasAmplification(direction="A->T", pos_label=1)
    value = metric(drawn.truth, predicted, sensitive_features=drawn.group)
    members = [drawn.group == group for group in np.unique(drawn.group)]
    away = [abs(float((predicted[of] - drawn.truth[of]).mean())) for of in members]
    assert abs(value) <= max(away) + 1e-12


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.05]))
def test_without_ties_amplification_is_within_the_tolerance(seed: int, tolerance: float) -> None:
    rng = np.random.default_rng(seed)
    drawn = Drawn(rng.integers(0, 2, 60), rng.random(60), np.arange(60) % 2, np.ones(60))
    metric = bam.DirectionalBiasAmplification(direction="A->T", pos_label=1)
    value = metric(drawn.truth, fitted(drawn, tolerance), sensitive_features=drawn.group)
    assert abs(value) <= tolerance + 1e-12


@given(rows(), st.sampled_from([0.0, 0.1, 1.0]))
def test_weights_are_repeated_rows(drawn: Drawn, tolerance: float) -> None:
    again = Drawn(*(np.repeat(values, drawn.weight) for values in drawn))
    weighted = fitted(drawn, tolerance, sample_weight=drawn.weight)
    assert np.repeat(weighted, drawn.weight).tolist() == fitted(again, tolerance).tolist()


@given(rows())
def test_each_group_is_on_its_own(drawn: Drawn) -> None:
    whole = fitted(drawn, 0.1)
    for group in np.unique(drawn.group):
        part = Drawn(*(values[drawn.group == group] for values in drawn))
        assert fitted(part, 0.1).tolist() == whole[drawn.group == group].tolist()


def test_one_group_has_the_calibrated_threshold() -> None:
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 200), rng.random(200)
    found = group_thresholds(truth, score, sensitive_features=["all"] * 200)
    expected = score >= bam.calibrated_threshold(score, truth.mean())
    assert np.array_equal(found.predict(score, sensitive_features=["all"] * 200), expected)
    assert found.thresholds.tolist() == [found.pooled]


def test_columns_of_a_matrix_are_decided_each_on_its_own() -> None:
    truth, score = np.c_[TRUTH, TRUTH[::-1]], np.c_[SCORE, SCORE]
    found = group_thresholds(truth, score, sensitive_features=GROUP)
    alone = [
        group_thresholds(column, SCORE, sensitive_features=GROUP) for column in truth.T.tolist()
    ]
    assert found.thresholds.tolist() == np.stack([one.thresholds for one in alone], 1).tolist()
    expected = np.stack([one.predict(SCORE, sensitive_features=GROUP) for one in alone], axis=1)
    assert found.predict(score, sensitive_features=GROUP).tolist() == expected.tolist()


def test_columns_have_names() -> None:
    truth = pd.DataFrame({"cup": TRUTH, "dog": TRUTH})
    found = group_thresholds(truth, truth * 0.5, sensitive_features=GROUP)
    assert found.labels == ("cup", "dog")
    assert found.to_frame()["label"].tolist() == ["cup", "dog"] * 2
    rule = r"y_score must have 2 columns, 'cup', 'dog', as where .* received \['dog', 'cup'\]"
    with pytest.raises(ValueError, match=rule):
        found.predict(truth[["dog", "cup"]], sensitive_features=GROUP)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.05]))
def test_classes_have_the_rates_of_the_truth(seed: int, tolerance: float) -> None:
    """Scores that are all different: each rate is within one row, and a little more in turn."""
    rng = np.random.default_rng(seed)
    group, truth = rng.integers(0, 2, 300), rng.integers(0, 3, 300)
    score = rng.normal(size=(300, 3)) + (np.arange(3) == truth[:, None]) + 0.3 * group[:, None]
    found = group_thresholds(truth, score, sensitive_features=group, tolerance=tolerance)
    predicted = found.predict(score, sensitive_features=group)
    for each in (0, 1):
        of = group == each
        for label in range(3):
            away = abs(int((predicted[of] == label).sum()) - int((truth[of] == label).sum()))
            assert away <= tolerance * of.sum() + 3


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.02, 0.1, 0.3, 1.0]))
def test_rates_of_classes_stay_within_the_tolerance(seed: int, tolerance: float) -> None:
    """Scores that say nothing of classes of very different sizes: turns alone do not settle."""
    rng = np.random.default_rng(seed)
    truth = np.minimum(rng.geometric(0.6, 120) - 1, 3)
    truth[:4] = range(4)
    score = rng.normal(size=(120, 4))
    found = group_thresholds(truth, score, sensitive_features=["a"] * 120, tolerance=tolerance)
    table = found.to_frame()
    assert (table["predicted"] - table["true"]).abs().max() <= tolerance + 1 / 120 + 1e-9
    exact = group_thresholds(truth, score, sensitive_features=["a"] * 120)
    made = [each.predict(score, sensitive_features=["a"] * 120) for each in (found, exact)]
    if tolerance:
        assert (made[0] == truth).sum() >= (made[1] == truth).sum()


def test_classes_by_hand() -> None:
    """The scores name "x" for all; each class is in one of three rows of each group."""
    score = [[9, 3, 1], [8, 7, 2], [7, 3, 6]] * 2
    found = group_thresholds(list("xyzxyz"), score, sensitive_features=list("aaabbb"))
    assert found.predict(score, sensitive_features=list("aaabbb")).tolist() == list("xyzxyz")


def test_attributes_are_crossed() -> None:
    crossed = pd.DataFrame({"race": ["a", "b"] * 8, "sex": ["f", "f", "m", "m"] * 4})
    truth, score = [1, 1, 1, 1, 0, 0, 0, 0] * 2, np.arange(16) / 16
    found = group_thresholds(truth, score, sensitive_features=crossed)
    assert found.groups == (("a", "f"), ("a", "m"), ("b", "f"), ("b", "m"))
    joined = crossed["race"] + crossed["sex"]
    alone = group_thresholds(truth, score, sensitive_features=joined)
    assert found.thresholds.tolist() == alone.thresholds.tolist()
    found.predict(score[:1], sensitive_features=crossed[:1])


@pytest.mark.parametrize(
    ("labels", "pos_label", "positive"),
    [(["no", "yes"], None, "yes"), (["no", "yes"], "no", "no"), ([-1, 1], None, 1), ([2, 1], 1, 1)],
)
def test_labels_of_any_kind(labels: list[Any], pos_label: Any, positive: Any) -> None:
    negative = next(label for label in labels if label != positive)
    truth = [positive if one else negative for one in TRUTH]
    found = group_thresholds(truth, SCORE, sensitive_features=GROUP, pos_label=pos_label)
    made = found.predict(SCORE, sensitive_features=GROUP).tolist()
    assert made == [positive if one else negative for one in (1, 1, 1, 0, 1, 0, 0, 0)]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_any_table_in_memory(library: str) -> None:
    table = getattr(pytest.importorskip(library), "table" if library == "pyarrow" else "DataFrame")
    frame = table({"t": TRUTH, "s": SCORE, "g": GROUP})
    found = group_thresholds(frame["t"], frame["s"], sensitive_features=frame["g"])
    made = found.predict(frame["s"], sensitive_features=frame["g"])
    assert made.tolist() == [1, 1, 1, 0, 1, 0, 0, 0]


def test_groups_without_a_threshold_get_that_of_all_rows() -> None:
    truth, score = [*TRUTH, 1, 1], [*SCORE, 0.45, 0.55]
    group = [*GROUP, "c", "c"]
    with pytest.raises(ValueError, match=r"the group 'c' has 2 rows, 2 of them positive: merge it"):
        group_thresholds(truth, score, sensitive_features=group)
    found = group_thresholds(truth, score, sensitive_features=group, other_groups="pooled")
    # Six of ten are positive: between .45 and .4.
    assert found.thresholds.tolist()[2] == found.pooled == pytest.approx(0.425)
    assert found.predict([0.45, 0.4], sensitive_features=["new", "c"]).tolist() == [1, 0]


def test_a_group_without_weight_gets_the_threshold_of_all_rows() -> None:
    options: dict[str, Any] = {"sample_weight": [1] * 4 + [0] * 4, "other_groups": "pooled"}
    found = group_thresholds(TRUTH, SCORE, sensitive_features=GROUP, **options)
    alone = group_thresholds(TRUTH[:4], SCORE[:4], sensitive_features=GROUP[:4])
    assert found.thresholds.tolist() == [alone.pooled, alone.pooled]
    table = found.to_frame().set_index("group")
    assert table.loc["b", "rows"] == 0
    assert table.loc["b", ["true", "predicted", "accuracy"]].isna().all()


def test_the_class_that_a_group_lacks_is_named() -> None:
    score = np.random.default_rng(0).random((12, 3))
    group = ["a"] * 6 + ["b"] * 6
    with pytest.raises(ValueError, match="the group 'b' has 6 rows, 0 of them with the label 'z'"):
        group_thresholds(list("xyzxyzxyxxyx"), score, sensitive_features=group)


def test_the_label_of_a_matrix_that_a_group_lacks_is_named() -> None:
    truth = pd.DataFrame({"cup": TRUTH, "dog": [1, 0, 0, 0, 0, 0, 0, 0]})
    with pytest.raises(
        ValueError, match="the group 'b' has 4 rows, 0 of them with the label 'dog'"
    ):
        group_thresholds(truth, np.c_[SCORE, SCORE], sensitive_features=GROUP)


def test_a_rare_label_of_a_matrix_is_pooled_alone() -> None:
    truth = np.c_[TRUTH, [1, 0, 0, 0, 0, 0, 0, 0]]
    options: dict[str, Any] = {"sensitive_features": GROUP, "other_groups": "pooled"}
    found = group_thresholds(truth, np.c_[SCORE, SCORE], **options)
    alone = group_thresholds(TRUTH, SCORE, sensitive_features=GROUP)
    assert found.thresholds[:, 0].tolist() == alone.thresholds.tolist()
    assert found.thresholds[1, 1] == found.pooled[1]


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"tolerance": -0.1}, "tolerance must be a share from 0 to 1; received -0.1"),
        ({"tolerance": float("nan")}, "tolerance must be a share from 0 to 1; received nan"),
        ({"tolerance": "0"}, "tolerance must be a share from 0 to 1; received '0'"),
        ({"other_groups": "drop"}, r"other_groups must be one of \['error', 'pooled'\]"),
        ({"y_true": [0] * 8}, "y_true must hold at least two classes; received 0"),
        ({"y_true": [0] * 4 + [0, 1, 1, 1]}, "the group 'a' has 4 rows, 0 of them positive"),
        ({"y_score": [0.5] * 4 + SCORE[4:]}, "the group 'a' has 4 rows whose scores do not differ"),
        (
            {"y_score": [0.5] * 8},
            "scores must differ between rows; received the same score in all 8",
        ),
        (
            {"y_true": np.c_[TRUTH, TRUTH], "y_score": np.c_[SCORE, [0.5] * 8]},
            "scores must differ between rows; received the same score for 1 in all 8 rows",
        ),
        ({"y_score": [0.5] * 4 + [0.4] * 4}, r"do not differ \(and 1 more group\)"),
        ({"sensitive_features": [*GROUP[:7], "c"]}, "the group 'c' has 1 row, 0 of them positive"),
        ({"sensitive_features": None}, "sensitive_features must be given: each group has"),
        ({"sensitive_features": GROUP[:7]}, "received sensitive_features 7 for 8 rows"),
        ({"sensitive_features": [*GROUP[:7], None]}, "must not have missing values; received 1"),
        ({"sensitive_features": bam.Indicators([[1, 0]] * 8)}, "exactly one group for each row"),
        ({"y_score": [*SCORE[:7], np.nan]}, "y_score must be finite; received 1 NaN"),
        ({"y_score": [*SCORE[:7], np.inf]}, "y_score must be finite; received 1 NaN or infinite"),
        ({"y_score": SCORE[:7]}, r"y_score must have the shape \(8,\); received \(7,\)"),
        ({"y_score": np.c_[SCORE, SCORE, SCORE]}, r"shape \(8, 2\); received \(8, 3\)"),
        ({"y_true": [0, 1, 2, 0] * 2}, "one column for each of 3 classes; received a vector"),
        ({"y_true": [*TRUTH[:7], None]}, "must not have missing values; received 1"),
        ({"pos_label": 2}, "pos_label must be one of 0, 1; received 2"),
        (
            {"sample_weight": [1] * 4 + [0] * 4},
            "the group 'b' has no rows with a positive weight: merge it",
        ),
        ({"sample_weight": [-1] * 8}, "sample_weight must be finite and not negative"),
    ],
    ids=str,
)
def test_bad_input(changes: dict[str, Any], rule: str) -> None:
    given: dict[str, Any] = {"y_true": TRUTH, "y_score": SCORE, "sensitive_features": GROUP}
    with pytest.raises(ValueError, match=rule):
        group_thresholds(**given | changes)


@pytest.mark.parametrize(
    ("score", "group", "rule"),
    [
        (SCORE, ["c"] * 8, "each group must have a threshold; received 'c', which the rows"),
        (SCORE, [None] * 8, "must not have missing values; received 8"),
        (SCORE, None, "sensitive_features must be given"),
        (np.c_[SCORE, SCORE], GROUP, r"y_score must have one column, as where .* \(8, 2\)"),
    ],
    ids=str,
)
def test_bad_input_to_predict(score: Any, group: Any, rule: str) -> None:
    found = group_thresholds(TRUTH, SCORE, sensitive_features=GROUP)
    with pytest.raises(ValueError, match=rule):
        found.predict(score, sensitive_features=group)


def test_rows_in_another_order_warn() -> None:
    group = pd.Series(GROUP, index=range(8))
    with pytest.warns(bam.AmplificationWarning, match="another order"):
        group_thresholds(pd.Series(TRUTH, index=range(7, -1, -1)), SCORE, sensitive_features=group)
    found = group_thresholds(TRUTH, SCORE, sensitive_features=GROUP)
    with pytest.warns(bam.AmplificationWarning, match="y_score and sensitive_features have"):
        found.predict(pd.Series(SCORE, index=range(7, -1, -1)), sensitive_features=group)
