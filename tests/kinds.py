"""The same rows counted in both ways: as labels, and as a matrix with one column per class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from biasamp_adapters import CooccurrenceCounts, JointCounts


class Kind(NamedTuple):
    """A way to count rows."""

    name: str
    counts: Any
    #: An option that keeps apart what is otherwise summed: rows of each weight, or distinct rows.
    apart: dict[str, bool]

    def tasks(self, labels: Any, classes: Sequence[Any]) -> Any:
        """Labels of tasks as this way takes them; a mapping holds those of several models."""
        if labels is None or self.name == "labels":
            return labels
        if isinstance(labels, dict):
            return {name: self.tasks(column, classes) for name, column in labels.items()}
        return [one_hot(label, classes) for label in labels]

    def from_frame(self, frame: Any, task: str | None = None, **options: Any) -> Any:
        """Counts of a frame with one column of tasks; a matrix is a list of columns."""
        named = {} if task is None else {"task": task if self.name == "labels" else [task]}
        return self.counts.from_frame(frame, **named, **options)

    def count(
        self,
        y_true: Any,
        y_pred: Any = None,
        sensitive_features: Any = None,
        sensitive_features_pred: Any = None,
        *,
        classes: Sequence[Any] = (0, 1),
        **options: Any,
    ) -> Any:
        """Counts of the rows."""
        return self.counts.from_arrays(
            self.tasks(y_true, classes),
            self.tasks(y_pred, classes),
            sensitive_features,
            sensitive_features_pred,
            **options,
        )


def one_hot(label: Any, classes: Sequence[Any]) -> list[float]:
    """One row of the matrix; an abstention says nothing of any class."""
    missing = label is None or label != label
    return [np.nan if missing else float(label == one) for one in classes]


KINDS = {
    "labels": Kind("labels", JointCounts, {"by_weight": True}),
    "matrix": Kind("matrix", CooccurrenceCounts, {"keep_rows": True}),
}
