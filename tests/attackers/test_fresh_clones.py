"""Attackers are fresh clones with seeds of their own, and a metric never changes."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from attacker_cases import (
    ATTACKS,
    FITS,
    NotingNeighbors,
    binary_rows,
    matrix_rows,
    metric_of,
    value_of,
)
from metric_cases import quietly
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from biasamp_adapters import DirectionalPredictabilityAmplification, LeakageAmplification
from biasamp_adapters.sklearn import ContingencyAttacker, DenseAttacker

ROWS = binary_rows()
LOSS: dict[str, Any] = {"quality": "inverse_cross_entropy"}


def test_the_given_estimator_stays_unfitted() -> None:
    attacker = LogisticRegression()
    metric = metric_of("A->T", attacker=attacker, n_trials=1)
    quietly(metric, **ROWS)
    for estimator in (attacker, metric.attacker):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            check_is_fitted(estimator)


def test_later_changes_to_the_given_estimator_do_not_reach_the_metric() -> None:
    attacker = LogisticRegression()
    metric = metric_of("A->T", attacker=attacker, n_trials=1, evaluation="resubstitution", **LOSS)
    before = quietly(metric, **ROWS)
    attacker.set_params(C=1e-6)
    assert quietly(metric, **ROWS) == before
    weak = metric_of("A->T", attacker=attacker, n_trials=1, evaluation="resubstitution", **LOSS)
    assert quietly(weak, **ROWS) != before  # the change is one that would be seen


def test_what_the_given_estimator_was_fitted_on_does_not_matter() -> None:
    fitted = RandomForestClassifier(3, warm_start=True, random_state=0).fit([[0], [1]], [0, 1])
    options: dict[str, Any] = {"n_trials": 1, **LOSS}
    assert value_of("A->T", ROWS, attacker=fitted, **options) == value_of(
        "A->T", ROWS, attacker=clone(fitted), **options
    )


@pytest.mark.parametrize("in_a_pipeline", [False, True])
def test_every_fit_is_of_a_fresh_clone_with_a_seed_of_its_own(in_a_pipeline: bool) -> None:
    FITS.clear()
    attacker: Any = NotingNeighbors(random_state=7)
    if in_a_pipeline:
        attacker = make_pipeline(StandardScaler(), attacker)
    value_of("A->T", ROWS, attacker=attacker, n_trials=3)
    assert len(FITS) == 3 * 2 * 5  # trials, dataset and model, folds
    assert not any(fit.was_fitted for fit in FITS)
    seeds = [fit.seed for fit in FITS]
    assert all(type(seed) is int for seed in seeds)
    # 30 draws of 2**31 - 1 are alike with a probability of 2e-7.
    assert len(set(seeds)) == 30


def test_seeds_follow_from_the_metric() -> None:
    def seeds(random_state: Any) -> list[Any]:
        FITS.clear()
        value_of("A->T", ROWS, attacker=NotingNeighbors(), n_trials=1, random_state=random_state)
        return [fit.seed for fit in FITS]

    assert seeds(None) == seeds(0) != seeds(1)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize(
    "options",
    [
        {"attacker": LogisticRegression()},
        {"attacker": DenseAttacker("compas", max_iter=3)},
        {"attacker": RandomForestClassifier(2), "evaluation": "resubstitution", "equalize": None},
        {"evaluation": "cv"},
    ],
    ids=["folds and flips", "seeds too", "seeds alone", "exact"],
)
def test_a_value_repeats_with_its_seed(attack: str, options: dict[str, Any]) -> None:
    options = {**options, "n_trials": 2, **LOSS}
    first = value_of(attack, ROWS, **options, random_state=3)
    assert value_of(attack, ROWS, **options, random_state=3) == first
    assert any(
        value_of(attack, ROWS, **options, random_state=seed) != first for seed in range(4, 8)
    )


def test_a_generator_is_asked_once() -> None:
    """The metric has the same value in every call."""
    generator = np.random.default_rng(0)
    metric = metric_of("A->T", attacker=LogisticRegression(), n_trials=1, random_state=generator)
    assert quietly(metric, **ROWS) == quietly(metric, **ROWS)


def test_trials_side_by_side_give_the_same_value() -> None:
    """Flips, folds and seeds alike."""
    metric = {"attacker": DenseAttacker("compas", max_iter=3), "n_trials": 3, **LOSS}
    alone = quietly(metric_of("A->T", **metric, n_jobs=1).result, **ROWS)
    together = quietly(metric_of("A->T", **metric, n_jobs=2).result, **ROWS)
    assert together.by_trial.equals(alone.by_trial)
    assert together.value == alone.value == value_of("A->T", ROWS, **metric)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("kind", ["labels", "weighted", "probabilities", "matrix"])
def test_the_order_of_rows_does_not_matter_for_labels(attack: str, kind: str) -> None:
    rows: dict[str, Any] = dict(matrix_rows() if kind == "matrix" else ROWS)
    if kind == "probabilities":
        rows["y_pred"] = np.round(0.1 + 0.8 * rows["y_pred"] + np.tile([0, 0.1], 100), 1)
    if kind == "weighted":
        rows["sample_weight"] = np.tile([1.0, 2.0, 0.5, 3.0], 50)
    order = np.random.default_rng(5).permutation(200)
    shuffled = {name: values[order] for name, values in rows.items()}
    options: dict[str, Any] = {"attacker": LogisticRegression(), "n_trials": 2, **LOSS}
    assert value_of(attack, shuffled, **options) == value_of(attack, rows, **options)


@pytest.mark.parametrize("attack", ["LA", "A->T"])
@pytest.mark.parametrize("options", [{"attacker": LogisticRegression()}, {"equalize": "sampled"}])
def test_columns_that_an_attack_does_not_read_do_not_matter(
    attack: str, options: dict[str, Any]
) -> None:
    """Only T->A looks at the predicted attribute."""
    read = {name: values for name, values in ROWS.items() if name != "sensitive_features_pred"}
    options = {**options, "n_trials": 2, **LOSS}
    assert value_of(attack, ROWS, **options) == value_of(attack, read, **options)


METRIC = DirectionalPredictabilityAmplification(
    attacker=make_pipeline(StandardScaler(), LogisticRegression(C=3)), n_trials=2, n_jobs=1
)


def test_a_metric_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'attacker'"):
        METRIC.attacker = "exact"  # type: ignore[misc]


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_a_copy_has_the_same_value(copied: Any) -> None:
    made = copied(METRIC)
    assert made is not METRIC
    assert repr(made) == repr(METRIC)
    assert quietly(made, **ROWS) == quietly(METRIC, **ROWS)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (
            LeakageAmplification(attacker=LogisticRegression(C=3), n_trials=5),
            "LeakageAmplification(attacker=LogisticRegression(C=3), n_trials=5)",
        ),
        (
            DirectionalPredictabilityAmplification(
                attacker=ContingencyAttacker(), evaluation="resubstitution", n_jobs=2
            ),
            "DirectionalPredictabilityAmplification(attacker=ContingencyAttacker(), "
            "evaluation='resubstitution', n_jobs=2)",
        ),
        (LeakageAmplification(attacker="exact"), "LeakageAmplification()"),
    ],
)
def test_a_metric_shows_what_was_chosen(metric: Any, expected: str) -> None:
    assert repr(metric) == expected


def test_a_result_says_whose_attack_it_is() -> None:
    result = quietly(METRIC.result, **ROWS)
    assert (result.metric, result.direction, result.n) == (
        "DirectionalPredictabilityAmplification", "A->T", 200,
    )  # fmt: skip


def test_there_is_no_interval_and_a_note_says_why() -> None:
    metric = metric_of("A->T", attacker=LogisticRegression(), n_trials=2)
    result = quietly(metric.result, **ROWS, n_boot=20)
    assert result.interval is None
    assert any(
        "the attacker is a fitted LogisticRegression, which is not fitted again" in note
        for note in result.notes
    )
