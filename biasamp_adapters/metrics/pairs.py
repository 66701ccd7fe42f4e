"""LA and DPA one pair at a time: the same score on the indicators of one group and one task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biasamp_adapters._typing import Array, generator
from biasamp_adapters.counts.tables import PREDICTED
from biasamp_adapters.metrics.equalize import expected_flips, flip_cells, flip_table
from biasamp_adapters.quality import is_dependent

if TYPE_CHECKING:
    from biasamp_adapters.metrics.exact import ExactAttack

_INDICATOR = np.array([0.0, 1.0])


def _fourfold(joint: Array, first: Array, second: Array, total: Array) -> Array:
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
    of_attribute = roles.flipped == "attribute"
    agree = tables.agreement(roles.flipped)
    made = tables.marginal(PREDICTED[roles.flipped])
    if of_attribute:
        model = _fourfold(tables.joint("attribute_prediction", "task"), made[:, None], task, total)
        wrong = attribute + made[:, None] - 2 * agree[:, None]
    else:
        model = _fourfold(tables.joint("attribute", "prediction"), attribute, made[None, :], total)
        wrong = task + made[None, :] - 2 * agree[None, :]
    dataset = _fourfold(joint, attribute, task, total)
    accuracy = np.broadcast_to(1 - wrong / total, joint.shape)
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
    sampled = varies & ~channel
    if sampled.any():
        _fill(out, sampled, attack, _draw(attack, dataset, accuracy, sampled), model[sampled])
    return out


def _fill(
    out: dict[str, Array], where: Array, attack: ExactAttack, dataset: Array, model: Array
) -> None:
    """Compare tables of shape (trials, pairs, 2, 2) with (pairs, 2, 2), averaged over trials."""
    difference = np.zeros(len(model), dtype=bool)
    if attack.quality.name == "uncertainty_coefficient" and not attack.leakage:
        rows = attack.evaluation.counts.effective_rows
        dependent = is_dependent(dataset, rows) | is_dependent(model[None], rows)
        difference = ~dependent
    for name, score in attack.compare(dataset, model, _INDICATOR, difference).items():
        out[name][where] = np.broadcast_to(score, dataset.shape[:2]).mean(axis=0)


def _draw(attack: ExactAttack, dataset: Array, accuracy: Array, sampled: Array) -> Array:
    """Flipped tables of the sampled pairs, of shape (trials, pairs, 2, 2)."""
    rng = generator(attack.random_state)
    counts = attack.evaluation.counts
    trials, axis = attack.n_trials, attack.roles.axis
    if counts.cells.unit is None:
        tables = dataset[sampled]
        repeated = np.broadcast_to(tables, (trials, *tables.shape))
        return flip_table(repeated, axis, accuracy[sampled], rng)
    rows = np.broadcast_to(counts.n, (trials, len(counts.n)))
    attribute = counts.axis_codes("attribute", attack.model)
    task = counts.axis_codes("task", attack.model)
    drawn = []
    for a, t in np.argwhere(sampled).tolist():
        own, other = (attribute == a).astype(int), (task == t).astype(int)
        if attack.roles.flipped == "task":
            own, other = other, own
        drawn.append(flip_cells(rows, other, own, (2, 2), accuracy[a, t], rng, counts.cells.unit))
    out = np.stack(drawn, axis=1)
    return out if axis == -1 else out.swapaxes(-1, -2)
