"""Thresholds at which positives are predicted as often as they are labelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from biasamp_adapters.counting import arrays
from biasamp_adapters.counting.counts import read_rows
from biasamp_adapters.counting.labels import (
    ATTRIBUTE,
    TASK,
    Array,
    Label,
    check_order,
    listing,
    positive_class,
)
from biasamp_adapters.counting.variables import Block, Codes
from biasamp_adapters.metrics.base import check_choice, check_number
from biasamp_adapters.thresholds.sweep import can_be_cut, nearest_threshold

#: Probabilities of groups may miss their sum of 1 by so much.
_ROUNDING = 1e-6


class PrevalenceThreshold(BaseEstimator):  # type: ignore[misc]
    """Predict positives as often as they are labelled, in all rows or in each group.

    A threshold for each group keeps the gap of the labels, whatever made it: that is not fairness.
    It reads the attribute whenever a decision is made, which may be unlawful. Set thresholds on
    rows on which the model was not trained; on other rows, rates differ by chance.

    Parameters
    ----------
    prevalence : float or mapping of groups to floats, optional
        The share of rows to predict positive, 0 to 1; by default that of ``y_true``.
    tolerance : float
        By how much the share may be missed, 0 to 1. Within it, the threshold is the one with the
        most right predictions. With 0, and where ties leave no share within the tolerance, it is
        the one with the nearest share, and the smaller of two equally near ones.
    pos_label : label, optional
        The positive one of two classes; by default 1 of 0 or -1 and 1, else the last in order.
    unknown_groups : {"error", "pooled"}
        What becomes of groups that ``fit`` has not seen, or that have one class or one score only:
        an error, or the threshold of all rows.

    Attributes
    ----------
    thresholds_ : ndarray of shape (groups,) or (groups, columns)
        A row is predicted positive if its score is at least this. Without groups there is one.
        With ``group_proba``, a row has their mean by its probabilities.
    pooled_threshold_ : float or ndarray of shape (columns,)
        The threshold of all rows.
    groups_ : tuple of labels
        In the order of ``thresholds_``; empty without groups.
    classes_ : tuple of labels
        The negative and the positive class; of a label matrix 0 and 1.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", ICML 2021, Sec. 3.3.

    Examples
    --------
    In group "a" three of four rows are positive, in "b" one of four; 0.5 predicts four and none.

    >>> import biasamp_adapters as bam
    >>> score, y_true = [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1], [1, 1, 1, 0, 1, 0, 0, 0]
    >>> group = ["a"] * 4 + ["b"] * 4
    >>> rule = bam.PrevalenceThreshold().fit(score, y_true, sensitive_features=group)
    >>> dict(zip(rule.groups_, rule.thresholds_.round(2).tolist()))
    {'a': 0.65, 'b': 0.35}
    >>> rule.predict(score, sensitive_features=group).tolist()
    [1, 1, 1, 0, 1, 0, 0, 0]
    """

    def __init__(
        self,
        prevalence: float | Mapping[Label, float] | None = None,
        *,
        tolerance: float = 0.0,
        pos_label: Label | None = None,
        unknown_groups: str = "error",
    ) -> None:
        self.prevalence = prevalence
        self.tolerance = tolerance
        self.pos_label = pos_label
        self.unknown_groups = unknown_groups

    def fit(
        self,
        y_score: Any,
        y_true: Any,
        *,
        sensitive_features: Any = None,
        group_proba: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Set the thresholds from labelled rows.

        Parameters
        ----------
        y_score : array-like of shape (rows,) or (rows, columns)
            Finite numbers, higher for likelier positives.
        y_true : array-like of the same shape
            Labels of two classes, or a matrix of 0 and 1 whose columns are decided one by one.
        sensitive_features : array-like of shape (rows,), optional
            Groups; several columns are crossed. Without them, all rows have one threshold.
        group_proba : frame or array-like of shape (rows, groups), optional
            The probability of each group, of a model that did not see these rows: columns named by
            the groups, or in their order. Decisions then read these in place of the group; scores
            should be probabilities.
        sample_weight : array-like of shape (rows,), optional

        Raises
        ------
        ValueError
            If an input or a parameter breaks its rule, or a group cannot have a threshold.
        """
        check_choice("unknown_groups", self.unknown_groups, ("error", "pooled"))
        check_number("tolerance", self.tolerance, 0, 1)
        by_row = [(TASK, y_true), (ATTRIBUTE, sensitive_features), ("group_proba", group_proba)]
        arrays.warn_of_order([("y_score", y_score), *by_row])
        rows = read_rows({TASK: y_true, "sample_weight": sample_weight})
        kept = rows.weight > 0
        score, self._columns = _read_scores(y_score, kept)
        truth = self._read_truth(rows.take(kept).complete("error").variable(TASK), score)
        if score.shape != truth.shape or not len(score):
            shapes = f"{score.shape} and {truth.shape}"
            hint = " Pass predict_proba(X)[:, 1]." if truth.ndim < score.ndim else ""
            raise ValueError(f"y_score and y_true must have one shape; received {shapes}.{hint}")
        groups = read_groups(sensitive_features, len(kept)).take(kept)
        groups = groups.with_labels(groups.seen)
        self._names = _names_of(sensitive_features)
        of_groups = "a prevalence of each group" if group_proba is None else "group_proba"
        is_of_groups = group_proba is not None or isinstance(self.prevalence, Mapping)
        if is_of_groups and sensitive_features is None:
            raise ValueError(f"{of_groups} needs the sensitive_features of the rows of fit")
        proba = None if group_proba is None else _read_group_proba(group_proba, groups.labels, kept)
        self._reads_proba = proba is not None
        score, truth = (x.reshape(len(x), -1) for x in (score, truth))
        columns = [
            self._fit_column(*column, rows.weight[kept], groups, proba)
            for column in zip(score.T, truth.T, strict=True)
        ]
        thresholds = np.array(columns).T if self._columns else np.array(columns[0])
        self.thresholds_, self.pooled_threshold_ = thresholds[:-1], thresholds[-1]
        self.groups_ = () if sensitive_features is None else groups.labels
        return self

    def predict(
        self, y_score: Any, *, sensitive_features: Any = None, group_proba: Any = None
    ) -> Array:
        """Return predictions for new rows.

        Parameters
        ----------
        y_score : array-like of shape (rows,) or (rows, columns)
            Scores on the scale of those that set the thresholds, with the same columns.
        sensitive_features : array-like of shape (rows,)
            Groups, if ``fit`` had some; else, and with ``group_proba``, they are not read.
        group_proba : frame or array-like of shape (rows, groups)
            The probability of each group, if ``fit`` had some.

        Returns
        -------
        ndarray of shape (rows,) or (rows, columns)
            Classes, or 0 and 1 of a label matrix.

        Raises
        ------
        ValueError
            If a group is missing, or is unknown and ``unknown_groups`` is "error".
        """
        check_is_fitted(self)
        by_row = (ATTRIBUTE, sensitive_features), ("group_proba", group_proba)
        arrays.warn_of_order([("y_score", y_score), *by_row])
        score, columns = _read_scores(y_score)
        if columns != self._columns:
            given, needed = (listing(names) or "one column" for names in (columns, self._columns))
            raise ValueError(f"y_score must have {needed}, as in fit; received {given}")
        if self._reads_proba != (group_proba is not None):
            raise ValueError("group_proba must be given to both fit and predict, or to neither")
        if self._reads_proba:
            proba = _read_group_proba(group_proba, self.groups_, np.ones(len(score), bool))
            thresholds = proba @ self.thresholds_
        else:
            thresholds = self._look_up(sensitive_features, len(score))
        is_positive = (score >= thresholds).astype(int)
        return is_positive if self._columns else np.array(self.classes_)[is_positive]

    def _look_up(self, sensitive_features: Any, n_rows: int) -> Array:
        """Return the threshold of the group of each row."""
        if self.groups_ and sensitive_features is None:
            rule = "sensitive_features must be given: each group has its own threshold"
            raise ValueError(f"{rule}. In a search, name a column of X in the classifier")
        groups = read_groups(sensitive_features if self.groups_ else None, n_rows)
        check_order(_names_of(sensitive_features), self._names, f"{ATTRIBUTE} of predict")
        codes = groups.with_labels(self.groups_ or groups.labels).codes
        is_unknown = codes == len(self.thresholds_)
        if is_unknown.any() and self.unknown_groups == "error":
            unknown = listing(groups.take(is_unknown).seen)
            rule = f"groups must be among {listing(self.groups_)}; received {unknown}"
            remedy = "unknown_groups='pooled' gives these the threshold of all rows"
            raise ValueError(f"{rule} ({remedy})")
        return np.concatenate([self.thresholds_, [self.pooled_threshold_]])[codes]

    def _read_truth(self, truth: Any, score: Array) -> Array:
        """Return which labels are positive, (rows,) or (rows, columns), and keep the classes."""
        if isinstance(truth, Block):
            self.classes_: tuple[Label, ...] = (0, 1)
            return truth.sparse.toarray() > 0
        truth = truth.with_labels(truth.seen)
        if len(truth.labels) != 2:
            raise ValueError(_explain_classes(truth, score))
        positive = positive_class(truth.labels, self.pos_label)
        check_choice("pos_label", positive, truth.labels)
        code = truth.labels.index(positive)
        self.classes_ = (truth.labels[1 - code], positive)
        return truth.codes == code

    def _fit_column(
        self, score: Array, truth: Array, weight: Array, groups: Codes, proba: Array | None
    ) -> list[float]:
        """Return the threshold of each group, and then that of all rows."""
        data = np.array([score, truth, weight])
        members = [data[:, groups.codes == code] for code in range(len(groups.labels))]
        sizes = np.array([rows[2].sum() for rows in members])
        shares = np.array(list(map(self._share, groups.labels, members)))
        pooled = nearest_threshold(data, np.average(shares, weights=sizes), self.tolerance)
        if proba is not None:
            slack = sizes * self.tolerance
            return [*_mean_thresholds(score, weight, proba, sizes * shares, slack), pooled]
        thresholds = []
        for label, rows, share in zip(groups.labels, members, shares, strict=True):
            if self.unknown_groups == "error" and not can_be_cut(rows):
                rule = "each group must have both classes and different scores"
                remedy = "unknown_groups='pooled' gives it the threshold of all rows"
                raise ValueError(f"{rule}; {listing([label])} has not ({remedy})")
            thresholds.append(nearest_threshold(rows, share, self.tolerance, pooled))
        return [*thresholds, pooled]

    def _share(self, group: Label, rows: Array) -> Any:
        """Return the share to predict positive in a group."""
        if self.prevalence is None:
            return np.average(rows[1], weights=rows[2])
        share: Any = self.prevalence
        if isinstance(share, Mapping):
            share = share.get(group, share)
        check_number(f"prevalence of {listing([group])}", share, 0, 1)
        return share


