"""Metrics of Fairlearn, scikit-learn and users, evaluated on the distinct rows of counts.

A function of the host needs one call per drawn table, and functions that compare groups build a
``MetricFrame`` in each call. For known functions of a 2 x 2 table that are called with their
defaults on 0/1 labels, the same number is computed here for all drawn tables at once.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, get_args

import fairlearn.metrics as host
import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, zero_one_loss

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.keys import sum_by
from biasamp_adapters.counts.labels import as_array
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.fairlearn.frame import Kind, compare_groups
from biasamp_adapters.inference.estimates import Replicated
from biasamp_adapters.inference.replicates import BlockDraws, Scored
from biasamp_adapters.inference.rules import Sampling

#: The argument of functions that compare groups.
_ATTRIBUTE = "sensitive_features"

#: The cells of a table of truth and prediction.
_TN, _FP, _FN, _TP = range(4)

#: Rates of a table: some cells as a share of others.
_RATES = {
    "true_positive_rate": ([_TP], [_FN, _TP]),
    "false_positive_rate": ([_FP], [_TN, _FP]),
    "true_negative_rate": ([_TN], [_TN, _FP]),
    "false_negative_rate": ([_FN], [_FN, _TP]),
    "selection_rate": ([_FP, _TP], [_TN, _FP, _FN, _TP]),
    "accuracy_score": ([_TN, _TP], [_TN, _FP, _FN, _TP]),
    "zero_one_loss": ([_FP, _FN], [_TN, _FP, _FN, _TP]),
}

#: The rates that functions of the host compare, by the beginning of their names.
_COMPARED = {rate: [rate] for rate in _RATES} | {
    "demographic_parity": ["selection_rate"],
    "equal_opportunity": ["true_positive_rate"],
    "equalized_odds": ["true_positive_rate", "false_positive_rate"],
}

#: Ways to aggregate the rates of groups, which are the ends of the names of functions.
_KINDS: tuple[Kind, ...] = get_args(Kind)


class ClosedForm(NamedTuple):
    """A host metric as a function of tables.

    Attributes
    ----------
    rates : list of str
    kind : str or None
        How groups are compared; None for a rate of all rows.
    """

    rates: list[str]
    kind: Kind | None = None

    def __call__(self, tables: Array) -> Array:
        """The value of tables of shape (..., groups, 4); NaN without rows."""
        if self.kind is None:
            return _rate(self.rates[0], tables.sum(axis=-2))
        values = []
        for name in self.rates:
            rates = _rate(name, tables)
            low, high = np.fmin.reduce(rates, axis=-1), np.fmax.reduce(rates, axis=-1)
            values.append(compare_groups(self.kind, low, high))
        # Of two rates, the worse one. The host uses ``min`` for ratios, which returns NaN only if
        # NaN comes first.
        first, last = values[0], values[-1]
        return np.where(last < first, last, first) if self.kind == "ratio" else np.fmax(first, last)


def _rate(name: str, tables: Array) -> Array:
    """A rate of tables of shape (..., 4); 0 for 0 / 0, as in scikit-learn; NaN without rows."""
    part, whole = (tables[..., cells].sum(axis=-1) for cells in _RATES[name])
    rates = np.divide(part, whole, out=np.zeros(np.shape(part)), where=whole > 0)
    return np.where(tables.sum(axis=-1) > 0, rates, np.nan)


def _closed_forms() -> dict[Any, ClosedForm]:
    functions = {name: getattr(host, name, None) for name in _RATES}
    functions |= {"accuracy_score": accuracy_score, "zero_one_loss": zero_one_loss}
    forms = {functions[name]: ClosedForm([name]) for name in _RATES}
    for name, rates in _COMPARED.items():
        for kind in _KINDS:
            # Not every supported version has them all.
            function = getattr(host, f"{name}_{kind}", None)
            if function is not None:
                forms[function] = ClosedForm(rates, kind)
    return forms


_CLOSED_FORMS = _closed_forms()

#: Fairlearn's derived metrics, which all take weights though their signature does not say so.
_DERIVED = frozenset(getattr(host, name) for name in host.__all__ if name.endswith(_KINDS))


@dataclass(frozen=True, eq=False, kw_only=True)
class HostMetric(Scored):
    """A function of ``(y_true, y_pred)``, evaluated on the distinct rows of counts.

    Its scores are "value", of all rows, and "groups", of the rows of each group of the attribute;
    "groups" is NaN for a function that compares groups itself. Fairlearn's ``count`` is the number
    of rows, whatever they weigh, as in ``MetricFrame``.

    Attributes
    ----------
    name : str
        The name of the function in messages.
    function : callable
        If it has no argument ``sample_weight``, rows are repeated instead. It is passed
        ``sensitive_features`` if it has an argument of that name.

    Raises
    ------
    ValueError
        For label matrices and abstentions, which host metrics cannot read.
    """

    name: str
    function: Callable[..., Any]

    def __post_init__(self) -> None:
        counts = self.counts
        if counts.rows is None or counts.rows.indicators:
            raise ValueError(
                "metrics of label matrices must be those of biasamp_adapters; received "
                f"{self.name!r} (a MetricFrame of its own can hold it)"
            )
        for role in (Role.TASK, Role.PREDICTION):
            if not counts.has(role):
                raise ValueError(f"{self.name} needs both y_true and y_pred; received no {role}")
        if counts.abstentions(Role.PREDICTION, self.model):
            raise ValueError(f"{self.name} cannot read rows without a prediction")

    @property
    def counts(self) -> Counts:
        return self.evaluation.counts

    @property
    def width(self) -> int:
        return 4 * (1 + len(self.counts.groups))

    @property
    def sampling(self) -> Sampling:
        drawn = super().sampling
        if self.function is host.count and not self.counts.knows_rows:
            no_rows = "replicates of counts that hold only sums of weights have no rows"
            return replace(drawn, no_draws=drawn.no_draws or no_rows)
        return drawn

    def scores(
        self, tables: Tables, reference: Tables | None, draws: BlockDraws
    ) -> dict[str, Array]:
        """The value of all rows and of each group; undefined where the function raises."""
        with warnings.catch_warnings():
            # Warnings about the data themselves are given by the call for the point.
            warnings.simplefilter("ignore")
            return self._scores(tables, nan_on_error=True)

    def point(self) -> dict[str, Any]:
        """The value of the counts themselves."""
        return {"value": self._scores_of_data["value"]}

    def group_means(self) -> Array:
        """The value in each group of the counts themselves."""
        return self._scores_of_data["groups"]

    def replicated(self, name: str, value: float, drawn: Mapping[str, Array]) -> Replicated:
        """A score with its replicates."""
        return Replicated(value, drawn[name])

    @cached_property
    def _scores_of_data(self) -> dict[str, Array]:
        return self._scores(self.counts.tables(self.model), nan_on_error=False)

    @cached_property
    def _closed_form(self) -> ClosedForm | None:
        counts = self.counts
        binary = counts.labels in ((0, 1), (False, True)) and not len(counts.levels)
        known = binary and isinstance(self.function, Hashable)
        return _CLOSED_FORMS.get(self.function) if known else None

    @cached_property
    def _optional_arguments(self) -> frozenset[str]:
        """The optional arguments that the function has."""
        try:
            names = set(inspect.signature(self.function).parameters)
        except (TypeError, ValueError):  # of some compiled functions, and of objects without a hash
            return frozenset()
        if isinstance(self.function, Hashable) and self.function in _DERIVED:
            names.add("sample_weight")
        return frozenset(names & {"sample_weight", _ATTRIBUTE})

    @property
    def _compares_groups(self) -> bool:
        """Whether the function compares groups, and so has no meaning within one group."""
        closed = self._closed_form
        return _ATTRIBUTE in self._optional_arguments if closed is None else closed.kind is not None

    def _codes(self, role: Role) -> Array:
        return self.counts.axis_codes(role, self.model)

    def _scores(self, tables: Tables, *, nan_on_error: bool) -> dict[str, Array]:
        weights, n_groups = np.asarray(tables.weights), len(self.counts.groups)
        value: Array = np.full(weights.shape[:-1], np.nan)
        groups: Array = np.full((*value.shape, n_groups), np.nan)
        if self.function is host.count:
            # Clusters of rows without weights are drawn as weights alone: numbers of rows.
            times = tables.weights if tables.times is None else tables.times
            rows = np.asarray(times, dtype=np.float64)
            value = rows.sum(axis=-1)
            groups = sum_by(rows, self._codes(Role.ATTRIBUTE), n_groups)
        elif self._compares_groups and len(self.counts.seen(Role.ATTRIBUTE)) < 2:
            pass  # There is nothing to compare.
        elif self._closed_form is not None:
            roles = (Role.ATTRIBUTE, Role.TASK, Role.PREDICTION)
            cell = np.ravel_multi_index([self._codes(role) for role in roles], (n_groups, 2, 2))
            cells = sum_by(weights, cell, 4 * n_groups).reshape(*groups.shape, 4)
            value = self._closed_form(cells)
            if not self._compares_groups:
                groups = self._closed_form(cells[..., None, :])
        else:
            called = np.apply_along_axis(self._call_function, -1, weights, nan_on_error)
            value, groups[..., : called.shape[-1] - 1] = called[..., 0], called[..., 1:]
        return {"value": value, "groups": groups}

    @cached_property
    def _scopes(self) -> list[Array]:
        """All rows and, unless the function compares groups, the rows of each group."""
        everything = [np.arange(len(self.counts.values.rows))]
        if self._compares_groups:
            return everything
        attribute, groups = self._codes(Role.ATTRIBUTE), range(len(self.counts.groups))
        return everything + [np.flatnonzero(attribute == i) for i in groups]

    def _call_function(self, weight: Array, nan_on_error: bool) -> list[float]:
        values = []
        for rows in self._scopes:
            try:
                values.append(self._value_of_rows(rows[weight[rows] > 0], weight))
            except (ValueError, ArithmeticError):
                if not nan_on_error:
                    raise
                values.append(float("nan"))
        return values

    def _value_of_rows(self, rows: Array, weight: Array) -> float:
        if not len(rows):
            return float("nan")
        truth, predicted, attribute = self._columns
        options: dict[str, Any] = {}
        if "sample_weight" in getattr(self.function, "keywords", ()):
            raise ValueError(
                f"{self.name} must leave sample_weight to amplification_frame; received it bound"
            )
        if "sample_weight" in self._optional_arguments:
            options["sample_weight"] = weight[rows].astype(np.float64)
        elif self.counts.weighted:
            raise ValueError(
                f"{self.name} must have a parameter named sample_weight where rows have weights; "
                f"received {self.function!r} (leave it out of metrics= here, and give it to a "
                "MetricFrame of its own, which passes no weights to it)"
            )
        else:
            rows = np.repeat(rows, weight[rows])
        if _ATTRIBUTE in self._optional_arguments:
            given = attribute.iloc[rows].reset_index(drop=True)
            options[_ATTRIBUTE] = given if given.shape[1] > 1 else given.iloc[:, 0]
        value = self.function(truth[rows], predicted[rows], **options)
        number = np.asarray(value)
        if number.size != 1 or number.dtype.kind not in "biuf":
            raise ValueError(f"{self.name} must return one number; received {value!r}")
        return float(number.item())

    @cached_property
    def _columns(self) -> tuple[Array, Array, pd.DataFrame]:
        """Truth, prediction and attribute of each distinct row, as the user gave them."""
        counts = self.counts
        labels = values = as_array(counts.labels)
        if len(counts.levels):
            values = np.concatenate([labels.astype(np.float64), [np.nan], counts.levels])
        groups = [group if isinstance(group, tuple) else (group,) for group in counts.groups]
        by_name = zip(counts.attributes, zip(*groups, strict=True), strict=True)
        attribute = self._codes(Role.ATTRIBUTE)
        frame = pd.DataFrame({name: as_array(levels)[attribute] for name, levels in by_name})
        return labels[self._codes(Role.TASK)], values[self._codes(Role.PREDICTION)], frame
