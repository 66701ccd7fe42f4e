"""Metrics of Fairlearn, scikit-learn and users on count tables: cells are rows with a weight."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from fairlearn.metrics import count

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.blocks import sum_by
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.fairlearn.closed_forms import GENERATED, KNOWN
from biasamp_adapters.fairlearn.slices import cells_of
from biasamp_adapters.inference.replicates import Draws, Scored

#: What a host metric may take beside the true and the predicted labels.
_ATTRIBUTE = "sensitive_features"


@dataclass(frozen=True, eq=False, kw_only=True)
class HostMetric(Scored):
    """A function of ``(y_true, y_pred)``, evaluated on the distinct cells of a count table.

    Its scores are "value", of all rows, and "groups", of the rows of each group of the attribute;
    "groups" is NaN for a function that compares groups itself. Fairlearn's ``count`` is the number
    of rows, whatever they weigh, as ``MetricFrame`` has it.

    Attributes
    ----------
    name : str
        What the function is called in a message.
    function : callable
        If it has no argument ``sample_weight``, rows are repeated instead. It is handed
        ``sensitive_features`` if it has an argument of that name.
    """

    name: str
    function: Callable[..., Any]

    @cached_property
    def counts(self) -> Counts:
        """The cells.

        Raises
        ------
        ValueError
            For label matrices and abstentions, which host metrics cannot read.
        """
        counts = cells_of(self.evaluation.counts, self.name)
        for role in (Role.TASK, Role.PREDICTION):
            if not counts.has(role):
                raise ValueError(f"{self.name} needs both y_true and y_pred; received no {role}")
        if counts.abstentions(Role.PREDICTION, self.model):
            raise ValueError(f"{self.name} cannot read rows without a prediction")
        return counts

    @property
    def width(self) -> int:
        return 4 * (1 + len(self.counts.groups))

    @cached_property
    def _takes(self) -> frozenset[str]:
        """The optional arguments that the function has."""
        try:
            parameters = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):  # of some compiled functions, and of objects without a hash
            return frozenset()
        names = {parameter.name for parameter in parameters}
        if isinstance(self.function, Hashable) and self.function in GENERATED:
            names.add("sample_weight")
        return frozenset(names & {"sample_weight", _ATTRIBUTE})

    @cached_property
    def _columns(self) -> tuple[Array, Array, pd.DataFrame]:
        """Truth, prediction and attribute of each cell, as the user gave them."""
        counts = self.counts
        labels = as_array(counts.labels)
        truth = self._codes(Role.TASK)
        predicted = self._codes(Role.PREDICTION)
        values = labels
        if len(counts.levels):
            values = np.concatenate([labels.astype(np.float64), [np.nan], counts.levels])
        groups = [group if isinstance(group, tuple) else (group,) for group in counts.groups]
        by_name = zip(counts.attributes, zip(*groups, strict=True), strict=True)
        attribute = self._codes(Role.ATTRIBUTE)
        frame = pd.DataFrame({name: as_array(levels)[attribute] for name, levels in by_name})
        return labels[truth], values[predicted], frame

    def _value(self, cells: Array, weight: Array) -> float:
        """The function on some of the cells, or NaN without rows."""
        cells = cells[weight[cells] > 0]
        if not len(cells):
            return float("nan")
        truth, predicted, attribute = self._columns
        options: dict[str, Any] = {}
        if "sample_weight" in getattr(self.function, "keywords", ()):
            raise ValueError(
                f"{self.name} must leave sample_weight to amplification_frame; received it bound"
            )
        if "sample_weight" in self._takes:
            options["sample_weight"] = weight[cells].astype(np.float64)
        elif self.counts.weighted:
            raise ValueError(
                f"{self.name} must have a parameter named sample_weight where rows have weights; "
                f"received {self.function!r} (leave it out of metrics= here, and give it to a "
                "MetricFrame of its own, which passes no weights to it)"
            )
        else:
            cells = np.repeat(cells, weight[cells])
        if _ATTRIBUTE in self._takes:
            given = attribute.iloc[cells].reset_index(drop=True)
            options[_ATTRIBUTE] = given if given.shape[1] > 1 else given.iloc[:, 0]
        value = self.function(truth[cells], predicted[cells], **options)
        number = np.asarray(value)
        if number.size != 1 or number.dtype.kind not in "biuf":
            raise ValueError(f"{self.name} must return one number; received {value!r}")
        return float(number.item())

    @property
    def _counts_rows(self) -> bool:
        return self.function is count

    @property
    def no_interval(self) -> str | None:
        if self._counts_rows and not self.counts.knows_rows:
            return "replicates of counts that hold only sums of weights have no rows"
        return None

    @property
    def compares_groups(self) -> bool:
        """Whether the function reads the attribute, and so means nothing inside one group."""
        closed = self._closed_form
        return _ATTRIBUTE in self._takes if closed is None else closed.over_groups is not None

    @cached_property
    def _closed_form(self) -> Any:
        counts = self.counts
        binary = counts.labels in ((0, 1), (False, True)) and not len(counts.levels)
        known = binary and isinstance(self.function, Hashable)
        return KNOWN.get(self.function) if known else None

    def scores(self, tables: Tables, reference: Tables | None, rng: Draws) -> dict[str, Array]:
        """The value of all rows and of each group; undefined where the function raises."""
        with warnings.catch_warnings():
            # Warnings about the data themselves are given by the call for the point.
            warnings.simplefilter("ignore")
            return self._scores(tables, forgiving=True)

    def point(self) -> dict[str, Any]:
        """The value of the counts themselves."""
        return {"value": self._of_data["value"]}

    def group_means(self) -> Array:
        """The value in each group of the counts themselves."""
        return self._of_data["groups"]

    @cached_property
    def _of_data(self) -> dict[str, Array]:
        return self._scores(self.counts.tables(self.model), forgiving=False)

    def _scores(self, tables: Tables, *, forgiving: bool) -> dict[str, Array]:
        if self._counts_rows:
            return self._rows(tables)
        if self._closed_form is not None:
            return self._by_closed_form(tables)
        weights = np.asarray(tables.weights)
        if weights.ndim == 1:
            return self._by_function(weights, forgiving)
        drawn = [self._by_function(weight, forgiving) for weight in weights]
        return {name: np.array([scores[name] for scores in drawn]) for name in drawn[0]}

    def _by_function(self, weight: Array, forgiving: bool) -> dict[str, Any]:
        undefined = np.full(len(self.counts.groups), np.nan)
        if self._compares_one:
            return {"value": np.nan, "groups": undefined}
        value, *groups = (self._try(cells, weight, forgiving) for cells in self._scopes)
        return {"value": value, "groups": undefined if self.compares_groups else np.array(groups)}

    @property
    def _compares_one(self) -> bool:
        """Whether the function is to compare groups where there is only one."""
        return self.compares_groups and len(self.counts.seen(Role.ATTRIBUTE)) < 2

    def _try(self, cells: Array, weight: Array, forgiving: bool) -> float:
        try:
            return self._value(cells, weight)
        except (ValueError, ArithmeticError):
            if forgiving:
                return float("nan")
            raise

    @cached_property
    def _scopes(self) -> list[Array]:
        """The cells of all rows and, where the function can be read there, of each group."""
        everything = [np.arange(len(self.counts.values.rows))]
        if self.compares_groups:
            return everything
        groups = range(len(self.counts.groups))
        return everything + [np.flatnonzero(self._codes(Role.ATTRIBUTE) == i) for i in groups]

    def _codes(self, role: Role) -> Array:
        return self.counts.axis_codes(role, self.model)

    def _rows(self, tables: Tables) -> dict[str, Array]:
        """How many rows there are, in all and in each group."""
        rows = np.asarray(tables.times, dtype=np.float64)
        attribute = self._codes(Role.ATTRIBUTE)
        return {
            "value": rows.sum(axis=-1),
            "groups": sum_by(rows, attribute, len(self.counts.groups)),
        }

    def _by_closed_form(self, tables: Tables) -> dict[str, Array]:
        codes = [self._codes(role) for role in (Role.ATTRIBUTE, Role.TASK, Role.PREDICTION)]
        shape = (len(self.counts.groups), 2, 2)
        cells = sum_by(
            np.asarray(tables.weights), np.ravel_multi_index(codes, shape), int(np.prod(shape))
        )
        by_group = cells.reshape(*cells.shape[:-1], *shape)
        value, groups = self._closed_form(by_group), np.full(by_group.shape[:-2], np.nan)
        if self._compares_one:
            value = np.full(by_group.shape[:-3], np.nan)
        if not self.compares_groups:
            groups = self._closed_form(by_group[..., None, :, :])
        return {"value": value, "groups": groups}


def as_array(labels: Sequence[Label]) -> Array:
    """Labels as an array of their own type; of mixed types, of objects."""
    if len({type(label) for label in labels}) == 1 and not isinstance(labels[0], tuple):
        return np.asarray(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array
