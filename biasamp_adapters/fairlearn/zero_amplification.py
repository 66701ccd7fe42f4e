"""A constraint for Fairlearn's reductions: each group keeps the rate that its labels have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from fairlearn.reductions import ClassificationMoment, ErrorRate

from biasamp_adapters._typing import Array, Label, is_real
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.inputs.columns import check_lengths, read_columns, read_weights
from biasamp_adapters.thresholds.scored_rows import read_labels


class ZeroAmplification(ClassificationMoment):  # type: ignore[misc]
    r"""Hold the rate of predicted positives of each group at the rate of its labels.

    A constraint for ``ExponentiatedGradient`` and ``GridSearch`` of ``fairlearn.reductions``. For
    each group :math:`a` of the training data, it demands

    .. math:: |P(\hat T = 1 \mid A = a) - P(T = 1 \mid A = a)| \le \text{difference\_bound}

    where ``DemographicParity`` demands the same rate of all groups. The attribute is read during
    training. The fitted model predicts without it.

    Parameters
    ----------
    difference_bound : float, default=0.01
        Largest difference between the two rates, from 0 to 1.

    Attributes
    ----------
    index : pandas.MultiIndex
        The constraints, two for each group, as in Fairlearn's moments: "+" is the excess of
        predicted positives and "-" their lack, then the event and the group.

    Raises
    ------
    ValueError
        If ``difference_bound`` is not a number from 0 to 1.

    Notes
    -----
    **It keeps the difference between the groups that the labels have. That is not fairness**, and
    labels that are biased stay so.

    With two classes, BA→ A→T and Multi A→T are means over groups of these differences, with a sign
    or without. So neither of them exceeds ``difference_bound`` on the training rows, for any number
    of groups. On other rows, sampling noise is added, and so is the overfitting of the model.

    ``ExponentiatedGradient`` returns a mixture of models, and draws one of them for each row. The
    bound holds for the mean over these draws, as far as it has converged. Where no feature tells
    the groups apart, keeping the bound costs accuracy.

    ``GridSearch`` returns a single model. It does not read the bound, but weighs the largest
    difference against the error, and often finds nothing better than the plain model. It has one
    dimension per group, and cuts its list of candidates off at ``grid_size``: with two groups, 13,
    25, 41 and 61 are whole grids.

    References
    ----------
    Agarwal, Beygelzimer, Dudík, Langford and Wallach, "A Reductions Approach to Fair
    Classification", ICML 2018, for the reductions; [W21] for BA→.

    Examples
    --------
    The first feature tells the groups apart, and the second says little of the label. A regression
    predicts too many positives in group 1, and too few in group 0.

    >>> import numpy as np
    >>> from fairlearn.reductions import ExponentiatedGradient
    >>> from sklearn.linear_model import LogisticRegression
    >>> from biasamp_adapters import DirectionalBiasAmplification
    >>> from biasamp_adapters.fairlearn import ZeroAmplification
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(2, size=400)
    >>> y = (rng.random(400) < np.where(group == 1, 0.6, 0.4)).astype(int)
    >>> X = rng.normal(size=(400, 2)) + np.column_stack([2 * group, 0.5 * y])
    >>> metric = DirectionalBiasAmplification()
    >>> plain = LogisticRegression().fit(X, y)
    >>> round(metric(y, plain.predict(X), sensitive_features=group), 2)
    0.09
    >>> held = ExponentiatedGradient(LogisticRegression(), ZeroAmplification())
    >>> held = held.fit(X, y, sensitive_features=group)
    >>> y_pred = held.predict(X, random_state=0)
    >>> round(metric(y, y_pred, sensitive_features=group), 2)
    0.02
    """

    def __init__(self, *, difference_bound: float = 0.01) -> None:
        super().__init__()
        if not (is_real(difference_bound) and 0 <= difference_bound <= 1):
            raise ValueError(
                f"difference_bound must be a number from 0 to 1; received {difference_bound!r}"
            )
        self.difference_bound = difference_bound

    def load_data(
        self,
        X: Any,  # noqa: N803
        y: Any,
        *,
        sensitive_features: Any,
        control_features: Any = None,
        sample_weight: Any = None,
    ) -> None:
        """Read the training data; ``fit`` of a reduction calls this with its own arguments.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n, n_features)
        y : array-like of shape (n,)
            Labels, 0 and 1.
        sensitive_features : array-like of shape (n,) or (n, attributes)
            Protected attribute; several columns are crossed.
        control_features : array-like of shape (n,) or (n, features), optional
            The constraint then holds for the groups inside each of their levels.
        sample_weight : array-like of shape (n,), optional
            Sampling weights, for the rates and for the default objective. An ``objective`` of
            Fairlearn ignores them.

        Raises
        ------
        ValueError
            If a label is not 0 or 1, a value is missing, the inputs differ in length, or a group
            has no weight.
        """
        labels, self._cell, names, self._weight = _read(
            X, y, sensitive_features, control_features, sample_weight
        )
        super().load_data(X, labels, sensitive_features=pd.Series(self._cell))
        self._share = np.bincount(self._cell, self._weight) / len(labels)
        self._base_rates = self._rates(labels)
        signed = [(sign, *name) for sign in "+-" for name in names]
        self._index = pd.MultiIndex.from_tuples(signed, names=["sign", "event", "group_id"])
        # What GridSearch reads: a dimension for each group, as no rate follows from the others.
        basis = np.eye(len(names))
        none = np.zeros_like(basis)
        self.pos_basis = pd.DataFrame(np.vstack([basis, none]), index=self._index)
        self.neg_basis = pd.DataFrame(np.vstack([none, basis]), index=self._index)
        self.neg_basis_present = pd.Series(True, index=self.pos_basis.columns)
        self.default_objective_lambda_vec = None

    @property
    def index(self) -> pd.MultiIndex:
        """The constraints: sign, event and group."""
        return self._index

    def gamma(self, predictor: Callable[[Any], Any]) -> pd.Series[Any]:
        """How far the rates of a predictor are above ("+") or below ("-") those of the labels.

        Parameters
        ----------
        predictor : callable
            Takes ``X``, and returns predictions or probabilities of shape (n,) or (n, 1).

        Returns
        -------
        Series of float, with the index ``index``
        """
        excess = self._rates(_predicted(predictor, self.X)) - self._base_rates
        return pd.Series(np.concatenate([excess, -excess]), index=self._index)

    def bound(self) -> pd.Series[Any]:
        """The bound of each constraint.

        Returns
        -------
        Series of float, with the index ``index``
        """
        return pd.Series(float(self.difference_bound), index=self._index)

    def project_lambda(self, lambda_vec: pd.Series[Any]) -> pd.Series[Any]:
        """Multipliers with the same effect and the smallest sum: one of the two signs is 0.

        Parameters
        ----------
        lambda_vec : Series of float, with the index ``index``

        Returns
        -------
        Series of float, with the index ``index``
        """
        above = self._net(lambda_vec)
        signed = np.concatenate([above.clip(min=0), (-above).clip(min=0)])
        return pd.Series(signed, index=self._index)

    def signed_weights(self, lambda_vec: pd.Series[Any]) -> pd.Series[Any]:
        """What each row gains if it is predicted positive, under these multipliers.

        Parameters
        ----------
        lambda_vec : Series of float, with the index ``index``

        Returns
        -------
        Series of float, shape (n,)
        """
        gain = -self._net(lambda_vec) / self._share
        return pd.Series(self._weight * gain[self._cell])

    def default_objective(self) -> ErrorRate:
        """The share of wrong predictions, weighted if the rows are.

        Returns
        -------
        fairlearn.reductions.ErrorRate
        """
        return _WeightedErrorRate()

    def _rates(self, values: Array | pd.Series[Any]) -> Array:
        """The weighted mean of values in each cell."""
        return np.bincount(self._cell, self._weight * values) / (self._share * len(self._cell))

    def _net(self, lambda_vec: pd.Series[Any]) -> Array:
        """Multipliers of "+" less those of "-"."""
        plus, minus = np.split(lambda_vec.loc[self._index].to_numpy(dtype=np.float64), 2)
        return np.asarray(plus - minus)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(difference_bound={self.difference_bound!r})"


class _WeightedErrorRate(ErrorRate):  # type: ignore[misc]
    """Fairlearn's error rate of weighted rows.

    It takes control features, which GridSearch passes on to the objective.
    """

    def load_data(
        self,
        X: Any,  # noqa: N803
        y: Any,
        *,
        sensitive_features: Any,
        control_features: Any = None,
        sample_weight: Any = None,
    ) -> None:
        # The error does not depend on the groups, but Fairlearn asks for some.
        super().load_data(X, y, sensitive_features=np.zeros(len(y)))
        self._weight = _weights(sample_weight, len(y))

    def gamma(self, predictor: Callable[[Any], Any]) -> pd.Series[Any]:
        wrong = np.abs(_predicted(predictor, self.X) - self.tags["label"].to_numpy())
        return pd.Series(np.average(wrong, weights=self._weight), index=self.index)

    def signed_weights(self, lambda_vec: pd.Series[Any] | None = None) -> pd.Series[Any]:
        return super().signed_weights(lambda_vec) * self._weight


def _read(
    X: Any,  # noqa: N803
    y: Any,
    sensitive: Any,
    control: Any,
    sample_weight: Any,
) -> tuple[pd.Series[Any], Array, list[tuple[str, Label]], Array]:
    """The arguments of ``load_data``, checked.

    Returns
    -------
    labels : Series of int, shape (n,)
    cell : ndarray of int, shape (n,)
        The cell of each row: its group, inside its level of the control features.
    names : list of (str, str or label)
        Event and group of each cell.
    weight : ndarray of float, shape (n,)
        With a mean of 1.
    """
    columns = {"y": read_columns(y, "y")}
    if len(columns["y"]) > 1:
        raise ValueError(f"y must be one column of labels; received {len(columns['y'])}")
    columns["sensitive_features"] = read_columns(sensitive, "sensitive_features")
    if control is not None:
        columns["control_features"] = read_columns(control, "control_features")
    n_rows = check_lengths([column for part in columns.values() for _, column in part])
    shape = getattr(X, "shape", None)
    if shape is None or shape[0] != n_rows:
        received = f"a {type(X).__name__}" if shape is None else f"{shape[0]} rows"
        raise ValueError(
            f"X must be an array or a DataFrame with a row for each of the {n_rows} labels; "
            f"received {received}"
        )
    labels, codes = read_labels(columns["y"])
    if not {*labels} <= {0, 1}:
        raise ValueError(
            "y must hold the labels 0 and 1, as Fairlearn's reductions require; received "
            f"{listing(labels)}"
        )
    groups, group = read_labels(columns["sensitive_features"])
    level, events = np.zeros_like(group), ["all"]
    if control is not None:
        levels, level = read_labels(columns["control_features"])
        events = [f"control={show(name)},all" for name in levels]
    combinations, cell = np.unique([level, group], axis=1, return_inverse=True)
    names = [(events[e], _name(groups[g])) for e, g in combinations.T]
    weight = _weights(sample_weight, n_rows)
    empty = np.flatnonzero(np.bincount(cell.ravel(), weight) == 0)
    if len(empty):
        raise ValueError(
            "each group must have rows with a positive weight; received none of "
            f"{listing([names[i][1] for i in empty])}"
        )
    return pd.Series(np.array(labels, dtype=int)[codes]), cell.ravel(), names, weight


def _name(group: Label) -> Label:
    """A group in an index of pandas, where a tuple would be several levels."""
    return show(group) if isinstance(group, tuple) else group


def _weights(sample_weight: Any, n_rows: int) -> Array:
    """Weights with a mean of 1."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = read_weights(sample_weight, ("y", n_rows))
    return weight / weight.mean()


def _predicted(predictor: Callable[[Any], Any], X: Any) -> Array:  # noqa: N803
    """Predictions as numbers; some models return a matrix of one column."""
    return np.asarray(predictor(X), dtype=np.float64).reshape(-1)
