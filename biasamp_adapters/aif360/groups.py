"""Rows of AIF360 datasets as the counts of this package read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from aif360.datasets import BinaryLabelDataset
from aif360.metrics.utils import compute_boolean_conditioning_vector

from biasamp_adapters._typing import Array
from biasamp_adapters.counts import JointCounts
from biasamp_adapters.host_functions import errors_of_host

#: Groups as AIF360 defines them: each dict is a conjunction, the list a disjunction.
Groups: TypeAlias = Sequence[Mapping[str, float]]

PRIVILEGED, UNPRIVILEGED = "privileged", "unprivileged"

#: What datasets, and the metric class, call the attribute and its prediction.
NAMES = "protected_attributes", "predicted_protected_attributes"


@dataclass(frozen=True)
class Grouping:
    """How the protected attributes of a row become its group.

    Attributes
    ----------
    names : list of str
        Names of the protected attributes.
    unprivileged, privileged : Groups or None
        Without both, every combination of values is a group.
    """

    names: Sequence[str]
    unprivileged: Groups | None
    privileged: Groups | None

    def __post_init__(self) -> None:
        if (self.unprivileged is None) != (self.privileged is None):
            raise ValueError(
                "unprivileged_groups and privileged_groups must be given both or neither; received "
                f"{self.unprivileged} and {self.privileged}"
            )
        for argument in ("unprivileged_groups", "privileged_groups"):
            groups = getattr(self, argument.removesuffix("_groups"))
            if groups is None:
                continue
            if isinstance(groups, Mapping) or not all(isinstance(g, Mapping) for g in groups):
                raise ValueError(f"{argument} must be a list of dicts; received {groups!r}")
            unknown = [name for group in groups for name in group if name not in self.names]
            if unknown:
                raise ValueError(
                    f"{argument} must name protected attributes, which are {list(self.names)}; "
                    f"received {unknown}"
                )

    @property
    def used(self) -> list[str]:
        """The protected attributes that groups are made of."""
        if self.unprivileged is None or self.privileged is None:
            return list(self.names)
        mentioned = {name for group in (*self.unprivileged, *self.privileged) for name in group}
        return [name for name in self.names if name in mentioned]

    def __call__(self, values: Array) -> pd.DataFrame:
        """The group of each row, missing where it is in none.

        Parameters
        ----------
        values : array of shape (n, attributes)
            In the order of ``names``.
        """
        if self.unprivileged is None or self.privileged is None:
            return pd.DataFrame(values, columns=list(self.names))
        out = np.full(len(values), None, dtype=object)
        for name, groups in ((UNPRIVILEGED, self.unprivileged), (PRIVILEGED, self.privileged)):
            out[compute_boolean_conditioning_vector(values, list(self.names), groups)] = name
        return pd.DataFrame({"group": pd.Series(out, dtype=object)})


def predicted_values(given: Any, grouping: Grouping, n_rows: int) -> Array:
    """Predicted protected attributes, of shape (n, attributes), in the order of the names.

    Attributes that no group is made of may be left out.

    Raises
    ------
    ValueError
        If the length or the attributes are not those of the dataset, or values are missing.
    """
    argument, used = "predicted_protected_attributes", grouping.used
    if isinstance(given, Mapping) and not all(hasattr(x, "__len__") for x in given.values()):
        raise ValueError(f"{argument} must hold one value per row; received {given!r}")
    if isinstance(given, pd.DataFrame | Mapping):
        table = pd.DataFrame(given)
    else:
        array = np.asarray(given)
        array = array[:, None] if array.ndim == 1 else array
        width = array.shape[1] if array.ndim == 2 else 0
        names = used if width == len(used) else list(grouping.names)
        if width != len(names):
            raise ValueError(
                f"{argument} must have a column for each of {used}; received the shape "
                f"{np.shape(given)}"
            )
        table = pd.DataFrame(array, columns=names)
    unknown = [name for name in table if name not in grouping.names]
    absent = [name for name in used if name not in table]
    if unknown or absent:
        raise ValueError(
            f"{argument} must have the columns {used}; received {[str(name) for name in table]}"
        )
    if len(table) != n_rows:
        raise ValueError(
            f"{argument} must have a row for each of the dataset's {n_rows}; received {len(table)}"
        )
    if table.isna().to_numpy().any():
        count = int(table.isna().any(axis=1).sum())
        raise ValueError(f"{argument} must not have missing values; received {count} row(s)")
    try:
        return table.reindex(columns=list(grouping.names)).to_numpy(dtype=np.float64)
    except ValueError as error:
        raise ValueError(
            f"{argument} must hold the dataset's codes, which are numbers; received "
            f"{table.iloc[0].tolist()} in the first row"
        ) from error


def _named_labels(dataset: Any) -> list[float]:
    """The two labels of a binary dataset; none of a multi-class one."""
    if not isinstance(dataset, BinaryLabelDataset):
        return []
    return sorted([float(dataset.favorable_label), float(dataset.unfavorable_label)])


@dataclass(frozen=True)
class DatasetCounts:
    """Counts of the rows of datasets that are in a group.

    Attributes
    ----------
    counts : JointCounts
    outside : int
        Rows in none of the groups, which are left out, as AIF360 does.
    elsewhere : int
        Rows predicted to be in none of the groups, which count as wrong.
    """

    counts: JointCounts
    outside: int = 0
    elsewhere: int = 0

    @classmethod
    def of(
        cls,
        dataset: Any,
        grouping: Grouping,
        classified: Any = None,
        predicted_attributes: Any = None,
        what: str = "dataset",
    ) -> DatasetCounts:
        """Count the rows of a dataset, with predictions if they are given.

        Raises
        ------
        ValueError
            If a group has no rows, or the predicted attributes do not fit.
        """
        groups = grouping(dataset.protected_attributes)
        inside = groups.notna().all(axis=1).to_numpy()
        if grouping.privileged is not None:
            sides = (UNPRIVILEGED, PRIVILEGED)
            empty = [name for name in sides if not (groups["group"] == name).any()]
            # A reference may lack one of the groups: its sign is then 0.
            if len(empty) > (0 if what == "dataset" else 1):
                raise ValueError(
                    f"{empty[0]}_groups must hold rows of the {what}; received "
                    f"{getattr(grouping, empty[0])}, which hold none"
                )
        predicted, elsewhere = None, 0
        if predicted_attributes is not None:
            values = predicted_values(predicted_attributes, grouping, len(inside))
            predicted = grouping(values)[inside]
            elsewhere = int(predicted.isna().any(axis=1).sum())
        weight = dataset.instance_weights[inside]
        truth = dataset.labels.ravel()[inside]
        predictions = None if classified is None else classified.labels.ravel()[inside]
        # A model may predict a label of the dataset that none of these rows has.
        true_labels = set(truth.tolist())
        labels = true_labels if predictions is None else true_labels | set(predictions.tolist())
        known = _named_labels(dataset) or (sorted(labels) if labels > true_labels else None)
        with errors_of_host(*NAMES):
            counts = JointCounts.from_arrays(
                truth,
                predictions,
                groups[inside],
                predicted,
                None if (weight == 1).all() else weight,
                labels=known,
                missing="abstain",
                by_weight=True,
            )
        return cls(counts, int((~inside).sum()), elsewhere)
