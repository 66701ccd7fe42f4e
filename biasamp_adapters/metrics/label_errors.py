"""How wrong the labels of the attribute may be before BA-> says something else.

A labeller gives group a' to rows of group a with the probability M[a, a'], whatever their task and
predictions are. The counts by labels, N', are then N'[a', x] = sum over a of M[a, a'] N[a, x] for
any other variable x, so that the inverse of M gives the counts by groups. BA-> reads nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label, RandomState, as_float
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.blocks import Block, agreement
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.counts.tables import Margins, Pairs, Tables
from biasamp_adapters.counts.variables import ATTRIBUTE, Axis
from biasamp_adapters.inference.estimates import Estimate, IntervalOptions
from biasamp_adapters.inference.replicates import BlockDraws, replicate
from biasamp_adapters.inputs.numbers import read_numbers
from biasamp_adapters.metrics.directional import Directional, DirectionalBiasAmplification
from biasamp_adapters.metrics.measurement import T_TO_A
from biasamp_adapters.metrics.rate_changes import Cooccurrence
from biasamp_adapters.metrics.result import AmplificationResult
from biasamp_adapters.reference import Evaluation

#: Differences that floating-point sums may make.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class _WithoutErrors:
    """Margins of the groups, from those of their labels."""

    margins: Margins
    inverse: Array
    roles: frozenset[str]

    def __call__(self, first: Block, second: Block) -> Array:
        predicted = Axis(Role.ATTRIBUTE_PREDICTION, second[1])
        if second == agreement(predicted):
            return np.diagonal(self(ATTRIBUTE, predicted), axis1=-2, axis2=-1)[..., None, :]
        table = self.margins(first, second)
        if first[0] in self.roles:
            table = self.inverse.T @ table
        return table @ self.inverse if second[0] in self.roles else table

    def pairs(self, first: Block, second: Block) -> Pairs | None:
        read = {first[0], second[0]}
        return None if read & self.roles else self.margins.pairs(first, second)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Corrected(Directional):
    """BA-> as it would be without errors of the labels of groups.

    Attributes
    ----------
    inverse : ndarray of shape (groups, groups)
        The inverse of the probabilities of a label given the group.
    labelled : frozenset of str
        The variables whose labels have errors, and "reference".
    """

    inverse: Array
    labelled: frozenset[str]

    def _without_errors(self, tables: Tables, roles: frozenset[str]) -> Tables:
        known = isinstance(tables.margins, _WithoutErrors)
        if known or not roles or np.array_equal(self.inverse, np.eye(len(self.inverse))):
            return tables  # Whole numbers stay whole.
        return replace(tables, margins=_WithoutErrors(tables.margins, self.inverse, roles))

    @property
    def _roles(self) -> frozenset[str]:
        return self.labelled - {"reference"}

    @cached_property
    def _observed_tables(self) -> tuple[Tables, Tables]:
        reference = self.evaluation.reference
        tables = self._without_errors(self.evaluation.counts.tables(self.model), self._roles)
        if reference is None:
            return tables, tables
        of_attribute = frozenset({"attribute"} if "reference" in self.labelled else ())
        return tables, self._without_errors(reference.tables(), of_attribute)

    def _rates(self, tables: Tables, origin: Tables) -> tuple[Array, Array]:
        true, predicted = super()._rates(tables, origin)
        if self.evaluation.base_rates is not None and "reference" in self.labelled:
            true = self.inverse.T @ true  # Rates of groups in each task.
        return true, predicted

    def scores(
        self, tables: Tables, reference: Tables | None, draws: BlockDraws
    ) -> dict[str, Array]:
        """The scores of BA->, on tables without the errors."""
        return super().scores(self._without_errors(tables, self._roles), reference, draws)

    @property
    def _certainty(self) -> Array:
        """How many standard errors each sign is from the other one.

        The covariance of a group with a task is a sum over labels, and so is its variance.
        """
        z, (_, origin) = super()._certainty, self._observed_tables
        margins = origin.margins
        if not isinstance(margins, _WithoutErrors) or Role.ATTRIBUTE not in margins.roles:
            return z
        labels = self.evaluation.origin.tables().marginal(Role.ATTRIBUTE) / origin.total
        groups = origin.marginal(Role.ATTRIBUTE) / origin.total
        variance = self.inverse.T @ (np.diag(labels) - np.outer(labels, labels)) @ self.inverse
        assumed, spread = np.sqrt(np.maximum([groups * (1 - groups), np.diagonal(variance)], 0))
        narrower = np.divide(assumed, spread, out=np.zeros_like(spread), where=spread > 0)
        return np.asarray(z * narrower[:, None])

    def impossible(self) -> Iterator[str]:
        """The groups that would have no rows or fewer, if labels were so wrong."""
        counts, tables = self.evaluation.counts, self._observed.tables
        tiny = _ROUNDING * float(tables.total)
        for role in sorted(self._roles):
            labels, rows = counts.tables(self.model).marginal(role), tables.marginal(role)
            for group in np.flatnonzero((rows <= tiny) & ((labels > 0) | (rows < -tiny))):
                yield f"{show(counts.groups[group])} would have {rows[group]:.4g} rows"

    def notes_on_rates(self) -> Iterator[str]:
        """How many rates no group can have."""
        rates = np.stack(self._observed_rates)
        outside = int(((rates < -_ROUNDING) | (rates > 1 + _ROUNDING)).sum())
        if outside:
            yield (
                f"{outside} of {rates.size} rates lie outside 0 to 1: so many errors are unlikely, "
                "or rows are few"
            )


def label_error_sensitivity(
    metric: DirectionalBiasAmplification,
    counts: Counts,
    errors: Any,
    *,
    labelled: str | Sequence[str] = "attribute",
    n_boot: int = 2000,
    confidence: float = 0.95,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """What BA-> would be if the labels of the attribute are wrong as often as ``errors`` say.

    Groups are often labels that a classifier or an annotator gave. If it is known how often these
    are wrong, the counts by true groups follow from those by labels, and BA-> from them.

    Parameters
    ----------
    metric : DirectionalBiasAmplification
        With its direction and reference.
    counts : JointCounts or CooccurrenceCounts
        Counts of one model, whose groups are labels and not columns.
    errors : number, mapping or DataFrame, or list of them
        A number is the share of rows of each group that have a wrong label, each other one equally
        often. A mapping gives this share for each group, 0 where a group is not named. A DataFrame
        has the probabilities of labels (columns) given the group (rows); rows sum to 1.
    labelled : str or sequence of str
        Whose groups are such labels: "attribute", "attribute_prediction" or "reference". That is
        the attribute of a reference that is counts, or base rates of groups given the task (T->A),
        whose signs stay as they are.
    n_boot, confidence, random_state
        As in ``metric.result``. All errors read the same draws.

    Returns
    -------
    DataFrame
        The first row is without errors, and one for each of ``errors`` follows: ``error``;
        ``value``, ``low`` and ``high``; ``excess``, ``excess_low`` and ``excess_high``; ``verdict``
        (its code, missing without draws); ``turned``, whether the verdict differs from that of the
        first row or, without draws, the sign of the value; and ``note``.

    Raises
    ------
    ValueError
        If errors are no probabilities, name unknown groups or make a label likelier in another
        group than in its own, or BA-> does not read what ``labelled`` names.

    Notes
    -----
    Two assumptions: the errors are known, and they depend on the group alone, not on the task nor
    on what the model predicts (they are *non-differential*). Errors of a row's labels are
    independent of each other. Errors that depend on the task, such as women with a surfboard being
    taken for men, can make amplification or hide it, and no rate of errors tells.

    Of two groups and with a truth, labels shrink BA-> A->T by the factor (share of the labels "a"
    that are right + the same for "b" - 1), and its excess and their intervals too. No side of 0
    changes, so the verdict turns only where too few rows of a group would be left.

    References
    ----------
    Zhu et al., "Weak Proxies are Sufficient and Preferable for Fairness with Missing Sensitive
    Attributes", 2023, calibrate measures of fairness by such a matrix.

    Examples
    --------
    Of 500 rows labelled a and 500 labelled b the model calls 400 and 100 positive, where 300 and
    200 are.

    >>> import biasamp_adapters as bam
    >>> counts = bam.JointCounts.from_arrays(
    ...     [1] * 300 + [0] * 200 + [1] * 200 + [0] * 300,
    ...     [1] * 400 + [0] * 100 + [1] * 100 + [0] * 400,
    ...     ["a"] * 500 + ["b"] * 500,
    ... )
    >>> metric = bam.DirectionalBiasAmplification()
    >>> found = bam.label_error_sensitivity(metric, counts, [0.1, 0.2], n_boot=500)
    >>> found[["error", "value", "verdict", "turned"]].round(3)
      error  value    verdict  turned
    0     0  0.200  amplifies   False
    1   0.1  0.250  amplifies   False
    2   0.2  0.333  amplifies   False
    """
    if not isinstance(metric, DirectionalBiasAmplification):
        raise TypeError(
            "metric must be a DirectionalBiasAmplification, which has a verdict; received "
            f"{type(metric).__name__}"
        )
    options = IntervalOptions(n_boot, confidence, random_state=random_state)
    evaluation = metric._evaluation(counts)
    model, groups = counts.first_model, evaluation.counts.groups
    named = _labelled(evaluation, metric.short_direction, labelled)
    if evaluation.counts.is_matrix(Role.ATTRIBUTE):
        raise ValueError("groups must be labels, of which each row has one; received columns")
    listed = _listed(errors)
    corrected = [
        _corrected(
            # Evaluations share what they compute, and so each has its own.
            metric.measure(replace(evaluation), model),
            inverse=np.linalg.inv(_channel(error, groups)),
            labelled=named,
        )
        for error in listed
    ]
    measured = dict(enumerate(corrected))
    drawn = replicate(measured, evaluation, n_boot, options.random_state) if n_boot else {}
    rows = [
        _row(measurement, drawn.get(i, {}) if n_boot else None, confidence)
        for i, measurement in measured.items()
    ]
    table = pd.DataFrame(rows)
    table.insert(0, "error", pd.Series(listed, dtype=object))
    table.insert(len(table.columns) - 1, "turned", _turned(table))
    return table


def _corrected(measurement: Cooccurrence, **options: Any) -> _Corrected:
    given = {field.name: getattr(measurement, field.name) for field in fields(measurement)}
    return _Corrected(**given, **options)


def _labelled(
    evaluation: Evaluation, direction: str, labelled: str | Sequence[str]
) -> frozenset[str]:
    """What is labelled, checked."""
    single = isinstance(labelled, str) or not isinstance(labelled, Iterable)
    named: frozenset[Any] = frozenset([labelled] if single else labelled)
    read = ("attribute", "attribute_prediction") if direction == T_TO_A else ("attribute",)
    present = [role for role in read if evaluation.counts.has(role)]
    by_group = evaluation.base_rates is not None and direction == T_TO_A
    present += ["reference"] if evaluation.reference is not None or by_group else []
    if not named or not named <= {*present}:
        raise ValueError(
            f"labelled must be of {present}, which BA {direction} reads in these data; received "
            f"{sorted(named, key=str)}"
        )
    return named


def _listed(errors: Any) -> list[Any]:
    """The errors one by one, after the first row's, which are none."""
    single = isinstance(errors, str | Mapping | pd.DataFrame) or not isinstance(errors, Iterable)
    return [0, errors] if single else [0, *errors]


