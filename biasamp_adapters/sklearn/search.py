"""What a search needs: a scorer of amplification, and a rule that picks a candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from sklearn import get_config
from sklearn.metrics import make_scorer

from biasamp_adapters.counting.labels import Array
from biasamp_adapters.counting.reference import read_reference
from biasamp_adapters.figures import agree
from biasamp_adapters.inference.intervals import Estimate
from biasamp_adapters.metrics import base
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.functions import get_class_metric
from biasamp_adapters.metrics.rates import DirectionalBiasAmplification, MALSBiasAmplification


def amplification_scorer(
    metric: Metric | str = "BA", *, sensitive_features: str | None = None, reference: Any = None
) -> Any:
    """Return a scorer of scikit-learn: minus the size of a metric, so that greater is better.

    It works in searches, cross-validation, pipelines and ``TunedThresholdClassifierCV``. Groups are
    a level of the index of ``y``, which ``sensitive_features`` names; or metadata, if metadata
    routing is enabled: the scorer then requests ``sensitive_features`` (and ``sample_weight``) by
    itself.

    Parameters
    ----------
    metric : Metric or str
        An object, or a name such as "BA", "MALS" or "LA". It reads predicted classes.
    sensitive_features : str, optional
        The level of y's index that holds the groups.
    reference : pair (y_train, sensitive_features_train), Counts or BaseRates, or "evaluated"
        Training data that decide the signs of BA and MALS, which need it. With "evaluated", the
        rows of each fold decide them, which adds noise. For a metric that is named.

    Returns
    -------
    scorer
        Called with (estimator, X, y). An error of a scorer becomes NaN in searches, and one with
        NaN alone picks its first candidate: give them ``error_score="raise"``.

    Raises
    ------
    ValueError
        If no level is named while routing is disabled, a reference is missing, or the metric is one
        of T->A, which reads no predicted classes.

    Examples
    --------
    All three positives are in group a. A constant prediction removes the gap of the rates in the
    labels, 0.75 and 0, of which BA is minus the half.

    >>> import pandas as pd
    >>> from sklearn.dummy import DummyClassifier
    >>> from biasamp_adapters.sklearn import amplification_scorer
    >>> group = pd.Index(["a"] * 4 + ["b"] * 4, name="group")
    >>> y = pd.Series([1, 1, 1, 0, 0, 0, 0, 0], index=group)
    >>> score = amplification_scorer(sensitive_features="group", reference=(y, group))
    >>> score(DummyClassifier().fit(y, y), y, y)
    -0.375

    In a search it is scored like accuracy, and a rule picks the candidate.

    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from biasamp_adapters.sklearn import MostAccurateWithin
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(),
    ...     {"max_depth": [1, 2]},
    ...     scoring={"accuracy": "accuracy", "amplification": score},
    ...     refit=MostAccurateWithin(0.02),
    ...     cv=2,
    ...     error_score="raise",
    ... )
    >>> search.fit(y.to_frame(), y).best_params_
    {'max_depth': 1}
    """
    is_evaluated = isinstance(reference, str)
    if is_evaluated:
        base.check_choice("reference", reference, ("evaluated",))
        reference = None
    metric = get_class_metric(metric, reference=reference)
    has_signs = isinstance(metric, DirectionalBiasAmplification | MALSBiasAmplification)
    if has_signs and metric.reference is None and not is_evaluated:
        needed = "reference=(y_train, groups_train), or reference='evaluated'"
        raise ValueError(f"{metric.short} needs {needed}")
    # What is wrong with it is an error here, and not in the folds.
    read_reference(metric.reference, None, metric.reading_options())
    level: Any = sensitive_features
    if not isinstance(level, str | None):
        rule = "sensitive_features must be the name of a level of y's index"
        raise ValueError(f"{rule}; received a {type(level).__name__}")
    scorer = make_scorer(_size, greater_is_better=False, metric=metric, level=level)
    if get_config()["enable_metadata_routing"]:
        requested = True if level is None else None
        return scorer.set_score_request(sample_weight=True, sensitive_features=requested)
    if level is None:
        rule = 'name a level of y\'s index (sensitive_features="race"), or enable metadata routing'
        raise ValueError(f"{rule} first: sklearn.set_config(enable_metadata_routing=True)")
    return scorer


def _size(
    y_true: Any,
    y_pred: Any,
    *,
    metric: Metric,
    level: str | None,
    sensitive_features: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the size of a metric on the rows of a fold; raise if it is undefined on these."""
    groups = level if sensitive_features is None else sensitive_features
    if groups is None:
        call = "search.fit(X, y, sensitive_features=race)"
        raise ValueError(f"sensitive_features must be passed on, as in {call}; received none")
    predicted = np.asarray(y_pred)
    if predicted.dtype.kind == "f" and (predicted % 1 > 0).any():  # Of a regressor.
        received = predicted[predicted % 1 > 0][0]
        raise ValueError(f"y_pred must hold predicted classes; received {received:.4g}")
    value = metric(y_true, y_pred, sensitive_features=groups, sample_weight=sample_weight)
    if np.isnan(value):
        raise ValueError(f"{metric.name} is undefined on these {len(y_pred)} rows")
    return abs(value)


