"""amplification_scorer: what a score is, on folds and called directly."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from search_cases import (
    AGE,
    GROUP,
    METRICS,
    REFERENCE,
    SIGNED,
    SPLITS,
    TREE,
    WAYS,
    WEIGHT,
    X,
    Y,
    routing,
    scores,
    values,
)
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import cross_validate
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import DirectionalBiasAmplification, Indicators
from biasamp_adapters.sklearn import AmplificationLoss, AmplificationScorer, amplification_scorer

FITTED = clone(TREE).fit(X, Y)


class Picked(BaseEstimator):
    """The fitted tree, on the features among other columns."""

    def predict(self, X: Any) -> np.ndarray:  # noqa: N803  # scikit-learn's name
        """The task, by the first three columns."""
        table = X.to_numpy() if hasattr(X, "to_numpy") else X
        return FITTED.predict(pd.DataFrame(table[:, :3].astype(float), columns=["u", "v", "z"]))


@pytest.mark.parametrize("objective", ["signed", "absolute"])
@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_cross_validation_scores_minus_the_value_or_its_size(metric: Any, objective: Any) -> None:
    with routing():
        found = cross_validate(
            TREE,
            X,
            Y,
            scoring=amplification_scorer(metric, objective=objective),
            cv=SPLITS,
            params={"sensitive_features": GROUP},
            error_score="raise",
        )
    expected = scores(metric, objective=objective)
    assert found["test_score"].tolist() == expected
    assert len(set(expected)) == 3


def test_some_values_are_positive_and_some_negative() -> None:
    # So that the two objectives differ.
    found = [value for metric in METRICS for value in values(metric, sensitive_features=GROUP)]
    assert min(found) < -0.05
    assert max(found) > 0.05


class Said(ClassifierMixin, BaseEstimator):
    """Predicts what the first column of X says."""

    def fit(self, X: Any, y: Any) -> Said:  # noqa: N803  # scikit-learn's name
        """Nothing to learn."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> np.ndarray:  # noqa: N803
        """The column."""
        return np.asarray(X)[:, 0].astype(int)


@pytest.mark.parametrize(
    ("positives", "signed", "absolute"),
    [
        # Of ten "a" 6 are positive and of ten "b" 4. Predicted: P(1 | a) - .6 with the correlation
        # and P(1 | b) - .4 against it; for 0 the same.
        ((8, 2), -0.2, -0.2),
        ((6, 4), 0.0, 0.0),
        ((5, 5), 0.1, -0.1),
        ((5, 2), -0.05, -0.05),  # (-.1 + .2) / 2
    ],
)
def test_scores_by_arithmetic(positives: tuple[int, int], signed: float, absolute: float) -> None:
    tenth = np.tile(np.arange(10), 2)
    group = np.repeat(["a", "b"], 10)
    task = (tenth < np.where(group == "a", 6, 4)).astype(int)
    said = (tenth < np.repeat(positives, 10))[:, None]
    model = Said().fit(said, task)
    metric = DirectionalBiasAmplification(reference=(task, group))
    for objective, expected in (("signed", signed), ("absolute", absolute)):
        scorer = amplification_scorer(metric, objective=objective)
        found = scorer(model, said, task, sensitive_features=group)
        assert found == pytest.approx(expected, abs=1e-12)


def test_a_direct_call_needs_no_routing() -> None:
    expected = -abs(SIGNED(Y, FITTED.predict(X), sensitive_features=GROUP))
    assert amplification_scorer(SIGNED)(FITTED, X, Y, sensitive_features=GROUP) == expected


@pytest.mark.parametrize("way", [way for way in WAYS if way != "metadata"])
def test_a_direct_call_finds_the_attribute(way: str) -> None:
    given = WAYS[way]()
    scorer = amplification_scorer(SIGNED, sensitive_features=given.place)
    expected = -abs(SIGNED(Y, FITTED.predict(X), sensitive_features=GROUP))
    assert scorer(Picked(), given.X, given.y) == expected


def test_a_position_can_be_a_number_of_numpy() -> None:
    given = WAYS["column of numpy"]()
    found = [
        amplification_scorer(SIGNED, sensitive_features=place)(Picked(), given.X, given.y)
        for place in (3, np.int64(3), [np.int64(3)])
    ]
    assert found == [-abs(SIGNED(Y, FITTED.predict(X), sensitive_features=GROUP))] * 3


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_weights_in_a_direct_call(metric: Any) -> None:
    found = amplification_scorer(metric)(
        FITTED, X, Y, sensitive_features=GROUP, sample_weight=WEIGHT
    )
    weighted = metric(Y, FITTED.predict(X), sensitive_features=GROUP, sample_weight=WEIGHT)
    assert found == -abs(weighted)
    assert weighted != metric(Y, FITTED.predict(X), sensitive_features=GROUP)


CROSSED = pd.DataFrame({"group": GROUP, "age": AGE})
BY_BOTH = DirectionalBiasAmplification(reference=(Y, CROSSED))
INDEXED = pd.Series(Y, pd.MultiIndex.from_frame(CROSSED))


@pytest.mark.parametrize(
    ("table", "y", "place"),
    [
        (X, INDEXED, ["group", "age"]),
        (X.assign(age=AGE, group=GROUP), Y, ["group", "age"]),
        (X.assign(age=AGE), INDEXED.droplevel("age"), ["group", "age"]),  # one of each
        (X.assign(age=AGE), INDEXED, ("group", "age")),  # in both places, the same values
    ],
    ids=["levels", "columns", "a level and a column", "a level that is also a column"],
)
def test_two_attributes_are_crossed(table: pd.DataFrame, y: Any, place: Any) -> None:
    found = amplification_scorer(BY_BOTH, sensitive_features=place)(Picked(), table, y)
    by_hand = BY_BOTH(Y, FITTED.predict(X), sensitive_features=CROSSED)
    assert found == -abs(by_hand)
    assert by_hand != SIGNED(Y, FITTED.predict(X), sensitive_features=GROUP)


