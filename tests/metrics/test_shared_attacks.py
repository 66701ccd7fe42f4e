"""Metrics that read the same attack: it is made once for all of them, and values stay as alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import biasamp_adapters as bam
from biasamp_adapters import (
    CooccurrenceCounts,
    DirectionalPredictabilityAmplification,
    JointCounts,
)
from biasamp_adapters.inference.replicates import replicate
from biasamp_adapters.metrics.attacks.fitted_attack import FittedAttack
from biasamp_adapters.metrics.measurement import Measurement
from biasamp_adapters.reference import Evaluation, align

DPA = DirectionalPredictabilityAmplification(direction="T->A", n_trials=2)
DPA_U = replace(DPA, quality="uncertainty_coefficient")


def captions() -> CooccurrenceCounts:
    """Two models' predictions of three tasks and of the group."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 200)
    truth = (rng.random((200, 3)) < 0.3 + 0.3 * group[:, None]).astype(int)
    guess = {name: np.where(rng.random(200) < 0.2, 1 - group, group) for name in ("a", "b")}
    return CooccurrenceCounts.from_arrays(
        truth, {"a": truth, "b": 1 - truth}, group, sensitive_features_pred=guess, keep_rows=True
    )


def fits_of(metric: Any, evaluation: Evaluation, model: str) -> Any:
    measurement: Measurement = metric.measure(evaluation, model)
    assert isinstance(measurement, FittedAttack)
    return measurement.experiment.fits


def test_log_loss_and_uncertainty_coefficient_read_the_same_fits() -> None:
    evaluation = align(captions(), None)
    fits = fits_of(DPA, evaluation, "a")
    assert fits_of(DPA_U, evaluation, "a") is fits
    others = [
        (replace(DPA, random_state=1), evaluation, "a"),
        (replace(DPA, n_trials=3), evaluation, "a"),
        (replace(DPA, equalize=None), evaluation, "a"),
        (replace(DPA, evaluation="resubstitution"), evaluation, "a"),
        (replace(DPA, quality="accuracy"), evaluation, "a"),
        (bam.LeakageAmplification(n_trials=2), evaluation, "a"),
        (DPA, evaluation, "b"),
        (DPA, align(captions(), None), "a"),
    ]
    assert all(fits_of(*other) is not fits for other in others)


def test_values_of_shared_fits_are_those_alone() -> None:
    together = align(captions(), None)
    for metric in (DPA, DPA_U):
        measured = metric.measure(together, "a")
        alone = metric.measure(align(captions(), None), "a")
        assert measured.point() == alone.point()
        assert measured.notes == alone.notes


def test_rows_that_agree_are_fitted_as_one() -> None:
    merged = fits_of(DPA, align(captions(), None), "a")
    # Three tasks have 2^3 sets, of which 200 rows have every one.
    assert [int(numbers.max()) for numbers in merged._alike] == [8 - 1, 8 - 1]
    apart = replace(merged, merges=False)
    for one, other in zip(merged.scores, apart.scores, strict=True):
        assert one == pytest.approx(other, rel=1e-12)


def labels() -> JointCounts:
    """Three classes and groups, of which the task tells something, and so do the predictions."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 600)
    truth = np.where(rng.random(600) < 0.4, group, rng.integers(0, 3, 600))
    predicted = np.where(rng.random(600) < 0.2, group, truth)
    guess = np.where(rng.random(600) < 0.2, truth, group)
    return JointCounts.from_arrays(truth, predicted, group, sensitive_features_pred=guess)


ATTACKS = (
    bam.LeakageAmplification(equalize="sampled"),
    DirectionalPredictabilityAmplification(equalize="sampled"),
    DirectionalPredictabilityAmplification(quality="uncertainty_coefficient"),
    DirectionalPredictabilityAmplification(equalize=None),
    replace(DPA, equalize="sampled"),
    DPA_U,
)


def test_attacks_on_tables_read_the_same_trials() -> None:
    evaluation = align(labels(), None)
    measured: list[Any] = [metric.measure(evaluation, "model") for metric in ATTACKS]
    la, dpa, dpa_u, not_equalised, t_to_a, t_to_a_u = (attack._drawn for attack in measured)
    assert la is dpa is dpa_u
    assert t_to_a is t_to_a_u
    assert len({id(trials) for trials in (la, not_equalised, t_to_a)}) == 3
    for metric, together in zip(ATTACKS, measured, strict=True):
        alone = metric.measure(align(labels(), None), "model")
        assert together.point() == alone.point()


@pytest.mark.parametrize("by_group", [False, True])
def test_replicates_of_shared_flips_are_those_alone(by_group: bool) -> None:
    evaluation = align(labels(), None)
    measured = {
        place: replace(metric.measure(evaluation, "model"), by_group=by_group)
        for place, metric in enumerate(ATTACKS)
    }
    together = replicate(measured, evaluation, 5, 0)
    for place, attack in measured.items():
        alone = replicate({place: attack}, evaluation, 5, 0)[place]
        assert alone.keys() == together[place].keys()
        for score, values in alone.items():
            assert (values == together[place][score]).all()
