"""Audit a table whose columns are named: a frame of any engine, or files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from biasamp_adapters._arguments import explains_arguments
from biasamp_adapters._progress import working
from biasamp_adapters._roles import ARGUMENTS
from biasamp_adapters._text import placing_errors, renaming_errors
from biasamp_adapters._typing import Label, RandomState
from biasamp_adapters.auditing.choose_columns import ColumnOptions, Columns, choose, merged
from biasamp_adapters.auditing.findings import interval_options
from biasamp_adapters.auditing.open_tables import (
    Table,
    load_saved,
    opened,
    paths_of,
    sum_of_counts,
    with_common_types,
)
from biasamp_adapters.auditing.ranked_scores import Scores
from biasamp_adapters.auditing.report import AuditReport, audit_evaluation
from biasamp_adapters.auditing.runs import summarize_reports
from biasamp_adapters.base_rates import BaseRates
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.counts.variables import Missing
from biasamp_adapters.inputs.files import FILENAME, by_value
from biasamp_adapters.inputs.frames import as_frame, columns_of, rows_by_value
from biasamp_adapters.inputs.matrices import Indicators
from biasamp_adapters.inputs.selection import meeting, number_of_rows, of_groups
from biasamp_adapters.reference import align, as_reference, labels_of_predictions

#: Names of columns: of one, or of several.
Names: TypeAlias = str | Sequence[str]

#: What data are compared with; None where they are their own reference.
Base: TypeAlias = Counts | BaseRates | None

#: The name of a run, its counts and its scores.
Run: TypeAlias = tuple[str, Counts, Scores | None]

#: The arguments for columns, by those for arrays.
_COLUMNS = {argument: role.value for role, argument in ARGUMENTS.items()} | {
    "y_score": "score",
    "sample_weight": "weight",
}


@explains_arguments(
    {argument: f"{name}= names such a column" for argument, name in _COLUMNS.items()}
    | {"cluster": "clusters= names such a column"}
)
def audit_frame(
    table: Any,
    *,
    task: Names | None = None,
    prediction: Names | Mapping[str, Names] | None = None,
    attribute: Names | Indicators | None = None,
    attribute_prediction: Names | Indicators | Mapping[str, Names | Indicators] | None = None,
    reference: Any = None,
    weight: str | None = None,
    clusters: str | None = None,
    score: Names | Mapping[str, str] | None = None,
    run: str | None = None,
    where: str | None = None,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    missing: Missing = "error",
    n_boot: int = 2000,
    confidence: float = 0.95,
    random_state: RandomState = None,
    title: str | None = None,
) -> AuditReport:
    """Audit a table of predictions, with one row per person, whose columns are named.

    The table is a frame, which is counted on its own engine, or files. The options are those of
    ``biasamp audit``, and the report is that of :func:`audit` on the columns as arrays.

    Parameters
    ----------
    table : frame, path, or list of paths
        A frame or relation that Narwhals reads: pandas, polars (lazy too), pyarrow, DuckDB, Dask,
        Spark, Ibis. Paths, or patterns such as ``"day-*.csv"``, are the parts of one table as CSV
        or Parquet, or counts that were saved, which need no names of columns.
    task : str or list of str
        Column of the true labels. Several columns of 0 and 1 are tasks; a prefix with a star, such
        as ``"true_*"``, names all that begin so. May be left out with base rates.
    prediction : str, list of str, or mapping of str to either
        Column of the predicted labels, or of probabilities. Several are models on the same rows,
        which a mapping names. Where there are many tasks, those of a model are a list with one
        column for each task in the same order, or a prefix with the same names behind it.
    attribute : str, list of str or Indicators
        Column of the protected attribute; several are crossed. ``Indicators`` of names, or a
        prefix, are groups that are columns of 0 and 1.
    attribute_prediction : same as ``attribute``, or mapping from models, optional
        Column of the predicted attribute. If it is not given, T->A is left out.
    reference : frame, paths, (y_true, sensitive_features), counts or BaseRates, optional
        The training data: a table or files with the columns of task and attribute, or what
        :func:`audit` takes. By default, the evaluated true labels set the directions.
    weight : str, optional
        Column of sampling weights.
    clusters : str, optional
        Column that says which rows belong together, such as those of one person: the bootstrap
        draws whole clusters.
    score : str, list of str, or mapping of str to str, optional
        Column of scores of the positive class, for each model, for a sweep of thresholds. If a
        frame is neither in memory nor of DuckDB, this column, task, attribute, weight and
        clusters are fetched.
    run : str, optional
        Column whose values are runs (seeds), or "filename" for one run per file: the report
        summarises the runs, each audited alone.
    where : str, optional
        Audit only rows that meet an SQL condition over the columns, such as
        ``"age >= 18 AND sex = 'F'"``. For files; the reference keeps its rows.
    labels, groups : sequence, optional
        Explicit label lists.
    pos_label : label, optional
        The only class or task to evaluate; also as the text that the report shows for it.
    missing, n_boot, confidence, random_state, title
        As in :func:`audit`.

    Returns
    -------
    AuditReport

    Raises
    ------
    ValueError
        If a column or file is not there, a column is given two roles, or an input breaks a rule;
        the message states it.
    TypeError
        If ``table`` is neither a frame nor a path.

    See Also
    --------
    audit : The same audit of arrays.
    audit_counts : The same audit of counts.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> from biasamp_adapters.datasets import load_diabetes_audit
    >>> people = load_diabetes_audit().frame
    >>> report = bam.audit_frame(
    ...     people, task="high_progression", prediction="high_progression_pred", attribute="sex"
    ... )
    >>> report.summary["data"]["rows"], report.summary["data"]["task"]
    (221, 'high_progression')

    Two models, counted by DuckDB:

    >>> import duckdb
    >>> people["rule"] = (people["bmi"] > 26).astype(int)
    >>> two = bam.audit_frame(
    ...     duckdb.from_df(people),
    ...     task="high_progression",
    ...     prediction={"tree": "high_progression_pred", "rule": "rule"},
    ...     attribute="sex",
    ... )
    >>> two.summary["data"]["models"]
    ['tree', 'rule']
    """
    names = ColumnOptions(
        _listed("task", task),
        _by_model("prediction", prediction, _listed),
        _groups("attribute", attribute),
        _by_model("attribute_prediction", attribute_prediction, _groups),
        None if weight is None else _one("weight", weight),
        None if clusters is None else _one("clusters", clusters),
    )
    with renaming_errors(_COLUMNS):
        return audit_table(
            table,
            names,
            reference=reference,
            score=_by_model("score", score, _one if isinstance(score, Mapping) else _listed),
            run=None if run is None else _one("run", run),
            where=where,
            labels=labels,
            groups=groups,
            pos_label=pos_label,
            missing=missing,
            n_boot=n_boot,
            random_state=random_state,
            confidence=confidence,
            title=title,
        )


def _listed(argument: str, names: Any) -> list[str]:
    """One name of a column, or several, as a list."""
    listed = [names] if isinstance(names, str) else names
    if listed is None:
        return []
    if not isinstance(listed, list | tuple) or not all(isinstance(name, str) for name in listed):
        raise ValueError(
            f"{argument} must be the name of a column, or a list of names; received "
            f"{_shown(names)} (audit takes arrays)"
        )
    return list(listed)


def _one(argument: str, name: Any) -> str:
    listed = name if isinstance(name, list | tuple) else [name]
    if len(listed) != 1 or not isinstance(listed[0], str):
        raise ValueError(
            f"{argument} must be the name of one column; received {_shown(name)} (audit takes "
            "arrays)"
        )
    return listed[0]


def _groups(argument: str, names: Any) -> Any:
    if isinstance(names, Indicators):
        return Indicators(_listed(argument, names.values), names.names)
    return _listed(argument, names)


def _by_model(argument: str, names: Any, read: Callable[[str, Any], Any]) -> Any:
    """Names of columns as ``read`` gives them, of all models or in a mapping from models."""
    if not isinstance(names, Mapping):
        return read(argument, names)
    if not names or not all(isinstance(model, str) for model in names):
        raise ValueError(f"{argument} must map names of models to columns; received {dict(names)}")
    return {model: read(f"{argument}[{model!r}]", columns) for model, columns in names.items()}


def _shown(value: Any) -> str:
    """A short value itself, or the type of a long one."""
    short = isinstance(value, int | float | list | tuple) and len(repr(value)) < 40
    return repr(value) if short else f"values of type {type(value).__name__}"


def audit_table(
    table: Any,
    names: ColumnOptions,
    *,
    reference: Any = None,
    score: Sequence[str] | Mapping[str, str] = (),
    run: str | None = None,
    where: str | None = None,
    only_groups: Sequence[str] = (),
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    check: Callable[[Counts], None] | None = None,
    missing: Missing = "error",
    n_boot: int = 2000,
    random_state: RandomState = None,
    confidence: float = 0.95,
    title: str | None = None,
) -> AuditReport:
    """The audit of :func:`audit_frame` and of the command line.

    Parameters
    ----------
    names : ColumnOptions
        The columns of the table. Empty for files of counts, which know their columns.
    only_groups : sequence of str
        The groups to audit, as the report shows them; other rows are left out, in the reference
        too. Empty for all.
    check : callable, optional
        Raises for counts that are not to be audited.
    """
    intervals = interval_options(n_boot, confidence, random_state)

    def audited(runs: Iterable[Run], base: Base) -> AuditReport:
        """The audit of the only run, or the summary of one audit per run."""
        reports = {}
        for name, counts, scores in runs:
            with placing_errors(_where(run, name)):
                if check is not None:
                    check(counts)
                reports[name] = audit_evaluation(
                    align(counts, base),
                    intervals,
                    pos_label=_label(counts, pos_label),
                    title=title,
                    scores=scores,
                )
        return reports[""] if run is None else summarize_reports(reports, confidence, title)

    files = paths_of(table)
    if files is None:
        _check_frame(table, "table must be a frame", " (audit takes arrays, audit_counts counts)")
        if run == FILENAME and run not in columns_of(table):
            raise ValueError(
                f"run={FILENAME!r} is for files, one per run, or a column of that name; received a "
                f"frame with the columns {columns_of(table)}"
            )
    base = _base(reference, missing)
    training = reference if base is None else None
    saved = None if files is None else load_saved(files)
    if files is not None and saved is not None:
        options = {**names.by_argument(), "score=": score, "missing=": missing != "error"}
        lists = {"labels=": labels is not None, "groups=": groups is not None or only_groups}
        check_no_columns({**options, **lists, "where=": where is not None}, files)
        if training is not None:
            raise ValueError(
                "the reference must hold counts where the data are files of counts, which do not "
                f"say which of its columns to read; received a table for {files[0]}"
            )
        return audited(_saved_runs(saved, run), base)
    _check_columns(names, score, base)
    labels = labels_of_predictions(labels, base)
    words, words_of_reference = _words(files), _words(paths_of(training))
    with opened(table, training, filename=run == FILENAME) as (data, trained):
        selection: list[Selected] = []
        with renaming_errors(words):
            if where is not None:
                data = _meeting(data, where, selection)
            columns = choose(columns_of(data.rows), names).with_lists(labels, groups)
        roles = merged([*columns.same_labels, *([] if run is None else [[run]])])
        data, trained = with_common_types(data, trained, roles, columns.indicators)
        if only_groups:
            data, trained = _of_groups(data, trained, columns, only_groups, selection)
        if trained is not None:
            with renaming_errors(words_of_reference):
                base = columns.count_truth(trained.rows, missing)
        with renaming_errors(words):
            report = audited(_runs(data, columns, run, score, missing), base)
        return _stating(report, selection)


def _words(files: Sequence[str] | None) -> dict[str, str]:
    """What messages call files, which are counted as a frame is."""
    return {} if files is None else {"the frame": "the file" if len(files) == 1 else "the files"}


class Selected(NamedTuple):
    """What was left out of a table, as a fact and as a note of its report."""

    fact: str
    note: str


def _meeting(data: Table, where: str, selection: list[Selected]) -> Table:
    """The rows of files that meet a condition."""
    if not data.of_files:
        raise ValueError(
            f"where= is for files, since a frame can select its rows itself; received {where!r}"
        )
    rows = meeting(data.rows, where)
    kept = f"{number_of_rows(rows):,} of {number_of_rows(data.rows):,}"
    note = f"Only rows that meet the condition {where} were audited: {kept}."
    selection.append(Selected(f"only where {where}", note))
    return data._replace(rows=rows)


def _of_groups(
    data: Table,
    trained: Table | None,
    columns: Columns,
    groups: Sequence[str],
    selection: list[Selected],
) -> tuple[Table, Table | None]:
    """The rows of some groups, in the data and in the reference."""
    attribute = columns.options["attribute"]
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
    selection.append(Selected(f"only the groups {named}", note))
    return data._replace(rows=rows), trained


def _stating(report: AuditReport, selection: Sequence[Selected]) -> AuditReport:
    """The report of a selection of rows, which says so."""
    answer = report.summary["answer"]
    first, *others = answer["facts"]
    facts = [first, *(selected.fact for selected in selection), *others]
    notes = [*(selected.note for selected in selection), *report.summary["notes"]]
    stated = {"answer": answer | {"facts": facts}, "notes": notes}
    return replace(report, summary=report.summary | stated)


def _check_columns(
    names: ColumnOptions, score: Sequence[str] | Mapping[str, str], base: Base
) -> None:
    """Raise for names of columns that no table can make good."""
    if not (names.prediction or names.attribute_prediction):
        raise ValueError("prediction must name a column of the table; received None")
    if not (names.attribute or isinstance(base, BaseRates)):
        raise ValueError("attribute must name a column of the table; received None")
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
        yield name, counts, None


def _runs(
    data: Table,
    columns: Columns,
    run: str | None,
    score: Sequence[str] | Mapping[str, str],
    missing: Missing,
) -> Iterator[Run]:
    """The counts of the rows of each run, or of all rows, with their scores."""
    parts: Iterable[tuple[str, Any]] = [("", data.rows)]
    if run is not None:
        parts = (by_value if data.of_files else rows_by_value)(data.rows, run)
    for name, rows in parts:
        with placing_errors(_where(run, name)):
            with working("Counting rows"):
                counts = columns.count(rows, missing)
            scores = columns.scores(rows, counts, score, missing)
        yield name, counts, scores


def _where(run: str | None, name: str) -> str | None:
    """The place of an error in words, if there are runs."""
    return None if run is None else f"in run {name!r}"


def _label(counts: Counts, given: Label | None) -> Label | None:
    """The label that is given, or is shown as the text that is given."""
    if given is None or given in counts.labels:
        return given
    for label in counts.labels:
        if show(label) == given:
            return label
    raise ValueError(
        f"pos_label must be one of the classes {listing(counts.labels)}; received {given!r}"
    )