def _channel(error: Any, groups: Sequence[Label]) -> Array:
    """The probabilities of labels given the group, of shape (groups, labels)."""
    k, received = len(groups), repr(error)
    if isinstance(error, pd.DataFrame):
        if any(len(axis) != k or {*axis} != {*groups} for axis in error.axes):
            raise ValueError(
                f"errors must have the groups {listing(groups)} as rows and as columns; received "
                f"{listing([*error.index])} and {listing([*error.columns])}"
            )
        channel, _ = read_numbers(error.loc[[*groups], [*groups]], "errors")
        received = str(channel.tolist())
    else:
        wrong = error if isinstance(error, Mapping) else dict.fromkeys(groups, error)
        if not {*wrong} <= {*groups}:
            raise ValueError(f"errors must name {listing(groups)}; received {listing([*wrong])}")
        shares = np.array([as_float(wrong.get(group, 0)) for group in groups])
        channel = np.repeat(shares[:, None] / (k - 1), k, axis=1)
        np.fill_diagonal(channel, 1 - shares)
    if not ((channel >= 0) & (channel <= 1)).all() or (abs(channel.sum(axis=1) - 1) > 1e-6).any():
        raise ValueError(
            "errors must be shares from 0 to 1, or DataFrames of such shares whose rows sum to 1; "
            f"received {received}"
        )
    right = np.diagonal(channel)
    if (channel >= right).sum() > k or np.linalg.cond(channel) > 1 / _ROUNDING:
        raise ValueError(
            "errors must leave each label likelier in its own group than in any other (of two "
            f"groups, the shares of wrong labels must sum to less than 1); received {received}"
        )
    return channel


