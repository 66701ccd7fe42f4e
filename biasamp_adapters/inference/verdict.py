"""The verdict of an audit: gaps between groups, and what a model does to each. Pure functions.

A gap is the difference between two groups in the rate of one class: dp in the labels, dq in the
predictions. Because dq² - dp² = (dq - dp)(dq + dp), **the size of a gap grows if and only if its
change dq - dp and its sum dq + dp have the same sign**, whichever group has the higher rate.
Change and sum are linear in the rates, so both have ordinary bootstrap bands.

One family holds the changes of all gaps of all models and the mean change of each model; k is the
quantile of its largest |t|. A number is clear if it is farther from 0 than k standard errors plus
half a row of the smaller group. What is 0 in every replicate, and given rates, have no half row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import Array, Label
from biasamp_adapters.inference.bands import family_quantile, largest_t, measure
from biasamp_adapters.inference.intervals import Estimate, are_few, reason_of_number

#: More gaps of one model and direction are not judged.
MOST_GAPS = 5000

#: The name of the second side where each group is compared with all rows together.
ALL_ROWS = "all rows"

#: Standard errors beyond which the direction of a gap is certain enough for the mean change: so
#: far that a choice by the same data does not move the mean.
_CERTAIN = 3.5

#: Standard errors beyond which the two gaps lie on opposite sides, so that the mean omits them.
_OPPOSITE = 1.96


@dataclass(frozen=True)
class Gap:
    """The gap between two groups in one class, in the labels and in the predictions of a model.

    The first group is the one with the higher rate in the labels where that is clear, else the one
    with the higher sum of both rates where that is clear, else the one with the higher rate in the
    labels; of equal ones, the first in order. All differences are those of first minus second.

    Attributes
    ----------
    first, second : hashable
        Labels of the groups (for T->A, of classes). "all rows" stands for all groups together.
    of_class : hashable
        The class (for T->A, the group) whose rate is compared.
    rows : (int, int)
        Rows of the first and the second.
    true_rates, predicted_rates : (float, float)
        Rates of the first and the second in the labels and in the predictions, 0 to 1.
    true, predicted : float
        The gap in the labels and in the predictions, -1 to 1.
    change, low, high : float
        `predicted` minus `true`, and its band. The size of a gap that appears is known to grow by
        at least `low`.
    status : {"grows", "appears", "shrinks", "reverses", "unclear"}
    true_clear, predicted_clear : bool
        Whether the band of the gap excludes 0.
    in_mean : bool
        Whether the gap takes part in the mean change.
    """

    first: Label
    second: Label
    of_class: Label
    rows: tuple[float, float]
    true_rates: tuple[float, float]
    predicted_rates: tuple[float, float]
    true: float
    predicted: float
    change: float
    low: float
    high: float
    status: str
    true_clear: bool
    predicted_clear: bool
    in_mean: bool


@dataclass(frozen=True)
class GroupRates:
    """Rates by group and class, in the data and in each replicate.

    For T->A the caller exchanges the roles of groups and classes. `true`, `predicted` and `rows`
    may have one position more than there are groups: the last is then that of all rows together,
    which is needed if `choose_comparison` returns "all rows".

    Attributes
    ----------
    true : ndarray of shape (1 + replicates, groups, classes)
        Rates in the labels, those of the data first. Rates given by hand are repeated.
    predicted : mapping of models to ndarrays of that shape
    rows : ndarray of shape (groups,)
        Rows to show.
    sizes : ndarray of shape (groups,)
        Rows that count: effective rows where rows have weights, clusters where clusters are drawn.
    groups, classes : sequences of labels
    """

    true: Array
    predicted: Mapping[Label, Array]
    rows: Array
    sizes: Array
    groups: Sequence[Label]
    classes: Sequence[Label]


@dataclass(frozen=True)
class Comparison:
    """The positions of the two groups and the class of each gap.

    Attributes
    ----------
    kind : {"pairs", "all rows"}
        What groups are compared with.
    first, second, of_class : ndarray of int of shape (gaps,)
    half_row : ndarray of shape (gaps,)
        Half a row of the smaller group, as a rate.
    """

    kind: str
    first: Array
    second: Array
    of_class: Array
    half_row: Array

    def draws(self, rates: Array) -> Array:
        """Return the gaps of each draw, of shape (draws, gaps)."""
        flat, n_classes = rates.reshape(len(rates), -1), rates.shape[2]
        draws: Array = flat.take(self.first * n_classes + self.of_class, axis=1)
        draws -= flat.take(self.second * n_classes + self.of_class, axis=1)
        return draws


def choose_comparison(sizes: Array, compared: Sequence[int]) -> Comparison:
    """Return all pairs of large groups or, if these are too many gaps, each group with all rows."""
    large = np.flatnonzero(~are_few(sizes))
    kind, first, second, smaller = ALL_ROWS, large, np.full(len(large), len(sizes)), sizes[large]
    if comb(len(large), 2) * len(compared) <= MOST_GAPS:
        i, j = np.triu_indices(len(large), 1)
        kind, first, second = "pairs", large[i], large[j]
        smaller = np.minimum(sizes[first], sizes[second])
    of_class = np.repeat(np.asarray(compared, dtype=int), len(first))
    first, second, smaller = (np.tile(x, len(compared)) for x in (first, second, smaller))
    return Comparison(kind, first, second, of_class, 0.5 / smaller)


class ModelGaps:
    """The gaps of one model: what is kept of their draws, which may be large.

    Attributes
    ----------
    true, predicted, change, total : Numbers
        The gaps in the labels and in the predictions, their difference and their sum.
    mean_directions : ndarray of shape (gaps,)
        The sign of the sum for gaps that take part in the mean change, else 0. The sign of the gap
        in the labels would not do: a gap that chance made large in the labels is smaller in any
        prediction.
    mean_draws : ndarray of shape (draws, 1)
        The mean change.
    largest_t : ndarray of shape (replicates,)
        The largest |t| of all changes and of the mean change.
    """

    def __init__(self, true_draws: Array, predicted_draws: Array) -> None:
        self.true, self.predicted = measure(true_draws), measure(predicted_draws)
        self.total = measure(predicted_draws + true_draws)
        is_reversed = self.true.sides(_OPPOSITE) * self.predicted.sides(_OPPOSITE) < 0
        self.mean_directions = np.where(is_reversed, 0.0, self.total.sides(_CERTAIN))
        change_draws = predicted_draws - true_draws
        self.change = measure(change_draws)
        n_in_mean = max(np.count_nonzero(self.mean_directions), 1)
        self.mean_draws = change_draws @ self.mean_directions[:, None] / n_in_mean
        t_of_mean = largest_t(self.mean_draws, measure(self.mean_draws))
        self.largest_t = np.maximum(largest_t(change_draws, self.change), t_of_mean)

    def mean_change(self, half_row: Array, k: float) -> Estimate:
        """Return the mean change along the directions of the gaps, with its band."""
        in_mean = self.mean_directions != 0
        if not in_mean.any():
            return Estimate(np.nan, reason=words.NO_DIRECTION)
        mean = measure(self.mean_draws)
        value, reach = mean.values.item(), mean.reach(k, half_row[in_mean].mean()).item()
        return Estimate(value, value - reach, value + reach, "", self.mean_draws[1:, 0])

    def judge(
        self, data: GroupRates, model: Label, comparison: Comparison, k: float
    ) -> tuple[Gap, ...]:
        """Return the gaps, each with its status and its band along its direction."""
        half_row = comparison.half_row
        # Rates that are given by hand are exact; those of labels without an error are 0 or 1.
        true_sides = self.true.sides(k, np.where(self.true.errors > 0, half_row, 0.0))
        predicted_sides = self.predicted.sides(k, half_row)
        directions = np.where(true_sides != 0, true_sides, self.total.sides(k, half_row))
        along = self.change.sides(k, half_row) * directions
        larger = np.where(true_sides != 0, "grows", "appears")
        conditions = [true_sides * predicted_sides < 0, along < 0, along > 0]
        status = np.select(conditions, ["reverses", "shrinks", larger], default="unclear")
        higher_in_labels = np.where(self.true.values < 0, -1.0, 1.0)
        signs = np.where(directions != 0, directions, higher_in_labels)
        change, reach = signs * self.change.values, self.change.reach(k, half_row)
        # The size of a gap that appears grows by the smaller of its change and its sum.
        least_sum = np.abs(self.total.values) - self.total.reach(k, half_row)
        low = np.where(status == "appears", np.minimum(change - reach, least_sum), change - reach)
        true, predicted = signs * self.true.values, signs * self.predicted.values
        numbers = [x + 0.0 for x in (true, predicted, change, low, change + reach)]  # No -0.0.
        flags = [true_sides != 0, predicted_sides != 0, self.mean_directions != 0]
        return _list_gaps(data, model, comparison, signs, [*numbers, status, *flags])


def _list_gaps(
    data: GroupRates, model: Label, comparison: Comparison, signs: Array, columns: list[Array]
) -> tuple[Gap, ...]:
    """Return gaps from columns in the order of their fields; a sign of -1 exchanges the groups."""
    pair, of_class = np.array([comparison.first, comparison.second]), comparison.of_class
    pair = np.where(signs > 0, pair, pair[::-1])
    true, predicted = (rates[0][pair, of_class] for rates in (data.true, data.predicted[model]))
    names = [*data.groups, ALL_ROWS]
    first, second = ([names[i] for i in positions] for positions in pair.tolist())
    classes = [data.classes[i] for i in of_class.tolist()]
    sides = [zip(*side.tolist(), strict=True) for side in (data.rows[pair], true, predicted)]
    others = [column.tolist() for column in columns]
    fields = zip(first, second, classes, *sides, *others, strict=True)
    return tuple(Gap(*values) for values in fields)


# All gaps of all models together.


@dataclass(frozen=True)
class Judgement:
    """The verdict on one model in one direction.

    Attributes
    ----------
    model : hashable
    code : {"amplifies", "reduces", "reverses", "mixed", "no_clear_change", "cannot_say"}
    reason : {"one_group", "too_few_rows", "too_many_gaps", "no_interval", ""}
        Why nothing can be said; empty for the other codes.
    mean_change : Estimate
        The mean change of the gaps with a certain direction, along it; NaN if there is none.
    gaps : tuple of Gap
    comparison : {"pairs", "all rows"}
        Whether groups are compared with each other or with all rows together.
    n_gaps : int
        Gaps of this comparison. If they cannot be judged, `gaps` is empty.
    """

    model: Label
    code: str
    reason: str
    mean_change: Estimate
    gaps: tuple[Gap, ...]
    comparison: str
    n_gaps: int


def judge(
    data: GroupRates, *, compared: Sequence[int] | None = None, confidence: float = 0.95
) -> list[Judgement]:
    """Return what is said of each model; all models are one family.

    If pairs of groups give more than 5,000 gaps, each group is compared with all rows together,
    whose rates the data then hold.

    Parameters
    ----------
    data : GroupRates
    compared : sequence of int, optional
        Positions of the classes that are compared, by default all. Of two exclusive classes the
        caller names the positive one, because one says it all.
    confidence : float
        The chance that all bands of the family hold.
    """
    compared = range(len(data.classes)) if compared is None else compared
    comparison = choose_comparison(data.sizes, compared)
    n_gaps = len(comparison.first)
    reason, why = "", words.NOT_JUDGED
    if np.count_nonzero(data.rows[: len(data.groups)]) < 2:
        reason = "one_group"
    elif n_gaps == 0:
        reason = "too_few_rows"
    elif n_gaps > MOST_GAPS:
        reason = "too_many_gaps"
    else:
        is_defined = _are_defined(data, comparison)
        n_boot, n_defined = len(is_defined) - 1, int(is_defined[1:].sum())
        why = reason_of_number(n_defined, n_boot, confidence)
        if why or not is_defined[0]:
            reason = "no_interval"
    if reason:
        mean, kind = Estimate(np.nan, reason=why or words.UNDEFINED), comparison.kind
        models = data.predicted
        return [Judgement(m, "cannot_say", reason, mean, (), kind, n_gaps) for m in models]
    true_draws = comparison.draws(data.true[is_defined])
    measured = {
        model: ModelGaps(true_draws, comparison.draws(rates[is_defined]))
        for model, rates in data.predicted.items()
    }
    k = family_quantile([of_model.largest_t for of_model in measured.values()], confidence)
    if k == 0:  # No model errs, or the changes are the same in every replicate.
        k = family_quantile([largest_t(true_draws, measure(true_draws))], confidence)
    judgements = []
    for model, of_model in measured.items():
        gaps = of_model.judge(data, model, comparison, k)
        mean = of_model.mean_change(comparison.half_row, k)
        code = _code({gap.status for gap in gaps}, mean)
        judgements.append(Judgement(model, code, "", mean, gaps, comparison.kind, n_gaps))
    return judgements


def _code(statuses: Collection[str], mean: Estimate) -> str:
    """Return the code of a model from the statuses of its gaps and the band of its mean change."""
    larger = "grows" in statuses or "appears" in statuses or mean.low > 0
    smaller = "shrinks" in statuses or mean.high < 0
    reverses = "reverses" in statuses
    if larger and (smaller or reverses):
        return "mixed"
    if larger:
        return "amplifies"
    if reverses:
        return "reverses"
    return "reduces" if smaller else "no_clear_change"


def _are_defined(data: GroupRates, comparison: Comparison) -> Array:
    """Return in which draws every rate that is compared exists."""
    groups = np.union1d(comparison.first, comparison.second)[:, None]
    classes = np.unique(comparison.of_class)
    all_rates = (data.true, *data.predicted.values())
    defined = [np.isfinite(x[:, groups, classes]).all(axis=(1, 2)) for x in all_rates]
    return np.logical_and.reduce(defined)
