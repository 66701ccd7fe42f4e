"""AmplificationFrame: a MetricFrame of numbers that have replicates, computed from counts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame

from biasamp_adapters._text import shown
from biasamp_adapters._typing import Array
from biasamp_adapters._warnings import warn
from biasamp_adapters.cards.card import Card, Footnotes, values
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.fairlearn.slices import Slices
from biasamp_adapters.inference.estimates import Estimate, Replicated, outer_level
from biasamp_adapters.inference.rules import Evidence
from biasamp_adapters.inputs.combinations import Key
from biasamp_adapters.metrics import AmplificationResult
from biasamp_adapters.metrics.plain import numbers as row_of
from biasamp_adapters.metrics.result import percent

#: Largest difference between sums of the same numbers in different orders.
_ROUNDING = 1e-12

#: Most rows of the tables of a card that are not folded, and most lines of its text.
_MOST_ROWS, _MOST_LINES = 10, 8

#: The value of a combination of levels without rows.
_UNDEFINED = Replicated(float("nan"))

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
    results : dict of Key to AmplificationResult
        The result behind each overall value, by control level; empty for metrics of the host.
    """

    name: Hashable
    overall: Sequence[Replicated]
    groups: Sequence[Replicated]
    signed: bool
    results: Mapping[Key, AmplificationResult]


