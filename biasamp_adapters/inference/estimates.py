"""Estimates: numbers with an interval, from replicates or runs, or with a reason for none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np

from biasamp_adapters._typing import (
    Array,
    RandomState,
    as_float,
    check_choice,
    check_random_state,
    is_real,
    is_whole,
)
from biasamp_adapters.inference.rules import (
    BCA_RULES,
    INTERVAL_RULES,
    REPLICATE_RULES,
    Evidence,
    Request,
    Shift,
    first_reason,
)

IntervalMethod: TypeAlias = Literal["percentile", "basic", "bca"]
Interval: TypeAlias = tuple[float, float]

#: The range of a number of which no range is known.
UNLIMITED: Interval = (-np.inf, np.inf)

#: The most replicates, or trials of flips, that may be asked for.
MOST_DRAWS = 1_000_000

#: Why there is no interval where nothing was drawn.
NOT_DRAWN = "no replicates were drawn"

#: The level whose interval must hold a value, whatever quantiles are asked for.
_HELD_AT = 0.95

#: Differences that floating-point sums in another order may make.
_ROUNDING = 1e-12

#: A lower end that is further away, in standard deviations, is none.
_MOST_STEPS = 30.0

#: The mean over trials is within this many standard errors of what it estimates.
MONTE_CARLO = 3.0


class DefaultReplicates(int):
    """A number of replicates that was not asked for: an audit of large tables draws fewer."""


#: Replicates of an audit, unless their number is asked for.
N_BOOT = DefaultReplicates(2000)


def error_of_ends(n_boot: int, confidence: float) -> float:
    """The Monte Carlo standard error of the end of a percentile interval.

    It is a share of how far the end is from the value, for normal replicates: that of a quantile is
    sqrt(p (1 - p) / n_boot) over the density there.
    """
    from scipy.stats import norm

    tail = (1 - confidence) / 2
    steps = norm.isf(tail)
    return float(np.sqrt(tail * (1 - tail) / n_boot) / (norm.pdf(steps) * steps))


def check_confidence(confidence: float) -> None:
    """Raise unless ``confidence`` is a level strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie strictly between 0 and 1; received {confidence}")


def check_draws(argument: str, number: int, fewest: int) -> None:
    """Raise unless a number of draws is whole, and from ``fewest`` to the most."""
    if not is_whole(number) or not fewest <= number <= MOST_DRAWS:
        raise ValueError(
            f"{argument} must be a whole number from {fewest} to {MOST_DRAWS:,}; "
            f"received {number!r}"
        )


@dataclass(frozen=True)
class IntervalOptions:
    """Validated options of intervals; ``metric.result`` explains them."""

    n_boot: int
    confidence: float
    interval_method: IntervalMethod = "percentile"
    signs: str = "reference"
    random_state: RandomState = None

    def __post_init__(self) -> None:
        check_draws("n_boot", self.n_boot, 0)
        check_confidence(self.confidence)
        check_choice("interval_method", self.interval_method, get_args(IntervalMethod))
        check_random_state(self.random_state)
        if self.signs not in ("reference", "reestimated"):
            raise ValueError(f"signs must be 'reference' or 'reestimated'; received {self.signs!r}")


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


def clearness(value: float, interval: Interval | None, clear: bool) -> tuple[bool, float]:
    """Sorts values by how surely they differ from 0.

    Clear ones come first, by the end nearer to 0; then those that are nearest to being clear, as a
    share of the widths of their intervals, so that a narrow interval around 0 is not among them.
    """
    if interval is None:
        return True, -abs(value)
    low, high = interval
    if low * high > 0:
        return not clear, -min(abs(low), abs(high))
    outside, width = min(abs(low), abs(high)), high - low
    return not clear, outside / width if width else 1.0


def outer_level(quantiles: Sequence[float]) -> float:
    """The level that the outermost quantiles enclose; 0 for the median alone."""
    return max(1 - 2 * min(min(quantiles), 1 - max(quantiles)), 0.0)


