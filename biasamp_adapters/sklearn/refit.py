"""A rule that picks a candidate of a search by its accuracy and its amplification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from biasamp_adapters._typing import Array, as_float, check_choice
from biasamp_adapters.inference.estimates import (
    Estimate,
    RunSummary,
    check_confidence,
    summarize_runs,
)
from biasamp_adapters.metrics.result import percent

_JUDGED = {"low": "lower end", "mean": "mean", "high": "upper end"}


class _Pick(NamedTuple):
    """Scores of the candidates, which of them keep the bound, and the one that is chosen."""

    accuracy: Array
    amplification: list[RunSummary]
    within: Array
    chosen: int


@dataclass(frozen=True, kw_only=True)
class MostAccurateWithin:
    """The most accurate candidate that does not amplify more than a bound; for ``refit=``.

    A candidate is left out if its mean amplification over the folds exceeds the bound. With
    ``judged="low"`` it is left out only if the whole interval for the mean, by Student's t, lies
    above the bound, so that uncertain candidates are kept; with ``judged="high"`` it is left out if
    any of the interval does.

    Parameters
    ----------
    bound : float
        Largest amplification, in the units of the metric.
    amplification : str, default="amplification"
        Key in ``scoring`` of an :func:`amplification_scorer`.
    accuracy : str, default="accuracy"
        Key in ``scoring`` of the score to maximize. Any score is allowed.
    confidence : float, default=0.95
        Level of the interval.
    judged : {"mean", "low", "high"}, default="mean"
        What must not exceed the bound: the mean itself, or the lower or the upper end of the
        interval.
    two_sided : bool, default=False
        Whether the size of the mean is bounded, for scorers with ``objective="signed"``.
        Mitigations that turn amplification around, as those for parity do, are then left out too.

    Notes
    -----
    Folds share most of their training rows, and repeated folds test on the same rows again as if
    these were new, so the interval is too narrow. With few folds it is wide: with two it is 9
    standard deviations to either side of the mean.
    With ``objective="absolute"`` the mean of sizes is bounded, which noise alone makes positive;
    with ``objective="signed"`` and ``two_sided=True`` it is the size of the mean.

    Examples
    --------
    Three folds; the means of the first two candidates exceed .05, that of the second by no more
    than its uncertainty.

    >>> from biasamp_adapters.sklearn import MostAccurateWithin
    >>> results = {
    ...     "params": [{"max_depth": 8}, {"max_depth": 4}, {"max_depth": 2}],
    ...     "mean_test_accuracy": [0.80, 0.75, 0.70],
    ...     "split0_test_amplification": [-0.10, -0.04, -0.01],
    ...     "split1_test_amplification": [-0.11, -0.06, -0.02],
    ...     "split2_test_amplification": [-0.12, -0.08, -0.01],
    ... }
    >>> rule = MostAccurateWithin(bound=0.05)
    >>> rule(results)
    2
    >>> print(rule.explain(results))
    1 of 3 candidates keep the bound: amplification, judged by its mean, is at most 0.05.
    Picked, as the most accurate of them:
      candidate 2 {'max_depth': 2}
      accuracy 0.7000, amplification +0.0133 [-0.0010, +0.0277]
    The most accurate of all, which is left out:
      candidate 0 {'max_depth': 8}
      accuracy 0.8000, amplification +0.1100 [+0.0852, +0.1348]
    In brackets: 95% interval for the mean of 3 folds.
    >>> MostAccurateWithin(bound=0.05, judged="low")(results)
    1
    """

    bound: float
    amplification: str = "amplification"
    accuracy: str = "accuracy"
    confidence: float = 0.95
    judged: Literal["low", "mean", "high"] = "mean"
    two_sided: bool = False

    def __post_init__(self) -> None:
        if not np.isfinite(as_float(self.bound)):
            raise ValueError(f"bound must be a finite number; received {self.bound!r}")
        check_confidence(self.confidence)
        check_choice("judged", self.judged, _JUDGED)

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """The position of the selected candidate; of equally accurate ones, the first.

        Parameters
        ----------
        cv_results : dict
            ``cv_results_`` of a search with several scorers.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If a score is missing or NaN, or no candidate keeps the bound.
        """
        return self._pick(cv_results).chosen

    def explain(self, cv_results: Mapping[str, Any]) -> str:
        """Which candidate is picked, and why: ``search.refit.explain(search.cv_results_)``.

        Parameters
        ----------
        cv_results : dict
            ``cv_results_`` of a fitted search.

        Returns
        -------
        str
            The candidate with its accuracy and its amplification, how many keep the bound, and the
            most accurate one of all if it does not.

        Raises
        ------
        ValueError
            As in a call of the rule.
        """
        pick = self._pick(cv_results)
        n_within, n_folds = int(pick.within.sum()), pick.amplification[pick.chosen].n_runs
        lines = [
            f"{n_within} of {len(pick.within)} candidates keep the bound: {self._what}, "
            f"judged by its {_JUDGED[self.judged]}, is at most {float(self.bound):g}.",
            "Picked, as the most accurate of them:",
            self._candidate(cv_results, pick, pick.chosen),
        ]
        first = int(np.argmax(pick.accuracy))
        if pick.accuracy[first] > pick.accuracy[pick.chosen]:
            lines += [
                "The most accurate of all, which is left out:",
                self._candidate(cv_results, pick, first),
            ]
        if n_folds > 1:
            level = percent(self.confidence)
            lines.append(f"In brackets: {level} interval for the mean of {n_folds} folds.")
        return "\n".join(lines)

    def _candidate(self, cv_results: Mapping[str, Any], pick: _Pick, number: int) -> str:
        """A candidate with its scores, on two lines."""
        summary = pick.amplification[number]
        params = f" {cv_results['params'][number]}" if "params" in cv_results else ""
        return (
            f"  candidate {number}{params}\n  {self.accuracy} {pick.accuracy[number]:.4f}, "
            f"{self.amplification} {Estimate(summary.value, summary.interval).text()}"
        )

    def _pick(self, cv_results: Mapping[str, Any]) -> _Pick:
        accuracy = self._scores(cv_results, f"mean_test_{self.accuracy}", "accuracy")
        n_folds = 1
        while f"split{n_folds}_test_{self.amplification}" in cv_results:
            n_folds += 1
        keys = [f"split{i}_test_{self.amplification}" for i in range(n_folds)]
        folds = [-self._scores(cv_results, key, "amplification") for key in keys]
        summaries = [
            summarize_runs(values.tolist(), self.confidence) for values in np.stack(folds, axis=1)
        ]
        judged = np.array([self._judged(summary) for summary in summaries])
        within = judged <= self.bound
        if not within.any():
            raise ValueError(
                f"no candidate keeps the bound of {float(self.bound):g}: {self._what}, judged by "
                f"its {_JUDGED[self.judged]}, is at least {judged.min():.4g}"
            )
        chosen = int(np.argmax(np.where(within, accuracy, -np.inf)))
        return _Pick(accuracy, summaries, within, chosen)

    @property
    def _what(self) -> str:
        return f"the size of {self.amplification}" if self.two_sided else self.amplification

    def _judged(self, summary: RunSummary) -> float:
        """The number that is compared with the bound; for one fold it is the value itself."""
        value, interval = summary.value, summary.interval
        if self.two_sided and value < 0:
            value, interval = -value, None if interval is None else (-interval[1], -interval[0])
        if interval is None or self.judged == "mean":
            return value
        return interval[self.judged == "high"]

    def _scores(self, cv_results: Mapping[str, Any], key: str, parameter: str) -> Array:
        if key not in cv_results:
            means = [name for name in cv_results if name.startswith("mean_test_")]
            raise ValueError(
                f"scoring must have the key {getattr(self, parameter)!r}; received "
                f"{[name.removeprefix('mean_test_') for name in means]} (to name another key, "
                f"MostAccurateWithin({parameter}='...'))"
            )
        scores = np.asarray(cv_results[key], dtype=np.float64)
        if np.isnan(scores).any():
            raise ValueError(
                f"scores must not be NaN; received {int(np.isnan(scores).sum())} of "
                f"{scores.size} in {key} (error_score='raise' shows why a scorer failed)"
            )
        return scores
