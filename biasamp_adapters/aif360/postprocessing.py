"""A post-processing algorithm for AIF360: thresholds that keep the rates of the groups."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from aif360.algorithms import Transformer
from aif360.algorithms.transformer import NotFittedError

from biasamp_adapters._text import renaming_errors
from biasamp_adapters._typing import Array
from biasamp_adapters._warnings import warn
from biasamp_adapters.aif360.groups import Grouping, Groups
from biasamp_adapters.aif360.schema import Schema, check_same_rows
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.thresholds.by_group import (
    GroupThresholds,
    Others,
    check_options,
    group_thresholds,
)

#: The group of rows that are in neither of the two groups; it never has thresholds of its own.
_NEITHER = "in neither group"


class PrevalenceThresholdPostprocessing(Transformer):  # type: ignore[misc]  # the host is not typed
    """Thresholds of each group that keep its rates of predictions at those of the truth.

    With equal rates in every group, a model does not amplify the gap between the groups: BA A->T is
    0 on the rows that set the thresholds, as nearly as ties permit. On other rows, what is left is
    sampling noise of these rows.

    This keeps the gap of the data, whatever made it: it is not fairness. The thresholds read the
    protected attributes whenever a label is predicted, which the law may forbid.

    Parameters
    ----------
    unprivileged_groups, privileged_groups : list of dict, optional
        Groups as AIF360 defines them. If both are given, these two groups have thresholds.
        Otherwise, every combination of protected attributes is a group.
    tolerance : float, default=0.0
        Most by which the rate of a group may differ from that of its truth, from 0 to 1: within it,
        the most accurate thresholds are chosen.
    other_groups : {"error", "pooled"}, default="error"
        What happens to groups that cannot have a threshold of their own, as a label is missing or
        all scores are equal, and to rows of no known group in ``predict``: an error, or the
        threshold of all rows.

    Attributes
    ----------
    group_thresholds : GroupThresholds or None
        The thresholds, after ``fit``; its ``to_frame()`` shows them with the rates.

    Raises
    ------
    ValueError
        If a parameter is invalid.

    See Also
    --------
    biasamp_adapters.group_thresholds : The same for arrays.
    biasamp_adapters.sklearn.PrevalenceThresholdClassifier : The same for scikit-learn.

    Notes
    -----
    ``scores`` are those of the favourable label, whatever its code, as in AIF360's own
    post-processing: rows with high scores get the favourable label. AIF360 fills the scores of a
    dataset that has none with its labels, and ``copy`` keeps them; ``fit`` refuses scores that are
    only 0 and 1.

    Of a ``MulticlassLabelDataset``, all labels are predicted, and not only favourable ones. Assign
    ``scores`` a matrix with one column for each label, in ascending order. AIF360 keeps it in
    ``copy``, ``subset`` and ``split``, but no constructor accepts it.

    Set the thresholds on rows on which the model was not trained. Instance weights count.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Sec. 3.3 ([W21]), calibrates one
    threshold for all groups.

    Examples
    --------
    Three of four rows of sex 1 are hired, and one of four of sex 0. A threshold of .5 predicts four
    and none.

    >>> import numpy as np
    >>> import pandas as pd
    >>> from aif360.datasets import BinaryLabelDataset
    >>> from biasamp_adapters.aif360 import PrevalenceThresholdPostprocessing
    >>> rows = pd.DataFrame({"sex": [1.0] * 4 + [0.0] * 4, "hired": [1.0, 1, 1, 0, 1, 0, 0, 0]})
    >>> truth = BinaryLabelDataset(
    ...     df=rows, label_names=["hired"], protected_attribute_names=["sex"]
    ... )
    >>> predicted = truth.copy()
    >>> predicted.scores = np.array([[0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]]).T
    >>> predicted.labels = np.where(predicted.scores > 0.5, 1.0, 0.0)
    >>> calibrated = PrevalenceThresholdPostprocessing()
    >>> calibrated.fit_predict(truth, predicted).labels.ravel().tolist()
    [1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    >>> calibrated.group_thresholds.to_frame()[["group", "threshold", "true", "predicted"]]
       group  threshold  true  predicted
    0    0.0       0.35  0.25       0.25
    1    1.0       0.65  0.75       0.75
    """

    def __init__(
        self,
        unprivileged_groups: Groups | None = None,
        privileged_groups: Groups | None = None,
        *,
        tolerance: float = 0.0,
        other_groups: Others = "error",
    ) -> None:
        check_options(tolerance, other_groups)
        # AIF360 writes them into the metadata of predictions.
        super().__init__(
            unprivileged_groups=unprivileged_groups,
            privileged_groups=privileged_groups,
            tolerance=tolerance,
            other_groups=other_groups,
        )
        self.unprivileged_groups = unprivileged_groups
        self.privileged_groups = privileged_groups
        self.tolerance = tolerance
        self.other_groups = other_groups
        self.group_thresholds: GroupThresholds | None = None

    def fit(self, dataset_true: Any, dataset_pred: Any) -> Self:
        """Set the thresholds.

        Parameters
        ----------
        dataset_true : BinaryLabelDataset or MulticlassLabelDataset
            The true labels, protected attributes and instance weights.
        dataset_pred : same as ``dataset_true``
            The ``scores``; all else but the labels as in ``dataset_true``.

        Returns
        -------
        PrevalenceThresholdPostprocessing

        Raises
        ------
        TypeError
            If ``dataset_true`` is not such a dataset.
        ValueError
            If the datasets do not fit together, have no scores, or a group lacks a label.
        """
        schema = Schema.of(dataset_true, "dataset_true")
        schema.check(dataset_pred, "dataset_pred", "dataset_true")
        check_same_rows(dataset_true, dataset_pred)
        scores = _scores(dataset_pred, schema, "dataset_pred")
        _check_scores(scores)
        grouping = Grouping.of(
            dataset_true.protected_attribute_names, self.unprivileged_groups, self.privileged_groups
        )
        groups, inside = grouping.members(dataset_true, "dataset_true")
        truth = dataset_true.labels.ravel()[inside]
        found = np.unique(truth).tolist()
        if found != schema.labels:
            raise ValueError(
                f"dataset_true.labels must hold each label of the dataset, "
                f"{listing(schema.labels)}, and no other; received {listing(found)}"
            )
        weight = dataset_true.instance_weights[inside]
        with _errors_of("dataset_pred"):
            self.group_thresholds = group_thresholds(
                truth,
                scores[inside],
                sensitive_features=groups[inside],
                tolerance=self.tolerance,
                sample_weight=None if (weight == 1).all() else weight,
                pos_label=schema.favorable,
                other_groups=self.other_groups,
            )
        self._schema, self._grouping = schema, grouping
        outside = int((~inside).sum())
        if outside:
            warn(f"{outside} row(s) of dataset_true are in none of the groups and left out")
        return self

    def predict(self, dataset: Any) -> Any:
        """Predict the labels of a dataset from its scores and protected attributes.

        Parameters
        ----------
        dataset : same as in ``fit``
            Its ``scores`` are on the scale of those of ``fit``. It is not changed.

        Returns
        -------
        BinaryLabelDataset or MulticlassLabelDataset
            A copy with the predicted ``labels``. As in any copy of AIF360, its other arrays are
            those of ``dataset``.

        Raises
        ------
        ValueError
            If ``dataset`` has other labels or attributes than those of ``fit``, or rows of a group
            without thresholds (unless ``other_groups`` is "pooled"), or before ``fit``.
        """
        if self.group_thresholds is None:
            raise NotFittedError("fit must be called before predict")
        self._schema.check(dataset, "dataset", "the datasets of fit")
        scores = _scores(dataset, self._schema, "dataset")
        if _are_labels(scores):
            warn(
                "dataset.scores are only 0 and 1, with which AIF360 fills a dataset that has no "
                "scores: the predictions would then repeat its labels"
            )
        groups = self._grouping(dataset.protected_attributes)
        if self._grouping.sides:
            groups = groups.where(groups.notna(), _NEITHER)
        with _errors_of("dataset"):
            labels = self.group_thresholds.predict(scores, sensitive_features=groups)
        predicted = dataset.copy()
        predicted.labels = labels.astype(np.float64)[:, None]
        return predicted

    def fit_predict(self, dataset_true: Any, dataset_pred: Any) -> Any:
        """Set the thresholds, and predict the labels of the same rows.

        Parameters
        ----------
        dataset_true, dataset_pred
            As in :meth:`fit`.

        Returns
        -------
        BinaryLabelDataset or MulticlassLabelDataset
            As of :meth:`predict`.
        """
        return self.fit(dataset_true, dataset_pred).predict(dataset_pred)


def _scores(dataset: Any, schema: Schema, argument: str) -> Array:
    """The scores of the favourable label, of shape (n,), or of shape (n, K) those of all labels.

    Raises
    ------
    ValueError
        If the scores have another shape.
    """
    scores, n = np.asarray(dataset.scores), len(dataset.labels)
    if schema.favorable is None:
        shape = (n, len(schema.labels))
        rule = f"one column for each of the labels {listing(schema.labels)}, in this order"
    else:
        shape = (n, 1)
        rule = f"one column, of the favourable label {schema.favorable}"
        scores = scores[:, None] if scores.ndim == 1 else scores
    if scores.shape != shape:
        raise ValueError(
            f"{argument}.scores must have {rule}, of shape {shape}; received the shape "
            f"{np.shape(dataset.scores)}"
        )
    return scores if schema.favorable is None else scores[:, 0]


def _are_labels(scores: Array) -> bool:
    """Whether scores may be labels: where none are given, AIF360 fills them with labels."""
    return bool(np.isin(scores, (0, 1)).all())


def _check_scores(scores: Array) -> None:
    """Raise ValueError unless thresholds can be set on the scores."""
    if _are_labels(scores):
        raise ValueError(
            "dataset_pred.scores must not be labels; received only 0 and 1, with which AIF360 "
            "fills a dataset that has no scores: assign it the scores of a model"
        )
    if (scores == scores[0]).all():
        raise ValueError(
            f"dataset_pred.scores must differ between rows; received {scores[0].tolist()} in all "
            f"{len(scores)}"
        )


def _errors_of(dataset: str) -> Any:
    """Use AIF360's names of the inputs in errors."""
    return renaming_errors(
        {
            "y_score": f"{dataset}.scores",
            "sensitive_features": "protected_attributes",
            "sample_weight": "instance_weights",
        }
    )
