"""How often tasks are true, and how often they are predicted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.auditing.group_rates import MOST_TASKS
from biasamp_adapters.counts.labels import show, task_in_words
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.counts.variables import model_in_words
from biasamp_adapters.inference.estimates import Replicated
from biasamp_adapters.inference.replicates import BlockDraws, Scored
from biasamp_adapters.metrics.means import rate
from biasamp_adapters.metrics.plain import numbers
from biasamp_adapters.metrics.result import percent

#: Prevalences are far apart if one is more than so many times the other.
FAR = 1.25

#: The entry of all columns of a matrix together.
ALL = "all"

#: Rates that differ by less than this share of the rows are equal: sums of weights are rounded.
_ROUNDING = 1e-12

#: The entries of a row that are averaged over runs.
_NUMBERS = ("true", "predicted", "ratio", "low", "high")

Row = dict[str, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Prevalence(Scored):
    """The predicted prevalence of each task as a multiple of the true one.

    Attributes
    ----------
    columns : ndarray of int
        Positions of the tasks. Those of a matrix are also looked at together, as labels per row.
    """

    columns: Array

    @property
    def width(self) -> int:
        return 2 * len(self.evaluation.counts.labels)

    @property
    def measured(self) -> bool:
        """Whether there are groups, a truth and predictions of it."""
        counts = self.evaluation.counts
        known = counts.has(Role.ATTRIBUTE) and counts.has(Role.TASK)
        return known and counts.has(Role.PREDICTION, self.model)

    @property
    def together(self) -> bool:
        """Whether all columns are looked at together too; if so, they come first."""
        return self.evaluation.counts.is_matrix(Role.TASK) and len(self.columns) > 1

    def _sums(self, values: Array) -> Array:
        """Values of the columns, after their sum where they are looked at together."""
        values = values[..., self.columns]
        parts = [values.sum(axis=-1, keepdims=True)] if self.together else []
        return np.concatenate([*parts, values], axis=-1)

    def shares(self, tables: Tables) -> tuple[Array, Array]:
        """True and predicted labels per row, each of shape (..., entries)."""
        true, predicted = (
            rate(self._sums(tables.marginal(role)), np.asarray(tables.total)[..., None])
            for role in (Role.TASK, Role.PREDICTION)
        )
        return true, predicted

    def falling(self) -> tuple[Array, Array]:
        """Groups, with one task each, whose rate is lower in the predictions, and all of them."""
        tables = self.evaluation.counts.tables(self.model)
        rows = tables.marginal(Role.ATTRIBUTE)[:, None]
        true, predicted = (
            rate(tables.joint(Role.ATTRIBUTE, role), rows) for role in (Role.TASK, Role.PREDICTION)
        )
        falls = predicted < true - _ROUNDING
        return self._sums(falls.sum(axis=0)), self._sums((~np.isnan(true)).sum(axis=0))

    def scores(
        self, tables: Tables, reference: Tables | None, draws: BlockDraws
    ) -> dict[str, Array]:
        """The ratio of predicted to true labels."""
        true, predicted = self.shares(tables)
        return {"ratio": rate(predicted, true)}

    def rows(self, drawn: Array | None, no_draws: str | None, confidence: float) -> Iterator[Row]:
        """All columns together first, then the tasks whose prevalences are farthest apart.

        Parameters
        ----------
        drawn : ndarray of shape (n_boot, entries), or None
            Replicates of the ratios.
        no_draws : str or None
            Why there can be none.
        confidence : float
        """
        labels = self.evaluation.counts.labels
        tasks = [ALL] * self.together + [show(labels[column]) for column in self.columns]
        ratios = self.point()["ratio"]
        true, predicted = self.shares(self.evaluation.counts.tables(self.model))
        falling, pairs = self.falling()
        order = sorted(
            range(len(ratios)), key=lambda i: (i >= self.together, -_distance(ratios[i]))
        )
        for i in order[: MOST_TASKS + self.together]:
            replicates = None if drawn is None else drawn[:, i]
            estimate = numbers(Replicated(ratios[i], replicates, no_draws).estimate(confidence))
            yield {
                "model": self.model,
                "task": tasks[i],
                "true": float(true[i]),
                "predicted": float(predicted[i]),
                "ratio": estimate.pop("value"),
                **estimate,
                "falling": int(falling[i]),
                "pairs": int(pairs[i]),
            }


def _distance(ratio: float | None) -> float:
    """How far a ratio is from 1; a prevalence of 0 is farthest."""
    if ratio is None or np.isnan(ratio):
        return -1.0
    return float(abs(np.log(ratio))) if ratio > 0 else np.inf


def over_runs(rows: Sequence[Row]) -> list[Row]:
    """The means over runs of the tasks that each run shows; of one run, its rows.

    Parameters
    ----------
    rows : list of dict
        Of one model. Those of several runs have the entry ``run``.

    Returns
    -------
    list of dict
        All columns together first, then the tasks whose prevalences are farthest apart.
        ``n_runs`` is the number of runs. An end of an interval is the mean of those of the runs,
        as these tell how few rows there are.
    """
    n_runs = len({row.get("run") for row in rows})
    by_task: dict[str, list[Row]] = {}
    for row in rows:
        by_task.setdefault(row["task"], []).append(row)
    means = [
        same[0] | {name: _mean(same, name) for name in _NUMBERS} | {"n_runs": n_runs}
        for same in by_task.values()
        if len(same) == n_runs
    ]
    return sorted(means, key=lambda row: (row["task"] != ALL, -_distance(row["ratio"])))


def _mean(rows: Sequence[Row], name: str) -> float | None:
    values = [row[name] for row in rows]
    return None if None in values else float(np.mean(sorted(values)))


def is_far(row: Row) -> bool:
    """Whether predicted and true prevalence are far apart, with all of the interval if there is."""
    ends = [row[name] for name in ("ratio", "low", "high") if row[name] is not None]
    return bool(ends) and (max(ends) < 1 / FAR or min(ends) > FAR)


def in_words(row: Row, confidence: float, name: str | None, is_column: bool) -> str:
    """A sentence on how far predicted and true prevalence are apart.

    Parameters
    ----------
    row : dict
    confidence : float
    name : str or None
        The name of the task.
    is_column : bool
        Whether tasks are columns.
    """
    interval = ""
    if row["low"] is not None:
        interval = f" ({percent(confidence)} interval {row['low']:.0%} to {row['high']:.0%})"
    many = (
        f"That is {row['ratio']:.0%} as many{interval}, and {row['falling']:,} of {row['pairs']:,} "
        "rates of groups fall."
    )
    model = model_in_words(row["model"], starts=True)
    if row["task"] == ALL:
        rates = f"{row['predicted']:.2f} labels per row, and the truth has {row['true']:.2f}"
        return f"{model} predicts {rates}. {many}"
    task = task_in_words(row["task"], name, is_column=is_column)
    rates = f"{row['predicted']:.1%} of the rows, and it is true of {row['true']:.1%}"
    return f"{model} predicts {task} for {rates}. {many}"


def ratio_in_words(row: Row, name: str | None, is_column: bool) -> str:
    """How often a model predicts a task for how often it is true; see :func:`in_words`."""
    what = "labels"
    if row["task"] != ALL:
        what = f"rows with {task_in_words(row['task'], name, is_column=is_column)}"
    model = model_in_words(row["model"], starts=True)
    return f"{model} predicts {row['ratio']:.0%} as many {what} as there are"


def far_apart(rows: Sequence[Row]) -> list[Row]:
    """For each model, the first of its rows that is far apart."""
    first: dict[str, Row] = {}
    for row in filter(is_far, rows):
        first.setdefault(row["model"], row)
    return list(first.values())
