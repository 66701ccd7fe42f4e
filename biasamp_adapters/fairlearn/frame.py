"""AmplificationFrame: a MetricFrame whose numbers, and their replicates, come from count tables."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame

from biasamp_adapters._typing import Array
from biasamp_adapters._warnings import warn
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.inference.estimates import Replicated
from biasamp_adapters.metrics import AmplificationResult

#: Differences that floating-point sums in another order may make.
_ROUNDING = 1e-12

Kind: TypeAlias = Literal["difference", "ratio", "group_min", "group_max"]
Method: TypeAlias = Literal["between_groups", "to_overall"]
Errors: TypeAlias = Literal["raise", "coerce"]


@dataclass(frozen=True, eq=False)
class FrameColumn:
    """One metric of a frame.

    Attributes
    ----------
    name : hashable
    overall : sequence of Replicated
        One per control level.
    groups : sequence of Replicated
        One per combination of levels that has rows.
    signed : bool
        Whether values may be negative, so that ratios mean nothing.
    """

    name: Hashable
    overall: Sequence[Replicated]
    groups: Sequence[Replicated]
    signed: bool


@dataclass(frozen=True, eq=False)
class FrameData:
    """The numbers of a frame, the levels that they belong to, and notes on them.

    Attributes
    ----------
    control_names, sensitive_names : list of str
    control_levels : list of tuple
    combinations : list of tuple
        Levels of the control features, then those of the sensitive ones, that have rows.
    columns : list of FrameColumn
    results : dict
        The result behind each overall value of bias amplification.
    notes, remarks : list of str
        Both become the frame's notes; a warning is given for each of ``notes`` only.
    """

    control_names: list[str]
    sensitive_names: list[str]
    control_levels: list[tuple[Any, ...]]
    combinations: list[tuple[Any, ...]]
    columns: list[FrameColumn] = field(default_factory=list)
    results: dict[Any, AmplificationResult] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class AmplificationFrame(MetricFrame):  # type: ignore[misc]  # the host is not typed
    """A Fairlearn ``MetricFrame`` of bias amplification, with intervals from drawn tables.

    Made by :func:`amplification_frame`, not by calling the class. All members of ``MetricFrame``
    are there; in addition:

    Attributes
    ----------
    results : dict
        The :class:`~biasamp_adapters.AmplificationResult` behind each overall value of bias
        amplification, by column; with control features by (column, control level).
    notes : tuple of str
        Caveats: what is undefined, where no interval can be trusted, what random errors of the
        same accuracy would give, and signs of the reference that may be noise.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        raise TypeError(
            "AmplificationFrame is made by amplification_frame(y_true, y_pred, "
            "sensitive_features=..., metrics=..., sample_weight=...); received a call of the class"
        )

    @classmethod
    def _of(
        cls,
        data: FrameData,
        *,
        single: bool,
        n_boot: int | None,
        ci_quantiles: Sequence[float] | None,
    ) -> Self:
        """A frame of numbers that were computed."""
        self = cls.__new__(cls)
        self.results, self.notes = data.results, tuple(data.notes)
        self._data, self._columns, self._single = data, data.columns, single
        self._draws, self._quantiles = n_boot, ci_quantiles
        self._index_by_host()
        return self

    def _index_by_host(self) -> None:
        """Let MetricFrame lay out the levels, of a table of positions with one row per combination.

        The features go by neutral names, as MetricFrame's own columns could be called like them.
        """
        levels = self._data
        n_controls = len(levels.control_names)
        table = [list(column) for column in zip(*levels.combinations, strict=True)]
        named = {f"feature {i}": column for i, column in enumerate(table)}
        names = list(named)
        position = np.arange(len(levels.combinations))
        super().__init__(
            metrics={column.name: _first for column in self._columns},
            y_true=position,
            y_pred=position,
            sensitive_features={name: named[name] for name in names[n_controls:]},
            control_features={name: named[name] for name in names[:n_controls]} or None,
        )
        laid_out = super().by_group.iloc[:, 0]
        index = laid_out.index.set_names([*levels.control_names, *levels.sensitive_names])
        self._group_index: pd.Index[Any] = index
        self._at = np.where(laid_out.isna(), -1, laid_out).astype(int)
        order = {level: i for i, level in enumerate(levels.control_levels)}
        control_of = [order[combination[:n_controls]] for combination in levels.combinations]
        self._control_of = np.array(control_of)
        if n_controls:
            first = super().overall.iloc[:, 0]
            self._control_index = first.index.set_names(levels.control_names)
            position_of = np.where(first.isna(), -1, first).astype(int)
            self._control_at = np.where(position_of < 0, -1, self._control_of[position_of])

    @property
    def control_levels(self) -> list[str] | None:
        """Names of the control features."""
        return self._data.control_names or None

    @property
    def sensitive_levels(self) -> list[str]:
        """Names of the features that rows are grouped by."""
        return self._data.sensitive_names

    @property
    def ci_quantiles(self) -> list[float] | None:
        """The quantiles that were requested."""
        return None if self._quantiles is None else list(self._quantiles)

    @property
    def n_boot(self) -> int | None:
        """The number of drawn tables."""
        return self._draws

    @property
    def overall(self) -> Any:
        """The metrics of all rows, or of those of each control level."""
        return self._shaped_overall(_values(column.overall for column in self._columns))

    @property
    def overall_ci(self) -> Any:
        """Quantiles of :attr:`overall`, one for each of ``ci_quantiles``."""
        ends = self._quantiles_of(column.overall for column in self._columns)
        return [self._shaped_overall(values) for values in ends]

    @property
    def by_group(self) -> Any:
        """The metrics of each group; NaN where there are no rows."""
        return self._shaped_groups(_values(column.groups for column in self._columns))

    @property
    def by_group_ci(self) -> Any:
        """Quantiles of :attr:`by_group`, one for each of ``ci_quantiles``."""
        ends = self._quantiles_of(column.groups for column in self._columns)
        return [self._shaped_groups(values) for values in ends]

    def difference(self, method: Method = "between_groups", errors: Errors = "coerce") -> Any:
        """Largest difference between groups, or from :attr:`overall`, as ``MetricFrame`` has it.

        A warning names the groups that are undefined and left out; with fewer than two others the
        difference between groups is NaN.
        """
        return self._aggregate("difference", method, errors)

    def difference_ci(self, method: Method = "between_groups") -> Any:
        """Quantiles of :meth:`difference`."""
        return self._aggregate_ci("difference", method)

    def ratio(self, method: Method = "between_groups", errors: Errors = "coerce") -> Any:
        """Smallest ratio; of metrics that have a sign NaN, with a warning."""
        return self._aggregate("ratio", method, errors)

    def ratio_ci(self, method: Method = "between_groups") -> Any:
        """Quantiles of :meth:`ratio`."""
        return self._aggregate_ci("ratio", method)

    def group_min(self, errors: Errors = "raise") -> Any:
        """Smallest value of a group."""
        return self._aggregate("group_min", "between_groups", errors)

    def group_min_ci(self) -> Any:
        """Quantiles of :meth:`group_min`."""
        return self._aggregate_ci("group_min", "between_groups")

    def group_max(self, errors: Errors = "raise") -> Any:
        """Largest value of a group."""
        return self._aggregate("group_max", "between_groups", errors)

    def group_max_ci(self) -> Any:
        """Quantiles of :meth:`group_max`."""
        return self._aggregate_ci("group_max", "between_groups")

    def intervals(
        self,
        member: Literal[
            "overall", "by_group", "difference", "ratio", "group_min", "group_max"
        ] = "overall",
    ) -> pd.DataFrame:
        """A member beside its quantiles.

        Parameters
        ----------
        member : str
            Which member; differences and ratios are those between groups.

        Returns
        -------
        DataFrame
            One row per metric, or per metric and group (and control level): ``value``, and one
            column per quantile.
        """
        value, ends = getattr(self, member), getattr(self, f"{member}_ci")
        if callable(value):
            value, ends = value(), ends()
        parts = [value, *ends]
        if np.isscalar(value):
            parts = [pd.Series(part, index=[self._columns[0].name]) for part in parts]
        rows = [
            pd.concat(dict(part.items()), names=["metric"])
            if isinstance(part, pd.DataFrame)
            else part
            for part in parts
        ]
        return pd.DataFrame(dict(zip(["value", *self._requested], rows, strict=True)))

    @property
    def _requested(self) -> Sequence[float]:
        if self._quantiles is None:
            raise ValueError(
                "intervals need replicates: n_boot and ci_quantiles must be given to "
                "amplification_frame; received neither"
            )
        return self._quantiles

    def _quantiles_of(self, numbers: Iterable[Sequence[Replicated]]) -> Iterator[Array]:
        """For each quantile, those of the numbers of each metric."""
        requested = self._requested
        ends = np.array([[number.quantiles(requested) for number in row] for row in numbers])
        yield from np.moveaxis(ends, -1, 0)

    def _aggregate(self, kind: Kind, method: Method, errors: str) -> Any:
        if errors not in ("raise", "coerce"):
            raise ValueError(f"errors must be 'raise' or 'coerce'; received {errors!r}")
        return self._shaped_overall(_values(self._aggregated(kind, method)))

    def _aggregate_ci(self, kind: Kind, method: Method) -> Any:
        requested = self._requested
        numbers = self._aggregated(kind, method)
        for column, row in zip(self._columns, numbers, strict=True):
            reasons = dict.fromkeys(number.no_quantiles(requested) for number in row)
            for reason in filter(None, reasons):
                # No warning where all groups are the same but for rounding.
                if any(abs(number.value) > _ROUNDING for number in row):
                    warn(f"{column.name}: no interval of the {kind}: {reason}")
        return [self._shaped_overall(values) for values in self._quantiles_of(numbers)]

    def _aggregated(self, kind: Kind, method: Method) -> list[list[Replicated]]:
        """The aggregates of each metric, one per control level; warn of what is left out."""
        if method not in ("between_groups", "to_overall"):
            raise ValueError(
                f"method must be 'between_groups' or 'to_overall'; received {method!r}"
            )
        self._warn_of_undefined(kind)
        return [
            [self._aggregated_in(kind, method, column, i) for i in range(len(column.overall))]
            for column in self._columns
        ]

    def _aggregated_in(
        self, kind: Kind, method: Method, column: FrameColumn, control: int
    ) -> Replicated:
        inside = [column.groups[i] for i in np.flatnonzero(self._control_of == control).tolist()]
        groups = [number for number in inside if not np.isnan(number.value)]
        overall = column.overall[control]
        between = kind in ("difference", "ratio") and method == "between_groups"
        alone = between and len(groups) < 2 <= self._n_groups
        if not groups or alone or (kind == "ratio" and column.signed):
            return Replicated(float("nan"))
        used = [*groups, overall] if method == "to_overall" else groups
        reason = next((number.reason for number in used if number.reason), None)
        replicates = [number.replicates for number in used if number.replicates is not None]
        value = aggregate(kind, method, np.array([number.value for number in used]), len(groups))
        if reason or len(replicates) < len(used):
            return Replicated(float(value), None, reason)
        drawn = aggregate(kind, method, np.stack(replicates, axis=-1), len(groups))
        return Replicated(float(value), drawn)

    @property
    def _n_groups(self) -> int:
        n_controls = len(self._data.control_names)
        return len({combination[n_controls:] for combination in self._data.combinations})

    def _warn_of_undefined(self, kind: Kind) -> None:
        absent = [key for key, at in zip(self._group_index, self._at, strict=True) if at < 0]
        if absent:
            warn(f"{kind} leaves out combinations without rows: {listing(absent)}")
        signed = [column.name for column in self._columns if column.signed]
        if kind == "ratio" and signed:
            warn(f"a ratio of values that have a sign means nothing and is NaN: {listing(signed)}")
        by_groups: dict[tuple[Any, ...], list[Any]] = {}
        for column in self._columns:
            groups = zip(self._data.combinations, column.groups, strict=True)
            undefined = tuple(key for key, number in groups if np.isnan(number.value))
            is_nan = len(undefined) == len(column.groups) or (kind == "ratio" and column.signed)
            # A result that is NaN says so itself.
            if undefined and not is_nan:
                by_groups.setdefault(undefined, []).append(column.name)
        for keys, names in by_groups.items():
            warn(f"{kind} of {listing(names)} leaves out undefined groups: {listing(keys)}")

    def _shaped_overall(self, values: Array) -> Any:
        """Values of shape (metrics, controls) as MetricFrame returns them."""
        if self._data.control_names:
            return self._laid_out(values, self._control_at, self._control_index)
        names = [column.name for column in self._columns]
        return float(values[0, 0]) if self._single else pd.Series(values[:, 0], index=names)

    def _shaped_groups(self, values: Array) -> Any:
        """Values of shape (metrics, combinations) as MetricFrame returns them."""
        return self._laid_out(values, self._at, self._group_index)

    def _laid_out(self, values: Array, at: Array, index: pd.Index[Any]) -> Any:
        names = [column.name for column in self._columns]
        table = np.where(at < 0, np.nan, values[:, at]).T
        frame = pd.DataFrame(table, index=index, columns=names)
        return frame.iloc[:, 0] if self._single else frame


