"""The audit of predictions, and the report that it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from biasamp_adapters._arguments import explains_arguments
from biasamp_adapters._roles import Inputs, Role
from biasamp_adapters._typing import Label, RandomState
from biasamp_adapters._warnings import warn
from biasamp_adapters.auditing.findings import Key, default_metrics, evaluate
from biasamp_adapters.auditing.ranked_scores import (
    Scores,
    given_scores,
    scores_of_arrays,
    scores_of_counts,
)
from biasamp_adapters.auditing.renderings import Renderings
from biasamp_adapters.auditing.summary import summarize
from biasamp_adapters.auditing.sweeps import sweeps
from biasamp_adapters.counts import Counts, count_arrays
from biasamp_adapters.counts.labels import check_labels
from biasamp_adapters.counts.variables import Missing
from biasamp_adapters.inference.estimates import N_BOOT, IntervalOptions
from biasamp_adapters.metrics import AmplificationResult
from biasamp_adapters.reference import (
    Evaluation,
    align,
    as_reference,
    labels_of_predictions,
    many_groups,
)

#: With a few thousand replicates, all pairs of so many groups are compared in about a minute.
_MOST_GROUPS = 1_000


@dataclass(frozen=True, eq=False, repr=False)
class AuditReport(Renderings):
    """The findings of an audit, with methods to show and to save them.

    Created by :func:`audit`, :func:`audit_counts` or :meth:`from_estimator`.

    Attributes
    ----------
    summary : dict
        Everything that the report shows, as dicts, lists, strings and numbers.
    results : dict of (model, metric name) to AmplificationResult
        The results behind the summary, with their tables of pairs. Empty for a summary of runs.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> from biasamp_adapters.datasets import load_diabetes_audit
    >>> demo = load_diabetes_audit()
    >>> report = bam.audit(
    ...     demo.y_true, demo.y_pred, sensitive_features=demo.sensitive_features, n_boot=0
    ... )
    >>> report.summary["data"]["rows"], len(report.to_frame())
    (221, 7)
    >>> report.to_text().splitlines()[0]
    'high_progression = 1 by sex'
    """

    results: dict[Key, AmplificationResult] = field(default_factory=dict)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803  # scikit-learn's name
        y: Any,
        *,
        sensitive_features: Any,
        attribute_estimator: Any = None,
        **options: Any,
    ) -> AuditReport:
        """Audit the predictions of a fitted estimator.

        Parameters
        ----------
        estimator : object with ``predict``, or mapping of str to such objects
            Predicts the task. A mapping names several models.
        X : array-like of shape (n, features)
        y : array-like of shape (n,)
            True task labels.
        sensitive_features : array-like of shape (n,) or (n, attributes)
        attribute_estimator : object with ``predict``, optional
            Predicts the attribute from ``X``, for T->A.
        **options
            As in :func:`audit`.

        Returns
        -------
        AuditReport
        """
        if isinstance(estimator, Mapping):
            y_pred: Any = {name: model.predict(X) for name, model in estimator.items()}
        else:
            y_pred = estimator.predict(X)
        if attribute_estimator is not None:
            options["sensitive_features_pred"] = attribute_estimator.predict(X)
        return audit(y, y_pred, sensitive_features=sensitive_features, **options)


#: Hints for those who name columns.
_COLUMN_HINTS = dict.fromkeys(
    ("task", "prediction", "attribute", "attribute_prediction", "weight", "score", "table"),
    "audit_frame takes a table and the names of its columns",
)


@explains_arguments(_COLUMN_HINTS)
def audit(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sensitive_features_pred: Any = None,
    y_score: Any = None,
    attribute_score: Any = None,
    reference: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    n_boot: int = N_BOOT,
    confidence: float = 0.95,
    random_state: RandomState = None,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    pos_group: Label | None = None,
    missing: Missing = "error",
    title: str | None = None,
) -> AuditReport:
    """Audit predictions: every metric and direction that the input allows, with intervals.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, tasks)
        Task labels; a matrix of 0 and 1 has one column per task. May be None with base rates.
    y_pred : same as ``y_true``, or mapping of str to such
        Predicted task labels, or probabilities if the labels are 0 and 1. A mapping names several
        models, which are shown side by side with paired differences from the first.
    sensitive_features : array-like of shape (n,) or (n, attributes), or Indicators
        Protected attribute; several columns are crossed.
    sensitive_features_pred : same as ``sensitive_features``, or mapping from models, optional
        Predicted attribute. If it is not given, T->A is left out.
    y_score : array-like of shape (n,), or mapping from models, optional
        Scores of the positive class, for each model, on any scale. With them, the report also shows
        BA A->T and the difference of false positive rates at 50 thresholds.
    attribute_score : array-like of shape (n,), or mapping from models, optional
        Scores of the positive one of two groups, for each model, on any scale. With them, the
        report also shows BA T->A, and MALS, at 50 thresholds.
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, or rates set by hand. By default, the evaluated true labels set the
        directions.
    sample_weight : array-like of shape (n,), optional
        Sampling weights.
    clusters : array-like of shape (n,), optional
        Which rows belong together, such as those of one person or the images of one video: the
        bootstrap then draws whole clusters, and not rows.
    n_boot : int
        Number of bootstrap replicates. With 0, the report has no intervals. Of large tables of
        labels the default is lower, as a note then says: at least 200 for intervals of 95 %. A
        number that is given is kept.
    confidence : float
        Level of the intervals.
    random_state : int or numpy.random.Generator, optional
        Seed of the bootstrap. None is the fixed seed 0, so that a repeated audit gives the same
        numbers.
    labels, groups : sequence, optional
        Explicit label lists.
    pos_label : label, optional
        The only class or task to evaluate.
    pos_group : label, optional
        The group that the scores of the attribute are of. By default, it is the last one of two,
        and 1 of 0/1, -1/1 and booleans.
    missing : {"error", "drop", "abstain"}
        The rule for missing values.
    title : str, optional
        Heading of the report; by default the task and the attributes.

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
    reference = as_reference(reference, missing)
    inputs = Inputs(
        y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, clusters
    ).to_read_again()
    labels = labels_of_predictions(labels, reference)
    options: dict[str, Any] = {"labels": labels, "groups": groups, "missing": missing}
    counts = count_arrays(inputs, **options)
    check_groups(counts)
    scores = [
        scores_of_arrays(counts, swept, score, inputs, **options)
        for swept, score in given_scores(y_score, attribute_score, pos_group)
    ]
    return audit_evaluation(
        align(counts, reference),
        IntervalOptions(n_boot, confidence, random_state=random_state),
        pos_label=pos_label,
        title=title,
        scores=scores,
    )


