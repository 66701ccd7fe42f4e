"""A constraint for Fairlearn's reductions: each group keeps the rate that its labels have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from fairlearn.reductions import ClassificationMoment, ErrorRate

from biasamp_adapters.counting.counts import read_rows
from biasamp_adapters.counting.labels import ATTRIBUTE, TASK, Array, listing, show
from biasamp_adapters.metrics.base import check_number


class ZeroAmplification(ClassificationMoment):  # type: ignore[misc]
    r"""Hold the rate of predicted positives of each group at the rate of its labels.

    A constraint for ``ExponentiatedGradient`` of ``fairlearn.reductions``. For each group :math:`a`
    of the training rows it demands

    .. math:: |P(\hat T = 1 \mid A = a) - P(T = 1 \mid A = a)| \le \text{difference\_bound}

    where ``DemographicParity`` demands one rate of all groups. Groups are read in training alone.
    It keeps the gap of the labels, which is not fairness.

    Parameters
    ----------
    difference_bound : float
        The largest difference of the two rates, 0 to 1.

    Raises
    ------
    ValueError
        If the bound lies outside 0 to 1 or, in ``fit``, a label is not 0 or 1, or there are not two
        groups.

    Notes
    -----
    With two classes, BA A->T and Multi A->T are means over groups of these differences, so neither
    exceeds the bound on the training rows as far as the reduction has converged; on other rows they
    differ by sampling variation and by what the model has overfitted. ``ExponentiatedGradient``
    draws one of several models for each row, and the bound holds in the mean of these draws. In
    twenty random splits of COMPAS, a logistic regression of four features was fitted to 4,300 rows.
    Of the other rows, a part had a probability between 0.001 and 0.999, so that chance decides: 13
    to 79% with two races (median 43%), and 25 to 89% with three (49%). Thresholds by group
    (:class:`biasamp_adapters.PrevalenceThreshold`) had 1.4 to 5.3 points more accuracy.
    ``GridSearch`` does not read the bound, and often finds nothing better than the plain model.

    References
    ----------
    Agarwal et al., "A Reductions Approach to Fair Classification", ICML 2018.

    Examples
    --------
    The first feature tells the groups apart: a regression predicts too many positives in group 1.

    >>> import numpy as np
    >>> from fairlearn.reductions import ExponentiatedGradient
    >>> from sklearn.linear_model import LogisticRegression
    >>> from biasamp_adapters.fairlearn import ZeroAmplification, directional_bias_amplification
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(2, size=400)
    >>> y = (rng.random(400) < np.where(group == 1, 0.6, 0.4)).astype(int)
    >>> X = rng.normal(size=(400, 2)) + np.column_stack([2 * group, 0.5 * y])
    >>> y_pred = LogisticRegression().fit(X, y).predict(X)
    >>> round(directional_bias_amplification(y, y_pred, sensitive_features=group), 2)
    0.09
    >>> held = ExponentiatedGradient(LogisticRegression(), ZeroAmplification())
    >>> y_pred = held.fit(X, y, sensitive_features=group).predict(X, random_state=0)
    >>> round(directional_bias_amplification(y, y_pred, sensitive_features=group), 2)
    0.02
    """

    def __init__(self, *, difference_bound: float = 0.01) -> None:
        super().__init__()
        check_number("difference_bound", difference_bound, 0, 1)
        self.difference_bound = difference_bound

    def load_data(
        self, X: Any, y: Any, *, sensitive_features: Any, control_features: Any = None
    ) -> None:
        """Read the training rows; ``fit`` of a reduction passes its own arguments on.

        Parameters
        ----------
        X : array-like of shape (rows, columns)
        y : array-like of shape (rows,)
            Labels 0 and 1.
        sensitive_features : array-like of shape (rows,)
            Groups; several columns are crossed.
        control_features : None
            Further columns of ``sensitive_features`` hold the rates of each stratum.
        """
        if control_features is not None:
            rule = "control_features must be columns of sensitive_features, which are crossed"
            raise ValueError(f"{rule}, such as X[['race', 'sex']]")
        if isinstance(sensitive_features, str | None):  # No index of y comes through a reduction.
            rule = "sensitive_features must be the group of each row, such as X['race']"
            raise ValueError(f"{rule}; received {sensitive_features!r}")
        rows = read_rows({TASK: y, ATTRIBUTE: sensitive_features}).complete("error")
        groups, classes = rows.variable(ATTRIBUTE), rows.class_labels
        if not set(classes) <= {0, 1}:
            raise ValueError(f"y must hold the labels 0 and 1; received {listing(classes)}")
        if len(groups.labels) < 2:
            rule = "sensitive_features must hold at least two groups"
            raise ValueError(f"{rule}; received {listing(groups.labels) or 'none'}")
        # An index of pandas takes a tuple for several levels.
        names = [show(x) if isinstance(x, tuple) else x for x in groups.labels]
        levels = ["+", "-"], ["all"], pd.Index(names, dtype=object)
        self._index = pd.MultiIndex.from_product(levels, names=["sign", "event", "group_id"])
        self._group, labels = groups.keys(), np.array(classes)[rows.variable(TASK).keys()]
        super().load_data(X, pd.Series(labels), sensitive_features=pd.Series(self._group))
        # What GridSearch reads: a dimension for each group, as no rate follows from the others.
        basis = np.vstack([np.eye(len(names)), -np.eye(len(names))])
        self.pos_basis = pd.DataFrame(basis.clip(min=0), index=self._index)
        self.neg_basis = pd.DataFrame((-basis).clip(min=0), index=self._index)
        self.neg_basis_present = pd.Series(True, index=self.pos_basis.columns)
        self.default_objective_lambda_vec = None

    @property
    def index(self) -> pd.MultiIndex:
        """The constraints, by sign, event and group."""
        return self._index

    def gamma(self, predictor: Callable[[Any], Any]) -> pd.Series[Any]:
        """Return how far the rates of a predictor are above ("+") or below ("-") the labels'."""
        predicted = np.ravel(predictor(self.X)).astype(np.float64)
        excess = np.bincount(self._group, predicted - self.tags["label"])
        return self._with_signs(excess / np.bincount(self._group))

    def bound(self) -> pd.Series[Any]:
        """Return the bound of each constraint."""
        return pd.Series(float(self.difference_bound), index=self.index)

    def project_lambda(self, lambda_vec: pd.Series[Any]) -> pd.Series[Any]:
        """Return multipliers with the same effect of which one of two signs is 0."""
        return self._with_signs(self._net(lambda_vec)).clip(lower=0)

    def signed_weights(self, lambda_vec: pd.Series[Any]) -> pd.Series[Any]:
        """Return what each row gains if it is predicted positive, under these multipliers."""
        gain = -self._net(lambda_vec) * len(self._group) / np.bincount(self._group)
        return pd.Series(gain[self._group])

    def default_objective(self) -> ErrorRate:
        """Return the share of wrong predictions."""
        return ErrorRate()

    def _with_signs(self, above: Array) -> pd.Series[Any]:
        """Return numbers of the groups for "+", and then their opposites for "-"."""
        return pd.Series(np.concatenate([above, -above]), index=self._index)

    def _net(self, lambda_vec: pd.Series[Any]) -> Array:
        """Return the multipliers of "+" minus those of "-", by group."""
        above, below = np.split(lambda_vec.loc[self._index].to_numpy(dtype=np.float64), 2)
        return np.asarray(above - below)
