"""Thresholds at which positives are predicted as often as they are labelled."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import biasamp_adapters as bam
from biasamp_adapters import PrevalenceThreshold

SCORE = [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]
TRUTH = [1, 0, 1, 1, 1, 0, 0, 0]
GROUP = ["a"] * 4 + ["b"] * 4
UV = pd.DataFrame({"u": GROUP, "v": GROUP})


def fitted(
    score: Any = SCORE,
    truth: Any = TRUTH,
    groups: Any = GROUP,
    *,
    sample_weight: Any = None,
    group_proba: Any = None,
    **settings: Any,
) -> Any:
    """Return thresholds by group, or of all rows if there are no groups."""
    rows = {"sample_weight": sample_weight, "group_proba": group_proba}
    return PrevalenceThreshold(**settings).fit(score, truth, sensitive_features=groups, **rows)


class Drawn(NamedTuple):
    """Rows of up to three groups, each of which has both classes and two scores."""

    truth: np.ndarray
    score: np.ndarray
    group: np.ndarray
    weight: np.ndarray


@st.composite
def rows(draw: Any) -> Drawn:
    """Return rows with few distinct scores, so that there are ties."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(2, 12), min_size=1, max_size=3))
    group = np.repeat(np.array(["x", "y", "z"])[: len(sizes)], sizes)
    truth, score = rng.integers(0, 2, len(group)), rng.integers(0, 6, len(group)) / 4
    starts = np.cumsum([0, *sizes[:-1]])
    truth[starts], truth[starts + 1], score[starts], score[starts + 1] = 0, 1, 0.0, 1.25
    return Drawn(truth, score, group, rng.integers(1, 4, len(group)))


def predict(drawn: Drawn, tolerance: float = 0.0, **options: Any) -> np.ndarray:
    rule = fitted(drawn.score, drawn.truth, drawn.group, tolerance=tolerance, **options)
    return rule.predict(drawn.score, sensitive_features=drawn.group)


def cuts(drawn: Drawn, group: str) -> list[tuple[int, int]]:
    """Return how many rows are positive and how many are right at each cut in a group."""
    member = drawn.group == group
    truth, score = drawn.truth[member], drawn.score[member]
    predictions = [score >= limit for limit in [np.inf, *np.unique(score)[::-1]]]
    return [(int(made.sum()), int((made == truth).sum())) for made in predictions]


# Values.


def test_fit_with_groups_gives_each_its_own_threshold() -> None:
    """Three of four rows are positive in group a, one of four in b, and half of all rows."""
    rule = fitted()
    assert (rule.groups_, rule.pooled_threshold_) == (("a", "b"), 0.5)
    # The order of the rows and the groups of new rows do not matter.
    assert rule.predict([0.5, 0.5, 0.66], sensitive_features=["b", "a", "a"]).tolist() == [1, 0, 1]
    one = fitted(groups=None)
    assert one.groups_ == ()
    assert one.thresholds_.tolist() == [one.pooled_threshold_] == [0.5]
    assert one.predict([0.5, 0.49]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("prevalence", "thresholds", "pooled"),
    [
        (None, [0.65, 0.35], 0.5),
        (0.5, [0.75, 0.25], 0.5),
        (0.0, [np.inf, np.inf], np.inf),
        (1.0, [-np.inf, -np.inf], -np.inf),
        ({"a": 0.25, "b": 1}, [0.85, -np.inf], 0.35),  # Five of eight rows.
    ],
)
def test_fit_with_a_prevalence_predicts_that_share(prevalence, thresholds, pooled) -> None:
    rule = fitted(prevalence=prevalence)
    assert rule.thresholds_.tolist() == pytest.approx(thresholds)
    assert rule.pooled_threshold_ == pytest.approx(pooled)


def test_fit_with_a_tolerance_is_more_accurate() -> None:
    """In group a, four positives are right three times, and three positives only twice."""
    rules = [fitted(tolerance=tolerance) for tolerance in (0.24, 0.25)]
    exact, near = (rule.predict(SCORE, sensitive_features=GROUP) for rule in rules)
    assert ((exact == TRUTH).sum(), (near == TRUTH).sum()) == (6, 7)
    assert near.tolist() == [1, 1, 1, 1, 1, 0, 0, 0]


def test_fit_of_adjacent_scores_tells_them_apart() -> None:
    score = [1.0, np.nextafter(1.0, 2), np.nextafter(np.nextafter(1.0, 2), 2)]
    for truth in ([0, 0, 1], [0, 1, 1]):
        assert PrevalenceThreshold().fit(score, truth).predict(score).tolist() == truth