def _values(numbers: Iterable[Sequence[Replicated]]) -> Array:
    return np.array([[number.value for number in row] for row in numbers], dtype=np.float64)


def aggregate(kind: Kind, method: Method, values: Array, n_groups: int) -> Array:
    """One number from those of the groups.

    Parameters
    ----------
    kind : {"difference", "ratio", "group_min", "group_max"}
    method : {"between_groups", "to_overall"}
        What differences and ratios compare a group with.
    values : array of shape (..., groups) or, to compare with the overall value, (..., groups + 1)
    n_groups : int

    Returns
    -------
    ndarray of shape (...)
        NaN where a group is.
    """
    groups, overall = values[..., :n_groups], values[..., n_groups:]
    low, high = groups.min(axis=-1), groups.max(axis=-1)
    if kind in ("group_min", "group_max"):
        return low if kind == "group_min" else high
    with np.errstate(divide="ignore", invalid="ignore"):
        if method == "between_groups":
            return high - low if kind == "difference" else low / high
        if kind == "difference":
            return np.abs(groups - overall).max(axis=-1)
        ratios = groups / overall
        return np.where(ratios > 1, 1 / ratios, ratios).min(axis=-1)


def _first(y_true: Array, y_pred: Array) -> float:
    """The position of the first row of a slice."""
    return float(y_true[0])
