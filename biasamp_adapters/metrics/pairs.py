"""LA and DPA one pair at a time: the same score on the indicators of one group and one task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biasamp_adapters._typing import Array, generator
from biasamp_adapters.counts import JointCounts
from biasamp_adapters.counts.tables import PREDICTED
from biasamp_adapters.metrics.equalize import (
    column_accuracy,
    expected_flips,
    flip_table,
    flip_weighted,
)
from biasamp_adapters.quality import is_dependent

if TYPE_CHECKING:
    from biasamp_adapters.metrics.exact import ExactAttack

#: Tables that are drawn at a time.
_BLOCK = 2**20

_INDICATOR = np.array([0.0, 1.0])


def _two_by_two(joint: Array, first: Array, second: Array, total: Array) -> Array:
    """2 x 2 tables of two indicators from their co-occurrence, of shape (groups, tasks, 2, 2)."""
    joint, first, second = np.broadcast_arrays(joint, first, second)
    cells = [total - first - second + joint, second - joint, first - joint, joint]
    return np.stack(cells, axis=-1).reshape(*joint.shape, 2, 2)


def indicator_attacks(attack: ExactAttack) -> dict[str, Array]:
    """Scores of ``attack`` on every pair of indicators (A_a, T_t).

    Each pair is equalised with the accuracy of its own indicator. A group that all rows or none
    belong to gives NaN.

    Returns
    -------
    dict
        ``psi_dataset``, ``psi_model`` and ``value``, of shape (groups, tasks).
    """
    tables = attack.evaluation.counts.tables(attack.model)
    roles, total = attack.roles, tables.total
    attribute = tables.marginal("attribute")[:, None]
    task = tables.marginal("task")[None, :]
    joint = tables.joint("attribute", "task")
    made = tables.marginal(PREDICTED[roles.flipped])
    accuracy = column_accuracy(tables, roles.flipped)
    if roles.flipped == "attribute":
        made, accuracy = made[:, None], accuracy[:, None]
        model = _two_by_two(tables.joint("attribute_prediction", "task"), made, task, total)
    else:
        model = _two_by_two(tables.joint("attribute", "prediction"), attribute, made, total)
    accuracy = np.broadcast_to(accuracy, joint.shape)
    dataset = _two_by_two(joint, attribute, task, total)
    if roles.dataset[0] == "task":
        dataset, model = dataset.swapaxes(-1, -2), model.swapaxes(-1, -2)

    out = {name: np.full(joint.shape, np.nan) for name in ("psi_dataset", "psi_model", "value")}
    varies = np.broadcast_to((attribute > 0) & (attribute < total), joint.shape)
    channel = varies & attack.uses_channel(dataset, model, accuracy)
    if channel.any():
        table = dataset[channel]
        if attack.equalize is not None:
            table = expected_flips(table, accuracy[channel], roles.axis)
        _fill(out, channel, attack, table[None], model[channel])
    rng = generator(attack.random_state)
    pairs = np.argwhere(varies & ~channel)
    step = max(1, _BLOCK // attack.n_trials)
    for start in range(0, len(pairs), step):
        block = tuple(pairs[start : start + step].T)
        _fill(out, block, attack, _draw(attack, dataset, accuracy, block, rng), model[block])
    return out


def _fill(
    out: dict[str, Array], where: Any, attack: ExactAttack, dataset: Array, model: Array
) -> None:
    """Compare tables of shape (trials, pairs, 2, 2) with (pairs, 2, 2), averaged over trials."""
    difference = np.zeros(len(model), dtype=bool)
    if attack.quality.name == "uncertainty_coefficient" and not attack.leakage:
        rows = attack.evaluation.counts.effective_rows
        difference = ~(is_dependent(dataset, rows) | is_dependent(model[None], rows))
    for name, score in attack.compare(dataset, model, _INDICATOR, difference).items():
        out[name][where] = np.broadcast_to(score, dataset.shape[:2]).mean(axis=0)


def _draw(
    attack: ExactAttack,
    dataset: Array,
    accuracy: Array,
    pairs: tuple[Array, ...],
    rng: np.random.Generator,
) -> Array:
    """Flipped tables of some pairs, of shape (trials, pairs, 2, 2)."""
    counts, axis, trials = attack.evaluation.counts, attack.roles.axis, attack.n_trials
    if not isinstance(counts, JointCounts) or counts.cells.unit is None:
        tables = np.rint(dataset[pairs]).astype(np.int64)
        repeated = np.broadcast_to(tables, (trials, *tables.shape))
        return flip_table(repeated, axis, accuracy[pairs], rng)
    attribute = counts.axis_codes("attribute", attack.model)
    task = counts.axis_codes("task", attack.model)
    drawn = []
    for a, t in np.stack(pairs, axis=1).tolist():
        codes = np.stack([attribute == a, task == t], axis=1).astype(np.int32)
        cells = counts.cells.recoded(codes)
        own, other = cells.codes.T if attack.roles.flipped == "attribute" else cells.codes.T[::-1]
        rows = np.broadcast_to(cells.n, (trials, len(cells.n)))
        options = {"sizes": (2, 2), "accuracy": accuracy[a, t], "rng": rng, "unit": cells.unit}
        drawn.append(flip_weighted(rows, other, own, **options))
    out = np.stack(drawn, axis=1)
    return out if axis == -1 else out.swapaxes(-1, -2)
