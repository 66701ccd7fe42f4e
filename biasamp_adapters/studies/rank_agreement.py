"""Whether a metric orders models as another score of their bias does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import kendalltau, norm

from biasamp_adapters import words
from biasamp_adapters.counting.arrays import to_numbers
from biasamp_adapters.counting.labels import listing
from biasamp_adapters.metrics.base import check_confidence

#: With fewer models there is no interval.
_FEWEST = 5

#: Decimals, relative to the largest value, that tell values apart.
_DECIMALS = 12


def rank_agreement(values: Any, scores: Any, *, confidence: float = 0.95) -> pd.DataFrame:
    """Return how far metrics order models as another score does: Kendall's tau-b.

    Tau is the share of pairs of models in the same order minus the share in opposite orders: 1
    where the orders agree, -1 where one is the reverse, around 0 where they are unrelated.

    Parameters
    ----------
    values : AuditReport, DataFrame, Series, mapping or sequence
        A report on several models; a frame with a row for each model and a column for each metric;
        or the value of each model.
    scores : Series, mapping or sequence
        The other score of each model; larger means more bias.
    confidence : float

    Returns
    -------
    DataFrame
        A row for each metric: ``metric``, ``tau`` (between -1 and 1; NaN where all models have the
        same value), ``low``, ``high``, ``p`` (of ``scipy.stats.kendalltau``), ``n`` (models that
        have a value), and ``reason`` (why tau or its interval is missing).

    Raises
    ------
    ValueError
        If values and scores are not of the same models, or a score is missing.

    Notes
    -----
    The interval takes the models as drawn independently from a larger population of models; of
    models in families (sizes or seeds of a few architectures) it is too short. It holds each
    population tau from which the observed one is less than 1.96 standard deviations away, with the
    standard deviation that tau has where scores are normal. Metrics of the same models share the
    chance of these models: intervals that overlap may still differ.

    References
    ----------
    Kendall, "A new measure of rank correlation", 1938. Esscher, "On a method of determining
    correlation from the ranks of the variates", 1924. Tokas, Nair and Kerner, "DPA", 2025, Tables
    3, 4, 10 and 11, compare such ranks.

    Examples
    --------
    Of the 15 pairs of six models, one is in the other order, so tau is (14 - 1) / 15:

    >>> import biasamp_adapters as bam
    >>> table = bam.studies.rank_agreement([-3, -1, 1, 0, 2, 3], [1, 2, 3, 4, 5, 6])
    >>> table.round(3)
      metric    tau    low   high      p  n reason
    0  value  0.867  0.191  0.977  0.017  6
    """
    check_confidence(confidence)
    table, outside = _read(values, "values"), _read(scores, "scores")["value"]
    if not outside.dropna().index.sort_values().equals(table.index.unique().sort_values()):
        received = f"{listing([*table.index])} and {listing([*outside.dropna().index])}"
        raise ValueError(f"values and scores must be of the same models, once; received {received}")
    rows = [{"metric": x} | _agreement(table[x].dropna(), outside, confidence) for x in table]
    return pd.DataFrame(rows)


def _read(values: Any, argument: str) -> pd.DataFrame:
    """Return values by model and metric; of one metric, the column is "value"."""
    if hasattr(values, "summary"):
        values = values.to_frame().pivot(index="model", columns="key", values="value")
    if not isinstance(values, pd.DataFrame):
        values = pd.DataFrame({"value": pd.Series(values)})
    return pd.DataFrame(to_numbers(values.to_numpy(), argument), values.index, values.columns)


def _agreement(values: Any, outside: Any, confidence: float) -> dict[str, Any]:
    """Return tau of one metric, with its interval or the reason why there is none."""
    x, y = _rounded(values), _rounded(outside[values.index])
    numbers = dict.fromkeys(("tau", "low", "high", "p"), np.nan) | {"n": len(x), "reason": ""}
    if min(len({*x}), len({*y})) < 2:
        return numbers | {"reason": words.EQUAL_MODELS}
    tau, p = map(float, kendalltau(x, y))
    numbers |= {"tau": tau, "p": p}
    if len(x) < _FEWEST:
        return numbers | {"reason": words.FEW_MODELS.format(n=_FEWEST)}
    z = float(norm.ppf((1 + confidence) / 2))
    return numbers | {"low": _lowest(tau, len(x), z), "high": -_lowest(-tau, len(x), z)}


def _rounded(numbers: Any) -> list[float]:
    """Return numbers without the differences that sums of floats make."""
    finite = np.abs(numbers[np.isfinite(numbers)])
    return (numbers / (finite.max() or 1)).round(_DECIMALS).tolist()


def _lowest(tau: float, n: int, z: float) -> float:
    """Return the smallest population tau that the observed one does not reject."""
    if tau <= -1:
        return -1.0
    end = min(tau, 1 - 1e-9)  # At 1 the deviation is 0.
    return float(brentq(lambda true: tau - true - z * _deviation(true, n), -1, end))


def _deviation(tau: float, n: int) -> float:
    """Return the standard deviation of tau of n normal scores, by their population tau."""
    of_triples = 1 / 9 - (2 / np.pi * np.arcsin(np.sin(np.pi / 2 * tau) / 2)) ** 2
    return float(np.sqrt(max(2 / (n * (n - 1)) * (1 - tau**2 + 2 * (n - 2) * of_triples), 0)))
