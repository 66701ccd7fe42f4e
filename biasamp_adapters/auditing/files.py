"""Audits of files: one relation, counted by the engine, for each attribute and run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biasamp_adapters._typing import Label, RandomState
from biasamp_adapters.auditing.choose_columns import Columns, choose
from biasamp_adapters.auditing.report import TITLE, AuditReport, audit_counts
from biasamp_adapters.auditing.runs import summarise_reports
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.counts.collect import MAX_WEIGHTED_CELLS
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.inputs.files import (
    FILENAME,
    agree_on_types,
    by_value,
    distinct_values,
    first_lines,
    open_files,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation


def audit_files(
    files: Sequence[str],
    *,
    task: Sequence[str],
    prediction: Sequence[str],
    attribute: Sequence[str],
    attribute_prediction: Sequence[str] = (),
    separate: bool = False,
    reference: Sequence[str] = (),
    weight: str | None = None,
    run: str | None = None,
    pos_label: str | None = None,
    missing: Missing = "error",
    n_boot: int = 2000,
    random_state: RandomState = None,
    confidence: float = 0.95,
) -> list[AuditReport]:
    """Audit CSV or Parquet files, which DuckDB reads and counts.

    Parameters
    ----------
    files : sequence of str
        Paths or globs, parts of one table.
    task, prediction, attribute, attribute_prediction : sequence of str
        Columns. For label matrices a name may be a list with commas, or a prefix with a star: each
        ``prediction`` is then a model.
    weight : str, optional
        Column of sampling weights.
    separate : bool
        Audit each attribute alone instead of crossing them.
    reference : sequence of str
        Files of the training data.
    run : str, optional
        Column whose values are runs, or "filename" for one run a file.
    pos_label : str, optional
        The one class to look at, as text.
    missing, n_boot, random_state, confidence
        As in :func:`audit`.

    Returns
    -------
    list of AuditReport
        One, or with ``separate`` one an attribute.

    Raises
    ------
    ValueError
        If a file cannot be read or an input breaks a rule.
    """
    import duckdb

    with duckdb.connect() as connection:
        try:
            table = open_files(connection, files, filename=run == FILENAME)
            training = open_files(connection, reference) if reference else None
            chosen = [
                (
                    names[0],
                    choose(
                        table.columns,
                        task=task,
                        prediction=prediction,
                        attribute=names,
                        attribute_prediction=predicted,
                        weight=weight,
                    ),
                )
                for names, predicted in _attributes(attribute, attribute_prediction, separate)
            ]
            together = [columns for _, each in chosen for columns in each.together]
            others = [[name] for name in (weight, run) if name is not None]
            indicators = [name for _, each in chosen for name in each.indicators]
            roles = _merged([*together, *others])
            table, training = agree_on_types(table, training, roles, indicators)
            options = {
                "n_boot": n_boot, "random_state": random_state, "confidence": confidence,
            }  # fmt: skip
            return [
                _audit(
                    _Source(table, training, columns, missing, pos_label),
                    run,
                    {**options, "title": f"{TITLE}: {name}" if separate else TITLE},
                )
                for name, columns in chosen
            ]
        except duckdb.Error as error:
            read = ", ".join([*files, *reference])
            raise ValueError(f"cannot read {read}: {first_lines(error)}") from None


def _merged(together: Sequence[Sequence[str]]) -> list[list[str]]:
    """Columns that must agree on what their text means: chains of shared columns are one."""
    out: list[list[str]] = []
    for columns in together:
        shared = [each for each in out if set(each) & set(columns)]
        rest = [each for each in out if each not in shared]
        out = [*rest, list(dict.fromkeys([*(c for each in shared for c in each), *columns]))]
    return out


def _attributes(
    attribute: Sequence[str], predicted: Sequence[str], separate: bool
) -> Iterator[tuple[list[str], list[str]]]:
    if len(set(attribute)) < len(attribute):
        raise ValueError(f"--attribute must name each column once; received {list(attribute)}")
    if not separate:
        yield list(attribute), list(predicted)
        return
    if len(predicted) not in (0, len(attribute)):
        raise ValueError(
            "with --separate and one model, --attribute-prediction must be given once for each "
            f"--attribute; received {list(predicted)} for {list(attribute)}"
        )
    for i, name in enumerate(attribute):
        yield [name], list(predicted[i : i + 1])


@dataclass(frozen=True)
class _Source:
    """Tables, and what to count of them."""

    table: DuckDBPyRelation
    training: DuckDBPyRelation | None
    columns: Columns
    missing: Missing
    pos_label: str | None


def _audit(source: _Source, run: str | None, options: dict[str, Any]) -> AuditReport:
    """The audit of one crossing of attributes, or the summary of its runs."""
    known = _reference(source)

    def audited(rows: DuckDBPyRelation) -> AuditReport:
        counts = _count(rows, source)
        return audit_counts(counts, known, pos_label=_label(counts, source.pos_label), **options)

    if run is None:
        return audited(source.table)
    reports = {value: audited(rows) for value, rows in by_value(source.table, run)}
    return summarise_reports(reports, options["confidence"], options["title"])


def _count(rows: DuckDBPyRelation, source: _Source) -> Counts:
    weight = source.columns.options["weight"]
    # Far more weights than may be kept apart need not be grouped to find that out.
    few = weight is None or distinct_values(rows, weight) <= 2 * MAX_WEIGHTED_CELLS
    return source.columns.count(rows, source.missing, by_weight=few)


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


def _reference(source: _Source) -> Counts | None:
    if source.training is None:
        return None
    rule: Missing = "drop" if source.missing == "drop" else "error"
    try:
        return source.columns.count_reference(source.training, rule)
    except ValueError as error:
        raise ValueError(f"in the reference, {error}") from None