@dataclass(frozen=True, eq=False)
class Replicated:
    """A number with its bootstrap replicates.

    Attributes
    ----------
    value : float
    replicates : ndarray of shape (n_boot,), or None
        None if none were drawn.
    reason : str or None
        Why the replicates give no interval, if they do not.
    evidence : Evidence
    """

    value: float
    replicates: Array | None = None
    reason: str | None = None
    evidence: Evidence = field(default_factory=Evidence)

    @classmethod
    def read(cls, value: float, replicates: Array, evidence: Evidence) -> Self:
        """A score with its replicates, moved to where it lies and checked by the rules.

        The bootstrap takes the sample for the population, in which chance errors of a model are
        real dependence. Replicates of an attack therefore scatter around another centre than
        the value (docs: sparse tables).
        """
        centre = value if evidence.centre is None else evidence.centre
        base = value if evidence.base is None else evidence.base
        drawn = replicates[np.isfinite(replicates)]
        if not (np.isfinite([value, centre, base]).all() and len(drawn)):
            return cls(value, replicates, None, evidence)
        mean, spread = drawn.mean(), drawn.std()
        shift = Shift(evidence, float(mean - centre), float(spread))
        if evidence.is_level:
            replicates = np.maximum(base + centre - replicates, 0)
        elif evidence.base is not None:
            is_noise = abs(base - mean) <= MONTE_CARLO * spread / np.sqrt(len(drawn))
            replicates = replicates if is_noise else replicates + (base - mean)
        return cls(value, replicates, first_reason(REPLICATE_RULES, shift), evidence)

    def minus(self, other: Replicated) -> Replicated:
        """The difference from another number with the same draws."""
        replicates = None
        if self.replicates is not None and other.replicates is not None:
            replicates = self.replicates - other.replicates
        (down, up), (other_down, other_up) = self.evidence.margin, other.evidence.margin
        noise = self.evidence.noise + other.evidence.noise
        margin = down + other_up, up + other_down
        if replicates is not None and self.value == other.value and not replicates.any():
            margin = 0.0, 0.0  # Both are the same, whatever was added to them.
        evidence = Evidence(margin=margin, noise=noise)
        return Replicated(self.value - other.value, replicates, evidence=evidence)

    def estimate(
        self,
        confidence: float,
        method: IntervalMethod = "percentile",
        acceleration: float | str = 0.0,
    ) -> Estimate:
        """The number with its interval, or why there is none.

        Parameters
        ----------
        confidence : float
        method : {"percentile", "basic", "bca"}
        acceleration : float or str
            For "bca": how fast the standard error changes with the value, or why that is not
            known.
        """
        value, evidence = float(self.value), self.evidence
        if self.reason or self.replicates is None:
            return Estimate(value, None, self.reason or NOT_DRAWN)
        request = Request(
            value, self.replicates, confidence, confidence, evidence.noise, acceleration
        )
        # Levels are mirrored already, which the other methods would undo.
        method = "percentile" if evidence.is_level else method
        rules = [*INTERVAL_RULES, *BCA_RULES] if method == "bca" else INTERVAL_RULES
        reason = first_reason(rules, request)
        if reason:
            return Estimate(value, None, reason)
        low, high = request.ends
        if method == "bca":
            low, high = np.quantile(request.defined, request.bca_levels).tolist()
        low, high = min(low, value), max(high, value)
        if method == "basic":
            low, high = 2 * value - high, 2 * value - low
        tail, (lowest, highest) = (1 - confidence) / 2, evidence.limits
        low, high = low + self._margin(tail), high + self._margin(1 - tail)
        return Estimate(value, (max(low, lowest), min(high, highest)), None)

    @property
    def may_be_chance(self) -> bool:
        """Whether chance alone may make a magnitude as large as this, and makes any."""
        return self.evidence.clear_above > max(self.value, 0.0) - _ROUNDING and (
            self.evidence.clear_above > _ROUNDING
        )

    def _margin(self, quantile: float) -> float:
        """How far the end of an interval at a quantile is moved, upwards if positive."""
        down, up = self.evidence.margin
        if quantile == 0.5:
            return 0.0
        return up if quantile > 0.5 else -down - self._selected(quantile)

    def _selected(self, tail: float) -> float:
        """How much lower an interval ends as only clear magnitudes exclude their lower limit.

        Of those that just exceed what chance may reach, many do so by chance. The lower end is the
        one that holds given that the value exceeds it, for a normal number.
        """
        threshold = self.evidence.clear_above
        if self.replicates is None or np.isneginf(threshold):
            return 0.0
        if self.value <= threshold + _ROUNDING:
            return np.inf
        spread = float(np.nanstd(self.replicates))
        if spread == 0:
            return 0.0
        return spread * steps_below((self.value - threshold) / spread, tail)

    def no_quantiles(self, quantiles: Sequence[float]) -> str | None:
        """Reason why the replicates give no such quantiles, or None."""
        if self.reason or self.replicates is None:
            return self.reason
        level = outer_level(quantiles)
        held_at = max(level, _HELD_AT)
        request = Request(self.value, self.replicates, level, held_at, self.evidence.noise)
        return first_reason(INTERVAL_RULES, request)

    def quantiles(self, quantiles: Sequence[float]) -> Array:
        """Quantiles of the replicates; NaN where they give none."""
        if self.replicates is None or self.no_quantiles(quantiles):
            return np.full(len(quantiles), np.nan)
        defined = self.replicates[np.isfinite(self.replicates)]
        margins = np.array([self._margin(quantile) for quantile in quantiles])
        return np.clip(np.quantile(defined, quantiles) + margins, *self.evidence.limits)


