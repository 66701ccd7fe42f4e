"""PrevalenceThresholdClassifier with thresholds of each group."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from prevalence_cases import Given
from search_cases import routing
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import biasamp_adapters as bam
from biasamp_adapters.sklearn import PrevalenceThresholdClassifier, amplification_scorer

SCORE = np.array([0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
Y = np.array([1, 0, 1, 1, 1, 0, 0, 0])
GROUP = np.repeat(["a", "b"], 4)
X = SCORE[:, None]
EXPECTED = [1, 1, 1, 0, 1, 0, 0, 0]


def drawn(n: int, seed: int = 0) -> tuple[pd.DataFrame, pd.Series, np.ndarray]:
    """Features that know the group, a task, and the group."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    features = pd.DataFrame({"u": rng.normal(size=n) + 2 * group, "v": rng.normal(size=n)})
    task = 0.5 * features["u"] + rng.normal(size=n) > 0.5
    return features, task.astype(int), np.array(["a", "b"])[group]


class Wide(Given):
    """The scores are the column ``s`` of a table."""

    def decision_function(self, X: Any) -> np.ndarray:  # noqa: N803  # scikit-learn's name
        """That column."""
        return X["s"].to_numpy()


def by(place: Any, estimator: Any = None, **options: Any) -> PrevalenceThresholdClassifier:
    return PrevalenceThresholdClassifier(estimator or Given(), by=place, cv=None, **options)


def test_metadata() -> None:
    model = by("metadata").fit(X, Y, sensitive_features=GROUP)
    assert model.groups_ == ["a", "b"]
    assert model.prevalence_.tolist() == [0.75, 0.25]
    assert model.threshold_.tolist() == [pytest.approx(0.65), pytest.approx(0.35)]
    assert model.pooled_threshold_ == 0.5
    assert model.predict(X, sensitive_features=GROUP).tolist() == EXPECTED
    # Groups swapped: .6 and more is above .35, and nothing else above .65.
    assert model.predict(X, sensitive_features=GROUP[::-1]).tolist() == [1] * 4 + [0] * 4


def test_a_column() -> None:
    table = pd.DataFrame({"s": SCORE, "group": GROUP})
    model = by("group", Wide()).fit(table, Y)
    assert model.predict(table).tolist() == EXPECTED
    assert model.predict(table[::-1]).tolist() == EXPECTED[::-1]


def test_a_column_of_an_array() -> None:
    table = np.c_[SCORE, GROUP == "b"]
    inner = make_pipeline(make_column_transformer(("passthrough", [0])), Given())
    assert by(1, inner).fit(table, Y).predict(table).tolist() == EXPECTED


def test_a_level_of_the_index() -> None:
    table = pd.DataFrame({"s": SCORE}, index=pd.Index(GROUP, name="group"))
    model = by("group", Wide()).fit(table, pd.Series(Y, index=table.index))
    assert model.predict(table).tolist() == EXPECTED


