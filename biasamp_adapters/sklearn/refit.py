"""Which candidate of a search to keep, where accuracy is traded against bias."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.uncertainty import check_confidence, summarize_runs

_JUDGED = {"low": "lower end", "mean": "mean", "high": "upper end"}


@dataclass(frozen=True, kw_only=True)
class MostAccurateWithin:
    """The most accurate candidate that does not amplify more than a bound; for ``refit=``.

    A candidate is left out if its amplification exceeds the bound beyond its uncertainty: if the
    whole interval for its mean over the folds, by Student's t, lies above. So doubt speaks for a
    candidate, more so if its folds differ much; ``judged="mean"`` or ``"high"`` take that away.

    Parameters
    ----------
    bound : float
        Largest amplification, in the units of the metric.
    amplification : str, default="amplification"
        Key in ``scoring`` of an :func:`amplification_scorer`.
    accuracy : str, default="accuracy"
        Key in ``scoring`` of what is to be as high as possible: any score.
    confidence : float, default=0.95
        Level of the interval.
    judged : {"low", "mean", "high"}, default="low"
        What must not exceed the bound: the lower end of the interval, the mean itself, or the upper
        end.

    Notes
    -----
    Folds share most of their training rows, and repeated folds test on the same rows again as if
    these were new, so the interval is too narrow. With few folds it is wide, and binds late: with
    two it is 9 standard deviations to either side of the mean.
    With ``objective="absolute"`` the mean of sizes is bounded, which noise alone makes positive.

    Examples
    --------
    Three folds; the first two candidates exceed .05, the second by no more than its uncertainty.

    >>> from biasamp_adapters.sklearn import MostAccurateWithin
    >>> results = {
    ...     "mean_test_accuracy": [0.80, 0.75, 0.70],
    ...     "split0_test_amplification": [-0.10, -0.04, -0.01],
    ...     "split1_test_amplification": [-0.11, -0.06, -0.02],
    ...     "split2_test_amplification": [-0.12, -0.08, -0.01],
    ... }
    >>> MostAccurateWithin(bound=0.05)(results)
    1
    >>> MostAccurateWithin(bound=0.05, judged="mean")(results)
    2
    """

    bound: float
    amplification: str = "amplification"
    accuracy: str = "accuracy"
    confidence: float = 0.95
    judged: Literal["low", "mean", "high"] = "low"

    def __post_init__(self) -> None:
        if not (isinstance(self.bound, float | int | np.number) and np.isfinite(self.bound)):
            raise ValueError(f"bound must be a finite number; received {self.bound!r}")
        check_confidence(self.confidence)
        if self.judged not in _JUDGED:
            raise ValueError(f"judged must be one of {list(_JUDGED)}; received {self.judged!r}")

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """The position of the candidate, the first of equally accurate ones.

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
        accuracy = self._scores(cv_results, f"mean_test_{self.accuracy}", self.accuracy)
        folds, prefix = [], "split0"
        while f"{prefix}_test_{self.amplification}" in cv_results:
            key = f"{prefix}_test_{self.amplification}"
            folds.append(-self._scores(cv_results, key, self.amplification))
            prefix = f"split{len(folds)}"
        if not folds:
            raise ValueError(
                f"scoring must have the key {self.amplification!r}, of an amplification_scorer; "
                f"received the results {sorted(cv_results)}"
            )
        judged = np.array([self._judged(values) for values in np.stack(folds, axis=1)])
        within = judged <= self.bound
        if not within.any():
            raise ValueError(
                f"no candidate keeps the bound of {self.bound:g}: the lowest amplification, judged "
                f"by its {_JUDGED[self.judged]}, is {judged.min():.4g}"
            )
        return int(np.argmax(np.where(within, accuracy, -np.inf)))

    def _judged(self, values: Array) -> float:
        """What is compared with the bound; of one fold it is the value itself."""
        found = summarize_runs(values.tolist(), self.confidence)
        if found.interval is None or self.judged == "mean":
            return found.value
        return found.interval[self.judged == "high"]

    def _scores(self, cv_results: Mapping[str, Any], key: str, name: str) -> Array:
        if key not in cv_results:
            raise ValueError(
                f"scoring must have the key {name!r}; received the results {sorted(cv_results)}"
            )
        scores = np.asarray(cv_results[key], dtype=np.float64)
        if np.isnan(scores).any():
            raise ValueError(
                f"scores must not be NaN; received {int(np.isnan(scores).sum())} of "
                f"{scores.size} in {key} (error_score='raise' shows why a scorer failed)"
            )
        return scores
