"""Audit or count the files that the command line names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from biasamp_adapters._roles import Role
from biasamp_adapters.auditing.audit_table import AuditOptions, audit_table, check_no_columns
from biasamp_adapters.auditing.choose_columns import ColumnOptions, choose, merged
from biasamp_adapters.auditing.count_columns import names_in
from biasamp_adapters.auditing.open_tables import are_saved, load_saved, sum_of_counts
from biasamp_adapters.auditing.report import AuditReport
from biasamp_adapters.base_rates import BaseRates
from biasamp_adapters.base_rates_file import load_base_rates
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.variables import Missing
from biasamp_adapters.inputs.files import agree_on_types, open_files, reading
from biasamp_adapters.reference import FEW_GROUPS, MOST_GROUPS, many_groups


def audit_files(
    files: Sequence[str],
    names: ColumnOptions,
    options: AuditOptions,
    *,
    separate: bool = False,
    allow_many_groups: bool = False,
) -> list[AuditReport]:
    """Audit files as :func:`audit_frame` does, once or once for each attribute.

    Parameters
    ----------
    files : sequence of str
        Paths or globs of the parts of one table, or of counts that are added up.
    names : ColumnOptions
        The columns of a table. Empty for files of counts, which know their columns.
    options : AuditOptions
    separate : bool
        Whether each attribute gets a report of its own; otherwise attributes are crossed.
    allow_many_groups : bool
        Whether an attribute may have more than a hundred groups, or hardly two rows for each.

    Raises
    ------
    ValueError
        If a file cannot be read or an input breaks a rule.
    """
    if are_saved(files):
        check_no_columns({**names.by_argument(), "--separate": separate}, files)
    elif isinstance(options.reference, BaseRates):
        _check_direction(names)
    else:
        _check_needed(names, "task", "prediction", "attribute")
    if separate and options.attribute_score:
        raise ValueError(
            "attribute_score= is for one attribute; received it with --separate, which audits each"
        )
    if not allow_many_groups:
        options = replace(options, check=_check_groups)
    return [
        audit_table([*files], columns, options) for columns in _audits(names, separate=separate)
    ]


def reference_of(training: Sequence[str], base_rates: str | None) -> list[str] | BaseRates | None:
    """What data are compared with: files of training data, or rates set by hand, or nothing."""
    if base_rates is None:
        return [*training] or None
    if training:
        raise ValueError(
            "--reference and --base-rates must not both be given: rates set by hand replace the "
            f"training data; received {[*training]} and {base_rates!r}"
        )
    return load_base_rates(base_rates)


def _audits(names: ColumnOptions, *, separate: bool) -> Iterator[ColumnOptions]:
    """The columns of each audit: all attributes crossed, or one audit per attribute."""
    if not separate:
        yield names
        return
    attribute, predicted = map(names_in, (names.attribute, names.attribute_prediction))
    if len(predicted) not in (0, len(attribute)):
        raise ValueError(
            "with --separate and one model, --attribute-prediction must be given once for each "
            f"--attribute; received {predicted} for {attribute}"
        )
    for i, name in enumerate(attribute):
        yield names._replace(attribute=[name], attribute_prediction=predicted[i : i + 1])


def _check_groups(counts: Counts) -> None:
    """Raise if there are so many groups that the column is probably not an attribute."""
    if counts.has(Role.ATTRIBUTE) and (many := many_groups(counts)):
        raise ValueError(
            f"--attribute must have at most {MOST_GROUPS} groups, and two rows for each of more "
            f"than {FEW_GROUPS}; received {many} (--many-groups audits them all the same)"
        )


def count_files(files: Sequence[str], names: ColumnOptions, missing: Missing = "error") -> Counts:
    """Count files like those of :func:`audit_files`, or add up files of counts.

    The counts hold no rows; those of label matrices hold sums and second moments. Training data
    need no prediction, and what is audited with base rates needs no truth.
    """
    saved = load_saved(files)
    if saved is not None:
        check_no_columns({**names.by_argument(), "missing=": missing != "error"}, files)
        total: Counts = sum_of_counts(saved)
        return total
    if not _needs_no_truth(names):
        _check_needed(names, "task", "attribute")
    with reading(files) as connection:
        rows = open_files(connection, files)
        columns = choose(rows.columns, names)
        (rows,) = agree_on_types([rows], merged(columns.same_labels), columns.indicators)
        return columns.count_sums(connection, rows, missing)


def _needs_no_truth(names: ColumnOptions) -> bool:
    """Whether base rates can stand for the truth in some direction."""
    a_to_t = names.attribute and names.prediction
    return bool(a_to_t or (names.task and names.attribute_prediction))


def _check_direction(names: ColumnOptions) -> None:
    """Raise unless some direction can be audited without a truth."""
    if not _needs_no_truth(names):
        given = {name: value for name, value in names._asdict().items() if value}
        raise ValueError(
            "--base-rates needs --attribute and --prediction (A->T), or --task and "
            f"--attribute-prediction (T->A); received {given}"
        )


def _check_needed(names: ColumnOptions, *needed: str) -> None:
    """Raise for options that a table needs."""
    for name in needed:
        if not getattr(names, name):
            raise ValueError(f"Missing option '--{name}': required where FILE is a table")