def _read_scores(y_score: Any, kept: Any = ()) -> tuple[Array, tuple[Label, ...]]:
    """Return scores of the rows that are kept, and the names of the columns of a matrix."""
    given = arrays.read_input(y_score, "y_score")
    is_matrix = isinstance(given, arrays.Table)
    score = arrays.to_numbers(given.matrix() if is_matrix else given, "y_score")
    score = score[kept] if len(score) == len(kept) else score
    arrays.check_all(np.isfinite(score), score, "y_score must be finite")
    return score, given.names if is_matrix else ()


def read_groups(sensitive_features: Any, n_rows: int) -> Codes:
    """Return the group of each row; one for all rows if there are no groups."""
    if sensitive_features is None:
        return Codes(("all rows",), np.zeros(n_rows, dtype=np.int64))
    groups = read_rows({ATTRIBUTE: sensitive_features}).variable(ATTRIBUTE)
    rule = f"sensitive_features must have one group for each of {n_rows} rows"
    if isinstance(groups, Block):
        raise ValueError(f"{rule}; received a column for each group")
    if groups.has_missing or len(groups) != n_rows:
        received = f"{len(groups)} rows, {groups.missing.sum()} of them without a group"
        raise ValueError(f"{rule}; received {received}")
    return groups


def _names_of(sensitive_features: Any) -> Any:
    """Return the names of crossed columns, if there are any."""
    if sensitive_features is None:
        return None
    return arrays.name_of(arrays.read_input(sensitive_features, ATTRIBUTE))


