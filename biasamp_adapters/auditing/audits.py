"""The audit: all metrics an input allows, put into one report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from biasamp_adapters._typing import Label, RandomState, generator
from biasamp_adapters._warnings import warn
from biasamp_adapters.auditing.evaluate import evaluate
from biasamp_adapters.auditing.report import AuditReport
from biasamp_adapters.auditing.summarise import summarise
from biasamp_adapters.auditing.sweeps import sweeps_of_arrays
from biasamp_adapters.counts import Counts, count_arrays
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.counts.labels import check_labels
from biasamp_adapters.reference import (
    Evaluation,
    align,
    as_reference,
    labels_of_predictions,
)
from biasamp_adapters.uncertainty import check_confidence, check_n_boot

TITLE = "Bias amplification audit"


def audit(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sensitive_features_pred: Any = None,
    y_score: Any = None,
    reference: Any = None,
    sample_weight: Any = None,
    n_boot: int = 2000,
    confidence: float = 0.95,
    random_state: RandomState = None,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    missing: Missing = "error",
    title: str = TITLE,
) -> AuditReport:
    """Audit predictions: every metric and direction that the input allows, with intervals.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, tasks)
        Task labels; a matrix of 0 and 1 has a column a task. May be None with base rates.
    y_pred : same as ``y_true``, or mapping of str to such
        Predicted task labels; of a 0/1 vector or a matrix also probabilities. A mapping names
        several models, which are shown side by side with paired differences from the first.
    sensitive_features : array-like of shape (n,) or (n, attributes), or Indicators
        Protected attribute; several columns are crossed.
    sensitive_features_pred : same as ``sensitive_features``, or mapping from models, optional
        Predicted attribute. Without, T->A is left out.
    y_score : array-like of shape (n,), or mapping from models, optional
        Scores of the positive class on any scale: the report then shows BA A->T and the difference
        of false positive rates at 50 thresholds.
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, or rates set by hand. Without, the evaluated truth sets the directions.
    sample_weight : array-like of shape (n,), optional
        Sampling weights.
    n_boot : int
        Bootstrap replicates; 0 leaves intervals out.
    confidence : float
        Level of the intervals.
    random_state : int or numpy.random.Generator, optional
        Of the bootstrap. None is the fixed seed 0: a repeated audit repeats.
    labels, groups : sequence, optional
        Explicit label lists.
    pos_label : label, optional
        The one task to look at.
    missing : {"error", "drop", "abstain"}
        The rule for missing values.
    title : str
        Heading of the report.

    Returns
    -------
    AuditReport

    Raises
    ------
    ValueError
        If an input breaks a rule; the message states it.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> group = ["a"] * 50 + ["b"] * 50
    >>> y_true = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> y_pred = [1] * 35 + [0] * 15 + [1] * 15 + [0] * 35
    >>> report = bam.audit(y_true, y_pred, sensitive_features=group, n_boot=200)
    >>> report.to_frame()[["metric", "direction", "value"]].head(2).round(4)
                            metric   direction  value
    0                         MALS  undirected    0.1
    1  DirectionalBiasAmplification       A->T    0.1
    """
    against = as_reference(reference, missing)
    counts = count_arrays(
        y_true,
        y_pred,
        sensitive_features,
        sensitive_features_pred,
        sample_weight,
        labels=labels_of_predictions(labels, against),
        groups=groups,
        missing=missing,
        keep_rows=True,
    )
    options: dict[str, Any] = {
        "n_boot": n_boot, "confidence": confidence, "random_state": random_state,
        "pos_label": pos_label,
    }  # fmt: skip
    report = audit_counts(counts, against, title=title, **options)
    if y_score is None:
        return report
    rows = {
        "y_true": y_true,
        "sensitive_features": sensitive_features,
        "sample_weight": sample_weight,
        "groups": groups,
        "missing": missing,
    }
    sweeps = sweeps_of_arrays(counts, y_score, rows, against, options)
    return replace(report, summary=report.summary | {"sweeps": sweeps})


def audit_counts(
    counts: Counts,
    reference: Any = None,
    *,
    n_boot: int = 2000,
    confidence: float = 0.95,
    random_state: RandomState = None,
    pos_label: Label | None = None,
    title: str = TITLE,
) -> AuditReport:
    """Audit counts, wherever the rows are.

    Parameters
    ----------
    counts : JointCounts or CooccurrenceCounts
        With the predictions of one or several models.
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, or rates set by hand. Without, the evaluated truth sets the directions.
    n_boot, confidence, random_state, pos_label, title
        As in :func:`audit`.

    Returns
    -------
    AuditReport

    Raises
    ------
    ValueError
        If the counts hold no predictions, or an input breaks a rule.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> counts = bam.JointCounts.from_arrays(
    ...     [1, 1, 0, 0] * 9, [1, 1, 0, 1] * 9, sensitive_features=["a", "b", "a", "b"] * 9
    ... )
    >>> bam.audit_counts(counts, n_boot=0).summary["data"]["rows"]
    36
    """
    evaluation = align(counts, as_reference(reference))
    if not counts.models:
        raise ValueError("an audit needs predictions; received counts without any")
    return audit_evaluation(
        evaluation,
        n_boot=n_boot,
        confidence=confidence,
        random_state=random_state,
        pos_label=pos_label,
        title=title,
    )


def audit_evaluation(
    evaluation: Evaluation,
    *,
    n_boot: int,
    confidence: float,
    random_state: RandomState,
    pos_label: Label | None = None,
    title: str = TITLE,
) -> AuditReport:
    """Audit counts that are aligned with their reference; see :func:`audit_counts`."""
    check_n_boot(n_boot)
    check_confidence(confidence)
    # Convert NumPy scalars, so that json can serialise them.
    n_boot, confidence = int(n_boot), float(confidence)
    generator(random_state)
    counts = evaluation.counts
    check_labels([title, *counts.models, *counts.attributes], "the title and names of a report")
    for note in evaluation.notes:
        warn(note)
    findings = evaluate(
        evaluation,
        pos_label=pos_label,
        n_boot=n_boot,
        confidence=confidence,
        random_state=random_state,
    )
    return AuditReport(summarise(findings, random_state, title), findings.results)
