"""The verdict of an audit, read from the gaps between groups: a pure function of arrays.

One family holds the changes of all gaps of all models and the mean change of each model; k is the
quantile of its largest |t|. A number is clear if it is farther from 0 than k standard errors plus
half a row of the smaller group; one that is the same in every replicate has no half row.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import Array, Label
from biasamp_adapters.inference import gaps as rule
from biasamp_adapters.inference.bands import family_quantile, largest_t, measure
from biasamp_adapters.inference.gaps import Comparison, Gap, GroupRates
from biasamp_adapters.inference.intervals import Estimate, are_enough


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
    comparison = rule.choose_comparison(data.sizes, compared)
    n_gaps = len(comparison.first)
    reason = ""
    if np.count_nonzero(data.rows[: len(data.groups)]) < 2:
        reason = "one_group"
    elif n_gaps == 0:
        reason = "too_few_rows"
    elif n_gaps > rule.MOST_GAPS:
        reason = "too_many_gaps"
    else:
        is_defined = _are_defined(data, comparison)
        n_boot, n_defined = len(is_defined) - 1, int(is_defined[1:].sum())
        if not is_defined[0] or not are_enough(n_defined, n_boot, confidence):
            reason = "no_interval"
    if reason:
        mean, kind = Estimate(np.nan, reason=words.NOT_JUDGED), comparison.kind
        models = data.predicted
        return [Judgement(m, "cannot_say", reason, mean, (), kind, n_gaps) for m in models]
    true_draws = comparison.draws(data.true[is_defined])
    measured = {
        model: rule.ModelGaps(true_draws, comparison.draws(rates[is_defined]))
        for model, rates in data.predicted.items()
    }
    k = family_quantile([of_model.largest_t for of_model in measured.values()], confidence)
    if k == 0:  # No model errs, or the changes are the same in every replicate.
        k = family_quantile([largest_t(true_draws, measure(true_draws))], confidence)
    return [_judgement(data, comparison, *of_model, k) for of_model in measured.items()]


def _judgement(
    data: GroupRates, comparison: Comparison, model: Label, of_model: rule.ModelGaps, k: float
) -> Judgement:
    gaps = of_model.judge(data, model, comparison, k)
    mean = of_model.mean_change(comparison.half_row, k)
    code = _code({gap.status for gap in gaps}, mean)
    return Judgement(model, code, "", mean, gaps, comparison.kind, len(gaps))


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