def steps_below(distance: float, tail: float) -> float:
    """How much lower the lower end of a selected normal number lies, in standard deviations.

    It is the mean of which such a number, given that it exceeds a threshold, is exceeded with
    the chance ``tail``; without the selection it would be the normal quantile.

    Parameters
    ----------
    distance : float
        How far the number exceeds the threshold, in its standard deviations.
    tail : float
    """
    from scipy.optimize import brentq
    from scipy.special import log_ndtr, ndtri  # scipy.stats.norm checks shapes in every call

    def excess(steps: float) -> float:
        return float(log_ndtr(-steps) - np.log(tail) - log_ndtr(distance - steps))

    if tail <= 0 or excess(_MOST_STEPS) > 0:
        return np.inf
    usual = -float(ndtri(tail))
    return float(brentq(excess, usual, _MOST_STEPS)) - usual if excess(usual) > 0 else 0.0


@dataclass(frozen=True)
class RunSummary:
    """The mean over runs (seeds, folds) with its interval.

    Attributes
    ----------
    value : float
        Mean over the runs.
    interval : (low, high) or None
        None for a single run, and where all runs gave the same value.
    std : float
        Standard deviation between the runs; NaN for a single run.
    n_runs : int
    confidence : float
    method : {"t", "normal"}
    reason : str or None
        Why there is no interval.
    """

    value: float
    interval: Interval | None
    std: float
    n_runs: int
    confidence: float
    method: str
    reason: str | None = None


def summarize_runs(
    results: Iterable[Any] | Mapping[str, Any],
    confidence: float = 0.95,
    method: Literal["t", "normal"] = "t",
    *,
    limits: Interval | None = None,
) -> RunSummary:
    """Summarise one value per run by their mean and its interval.

    Parameters
    ----------
    results : iterable of float or AmplificationResult, or mapping of str to such
        One for each run, all of the same metric and direction.
    confidence : float
        Level of the interval.
    method : {"t", "normal"}
        Student's t with runs - 1 degrees of freedom, or the normal distribution.
    limits : (low, high), optional
        The range of the values, in which the interval stays. By default that of the metric where
        runs are results; numbers have none.

    Returns
    -------
    RunSummary

    Raises
    ------
    ValueError
        If there is no run, a value is no number, NaN or outside of ``limits``, or the method is
        unknown.

    Notes
    -----
    Runs that all gave the same value show nothing of how much runs differ, and have no interval.

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
    numbers = [getattr(result, "value", result) for result in results]
    for value in numbers:
        if not is_real(value):
            shown = repr(value) if isinstance(value, str) else f"a {type(value).__name__}"
            raise ValueError(f"runs must be numbers or results of a metric; received {shown}")
    values = np.array([as_float(value) for value in numbers])
    if limits is None:
        ranges = [getattr(result, "limits", UNLIMITED) for result in results] or [UNLIMITED]
        limits = min(low for low, _ in ranges), max(high for _, high in ranges)
    lowest, highest = limits
    if not len(values) or np.isnan(values).any():
        raise ValueError(f"runs must give at least one value and no NaN; received {values}")
    if method not in ("t", "normal"):
        raise ValueError(f"method must be 't' or 'normal'; received {method!r}")
    if ((values < lowest - _ROUNDING) | (values > highest + _ROUNDING)).any():
        raise ValueError(f"runs must lie in the range {list(limits)}; received {values}")
    mean, n_runs = float(values.mean()), len(values)
    std = float(values.std(ddof=1)) if n_runs > 1 else float("nan")
    interval, reason = None, None
    if n_runs == 1:
        reason = "an interval over runs needs two of them"
    elif np.ptp(values) <= _ROUNDING * max(1.0, abs(mean)):
        reason = f"{'both' if n_runs == 2 else f'all {n_runs}'} runs gave the same value"
    else:
        upper = (1 + confidence) / 2
        quantile = t.ppf(upper, n_runs - 1) if method == "t" else norm.ppf(upper)
        half = float(quantile * std / np.sqrt(n_runs))
        # The mean of runs lies in the range, so leaving out what lies outside loses no coverage.
        interval = max(mean - half, lowest), min(mean + half, highest)
    return RunSummary(mean, interval, std, n_runs, confidence, method, reason)