def _explain_classes(truth: Codes, score: Array) -> str:
    """Return what is wrong with labels that are not of two classes."""
    n_classes, n_scores = len(truth.labels), len(np.unique(score))
    if n_scores <= 2 < n_classes:
        numbers = f"y_true has {n_classes} classes and y_score {n_scores} values"
        return f"{numbers}; are they swapped? fit(y_score, y_true)."
    received = listing(truth.labels) or "none"
    return (
        f"y_true must have two classes, or columns of 0 and 1; received {received}. "
        "With three or more, the threshold of one class would change the shares of the others."
    )


# Thresholds that read the probability of each group, and not the group.


def _read_group_proba(group_proba: Any, groups: Sequence[Label], kept: Array) -> Array:
    """Return probabilities of groups, (rows kept, groups), in the order of the groups."""
    given = arrays.read_input(group_proba, "group_proba")
    names = given.names if isinstance(given, arrays.Table) else ()
    columns = groups if set(names) == set(groups) else range(len(groups))
    if set(names) != set(columns):
        received = listing(names) or "one column"
        rule = f"group_proba must have the columns {listing(groups)}"
        raise ValueError(f"{rule}; received {received}")
    order = [names.index(column) for column in columns]
    proba = arrays.to_numbers(given.matrix(), "group_proba")[:, order]
    are_valid = (proba >= 0).all(axis=1) & (np.abs(proba.sum(axis=1) - 1) <= _ROUNDING)
    if len(proba) != len(kept) or not are_valid[kept].all():
        rule = f"group_proba must have {len(kept)} rows of probabilities whose sum is 1"
        received = f"{len(proba)} rows, {np.count_nonzero(~are_valid)} of them without"
        raise ValueError(f"{rule}; received {received}")
    return proba[kept]