@pytest.mark.parametrize(
    ("negative", "positive", "pos_label"),
    [("no", "yes", None), (False, True, None), (-1, 1, None), (1, 2, None), (2, 1, True)],
)
def test_predict_returns_labels_as_in_fit(negative, positive, pos_label) -> None:
    truth = [positive if is_positive else negative for is_positive in TRUTH]
    rule = PrevalenceThreshold(pos_label=pos_label).fit(SCORE, truth)
    assert repr(rule.classes_) == repr((negative, positive))
    assert rule.predict([1.0, 0.0]).tolist() == [positive, negative]


def test_fit_of_a_matrix_decides_each_column_alone() -> None:
    truth, score = np.c_[TRUTH, TRUTH[::-1]], np.c_[SCORE, SCORE[::-1]]
    rule = fitted(score, truth)
    predicted = rule.predict(score, sensitive_features=GROUP)
    for k in (0, 1):
        alone = fitted(score[:, k], truth[:, k])
        assert rule.thresholds_[:, k].tolist() == alone.thresholds_.tolist()
        assert rule.pooled_threshold_[k] == alone.pooled_threshold_
        expected = alone.predict(score[:, k], sensitive_features=GROUP)
        assert predicted[:, k].tolist() == expected.tolist()


def test_fit_with_crossed_groups_sets_one_threshold_for_each() -> None:
    table = pd.DataFrame({"x": [*"aabbaabb"] * 2, "y": [*"fm"] * 8})
    truth, score = [1, 1, 1, 1, 0, 0, 0, 0] * 2, np.arange(16)
    rule = fitted(score, truth, table)
    assert rule.groups_ == (("a", "f"), ("a", "m"), ("b", "f"), ("b", "m"))
    assert rule.predict(score, sensitive_features=table)[table["x"] == "a"].sum() == 4


# Properties.


@given(rows(), st.sampled_from([0.0, 0.01, 0.1, 0.3, 1.0]))
def test_predict_within_the_tolerance_is_the_most_accurate_or_nearest(drawn, tolerance) -> None:
    predicted = predict(drawn, tolerance)
    for group in np.unique(drawn.group):
        member = drawn.group == group
        truth, made = drawn.truth[member], predicted[member]
        away = {n: abs(n - truth.sum()) for n, _ in cuts(drawn, group)}
        most = tolerance * len(truth) + 1e-9
        right = {n: right for n, right in cuts(drawn, group) if away[n] <= most}
        if not right:
            assert int(made.sum()) == min(away, key=lambda n: (away[n], n))
            continue
        assert (made == truth).sum() == max(right.values())
        best = [away[n] for n in right if right[n] == max(right.values())]
        assert away[int(made.sum())] == min(best)


@given(rows(), st.sampled_from([0.0, 0.1, 1.0]))
def test_fit_with_whole_weights_is_that_of_repeated_rows(drawn, tolerance) -> None:
    again = Drawn(*(np.repeat(values, drawn.weight) for values in drawn))
    weighted = predict(drawn, tolerance, sample_weight=drawn.weight)
    assert np.repeat(weighted, drawn.weight).tolist() == predict(again, tolerance).tolist()


@given(rows())
def test_fit_with_weights_of_0_ignores_rows(drawn) -> None:
    added = Drawn(np.array([1, 1, 2]), np.array([9, 9, np.nan]), np.array(["x", "new", "x"]), 0)
    truth, score, group = (np.r_[pair] for pair in zip(drawn[:3], added[:3], strict=True))
    weight = np.r_[np.ones(len(drawn.truth)), np.zeros(3)]
    rule = fitted(score[:, None], truth, group, sample_weight=weight)
    alone = fitted(drawn.score, drawn.truth, drawn.group)
    assert rule.groups_ == alone.groups_
    assert rule.thresholds_.tolist() == alone.thresholds_.tolist()


# Groups without a threshold.


@pytest.mark.parametrize(
    ("truth", "score"),
    [([1, 0, 1, 1, 0, 0, 0, 0], SCORE), (TRUTH, [0.9, 0.8, 0.7, 0.6, 0.4, 0.4, 0.4, 0.4])],
    ids=["one class", "one score"],
)
def test_fit_of_a_group_that_cannot_be_cut_is_an_error_or_pooled(truth, score) -> None:
    with pytest.raises(ValueError, match="both classes and different scores; 'b' has not"):
        fitted(score, truth)
    rule = fitted(score, truth, unknown_groups="pooled")
    assert rule.thresholds_.tolist() == [pytest.approx(0.65), rule.pooled_threshold_]


