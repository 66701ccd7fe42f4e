"""Audit or count files: tables, which DuckDB reads and counts, or saved counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from biasamp_adapters._progress import working
from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Label, RandomState
from biasamp_adapters.auditing.choose_columns import ColumnOptions, Columns, choose, merged
from biasamp_adapters.auditing.findings import interval_options
from biasamp_adapters.auditing.report import TITLE, AuditReport, audit_evaluation
from biasamp_adapters.auditing.runs import summarize_reports
from biasamp_adapters.auditing.sweeps import Scores
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.counts.loading import load_counts
from biasamp_adapters.counts.saved import is_saved
from biasamp_adapters.counts.variables import Missing
from biasamp_adapters.inputs.files import (
    FILENAME,
    agree_on_types,
    by_value,
    expand,
    open_files,
    reading,
)
from biasamp_adapters.reference import FEW_GROUPS, MOST_GROUPS, align, as_reference, many_groups

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

#: The name of a run, its counts and its scores.
Run: TypeAlias = tuple[str, Counts, Scores | None]


def audit_files(
    files: Sequence[str],
    names: ColumnOptions,
    *,
    separate: bool = False,
    reference: Sequence[str] = (),
    score: Sequence[str] = (),
    run: str | None = None,
    pos_label: str | None = None,
    allow_many_groups: bool = False,
    missing: Missing = "error",
    n_boot: int = 2000,
    random_state: RandomState = None,
    confidence: float = 0.95,
) -> list[AuditReport]:
    """Audit CSV or Parquet files, which DuckDB reads and counts, or files of counts.

    Parameters
    ----------
    files : sequence of str
        Paths or globs of the parts of one table, or of counts that are added up.
    names : ColumnOptions
        The columns of a table. Empty for files of counts, which know their columns.
    separate : bool
        Whether each attribute gets a report of its own; otherwise attributes are crossed.
    reference : sequence of str
        Files of the training data, or of their counts.
    score : sequence of str
        Columns of scores, in the order of the predictions, for sweeps of thresholds.
    run : str, optional
        Column whose values are runs, or "filename" for one run per file.
    pos_label : str, optional
        The only class to evaluate, as text.
    allow_many_groups : bool
        Whether an attribute may have more than a hundred groups, or hardly two rows for each.
    missing, n_boot, random_state, confidence
        As in :func:`audit`.

    Raises
    ------
    ValueError
        If a file cannot be read or an input breaks a rule.
    """
    intervals = interval_options(n_boot, confidence, random_state)

    def audited(runs: Iterable[Run], base: Counts | None, title: str = TITLE) -> AuditReport:
        """The audit of the only run, or the summary of one audit per run."""
        reports = {}
        for name, counts, scores in runs:
            if not allow_many_groups:
                _check_groups(counts)
            reports[name] = audit_evaluation(
                align(counts, as_reference(base)),
                intervals,
                pos_label=_label(counts, pos_label),
                title=title,
                scores=scores,
            )
        return reports[""] if run is None else summarize_reports(reports, confidence, title)

    saved = _load_saved(files)
    options = {**names.by_option(), "--separate": separate, "--score": score}
    _check_options(options, missing, saved is not None, files, "--prediction")
    base = _sum_of_counts(_load_saved(reference))
    if saved is not None:
        return [audited(_saved_runs(saved, run), base)]
    if score and len(score) != len(names.prediction):
        raise ValueError(
            "--score must be given once for each --prediction; received "
            f"{[*score]} for {[*names.prediction]}"
        )
    with reading([*files, *reference]) as connection:
        table = open_files(connection, files, filename=run == FILENAME)
        training = open_files(connection, reference) if reference and base is None else None
        chosen = [choose(table.columns, part) for part in names.by_audit(separate=separate)]
        table, training = _with_common_types(table, training, chosen, run)
        titles = [f"{TITLE}: {name}" for name in names.attribute] if separate else [TITLE]
        return [
            audited(
                _runs(table, columns, run, score, missing),
                base if training is None else columns.count_truth(training, missing),
                title,
            )
            for columns, title in zip(chosen, titles, strict=True)
        ]


def _saved_runs(saved: Mapping[str, Counts], run: str | None) -> Iterator[Run]:
    """The counts of each file, or of all files."""
    if run not in (None, FILENAME):
        raise ValueError(
            f"--run must be 'filename' for files of counts, which have no columns; received {run!r}"
        )
    for name, counts in ({"": _sum_of_counts(saved)} if run is None else saved).items():
        yield name, counts, None


def _runs(
    table: DuckDBPyRelation,
    columns: Columns,
    run: str | None,
    score: Sequence[str],
    missing: Missing,
) -> Iterator[Run]:
    """The counts of the rows of each run, or of all rows, with their scores."""
    for name, rows in [("", table)] if run is None else by_value(table, run):
        with working("Counting rows"):
            counts = columns.count(rows, missing)
        # A matrix may have fewer models; reading its scores raises an error.
        by_model = dict(zip(counts.models, score, strict=False))
        rank = partial(columns.count_ranked, rows, missing)
        yield name, counts, Scores(by_model, rank) if by_model else None


def _check_groups(counts: Counts) -> None:
    """Raise if there are so many groups that the column is probably not an attribute."""
    if counts.has(Role.ATTRIBUTE) and (many := many_groups(counts)):
        raise ValueError(
            f"--attribute must have at most {MOST_GROUPS} groups, and two rows for each of more "
            f"than {FEW_GROUPS}; received {many} (--many-groups audits them all the same)"
        )


def _label(counts: Counts, text: str | None) -> Label | None:
    """The label that is shown as ``text``."""
    if text is None:
        return None
    for label in counts.labels:
        if show(label) == text:
            return label
    raise ValueError(
        f"--pos-label must be one of the classes {listing(counts.labels)}; received {text!r}"
    )


def _with_common_types(
    table: DuckDBPyRelation,
    training: DuckDBPyRelation | None,
    chosen: Sequence[Columns],
    run: str | None = None,
) -> tuple[DuckDBPyRelation, DuckDBPyRelation | None]:
    """The tables, with one type for the columns that hold the same labels."""
    same_labels = [columns for part in chosen for columns in part.same_labels]
    roles = merged([*same_labels, *([] if run is None else [[run]])])
    indicators = [name for part in chosen for name in part.indicators]
    return agree_on_types(table, training, roles, indicators)


def count_files(files: Sequence[str], names: ColumnOptions, missing: Missing = "error") -> Counts:
    """Count files like those of :func:`audit_files`, or add up files of counts.

    The counts hold no rows; those of label matrices hold sums and second moments. Training data
    need no prediction.
    """
    saved = _load_saved(files)
    _check_options(names.by_option(), missing, saved is not None, files)
    if saved is not None:
        total: Counts = _sum_of_counts(saved)
        return total
    with reading(files) as connection:
        table = open_files(connection, files)
        columns = choose(table.columns, names)
        table, _ = _with_common_types(table, None, [columns])
        return columns.count_sums(connection, table, missing)


def _check_options(
    options: Mapping[str, Any], missing: Missing, saved: bool, files: Sequence[str], *needed: str
) -> None:
    """Raise for missing options of tables, and for options that files of counts do not allow."""
    for option, value in {**options, "--missing": missing != "error"}.items():
        if saved and value:
            raise ValueError(
                f"{option} is for tables: files of counts know their columns; received {files[0]}"
            )
        if not saved and not value and option in ("--task", "--attribute", *needed):
            raise ValueError(f"Missing option '{option}': required where FILE is a table")


def _load_saved(patterns: Sequence[str]) -> dict[str, Counts] | None:
    """The counts of files by name, if the files hold counts; None if they are tables."""
    files = expand(patterns)
    # A table is never JSON. If all files are Parquet, only one is opened: there may be thousands.
    counts = [name for name in files if name.lower().endswith(".json")]
    others = [name for name in files if name not in counts]
    parquet = [name for name in others if name.lower().endswith(".parquet")]
    for name in parquet if counts else parquet[:1]:
        if is_saved(name):
            others.remove(name)
    if counts and others:
        raise ValueError(
            f"files must all be tables or all be counts; received {counts[0]}, {others[0]}"
        )
    return {name: load_counts(name) for name in files} if len(others) < len(files) else None


def _sum_of_counts(counts: Mapping[str, Counts] | None) -> Any:
    """Counts of several files, added up; None of no file."""
    total: Any = None
    for name, part in (counts or {}).items():
        try:
            total = part if total is None else total + part
        except TypeError:
            raise ValueError("files of counts must all be of labels, or all of matrices") from None
        except ValueError as error:
            raise ValueError(f"of {name}, {error}") from None
    return total
