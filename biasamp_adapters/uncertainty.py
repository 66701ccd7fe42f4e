"""Intervals for any function of count tables: a bootstrap is a draw of tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts import JointCounts
from biasamp_adapters.counts.tables import Tables

IntervalMethod: TypeAlias = Literal["percentile", "basic"]
Interval: TypeAlias = tuple[float, float]

#: Why there is no interval where nothing was drawn.
NOT_DRAWN = "no replicates were drawn"

#: Differences that floating-point sums in another order may make.
_ROUNDING = 1e-12

#: Numbers that one block of replicates may hold.
_BLOCK = 2**21

#: A draw by cells costs about as much as one of this many rows for each cell.
_ROWS_PER_CELL = 14

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
    """Raise unless ``n_boot`` is a whole number, not negative."""
    if isinstance(n_boot, bool) or not isinstance(n_boot, int | np.integer) or n_boot < 0:
        raise ValueError(f"n_boot must be a whole number, not negative; received {n_boot!r}")


def block_size(counts: JointCounts, width: int) -> int:
    """Replicates that one block may hold, ``width`` numbers each beside the cells."""
    per_replicate = max(len(counts.n), width)
    if _by_rows(counts):
        per_replicate = max(per_replicate, counts.n_rows)
    return max(1, _BLOCK // per_replicate)


def _by_rows(counts: JointCounts) -> bool:
    return counts.n_rows < _ROWS_PER_CELL * len(counts.n)


def draw(
    counts: JointCounts, n_boot: int, rng: np.random.Generator, block: int
) -> Iterator[Tables]:
    """Draw the tables that resampled rows would give, in blocks of bounded memory.

    Parameters
    ----------
    counts : JointCounts
    n_boot : int
        Number of tables.
    rng : numpy.random.Generator
    block : int
        Tables drawn at a time.

    Notes
    -----
    Unweighted tables, and weighted ones whose cells keep a row's weight, are drawn exactly: by
    cells from a multinomial, or row by row where rows are few for the cells. Where only sums of
    weights are left, cells are Poisson draws that have their mean and variance.
    """
    for start in range(0, n_boot, block):
        size = min(block, n_boot - start)
        if not counts.knows_rows:
            yield _tables(counts, _poisson(counts, size, rng), None)
            continue
        resample = _resample if _by_rows(counts) else _multinomial
        rows = resample(counts.n, size, rng)
        yield _tables(counts, rows if counts.cells.unit is None else rows * counts.cells.unit, rows)


def _tables(counts: JointCounts, weight: Array, rows: Array | None) -> Tables:
    return Tables(counts, weight, rows, counts.tables().model)


def _multinomial(n: Array, size: int, rng: np.random.Generator) -> Array:
    total = int(n.sum())
    return rng.multinomial(total, n / total, size=size)


def _resample(n: Array, size: int, rng: np.random.Generator) -> Array:
    cell_of_row = np.repeat(np.arange(len(n)), n)
    drawn = cell_of_row[rng.integers(len(cell_of_row), size=(size, len(cell_of_row)))]
    drawn += np.arange(size)[:, None] * len(n)
    return np.bincount(drawn.ravel(), minlength=size * len(n)).reshape(size, len(n))


def _poisson(counts: JointCounts, size: int, rng: np.random.Generator) -> Array:
    """Sums of weights with mean w and variance w2, never negative.

    A cell is taken for rows of one weight, w2 / w, of which a Poisson number is drawn: as if the
    number of rows were not fixed, which rates do not notice.
    """
    w, w2 = counts.cells.w, counts.cells.w2
    if w is None or w2 is None:
        raise ValueError("draws of weights need weighted counts; received unweighted ones")
    rows = np.divide(w**2, w2, out=np.zeros_like(w), where=w2 > 0)
    weight = np.divide(w2, w, out=np.zeros_like(w), where=w > 0)
    return rng.poisson(rows, (size, len(w))) * weight


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


def estimate(
    value: float,
    replicates: Array | None,
    confidence: float,
    method: IntervalMethod = "percentile",
) -> Estimate:
    """The interval around ``value`` that bootstrap replicates give, or why there is none.

    Parameters
    ----------
    value : float
    replicates : array of shape (n_boot,), or None if none were drawn
    confidence : float
    method : {"percentile", "basic"}

    Notes
    -----
    A value outside its own percentile interval shows that resampling shifts it: magnitudes such as
    Multi grow with noise, and so do predictabilities of sparse tables. Such an interval says
    nothing of the value, and none is given.
    """
    value = float(value)
    if replicates is None:
        return Estimate(value)
    if not np.isfinite(value):
        what = "undefined" if np.isnan(value) else "unbounded: a loss is 0"
        return Estimate(value, None, f"the value is {what}")
    least = math.ceil(2 / (1 - confidence) - 1e-9)
    if len(replicates) < least:
        few = f"{len(replicates)} replicates are too few: a level of {confidence:g} needs {least}"
        return Estimate(value, None, few)
    defined = replicates[np.isfinite(replicates)]
    undefined = len(replicates) - len(defined)
    if undefined > _MAX_UNDEFINED * len(replicates):
        reason = f"{undefined} of {len(replicates)} bootstrap replicates are undefined or unbounded"
        return Estimate(value, None, reason)
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail]).tolist()
    slack = _ROUNDING * max(abs(value), 1)
    if not low - slack <= value <= high + slack:
        reason = f"resampling shifts it to between {low:.4f} and {high:.4f}, away from its value"
        return Estimate(value, None, reason)
    low, high = min(low, value), max(high, value)
    if method == "basic":
        low, high = 2 * value - high, 2 * value - low
    return Estimate(value, (low, high), None)


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
    results: Iterable[Any], confidence: float = 0.95, method: Literal["t", "normal"] = "t"
) -> RunSummary:
    """Summarise one value a run: the mean with an interval for it.

    Parameters
    ----------
    results : iterable of float or AmplificationResult
        One a run, all of the same metric and direction.
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
        If there is no run, a value is NaN or the method is unknown.

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
    results = list(results)
    kinds = {(r.metric, r.direction) for r in results if hasattr(r, "metric")}
    if len(kinds) > 1:
        raise ValueError(f"runs must be of one metric and direction; received {sorted(kinds)}")
    values = np.array([float(getattr(result, "value", result)) for result in results])
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
