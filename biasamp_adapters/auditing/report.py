"""The audit of predictions, and the report that it returns."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from biasamp_adapters._arguments import explains_arguments
from biasamp_adapters._files import write_text
from biasamp_adapters._roles import Inputs
from biasamp_adapters._typing import Label, RandomState
from biasamp_adapters._warnings import warn
from biasamp_adapters.auditing import notebook, page, render
from biasamp_adapters.auditing.findings import Key, default_metrics, evaluate, interval_options
from biasamp_adapters.auditing.gate import GateFailure, failures, gates_of
from biasamp_adapters.auditing.ranked_scores import Scores, scores_of_arrays, scores_of_counts
from biasamp_adapters.auditing.summary import Summary, summarize
from biasamp_adapters.auditing.sweeps import sweeps
from biasamp_adapters.counts import Counts, count_arrays
from biasamp_adapters.counts.labels import check_labels
from biasamp_adapters.counts.variables import Missing
from biasamp_adapters.inference.estimates import IntervalOptions
from biasamp_adapters.metrics import AmplificationResult
from biasamp_adapters.reference import Evaluation, align, as_reference, labels_of_predictions

if TYPE_CHECKING:
    from biasamp_adapters.auditing.strips import MetricAxes

#: Parts of a summary that are lists of rows.
_PARTS = (
    "metrics",
    "verdicts",
    "differences",
    "trends",
    "pairs",
    "fairness",
    "prevalence",
    "drift",
    "reading",
    "runs",
)

_COLUMNS = [
    "metric",
    "direction",
    "slug",
    "value",
    "low",
    "high",
    "blind_errors",
    "excess",
    "n",
    "note",
    "pos_label",
]

#: Columns of numbers of which a frame shows the value only.
_VALUES = ("blind_errors", "excess", "accuracy")


@dataclass(frozen=True, eq=False)
class AuditReport:
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

    summary: Summary
    results: dict[Key, AmplificationResult] = field(default_factory=dict)

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        """What the report says of each model in each direction, or why it cannot say anything.

        Each is a dict of ``model``, ``direction``, ``verdict`` (a code), ``reason`` (a code, of
        "cannot_say"), ``sentence`` and ``excess`` (value, low, high and note, or None). The codes
        are "cannot_say", "no_errors", "constant", "reverses", "amplifies",
        "amplifies_beneath_errors", "mistakes_only", "reduces" and "no_clear_change".

        Examples
        --------
        >>> import biasamp_adapters as bam
        >>> group = ["a"] * 500 + ["b"] * 500
        >>> y_true = [1] * 300 + [0] * 200 + [1] * 200 + [0] * 300
        >>> y_pred = [1] * 350 + [0] * 150 + [1] * 150 + [0] * 350
        >>> (verdict,) = bam.audit(y_true, y_pred, sensitive_features=group).verdicts
        >>> verdict["verdict"]
        'amplifies'
        """
        return list(self.summary["verdicts"])

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

    def to_frame(self, part: str = "metrics") -> pd.DataFrame:
        """The metrics, or another part of the report, as a pandas DataFrame.

        Parameters
        ----------
        part : str
            "metrics", "verdicts", "differences", "trends", "pairs", "fairness", "prevalence",
            "drift", "reading" or "runs": a list of ``summary``.

        Returns
        -------
        DataFrame
            For "metrics", one row per metric and direction, with the columns ``metric``,
            ``direction``, ``slug`` (both in one name without signs and spaces, such as
            "ba_a_to_t"), ``value``, ``low``, ``high``, ``blind_errors``, ``excess``, ``n``,
            ``note`` and ``pos_label`` (the class, if the value is about a single one). With several
            models, ``model`` comes first. For other parts, one row per entry. A number that is
            missing is NaN.

        Raises
        ------
        ValueError
            If the report has no such part.
        """
        if part not in _PARTS:
            raise ValueError(f"part must be one of {list(_PARTS)}; received {part!r}")
        columns = None
        if part == "metrics":
            columns = ["model"] * (len(self.summary["data"]["models"]) > 1) + _COLUMNS
        rows, values = self.summary[part], _VALUES if part in ("metrics", "verdicts") else ()
        shown = [name for name in values if rows and name in rows[0]]
        rows = [row | {name: row[name] and row[name]["value"] for name in shown} for row in rows]
        frame = pd.DataFrame(rows, columns=columns)
        numbers = [name for name in ("value", "ratio", "low", "high", *shown) if name in frame]
        return frame.astype(dict.fromkeys(numbers, float))

    def failures(
        self,
        above: Mapping[str, float | Collection[str]] | None = None,
        *,
        require_below: Mapping[str, float] | None = None,
    ) -> list[GateFailure]:
        """What exceeds a bound or cannot be judged: ``assert not report.failures({...})``.

        Numbers are judged on their intervals, as ``--fail-above`` and ``--require-below`` of the
        command line do.

        Parameters
        ----------
        above : mapping of str to float or collection of str, optional
            Bounds: a number fails if it is shown to be above, that is, if its whole interval is.
            For ``verdict`` or ``verdict A->T``, the codes of the verdicts that fail, or one code.
        require_below : mapping of str to float, optional
            Bounds: a number fails unless it is shown to be below, that is, unless its whole
            interval is. So few rows, which give wide intervals, do not pass.

        Returns
        -------
        list of GateFailure
            One entry for each number or verdict that fails, and then one for each that cannot be
            judged (``judged`` is False): without an interval, if it is 0 by construction since the
            reference is balanced, and for the verdict ``cannot_say``. Empty if all gates are
            passed. All models of the report are judged.

        Raises
        ------
        ValueError
            If the report has nothing of a name, a bound is not a finite number or is on a verdict,
            a code is not that of a verdict, or there is no gate.

        Notes
        -----
        Names are those of the report ("BA A->T"), of classes ("DirectionalBiasAmplification
        A->T"), and slugs ("ba_a_to_t"), in capitals or not; without the direction ("BA", or "BA->"
        as in papers), all directions are judged. "excess A->T" is what BA exceeds blind errors by,
        "excess MALS" the same of MALS. Fairness measures ("selection_rate_difference") are judged
        for every task that the report shows, those with the largest differences.

        Examples
        --------
        >>> import biasamp_adapters as bam
        >>> group = ["a"] * 50 + ["b"] * 50
        >>> y_true = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
        >>> report = bam.audit(
        ...     y_true, [1] * 50 + [0] * 50, sensitive_features=group, n_boot=200
        ... )
        >>> report.failures({"BA A->T": 0.5, "selection_rate_difference": 1})
        []
        >>> for failure in report.failures({"ba_a_to_t": 0.02}):
        ...     print(failure)  # doctest: +ELLIPSIS
        model: BA A->T is +0.4000 [+0.2..., +0.4...], above 0.02
        """
        return failures([self.summary], gates_of(above or {}, require_below or {}))

    @overload
    def to_text(self, path: None = None, *, full: bool = False) -> str: ...
    @overload
    def to_text(self, path: str | os.PathLike[str], *, full: bool = False) -> None: ...
    def to_text(
        self, path: str | os.PathLike[str] | None = None, *, full: bool = False
    ) -> str | None:
        """The report as plain text: the answer on one screen, and all tables if asked for.

        Parameters
        ----------
        path : path-like, optional
            The file to write, atomically.
        full : bool
            Whether to add all tables with their footnotes, and the notes. Lines then have up to
            100 characters, and otherwise up to 80.

        Returns
        -------
        str or None
            The text, unless it is written to ``path``.

        Examples
        --------
        >>> import biasamp_adapters as bam
        >>> group = ["a"] * 500 + ["b"] * 500
        >>> y_true = [1] * 300 + [0] * 200 + [1] * 200 + [0] * 300
        >>> y_pred = [1] * 350 + [0] * 150 + [1] * 150 + [0] * 350
        >>> report = bam.audit(y_true, y_pred, sensitive_features=group)
        >>> print(report.to_text().splitlines()[-1])
        Verdict: The model amplifies bias.
        >>> "All metrics" in report.to_text(), "All metrics" in report.to_text(full=True)
        (False, True)
        """
        return _write_or_return(render.to_text(self.summary, full=full), path)

    @overload
    def to_markdown(self, path: None = None) -> str: ...
    @overload
    def to_markdown(self, path: str | os.PathLike[str]) -> None: ...
    def to_markdown(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The report as Markdown.

        Parameters
        ----------
        path : path-like, optional
            The file to write, atomically.

        Returns
        -------
        str or None
            The text, unless it is written to ``path``.
        """
        return _write_or_return(render.to_markdown(self.summary), path)

    @overload
    def to_html(self, path: None = None) -> str: ...
    @overload
    def to_html(self, path: str | os.PathLike[str]) -> None: ...
    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The report as one self-contained HTML page.

        Parameters
        ----------
        path : path-like, optional
            The file to write, atomically.

        Returns
        -------
        str or None
            The text, unless it is written to ``path``.
        """
        return _write_or_return(page.to_html([self.summary]), path)

    @overload
    def to_json(self, path: None = None) -> str: ...
    @overload
    def to_json(self, path: str | os.PathLike[str]) -> None: ...
    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The report as JSON; what is undefined is null.

        Parameters
        ----------
        path : path-like, optional
            The file to write, atomically.

        Returns
        -------
        str or None
            The text, unless it is written to ``path``.
        """
        return _write_or_return(render.to_json(self.summary), path)

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON Schema (draft 2020-12) of what :meth:`to_json` and the command line write.

        Returns
        -------
        dict
            Its ``$id`` contains the version of the format, which incompatible changes raise.

        Examples
        --------
        >>> from biasamp_adapters import AuditReport
        >>> AuditReport.json_schema()["$id"]
        'urn:biasamp-adapters:audit:2'
        """
        return render.schema()

    def plot(self) -> MetricAxes:
        """Draw every metric with its interval, each in a strip with a scale centred on 0.

        The values are drawn by :func:`biasamp_adapters.plot.intervals` on a new figure of pyplot.

        Returns
        -------
        dict of str to matplotlib Axes
            The axes of each metric and direction, such as "BA A->T". Its attribute ``figure`` is
            their figure, and its repr is one line.

        Examples
        --------
        >>> import biasamp_adapters as bam
        >>> report = bam.audit([1, 1, 0, 0] * 9, [1, 1, 0, 1] * 9, sensitive_features=[1, 2] * 18)
        >>> axes = report.plot()
        >>> axes
        <axes of one figure: MALS, BA A->T, Multi A->T, Multi undirected, LA, DPA A->T, DPA(U) A->T>
        >>> axes.figure is axes["MALS"].figure
        True
        """
        from biasamp_adapters.auditing.strips import draw_metrics

        return draw_metrics(self.summary["metrics"])

    def __repr__(self) -> str:
        return render.to_text(self.summary)

    def _repr_html_(self) -> str:
        return self._card

    @cached_property
    def _card(self) -> str:
        return notebook.to_card(self.summary)

    def _repr_markdown_(self) -> str:
        return render.to_markdown(self.summary)


def _write_or_return(text: str, path: str | os.PathLike[str] | None) -> str | None:
    if path is None:
        return text
    write_text(text, path)
    return None


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
    reference: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    n_boot: int = 2000,
    confidence: float = 0.95,
    random_state: RandomState = None,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    pos_label: Label | None = None,
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
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, or rates set by hand. By default, the evaluated true labels set the
        directions.
    sample_weight : array-like of shape (n,), optional
        Sampling weights.
    clusters : array-like of shape (n,), optional
        Which rows belong together, such as those of one person or the images of one video: the
        bootstrap then draws whole clusters, and not rows.
    n_boot : int
        Number of bootstrap replicates. With 0, the report has no intervals.
    confidence : float
        Level of the intervals.
    random_state : int or numpy.random.Generator, optional
        Seed of the bootstrap. None is the fixed seed 0, so that a repeated audit gives the same
        numbers.
    labels, groups : sequence, optional
        Explicit label lists.
    pos_label : label, optional
        The only class or task to evaluate.
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
    counts = count_arrays(inputs, labels=labels, groups=groups, missing=missing)
    scores = None
    if y_score is not None:
        scores = scores_of_arrays(counts, y_score, inputs, groups=groups, missing=missing)
    return audit_evaluation(
        align(counts, reference),
        interval_options(n_boot, confidence, random_state),
        pos_label=pos_label,
        title=title,
        scores=scores,
    )


def audit_counts(
    counts: Counts,
    reference: Any = None,
    *,
    y_score: Any = None,
    n_boot: int = 2000,
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
    return audit_evaluation(
        align(counts, as_reference(reference)),
        interval_options(n_boot, confidence, random_state),
        pos_label=pos_label,
        title=title,
        scores=None if y_score is None else scores_of_counts(counts, y_score),
    )


def audit_evaluation(
    evaluation: Evaluation,
    options: IntervalOptions,
    *,
    pos_label: Label | None = None,
    title: str | None = None,
    scores: Scores | None = None,
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
    curves = [] if scores is None else sweeps(evaluation, scores, pos_label, options)
    return AuditReport(summarize(findings, title, curves), findings.results)
