"""The audit: all metrics an input allows, put into one report."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from biasamp_adapters._files import write_text
from biasamp_adapters._typing import Label, RandomState, generator
from biasamp_adapters.auditing import page, render
from biasamp_adapters.auditing.evaluate import Key, evaluate
from biasamp_adapters.auditing.summarise import summarise
from biasamp_adapters.auditing.sweeps import by_model, rank, sweep
from biasamp_adapters.base_rates import BaseRates
from biasamp_adapters.counts import Counts, JointCounts, count_arrays
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.metrics import AmplificationResult
from biasamp_adapters.reference import align, as_reference
from biasamp_adapters.thresholds.scores import read_scores
from biasamp_adapters.uncertainty import check_confidence, check_n_boot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "Bias amplification audit"

#: Parts of a summary that are lists of rows.
_PARTS = ("metrics", "differences", "trends", "pairs", "fairness", "runs")

_COLUMNS = ["metric", "direction", "value", "low", "high", "random_error", "n", "note"]


@dataclass(frozen=True, eq=False)
class AuditReport:
    """What an audit found, ready to be shown.

    Made by :func:`audit`, :func:`audit_counts` or :meth:`from_estimator`.

    Attributes
    ----------
    summary : dict
        All that is shown, as plain dicts, lists, strings and numbers.
    results : dict of (model, metric name) to AmplificationResult
        The results behind it, with their tables of pairs; empty for a summary of runs.

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
    >>> report.to_markdown().splitlines()[0]
    '# Bias amplification audit'
    """

    summary: dict[str, Any]
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
            y_pred: Any = {name: one.predict(X) for name, one in estimator.items()}
        else:
            y_pred = estimator.predict(X)
        if attribute_estimator is not None:
            options["sensitive_features_pred"] = attribute_estimator.predict(X)
        return audit(y, y_pred, sensitive_features=sensitive_features, **options)

    def with_parts(self, **parts: Any) -> AuditReport:
        """The same report with parts of its summary replaced or added.

        Parameters
        ----------
        **parts
            Parts by their names in :attr:`summary`.

        Returns
        -------
        AuditReport
        """
        return replace(self, summary=self.summary | parts)

    def to_frame(self, part: str = "metrics") -> pd.DataFrame:
        """The metrics, or another part of the report, as a pandas DataFrame.

        Parameters
        ----------
        part : str
            "metrics", "differences", "trends", "pairs", "fairness" or "runs": a list of
            :attr:`summary`.

        Returns
        -------
        DataFrame
            Of metrics one row a metric and direction: ``metric``, ``direction``, ``value``,
            ``low``, ``high``, ``random_error``, ``n`` and ``note``; with several models ``model``
            comes first. Of other parts a row an entry, with all that it holds. An interval or
            baseline that is not there is NaN.

        Raises
        ------
        ValueError
            If there is no such part.
        """
        if part not in _PARTS:
            raise ValueError(f"part must be one of {list(_PARTS)}; received {part!r}")
        if part != "metrics":
            frame = pd.DataFrame(self.summary[part])
            there = [name for name in ("value", "low", "high") if name in frame]
            return frame.astype(dict.fromkeys(there, float))
        several = len(self.summary["data"]["models"]) > 1
        frame = pd.DataFrame(self.summary["metrics"], columns=["model"] * several + _COLUMNS)
        numbers = ["value", "low", "high", "random_error"]
        return frame.astype(dict.fromkeys(numbers, float))

    def to_text(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The report as plain text.

        Parameters
        ----------
        path : path-like, optional
            The file to write, atomically.

        Returns
        -------
        str or None
            The text, unless it is written to ``path``.
        """
        return _out(render.to_text(self.summary), path)

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
        return _out(render.to_markdown(self.summary), path)

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
        return _out(page.to_html([self.summary]), path)

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
        return _out(render.to_json(self.summary), path)

    def plot(self) -> dict[str, Axes]:
        """Draw every metric with its interval, a strip each, on scales centred on 0.

        Returns
        -------
        dict of str to matplotlib Axes
            By metric and direction, such as "BA A->T", on one new figure.

        Examples
        --------
        >>> import biasamp_adapters as bam
        >>> report = bam.audit([1, 1, 0, 0] * 9, [1, 1, 0, 1] * 9, sensitive_features=[1, 2] * 18)
        >>> axes = report.plot()
        >>> list(axes)[:2]
        ['MALS', 'BA A->T']
        """
        from matplotlib import pyplot as plt

        from biasamp_adapters.auditing.pictures import WIDTH, by_name, height_of, stacked, strips

        rows = by_name(self.summary["metrics"])
        figure = plt.figure(figsize=(WIDTH, height_of(rows)), layout="constrained")
        axes = stacked(figure, rows)
        strips(axes, rows)
        return axes

    def __repr__(self) -> str:
        return render.to_text(self.summary)

    def _repr_html_(self) -> str:
        return page.to_fragment(self.summary)

    def _repr_markdown_(self) -> str:
        return render.to_markdown(self.summary)


def _out(text: str, path: str | os.PathLike[str] | None) -> str | None:
    if path is None:
        return text
    write_text(text, path)
    return None


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
    if labels is None and isinstance(against, BaseRates) and set(against.labels) == {0, 1}:
        # What predictions mean, without a truth to say so: labels, or probabilities of 1.
        labels = against.labels
    counts = count_arrays(
        y_true,
        y_pred,
        sensitive_features,
        sensitive_features_pred,
        sample_weight,
        labels=labels,
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
    labelled, scores = by_model(counts, y_score)
    sweeps = []
    for model, each in scores.items():
        values, _ = read_scores(each)
        thresholds, ranks = rank(values)
        ranked = JointCounts.from_arrays(
            y_true,
            ranks,
            sensitive_features,
            sample_weight=sample_weight,
            groups=groups,
            missing=missing,
            by_weight=True,
        )
        sweeps.append(sweep(labelled, model, ranked, thresholds, against, **options))
    return report.with_parts(sweeps=sweeps)


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
    check_n_boot(n_boot)
    check_confidence(confidence)
    generator(random_state)
    if not counts.models:
        raise ValueError("an audit needs predictions; received counts without any")
    evaluation = align(counts, as_reference(reference))
    findings = evaluate(
        evaluation,
        pos_label=pos_label,
        n_boot=n_boot,
        confidence=confidence,
        random_state=random_state,
    )
    return AuditReport(summarise(findings, random_state, title), findings.results)
