"""Thresholds by group as a postprocessing of AIF360."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from aif360.algorithms import Transformer
from sklearn.utils.validation import check_is_fitted

from biasamp_adapters.aif360.datasets import Grouping, Groups, check_match, read_scores, rows_of
from biasamp_adapters.counting.labels import Array
from biasamp_adapters.thresholds.prevalence import PrevalenceThreshold


class PrevalenceThresholdPostprocessing(Transformer):  # type: ignore[misc]
    """Predict the favourable label as often as it is in the labels, group by group.

    The thresholds are those of :class:`biasamp_adapters.PrevalenceThreshold`. They keep the gap of
    the labels, which is not fairness, and read the protected attributes for each decision, which
    may be unlawful.

    Parameters
    ----------
    unprivileged_groups, privileged_groups : list of dict, optional
        As in :class:`BiasAmplificationMetric`.
    **settings
        ``prevalence``, ``tolerance`` and ``unknown_groups`` of
        :class:`biasamp_adapters.PrevalenceThreshold`: "pooled" also decides rows in neither of the
        two groups. The positive label is the favourable one.

    Attributes
    ----------
    rule : PrevalenceThreshold
        Fitted: it has the thresholds.

    Examples
    --------
    Half of the women are hired, and no score of a woman reaches 0.5.

    >>> import numpy as np
    >>> import pandas as pd
    >>> from aif360.datasets import BinaryLabelDataset
    >>> from biasamp_adapters.aif360 import PrevalenceThresholdPostprocessing
    >>> rows = pd.DataFrame({"sex": [1.0, 1, 0, 0], "hired": [1.0, 0, 1, 0]})
    >>> truth = BinaryLabelDataset(
    ...     df=rows, label_names=["hired"], protected_attribute_names=["sex"]
    ... )
    >>> predicted = truth.copy(deepcopy=True)
    >>> predicted.scores = np.array([[0.9], [0.6], [0.4], [0.2]])
    >>> thresholds = PrevalenceThresholdPostprocessing()
    >>> thresholds.fit_predict(truth, predicted).labels.ravel().tolist()
    [1.0, 0.0, 1.0, 0.0]
    >>> thresholds.rule.thresholds_.round(2).tolist()
    [0.3, 0.75]
    """

    def __init__(
        self, unprivileged_groups: Groups = None, privileged_groups: Groups = None, **settings: Any
    ) -> None:
        self.groups = unprivileged_groups, privileged_groups
        super().__init__(groups=self.groups, **settings)
        self.rule = PrevalenceThreshold(**settings, pos_label=None)

    def fit(self, dataset_true: Any, dataset_pred: Any) -> Self:
        """Set the thresholds.

        Parameters
        ----------
        dataset_true : BinaryLabelDataset
            The labels, protected attributes and instance weights.
        dataset_pred : BinaryLabelDataset
            The scores of the favourable label; all else but the labels as in ``dataset_true``.

        Raises
        ------
        ValueError
            If the datasets have other rows, or the scores are missing.
        """
        with dataset_true.temporarily_ignore("labels", "scores"):
            if len(dataset_true.labels) != len(dataset_pred.labels) or dataset_true != dataset_pred:
                raise ValueError("dataset_pred may differ from dataset_true in labels and scores")
        self.grouping = Grouping(dataset_true, *self.groups)
        columns, inside = self.grouping.read(dataset_true, "dataset_true")
        columns["y_score"] = pd.Series(_scores(dataset_pred, "dataset_pred"))
        self.rule.set_params(pos_label=dataset_true.favorable_label)
        self.rule.fit(**rows_of(columns, inside))
        return self

    def predict(self, dataset: Any) -> Any:
        """Return a copy of a dataset with the labels that follow from its scores and groups.

        Parameters
        ----------
        dataset : BinaryLabelDataset
            Its scores are on the scale of those of ``fit``.

        Raises
        ------
        ValueError
            If a group has no threshold and ``unknown_groups`` is "error".
        """
        check_is_fitted(self.rule)
        check_match(dataset, self.grouping.dataset, "dataset")
        groups = self.grouping.groups(dataset.protected_attributes)
        if self.grouping.sides:
            groups = groups.where(groups.notna(), "neither group")
        labels = self.rule.predict(_scores(dataset, "dataset"), sensitive_features=groups)
        predicted = dataset.copy()
        predicted.labels = labels.astype(np.float64)[:, None]
        return predicted

    def fit_predict(self, dataset_true: Any, dataset_pred: Any) -> Any:
        """Set the thresholds, and return the predictions of the same rows."""
        return self.fit(dataset_true, dataset_pred).predict(dataset_pred)


def _scores(dataset: Any, argument: str) -> Array:
    """Return the scores of a dataset; raise if there are none."""
    scores = read_scores(dataset)
    if scores is None:
        rule = f"{argument}.scores must be scores of the favourable label"
        raise ValueError(f"{rule}; received only 0 and 1, with which AIF360 fills a dataset")
    return scores
