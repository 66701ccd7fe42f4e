"""Intervals for any function of count tables: a bootstrap is a draw of tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from biasamp_adapters._typing import Array, as_float, is_real, is_whole

IntervalMethod: TypeAlias = Literal["percentile", "basic", "bca"]
Interval: TypeAlias = tuple[float, float]

#: The most replicates, or trials of flips, that may be asked for.
MOST_DRAWS = 1_000_000

#: Why there is no interval where nothing was drawn.
NOT_DRAWN = "no replicates were drawn"

#: Differences that floating-point sums in another order may make.
_ROUNDING = 1e-12

#: With more undefined replicates than this share, no interval is given.
_MAX_UNDEFINED = 0.05


def check_confidence(confidence: float) -> None:
    """Raise unless ``confidence`` is a level strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie strictly between 0 and 1; received {confidence}")


def check_method(method: str) -> None:
    """Raise for an unknown interval method."""
    if method not in get_args(IntervalMethod):
        raise ValueError(
            f"interval_method must be one of {list(get_args(IntervalMethod))}; received {method!r}"
        )


def check_n_boot(n_boot: int) -> None:
    """Raise unless ``n_boot`` is a whole number from 0 to the most draws."""
    if not is_whole(n_boot) or not 0 <= n_boot <= MOST_DRAWS:
        raise ValueError(
            f"n_boot must be a whole number from 0 to {MOST_DRAWS:,}; received {n_boot!r}"
        )


@dataclass(frozen=True)
class Estimate:
    """A number with its interval, or the reason why it has none.

    Attributes
    ----------
    value : float
    interval : (low, high) or None
    reason : str or None
        Why there is no interval that can be trusted.
    """

    value: float
    interval: Interval | None = None
    reason: str | None = NOT_DRAWN

    def widened(self, below: float, above: float, limits: Interval) -> Estimate:
        """The same with an interval that reaches further, within the range of the number."""
        if self.interval is None:
            return self
        low, high = (
            max(self.interval[0] - below, limits[0]),
            min(self.interval[1] + above, limits[1]),
        )
        return Estimate(self.value, (low, high), self.reason)

    def text(self, sign: str = "+") -> str:
        """The numbers with four decimals."""
        if np.isinf(self.value):
            return "unbounded (no error)"
        if self.interval is None:
            return f"{self.value:{sign}z.4f}"
        low, high = self.interval
        return f"{self.value:{sign}z.4f} [{low:{sign}z.4f}, {high:{sign}z.4f}]"


def side_of_zero(interval: Interval) -> int:
    """1 if all of an interval lies above 0, -1 if all of it lies below, 0 if it holds 0."""
    low, high = interval
    return 1 if low > 0 else -1 if high < 0 else 0


def estimate(
    value: float,
    replicates: Array | None,
    confidence: float,
    method: IntervalMethod = "percentile",
    slack: float = 0.0,
    acceleration: float | str = 0.0,
) -> Estimate:
    """The interval around ``value`` that bootstrap replicates give, or why there is none.

    Parameters
    ----------
    value : float
    replicates : array of shape (n_boot,), or None if none were drawn
    confidence : float
    method : {"percentile", "basic", "bca"}
    slack : float
        How far the value may lie outside, for noise of its own.
    acceleration : float or str
        For "bca": how fast the standard error changes with the value, of :func:`acceleration_of`,
        or why that is not known.

    Notes
    -----
    BCa reads other quantiles of the replicates, such that neither a bias of their median nor a
    standard error that grows with the value shifts the interval (Efron 1987, "Better bootstrap
    confidence intervals", section 3).

    A value outside its own percentile interval shows that resampling shifts it: magnitudes such as
    Multi grow with noise, and so do predictabilities of sparse tables. Such an interval says
    nothing of the value, and none is given.
    """
    value = float(value)
    if replicates is None:
        return Estimate(value)
    reason = doubt(value, replicates, confidence, slack)
    if reason:
        return Estimate(value, None, reason)
    low, high = central(replicates, confidence)
    if method == "bca":
        levels = _adjusted(value, replicates, confidence, acceleration)
        if isinstance(levels, str):
            return Estimate(value, None, levels)
        low, high = np.quantile(replicates[np.isfinite(replicates)], levels).tolist()
    low, high = min(low, value), max(high, value)
    if method == "basic":
        low, high = 2 * value - high, 2 * value - low
    return Estimate(value, (low, high), None)


def acceleration_of(scores: Array, n: Array) -> float | str:
    """Acceleration of BCa from the jackknife, or why it is not known.

    Parameters
    ----------
    scores : array of shape (kinds,)
        The score without one row of each kind.
    n : array of shape (kinds,)
        Rows of each kind.
    """
    if not np.isfinite(scores).all():
        return "without one of the rows it is undefined, and BCa leaves out each"
    gap = np.average(scores, weights=n) - scores
    spread = float((n * gap**2).sum())
    return 0.0 if spread == 0 else float((n * gap**3).sum() / (6 * spread**1.5))