def test_two_attributes_as_metadata() -> None:
    with routing():
        found = cross_validate(
            TREE,
            X,
            Y,
            scoring=amplification_scorer(BY_BOTH),
            cv=SPLITS,
            params={"sensitive_features": CROSSED},
            error_score="raise",
        )
    expected = scores(BY_BOTH, sensitive_features=CROSSED.to_numpy())
    assert found["test_score"].tolist() == expected


@pytest.mark.parametrize("kind", ["category", "string"])
def test_a_level_and_a_column_of_the_same_labels(kind: str) -> None:
    scorer = amplification_scorer(SIGNED, sensitive_features="group")
    found = scorer(
        Picked(), X.assign(group=pd.Series(GROUP).astype(kind)), INDEXED.droplevel("age")
    )
    assert found == -abs(SIGNED(Y, FITTED.predict(X), sensitive_features=GROUP))


def _polars(name: str, *given: Any) -> Any:
    polars = pytest.importorskip("polars", reason="the polars extra is not installed")
    return getattr(polars, name)(*given)


@pytest.mark.parametrize(
    "construct",
    [
        list,
        tuple,
        pd.Categorical,
        lambda labels: pd.Series(labels, index=np.arange(240)[::-1]),  # rows count, not the index
        lambda labels: pd.DataFrame({"group": labels}),
        lambda labels: _polars("Series", labels.tolist()),
        lambda labels: _polars("DataFrame", {"group": labels.tolist()}),
    ],
    ids=["list", "tuple", "Categorical", "Series", "DataFrame", "polars", "polars frame"],
)
def test_metadata_of_any_kind(construct: Any) -> None:
    with routing():
        found = cross_validate(
            TREE,
            X,
            Y,
            scoring=amplification_scorer(SIGNED),
            cv=SPLITS,
            params={"sensitive_features": construct(GROUP)},
            error_score="raise",
        )
    assert found["test_score"].tolist() == scores(SIGNED)


SECOND = (X["v"] + X["z"] > 0).to_numpy().astype(int)
TASKS = pd.DataFrame({"cooking": Y, "driving": SECOND})
OF_TASKS = DirectionalBiasAmplification(reference=(TASKS.to_numpy(), GROUP))


@pytest.mark.parametrize("tasks", [TASKS.to_numpy(), TASKS.set_axis(pd.Index(GROUP, name="group"))])
def test_a_matrix_of_tasks(tasks: Any) -> None:
    model = DecisionTreeClassifier(max_depth=2, random_state=0)
    in_index = isinstance(tasks, pd.DataFrame)
    scorer = amplification_scorer(OF_TASKS, sensitive_features="group" if in_index else None)
    with routing(not in_index):
        found = cross_validate(
            model,
            X,
            tasks,
            scoring=scorer,
            cv=SPLITS,
            params=None if in_index else {"sensitive_features": GROUP},
            error_score="raise",
        )
    assert found["test_score"].tolist() == scores(OF_TASKS, model, y=TASKS.to_numpy())


def test_indicators_are_taken_in_a_direct_call() -> None:
    indicators = Indicators(np.c_[GROUP == "a", GROUP == "b"].astype(int))
    metric = DirectionalBiasAmplification(reference=(Y, indicators))
    found = amplification_scorer(metric)(FITTED, X, Y, sensitive_features=indicators)
    assert found == -abs(metric(Y, FITTED.predict(X), sensitive_features=indicators))


def test_labels_that_are_words() -> None:
    words = np.where(Y == 1, "yes", np.where(X["z"] > 0, "no", "perhaps")).astype(object)
    metric = DirectionalBiasAmplification(reference=(words, GROUP))
    model = clone(TREE).fit(X, words)
    found = amplification_scorer(metric)(model, X, words, sensitive_features=GROUP)
    assert found == -abs(metric(words, model.predict(X), sensitive_features=GROUP)) != 0


@pytest.mark.parametrize("objective", ["signed", "absolute"])
@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_scorers_are_pickled_and_cloned(metric: Any, objective: Any) -> None:
    scorer = amplification_scorer(metric, objective=objective)
    expected = scorer(FITTED, X, Y, sensitive_features=GROUP)
    for twin in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
        assert isinstance(twin, AmplificationScorer)
        assert twin(FITTED, X, Y, sensitive_features=GROUP) == expected


def test_a_loss_is_what_a_scorer_negates() -> None:
    loss = AmplificationLoss(SIGNED, objective="signed")
    said = FITTED.predict(X)
    value = SIGNED(Y, said, sensitive_features=GROUP)
    assert loss(Y, said, sensitive_features=GROUP) == value
    assert AmplificationScorer(loss)(FITTED, X, Y, sensitive_features=GROUP) == -value
    assert pickle.loads(pickle.dumps(loss))(Y, said, sensitive_features=GROUP) == value


def test_a_repr_names_all_that_was_asked_for() -> None:
    plain = amplification_scorer(DirectionalBiasAmplification(), reference="evaluated")
    assert repr(plain) == (
        "amplification_scorer(AmplificationLoss(DirectionalBiasAmplification(), "
        "objective='absolute', predicts='task'))"
    )
    placed = amplification_scorer(
        DirectionalBiasAmplification(reference=REFERENCE),
        objective="signed",
        sensitive_features=["group", "age"],
    )
    assert "objective='signed'" in repr(placed)
    assert "sensitive_features=['group', 'age']" in repr(placed)
    assert placed.loss.__name__ == "signed DirectionalBiasAmplification A->T"
