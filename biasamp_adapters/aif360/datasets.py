"""AIF360's datasets as arguments of metrics and audits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from aif360.datasets.multiclass_label_dataset import MulticlassLabelDataset
from aif360.metrics import ClassificationMetric
from aif360.metrics.utils import compute_boolean_conditioning_vector

from biasamp_adapters import words
from biasamp_adapters.counting.arrays import read_numbers, to_numbers
from biasamp_adapters.counting.counts import Counts
from biasamp_adapters.counting.labels import Array, Label, listing, plain_labels
from biasamp_adapters.metrics.base import T_TO_A, Metric
from biasamp_adapters.metrics.functions import get_metric

#: Groups as AIF360 defines them: a row has all values of one of the dicts.
Groups: TypeAlias = Sequence[Mapping[str, float]] | None

#: What datasets have in common that are used together.
_SCHEMA = ("protected_attribute_names", "label_names", "favorable_label", "unfavorable_label")

_PREDICTED = "predicted_protected_attributes"


class Grouping:
    """The groups that are compared.

    Attributes
    ----------
    dataset : BinaryLabelDataset or MulticlassLabelDataset
        It says what codes mean.
    used : list of str
        The protected attributes that define the groups.
    sides : dict of labels to lists of dicts
        The unprivileged and the privileged group; empty where every combination of values is one.
    """

    def __init__(self, dataset: Any, unprivileged: Groups, privileged: Groups) -> None:
        self.dataset = dataset
        self._names = list(dataset.protected_attribute_names)
        maps = dataset.metadata.get("protected_attribute_maps", ())
        self._meanings = dict(zip(self._names, maps, strict=False))
        self.used, self.sides = self._names, dict[Label, Any]()
        if unprivileged is None and privileged is None:
            return
        both: dict[Label, Any] = {"unprivileged": unprivileged, "privileged": privileged}
        named = set[str]().union(*(self._attributes(f"{x}_groups", both[x]) for x in both))
        self.used = [name for name in self._names if name in named]
        self.sides = both
        if len(self.used) == 1 and all(len(side) == 1 for side in both.values()):
            [name] = self.used  # The value of the attribute is the name of a side.
            self.sides = {self._meaning(name, side[0][name]): side for side in both.values()}

    def _attributes(self, argument: str, groups: Any) -> set[str]:
        """Return the protected attributes that define a group."""
        is_list = isinstance(groups, list | tuple) and all(isinstance(x, Mapping) for x in groups)
        if not is_list or not groups or not all(set() < {*x} <= {*self._names} for x in groups):
            rule = f"{argument} must be a list of dicts with values of {listing(self._names)}"
            raise ValueError(f"{rule}, or both be None; received {groups!r:.60}")
        return {name for group in groups for name in group}

    def _meaning(self, name: str, code: float) -> Label:
        """Return what a code of an attribute means, if the dataset says so."""
        return plain_labels([self._meanings.get(name, {}).get(code, code)], name)[0]

    def describe(self, groups: Sequence[Mapping[str, float]]) -> str:
        """Return what a side is, such as "sex = woman, age = 0"."""
        sides = [[f"{x} = {self._meaning(x, code)}" for x, code in g.items()] for g in groups]
        return " or ".join(map(", ".join, sides))

    def read(self, dataset: Any, argument: str) -> tuple[dict[str, Any], Array]:
        """Return labels, groups and weights of a dataset, and which rows are in a group."""
        columns = {"y_true": read_labels(dataset, argument)}
        columns["sensitive_features"] = groups = self.groups(dataset.protected_attributes)
        if (dataset.instance_weights != 1).any():
            columns["sample_weight"] = pd.Series(dataset.instance_weights, name="instance_weights")
        for label, side in self.sides.items():
            if not (groups == label).any():
                rule = f"{argument} must have rows of both groups"
                raise ValueError(f"{rule}; none have {self.describe(side)}")
        inside = groups.notna().to_numpy() if self.sides else np.full(len(groups), True)
        return columns, inside

    def predicted(self, values: Any, n_rows: int) -> Any:
        """Return the predicted group of each row, missing if it is in none.

        Parameters
        ----------
        values : array-like of shape (rows,) or (rows, used attributes), or frame
            Codes of the dataset; columns without names are in the order of the attributes.
        n_rows : int
        """
        table = pd.DataFrame(values)
        if len(self.used) == table.shape[1] and (len(self.used) == 1 or 0 in table):
            table.columns = pd.Index(self.used)
        if not {*self.used} <= {*table} or not len(table.dropna()) == len(table) == n_rows:
            rule = f"{_PREDICTED} must have {n_rows} rows of {listing(self.used)}, none missing"
            raise ValueError(f"{rule}; received {len(table.dropna())} rows of {listing(table)}")
        codes = to_numbers(table[self.used].to_numpy(), _PREDICTED)
        known = pd.DataFrame(self.dataset.protected_attributes, columns=self._names)[self.used]
        others = np.setdiff1d(codes, known)
        if len(others) == len(np.unique(codes)) or (others % 1).any():  # Other codes or scores.
            rule = f"{_PREDICTED} must hold codes of {listing(self.used)} in the dataset"
            raise ValueError(f"{rule}; received {listing(others.tolist())}")
        return self.groups(pd.DataFrame(codes, columns=self.used))

    def groups(self, codes: Any) -> Any:
        """Return the group of each row of all protected attributes, or of a frame of used ones."""
        codes = pd.DataFrame(codes, columns=self._names)[self.used]
        if not self.sides:
            return codes.replace(self._meanings).squeeze(axis="columns")
        name = self.used[0] if len(self.used) == 1 else None
        groups = pd.Series(None, index=codes.index, dtype=object, name=name)
        for label, side in self.sides.items():
            held = compute_boolean_conditioning_vector(codes.to_numpy(), self.used, side)
            groups[held] = label
        return groups


@dataclass(frozen=True, eq=False)
class Datasets:
    """What a metric of AIF360 is made from, as it was given."""

    grouping: Grouping
    classified: Any
    reference: Any = None
    predicted: Any = None
    clusters: Any = None

    @classmethod
    def of(cls, metric: Any) -> Datasets:
        """Return the datasets of a metric, which may be AIF360's own."""
        if not isinstance(metric, ClassificationMetric):
            rule = "metric must be a ClassificationMetric(dataset, classified_dataset, ...)"
            raise TypeError(f"{rule}; received a {type(metric).__name__}")
        if hasattr(metric, "datasets"):
            return metric.datasets
        sides = metric.unprivileged_groups, metric.privileged_groups
        given = metric.dataset, metric.classified_dataset
        if isinstance(metric.dataset, MulticlassLabelDataset):  # AIF360 keeps copies of two labels.
            given = given[0].metadata["previous"][0], given[1].metadata["previous"][0]
        return cls(Grouping(given[0], *sides), given[1])

    @property
    def favorable(self) -> float | None:
        """The favourable label of two; None of more, which are all treated alike."""
        label = self.grouping.dataset.favorable_label
        return None if np.ndim(label) else label

    @property
    def notes(self) -> Iterator[str]:
        """Notes on how the datasets were given."""
        if np.shares_memory(self.grouping.dataset.labels, self.classified.labels):
            yield words.SAME_LABELS
        _, inside = self.grouping.read(self.grouping.dataset, "dataset")
        if outside := int((~inside).sum()):
            yield words.IN_NEITHER_GROUP.format(n=outside)

    def read(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return columns of rows as they are now, and options, of metrics and audits."""
        columns, inside = self.grouping.read(self.grouping.dataset, "dataset")
        columns["y_pred"] = read_labels(self.classified, "classified_dataset")
        # What is predicted to be in neither group stays in all rates, and counts as wrong.
        options: dict[str, Any] = {"missing": "abstain"}
        if self.favorable is not None:
            options["class_labels"] = _known(self.grouping.dataset)
            scores = read_scores(self.classified)
            columns |= {} if scores is None else {"y_score": pd.Series(scores)}
        if self.predicted is not None:
            columns["sensitive_features_pred"] = self.grouping.predicted(
                self.predicted, len(inside)
            )
        if self.clusters is not None:
            columns["clusters"] = pd.Series(read_numbers(self.clusters, "clusters"))
        if self.reference is not None:
            check_match(self.reference, self.grouping.dataset, "reference_dataset")
            reference = self.grouping.read(self.reference, "reference_dataset")
            options["reference"] = Counts.from_arrays(**rows_of(*reference))
        return rows_of(columns, inside), options

    def metric(self, metric: Any, settings: dict[str, Any]) -> tuple[Metric, dict[str, Any]]:
        """Return a metric with settings, and the columns that it reads."""
        metric = get_metric(metric)
        if settings.pop("privileged", None) is not None:  # As AIF360's methods take it.
            rule = f"{metric.short} compares groups, so one group has no value"
            raise ValueError(f"{rule}; see ..._by_pair")
        columns, options = self.read()
        if type(metric).measure is Metric.measure:  # Its formula reads no reference.
            options.pop("reference", None)
        metric = metric.with_settings({**options, **settings})
        is_of_one_class = metric.short in ("MALS", "DPA") and metric.direction != T_TO_A
        if is_of_one_class and metric.pos_label is None:
            metric = replace(metric, pos_label=self.favorable)
        # Scores and clusters are read by audits alone.
        read = {x: y for x, y in columns.items() if x not in ("y_score", "clusters")}
        return metric, read


def rows_of(columns: dict[str, Any], chosen: Array) -> dict[str, Any]:
    """Return the chosen rows of columns, which must have as many."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len({*lengths.values()}) > 1:
        raise ValueError(f"all inputs must have as many rows; received {lengths}")
    return {name: column[chosen] for name, column in columns.items()}


def check_match(dataset: Any, other: Any, argument: str) -> None:
    """Raise unless a dataset has the labels and protected attributes of another one."""
    for name in _SCHEMA:
        received, needed = getattr(dataset, name, None), getattr(other, name)
        if received != needed:
            raise ValueError(f"{argument} must have the {name} {needed}; received {received}")


def read_labels(dataset: Any, argument: str) -> pd.Series[Any]:
    """Return the labels of a dataset; raise if one is none of those that it declares."""
    known, labels = _known(dataset), np.ravel(dataset.labels)
    others = np.unique(labels[~np.isin(labels, known)])
    if len(others):
        rule = f"{argument}.labels must be labels of the dataset, {listing(known)}"
        raise ValueError(f"{rule}; received {listing(others.tolist())}")
    return pd.Series(labels, name=dataset.label_names[0])


def _known(dataset: Any) -> list[float]:
    """Return the labels that a dataset declares."""
    return np.unique(np.r_[dataset.favorable_label, dataset.unfavorable_label]).tolist()


def read_scores(dataset: Any) -> Array | None:
    """Return the scores of the favourable label; None if they are only 0 and 1.

    With these, AIF360 fills a dataset that has no scores.
    """
    scores = np.ravel(dataset.scores)
    return None if np.isin(scores, (0, 1)).all() else scores
