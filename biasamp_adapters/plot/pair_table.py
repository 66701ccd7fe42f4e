"""The pairs of a group and a task that a picture shows, read from a result, a table or a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import pandas as pd

from biasamp_adapters._text import arrows
from biasamp_adapters._typing import Label
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.inference.estimates import clearness, side_of_zero
from biasamp_adapters.metrics.result import AmplificationResult, about
from biasamp_adapters.plot.canvas import NAME, told_apart


@runtime_checkable
class Report(Protocol):
    """What a picture reads of a report."""

    summary: dict[str, Any]

    def to_frame(self, part: str) -> pd.DataFrame: ...


#: The rule for tables of pairs.
_ONCE = "each pair must occur once, for one model and one direction"

#: What pictures of pairs are drawn from.
Source: TypeAlias = AmplificationResult | pd.DataFrame | Report


@dataclass(frozen=True)
class PairTable:
    """The pairs of one model and one direction.

    Attributes
    ----------
    rows : DataFrame
        A row per pair, with its contribution in the column ``score``.
    tasks, groups : list of labels
        In the order in which they are shown.
    name : str
        The metric and direction, empty if they are not known.
    direction : str
    in_points : bool
        Whether contributions are differences of rates.
    total : int
        Of how many pairs these are; a report keeps the strongest of very many only.
    """

    rows: pd.DataFrame
    tasks: list[Label]
    groups: list[Label]
    name: str
    direction: str
    in_points: bool
    total: int

    @property
    def has_rates(self) -> bool:
        """Whether rates of the truth and of predictions are known for some pair."""
        return {"true", "predicted"} <= set(self.rows) and not self.with_rates.empty

    @property
    def with_rates(self) -> pd.DataFrame:
        """The pairs whose two rates are known."""
        return self.rows.dropna(subset=["true", "predicted"])

    def check_rates(self, picture: str) -> None:
        """Raise for a picture that needs rates, if there are none."""
        if not self.has_rates:
            raise ValueError(
                f"{picture} needs the columns true and predicted, which results of BA-> and "
                f"reports have; received {[*self.rows.columns]}"
            )

    def names(self, pairs: Sequence[Mapping[Any, Any]], most: int = NAME) -> list[str]:
        """The name of each pair: its task, its group, or both if there are several of either."""
        tasks = dict(zip(self.tasks, told_apart(self.tasks, most), strict=True))
        groups = dict(zip(self.groups, told_apart(self.groups, most), strict=True))
        if len(tasks) == 1:
            return [groups[pair["attribute"]] for pair in pairs]
        if len(groups) == 1:
            return [tasks[pair["task"]] for pair in pairs]
        return [f"{tasks[pair['task']]}, {groups[pair['attribute']]}" for pair in pairs]

    def clearest_first(self, rows: pd.DataFrame) -> list[dict[Any, Any]]:
        """Pairs as dicts, those first that most surely differ from 0."""
        return sorted(
            rows.to_dict("records"),
            key=lambda row: clearness(row["score"], interval_of(row, "band_"), tone(row) != 0),
        )


def interval_of(row: Mapping[Any, Any], prefix: str = "") -> tuple[float, float] | None:
    """The interval of a row, or None; of pairs, ``"band_"`` is the one for all at once."""
    if prefix and f"{prefix}low" not in row:
        prefix = ""
    low, high = (row.get(prefix + end) for end in ("low", "high"))
    return None if pd.isna(low) or pd.isna(high) else (float(low), float(high))


def tone(row: Mapping[Any, Any]) -> int:
    """1 if a pair clearly amplifies, -1 if it clearly reduces bias, else 0.

    Where a table has no intervals at all, nothing is known of what is clear, and signs count.
    """
    interval = interval_of(row)
    if "clear" in row:
        clear = bool(row["clear"])
    else:
        clear = "low" not in row or (interval is not None and side_of_zero(interval) != 0)
    return int(np.sign(np.nan_to_num(row["score"]))) if clear else 0


def pair_table(
    source: Source,
    tasks: Sequence[Label] | None,
    groups: Sequence[Label] | None,
    model: str | None,
    direction: str | None,
    *,
    positive: bool = False,
) -> PairTable:
    """The pairs of a result, a table or a report that a picture shows.

    Of two classes, results show the positive one only if ``positive`` is true, and reports always.
    """
    table, order = _read(source)
    if positive and tasks is None and isinstance(source, AmplificationResult) and source.facts:
        tasks = [table["task"].unique().tolist()[i] for i in source.facts.named_tasks]
    for column, chosen in (("model", model), ("direction", direction)):
        table = rows_of(table, column, chosen, f"{_ONCE}: ")
    twice = table[table.duplicated(["attribute", "task"])]
    if len(twice):
        raise ValueError(
            f"{_ONCE}; received {twice.iloc[0]['attribute']!r} and {twice.iloc[0]['task']!r} again"
        )
    tasks = _chosen("tasks", tasks, table["task"], [])
    groups = _chosen("groups", groups, table["attribute"], order)
    rows = table[table["task"].isin(tasks) & table["attribute"].isin(groups)]
    if rows.empty:
        raise ValueError(
            f"a picture needs a pair; there is none of {listing(tasks)} with {listing(groups)}"
        )
    if isinstance(source, AmplificationResult):
        metric, name, way = source.metric, source.short_name, source.direction
    else:
        # What all rows share, where the table says it.
        metric, name, way = (
            str(rows[column].iloc[0]) if column in rows else ""
            for column in ("metric", "name", "direction")
        )
    everything = len(tasks) * len(groups) if isinstance(source, Report) else len(rows)
    score = "contribution" if "contribution" in rows else "value"
    return PairTable(
        rows.assign(score=rows[score].astype(float)),
        tasks,
        groups,
        arrows(name),
        way,
        about(metric).in_points if metric else score == "contribution" or "true" in rows,
        everything,
    )


def _read(source: Source) -> tuple[pd.DataFrame, list[Label]]:
    """All pairs of a source, and the order of its groups, if it has one."""
    order: list[Label] = []
    if isinstance(source, AmplificationResult):
        table, facts = source.by_pair, source.facts
        if facts is not None:
            table = table.assign(
                true=facts.true.ravel(),
                predicted=facts.predicted.ravel(),
                overall=None if facts.overall is None else facts.overall.ravel(),
            )
    elif isinstance(source, pd.DataFrame):
        table = source
    elif isinstance(source, Report):
        table, data = source.to_frame("pairs"), source.summary["data"]
        order = [group["label"] for group in data["groups"]]
        if data["positive"] is not None:
            table = table[table["task"] == data["positive"]]
    else:
        raise ValueError(
            f"result must be an AmplificationResult, an AuditReport or a table; received {source!r}"
        )
    missing = [name for name in ("attribute", "task") if name not in table]
    if missing or not {"contribution", "value"} & set(table):
        raise ValueError(
            "a table of pairs needs the columns attribute, task, and contribution or value; "
            f"received {listing(list(table))}"
        )
    return table, order


def rows_of(table: pd.DataFrame, column: str, chosen: str | None, rule: str = "") -> pd.DataFrame:
    """The rows of one model, direction or metric; ``rule`` says why there must be one."""
    known = table[column].unique().tolist() if column in table else []
    if chosen is not None:
        if chosen not in known:
            raise ValueError(f"{column} must be in {listing(known)}; received {chosen!r}")
        return table[table[column] == chosen]
    if len(known) > 1:
        raise ValueError(f"{rule}{column}= must choose among {listing(known)}; received None")
    return table


def _chosen(
    argument: str, chosen: Sequence[Label] | None, column: pd.Series[Any], order: list[Label]
) -> list[Label]:
    """The labels to draw: those chosen, each once, or all."""
    known = column.unique().tolist()
    if chosen is None:
        return [label for label in order if label in known] or known
    labels = list(chosen)
    if any(label not in known for label in labels) or len(set(labels)) < len(labels):
        raise ValueError(
            f"{argument} must be in {listing(known)}, each at most once; received {listing(labels)}"
        )
    return labels
