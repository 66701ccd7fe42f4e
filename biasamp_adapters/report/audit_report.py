"""An audit: from arrays, tables, files or counts to a report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters import words
from biasamp_adapters.atomic import write_text
from biasamp_adapters.auditing.answer import Verdict, answers
from biasamp_adapters.auditing.check import Failure, check, numbers_of
from biasamp_adapters.auditing.compute import Computed
from biasamp_adapters.auditing.compute import compute as compute_audit
from biasamp_adapters.auditing.facts import head
from biasamp_adapters.auditing.scores import measure_scores, without_scores
from biasamp_adapters.auditing.subject import summary_of_model
from biasamp_adapters.auditing.summarize import name_columns, summarize
from biasamp_adapters.auditing.summary import PARTS, Summary
from biasamp_adapters.counting.base_rates import BaseRates
from biasamp_adapters.counting.counts import columns_among, options_among, read_counts
from biasamp_adapters.counting.labels import ATTRIBUTE, Label, check_text
from biasamp_adapters.counting.paths import digests_of
from biasamp_adapters.counting.reference import align, check_reference, read_reference
from biasamp_adapters.inference.replicates import N_BOOT, read_seed
from biasamp_adapters.metrics.base import check_choice, check_draws, check_number, find_class
from biasamp_adapters.report.compose import compose
from biasamp_adapters.report.document import Document, Part
from biasamp_adapters.report.estimators import find_column, predict
from biasamp_adapters.report.markup import to_card, to_html, to_markdown
from biasamp_adapters.report.terminal import to_text


@dataclass(frozen=True, eq=False, repr=False)
class AuditReport:
    """What an audit found, on every surface.

    :func:`audit` and :meth:`from_estimator` return it; the arguments of the class are internal.

    Attributes
    ----------
    summary : dict
        All numbers, as plain values; its keys are those of
        :class:`biasamp_adapters.auditing.summary.Summary`.
    computed : Computed
        The arrays behind them, which methods of the report read; internal.
    """

    summary: Summary
    computed: Computed

    @staticmethod
    def from_estimator(
        estimator: Any, X: Any, y: Any, *, sensitive_features: Any, **options: Any
    ) -> AuditReport:
        """Audit what a fitted estimator predicts, or several.

        Parameters
        ----------
        estimator : estimator, or dict of models to estimators
            Their ``predict`` is given the groups if it has or requests ``sensitive_features``, and
            the seed of the audit if it has ``random_state``: Fairlearn's draws decisions at random.
            Scores of two classes come from ``predict_proba`` or ``decision_function``.
        X : array-like or frame of shape (rows, features)
        y : array-like of shape (rows,) or (rows, tasks)
        sensitive_features : object
            As in :func:`audit`. A text is a column of ``X``, or else a level of the index of ``y``,
            and a list of texts is columns of ``X``, which are crossed; so it is in
            ``control_features``, and a text also in ``sample_weight`` and ``clusters``.
        **options
            Further arguments of :func:`audit`.

        Returns
        -------
        AuditReport

        Raises
        ------
        TypeError
            If an estimator is none, or labels or predictions are given.
        ValueError
            If a text is neither a column nor a level, or a threshold is given.

        Examples
        --------
        >>> import biasamp_adapters as bam
        >>> from sklearn.dummy import DummyClassifier
        >>> table = bam.datasets.load_compas()
        >>> X, y = table[["race", "sex"]], table["two_year_recid"]
        >>> model = DummyClassifier().fit(X, y)
        >>> report = bam.AuditReport.from_estimator(model, X, y, sensitive_features="sex")
        >>> report.verdicts[0].code
        'reduces'
        """
        options["sensitive_features"] = sensitive_features
        for name in ("sensitive_features", "control_features", "sample_weight", "clusters"):
            options[name] = find_column(options.get(name), X, y)
        options["random_state"] = seed = read_seed(options.get("random_state", 0))
        # Generators of scikit-learn take 32 bits.
        given = {ATTRIBUTE: options[ATTRIBUTE], "random_state": seed % 2**32}
        predicted, scores = predict(estimator, X, given, options.get("pos_label"))
        return audit(y_true=y, y_pred=predicted, **{"y_score": scores} | options)

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """The verdict on each model in each direction."""
        sentences = {
            (model, answer.direction): answer.headline
            for model in self.computed.models
            for answer in answers(summary_of_model(self.summary, model))
        }
        return [
            Verdict(*key, x.code, x.reason, sentences[key], audit.numbers["mean change"], x.gaps)
            for audit in self.computed.audits
            for key, x in [((audit.model, audit.direction), audit.judgement)]
        ]

    def to_frame(self, part: str = "metrics") -> pd.DataFrame:
        """Return a part of the report as a frame; "metrics" has all numbers that ``check`` knows.

        Parameters
        ----------
        part : {"metrics", "gaps", "rates", "differences", "pairs", "levels", "equal_errors", \
"frequency", "thresholds", "largest", "strata", "verdicts"}
        """
        if part not in PARTS and not (part == "aif360" and part in self.summary):
            raise ValueError(f"part must be one of {', '.join(PARTS)}; received {part!r:.40}")
        if part == "metrics":
            return pd.DataFrame(numbers_of(self.summary))
        return pd.DataFrame(self.summary[part])  # type: ignore[literal-required]

    def to_json(self, path: Any = None) -> str:
        """Return the summary as JSON, and write it to a file if one is named."""
        text = json.dumps(self.summary, default=str, allow_nan=False, indent=1)
        return write_text(path, text)

    @cached_property
    def _document(self) -> Document:
        return compose(self.summary)

    def to_text(self, full: bool = False, width: int = 80) -> str:
        """Return the report as plain text: the first screen, or with ``full`` all of it."""
        return to_text(self._document, full=full, width=width)

    def to_html(self, path: Any = None, date: str = "") -> str:
        """Return the report as a page without scripts, and write it if a file is named.

        Parameters
        ----------
        path : path, optional
        date : str
            What the page gives as its date; nothing by default, so that pages can be compared.
        """
        return write_text(path, to_html(compose(self.summary, date)))

    def to_markdown(self, path: Any = None) -> str:
        """Return the report as Markdown, and write it if a file is named."""
        return write_text(path, to_markdown(self._document))

    def picture(
        self, part: str = "rates", *, model: str | None = None, direction: str | None = None
    ) -> Part:
        """Return what :func:`biasamp_adapters.plot.rates` draws, as plain records."""
        check_choice("part", part, ("rates", "gaps"))
        check_choice("model", model, (None, *self.summary["data"]["models"]))
        directions = self.summary["data"]["directions"]
        check_choice("direction", direction, (None, *directions))
        summary = self.summary if model is None else summary_of_model(self.summary, model)
        over = head(self.summary, direction) if direction and len(directions) > 1 else ""
        for picture in compose(summary).pictures:
            if picture.tables[0].part == part and over in ("", picture.over):
                return picture
        raise ValueError(f"the report has no picture of {part}: it needs at least two {part}")

    def plot(self, ax: Any = None, **chosen: Any) -> Any:
        """Draw the rates by group with the named gap, or the gaps; return the axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        part, model, direction
            As in :func:`biasamp_adapters.plot.rates`.
        """
        from biasamp_adapters.plot import rates

        return rates(self, ax=ax, **chosen)

    def __repr__(self) -> str:
        return self.to_text().rstrip()

    def _repr_html_(self) -> str:
        return to_card(self._document)

    def rows_needed(self, change: float) -> pd.Series[float]:
        """Return the rows at which a BA of so much would be clear in 80% of samples.

        Parameters
        ----------
        change : float
            BA, as a fraction: 0.02 is 2 points.

        Returns
        -------
        Series
            By model and direction; NaN without intervals.
        """
        check_number("change", change, -1, 1)
        if change == 0:
            raise ValueError(f"change must not be 0; received {change!r}")
        frame = pd.DataFrame(self.summary["rows_needed"]).set_index(["model", "direction"])
        return (frame["rows"].astype(float) / change**2).apply(np.ceil)

    def check(
        self,
        *,
        fail_above: Mapping[str, Any] | None = None,
        require_below: Mapping[str, Any] | None = None,
        fail_below: Mapping[str, Any] | None = None,
        require_above: Mapping[str, Any] | None = None,
        require_within: Mapping[str, Any] | None = None,
        forbid: Sequence[str] = (),
    ) -> list[Failure]:
        """Return the checks that fail, and those that cannot be judged.

        Parameters
        ----------
        fail_above, fail_below : mapping of names of numbers to bounds
            Fails if the whole interval lies above (below) the bound. Names are such as "BA",
            "accuracy" or "selection rate ratio", which is about the class that is compared:
            ``pos_label`` of the audit chooses it, ``favorable_label`` does not. A bound is a
            fraction, or text: "2pt" or "2%".
        require_below, require_above : mapping
            Fails unless the whole interval lies below (above) the bound.
        require_within : mapping
            Fails unless the whole interval lies within plus and minus the bound. "gaps" means the
            change of every gap.
        forbid : sequence of str
            Codes of verdicts, such as "amplifies", and statuses of gaps, such as "grows", that must
            not occur.

        Returns
        -------
        list of Failure
            Empty if all checks pass. What cannot be judged is in it, with ``judged`` False.

        Raises
        ------
        ValueError
            If there is no bound, a number is unknown or a bound is out of its range.

        Examples
        --------
        >>> import biasamp_adapters as bam
        >>> y_true, groups = [0, 1] * 100 + [0, 0, 0, 1] * 50, ["a"] * 200 + ["b"] * 200
        >>> report = bam.audit(y_true, y_true[:200] + [0] * 200, sensitive_features=groups)
        >>> len(report.check(fail_above={"BA": "2pt"}, forbid=["amplifies"]))
        2
        >>> report.check(forbid=["amplifies"])
        [model: the verdict is larger gaps (amplifies), which is forbidden.]
        """
        arguments = locals()
        return check(self.summary, {rule: arguments[rule] for rule in words.CHECK}, forbid)


def audit(
    data: Any = None,
    y_pred: Any = None,
    *,
    y_true: Any = None,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    y_score: Any = None,
    threshold: float | None = None,
    reference: Any = None,
    control_features: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    class_labels: Sequence[Label] | None = None,
    group_labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    favorable_label: Label | None = None,
    missing: str = "error",
    missing_values: Sequence[Label] = (),
    n_boot: int = N_BOOT,
    confidence: float = 0.95,
    random_state: Any = 0,
    title: str | None = None,
) -> AuditReport:
    """Audit predictions: whether gaps between groups are larger in them than in the labels.

    Parameters
    ----------
    data : frame, path, list of paths or Counts; or the values of ``y_true``
        A frame of any library, or CSV, Parquet or JSON files, also gzipped, as in
        ``"rows/*.csv"``: the other arguments are names of its columns. Or else two positional
        arguments hold the values of ``y_true`` and ``y_pred``.
    y_pred : array-like, name, list or pattern of columns, or dict of models to these
    y_true, sensitive_features, sensitive_features_pred, sample_weight, clusters : object
        Arrays, or names of columns. A list of ``sensitive_features`` is crossed. A label matrix is
        a pattern such as ``"true_*"`` with ``"pred_*"``, or a list of columns; groups that are
        columns of 0 and 1 are a pattern, such as ``"race_*"``. Predicted groups of several models
        are a dict, as ``y_pred`` is.
    y_score : array-like, name of a column, or dict of models to these; optional
        Scores of the positive class, finite numbers: whether a gap comes from the score or from the
        threshold, and what other thresholds would give.
    threshold : float, optional
        Without ``y_pred``, the positive class is predicted where ``y_score`` is at least this.
    reference : pair (y_true, sensitive_features), Counts, BaseRates, frame or path, optional
        Data that decide the signs of BA; by default the evaluated labels.
    control_features : array-like, mapping or frame of columns, or names of columns, optional
        What strata are made of, as in Fairlearn; several are crossed. Each stratum has its own BA,
        from its own rows and with the signs of all rows.
    class_labels, group_labels : sequence of labels, optional
        All classes and groups, in their order.
    pos_label : label, optional
        The class of two that is compared; by default 1, or the last. A text also stands for the
        label that looks like it, so that "1" is 1.
    favorable_label : label, optional
        The class that is good for a person.
    missing : {"error", "drop", "abstain"}
        What becomes of rows with missing labels, groups, predictions or scores: an error, left out,
        or missing predictions stay in every rate and count as wrong.
    missing_values : sequence of labels
        Labels that mean a missing value, such as "NA", "?" or "", in the data and in the reference.
        Of files, an empty cell is missing; in arrays and frames "" is a label.
    n_boot : int
        Bootstrap replicates; by default 2,000, or fewer of very many groups and classes.
    confidence : float
        The level of all intervals and bands, between 0 and 1.
    random_state : int, Generator or None
        The seed of all that is drawn, except for random blocks; None is a fresh one.
    title : str, optional
        What the report begins with; by default the class or tasks and the groups.

    Returns
    -------
    AuditReport

    Raises
    ------
    TypeError
        If ``data`` is no table, path or Counts, such as an estimator.
    ValueError
        If an input cannot be read, a column or the groups are missing, or an option is out of its
        range.
    FileNotFoundError
        If a path names no file.

    Examples
    --------
    From arrays, and from a table with names of columns:

    >>> import biasamp_adapters as bam
    >>> y_true, y_pred = [1, 0, 0, 0] * 100, [1, 0, 0, 0] * 50 + [0] * 200
    >>> report = bam.audit(y_true, y_pred, sensitive_features=["a"] * 200 + ["b"] * 200)
    >>> report.verdicts[0].code
    'amplifies'
    >>> table = bam.datasets.load_compas().query("race in ['African-American', 'Caucasian']")
    >>> names = {"y_true": "two_year_recid", "sensitive_features": "race"}
    >>> report = bam.audit(table, y_score="decile_score", threshold=5, **names)
    >>> [verdict] = report.verdicts
    >>> verdict.code
    'amplifies'
    """
    arguments = locals()
    if hasattr(data, "predict"):
        raise TypeError("An estimator is audited by AuditReport.from_estimator(model, X, y, ...)")
    seed = check_draws(n_boot, confidence, random_state)
    check_reference(reference)
    columns = columns_among(arguments)
    options = options_among(arguments) | {"needs_digest": True}
    counts, used = read_counts(data, columns, options)
    compared = read_reference(reference, used, options)
    # With given shares of the groups in each class, rows need no groups, but predicted ones.
    if not (counts.rows.has(ATTRIBUTE) or isinstance(compared, BaseRates)):
        rule = "sensitive_features is missing. Pass the groups of the rows, or with data the name"
        raise ValueError(f"{rule} of their column, as in sensitive_features='race'.")
    # Data of a single group have a report, which says that there is no gap to judge.
    evaluation = align(counts.rows, compared, options, fewest_groups=1)
    pos_label = find_class("pos_label", pos_label, evaluation.rows.class_labels)
    favorable_label = find_class("favorable_label", favorable_label, evaluation.rows.class_labels)
    computed = compute_audit(without_scores(evaluation), pos_label, n_boot, confidence, seed)
    scores = measure_scores(evaluation, computed, pos_label, threshold)
    # Counts come alone; arrays come with predictions or scores.
    files = digests_of(data) if used or (y_pred is None and y_score is None) else {}
    names = name_columns(columns, files, data if y_true is None else y_true, y_pred)
    check_text([title, *names.values()], "title and names of columns")
    summary = summarize(computed, scores, str(title or ""), names, favorable_label)
    return AuditReport(summary, computed)
