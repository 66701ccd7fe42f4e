"""The audit of AIF360 datasets: bias amplification beside AIF360's own measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from biasamp_adapters._typing import RandomState
from biasamp_adapters.aif360.groups import NAMES, PRIVILEGED, UNPRIVILEGED
from biasamp_adapters.aif360.metric import BiasAmplificationMetric, left_out_notes
from biasamp_adapters.auditing import AuditReport
from biasamp_adapters.auditing.report import audit_evaluation
from biasamp_adapters.host_functions import errors_of_host
from biasamp_adapters.inference.estimates import N_BOOT, IntervalOptions
from biasamp_adapters.metrics.plain import plain
from biasamp_adapters.reference import align

#: Why AIF360's numbers have no intervals.
_NO_INTERVAL = (
    "AIF360 computes it without an interval; the differences of rates of this report have one"
)

#: AIF360's measures of two groups: name, method, ideal value, and the rate that is compared.
_COMPARED = (
    ("statistical parity difference", "statistical_parity_difference", 0, "selection_rate"),
    ("disparate impact", "disparate_impact", 1, "selection_rate"),
    ("equal opportunity difference", "equal_opportunity_difference", 0, "true_positive_rate"),
    ("false positive rate difference", "false_positive_rate_difference", 0, "false_positive_rate"),
    ("average odds difference", "average_odds_difference", 0, None),
    ("error rate difference", "error_rate_difference", 0, "error_rate"),
    ("between-group Theil index", "between_group_theil_index", 0, None),
)

#: Measures of all rows.
_OVERALL = (
    ("accuracy", "accuracy", 1, None),
    ("Theil index", "theil_index", 0, None),
    (
        "differential fairness bias amplification (Foulds et al.; without a direction)",
        "differential_fairness_bias_amplification",
        0,
        None,
    ),
)


def audit_report(
    metric: BiasAmplificationMetric,
    *,
    n_boot: int = N_BOOT,
    confidence: float = 0.95,
    random_state: RandomState = None,
    title: str | None = None,
) -> AuditReport:
    """Audit AIF360 datasets: all metrics that the labels allow, and AIF360's own measures.

    Parameters
    ----------
    metric : BiasAmplificationMetric
        The datasets, groups, reference and predicted attributes.
    n_boot : int
        Bootstrap replicates; 0 gives no intervals.
    confidence : float
    random_state : int or numpy.random.Generator, optional
        Random state of the bootstrap. None is the fixed seed 0.
    title : str, optional
        Heading of the report.

    Returns
    -------
    AuditReport
        Text, Markdown, JSON and HTML, with a table of AIF360's own measures.

    Raises
    ------
    TypeError
        If ``metric`` is not a BiasAmplificationMetric.

    Examples
    --------
    >>> import pandas as pd
    >>> from aif360.datasets import BinaryLabelDataset
    >>> from biasamp_adapters.aif360 import BiasAmplificationMetric, audit_report
    >>> rows = pd.DataFrame(
    ...     {"sex": [1] * 50 + [0] * 50, "hired": [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10},
    ...     dtype=float,
    ... )
    >>> truth = BinaryLabelDataset(
    ...     df=rows, label_names=["hired"], protected_attribute_names=["sex"]
    ... )
    >>> predicted = truth.copy(deepcopy=True)
    >>> predicted.labels[90:] = 0
    >>> report = audit_report(BiasAmplificationMetric(truth, predicted), n_boot=0)
    >>> report.summary["aif360"][0]["measure"], report.summary["aif360"][0]["value"]
    ('accuracy', 0.9)
    """
    if not isinstance(metric, BiasAmplificationMetric):
        raise TypeError(f"metric must be a BiasAmplificationMetric; received {metric!r}")
    evaluated, reference = metric.dataset_counts(), metric.reference_counts()
    with errors_of_host(*NAMES):
        evaluation = align(evaluated.counts, None if reference is None else reference.counts)
    report = audit_evaluation(
        replace(evaluation, favorable=metric.favorable),
        IntervalOptions(n_boot, confidence, random_state=random_state),
        title=title,
    )
    notes = [*left_out_notes(evaluated, reference), *_names(metric.dataset)]
    if evaluated.outside:
        notes.append("AIF360's measures of all rows count the rows that are in none of the groups")
    summary = report.summary | {
        "aif360": list(_measures(metric)),
        "notes": [*report.summary["notes"], *notes],
    }
    return replace(report, summary=summary)


def _measures(metric: BiasAmplificationMetric) -> Iterator[dict[str, Any]]:
    """AIF360's own measures, one row per measure, with the rates of both groups if it has them."""
    compared = metric.privileged_groups is not None
    for name, method, ideal, rate in (*_OVERALL, *(_COMPARED if compared else ())):
        groups = [
            {
                "group": group,
                **_without_interval(_number(getattr(metric, rate), privileged=privileged)),
            }
            for group, privileged in ((UNPRIVILEGED, False), (PRIVILEGED, True))
            if rate is not None
        ]
        value = _number(getattr(metric, method))
        yield {
            "measure": name,
            **_without_interval(value),
            "ideal": ideal,
            "groups": groups,
        }


def _without_interval(value: float | None) -> dict[str, Any]:
    """A number of AIF360 as estimates are shown."""
    return {"value": value, "low": None, "high": None, "note": _NO_INTERVAL}


def _number(method: Callable[..., Any], **options: Any) -> float | None:
    """The result of a method of AIF360; None where it divides by zero or has nothing to compare."""
    try:
        with np.errstate(all="ignore"):
            value = float(method(**options))
    except (ValueError, ZeroDivisionError):
        return None
    return plain(value) if np.isfinite(value) else None


def _names(dataset: Any) -> Iterator[str]:
    """The meaning of the codes of labels and protected attributes, if the dataset gives it."""
    for key, names in (
        ("label_maps", dataset.label_names),
        ("protected_attribute_maps", dataset.protected_attribute_names),
    ):
        maps = dataset.metadata.get(key) or ()
        for name, codes in zip(names, maps, strict=False):
            meanings = (f"{_code(code)} is {meaning}" for code, meaning in codes.items())
            yield f"{name}: {', '.join(meanings)}"


def _code(code: Any) -> str:
    return f"{code:g}" if isinstance(code, int | float) else str(code)
