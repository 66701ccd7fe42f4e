"""Thresholds of each group, at which its predicted rates are those of its truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array, Label, check_choice, is_real
from biasamp_adapters.counts.labels import as_array, listing, lookup
from biasamp_adapters.inputs.columns import read_weights
from biasamp_adapters.inputs.order import warn_of_order
from biasamp_adapters.thresholds.scored_rows import ScoredRows, fits, read_groups, read_scored
from biasamp_adapters.thresholds.scores import read_scores

#: What to do with groups whose own threshold is not known.
Others: TypeAlias = Literal["error", "pooled"]


def check_options(tolerance: Any, other_groups: Any) -> None:
    """Raise ValueError unless the tolerance is a share, and the rule for other groups is known."""
    if not (is_real(tolerance) and 0 <= tolerance <= 1):
        raise ValueError(f"tolerance must be a share from 0 to 1; received {tolerance!r}")
    check_choice("other_groups", other_groups, get_args(Others))


def thresholds_by_group(
    rows: ScoredRows,
    parts: Sequence[ScoredRows],
    groups: Sequence[Label],
    labels: Sequence[Label],
    *,
    tolerance: float,
    other_groups: Others,
    shares: Array | None = None,
) -> tuple[Array, Array]:
    """The thresholds of each group, and those of all rows.

    Parameters
    ----------
    rows : ScoredRows
    parts : sequence of ScoredRows
        The rows of each group.
    groups : sequence of label
    labels : sequence of label
        Of the columns of scores, for errors; not read if there is one.
    tolerance : float
    other_groups : {"error", "pooled"}
        What to do with groups that have no threshold of their own.
    shares : array of shape (groups,) or (groups, K), optional
        The rates to keep; by default, those of the truth.

    Returns
    -------
    of_groups : ndarray of shape (groups,) or (groups, K)
    pooled : ndarray of shape () or (K,)

    Raises
    ------
    ValueError
        If a group lacks a class, or all its scores are equal; or those of all rows are.
    """
    equal = np.asarray(rows.scores.min(axis=0) == rows.scores.max(axis=0))
    if equal.any():
        where = f" for {listing([labels[np.flatnonzero(equal)[0]]])}" if equal.ndim else ""
        raise ValueError(
            f"scores must differ between rows; received the same score{where} in all "
            f"{len(rows.scores)} rows: no threshold can tell them apart"
        )
    pooled = rows.thresholds(rows.rates, tolerance)
    found, unfit = [], []
    for code, part in enumerate(parts):
        lacks = _lacks(part)
        unfit += [code] * bool(lacks.any())
        # The classes of a row depend on one another.
        is_pooled = lacks.any() if rows.exclusive else lacks
        if np.all(is_pooled):
            found.append(pooled)
            continue
        of_group = part.thresholds(part.rates if shares is None else shares[code], tolerance)
        found.append(np.where(is_pooled, pooled, of_group))
    if unfit and other_groups == "error":
        first = unfit[0]
        raise ValueError(_unfit(parts[first], groups[first], labels, len(unfit) - 1))
    return np.array(found), pooled


def _lacks(rows: ScoredRows) -> Array:
    """For which classes or labels no threshold can be set: all rows or scores are the same."""
    if not len(rows.scores):
        return np.ones(rows.scores.shape[1:], dtype=bool)
    same = [values.min(axis=0) == values.max(axis=0) for values in (rows.truth, rows.scores)]
    return np.asarray(same[0] | same[1])


def _unfit(rows: ScoredRows, group: Label, labels: Sequence[Label], n_others: int) -> str:
    """The message about the first group that has no threshold."""
    truth, what = rows.truth, "positive"
    if truth.ndim == 2:
        column = int(np.flatnonzero(_lacks(rows))[0])
        truth, what = truth[:, column], f"with the label {listing([labels[column]])}"
    n, n_true = len(truth), int(truth.sum())
    has = f"{n} row{'s' if n != 1 else ''}, {n_true} of them {what}"
    if not n:
        has = "no rows with a positive weight"
    elif 0 < n_true < n:
        has = f"{n} rows whose scores do not differ"
    return (
        f"each group must have rows with and without each label, and different scores, to set its "
        f"threshold; the group {listing([group])} has {has}"
        + (f" (and {n_others} more group{'s' if n_others != 1 else ''})" if n_others else "")
        + ": merge it with another, or give it the threshold of all rows (other_groups='pooled')"
    )


def decided(above: Array, labels: Array, *, is_matrix: bool) -> Array:
    """The labels of rows, or 0 and 1 of a label matrix, by their scores less the thresholds."""
    if is_matrix:
        return (above > 0).astype(int)
    chosen = (above > 0).astype(int) if above.ndim == 1 else above.argmax(axis=1)
    return np.asarray(labels[chosen])


@dataclass(frozen=True, eq=False)
class GroupThresholds:
    """Thresholds of each group; made by :func:`~biasamp_adapters.group_thresholds`.

    Attributes
    ----------
    groups : tuple of label
        In their natural order; a tuple of levels where several attributes are crossed.
    labels : tuple of label
        The negative and the positive class; of several classes all; of a label matrix its columns.
    thresholds : ndarray of shape (groups,) or (groups, labels)
        A row is positive if its score is above the threshold. Of several classes, the one with the
        highest score less its threshold is predicted.
    pooled : ndarray of shape () or (labels,)
        The thresholds of all rows.
    other_groups : {"error", "pooled"}
        What happens to rows of a group that is not listed.
    is_matrix : bool
        Whether the labels are columns, each decided on its own.
    """

    groups: tuple[Label, ...]
    labels: tuple[Label, ...]
    thresholds: Array
    pooled: Array
    other_groups: Others
    is_matrix: bool
    _rates: pd.DataFrame

    def __repr__(self) -> str:
        return f"<GroupThresholds: {len(self.groups)} groups, {listing(self.labels)}>"

    def predict(self, y_score: Any, *, sensitive_features: Any) -> Array:
        """Predictions for new rows.

        Parameters
        ----------
        y_score : array-like of shape (n,) or (n, K)
            Scores on the scale of those that set the thresholds, with the same columns.
        sensitive_features : array-like of shape (n,) or (n, attributes)
            The groups of the rows, which must be known to predict.

        Returns
        -------
        ndarray of shape (n,) or (n, K)
            Classes, or 0 and 1 of a label matrix.

        Raises
        ------
        ValueError
            If a group is unknown (unless ``other_groups`` is "pooled") or missing, or scores have
            other columns.
        """
        warn_of_order([("y_score", y_score), ("sensitive_features", sensitive_features)])
        scores, names = read_scores(y_score)
        expected = self.thresholds.shape[1:]
        if scores.shape[1:] != expected or not fits(names, self.labels):
            columns = f"{expected[0]} columns, {listing(self.labels)}" if expected else "one column"
            raise ValueError(
                f"y_score must have {columns}, as where the thresholds were set; received "
                f"{names or f'the shape {scores.shape}'}"
            )
        place = place_of(sensitive_features, len(scores), self.groups, self.other_groups)
        above = scores - np.concatenate([self.thresholds, self.pooled[None]])[place]
        return decided(above, as_array(self.labels), is_matrix=self.is_matrix)

    def to_frame(self) -> pd.DataFrame:
        """Rows, thresholds and rates of each group, in the rows that set the thresholds.

        Returns
        -------
        DataFrame
            One row for each group or, of several classes or labels, for each pair: ``group``,
            ``label``, ``rows``, ``threshold``, and the shares ``true`` and ``predicted`` with the
            share of right decisions, ``accuracy``. On other rows, they differ by chance.
        """
        return self._rates.copy()


def group_thresholds(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    tolerance: float = 0.0,
    sample_weight: Any = None,
    pos_label: Label | None = None,
    other_groups: Others = "error",
) -> GroupThresholds:
    """Thresholds of each group that keep its rate of predictions at the rate of its truth.

    With equal rates in every group, a model does not amplify the gap between groups, and BA A->T is
    0 on these rows, as nearly as ties permit. With a ``tolerance``, each rate may differ from the
    truth by that much, and the most accurate thresholds are chosen: of one of two classes, BA A->T
    is then between minus and plus the tolerance, unless ties rule that out.

    This keeps the gap of the data, whatever made it: it is not fairness. The thresholds read the
    attribute whenever a decision is made, which the law may forbid. They hold for the rows that set
    them; on others, what is left is sampling noise of these rows. Set them on rows on which the
    model was not trained.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, K)
        Labels of two or more classes, or a 0/1 matrix of labels.
    y_score : array-like of shape (n,) or (n, K)
        Scores, higher for likelier positives. Of more than two classes, one column per class in the
        order of the sorted classes (or with their names), as ``predict_proba`` gives; of a label
        matrix, one column per label.
    sensitive_features : array-like of shape (n,) or (n, attributes)
        The group of each row. Several attributes are crossed.
    tolerance : float
        Most by which the rate of a group may differ from that of its truth, from 0 to 1. If ties
        rule this out, the nearest rate is chosen.
    sample_weight : array-like of shape (n,), optional
    pos_label : label, optional
        The positive one of two classes: by default 1 of 0/1, -1/1 and booleans, and otherwise the
        last one.
    other_groups : {"error", "pooled"}
        What happens to groups that cannot have a threshold of their own, as a class is missing or
        all scores are equal, and to those that are met first in ``predict``: an error, or the
        threshold of all rows.

    Returns
    -------
    GroupThresholds

    Raises
    ------
    ValueError
        If an input breaks a rule, or a group lacks a class.

    Notes
    -----
    The thresholds of several classes are fitted to one another in turn. Without ties, their rates
    are within a few rows of the requested ones, or of the tolerance. With a tolerance, they need
    not be the most accurate ones. Sorting the scores is nearly all the work: about n log n steps.

    Examples
    --------
    In group "a" three of four rows are positive and in "b" one of four; a threshold of .5 predicts
    four and none.

    >>> import biasamp_adapters as bam
    >>> y_true, group = [1, 1, 1, 0, 1, 0, 0, 0], ["a"] * 4 + ["b"] * 4
    >>> score = [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]
    >>> fitted = bam.group_thresholds(y_true, score, sensitive_features=group)
    >>> fitted.predict(score, sensitive_features=group).tolist()
    [1, 1, 1, 0, 1, 0, 0, 0]
    >>> fitted.to_frame()
      group label  rows  threshold  true  predicted  accuracy
    0     a     1     4       0.65  0.75       0.75       1.0
    1     b     1     4       0.35  0.25       0.25       1.0
    """
    check_options(tolerance, other_groups)
    inputs = {
        "y_true": y_true,
        "y_score": y_score,
        "sensitive_features": sensitive_features,
        "sample_weight": sample_weight,
    }
    warn_of_order(inputs.items())
    rows, labels, positive = read_scored(y_true, y_score, pos_label)
    groups, codes = read_groups(sensitive_features, len(rows.scores))
    if sample_weight is not None:
        weight = read_weights(sample_weight, ("y_score", len(rows.scores)))
        kept = weight > 0
        rows, codes = rows._replace(weight=weight).of(kept), codes[kept]
    parts = rows.by_group(codes, len(groups))
    found, pooled = thresholds_by_group(
        rows, parts, groups, labels, tolerance=float(tolerance), other_groups=other_groups
    )
    is_matrix = rows.scores.ndim == 2 and not rows.exclusive
    shown = labels if positive is None else (labels[positive],)
    rates = _rates(parts, groups, found, shown)
    if positive == 0:
        labels = labels[::-1]
    return GroupThresholds(groups, labels, found, pooled, other_groups, is_matrix, rates)


def _rates(
    parts: Sequence[ScoredRows], groups: Sequence[Label], found: Array, labels: Sequence[Label]
) -> pd.DataFrame:
    """The table of ``GroupThresholds.to_frame``."""
    table = []
    for group, part, cuts in zip(groups, parts, found, strict=True):
        truth, predicted = part.truth, part.decided(cuts)
        averages = [
            part._replace(truth=x).rates.reshape(-1).tolist()
            for x in (truth, predicted, truth == predicted)
        ]
        for label, cut, *shares in zip(labels, cuts.reshape(-1).tolist(), *averages, strict=True):
            table.append((group, label, len(truth), cut, *shares))
    columns = ["group", "label", "rows", "threshold", "true", "predicted", "accuracy"]
    return pd.DataFrame(table, columns=columns)


def place_of(
    sensitive_features: Any, n_rows: int, groups: Sequence[Label], other_groups: Others
) -> Array:
    """The place of the group of each row among those with a threshold; -1 stands for all rows.

    Raises
    ------
    ValueError
        If a group is missing, or has no threshold, unless ``other_groups`` is "pooled".
    """
    found, codes = read_groups(sensitive_features, n_rows)
    place = lookup(found, groups)
    unknown = [group for group, at in zip(found, place.tolist(), strict=True) if at < 0]
    if unknown and other_groups == "error":
        raise ValueError(
            f"each group must have a threshold; received {listing(unknown)}, which the rows that "
            f"set the thresholds do not have (other_groups='pooled' gives them that of all rows)"
        )
    return place[codes]
