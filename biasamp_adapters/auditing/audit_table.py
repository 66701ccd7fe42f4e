"""The audit of a table, a frame or files, which ``audit_frame`` and the command share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from biasamp_adapters._progress import working
from biasamp_adapters._text import placing_errors, renaming_errors
from biasamp_adapters._typing import Label
from biasamp_adapters.auditing.choose_columns import ColumnOptions, choose, merged
from biasamp_adapters.auditing.count_columns import Columns
from biasamp_adapters.auditing.open_tables import (
    Table,
    load_saved,
    opened,
    paths_of,
    sum_of_counts,
    with_common_types,
)
from biasamp_adapters.auditing.ranked_scores import Scores, given_scores
from biasamp_adapters.auditing.report import AuditReport, audit_evaluation
from biasamp_adapters.auditing.runs import summarize_reports
from biasamp_adapters.base_rates import BaseRates
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.counts.variables import Missing
from biasamp_adapters.inference.estimates import IntervalOptions
from biasamp_adapters.inputs.files import FILENAME, by_value
from biasamp_adapters.inputs.frames import as_frame, columns_of
from biasamp_adapters.inputs.grouped_sums import rows_by_value
from biasamp_adapters.inputs.matrices import Indicators
from biasamp_adapters.inputs.selection import meeting, number_of_rows, of_groups
from biasamp_adapters.reference import align, as_reference, labels_of_predictions

#: What data are compared with; None where they are their own reference.
Base: TypeAlias = Counts | BaseRates | None

#: The name of a run, its counts and its scores.
Run: TypeAlias = tuple[str, Counts, Sequence[Scores]]

#: Columns of scores, one for each model.
ScoreColumns: TypeAlias = Sequence[str] | Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """How a table is audited: what :func:`audit_frame` and the command take beside its columns.

    Attributes
    ----------
    only_groups : sequence of str
        The groups to audit, as the report shows them; other rows are left out, in the reference
        too. Empty for all.
    check : callable, optional
        Raises for counts that are not to be audited.
    intervals : IntervalOptions
    reference, score, attribute_score, run, where, labels, groups, pos_label, pos_group
        As in :func:`audit_frame`.
    missing, title
        As in :func:`audit`.
    """

    intervals: IntervalOptions
    reference: Any = None
    score: ScoreColumns = ()
    attribute_score: ScoreColumns = ()
    run: str | None = None
    where: str | None = None
    only_groups: Sequence[str] = ()
    labels: Sequence[Label] | None = None
    groups: Sequence[Label] | None = None
    pos_label: Label | None = None
    pos_group: Label | None = None
    check: Callable[[Counts], None] | None = None
    missing: Missing = "error"
    title: str | None = None


def audit_table(table: Any, names: ColumnOptions, options: AuditOptions) -> AuditReport:
    """The audit of :func:`audit_frame` and of the command line.

    Parameters
    ----------
    table : frame, path, or list of paths
    names : ColumnOptions
        The columns of the table. Empty for files of counts, which know their columns.
    options : AuditOptions
    """
    run, missing, files = options.run, options.missing, paths_of(table)
    if files is None:
        _check_table(table, run)
    base = _base(options.reference, missing)
    training = options.reference if base is None else None
    saved = None if files is None else load_saved(files)
    if files is not None and saved is not None:
        _check_saved(files, names, options, training)
        return _audited(options, _saved_runs(saved, run), base)
    _check_columns(names, options, base)
    labels = labels_of_predictions(options.labels, base)
    words, words_of_reference = _words(files), _words(paths_of(training))
    with opened(table, training, filename=run == FILENAME) as (data, trained):
        selection: dict[str, str] = {}
        with renaming_errors(words):
            if options.where is not None:
                data = _meeting(data, options.where, selection)
            columns = choose(columns_of(data.rows), names).with_lists(labels, options.groups)
        roles = merged([*columns.same_labels, *([] if run is None else [[run]])])
        data, trained = with_common_types(data, trained, roles, columns.indicators)
        if options.only_groups:
            data, trained = _of_groups(data, trained, columns, options.only_groups, selection)
        if trained is not None:
            with renaming_errors(words_of_reference):
                base = columns.count_truth(trained.rows, missing)
        with renaming_errors(words):
            report = _audited(options, _runs(data, columns, options), base)
        return _stating(report, selection)


def _audited(options: AuditOptions, runs: Iterable[Run], base: Base) -> AuditReport:
    """The audit of the only run, or the summary of one audit per run."""
    reports = {}
    for name, counts, scores in runs:
        with placing_errors(_where(options.run, name)):
            if options.check is not None:
                options.check(counts)
            reports[name] = audit_evaluation(
                align(counts, base),
                options.intervals,
                pos_label=_label("pos_label", "classes", counts.labels, options.pos_label),
                title=options.title,
                scores=scores,
            )
    if options.run is None:
        return reports[""]
    return summarize_reports(reports, options.intervals.confidence, options.title)


def _words(files: Sequence[str] | None) -> dict[str, str]:
    """What messages call files, which are counted as a frame is."""
    return {} if files is None else {"the frame": "the file" if len(files) == 1 else "the files"}


def _meeting(data: Table, where: str, selection: dict[str, str]) -> Table:
    """The rows of files that meet a condition."""
    if not data.of_files:
        raise ValueError(
            f"where= is for files, since a frame can select its rows itself; received {where!r}"
        )
    rows = meeting(data.rows, where)
    kept = f"{number_of_rows(rows):,} of {number_of_rows(data.rows):,}"
    note = f"Only rows that meet the condition {where} were audited: {kept}."
    selection[f"only where {where}"] = note
    return data._replace(rows=rows)


def _of_groups(
    data: Table,
    trained: Table | None,
    columns: Columns,
    groups: Sequence[str],
    selection: dict[str, str],
) -> tuple[Table, Table | None]:
    """The rows of some groups, in the data and in the reference."""
    attribute = columns.options["attribute"]
    if not attribute:
        raise ValueError(f"groups= needs a column of the attribute; received {[*groups]}")
    if isinstance(attribute, Indicators):
        raise ValueError(
            f"groups= is for attributes that are columns of labels; received {[*groups]} for "
            f"groups that are columns, {attribute.values}"
        )
    rows = of_groups(data.rows, attribute, groups)
    if trained is not None:
        trained = trained._replace(rows=of_groups(trained.rows, attribute, groups))
    named = "; ".join(groups)
    kept = f"{number_of_rows(rows):,} of {number_of_rows(data.rows):,}"
    note = f"Only rows of the groups {named} were audited: {kept}. Other groups were left out."
    selection[f"only the groups {named}"] = note
    return data._replace(rows=rows), trained


def _stating(report: AuditReport, selection: Mapping[str, str]) -> AuditReport:
    """The report of a selection of rows, which says so: in facts, each with its note."""
    answer = report.summary["answer"]
    first, *others = answer["facts"]
    facts = [first, *selection, *others]
    notes = [*selection.values(), *report.summary["notes"]]
    stated = {"answer": answer | {"facts": facts}, "notes": notes}
    return replace(report, summary=report.summary | stated)


def _check_table(table: Any, run: str | None) -> None:
    """Raise for a table that is no frame, or has no column of runs."""
    _check_frame(table, "table must be a frame", " (audit takes arrays, audit_counts counts)")
    if run == FILENAME and run not in columns_of(table):
        raise ValueError(
            f"run={FILENAME!r} is for files, one per run, or a column of that name; received a "
            f"frame with the columns {columns_of(table)}"
        )


def _check_columns(names: ColumnOptions, options: AuditOptions, base: Base) -> None:
    """Raise for names of columns that no table can make good."""
    if not (names.prediction or names.attribute_prediction):
        raise ValueError("prediction must name a column of the table; received None")
    if not (names.attribute or isinstance(base, BaseRates)):
        raise ValueError("attribute must name a column of the table; received None")
    score = options.score
    if score and not isinstance(score, Mapping) and len(score) != len(names.prediction):
        raise ValueError(
            "score= must be given once for each prediction=; received "
            f"{[*score]} for {[*names.prediction]}"
        )


def _base(reference: Any, missing: Missing) -> Base:
    """A reference as counts or base rates; None of a table, or where there is none."""
    files = paths_of(reference)
    if files is not None:
        return as_reference(sum_of_counts(load_saved(files)))
    pair = isinstance(reference, tuple | list) and len(reference) == 2
    if reference is None or pair or isinstance(reference, Counts | BaseRates):
        return as_reference(reference, missing)
    _check_frame(
        reference, "reference must be (y_true, sensitive_features), counts, BaseRates, a frame"
    )
    return None


def _check_frame(given: Any, what: str, hint: str = "") -> None:
    try:
        as_frame(given)
    except TypeError:
        kind = type(given).__name__
        received = f"a {kind}"
        if isinstance(given, list | tuple):
            kinds = dict.fromkeys(type(part).__name__ for part in given)
            received = f"a {kind} of {', '.join(kinds)}" if given else f"an empty {kind}"
        raise TypeError(
            f"{what} or relation that Narwhals reads (pandas, polars, pyarrow, DuckDB, ...), or "
            f"paths of files; received {received}{hint}"
        ) from None


def _check_saved(
    files: Sequence[str], names: ColumnOptions, options: AuditOptions, training: Any
) -> None:
    """Raise for options and a reference that files of counts do not allow."""
    given: dict[str, Any] = {"score=": options.score, "attribute_score=": options.attribute_score}
    given["missing="] = options.missing != "error"
    given["labels="] = options.labels is not None
    given["groups="] = options.groups is not None or options.only_groups
    given["where="] = options.where is not None
    check_no_columns({**names.by_argument(), **given}, files)
    if training is not None:
        raise ValueError(
            "the reference must hold counts where the data are files of counts, which do not say "
            f"which of its columns to read; received a table for {files[0]}"
        )


def check_no_columns(options: Mapping[str, Any], files: Sequence[str]) -> None:
    """Raise for options that files of counts do not allow."""
    for option, value in options.items():
        if value:
            why = "files of counts know their columns"
            if option.endswith("score="):
                why = "files of counts hold no scores, and a sweep of thresholds needs them"
            raise ValueError(f"{option} is for tables: {why}; received {files[0]}")


def _saved_runs(saved: Mapping[str, Counts], run: str | None) -> Iterator[Run]:
    """The counts of each file, or of all files."""
    if run not in (None, FILENAME):
        raise ValueError(
            f"run= must be 'filename' for files of counts, which have no columns; received {run!r}"
        )
    for name, counts in ({"": sum_of_counts(saved)} if run is None else saved).items():
        yield name, counts, []


def _runs(data: Table, columns: Columns, options: AuditOptions) -> Iterator[Run]:
    """The counts of the rows of each run, or of all rows, with their scores."""
    run, missing = options.run, options.missing
    parts: Iterable[tuple[str, Any]] = [("", data.rows)]
    if run is not None:
        parts = (by_value if data.of_files else rows_by_value)(data.rows, run)
    for name, rows in parts:
        with placing_errors(_where(run, name)):
            with working("Counting rows"):
                counts = columns.count(rows, missing)
            pos_group = _label("pos_group", "groups", counts.groups, options.pos_group)
            given = given_scores(options.score or None, options.attribute_score or None, pos_group)
            scores = columns.scores(rows, counts, given, missing)
        yield name, counts, scores


def _where(run: str | None, name: str) -> str | None:
    """The place of an error in words, if there are runs."""
    return None if run is None else f"in run {name!r}"


def _label(argument: str, what: str, labels: Sequence[Label], given: Label | None) -> Label | None:
    """The label that is given, or is shown as the text that is given."""
    if given is None or given in labels:
        return given
    for label in labels:
        if show(label) == given:
            return label
    raise ValueError(f"{argument} must be one of the {what} {listing(labels)}; received {given!r}")