def _mean_thresholds(
    score: Array, weight: Array, proba: Array, wanted: Array, slack: Array
) -> Array:
    """Return a threshold for each group, of which rows have the mean by their probabilities.

    They are the prices of a linear program: predict positive where the scores are highest, with as
    many positives expected in each group as are wanted. Decisions of this form are right most often
    among all that keep the rates of the groups, if scores and probabilities are calibrated (Menon
    and Williamson, "The Cost of Fairness in Binary Classification", 2018).

    Parameters
    ----------
    score, weight : ndarray of shape (rows,)
    proba : ndarray of shape (rows, groups)
    wanted, slack : ndarray of shape (groups,)
        Weight of the positives, and by how much it may be missed.
    """
    from scipy.optimize import linprog

    expected = (weight[:, None] * proba).T
    rows, bounds = np.vstack([expected, -expected]), np.r_[wanted + slack, slack - wanted]
    solved = linprog(weight * (0.5 - score), rows, bounds, bounds=(0, 1), method="highs")
    if not solved.success:
        rule = "group_proba must tell the groups apart: no decisions have the wanted rate in each"
        remedy = "A prevalence that differs less between groups, or a tolerance, may be reached."
        raise ValueError(f"{rule} group. {remedy}")
    above, below = np.split(solved.ineqlin.marginals, 2)
    return 0.5 + below - above