def test_predict_of_an_unknown_group_is_an_error_or_pooled() -> None:
    new: dict[str, Any] = {"y_score": [0.55, 0.55], "sensitive_features": ["c", "a"]}
    with pytest.raises(ValueError, match="groups must be among 'a', 'b'; received 'c'"):
        fitted().predict(**new)
    assert fitted(unknown_groups="pooled").predict(**new).tolist() == [1, 0]


NAMES, SUMS = "group_proba must have the columns 'a', 'b'; received ", "whose sum is 1; received "
ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"truth": [0, 1, 2, 0, 1, 2, 0, 1]}, "two classes.* received 0, 1, 2. With three or more"),
    ({"truth": [1] * 8}, "must have two classes.* received 1"),
    ({"truth": SCORE, "score": TRUTH}, r"8 classes and y_score 2 values; are they swapped\?"),
    ({"truth": [], "score": [], "groups": []}, "must have two classes.* received none"),
    ({"truth": [*TRUTH[:7], None]}, "y_true must not have missing values; received 1"),
    ({"truth": TRUTH[:7]}, r"must have one shape; received \(8,\) and \(7,\)"),
    ({"score": np.c_[SCORE, SCORE]}, r"Pass predict_proba\(X\)\[:, 1\]"),
    ({"score": [*SCORE[:7], np.inf]}, "y_score must be finite; received inf"),
    ({"score": ["high"] * 8}, "y_score must hold numbers; received 'high'"),
    ({"groups": GROUP[:7]}, "one group for each of 8 rows; received 7 rows"),
    ({"groups": [*GROUP[:7], None]}, "received 8 rows, 1 of them without"),
    ({"groups": bam.OverlappingGroups(np.eye(8))}, "8 rows; received a column for each group"),
    ({"sample_weight": [1] * 7}, "as many rows; received y_true 8, sample_weight 7"),
    ({"pos_label": 2}, "pos_label must be 0 or 1; received 2"),
    ({"tolerance": -0.1}, "tolerance must be a number from 0 to 1; received -0.1"),
    ({"prevalence": 1.5}, "prevalence of 'a' must be a number from 0 to 1; received 1.5"),
    ({"prevalence": pd.Series([0.5] * 2)}, r"to 1; received 0 *0\.5 1 *0\.5"),
    ({"prevalence": {"a": 0.5}}, "prevalence of 'b' must be a number .* received {'a': 0.5}"),
    ({"unknown_groups": "drop"}, "must be 'error' or 'pooled'; received 'drop'"),
    ({"group_proba": np.ones(8)}, NAMES + "one column"),
    ({"group_proba": np.ones((8, 3)) / 3}, NAMES + "0, 1, 2"),
    ({"group_proba": pd.DataFrame({"a": SCORE, "c": SCORE})}, NAMES + "'a', 'c'"),
    ({"group_proba": [[0.5, 0.5], [2, -1]] * 4}, SUMS + "8 rows, 4 of them without"),
    ({"group_proba": np.ones((7, 2)) / 2}, SUMS + "7 rows"),
    ({"group_proba": np.ones((8, 2)) / 2}, "group_proba must tell the groups apart"),
    ({"group_proba": np.eye(8)[:, :2], "groups": None}, "group_proba needs the sensitive_features"),
    ({"prevalence": {"a": 0.5}, "groups": None}, "of each group needs the sensitive_features"),
]


