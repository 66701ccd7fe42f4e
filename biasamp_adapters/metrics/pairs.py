"""LA and DPA one pair at a time: the same score on the indicators of one group and one task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from biasamp_adapters._typing import Array, generator
from biasamp_adapters.counts.tables import PREDICTED, JointTables, Tables, sum_by
from biasamp_adapters.metrics.equalize import (
    column_accuracy,
    flip_table,
    flip_weighted,
    scaled_flips,
)
from biasamp_adapters.metrics.means import mean_over_tasks
from biasamp_adapters.quality import is_dependent

if TYPE_CHECKING:
    from biasamp_adapters.metrics.exact import ExactAttack

#: Tables that are drawn at a time.
_BLOCK = 2**20

_INDICATOR = np.array([0.0, 1.0])

#: Sums of weights that differ by less than this share of the total are equal.
_ROUNDING = 1e-12


class PairTables(NamedTuple):
    """Input against target of every pair of indicators, for tables of batch shape (...).

    Attributes
    ----------
    dataset, model : arrays of shape (..., groups, tasks, 2, 2)
    accuracy : array of shape (..., groups, tasks)
        Of the indicator that flips.
    varies : array of bool, shape (..., groups, tasks)
        Whether some rows belong to the group and some do not.
    """

    dataset: Array
    model: Array
    accuracy: Array
    varies: Array


def _two_by_two(joint: Array, first: Array, second: Array, total: Array) -> Array:
    """2 x 2 tables of two indicators from their co-occurrence, of shape (..., 2, 2)."""
    joint, first, second = np.broadcast_arrays(joint, first, second)
    cells = [total - first - second + joint, second - joint, first - joint, joint]
    table = np.stack(cells, axis=-1).reshape(*joint.shape, 2, 2)
    if table.dtype.kind == "f" and (table != np.floor(table)).any():
        # What rounding leaves of a difference of sums is no row.
        table[np.abs(table) < _ROUNDING * np.asarray(total)[..., None, None]] = 0
    return table


def pair_tables(attack: ExactAttack, tables: Tables) -> PairTables:
    """The tables of every pair, before anything is equalised."""
    roles, total = attack.roles, np.asarray(tables.total)[..., None, None]
    attribute = tables.marginal("attribute")[..., :, None]
    task = tables.marginal("task")[..., None, :]
    joint = tables.joint("attribute", "task")
    made = tables.marginal(PREDICTED[roles.flipped])
    accuracy = column_accuracy(tables, roles.flipped)
    axis = -1 if roles.flipped == "attribute" else -2
    made, accuracy = np.expand_dims(made, axis), np.expand_dims(accuracy, axis)
    if roles.flipped == "attribute":
        model = _two_by_two(tables.joint("attribute_prediction", "task"), made, task, total)
    else:
        model = _two_by_two(tables.joint("attribute", "prediction"), attribute, made, total)
    dataset = _two_by_two(joint, attribute, task, total)
    if roles.dataset[0] == "task":
        dataset, model = dataset.swapaxes(-1, -2), model.swapaxes(-1, -2)
    return PairTables(
        dataset,
        model,
        np.broadcast_to(accuracy, joint.shape),
        np.broadcast_to((attribute > 0) & (attribute < total), joint.shape),
    )


def indicator_attacks(attack: ExactAttack) -> dict[str, Array]:
    """Scores of ``attack`` on every pair of indicators (A_a, T_t).

    Each pair is equalised with the accuracy of its own indicator. A group that all rows or none
    belong to gives NaN.

    Returns
    -------
    dict
        ``psi_dataset``, ``psi_model`` and ``value``, of shape (groups, tasks), and whether the
        value is the ``difference`` of the two and not their ratio.
    """
    tables = attack.evaluation.counts.tables(attack.model)
    roles = attack.roles
    dataset, model, accuracy, varies = pair_tables(attack, tables)
    out = {name: np.full(varies.shape, np.nan) for name in ("psi_dataset", "psi_model", "value")}
    out["difference"] = np.zeros(varies.shape, dtype=bool)
    channel = varies & attack.uses_channel(dataset, model, accuracy)
    if channel.any():
        table = dataset[channel]
        if attack.equalize is not None:
            table = scaled_flips(table, accuracy[channel], roles.axis)
        _fill(out, channel, attack, table[None], model[channel])
    rng = generator(attack.random_state)
    pairs = np.argwhere(varies & ~channel)
    step = max(1, _BLOCK // attack.n_trials)
    for start in range(0, len(pairs), step):
        block = tuple(pairs[start : start + step].T)
        drawn = _flipped(attack, tables, dataset, accuracy, block, rng, attack.n_trials)
        _fill(out, block, attack, drawn, model[block])
    return out


def group_means(attack: ExactAttack, tables: Tables, rng: np.random.Generator) -> Array:
    """Mean score over the pairs of each group, of shape (..., groups); one draw of flips each."""
    dataset, model, accuracy, varies = pair_tables(attack, tables)
    if attack.equalize is not None:
        every = tuple(np.indices(varies.shape[-2:]).reshape(2, -1))
        dataset = _flipped(attack, tables, dataset, accuracy, every, rng).reshape(dataset.shape)
    with np.errstate(divide="ignore", invalid="ignore"):  # of groups that do not vary
        difference = attack.pair_scores["difference"]
        value = attack.compare(dataset, model, _INDICATOR, difference)["value"]
    return mean_over_tasks(np.where(varies, value, np.nan))


def _fill(
    out: dict[str, Array], where: Any, attack: ExactAttack, dataset: Array, model: Array
) -> None:
    """Compare tables of shape (trials, pairs, 2, 2) with (pairs, 2, 2), averaged over trials."""
    difference = np.zeros(len(model), dtype=bool)
    if attack.quality.name == "uncertainty_coefficient" and not attack.leakage:
        rows = attack.evaluation.counts.effective_rows
        difference = ~(is_dependent(dataset, rows) | is_dependent(model[None], rows))
    out["difference"][where] = difference
    for name, score in attack.compare(dataset, model, _INDICATOR, difference).items():
        out[name][where] = np.broadcast_to(score, dataset.shape[:2]).mean(axis=0)


def _flipped(
    attack: ExactAttack,
    tables: Tables,
    dataset: Array,
    accuracy: Array,
    pairs: tuple[Array, ...],
    rng: np.random.Generator,
    trials: int | None = None,
) -> Array:
    """Flipped tables of some pairs: (trials, pairs, 2, 2), or (..., pairs, 2, 2) one a table."""
    axis, at = attack.roles.axis, cast(Any, (Ellipsis, *pairs))
    if isinstance(tables, JointTables) and tables.counts.cells.unit is not None:
        drawn = _flip_by_weight(attack, tables, accuracy, np.stack(pairs, axis=1), rng, trials)
        return drawn if axis == -1 else drawn.swapaxes(-1, -2)
    tables_at = cast(Any, (*at, slice(None), slice(None)))
    whole = np.rint(dataset[tables_at]).astype(np.int64)
    if trials is not None:
        whole = np.broadcast_to(whole, (trials, *whole.shape))
    return flip_table(whole, axis, accuracy[at], rng)


def _flip_by_weight(
    attack: ExactAttack,
    tables: JointTables,
    accuracy: Array,
    pairs: Array,
    rng: np.random.Generator,
    trials: int | None,
) -> Array:
    """:func:`_flipped` where rows flip with all their weight; the label that flips comes last."""
    counts, rows, unit = tables.counts, tables.rows, tables.counts.cells.unit
    if rows is None or unit is None:
        raise ValueError("flips need rows; these tables hold only sums of weights")
    units, stratum = np.unique(unit, return_inverse=True)
    attribute = counts.axis_codes("attribute", attack.model)
    task = counts.axis_codes("task", attack.model)
    other, own = np.tile([[0, 0, 1, 1], [0, 1, 0, 1]], len(units))
    drawn = []
    for a, t in pairs.tolist():
        labels = (task == t, attribute == a)
        stays, flips = labels if attack.roles.flipped == "attribute" else labels[::-1]
        summed = sum_by(rows, 4 * stratum + 2 * stays + flips, 4 * len(units))
        if trials is not None:
            summed = np.broadcast_to(summed, (trials, *summed.shape))
        flipped = flip_weighted(
            summed,
            other,
            own,
            sizes=(2, 2),
            accuracy=accuracy[..., a, t],
            rng=rng,
            unit=np.repeat(units, 4),
        )
        drawn.append(flipped)
    return np.stack(drawn, axis=-3)