class AmplificationFrame(MetricFrame):  # type: ignore[misc]  # the host is not typed
    """A Fairlearn ``MetricFrame`` of bias amplification, with intervals from drawn tables.

    Created by :func:`amplification_frame`, not by calling the class. It has all members of
    ``MetricFrame``, and the following attributes.

    Attributes
    ----------
    results : dict
        The :class:`~biasamp_adapters.AmplificationResult` behind each overall value of bias
        amplification, by column; with control features by (column, control level).
    notes : tuple of str
        Caveats: undefined values, unreliable intervals, the values that random errors of the same
        accuracy would give, and signs of the reference that may be noise.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        raise TypeError(
            "AmplificationFrame is made by amplification_frame(y_true, y_pred, "
            "sensitive_features=..., metrics=..., sample_weight=...); received a call of the class"
        )

    @classmethod
    def _from_columns(
        cls,
        slices: Slices,
        combinations: list[Key],
        columns: Sequence[FrameColumn],
        *,
        notes: Sequence[str],
        single: bool,
        n_boot: int | None,
        ci_quantiles: list[float] | None,
    ) -> Self:
        """Create a frame from its columns."""
        self = cls.__new__(cls)
        self.notes = tuple(notes)
        self.results = {
            (column.name, key[0] if len(key) == 1 else key) if key else column.name: result
            for column in columns
            for key, result in column.results.items()
        }
        self._slices, self._combinations = slices, combinations
        self._columns, self._single = columns, single
        self._n_draws, self._quantiles = n_boot, ci_quantiles
        self._names = [column.name for column in columns]
        self._lay_out()
        return self

    def _lay_out(self) -> None:
        """Arrange the numbers in the order in which MetricFrame arranges the levels.

        MetricFrame gets one row per combination, whose value is its position. Neutral names of
        features avoid conflicts with MetricFrame's own columns.
        """
        slices, combinations = self._slices, self._combinations
        levels = zip(*combinations, strict=True)
        features = {f"feature {i}": list(column) for i, column in enumerate(levels)}
        n_controls = len(slices.control_names)
        controls = {name: features.pop(name) for name in list(features)[:n_controls]}
        positions = np.arange(len(combinations))
        super().__init__(
            metrics=_first_position,
            y_true=positions,
            y_pred=positions,
            sensitive_features=features,
            control_features=controls or None,
        )
        first = super().by_group
        self._group_index = first.index.set_names([*slices.control_names, *slices.split_names])
        self._control_index = None
        if n_controls:
            self._control_index = super().overall.index.set_names(slices.control_names)
        # Of shape (controls, groups); -1 where there are no rows.
        at = first.fillna(-1).to_numpy(dtype=int)
        self._absent = list(self._group_index[at < 0])
        at = at.reshape(1 if self._control_index is None else len(self._control_index), -1)
        control_of = [slices.controls.index(levels[:n_controls]) for levels in combinations]
        control_at = np.append(control_of, -1)[at.max(axis=1)]
        # Of shape (controls, metrics) and (controls, groups, metrics).
        overall = [[*column.overall, _UNDEFINED] for column in self._columns]
        groups = [[*column.groups, _UNDEFINED] for column in self._columns]
        self._overall = np.array(overall, dtype=object).T[control_at]
        self._groups = np.array(groups, dtype=object).T[at]

    @property
    def control_levels(self) -> list[str] | None:
        """Names of the control features."""
        return self._slices.control_names or None

    @property
    def sensitive_levels(self) -> list[str]:
        """Names of the features that rows are grouped by."""
        return self._slices.split_names

    @property
    def ci_quantiles(self) -> list[float] | None:
        """The quantiles that were requested."""
        return None if self._quantiles is None else list(self._quantiles)

    @property
    def n_boot(self) -> int | None:
        """The number of drawn tables."""
        return self._n_draws

    @property
    def overall(self) -> Any:
        """The metrics of all rows, or of the rows of each control level."""
        return self._values(self._overall)

    @property
    def overall_ci(self) -> Any:
        """Quantiles of :attr:`overall`, one for each of ``ci_quantiles``."""
        return self._quantiles_of(self._overall)

    @property
    def by_group(self) -> Any:
        """The metrics of each group; NaN where there are no rows."""
        return self._values(self._groups)

    @property
    def by_group_ci(self) -> Any:
        """Quantiles of :attr:`by_group`, one for each of ``ci_quantiles``."""
        return self._quantiles_of(self._groups)

    def difference(self, method: Method = "between_groups", errors: Errors = "coerce") -> Any:
        """Largest difference between groups, or from :attr:`overall`, as in ``MetricFrame``.

        A warning names the groups that are undefined and left out; with fewer than two others the
        difference between groups is NaN.
        """
        return self._aggregate("difference", method, errors)

    def difference_ci(self, method: Method = "between_groups") -> Any:
        """Quantiles of :meth:`difference`."""
        return self._aggregate_ci("difference", method)

    def ratio(self, method: Method = "between_groups", errors: Errors = "coerce") -> Any:
        """Smallest ratio; NaN, with a warning, for metrics that may be negative."""
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
        """A member of the frame beside its quantiles.

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
        rows = [
            pd.concat(dict(part.items()), names=["metric"])
            if isinstance(part, pd.DataFrame)
            else pd.Series(part, index=self._names)
            if np.isscalar(part)
            else part
            for part in (value, *ends)
        ]
        return pd.DataFrame(dict(zip(["value", *self._requested], rows, strict=True)))

    @property
    def _requested(self) -> list[float]:
        if self._quantiles is None:
            raise ValueError(
                "intervals need replicates: n_boot and ci_quantiles must be given to "
                "amplification_frame; received neither"
            )
        return self._quantiles

    def __repr__(self) -> str:
        """The overall values and those of the first groups."""
        kept = self._rows[:_MOST_LINES]
        names = ", ".join(map(str, self._names))
        lines = [f"<AmplificationFrame of {names} by {', '.join(map(str, self.sensitive_levels))}"]
        for label, numbers in kept:
            texts = (self._estimate(number).text(sign="") for number in numbers)
            lines.append(f"  {label}: {', '.join(texts)}")
        if len(self._rows) > len(kept):
            lines.append(f"  and {len(self._rows) - len(kept)} more groups")
        return "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        return self._card

    @cached_property
    def _card(self) -> str:
        footnotes, by = Footnotes(), " × ".join(map(str, self.sensitive_levels))
        tables = [
            values(
                f"{column.name} by {by}",
                "group",
                ((label, row_of(self._estimate(numbers[j]))) for label, numbers in self._rows),
                footnotes,
                interval=self._interval_in_words,
                in_points=False,
                signed=column.signed,
            )
            for j, column in enumerate(self._columns)
        ]
        # As many as fit, and the first one in any case.
        n_rows = np.cumsum([len(table.rows) for table in tables])
        n_shown = max(1, int((n_rows <= _MOST_ROWS).sum()))
        hidden, notes = tables[n_shown:], dict.fromkeys(map(shown, self.notes))
        folds = [f"{len(hidden)} more metrics"] * bool(hidden)
        folds += [f"{len(notes)} caveats"] * bool(notes)
        return Card(
            title=shown(f"{', '.join(map(str, self._names))} by {by}"),
            facts=[
                f"{len(self._group_index):,} groups",
                f"{self._n_draws or 'no'} drawn tables",
            ],
            tables=tables[:n_shown],
            footnotes=footnotes.texts,
            folded=", ".join(folds),
            more_tables=hidden,
            notes=[*notes],
        ).to_html()

    @property
    def _interval_in_words(self) -> str:
        """What the outermost of the requested quantiles are the ends of."""
        if self._quantiles is None:
            return "interval"
        low, high = min(self._quantiles), max(self._quantiles)
        if low < high and np.isclose(low + high, 1):
            return f"{percent(outer_level(self._quantiles))} interval"
        return f"quantiles {low:g} to {high:g}"

    @property
    def _rows(self) -> list[tuple[str, Array]]:
        """The label of each row of a card, and its numbers, of shape (metrics,)."""
        controls = [None] if self._control_index is None else list(self._control_index)
        whole = ["overall" if it is None else f"overall, {show(it)}" for it in controls]
        of_groups = self._groups.reshape(-1, len(self._columns))
        groups = zip(map(show, self._group_index), of_groups, strict=True)
        return [*zip(whole, self._overall, strict=True), *groups]

    def _estimate(self, number: Replicated) -> Estimate:
        """A number with the outermost of the quantiles that were requested."""
        if self._quantiles is None or len(self._quantiles) < 2:
            return Estimate(number.value)
        reason = number.no_quantiles(self._quantiles)
        ends = np.sort(number.quantiles(self._quantiles))[[0, -1]]
        if reason or not np.isfinite(ends).all():
            return Estimate(number.value, None, reason)
        return Estimate(number.value, (float(ends[0]), float(ends[1])), None)

    def _values(self, numbers: Array) -> Any:
        values = [number.value for number in numbers.flat]
        return self._shaped(np.reshape(values, numbers.shape))

    def _quantiles_of(self, numbers: Array) -> list[Any]:
        requested = self._requested
        ends = np.array([number.quantiles(requested) for number in numbers.flat])
        return [self._shaped(end.reshape(numbers.shape)) for end in ends.T]

    def _shaped(self, values: Array) -> Any:
        """Values of controls, or of controls and groups, as MetricFrame returns them."""
        index = self._control_index if values.ndim == 2 else self._group_index
        if index is None:
            whole = values[0]
            return float(whole[0]) if self._single else pd.Series(whole, index=self._names)
        table = pd.DataFrame(values.reshape(len(index), -1), index=index, columns=self._names)
        return table.iloc[:, 0] if self._single else table

    def _aggregate(self, kind: Kind, method: Method, errors: str) -> Any:
        if errors not in ("raise", "coerce"):
            raise ValueError(f"errors must be 'raise' or 'coerce'; received {errors!r}")
        return self._values(self._aggregated(kind, method))

    def _aggregate_ci(self, kind: Kind, method: Method) -> Any:
        requested = self._requested
        numbers = self._aggregated(kind, method)
        for name, column in zip(self._names, numbers.T, strict=True):
            # There is no warning if all groups are the same up to rounding.
            if any(abs(number.value) > _ROUNDING for number in column):
                for reason in dict.fromkeys(number.no_quantiles(requested) for number in column):
                    if reason:
                        warn(f"{name}: no interval of the {kind}: {reason}")
        return self._quantiles_of(numbers)

    def _aggregated(self, kind: Kind, method: Method) -> Array:
        """The aggregates, of shape (controls, metrics); warn of what is left out."""
        if method not in ("between_groups", "to_overall"):
            raise ValueError(
                f"method must be 'between_groups' or 'to_overall'; received {method!r}"
            )
        self._warn_of_undefined(kind)
        numbers = [
            [
                _UNDEFINED
                if kind == "ratio" and column.signed
                else _aggregate(kind, method, groups[:, j], overall[j])
                for j, column in enumerate(self._columns)
            ]
            for groups, overall in zip(self._groups, self._overall, strict=True)
        ]
        return np.array(numbers, dtype=object)

    def _warn_of_undefined(self, kind: Kind) -> None:
        if self._absent:
            warn(f"{kind} leaves out combinations without rows: {listing(self._absent)}")
        signed = [column.name for column in self._columns if column.signed]
        if kind == "ratio" and signed:
            warn(f"a ratio of values that have a sign means nothing and is NaN: {listing(signed)}")
        by_groups: dict[tuple[Any, ...], list[Any]] = {}
        for column in self._columns:
            if kind == "ratio" and column.signed:
                continue
            groups = zip(self._combinations, column.groups, strict=True)
            undefined = tuple(key for key, number in groups if np.isnan(number.value))
            # If all groups are undefined, the result is NaN and needs no warning.
            if 0 < len(undefined) < len(column.groups):
                by_groups.setdefault(undefined, []).append(column.name)
        for keys, names in by_groups.items():
            warn(f"{kind} of {listing(names)} leaves out undefined groups: {listing(keys)}")


