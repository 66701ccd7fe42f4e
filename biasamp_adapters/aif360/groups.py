"""Count the rows of AIF360 datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np
import pandas as pd
from aif360.datasets import BinaryLabelDataset
from aif360.metrics.utils import compute_boolean_conditioning_vector

from biasamp_adapters._typing import Array
from biasamp_adapters.counts import JointCounts
from biasamp_adapters.counts.clusters import Clusters
from biasamp_adapters.host_functions import errors_of_host
from biasamp_adapters.inputs.columns import Column

#: Groups as AIF360 defines them: each dict is a conjunction, the list a disjunction.
Groups: TypeAlias = Sequence[Mapping[str, float]]

PRIVILEGED, UNPRIVILEGED = "privileged", "unprivileged"

#: Names of the attribute and its prediction in datasets and in the metric class.
NAMES = "protected_attributes", "predicted_protected_attributes"


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


@dataclass(frozen=True)
class Grouping:
    """How the protected attributes of a row become its group.

    Attributes
    ----------
    names : sequence of str
        Names of the protected attributes.
    sides : dict of str to Groups
        The unprivileged and the privileged groups; empty where every combination of values is a
        group.
    """

    names: Sequence[str]
    sides: Mapping[str, Groups]

    @classmethod
    def of(
        cls, names: Sequence[str], unprivileged: Groups | None, privileged: Groups | None
    ) -> Self:
        """Create a grouping; the groups must be given both or neither."""
        if unprivileged is None and privileged is None:
            return cls(names, {})
        if unprivileged is None or privileged is None:
            raise ValueError(
                "unprivileged_groups and privileged_groups must be given both or neither; received "
                f"{unprivileged} and {privileged}"
            )
        sides = {UNPRIVILEGED: unprivileged, PRIVILEGED: privileged}
        for side, groups in sides.items():
            if isinstance(groups, Mapping) or not all(isinstance(g, Mapping) for g in groups):
                raise ValueError(f"{side}_groups must be a list of dicts; received {groups!r}")
            unknown = [name for group in groups for name in group if name not in names]
            if unknown:
                raise ValueError(
                    f"{side}_groups must name protected attributes, which are {list(names)}; "
                    f"received {unknown}"
                )
        return cls(names, sides)

    @property
    def used(self) -> list[str]:
        """The protected attributes that define the groups."""
        used = {name for groups in self.sides.values() for group in groups for name in group}
        return [name for name in self.names if name in used or not self.sides]

    def __call__(self, values: Array) -> pd.DataFrame:
        """The group of each row; missing if the row is in none.

        Parameters
        ----------
        values : array of shape (n, attributes)
            In the order of ``names``.

        Raises
        ------
        ValueError
            If a row is in both groups.
        """
        if not self.sides:
            return pd.DataFrame(values, columns=list(self.names))
        group = pd.Series([None] * len(values), dtype=object, name="group")
        for side, groups in self.sides.items():
            held = compute_boolean_conditioning_vector(values, list(self.names), groups)
            both = int(group[held].notna().sum())
            if both:
                raise ValueError(
                    f"unprivileged_groups and privileged_groups must be disjoint; received {both} "
                    "row(s) in both"
                )
            group[held] = side
        return group.to_frame()

    def members(self, dataset: Any, what: str) -> tuple[pd.DataFrame, Array]:
        """The group of each row of a dataset, and which rows are in one.

        Raises
        ------
        ValueError
            If a group has no rows; a reference may lack one of the two, whose sign is then 0.
        """
        groups = self(dataset.protected_attributes)
        empty = [side for side in self.sides if not (groups["group"] == side).any()]
        if len(empty) > (1 if what == "reference_dataset" else 0):
            raise ValueError(
                f"{empty[0]}_groups must hold rows of the {what}; received "
                f"{self.sides[empty[0]]}, which hold none"
            )
        return groups, groups.notna().all(axis=1).to_numpy()

    def count(
        self,
        dataset: Any,
        classified: Any = None,
        predicted_attributes: Any = None,
        what: str = "dataset",
        clusters: Column | None = None,
    ) -> DatasetCounts:
        """Count the rows of a dataset, with predictions if they are given.

        Raises
        ------
        ValueError
            If a group has no rows, or predicted attributes or clusters do not fit.
        """
        groups, inside = self.members(dataset, what)
        predicted, elsewhere = None, 0
        if predicted_attributes is not None:
            values = predicted_values(predicted_attributes, self, len(inside))
            predicted = self(values)[inside]
            elsewhere = int(predicted.isna().any(axis=1).sum())
        weight = dataset.instance_weights[inside]
        truth = dataset.labels.ravel()[inside]
        predictions = None if classified is None else classified.labels.ravel()[inside]
        labels = None
        if isinstance(dataset, BinaryLabelDataset):
            labels = sorted([float(dataset.favorable_label), float(dataset.unfavorable_label)])
        elif predictions is not None and not np.isin(predictions, truth).all():
            # A model may predict a label of the dataset that does not occur in these rows.
            labels = np.union1d(truth, predictions).tolist()
        with errors_of_host(*NAMES):
            counts = JointCounts.from_arrays(
                truth,
                predictions,
                groups[inside],
                predicted,
                None if (weight == 1).all() else weight,
                None if clusters is None else _clusters(clusters, inside),
                labels=labels,
                missing="abstain",
                by_weight=True,
            )
        counts = replace(counts, task_name=str(dataset.label_names[0]))
        return DatasetCounts(counts, int((~inside).sum()), elsewhere)


def _clusters(column: Column, inside: Array) -> Array:
    """The numbers of the clusters of the rows of a dataset that are ``inside`` a group."""
    if len(column) != len(inside):
        raise ValueError(
            f"clusters must have a value for each of the dataset's {len(inside)} rows; received "
            f"{len(column)}"
        )
    numbers = Clusters("clusters", column).read(0, len(column))[inside]
    absent = int((numbers < 0).sum())
    if absent:
        # A dataset has no rule by which rows are left out.
        raise ValueError(f"clusters must not have missing values; received {absent}")
    return numbers


def predicted_values(given: Any, grouping: Grouping, n_rows: int) -> Array:
    """Predicted protected attributes, of shape (n, attributes), in the order of the names.

    Attributes that define no group may be left out.

    Raises
    ------
    ValueError
        If the length or the attributes are not those of the dataset, or values are missing.
    """
    argument, used, names = NAMES[1], grouping.used, list(grouping.names)
    if isinstance(given, Mapping) and not all(hasattr(x, "__len__") for x in given.values()):
        raise ValueError(f"{argument} must hold one value per row; received {given!r}")
    if isinstance(given, pd.DataFrame | Mapping):
        table = pd.DataFrame(given)
        if not set(used) <= set(table) <= set(names):
            raise ValueError(
                f"{argument} must have the columns {used}; received {[str(name) for name in table]}"
            )
    else:
        array = np.asarray(given)
        array = array[:, None] if array.ndim == 1 else array
        columns = [listed for listed in (used, names) if array.shape[1:] == (len(listed),)]
        if not columns:
            raise ValueError(
                f"{argument} must have a column for each of {used}; received the shape "
                f"{np.shape(given)}"
            )
        table = pd.DataFrame(array, columns=columns[0])
    if len(table) != n_rows:
        raise ValueError(
            f"{argument} must have a row for each of the dataset's {n_rows}; received {len(table)}"
        )
    if table.isna().to_numpy().any():
        count = int(table.isna().any(axis=1).sum())
        raise ValueError(f"{argument} must not have missing values; received {count} row(s)")
    try:
        return table.reindex(columns=names).to_numpy(dtype=np.float64)
    except ValueError as error:
        raise ValueError(
            f"{argument} must hold the dataset's codes, which are numbers; received "
            f"{table.iloc[0].tolist()} in the first row"
        ) from error
