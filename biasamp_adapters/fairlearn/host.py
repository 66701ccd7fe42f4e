"""Metrics of Fairlearn, scikit-learn and users on count tables: cells are rows with a weight."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from fairlearn.metrics import count

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts import JointCounts
from biasamp_adapters.counts.tables import JointTables, Tables, sum_by
from biasamp_adapters.fairlearn.closed_forms import GENERATED, KNOWN
from biasamp_adapters.metrics.bound import Scored

#: What a host metric may take beside truth and predictions.
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
        Takes ``sample_weight``, or else the rows are repeated; ``sensitive_features`` if it wants.
    """

    name: str
    function: Callable[..., Any]

    @property
    def counts(self) -> JointCounts:
        """The cells.

        Raises
        ------
        ValueError
            For label matrices and abstentions, which host metrics cannot read.
        """
        counts = self.evaluation.counts
        if not isinstance(counts, JointCounts):
            raise ValueError(
                f"metrics of label matrices must be those of biasamp_adapters; received "
                f"{self.name!r} (a MetricFrame of its own can hold it)"
            )
        for role in ("task", "prediction"):
            if not counts.has(role):
                raise ValueError(f"{self.name} needs both y_true and y_pred; received no {role}")
        if counts.abstentions("prediction", self.model):
            raise ValueError(f"{self.name} cannot read rows without a prediction")
        return counts

    @property
    def width(self) -> int:
        return 4 * (1 + len(self.counts.groups))

    @cached_property
    def _takes(self) -> frozenset[str]:
        """Which of our arguments the function has."""
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
        truth = counts.axis_codes("task", self.model)
        predicted = counts.axis_codes("prediction", self.model)
        values = labels
        if len(counts.levels):
            values = np.concatenate([labels.astype(np.float64), [np.nan], counts.levels])
        groups = [group if isinstance(group, tuple) else (group,) for group in counts.groups]
        by_name = zip(counts.attributes, zip(*groups, strict=True), strict=True)
        attribute = counts.axis_codes("attribute", self.model)
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

    def scores(
        self, tables: Tables, reference: Tables | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """The value of all rows and of each group; undefined where the function raises."""
        if not isinstance(tables, JointTables):
            raise TypeError("host metrics read cells")
        if self._counts_rows:
            return self._rows(tables)
        if self._closed_form is not None:
            return self._by_closed_form(tables)
        with warnings.catch_warnings():
            # What the function says of the data themselves, it says of the point.
            warnings.simplefilter("ignore")
            drawn = [self._of_table(weight, forgiving=True) for weight in tables.weight]
        return {name: np.array([each[name] for each in drawn]) for name in drawn[0]}

    def point(self) -> dict[str, Any]:
        """The same scores for the counts themselves."""
        tables = self.counts.tables(self.model)
        if self._counts_rows:
            return self._rows(tables)
        if self._closed_form is not None:
            return self._by_closed_form(tables)
        return self._of_table(tables.weight)

    def _of_table(self, weight: Array, *, forgiving: bool = False) -> dict[str, Any]:
        if self._compares_one:
            return {"value": np.nan, "groups": np.full(len(self.counts.groups), np.nan)}
        values = [self._try(cells, weight, forgiving) for cells in self._scopes]
        n_groups = len(self.counts.groups)
        groups = np.full(n_groups, np.nan) if self.compares_groups else np.array(values[1:])
        return {"value": values[0], "groups": groups}

    @property
    def _compares_one(self) -> bool:
        """Whether the function is to compare groups where there is only one."""
        return self.compares_groups and len(self.counts.seen("attribute")) < 2

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
        return list(self._each_scope())

    def _each_scope(self) -> Iterator[Array]:
        yield np.arange(len(self.counts.n))
        if not self.compares_groups:
            attribute = self.counts.axis_codes("attribute", self.model)
            for group in range(len(self.counts.groups)):
                yield np.flatnonzero(attribute == group)

    def _rows(self, tables: JointTables) -> dict[str, Array]:
        """How many rows there are, in all and in each group."""
        rows = np.asarray(tables.rows, dtype=np.float64)
        attribute = self.counts.axis_codes("attribute", self.model)
        return {
            "value": rows.sum(axis=-1),
            "groups": sum_by(rows, attribute, len(self.counts.groups)),
        }

    def _by_closed_form(self, tables: JointTables) -> dict[str, Array]:
        counts = self.counts
        codes = [counts.axis_codes(r, self.model) for r in ("attribute", "task", "prediction")]
        shape = (len(counts.groups), 2, 2)
        key = np.ravel_multi_index(codes, shape)
        by_group = sum_by(tables.weight, key, int(np.prod(shape)))
        by_group = by_group.reshape(*by_group.shape[:-1], *shape)
        out = {"value": self._closed_form(by_group)}
        if self._compares_one:
            out["value"] = np.full(by_group.shape[:-3], np.nan)
        if self.compares_groups:
            return out | {"groups": np.full(by_group.shape[:-2], np.nan)}
        return out | {"groups": self._closed_form(by_group[..., None, :, :])}


def as_array(labels: Sequence[Label]) -> Array:
    """Labels as an array of their own type; of mixed types, of objects."""
    if len({type(label) for label in labels}) == 1 and not isinstance(labels[0], tuple):
        return np.asarray(labels)
    out = np.empty(len(labels), dtype=object)
    out[:] = labels
    return out
