"""Audits of files: one relation, counted by the engine, for each attribute and run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from biasamp_adapters._typing import RandomState
from biasamp_adapters.auditing.report import TITLE, AuditReport, audit_counts
from biasamp_adapters.auditing.runs import summarise_reports
from biasamp_adapters.counts import JointCounts
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.inputs.files import agree_on_types, by_value, first_lines, open_files

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation


def audit_files(
    files: Sequence[str],
    *,
    task: str,
    prediction: Sequence[str],
    attribute: Sequence[str],
    attribute_prediction: Sequence[str] = (),
    separate: bool = False,
    reference: Sequence[str] = (),
    weight: str | None = None,
    run: str | None = None,
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
    task, prediction, attribute, attribute_prediction, weight
        Columns, as in :meth:`JointCounts.from_frame`.
    separate : bool
        Audit each attribute alone instead of crossing them.
    reference : sequence of str
        Files of the training data.
    run : str, optional
        Column whose values are runs, or "filename" for one run a file.
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
            table, training = agree_on_types(
                open_files(connection, files),
                open_files(connection, reference) if reference else None,
                _roles(task, prediction, attribute, attribute_prediction, [weight, run]),
            )
            reports = []
            for names, predicted in _attributes(attribute, attribute_prediction, separate):
                title = f"{TITLE}: {names[0]}" if separate else TITLE
                options: dict[str, Any] = {
                    "n_boot": n_boot,
                    "random_state": random_state,
                    "confidence": confidence,
                    "title": title,
                }
                known = _reference(training, task, names, missing)
                columns: dict[str, Any] = {
                    "task": task,
                    "prediction": list(prediction),
                    "attribute": names,
                    "attribute_prediction": predicted,
                    "weight": weight,
                    "missing": missing,
                }
                if run is None:
                    reports.append(audit_counts(_count(table, columns), known, **options))
                    continue
                by_run = {
                    value: audit_counts(_count(rows, columns), known, **options)
                    for value, rows in by_value(table, run)
                }
                reports.append(summarise_reports(by_run, confidence, title))
            return reports
        except duckdb.Error as error:
            read = ", ".join([*files, *reference])
            raise ValueError(f"cannot read {read}: {first_lines(error)}") from None


def _roles(
    task: str,
    prediction: Sequence[str],
    attribute: Sequence[str],
    predicted: Sequence[str],
    others: Sequence[str | None],
) -> list[list[str]]:
    """Columns that must agree on what their text means."""
    roles = [[task, *prediction], *([name] for name in others if name is not None)]
    return roles + [[name, *predicted[i :: len(attribute)]] for i, name in enumerate(attribute)]


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


def _count(rows: DuckDBPyRelation, columns: dict[str, Any]) -> JointCounts:
    return JointCounts.from_frame(rows, **columns, by_weight=True)


def _reference(
    training: DuckDBPyRelation | None, task: str, attribute: list[str], missing: Missing
) -> JointCounts | None:
    if training is None:
        return None
    rule: Missing = "drop" if missing == "drop" else "error"
    try:
        return JointCounts.from_frame(training, task=task, attribute=attribute, missing=rule)
    except ValueError as error:
        raise ValueError(f"in the reference, {error}") from None
