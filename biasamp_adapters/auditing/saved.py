"""Audits of counts that were saved, perhaps on other machines; and counting files to save them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from biasamp_adapters._typing import Label
from biasamp_adapters.auditing.audits import audit_counts
from biasamp_adapters.auditing.choose_columns import choose, merged_roles
from biasamp_adapters.auditing.report import AuditReport
from biasamp_adapters.auditing.runs import summarise_reports
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.counts.saved import is_saved, load_counts
from biasamp_adapters.inputs.files import (
    FILENAME,
    agree_on_types,
    open_files,
    reading,
)
from biasamp_adapters.inputs.paths import expand
from biasamp_adapters.reference import FEW_GROUPS, MOST_GROUPS, many_groups


def count_files(
    files: Sequence[str],
    *,
    task: Sequence[str],
    prediction: Sequence[str] = (),
    attribute: Sequence[str] = (),
    attribute_prediction: Sequence[str] = (),
    weight: str | None = None,
    missing: Missing = "error",
) -> Counts:
    """Count CSV or Parquet files, which DuckDB reads, or add up files of counts.

    Parameters
    ----------
    files, task, prediction, attribute, attribute_prediction, weight, missing
        As in :func:`~biasamp_adapters.auditing.files.audit_files`; training data need no
        prediction.

    Returns
    -------
    JointCounts or CooccurrenceCounts
        Without rows: of label matrices their sums and second moments.

    Raises
    ------
    ValueError
        If a file cannot be read or an input breaks a rule.
    """
    asked = {
        "--task": task,
        "--prediction": prediction,
        "--attribute": attribute,
        "--attribute-prediction": attribute_prediction,
        "--weight": weight,
        "--missing": missing != "error",
    }
    if (saved := saved_counts(files)) is not None:
        check_unasked(asked, files)
        return total_of(saved)
    check_asked(asked, "--task", "--attribute")
    with reading(files) as connection:
        table = open_files(connection, files)
        columns = choose(
            table.columns,
            task=task,
            prediction=prediction,
            attribute=attribute,
            attribute_prediction=attribute_prediction,
            weight=weight,
        )
        roles = merged_roles([*columns.together, *([[weight]] if weight else [])])
        table, _ = agree_on_types(table, None, roles, columns.indicators)
        return columns.count_sums(connection, table, missing)


def check_asked(asked: Mapping[str, Any], *options: str) -> None:
    """Raise for options of a table that are not there."""
    for option in options:
        if not asked[option]:
            raise ValueError(f"Missing option '{option}': FILE is a table, of which it is a column")


def check_unasked(asked: Mapping[str, Any], files: Sequence[str]) -> None:
    """Raise for options of a table that files of counts have no use for."""
    for option, value in asked.items():
        if value:
            raise ValueError(
                f"{option} is for tables: files of counts know their columns; received {files[0]}"
            )


def saved_counts(patterns: Sequence[str]) -> dict[str, Counts] | None:
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


def total_of(counts: Mapping[str, Counts]) -> Counts:
    """Counts of several files, added up."""
    total: Any = None
    for name, part in counts.items():
        try:
            total = part if total is None else total + part
        except TypeError:
            raise ValueError("files of counts must all be of labels, or all of matrices") from None
        except ValueError as error:
            raise ValueError(f"of {name}, {error}") from None
    return total


def audit_saved(
    counts: Mapping[str, Counts],
    reference: Mapping[str, Counts] | None,
    run: str | None,
    pos_label: str | None,
    allow_many_groups: bool,
    options: dict[str, Any],
) -> AuditReport:
    """The audit of counts that are added up, or with ``run`` the summary of one audit a file."""
    if run not in (None, FILENAME):
        raise ValueError(
            f"--run must be 'filename' for files of counts, which have no columns; received {run!r}"
        )
    known = None if reference is None else total_of(reference)

    def audited(part: Counts) -> AuditReport:
        check_groups(part, allow_many_groups)
        return audit_counts(part, known, pos_label=label(part, pos_label), **options)

    if run is None:
        return audited(total_of(counts))
    reports = {name: audited(part) for name, part in counts.items()}
    return summarise_reports(reports, options["confidence"])


def check_groups(counts: Counts, allow_many: bool) -> None:
    """Raise for an attribute of so many groups that it may be none, unless they are allowed."""
    if not allow_many and counts.has("attribute") and (many := many_groups(counts)):
        raise ValueError(
            f"--attribute must have at most {MOST_GROUPS} groups, and two rows for each of more "
            f"than {FEW_GROUPS}; received {many} (--many-groups audits them all the same)"
        )


def label(counts: Counts, text: str | None) -> Label | None:
    """The label that reads as ``text``."""
    if text is None:
        return None
    for label in counts.labels:
        if show(label) == text:
            return label
    raise ValueError(
        f"--pos-label must be one of the classes {listing(counts.labels)}; received {text!r}"
    )
