"""What datasets must have in common to be used together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from aif360.datasets import BinaryLabelDataset
from aif360.datasets.multiclass_label_dataset import MulticlassLabelDataset

#: Fields that give labels and protected attributes their meaning.
_FIELDS = ("protected_attribute_names", "label_names", "favorable_label", "unfavorable_label")

#: Fields of the rows that a dataset of predictions shares with that of the truth, as AIF360 asks.
_OF_ROWS = ("instance_names", "protected_attributes", "instance_weights")


@dataclass(frozen=True)
class Schema:
    """The kind, the labels and the protected attributes of a dataset.

    Attributes
    ----------
    kind : type
        ``BinaryLabelDataset`` or ``MulticlassLabelDataset``.
    fields : mapping of str to object
        The fields of the dataset that name its labels and protected attributes.
    """

    kind: type
    fields: Mapping[str, Any]

    @classmethod
    def of(cls, dataset: Any, argument: str = "dataset") -> Self:
        """The schema of a dataset; raise TypeError for any other object."""
        for kind in (BinaryLabelDataset, MulticlassLabelDataset):
            if isinstance(dataset, kind):
                return cls(kind, {name: getattr(dataset, name) for name in _FIELDS})
        raise TypeError(
            f"{argument} must be a BinaryLabelDataset or a MulticlassLabelDataset; received a "
            f"{type(dataset).__name__}"
        )

    @property
    def favorable(self) -> float | None:
        """The favourable one of two labels; None for a multi-class dataset."""
        label = self.fields["favorable_label"]
        return float(label) if self.kind is BinaryLabelDataset else None

    @property
    def labels(self) -> list[float]:
        """All labels, in ascending order."""
        both = (self.fields[f"{side}_label"] for side in ("favorable", "unfavorable"))
        return sorted({float(label) for side in both for label in np.ravel(side)})

    def check(self, other: Any, argument: str, of: str) -> None:
        """Raise ValueError unless the dataset ``argument`` has this schema, that of ``of``."""
        if not isinstance(other, self.kind):
            raise ValueError(
                f"{argument} must be a {self.kind.__name__}, as {of} is; "
                f"received a {type(other).__name__}"
            )
        for name, ours in self.fields.items():
            theirs = getattr(other, name)
            if ours != theirs:
                raise ValueError(
                    f"{argument} must have the {name} of {of}, {ours}; received {theirs}"
                )


def check_same_rows(dataset_true: Any, dataset_pred: Any) -> None:
    """Raise ValueError unless two datasets hold the same rows in the same order."""
    sizes = [len(dataset.labels) for dataset in (dataset_true, dataset_pred)]
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"dataset_pred must have the rows of dataset_true, {sizes[0]}; received {sizes[1]}"
        )
    for name in _OF_ROWS:
        ours, theirs = (getattr(dataset, name) for dataset in (dataset_true, dataset_pred))
        if not (ours == theirs if isinstance(ours, list) else np.array_equal(ours, theirs)):
            raise ValueError(
                f"dataset_pred must have the {name} of dataset_true: only labels and scores may "
                "differ"
            )