def _numbers(name: str, estimate: Estimate | AmplificationResult | None) -> dict[str, float]:
    """A value and the ends of its interval, NaN where there is none."""
    prefix = "" if name == "value" else f"{name}_"
    value = np.nan if estimate is None else estimate.value
    low, high = (estimate and estimate.interval) or (np.nan, np.nan)
    return {name: value, f"{prefix}low": low, f"{prefix}high": high}


def _row(
    measurement: _Corrected, drawn: Mapping[str, Array] | None, confidence: float
) -> dict[str, Any]:
    """A row of the table, without the error."""
    result, code = None, None
    notes = [f"labels cannot be so wrong: {why}" for why in measurement.impossible()]
    if not notes:
        result = AmplificationResult.of(measurement, drawn, confidence)
        code = result.verdict.code if drawn and result.verdict else None
        notes = [*measurement.notes_on_rates(), *result.notes, *measurement.evaluation.caveats]
    numbers = _numbers("value", result) | _numbers("excess", result and result.excess)
    return {**numbers, "verdict": code, "note": "; ".join(notes)}


def _turned(table: pd.DataFrame) -> Array:
    """Whether each row says something else than the first."""
    value = table["value"]
    sign = np.sign(value.mask(value.abs() <= _ROUNDING, 0))
    said = table["verdict"] if table["verdict"].notna()[0] else sign
    return np.asarray(said.notna() & (said != said[0]))
