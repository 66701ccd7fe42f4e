"""Audits and counts of files: of tables, which DuckDB reads and counts, or of saved counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biasamp_adapters._progress import working
from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label, RandomState
from biasamp_adapters.auditing.choose_columns import ColumnOptions, Columns, choose, merged
from biasamp_adapters.auditing.findings import Bootstrap
from biasamp_adapters.auditing.report import TITLE, AuditReport, audit_evaluation
from biasamp_adapters.auditing.runs import summarize_reports
from biasamp_adapters.auditing.sweeps import LEVELS, Scores
from biasamp_adapters.counts import Counts, JointCounts
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
    ranked_scores,
    reading,
)
from biasamp_adapters.reference import FEW_GROUPS, MOST_GROUPS, align, as_reference, many_groups

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation


def audit_files(
    files: Sequence[str],
    named: ColumnOptions,
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
        Paths or globs, parts of one table, or counts to be added up.
    named : ColumnOptions
        Columns of a table, which files of counts know.
    separate : bool
        Audit each attribute alone instead of crossing them.
    reference : sequence of str
        Files of the training data, or of their counts.
    score : sequence of str
        Columns of scores, in the order of the predictions, for sweeps of thresholds.
    run : str, optional
        Column whose values are runs, or "filename" for one run per file.
    pos_label : str, optional
        The one class to look at, as text.
    allow_many_groups : bool
        Whether an attribute may have more than a hundred groups, or hardly two rows for each.
    missing, n_boot, random_state, confidence
        As in :func:`audit`.

    Returns
    -------
    list of AuditReport
        One, or with ``separate`` one per attribute.

    Raises
    ------
    ValueError
        If a file cannot be read or an input breaks a rule.
    """
    bootstrap = Bootstrap(n_boot, confidence, random_state)
    audits = _Audits(bootstrap, missing, score, run, pos_label, allow_many_groups)
    saved = _saved(files)
    options = {**named.by_option(), "--separate": separate, "--score": score}
    _check_options(options, missing, saved is not None, files, "--prediction")
    if saved is not None:
        return [audits.of_counts(saved, _total(_saved(reference)))]
    if score and len(score) != len(named.prediction):
        raise ValueError(
            "--score must be given once for each --prediction; received "
            f"{[*score]} for {[*named.prediction]}"
        )
    known = _total(_saved(reference))
    with reading([*files, *reference]) as connection:
        table = open_files(connection, files, filename=run == FILENAME)
        training = open_files(connection, reference) if reference and known is None else None
        chosen = [choose(table.columns, part) for part in named.by_audit(separate=separate)]
        table, training = _typed(table, training, chosen, run)
        titles = [f"{TITLE}: {name}" for name in named.attribute] if separate else [TITLE]
        return [
            audits.of_table(table, known if training is None else training, columns, title)
            for columns, title in zip(chosen, titles, strict=True)
        ]


@dataclass(frozen=True)
class _Audits:
    """How files are audited, of whichever kind they are."""

    bootstrap: Bootstrap
    missing: Missing
    score: Sequence[str]
    run: str | None
    pos_label: str | None
    allow_many_groups: bool

    def of_counts(self, saved: Mapping[str, Counts], reference: Counts | None) -> AuditReport:
        """The audit of counts that are added up, or the summary of one audit per file."""
        if self.run not in (None, FILENAME):
            raise ValueError(
                "--run must be 'filename' for files of counts, which have no columns; received "
                f"{self.run!r}"
            )
        if self.run is None:
            return self._report(_total(saved), reference)
        reports = {name: self._report(counts, reference) for name, counts in saved.items()}
        return summarize_reports(reports, self.bootstrap.confidence)

    def of_table(
        self,
        table: DuckDBPyRelation,
        reference: DuckDBPyRelation | Counts | None,
        columns: Columns,
        title: str,
    ) -> AuditReport:
        """The audit of one crossing of attributes, or the summary of its runs."""
        known = self._known(reference, columns)

        def report(rows: DuckDBPyRelation) -> AuditReport:
            with working("Counting rows"):
                counts = columns.count(rows, self.missing)

            def rank(column: str) -> tuple[JointCounts, Array]:
                with working("Counting rows"):
                    thresholds, ranked, name = ranked_scores(rows, column, LEVELS.tolist())
                    return columns.count_ranked(ranked, name, self.missing), thresholds

            # A matrix may have fewer models; that it has no scores is said when they are read.
            by_model = dict(zip(counts.models, self.score, strict=False))
            return self._report(counts, known, title, Scores(by_model, rank) if by_model else None)

        if self.run is None:
            return report(table)
        reports = {value: report(rows) for value, rows in by_value(table, self.run)}
        return summarize_reports(reports, self.bootstrap.confidence, title)

    def _known(
        self, reference: DuckDBPyRelation | Counts | None, columns: Columns
    ) -> Counts | None:
        """The counts of the training data."""
        if reference is None or isinstance(reference, Counts):
            return reference
        try:
            missing: Missing = "drop" if self.missing == "drop" else "error"
            return columns.count_truth(reference, missing)
        except ValueError as error:
            raise ValueError(f"in the reference, {error}") from None

    def _report(
        self,
        counts: Counts,
        reference: Counts | None,
        title: str = TITLE,
        scores: Scores | None = None,
    ) -> AuditReport:
        """The audit of counts."""
        if not self.allow_many_groups:
            _check_groups(counts)
        return audit_evaluation(
            align(counts, as_reference(reference)),
            self.bootstrap,
            pos_label=_label(counts, self.pos_label),
            title=title,
            scores=scores,
        )


