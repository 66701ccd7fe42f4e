"""LA and DPA of numbers: the way to a result past counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from biasamp_adapters._typing import Array, RandomState
from biasamp_adapters.counts.tables import PREDICTED
from biasamp_adapters.metrics.exact import ExactAttack, Roles
from biasamp_adapters.metrics.experiment import Experiment
from biasamp_adapters.metrics.fitted import NOISE, clipped_note, finds_nothing
from biasamp_adapters.metrics.numbers import NumberRows
from biasamp_adapters.metrics.result import AmplificationResult
from biasamp_adapters.quality import Quality
from biasamp_adapters.uncertainty import Estimate


def attack_numbers(
    rows: NumberRows,
    *,
    metric: str,
    direction: str,
    leakage: bool,
    attacker: Any,
    quality: Quality,
    equalize: str | None,
    resubstitution: bool,
    n_trials: int,
    random_state: RandomState,
    n_jobs: int | None,
) -> AmplificationResult:
    """LA or DPA of numbers; the parameters are those of the metrics.

    Raises
    ------
    ValueError
        If an attacker, a quality or a way to equalise does not suit the variables.
    """
    roles = Roles.of(direction, leakage)
    accuracy = rows.accuracy(roles.flipped)
    flipped = None if accuracy is None or equalize is None else roles.axis + 2
    experiment = rows.experiment(
        roles,
        attacker=attacker,
        quality=quality,
        flipped=flipped,
        accuracy=accuracy,
        resubstitution=resubstitution,
    )
    notes = [*_accuracy_notes(rows, roles, equalize, experiment)]
    scored = experiment.scores(n_trials, random_state, n_jobs)
    if scored.clipped:
        notes.append(clipped_note(scored.clipped))
    difference: Array | bool = leakage
    if quality.name == "uncertainty_coefficient" and not leakage:
        source, target = experiment.dataset
        n_rows = rows.weight.sum() ** 2 / (rows.weight**2).sum()
        classes = np.stack([rows.weight @ shares for shares in target.targets()])
        difference = finds_nothing(scored, classes, n_rows, source.n_inputs)
        if difference.any():
            notes.append(NOISE)
    compared = quality.compare(scored.dataset, scored.model, difference)
    means = {name: float(score.mean()) for name, score in compared.items()}
    return AmplificationResult(
        metric=metric,
        direction=direction,
        value=means.pop("value"),
        n=rows.n_rows,
        levels={name: Estimate(level) for name, level in means.items()},
        notes=tuple(notes),
        trials=compared if scored.random else {},
    )


def _accuracy_notes(
    rows: NumberRows, roles: Roles, equalize: str | None, experiment: Experiment
) -> Iterator[str]:
    """What to say of truth that cannot, or should not, be made as wrong as the model.

    Raises
    ------
    ValueError
        If that is asked for, and there is no accuracy.
    """
    if experiment.accuracy is None:
        if equalize == "sampled":
            raise ValueError(
                "numbers have no accuracy to equalise: equalize must be None or 'auto' where they "
                "err, or predict what does; received 'sampled'"
            )
        if equalize == "auto" and rows.given[roles.flipped].kind != "numbers":
            yield (
                f"not equalised: {rows.given[PREDICTED[roles.flipped]].argument} holds numbers, "
                "which have no accuracy; labels and probabilities have one"
            )
    elif experiment.flipped is not None:
        n_classes = experiment.dataset[experiment.flipped].n_classes
        yield from ExactAttack.below_chance(float(np.min(experiment.accuracy)), n_classes)
