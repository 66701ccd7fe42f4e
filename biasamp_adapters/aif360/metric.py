"""AIF360's ClassificationMetric and explainers with the metrics of bias amplification."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

import pandas as pd
from aif360.explainers import MetricJSONExplainer, MetricTextExplainer
from aif360.metrics import ClassificationMetric

from biasamp_adapters import words
from biasamp_adapters.aif360.datasets import Datasets, Grouping, Groups
from biasamp_adapters.metrics.base import A_TO_T, Metric
from biasamp_adapters.result import AmplificationResult
from biasamp_adapters.warning import warn


class MetricMethods:
    """A method for each metric, which hands the metric or its name to ``_answer``.

    The metric class, its ``_by_pair`` methods and the explainers have what stands here.
    """

    def _answer(self, metric: Metric | str, settings: dict[str, Any]) -> Any:
        raise NotImplementedError

    def mals_bias_amplification(self, **settings: Any) -> Any:
        """BiasAmp_MALS; of two labels, by default of the favourable one.

        Parameters
        ----------
        **settings
            Those of :class:`biasamp_adapters.MALSBiasAmplification`.
        """
        return self._answer("MALS", settings)

    def directional_bias_amplification(self, direction: str = A_TO_T, **settings: Any) -> Any:
        """BA->, directional bias amplification.

        Parameters
        ----------
        direction : {"A->T", "T->A"}
        **settings
            Those of :class:`biasamp_adapters.DirectionalBiasAmplification`.
        """
        return self._answer("BA", {"direction": direction, **settings})

    def multi_attribute_bias_amplification(self, direction: str = A_TO_T, **settings: Any) -> Any:
        """Multi, how far rates change.

        Parameters
        ----------
        direction : {"A->T", "T->A", "undirected"}
        **settings
            Those of :class:`biasamp_adapters.MultiAttributeBiasAmplification`.
        """
        return self._answer("Multi", {"direction": direction, **settings})

    def leakage_amplification(self, **settings: Any) -> Any:
        """LA, how much better predictions tell the group than labels do.

        Parameters
        ----------
        **settings
            Those of :class:`biasamp_adapters.LeakageAmplification`.
        """
        return self._answer("LA", settings)

    def directional_predictability_amplification(
        self, direction: str = A_TO_T, **settings: Any
    ) -> Any:
        """DPA, how much better one of group and class can be predicted from the other.

        Parameters
        ----------
        direction : {"A->T", "T->A"}
        **settings
            Those of :class:`biasamp_adapters.DirectionalPredictabilityAmplification`.
        """
        return self._answer("DPA", {"direction": direction, **settings})


class BiasAmplificationMetric(MetricMethods, ClassificationMetric):  # type: ignore[misc]
    """Bias amplification of predictions in AIF360's datasets, with AIF360's own metrics.

    Each metric is a method, and another one that ends with ``_by_pair`` returns the frame of pairs
    of a group and a class behind it. Intervals and verdicts are in :func:`audit_report`.

    Parameters
    ----------
    dataset : BinaryLabelDataset or MulticlassLabelDataset
        The labels, protected attributes and instance weights.
    classified_dataset : same as ``dataset``
        The predicted labels; all else but the scores as in ``dataset``.
    unprivileged_groups, privileged_groups : list of dict, optional
        Groups as AIF360 defines them: a row has all values of one of the dicts. Rows in neither are
        left out. Without both, every combination of protected attributes is a group.
    reference_dataset : same as ``dataset``, optional
        The training data, which decide the signs; by default ``dataset`` does.
    predicted_protected_attributes : array-like of shape (rows,) or (rows, attributes), optional
        The attributes that define the groups as a model predicts them, for T->A, in the codes of
        ``dataset``. Columns without names are in the order of ``protected_attribute_names``. A
        prediction of neither group counts as wrong.
    clusters : array-like of shape (rows,), optional
        Rows of one cluster, such as those of one person, are drawn together for intervals.

    Raises
    ------
    ValueError
        If labels are not labels of the dataset, a group has no rows, or inputs do not fit together.

    Notes
    -----
    AIF360 remembers the results of its own methods. Those of bias amplification are computed anew,
    also after a dataset has changed. Of more than two labels, they read all, and the inherited
    methods whether they are favourable.

    Examples
    --------
    Of men, 40 of 50 are hired in labels and predictions; of women 10 of 50, and none is predicted.

    >>> import pandas as pd
    >>> from aif360.datasets import BinaryLabelDataset
    >>> from biasamp_adapters.aif360 import BiasAmplificationMetric
    >>> hired = [0.0] * 10 + [1.0] * 40 + [0.0] * 40 + [1.0] * 10
    >>> rows = pd.DataFrame({"sex": [1.0] * 50 + [0.0] * 50, "hired": hired})
    >>> truth = BinaryLabelDataset(
    ...     df=rows, label_names=["hired"], protected_attribute_names=["sex"]
    ... )
    >>> predicted = truth.copy(deepcopy=True)
    >>> predicted.labels[90:] = 0
    >>> metric = BiasAmplificationMetric(truth, predicted, [{"sex": 0}], [{"sex": 1}])
    >>> round(metric.directional_bias_amplification(), 4)
    0.1
    >>> print(round(metric.statistical_parity_difference(), 4))
    -0.8
    """

    def __init__(
        self,
        dataset: Any,
        classified_dataset: Any,
        unprivileged_groups: Groups = None,
        privileged_groups: Groups = None,
        *,
        reference_dataset: Any = None,
        predicted_protected_attributes: Any = None,
        clusters: Any = None,
    ) -> None:
        sides = unprivileged_groups, privileged_groups
        options = reference_dataset, predicted_protected_attributes, clusters
        if all(hasattr(x, "favorable_label") for x in (dataset, classified_dataset)):
            self.datasets = Datasets(Grouping(dataset, *sides), classified_dataset, *options)
            self.datasets.read()
        # It refuses what is no dataset with labels. Of several classes, it keeps copies with two.
        super().__init__(dataset, classified_dataset, *sides)
        for note in self.datasets.notes:
            warn(note)

    def _answer(self, metric: Metric | str, settings: dict[str, Any]) -> float:
        metric, columns = self.datasets.metric(metric, settings)
        return metric(**columns)


class _Pairs(MetricMethods):
    """A frame of the pairs of a group and a class behind each metric."""

    def __init__(self, datasets: Datasets) -> None:
        self.datasets = datasets

    def _answer(self, metric: Metric | str, settings: dict[str, Any]) -> pd.DataFrame:
        metric, columns = self.datasets.metric(metric, settings)
        return metric.result(**columns, n_boot=0).by_pair


def _by_pair(method: Callable[..., Any]) -> Any:
    """Return the method for the frame behind a metric, with the parameters of its own method."""

    @wraps(method)
    def by_pair(self: BiasAmplificationMetric, *args: Any, **settings: Any) -> pd.DataFrame:
        return method(_Pairs(self.datasets), *args, **settings)

    by_pair.__name__ = f"{method.__name__}_by_pair"
    by_pair.__doc__ = f"Return the pairs behind :meth:`{method.__name__}`."
    return by_pair


for _name, _method in vars(MetricMethods).items():
    if not _name.startswith("_"):
        setattr(BiasAmplificationMetric, f"{_name}_by_pair", _by_pair(_method))


class BiasAmplificationTextExplainer(MetricMethods, MetricTextExplainer):  # type: ignore[misc]
    """AIF360's ``MetricTextExplainer``, which also explains bias amplification.

    Parameters
    ----------
    metric : BiasAmplificationMetric or ClassificationMetric

    Examples
    --------
    >>> import pandas as pd
    >>> from aif360.datasets import BinaryLabelDataset
    >>> from biasamp_adapters.aif360 import BiasAmplificationMetric, BiasAmplificationTextExplainer
    >>> rows = pd.DataFrame({"sex": [1.0, 1, 0, 0], "hired": [1.0, 0, 1, 0]})
    >>> truth = BinaryLabelDataset(
    ...     df=rows, label_names=["hired"], protected_attribute_names=["sex"]
    ... )
    >>> explain = BiasAmplificationTextExplainer(
    ...     BiasAmplificationMetric(truth, truth.copy(deepcopy=True))
    ... )
    >>> explain.multi_attribute_bias_amplification()
    'Multi A->T: 0.0000. The mean size of the changes of rates, without sign.'
    >>> explain.accuracy()
    'Classification accuracy (ACC): 1.0'
    """

    def _answer(self, metric: Metric | str, settings: dict[str, Any]) -> str:
        metric, columns = Datasets.of(self.metric).metric(metric, settings)
        first_line = (type(metric).__doc__ or metric.name).strip().partition("\n")[0]
        meaning = words.GLOSSARY.get(metric.short, first_line)
        return self._explain(metric.result(**columns, n_boot=0), meaning)

    def _explain(self, result: AmplificationResult, meaning: str) -> str:
        label = result.pos_label
        of_label = "" if label is None else words.OF_LABEL.format(label=label)
        return f"{result.metric}{of_label}: {result.value:z.4f}. {meaning}"


def _valid_json(method: Callable[..., str]) -> Callable[..., str]:
    """Return a method of AIF360's explainer with null in place of NaN and infinity."""

    @wraps(method)
    def valid(*args: Any, **options: Any) -> str:
        return json.dumps(json.loads(method(*args, **options), parse_constant=lambda name: None))

    return valid


class BiasAmplificationJSONExplainer(BiasAmplificationTextExplainer, MetricJSONExplainer):  # type: ignore[misc]
    """AIF360's ``MetricJSONExplainer``, which also explains bias amplification.

    All that it returns is valid JSON: a NaN is null, that of an inherited metric too.

    Parameters
    ----------
    metric : BiasAmplificationMetric or ClassificationMetric
    """

    def _explain(self, result: AmplificationResult, meaning: str) -> str:
        about = result.to_dict().items()
        record = {name: x["value"] if isinstance(x, dict) else x for name, x in about}
        record |= {"message": super()._explain(result, meaning), "label": result.pos_label}
        record |= {"description": meaning, "ideal": words.IDEAL}
        return json.dumps(record)


for _name, _method in vars(MetricJSONExplainer).items():
    if not _name.startswith("_"):
        setattr(BiasAmplificationJSONExplainer, _name, _valid_json(_method))