def _adjusted(
    value: float, replicates: Array, confidence: float, acceleration: float | str
) -> list[float] | str:
    """The quantiles that BCa reads, or why it reads none."""
    from scipy.stats import norm

    if isinstance(acceleration, str):
        return acceleration
    drawn = replicates[np.isfinite(replicates)]
    # Of ties, half lie below: rounding must not decide on which side they are.
    tied = np.abs(drawn - value) <= _ROUNDING * max(abs(value), 1)
    below = float(np.mean(np.where(tied, 0.5, drawn < value)))
    if not 0 < below < 1:
        return "all replicates lie on one side of the value, and BCa cannot say how far"
    bias = norm.ppf(below)
    tail = (1 - confidence) / 2
    shifted = np.asarray(bias + norm.ppf([tail, 1 - tail]))
    levels = np.asarray(norm.cdf(bias + shifted / (1 - acceleration * shifted)))
    least = min(levels[0], 1 - levels[1])
    if least * len(drawn) < 1 or (acceleration * shifted >= 1).any():
        return f"BCa reads the quantile {least:.2g}, and {len(drawn)} replicates are too few for it"
    return list(levels.tolist())


def central(replicates: Array, level: float) -> Interval:
    """The ends of the middle ``level`` of the defined replicates."""
    tail = (1 - level) / 2
    low, high = np.quantile(replicates[np.isfinite(replicates)], [tail, 1 - tail]).tolist()
    return low, high


def doubt(
    value: float, replicates: Array, level: float, slack: float = 0.0, held_at: float | None = None
) -> str | None:
    """Why bootstrap replicates give no interval at ``level`` for a value, if they do not.

    Parameters
    ----------
    value, replicates, slack
        As in :func:`estimate`.
    level : float
        Level of the interval.
    held_at : float, optional
        The level whose interval must hold the value, if it is another one.
    """
    if not np.isfinite(value):
        what = "undefined" if np.isnan(value) else "unbounded: a loss is 0"
        return f"the value is {what}"
    least = math.ceil(2 / (1 - level) - 1e-9)
    if len(replicates) < least:
        return f"{len(replicates)} replicates are too few: a level of {level:g} needs {least}"
    undefined = int((~np.isfinite(replicates)).sum())
    if undefined > _MAX_UNDEFINED * len(replicates):
        return f"{undefined} of {len(replicates)} bootstrap replicates are undefined or unbounded"
    low, high = central(replicates, held_at or level)
    slack += _ROUNDING * max(abs(value), 1)
    if not low - slack <= value <= high + slack:
        return f"resampling shifts it to between {low:.4f} and {high:.4f}, away from its value"
    return None


@dataclass(frozen=True)
class RunSummary:
    """The mean over runs (seeds, folds) with its interval.

    Attributes
    ----------
    value : float
        Mean over the runs.
    interval : (low, high) or None
        None for a single run.
    std : float
        Standard deviation between the runs; NaN for a single run.
    n_runs : int
    confidence : float
    method : {"t", "normal"}
    """

    value: float
    interval: Interval | None
    std: float
    n_runs: int
    confidence: float
    method: str


def summarize_runs(
    results: Iterable[Any] | Mapping[str, Any],
    confidence: float = 0.95,
    method: Literal["t", "normal"] = "t",
) -> RunSummary:
    """Summarise one value a run: the mean with an interval for it.

    Parameters
    ----------
    results : iterable of float or AmplificationResult, or mapping of str to such
        One for each run, all of the same metric and direction.
    confidence : float
        Level of the interval.
    method : {"t", "normal"}
        Student's t with runs - 1 degrees of freedom, or the normal distribution.

    Returns
    -------
    RunSummary

    Raises
    ------
    ValueError
        If there is no run, a value is no number or NaN, or the method is unknown.

    Notes
    -----
    Runs are never pooled as if they were rows: rows of two runs are the same people twice. [W21]
    5.2 and Table 1 report five runs this way.

    Examples
    --------
    >>> from biasamp_adapters import summarize_runs
    >>> summary = summarize_runs([0.01, 0.03])
    >>> round(summary.value, 4), [round(end, 4) for end in summary.interval]
    (0.02, [-0.1071, 0.1471])
    """
    from scipy.stats import norm, t

    check_confidence(confidence)
    results = list(results.values() if isinstance(results, Mapping) else results)
    kinds = {(r.metric, r.direction, r.pos_label) for r in results if hasattr(r, "metric")}
    if len(kinds) > 1:
        received = ", ".join(sorted(map(str, kinds)))
        raise ValueError(f"runs must be of one metric, direction and class; received {received}")
    found = [getattr(result, "value", result) for result in results]
    for value in found:
        if not is_real(value):
            shown = repr(value) if isinstance(value, str) else f"a {type(value).__name__}"
            raise ValueError(f"runs must be numbers or results of a metric; received {shown}")
    values = np.array([as_float(value) for value in found])
    if not len(values) or np.isnan(values).any():
        raise ValueError(f"runs must give at least one value and no NaN; received {values}")
    if method not in ("t", "normal"):
        raise ValueError(f"method must be 't' or 'normal'; received {method!r}")
    mean, n_runs = float(values.mean()), len(values)
    if n_runs == 1:
        return RunSummary(mean, None, float("nan"), 1, confidence, method)
    std = float(values.std(ddof=1))
    upper = (1 + confidence) / 2
    quantile = t.ppf(upper, n_runs - 1) if method == "t" else norm.ppf(upper)
    half = float(quantile * std / np.sqrt(n_runs))
    return RunSummary(mean, (mean - half, mean + half), std, n_runs, confidence, method)


def joined(blocks: Sequence[dict[str, Array]]) -> dict[str, Array]:
    """Blocks of replicates, put one after the other."""
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
