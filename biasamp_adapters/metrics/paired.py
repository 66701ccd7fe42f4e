"""Models on the same rows: paired differences, from tables that are drawn for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from biasamp_adapters._roles import Inputs
from biasamp_adapters._text import shown
from biasamp_adapters._typing import RandomState
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.labels import show
from biasamp_adapters.counts.sources import by_model
from biasamp_adapters.inference.estimates import (
    Estimate,
    IntervalMethod,
    IntervalOptions,
    Replicated,
)
from biasamp_adapters.inference.replicates import accelerations
from biasamp_adapters.inference.rules import PAIR_RULES, first_reason
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.plain import numbers
from biasamp_adapters.metrics.result import AmplificationResult, about, caveats, percent


@dataclass(frozen=True, eq=False)
class Comparison:
    """One metric of several models on the same rows, with paired differences.

    Attributes
    ----------
    results : dict of str to AmplificationResult
        The value of each model, with its own interval.
    differences : dict of str to Estimate
        For each model but the first, its value minus that of the first, with a paired interval or
        the reason why there is none.
    """

    results: dict[str, AmplificationResult]
    differences: dict[str, Estimate]

    @classmethod
    def of(
        cls,
        results: dict[str, AmplificationResult],
        confidence: float,
        method: IntervalMethod = "percentile",
    ) -> Self:
        """The results of all models, and the differences of all from the first."""
        first, *others = results
        pairs = {model: {model: results[model], first: results[first]} for model in others}
        return cls(
            results,
            {model: paired_difference(pair, confidence, method) for model, pair in pairs.items()},
        )

    @property
    def difference(self) -> Estimate:
        """The only difference of two models: the second minus the first.

        Raises
        ------
        ValueError
            If there are more than two.
        """
        if len(self.differences) > 1:
            raise ValueError(f"differences names several models: {[*self.differences]}")
        return next(iter(self.differences.values()))

    def to_frame(self) -> pd.DataFrame:
        """One row per model.

        Returns
        -------
        DataFrame
            ``model``, ``value``, ``low`` and ``high``; then ``difference``, ``difference_low`` and
            ``difference_high``, against the first model; and a ``note``.
        """
        columns = ["model", "value", "low", "high"]
        columns += ["difference", "difference_low", "difference_high", "note"]
        rows = []
        for model, result in self.results.items():
            gap = self.differences.get(model, Estimate(np.nan, None, None))
            notes = [*result.notes]
            if gap.reason and result.n_boot:
                notes.append(f"no interval of the difference: {gap.reason}")
            ends, gap_ends = (estimate.interval or (np.nan, np.nan) for estimate in (result, gap))
            rows.append((model, result.value, *ends, gap.value, *gap_ends, "; ".join(notes)))
        return pd.DataFrame(rows, columns=columns)

    def _repr_html_(self) -> str:
        return self._card

    @cached_property
    def _card(self) -> str:
        # A notebook needs them, and little else does.
        from biasamp_adapters.cards.card import Card, Footnotes, name_of, values

        (first, result), footnotes = next(iter(self.results.items())), Footnotes()
        declared, name = about(result.metric), shown(result.short_name)
        gaps = {model: numbers(gap) for model, gap in self.differences.items()}
        table = partial(
            values,
            footnotes=footnotes,
            interval=f"{percent(result.confidence)} interval",
            in_points=declared.in_points,
        )
        return Card(
            title=f"{name} of {len(self.results)} models",
            facts=[*map(shown, result.facts_in_words)],
            sentences=[("", " ".join(_in_words(model, first, row) for model, row in gaps.items()))],
            tables=[
                table(
                    f"{name} of each model",
                    "model",
                    [(model, result.row) for model, result in self.results.items()],
                    signed=declared.signed,
                ),
                table(
                    f"The same minus that of {name_of(first)}, on the same drawn rows",
                    "model",
                    gaps.items(),
                ),
            ],
            footnotes=footnotes.texts,
            **caveats(note for result in self.results.values() for note in result.notes),
        ).to_html()

    def __repr__(self) -> str:
        first, *others = self.results
        result = self.results[first]
        of_class = "" if result.pos_label is None else f" (class {show(result.pos_label)})"
        lines = [f"<Comparison: {result.metric} {result.direction}{of_class}, {result.n} rows"]
        lines += [f"  {model}: {result.estimate.text()}" for model, result in self.results.items()]
        lines += [f"  {model} - {first}: {self.differences[model].text()}" for model in others]
        return "\n".join(lines) + ">"


def _in_words(model: str, first: str, gap: dict[str, Any]) -> str:
    """What the paired difference of two models says."""
    from biasamp_adapters.cards.card import name_of
    from biasamp_adapters.cards.strips import side

    words = {
        1: "is clearly above",
        -1: "is clearly below",
        0: "cannot be told from",
        None: "has no interval of its difference from",
    }
    return f"{name_of(model)} {words[side(gap)]} {name_of(first)}."


def compare(
    metric: Metric,
    y_true: Any,
    y_pred: Mapping[str, Any],
    *,
    sensitive_features: Any,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    n_boot: int = 2000,
    confidence: float = 0.95,
    interval_method: IntervalMethod = "percentile",
    signs: Literal["reference", "reestimated"] = "reference",
    random_state: RandomState = None,
) -> Comparison:
    """Compare models that predicted the same rows, by one metric.

    Parameters
    ----------
    metric : metric object
        For example ``DirectionalBiasAmplification()``.
    y_true : array-like of shape (n,) or (n, tasks)
        Task labels.
    y_pred : mapping of str to array-like
        Predictions of each model; the others are compared with the first.
    sensitive_features : array-like of shape (n,) or (n, attributes), or Indicators
        Protected attribute.
    sensitive_features_pred : same as ``sensitive_features``, or mapping of str to such, optional
        Predicted attribute, of each model.
    sample_weight, clusters, n_boot, confidence, interval_method, signs, random_state
        As in ``metric.result``.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If there are fewer than two models, or an input breaks a rule.

    Notes
    -----
    The same rows are drawn for all models, so what they have in common cancels: the interval of the
    difference is narrower than those of the values suggest. Where a metric flips labels at
    random, models with the same tables share these flips; others draw their own.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> group = ["a"] * 50 + ["b"] * 50
    >>> y_true = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> models = {
    ...     "old": [1] * 40 + [0] * 10 + [1] * 15 + [0] * 35,
    ...     "new": [1] * 34 + [0] * 16 + [1] * 19 + [0] * 31,
    ... }
    >>> found = bam.compare(
    ...     bam.DirectionalBiasAmplification(), y_true, models, sensitive_features=group
    ... )
    >>> found.to_frame()[["model", "value", "difference"]].round(3)
      model  value  difference
    0   old   0.15         NaN
    1   new   0.05        -0.1
    """
    options = IntervalOptions(n_boot, confidence, interval_method, signs, random_state)
    if not isinstance(y_pred, Mapping):
        raise ValueError(
            f"y_pred must map names of models to predictions; received a {type(y_pred).__name__}"
        )
    models, predicted = by_model(y_pred, sensitive_features_pred)
    _check_several(models)
    inputs = Inputs(y_true, models, sensitive_features, predicted, sample_weight, clusters)
    uncounted = {
        name: metric._uncounted(
            inputs._replace(y_pred=models[name], sensitive_features_pred=predicted[name])
        )
        for name in models
    }
    results = {name: result for name, result in uncounted.items() if result is not None}
    if len(results) == len(models):
        return Comparison.of(results, confidence)
    return _compared(metric, metric._count(inputs), options)


def compare_counts(
    metric: Metric,
    counts: Counts,
    *,
    n_boot: int = 2000,
    confidence: float = 0.95,
    interval_method: IntervalMethod = "percentile",
    signs: Literal["reference", "reestimated"] = "reference",
    random_state: RandomState = None,
) -> Comparison:
    """:func:`compare` from counts of several models, wherever the rows are.

    Parameters
    ----------
    metric : metric object
    counts : JointCounts or CooccurrenceCounts
        With the predictions of at least two models.
    n_boot, confidence, interval_method, signs, random_state
        As in :func:`compare`.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If there are fewer than two models, or the counts lack what the metric reads.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> counts = bam.JointCounts.from_arrays(
    ...     [0, 1] * 20, {"old": [1, 1] * 20, "new": [0, 1] * 20}, ["a", "b"] * 20
    ... )
    >>> bam.compare_counts(bam.MALS(), counts, n_boot=0).difference.value
    0.5
    """
    options = IntervalOptions(n_boot, confidence, interval_method, signs, random_state)
    return _compared(metric, counts, options)


def _compared(metric: Metric, counts: Counts, options: IntervalOptions) -> Comparison:
    evaluation = metric._aligned(counts)
    _check_several(counts.models)
    results = metric._results(evaluation, options)
    return Comparison.of(results, options.confidence, options.interval_method)


def _check_several(models: Any) -> None:
    if len(models) < 2:
        raise ValueError(f"a comparison needs at least two models; received {[*models]}")


def no_difference(first: AmplificationResult, second: AmplificationResult) -> str | None:
    """Reason why two values must not be subtracted from each other, or None."""
    if first.measurement is None or second.measurement is None:
        return None
    kinds = np.asarray(first.measurement.difference), np.asarray(second.measurement.difference)
    return first_reason(PAIR_RULES, kinds)


def paired_difference(
    results: Mapping[str, AmplificationResult],
    confidence: float,
    method: IntervalMethod = "percentile",
) -> Estimate:
    """Value of one model minus that of another, from the same draws.

    Parameters
    ----------
    results : mapping of str to AmplificationResult
        Those of the two models, by name.
    confidence, method
        Of the interval.
    """
    first, second = (result.replicated or Replicated(result.value) for result in results.values())
    if reason := no_difference(*results.values()):
        return Estimate(float("nan"), None, reason)
    for model, score in zip(results, (first, second), strict=True):
        if score.reason:
            return Estimate(first.value - second.value, None, f"of {model}: {score.reason}")
    gap, skew = first.minus(second), {}
    if method == "bca" and gap.replicates is not None:
        measurements = [
            result.measurement for result in results.values() if result.measurement is not None
        ]
        skew = accelerations(measurements, [1, -1])
    return gap.estimate(confidence, method, skew.get("value", 0.0))
