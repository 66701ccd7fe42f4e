"""A rule that picks a candidate of a search by its accuracy and its amplification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from biasamp_adapters.counting.labels import Array
from biasamp_adapters.figures import agree
from biasamp_adapters.inference.intervals import Estimate
from biasamp_adapters.metrics.base import check_choice, check_confidence, check_number

_JUDGED = {"low": "lower end", "mean": "mean", "high": "upper end"}


@dataclass(frozen=True)
class MostAccurateWithin:
    """The most accurate candidate whose amplification keeps a bound, for ``refit=`` of a search.

    Amplification is the mean over folds of the size that :func:`amplification_scorer` gives. Its
    interval is Student's t over the folds: they share training rows, so it is too narrow.

    Parameters
    ----------
    bound : float
        The largest amplification, in the unit of the metric: 0.02 are 2 points of BA.
    amplification, accuracy : str
        The keys of the two scores in ``scoring``. More of the second is better.
    confidence : float
        Level of the interval.
    judged : {"mean", "low", "high"}
        What must not exceed the bound: the mean, or an end of its interval. With "low", candidates
        are left out only if their whole interval lies above the bound.

    Examples
    --------
    >>> from biasamp_adapters.sklearn import MostAccurateWithin
    >>> results = {
    ...     "params": [{"max_depth": 8}, {"max_depth": 4}],
    ...     "mean_test_accuracy": [0.80, 0.75],
    ...     "split0_test_amplification": [-0.10, -0.01],
    ...     "split1_test_amplification": [-0.11, -0.02],
    ... }
    >>> rule = MostAccurateWithin(0.05)
    >>> rule(results)
    1
    >>> print(rule.explain(results))
    1 of 2 candidates keeps the bound: the mean of amplification is at most 0.05.
    Picked, as the most accurate of these: candidate 1 {'max_depth': 4}, accuracy 0.7500,
      amplification +0.0150 (-0.0485 to +0.0785)
    Left out, though the most accurate of all: candidate 0 {'max_depth': 8}, accuracy 0.8000,
      amplification +0.1050 (+0.0415 to +0.1685)
    In brackets: the 95% interval of the mean of 2 folds.
    """

    bound: float
    _: KW_ONLY
    amplification: str = "amplification"
    accuracy: str = "accuracy"
    confidence: float = 0.95
    judged: str = "mean"

    def __post_init__(self) -> None:
        check_number("bound", self.bound, 0)
        check_confidence(self.confidence)
        check_choice("judged", self.judged, tuple(_JUDGED))

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Return the position of the candidate in ``cv_results_``; of equal ones the first.

        Raises
        ------
        ValueError
            If a score is missing or NaN, or no candidate keeps the bound.
        """
        candidates = self._read(cv_results)
        keeps_bound = candidates["judged"] <= self.bound
        if not keeps_bound.any():
            raise ValueError(
                f"no candidate keeps the bound of {self.bound:g}: the {_JUDGED[self.judged]} of "
                f"{self.amplification} is at least {candidates['judged'].min():.4g}"
            )
        return int(candidates["accuracy"].where(keeps_bound).argmax())

    def explain(self, cv_results: Mapping[str, Any]) -> str:
        """Return which candidate is picked and why: ``search.refit.explain(search.cv_results_)``.

        Raises
        ------
        ValueError
            As in a call.
        """
        picked, candidates = self(cv_results), self._read(cv_results)
        n_kept = int((candidates["judged"] <= self.bound).sum())
        keeps = agree(n_kept, "keeps", "keep")
        what = f"the {_JUDGED[self.judged]} of {self.amplification} is at most {self.bound:g}"
        lines = [f"{n_kept} of {len(candidates)} candidates {keeps} the bound: {what}."]
        described = {"Picked, as the most accurate of these": picked}
        first = int(candidates["accuracy"].argmax())
        if first != picked:
            described["Left out, though the most accurate of all"] = first
        for role, i in described.items():
            params = f" {cv_results['params'][i]}" if "params" in cv_results else ""
            row: Any = candidates.loc[i]
            lines.append(f"{role}: candidate {i}{params}, {self.accuracy} {row['accuracy']:.4f},")
            lines.append(f"  {self.amplification} {Estimate(row['mean'], row['low'], row['high'])}")
        n_folds = len(self._keys(cv_results))
        if n_folds > 1:
            level = f"{100 * self.confidence:g}%"
            lines.append(f"In brackets: the {level} interval of the mean of {n_folds} folds.")
        return "\n".join(lines)

    def _keys(self, cv_results: Mapping[str, Any]) -> list[str]:
        """Return the keys of amplification in each fold, of which there is one at least."""
        keys = [f"split{i}_test_{self.amplification}" for i in range(len(cv_results))]
        return [key for key in keys if key in cv_results] or keys[:1]

    def _read(self, cv_results: Any) -> pd.DataFrame:
        """Return accuracy, amplification with its interval, and what is judged, by candidate."""
        if not isinstance(cv_results, Mapping):
            kind = type(cv_results).__name__
            raise ValueError(f"cv_results must be search.cv_results_; received a {kind}")
        accuracy = self._scores(cv_results, f"mean_test_{self.accuracy}", "accuracy")
        keys = self._keys(cv_results)
        sizes = -pd.DataFrame({x: self._scores(cv_results, x, "amplification") for x in keys})
        mean = sizes.mean(axis=1)  # Of one fold, the reach is NaN.
        reach = stdtrit(len(keys) - 1, (1 + self.confidence) / 2) * sizes.sem(axis=1)
        table = pd.DataFrame({"mean": mean, "low": mean - reach, "high": mean + reach})
        return table.assign(accuracy=accuracy, judged=table[self.judged].fillna(mean))

    def _scores(self, cv_results: Mapping[str, Any], key: str, parameter: str) -> Array:
        """Return the scores of a key, which must be there for all candidates."""
        if key not in cv_results:
            means = [name for name in cv_results if name.startswith("mean_test_")]
            known = [name.removeprefix("mean_test_") for name in means]
            name = getattr(self, parameter)
            rule = f"scoring must have the key {name!r}"
            raise ValueError(f"{rule}; received {known}. Add it, or name another: {parameter}=...")
        scores = np.asarray(cv_results[key], dtype=np.float64)
        if parameter == "amplification" and (scores > 0).any():  # A sign would keep any bound.
            rule = f"{key} must be minus a size, as of amplification_scorer"
            raise ValueError(f"{rule}; received {scores.max():.4g}")
        n_missing = int(np.isnan(scores).sum())
        if n_missing:
            raise ValueError(
                f"scores must not be NaN; received {n_missing} of {scores.size} in {key} "
                "(error_score='raise' shows why a scorer failed)"
            )
        return scores