_JUDGED = {"low": "lower end", "mean": "mean", "high": "upper end"}

#: What is said of the candidate that is picked, and of another one that is more accurate.
_ROLES = "Picked, as the most accurate of these", "Left out, though the most accurate of all"


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
        What must not exceed the bound: the mean, or an end of its interval, which needs two folds.
        With "low", candidates are left out only if their whole interval lies above the bound.

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
        base.check_number("bound", self.bound, 0)
        base.check_confidence(self.confidence)
        base.check_choice("judged", self.judged, tuple(_JUDGED))

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Return the position of the candidate in ``cv_results_``; of equal ones the first.

        Raises
        ------
        ValueError
            If a score is missing or NaN, an interval is judged that one fold does not have, or no
            candidate keeps the bound.
        """
        candidates, _ = self._read(cv_results)
        kept = candidates[candidates["judged"] <= self.bound]
        if kept.empty:
            rule = f"no candidate keeps the bound of {self.bound:g}: the {_JUDGED[self.judged]} of"
            least = f"{self.amplification} is at least {candidates['judged'].min():.4g}"
            remedy = "refit=False, then MostAccurateWithin(bound).explain(search.cv_results_)"
            raise ValueError(f"{rule} {least}. To try other bounds: {remedy}")
        return int(kept["accuracy"].idxmax())

    def explain(self, cv_results: Mapping[str, Any]) -> str:
        """Return which candidate is picked and why: ``search.refit.explain(search.cv_results_)``.

        Raises
        ------
        ValueError
            As in a call.
        """
        picked = self(cv_results)
        candidates, n_folds = self._read(cv_results)
        n_kept = int((candidates["judged"] <= self.bound).sum())
        keeps = agree(n_kept, "keeps", "keep")
        what = f"the {_JUDGED[self.judged]} of {self.amplification} is at most {self.bound:g}"
        lines = [f"{n_kept} of {len(candidates)} candidates {keeps} the bound: {what}."]
        most_accurate = int(candidates["accuracy"].idxmax())
        for i, role in zip(dict.fromkeys([picked, most_accurate]), _ROLES, strict=False):
            row: Any = candidates.loc[i]
            score = f"{self.accuracy} {row['accuracy']:.4f}"
            lines.append(f"{role}: candidate {i} {cv_results['params'][i]}, {score},")
            lines.append(f"  {self.amplification} {Estimate(row['mean'], row['low'], row['high'])}")
        if n_folds > 1:
            level = f"{100 * self.confidence:g}%"
            lines.append(f"In brackets: the {level} interval of the mean of {n_folds} folds.")
        return "\n".join(lines)

    def _read(self, cv_results: Any) -> tuple[Any, int]:
        """Return accuracy, amplification with its interval, and what is judged; and the folds."""
        if not isinstance(cv_results, Mapping):
            kind = type(cv_results).__name__
            raise ValueError(f"cv_results must be search.cv_results_; received a {kind}")
        accuracy = _read_scores(cv_results, f"mean_test_{self.accuracy}")
        keys = [f"split{i}_test_{self.amplification}" for i in range(len(cv_results))]
        keys = [key for key in keys if key in cv_results] or keys[:1]
        scores = np.stack([_read_scores(cv_results, key) for key in keys])
        if scores.max() > 0:  # A sign would keep any bound.
            rule = f"{self.amplification} must be minus a size, as of amplification_scorer"
            raise ValueError(f"{rule}; received {scores.max():.4g}")
        if self.judged != "mean":  # One fold has no interval.
            base.check_whole(f"folds for judged={self.judged!r}", len(keys), 2)
        sizes = pd.DataFrame(-scores)
        mean = sizes.mean()  # Of one fold, the reach is NaN.
        reach = stdtrit(len(keys) - 1, (1 + self.confidence) / 2) * sizes.sem()
        table = pd.DataFrame({"mean": mean, "low": mean - reach, "high": mean + reach})
        return table.assign(accuracy=accuracy, judged=table[self.judged]), len(keys)


def _read_scores(cv_results: Mapping[str, Any], key: str) -> Array:
    """Return the scores of a key, which must be there for all candidates."""
    if key not in cv_results:
        known = [x.partition("_test_")[2] for x in cv_results if x.startswith("mean_test_")]
        rule = f"scoring must have the key {key.partition('_test_')[2]!r}; received {known}"
        raise ValueError(f"{rule}. Add it, or name another: accuracy=..., amplification=...")
    scores = np.asarray(cv_results[key], dtype=np.float64)
    n_missing = int(np.isnan(scores).sum())
    if n_missing:
        received = f"received {n_missing} of {scores.size} in {key}"
        raise ValueError(f"scores must not be NaN; {received} (error_score='raise' shows why)")
    return scores