def _check_groups(counts: Counts) -> None:
    """Raise for an attribute of so many groups that it may be none."""
    if counts.has(Role.ATTRIBUTE) and (many := many_groups(counts)):
        raise ValueError(
            f"--attribute must have at most {MOST_GROUPS} groups, and two rows for each of more "
            f"than {FEW_GROUPS}; received {many} (--many-groups audits them all the same)"
        )


def _label(counts: Counts, text: str | None) -> Label | None:
    """The label that reads as ``text``."""
    if text is None:
        return None
    for label in counts.labels:
        if show(label) == text:
            return label
    raise ValueError(
        f"--pos-label must be one of the classes {listing(counts.labels)}; received {text!r}"
    )


def _typed(
    table: DuckDBPyRelation,
    training: DuckDBPyRelation | None,
    chosen: Sequence[Columns],
    run: str | None = None,
) -> tuple[DuckDBPyRelation, DuckDBPyRelation | None]:
    """The tables, with one type for the columns that speak of the same labels."""
    together = [columns for part in chosen for columns in part.together]
    roles = merged([*together, *([] if run is None else [[run]])])
    indicators = [name for part in chosen for name in part.indicators]
    return agree_on_types(table, training, roles, indicators)


def count_files(files: Sequence[str], named: ColumnOptions, missing: Missing = "error") -> Counts:
    """Count CSV or Parquet files, which DuckDB reads, or add up files of counts.

    Parameters
    ----------
    files, named, missing
        As in :func:`audit_files`; training data need no prediction.

    Returns
    -------
    JointCounts or CooccurrenceCounts
        Without rows: of label matrices their sums and second moments.

    Raises
    ------
    ValueError
        If a file cannot be read or an input breaks a rule.
    """
    saved = _saved(files)
    _check_options(named.by_option(), missing, saved is not None, files)
    if saved is not None:
        total: Counts = _total(saved)
        return total
    with reading(files) as connection:
        table = open_files(connection, files)
        columns = choose(table.columns, named)
        table, _ = _typed(table, None, [columns])
        return columns.count_sums(connection, table, missing)


def _check_options(
    options: Mapping[str, Any], missing: Missing, saved: bool, files: Sequence[str], *needed: str
) -> None:
    """Raise for options that a table lacks, or that files of counts have no use for."""
    for option, value in {**options, "--missing": missing != "error"}.items():
        if saved and value:
            raise ValueError(
                f"{option} is for tables: files of counts know their columns; received {files[0]}"
            )
        if not saved and not value and option in ("--task", "--attribute", *needed):
            raise ValueError(f"Missing option '{option}': FILE is a table, of which it is a column")


def _saved(patterns: Sequence[str]) -> dict[str, Counts] | None:
    """The counts of files by name, if the files hold counts; None if they are tables.

    Raises
    ------
    ValueError
        If some hold counts and others do not.
    """
    files = expand(patterns)
    # A table is never JSON. Of Parquet files alone one is asked: there may be thousands.
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


def _total(counts: Mapping[str, Counts] | None) -> Any:
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
