"""Comparing models on the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters import words
from biasamp_adapters.counting.counts import columns_among
from biasamp_adapters.figures import name
from biasamp_adapters.inference.bands import simultaneous_bands
from biasamp_adapters.inference.intervals import Estimate
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.functions import get_metric
from biasamp_adapters.result import AmplificationResult


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of models on the same rows, and how the others differ from the first one.

    Attributes
    ----------
    results : dict of str to AmplificationResult
    differences : dict of str to Estimate
        Each other model minus the first one, from the same draws. Their intervals hold at once.
    """

    results: dict[str, AmplificationResult]
    differences: dict[str, Estimate]

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each model.

        Columns are ``model``, ``value``, ``low``, ``high``, ``reason``, ``difference``,
        ``difference_low``, ``difference_high`` and ``clear``: whether the interval of the
        difference excludes 0.
        """
        rows = []
        for model, result in self.results.items():
            x, y = result.estimate, self.differences.get(model, Estimate(np.nan))
            is_clear = y.low > 0 or y.high < 0
            rows.append([model, x.value, x.low, x.high, x.reason, y.value, y.low, y.high, is_clear])
        columns = ["model", "value", "low", "high", "reason"]
        columns += ["difference", "difference_low", "difference_high", "clear"]
        return pd.DataFrame(rows, columns=columns)

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats on the values, each once."""
        return tuple(dict.fromkeys(x for result in self.results.values() for x in result.notes))

    def plot(self, ax: Any = None) -> Any:
        """Draw the models by :func:`biasamp_adapters.plot.intervals`; return the axes."""
        from biasamp_adapters.plot import intervals

        return intervals(self, ax=ax)

    def __repr__(self) -> str:
        frame = self.frame.round(4)
        table = frame.assign(model=frame["model"].map(name)).to_string(index=False)
        return "\n".join([table, *(f"  {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return self.frame.round(4).to_html(index=False, escape=True) + notes


def compare(
    data: Any = None,
    y_pred: Mapping[str, Any] | None = None,
    *,
    y_true: Any = None,
    metric: Metric | str = "BA",
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    reference: Any = None,
    n_boot: int = 2000,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> Comparison:
    """Compare models on the same rows, with paired intervals of their differences.

    Parameters
    ----------
    data : frame, path, list of paths or Counts; or the values of ``y_true``
    y_pred : dict of str to array-like, or to names of columns
        The predictions of each model; differences are from the first one.
    metric : Metric or str
        An object, or a name such as "BA", "BA T->A", "LA" or "ba_a_to_t".
    y_true, sensitive_features, sensitive_features_pred, sample_weight, clusters : object
        As in :meth:`DirectionalBiasAmplification.result`.
    reference : object, optional
        As for metrics; for a metric that is named.
    n_boot, confidence, random_state
        As in :meth:`DirectionalBiasAmplification.result`.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If there are fewer than two models, an input cannot be read, or the metric is unknown or
        lacks what it needs.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> groups, truth = ["a"] * 40 + ["b"] * 40, [1, 0] * 20 + [0, 0, 0, 1] * 10
    >>> models = {"same": truth, "ones for a": [1] * 40 + truth[40:]}
    >>> comparison = bam.compare(truth, models, sensitive_features=groups, n_boot=500)
    >>> comparison.frame[["model", "value", "difference", "clear"]]
            model  value  difference  clear
    0        same   0.00         NaN  False
    1  ones for a   0.25        0.25   True
    """
    metric = get_metric(metric, reference=reference)
    evaluation = metric.read(data, columns_among(locals()))
    if len(evaluation.rows.models) < 2:
        rule = "compare needs at least two models, as a dict"
        raise ValueError(f"{rule}: y_pred={{'old': ..., 'new': ...}}")
    results = metric.results(evaluation, n_boot, confidence, random_state)
    return Comparison(results, _differences(results, confidence))


def _differences(
    results: Mapping[str, AmplificationResult], confidence: float
) -> dict[str, Estimate]:
    """Return the differences of all models from the first one, as one family."""
    (first, base), *others = results.items()
    reasons = [_reason_for_no_difference({first: base, model: x}) for model, x in others]
    values = np.array([x.value - base.value for _, x in others])
    replicates = np.full((len(base.estimate.replicates), len(others)), np.nan)
    for column, (_, result) in enumerate(others):
        if not reasons[column]:
            replicates[:, column] = result.estimate.replicates - base.estimate.replicates
    ends = simultaneous_bands(values, replicates, base.measurement.half_row, confidence)
    differences = {}
    numbers = zip(others, reasons, values.tolist(), *(end.tolist() for end in ends), strict=True)
    for (model, _), reason, value, low, high in numbers:
        reason = reason or ("" if np.isfinite(low) else words.UNDEFINED)
        differences[model] = Estimate(value, low, high, reason)
    return differences


def _reason_for_no_difference(pair: Mapping[str, AmplificationResult]) -> str:
    """Return why the difference of two models has no interval, or an empty text."""
    for model, result in pair.items():
        if result.reason == words.NOT_REQUESTED:
            return result.reason
        if result.reason:
            return words.MODEL_HAS_NONE.format(model=model, reason=result.reason)
    first, second = (result.measurement.is_ratio for result in pair.values())
    return "" if first == second else words.DIFFERENCE_AND_RATIO