def audit_counts(
    counts: Counts,
    reference: Any = None,
    *,
    y_score: Any = None,
    n_boot: int = N_BOOT,
    confidence: float = 0.95,
    random_state: RandomState = None,
    pos_label: Label | None = None,
    title: str | None = None,
) -> AuditReport:
    """Audit counts of rows, without the rows themselves.

    Parameters
    ----------
    counts : JointCounts or CooccurrenceCounts
        With the predictions of one or several models.
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, or rates set by hand. By default, the evaluated true labels set the
        directions.
    y_score : JointCounts, or mapping from models, optional
        The same rows, counted with the score of the positive class as the prediction. With them,
        the report also shows BA A->T and the difference of false positive rates at up to 50
        thresholds.
    n_boot, confidence, random_state, pos_label, title
        As in :func:`audit`.

    Returns
    -------
    AuditReport

    Raises
    ------
    ValueError
        If the counts hold no predictions, the scores are not of the same rows, or an input breaks
        a rule.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> truth, group = [1, 1, 0, 0] * 9, ["a", "b", "a", "b"] * 9
    >>> counts = bam.JointCounts.from_arrays(truth, [1, 1, 0, 1] * 9, sensitive_features=group)
    >>> bam.audit_counts(counts, n_boot=0).summary["data"]["rows"]
    36

    With scores from 1 to 4, of which 2 and more were predicted positive:

    >>> scores = bam.JointCounts.from_arrays(truth, [3, 4, 1, 2] * 9, sensitive_features=group)
    >>> report = bam.audit_counts(counts, y_score=scores, n_boot=0)
    >>> [point["threshold"] for point in report.summary["sweeps"][0]["points"]]
    [None, 4.0, 3.0, 2.0, 1.0]
    """
    check_groups(counts)
    return audit_evaluation(
        align(counts, as_reference(reference)),
        IntervalOptions(n_boot, confidence, random_state=random_state),
        pos_label=pos_label,
        title=title,
        scores=[] if y_score is None else [scores_of_counts(counts, y_score)],
    )


def check_groups(counts: Counts) -> None:
    """Raise for so many groups that pairs of them would be compared for minutes.

    Groups that are listed explicitly are accepted.
    """
    if not isinstance(counts, Counts) or not counts.has(Role.ATTRIBUTE):
        return
    if len(counts.groups) > _MOST_GROUPS and (many := many_groups(counts)):
        raise ValueError(
            f"an audit compares all pairs of groups, of at most {_MOST_GROUPS:,}; received {many}: "
            "row numbers or a continuous column are no groups (put it into bins, or list the "
            "groups that are meant in groups=)"
        )


def audit_evaluation(
    evaluation: Evaluation,
    options: IntervalOptions,
    *,
    pos_label: Label | None = None,
    title: str | None = None,
    scores: Sequence[Scores] = (),
) -> AuditReport:
    """Audit counts that are aligned with their reference; see :func:`audit_counts`."""
    counts = evaluation.counts
    if not counts.models:
        raise ValueError("an audit needs predictions; received counts without any")
    names = [title or "", *counts.models, *counts.attributes, counts.task_name or ""]
    check_labels(names, "the title and names of a report")
    for note in evaluation.notes:
        warn(note)
    metrics = {
        model: list(default_metrics(evaluation, model, pos_label)) for model in counts.models
    }
    if not any(metrics.values()):
        raise ValueError(
            "no metric applies: A->T needs task_given_attribute, the attribute and predictions of "
            "the task; T->A needs attribute_given_task, the task and predictions of the attribute; "
            f"received {evaluation.base_rates!r} for {counts!r}"
        )
    findings = evaluate(evaluation, options, metrics, pos_label)
    curves = [row for one in scores for row in sweeps(evaluation, one, pos_label, options)]
    return AuditReport(summarize(findings, title, curves), findings.results)