def test_several_attributes_are_crossed() -> None:
    table = pd.DataFrame({"s": SCORE, "one": GROUP, "other": ["x", "x", "y", "y"] * 2})
    task = [1, 0] * 4
    model = by(["one", "other"], Wide()).fit(table, task)
    assert model.groups_ == [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    assert model.predict(table).tolist() == task


def test_equal_to_thresholds_of_arrays() -> None:
    features, task, group = drawn(500)
    model = by("metadata", LogisticRegression(), tolerance=0.05)
    model.fit(features, task, sensitive_features=group)
    scores = model.estimator_.predict_proba(features)[:, 1]
    found = bam.group_thresholds(task, scores, sensitive_features=group, tolerance=0.05)
    assert model.threshold_.tolist() == found.thresholds.tolist()


def test_scores_of_rows_that_were_not_trained_on() -> None:
    features, task, group = drawn(500)
    model = PrevalenceThresholdClassifier(LogisticRegression(), by="metadata", cv=4)
    model.fit(features, task, sensitive_features=group)
    scores = cross_val_predict(
        LogisticRegression(), features, task, cv=4, method="predict_proba"
    )[:, 1]  # fmt: skip
    found = bam.group_thresholds(task, scores, sensitive_features=group)
    assert model.threshold_.tolist() == found.thresholds.tolist()


def test_amplification_of_held_out_rows_falls() -> None:
    features, task, group = drawn(8000)
    train, test = slice(0, 4000), slice(4000, 8000)
    plain = LogisticRegression().fit(features[train], task[train])
    model = PrevalenceThresholdClassifier(LogisticRegression(), by="metadata")
    model.fit(features[train], task[train], sensitive_features=group[train])
    metric = bam.DirectionalBiasAmplification(direction="A->T", pos_label=1)
    before, after = (
        abs(metric(task[test], predicted, sensitive_features=group[test]))
        for predicted in (
            plain.predict(features[test]),
            model.predict(features[test], sensitive_features=group[test]),
        )
    )
    assert before > 0.05
    # Three standard errors of a mean of two rates of 2,000 rows.
    assert after < 3 * np.sqrt(0.25 / 2000 / 2)


def test_a_tolerance_without_groups() -> None:
    """Seven positives are right five times, four positives four times."""
    task = [1, 1, 0, 0, 1, 1, 1, 0]
    calibrated = by(None).fit(X, task).predict(X)
    assert (int(calibrated.sum()), int((calibrated == task).sum())) == (5, 4)
    tolerant = by(None, tolerance=0.25).fit(X, task).predict(X)
    assert (int(tolerant.sum()), int((tolerant == task).sum())) == (7, 6)


def test_shares_of_groups_may_be_given() -> None:
    model = by("metadata", prevalence={"a": 0.5, "b": {0: 1.0, 1: 0.0}})
    model.fit(X, Y, sensitive_features=GROUP)
    assert model.prevalence_.tolist() == [0.5, 0.0]
    assert model.predict(X, sensitive_features=GROUP).tolist() == [1, 1, 0, 0, 0, 0, 0, 0]


def test_a_matrix_and_classes() -> None:
    scores, matrix = np.c_[SCORE, SCORE], np.c_[Y, Y[::-1]]
    model = by("metadata").fit(scores, matrix, sensitive_features=GROUP)
    found = bam.group_thresholds(matrix, scores, sensitive_features=GROUP)
    assert model.threshold_.tolist() == found.thresholds.tolist()
    made = model.predict(scores, sensitive_features=GROUP)
    assert made.tolist() == found.predict(scores, sensitive_features=GROUP).tolist()
    three = np.array([[9, 3, 1], [8, 7, 2], [7, 3, 6]] * 2)
    names, halves = np.array([*"xyz"] * 2), ["a"] * 3 + ["b"] * 3
    model = by("metadata").fit(three, names, sensitive_features=halves)
    assert model.predict(three, sensitive_features=halves).tolist() == names.tolist()


def test_groups_that_are_met_first_at_prediction() -> None:
    model = by("metadata").fit(X, Y, sensitive_features=GROUP)
    with pytest.raises(ValueError, match="each group must have a threshold; received 'c'"):
        model.predict(X, sensitive_features=["c"] * 8)
    pooled = by("metadata", other_groups="pooled").fit(X, Y, sensitive_features=GROUP)
    assert pooled.predict(X, sensitive_features=["c"] * 8).tolist() == [1] * 4 + [0] * 4


def test_metadata_are_routed_through_searches_and_pipelines() -> None:
    features, task, group = drawn(400)
    metric = bam.DirectionalBiasAmplification(reference=(task, group))
    with routing():
        model = PrevalenceThresholdClassifier(LogisticRegression(), by="metadata", cv=None)
        pipeline = make_pipeline(StandardScaler(), model)
        pipeline.fit(features, task, sensitive_features=group)
        predicted = pipeline.predict(features, sensitive_features=group)
        assert predicted.sum() == task.sum()
    search = GridSearchCV(
        PrevalenceThresholdClassifier(
            make_pipeline(
                make_column_transformer((StandardScaler(), ["u", "v"])), LogisticRegression()
            )
        ),
        {"by": [None, "group"], "tolerance": [0.0, 0.02]},
        scoring=amplification_scorer(metric, sensitive_features="group"),
        error_score="raise",
    )
    search.fit(features.assign(group=group), task)
    assert search.best_params_["by"] == "group"


def test_a_search_with_routing_chooses_whether_to_read_the_attribute() -> None:
    features, task, group = drawn(400)
    metric = bam.DirectionalBiasAmplification(reference=(task, group))
    with routing():
        search = GridSearchCV(
            PrevalenceThresholdClassifier(LogisticRegression()),
            {"by": [None, "metadata"]},
            scoring=amplification_scorer(metric),
            error_score="raise",
        )
        search.fit(features, task, sensitive_features=group)
    assert search.best_params_["by"] == "metadata"
    # Within three standard errors of rates of 40 rows of a group and fold.
    assert -search.best_score_ < 3 * np.sqrt(0.25 / 40)


def test_cloned_and_pickled() -> None:
    model = by("metadata", tolerance=0.25, other_groups="pooled")
    assert repr(clone(model)) == repr(model)
    again = pickle.loads(pickle.dumps(model.fit(X, Y, sensitive_features=GROUP)))
    assert again.predict(X, sensitive_features=GROUP).tolist() == [1, 1, 1, 1, 1, 0, 0, 0]


def test_weights_are_repeated_rows() -> None:
    weight = np.array([1, 2, 0, 1, 3, 1, 1, 2])
    once = by("metadata").fit(X, Y, sensitive_features=GROUP, sample_weight=weight)
    again = np.repeat(np.arange(8), weight)
    repeated = by("metadata").fit(X[again], Y[again], sensitive_features=GROUP[again])
    assert once.threshold_.tolist() == repeated.threshold_.tolist()


def test_score_takes_the_attribute() -> None:
    """Predicted are 1, 1, 1, 0 and 1, 0, 0, 0; in group a, two of these are right."""
    model = by("metadata").fit(X, Y, sensitive_features=GROUP)
    assert model.score(X, Y, sensitive_features=GROUP) == 6 / 8
    assert model.score(X, Y, GROUP == "b", sensitive_features=GROUP) == 1


def test_a_search_with_routing_scores_by_default() -> None:
    features, task, group = drawn(80)
    with routing():
        search = GridSearchCV(
            PrevalenceThresholdClassifier(LogisticRegression()),
            {"by": [None, "metadata"], "tolerance": [0, 0.1]},
            error_score="raise",
            cv=2,
        )
        search.fit(features, task, sensitive_features=group)
    assert (search.cv_results_["mean_test_score"] > 0.5).all()


def test_rows_in_another_order_warn() -> None:
    table, group = pd.DataFrame(X), pd.Series(GROUP, index=range(7, -1, -1))
    model = by("metadata").fit(X, Y, sensitive_features=GROUP)
    with pytest.warns(bam.AmplificationWarning, match="X and sensitive_features have indexes"):
        model.predict(table, sensitive_features=group)


@pytest.mark.parametrize(
    ("place", "rule"),
    [
        ([], r"by must name at least one variable; received \[\]"),
        (1.5, r"by must be among the levels .*; received 1.5, but there are"),
        (np.array([0, 3]), r"received (np.int64\(3\)|3), but there are"),
    ],
    ids=str,
)
def test_what_is_no_place(place: Any, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        by(place).fit(X, Y)


def test_a_group_without_weight() -> None:
    given: dict[str, Any] = {"sensitive_features": GROUP, "sample_weight": (GROUP == "a") * 1.0}
    with pytest.raises(ValueError, match="the group 'b' has no rows with a positive weight"):
        by("metadata").fit(X, Y, **given)
    model = by("metadata", other_groups="pooled").fit(X, Y, **given)
    assert model.threshold_.tolist() == [model.pooled_threshold_] * 2
    assert np.isnan(model.prevalence_).tolist() == [False, True]


@pytest.mark.parametrize(
    ("options", "given", "rule"),
    [
        ({"by": "metadata"}, {}, "sensitive_features must be given with by='metadata', to fit and"),
        (
            {"by": "race"},
            {},
            r"by must be among the levels of y's index or the levels of X's index",
        ),
        ({"tolerance": -1}, {}, "tolerance must be a share from 0 to 1; received -1"),
        ({"other_groups": 0}, {}, r"other_groups must be one of \['error', 'pooled'\]"),
        ({"by": "metadata"}, {"sensitive_features": GROUP[:7]}, "received sensitive_features 7"),
        (
            {"by": "metadata"},
            {"sensitive_features": [*GROUP[:7], "c"]},
            "the group 'c' has 1 row, 0 of them positive: merge it with another",
        ),
        (
            {"by": "metadata", "prevalence": 0.5},
            {"sensitive_features": GROUP},
            r"prevalence of groups \(by=...\) must be 'train', or map each of 'a', 'b' to its",
        ),
    ],
    ids=str,
)
def test_bad_input(options: dict[str, Any], given: dict[str, Any], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        PrevalenceThresholdClassifier(Given(), cv=None, **options).fit(X, Y, **given)


def test_missing_attribute_at_prediction() -> None:
    model = by("metadata").fit(X, Y, sensitive_features=GROUP)
    with pytest.raises(ValueError, match="must be given with by='metadata', to fit and to predict"):
        model.predict(X)
    table = pd.DataFrame({"s": SCORE, "group": GROUP})
    column = by("group", Wide()).fit(table, Y)
    with pytest.raises(ValueError, match="by must be among the levels of X's index or the columns"):
        column.predict(table[["s"]])