def _aggregate(kind: Kind, method: Method, groups: Array, overall: Replicated) -> Replicated:
    """Aggregate the defined groups and their replicates to one number."""
    defined = [number for number in groups if not np.isnan(number.value)]
    between = kind in ("difference", "ratio") and method == "between_groups"
    if not defined or (between and len(defined) < 2 <= len(groups)):
        return _UNDEFINED
    used = [*defined, overall] if method == "to_overall" else defined

    def aggregate(values: Array) -> Array:
        """Aggregate values of shape (..., used); NaN if one of them is."""
        of_groups, whole = np.split(values, [len(defined)], axis=-1)
        if method == "between_groups":
            return compare_groups(kind, of_groups.min(axis=-1), of_groups.max(axis=-1))
        low, high = np.minimum(of_groups, whole), np.maximum(of_groups, whole)
        compared = compare_groups(kind, low, high)
        return compared.max(axis=-1) if kind == "difference" else compared.min(axis=-1)

    value = float(aggregate(np.array([number.value for number in used])))
    reason = next((number.reason for number in used if number.reason), None)
    replicates = [number.replicates for number in used if number.replicates is not None]
    if reason or len(replicates) < len(used):
        return Replicated(value, None, reason)
    drawn = aggregate(np.stack(replicates, axis=-1))
    return Replicated(value, drawn, evidence=_evidence(kind, [number.evidence for number in used]))


def _evidence(kind: Kind, parts: Sequence[Evidence]) -> Evidence:
    """The widest allowances of the numbers that are aggregated; none for ratios."""
    if kind == "ratio":
        return Evidence()
    down, up = (max(part.margin[side] for part in parts) for side in (0, 1))
    if kind == "difference":
        return Evidence(limits=(0.0, np.inf), margin=(down + up, down + up))
    clear_above = max(part.clear_above for part in parts)
    return Evidence(limits=parts[0].limits, margin=(down, up), clear_above=clear_above)


def compare_groups(kind: Kind, low: Array, high: Array) -> Array:
    """The aggregate of groups, or of a group and the whole, from the lowest and highest value."""
    if kind == "group_min":
        return low
    if kind == "group_max":
        return high
    with np.errstate(divide="ignore", invalid="ignore"):
        return high - low if kind == "difference" else low / high


def _first_position(y_true: Array, y_pred: Array) -> float:
    """The position of the first row of a slice."""
    return float(y_true[0])
