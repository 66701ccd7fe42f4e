"""The audit of AIF360's datasets, with AIF360's own measures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.aif360.datasets import Datasets
from biasamp_adapters.counting.arrays import check_all
from biasamp_adapters.counting.labels import listing, plain_labels
from biasamp_adapters.inference.replicates import N_BOOT
from biasamp_adapters.report.audit_report import AuditReport, audit

#: AIF360's measures of all rows, and of two groups.
_OF_ALL: tuple[str, ...] = ("accuracy", "theil_index", "differential_fairness_bias_amplification")
_OF_TWO = (
    *("statistical_parity_difference", "disparate_impact", "equal_opportunity_difference"),
    *("false_positive_rate_difference", "average_odds_difference", "error_rate_difference"),
    "between_group_theil_index",
)


def audit_report(
    metric: Any,
    *,
    n_boot: int = N_BOOT,
    confidence: float = 0.95,
    random_state: Any = 0,
    title: str | None = None,
) -> AuditReport:
    """Audit AIF360's datasets, as :func:`biasamp_adapters.audit` does, with AIF360's own measures.

    Scores of ``classified_dataset`` are read as those of the favourable label, as AIF360 defines
    them, unless they are only 0 and 1, with which it fills a dataset without scores.

    Parameters
    ----------
    metric : BiasAmplificationMetric or ClassificationMetric
        The datasets and groups.
    n_boot : int
        Bootstrap replicates; 0 gives no intervals.
    confidence, random_state, title
        As in :func:`biasamp_adapters.audit`.

    Returns
    -------
    AuditReport
        ``to_frame("aif360")`` has AIF360's own measures.

    Raises
    ------
    TypeError
        If ``metric`` is no ``ClassificationMetric``.
    ValueError
        If its datasets cannot be read, or an option is out of its range.

    Examples
    --------
    >>> import pandas as pd
    >>> from aif360.datasets import BinaryLabelDataset
    >>> from aif360.metrics import ClassificationMetric
    >>> from biasamp_adapters.aif360 import audit_report
    >>> rows = pd.DataFrame({"sex": [1.0, 1, 0, 0], "hired": [1.0, 0, 1, 0]})
    >>> truth = BinaryLabelDataset(
    ...     df=rows, label_names=["hired"], protected_attribute_names=["sex"]
    ... )
    >>> predicted = truth.copy(deepcopy=True)
    >>> predicted.labels[2] = 0
    >>> metric = ClassificationMetric(truth, predicted, [{"sex": 0}], [{"sex": 1}])
    >>> audit_report(metric, n_boot=0).to_frame("aif360").head(1)
        measure  value  ideal
    0  accuracy   0.75      1
    """
    datasets = Datasets.of(metric)
    columns, options = datasets.read()
    scores = np.asarray(columns.get("y_score", ()), dtype=np.float64)
    check_all(np.isfinite(scores), scores, "classified_dataset.scores must be finite")
    labels = dict.fromkeys(("pos_label", "favorable_label"), datasets.favorable)
    drawing = {"n_boot": n_boot, "confidence": confidence, "random_state": random_state}
    report = audit(**columns, **options, **labels, **drawing, title=title)
    summary: Any = {**report.summary}
    notes, methods = [*summary["notes"], *datasets.notes], _OF_ALL
    if datasets.favorable is None:
        several = plain_labels(datasets.grouping.dataset.favorable_label, "favorable_label")
        favorable = several[0] if len(several) == 1 else several
        summary["data"] = {**summary["data"], "favorable": favorable}
        notes.append(words.AIF360_CLASSES.format(listing(several)))
    sides = datasets.grouping.sides.values()
    if sides:
        notes.append(words.AIF360_SIDES.format(*map(datasets.grouping.describe, sides)))
        methods += _OF_TWO
    records = [_record(metric, method) for method in methods]
    return replace(report, summary=summary | {"aif360": records, "notes": notes})


def _record(metric: Any, method: str) -> dict[str, Any]:
    """Return a measure of AIF360; its value is None where it does not exist."""
    with np.errstate(all="ignore"):
        value = float(getattr(metric, method)())
    name = method.replace("_", " ").replace("theil", "Theil")
    ideal = int(method in ("accuracy", "disparate_impact"))
    return {"measure": name, "value": value if np.isfinite(value) else None, "ideal": ideal}