@pytest.mark.parametrize(("options", "message"), ERRORS)
def test_fit_with_wrong_inputs_says_the_rule(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        fitted(**options)


CERTAIN = np.eye(2)[[0] * 4 + [1] * 4]
CUP_AND_DOG = pd.DataFrame({"cup": TRUTH, "dog": TRUTH})
MATRIX = {"score": CUP_AND_DOG * 0.5, "truth": CUP_AND_DOG}
AS_IN_FIT = "must have 'cup', 'dog', as in fit; received "


@pytest.mark.parametrize(
    ("options", "inputs", "message"),
    [
        ({}, {}, "sensitive_features must be given"),
        ({}, {"sensitive_features": ["a"]}, "one group for each of 8 rows; received 1 rows"),
        ({}, {"group_proba": CERTAIN}, "to both fit and predict, or to neither"),
        ({"group_proba": CERTAIN}, {"sensitive_features": GROUP}, "to both fit and predict, or"),
        (MATRIX, {"y_score": CUP_AND_DOG[["dog", "cup"]]}, AS_IN_FIT + "'dog', 'cup'"),
        (MATRIX, {"y_score": CUP_AND_DOG["cup"]}, AS_IN_FIT + "one column"),
        ({"groups": UV}, {"sensitive_features": UV[["v", "u"]]}, "order .* 'u × v'; received 'v ×"),
    ],
)
def test_predict_with_wrong_inputs_says_the_rule(options, inputs, message) -> None:
    rule = fitted(**options)
    with pytest.raises(ValueError, match=message):
        rule.predict(**{"y_score": SCORE, **inputs})


def test_predict_before_fit_is_refused() -> None:
    with pytest.raises(NotFittedError):
        PrevalenceThreshold().predict(SCORE)


def test_fit_with_another_order_of_the_index_warns() -> None:
    truth = pd.Series(TRUTH, index=[*"abcdefgh"])
    with pytest.warns(bam.AmplificationWarning, match="in another order"):
        rule = PrevalenceThreshold().fit(pd.Series(SCORE, index=[*"bacdefgh"]), truth)
    with pytest.warns(bam.AmplificationWarning, match="y_score and sensitive_features have"):
        rule.predict(pd.Series(SCORE, truth.index), sensitive_features=truth.iloc[::-1])


# Hosts.


def test_estimator_can_be_cloned_and_routes_its_arguments() -> None:
    rule = PrevalenceThreshold({"a": 0.5}, tolerance=0.1, unknown_groups="pooled")
    assert clone(rule).get_params() == rule.get_params()
    assert repr(PrevalenceThreshold(tolerance=0.1)) == "PrevalenceThreshold(tolerance=0.1)"
    assert rule.set_params(prevalence=None).fit(SCORE, TRUTH) is rule


# Probabilities of groups.


def draw_proba(n: int, seed: int) -> dict[str, Any]:
    """Return calibrated scores, and calibrated probabilities of three groups."""
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet([3, 2, 1], n)
    group = (proba.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    score = np.clip(0.3 + 0.4 * proba[:, 0] + rng.normal(0, 0.15, n), 0.01, 0.99)
    truth = (rng.random(n) < score).astype(int)
    return {"score": score, "truth": truth, "group": group, "proba": proba}


def fit_proba(data: dict[str, Any], proba: Any, **settings: Any) -> Any:
    return fitted(data["score"], data["truth"], data["group"], group_proba=proba, **settings)


def test_fit_with_certain_probabilities_has_the_rates_of_groups() -> None:
    data = draw_proba(600, 0)
    certain = np.eye(3)[data["group"]]
    predicted = fit_proba(data, certain).predict(data["score"], group_proba=certain)
    by_group = fitted(data["score"], data["truth"], data["group"])
    expected = by_group.predict(data["score"], sensitive_features=data["group"])
    assert (predicted != expected).sum() <= 3


def test_predict_with_probabilities_has_their_mean_threshold() -> None:
    data = draw_proba(600, 0)
    frame = pd.DataFrame(data["proba"], columns=[0, 1, 2])
    rule = fit_proba(data, frame)
    middle = rule.thresholds_[[0, 2]].mean()
    proba = pd.DataFrame([[0.5, 0.0, 0.5]] * 2)
    assert rule.predict([middle + 1e-9, middle - 1e-9], group_proba=proba).tolist() == [1, 0]
    turned = frame[[2, 0, 1]].set_axis([*"cab"], axis=1)
    renamed = fit_proba(data | {"group": np.array([*"abc"])[data["group"]]}, turned)
    assert renamed.thresholds_.tolist() == pytest.approx(rule.thresholds_.tolist())


def test_predict_with_probabilities_keeps_the_rates_of_other_rows() -> None:
    data, new = draw_proba(4000, 1), draw_proba(40_000, 2)
    rule = fit_proba(data, data["proba"])
    predicted = rule.predict(new["score"], group_proba=new["proba"])
    half = new["score"] >= 0.5
    for group in range(3):
        member = new["group"] == group
        assert abs(predicted[member].mean() - new["truth"][member].mean()) < 0.04
    rows_of, ba = {"sensitive_features": new["group"]}, bam.directional_bias_amplification
    assert ba(new["truth"], half.astype(int), **rows_of) > 0.03
    assert abs(ba(new["truth"], predicted, **rows_of)) < 0.01


def test_fit_with_probabilities_and_a_tolerance_expects_more_right_decisions() -> None:
    data = draw_proba(2000, 3)
    right = []
    for tolerance in (0.0, 0.1):
        rule = fit_proba(data, data["proba"], tolerance=tolerance)
        predicted = rule.predict(data["score"], group_proba=data["proba"])
        right.append(np.where(predicted == 1, data["score"], 1 - data["score"]).mean())
        expected = data["proba"].T @ predicted - np.eye(3)[data["group"]].T @ data["truth"]
        slack = tolerance * np.bincount(data["group"])
        assert (np.abs(expected) <= slack + 3).all()
    assert right[1] > right[0]
