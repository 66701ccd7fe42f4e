"""The counts that arrays call for: joint ones of labels, co-occurrences of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasamp_adapters._typing import Label
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.counts.base import Counts
from biasamp_adapters.counts.collect import is_mapping, tasks_of_one_shape
from biasamp_adapters.counts.cooccurrence import CooccurrenceCounts
from biasamp_adapters.counts.joint import JointCounts
from biasamp_adapters.inputs.matrices import Indicators, is_matrix


def count_arrays(
    y_true: Any = None,
    y_pred: Any = None,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    *,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    missing: Missing = "error",
    keep_rows: bool = True,
) -> Counts:
    """Count arrays, keeping what intervals need; the arguments are those of ``from_arrays``.

    Parameters
    ----------
    keep_rows : bool
        Whether counts of matrices keep their rows.
    """
    rows = (y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight)
    options: dict[str, Any] = {"labels": labels, "groups": groups, "missing": missing}
    if by_column(*rows[:4]):
        return CooccurrenceCounts.from_arrays(*rows, **options, keep_rows=keep_rows)
    return JointCounts.from_arrays(*rows, **options, by_weight=True)


def by_column(
    y_true: Any, y_pred: Any, sensitive_features: Any, sensitive_features_pred: Any
) -> bool:
    """Whether tasks, or groups of the attribute, are columns of a matrix."""
    y_true, y_pred = tasks_of_one_shape(y_true, y_pred)
    attributes = [sensitive_features, *_each(sensitive_features_pred)]
    return any(isinstance(values, Indicators) for values in attributes) or any(
        values is not None and is_matrix(values) for values in [y_true, *_each(y_pred)]
    )


def _each(values: Any) -> list[Any]:
    return list(values.values()) if is_mapping(values) else [values]
