"""Audits of files: one relation, counted by the engine, for each attribute and run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from biasamp_adapters._progress import working
from biasamp_adapters._typing import Array, RandomState
from biasamp_adapters.auditing.audits import TITLE, audit_counts
from biasamp_adapters.auditing.choose_columns import Columns, choose, few_weights, merged_roles
from biasamp_adapters.auditing.report import AuditReport
from biasamp_adapters.auditing.runs import summarise_reports
from biasamp_adapters.auditing.saved import (
    audit_saved,
    check_asked,
    check_groups,
    check_unasked,
    label,
    saved_counts,
    total_of,
)
from biasamp_adapters.auditing.sweeps import LEVELS, by_model, sweep
from biasamp_adapters.counts import Counts, JointCounts
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.inputs.files import (
    FILENAME,
    agree_on_types,
    by_value,
    open_files,
    reading,
)
from biasamp_adapters.inputs.score_ranks import ranked_scores

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation


def audit_files(
    files: Sequence[str],
    *,
    task: Sequence[str] = (),
    prediction: Sequence[str] = (),
    attribute: Sequence[str] = (),
    attribute_prediction: Sequence[str] = (),
    separate: bool = False,
    reference: Sequence[str] = (),
    weight: str | None = None,
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
    task, prediction, attribute, attribute_prediction : sequence of str
        Columns of a table, which files of counts know. For label matrices a name may be a list with
        commas, or a prefix with a star: each ``prediction`` is then a model.
    weight : str, optional
        Column of sampling weights.
    score : sequence of str
        Columns of scores, in the order of ``prediction``, for sweeps of thresholds.
    separate : bool
        Audit each attribute alone instead of crossing them.
    reference : sequence of str
        Files of the training data, or of their counts.
    run : str, optional
        Column whose values are runs, or "filename" for one run a file.
    pos_label : str, optional
        The one class to look at, as text.
    allow_many_groups : bool
        Whether an attribute may have more than a hundred groups, or hardly two rows for each.
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
    options: dict[str, Any] = {
        "n_boot": n_boot, "random_state": random_state, "confidence": confidence,
    }  # fmt: skip
    asked = {
        "--task": task,
        "--prediction": prediction,
        "--attribute": attribute,
        "--attribute-prediction": attribute_prediction,
        "--separate": separate,
        "--weight": weight,
        "--score": score,
        "--missing": missing != "error",
    }
    if (saved := saved_counts(files)) is not None:
        check_unasked(asked, files)
        known = saved_counts(reference)
        return [audit_saved(saved, known, run, pos_label, allow_many_groups, options)]
    check_asked(asked, "--task", "--prediction", "--attribute")
    if score and len(score) != len(prediction):
        raise ValueError(
            "--score must be given once for each --prediction; received "
            f"{[*score]} for {[*prediction]}"
        )
    known = saved_counts(reference)
    with reading([*files, *reference]) as connection:
        table = open_files(connection, files, filename=run == FILENAME)
        training = open_files(connection, reference) if reference and known is None else None
        roles: dict[str, Any] = {"task": task, "prediction": prediction, "weight": weight}
        chosen = [
            (names[0], choose(table.columns, attribute=names, attribute_prediction=made, **roles))
            for names, made in _attributes(attribute, attribute_prediction, separate)
        ]
        together = [columns for _, each in chosen for columns in each.together]
        together += [[name] for name in (weight, run) if name is not None]
        indicators = [name for _, each in chosen for name in each.indicators]
        table, training = agree_on_types(table, training, merged_roles(together), indicators)
        return [
            _audit(
                _Source(
                    table, training or known, columns, missing, pos_label, score, allow_many_groups
                ),
                run,
                {**options, "title": f"{TITLE}: {name}" if separate else TITLE},
            )
            for name, columns in chosen
        ]


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
    training: DuckDBPyRelation | dict[str, Counts] | None
    columns: Columns
    missing: Missing
    pos_label: str | None
    score: Sequence[str]
    allow_many_groups: bool


def _audit(source: _Source, run: str | None, options: dict[str, Any]) -> AuditReport:
    """The audit of one crossing of attributes, or the summary of its runs."""
    known = _reference(source)

    def audited(rows: DuckDBPyRelation) -> AuditReport:
        few = few_weights(rows, source.columns)
        with working("Counting rows"):
            counts = source.columns.count(rows, source.missing, by_weight=few)
        check_groups(counts, source.allow_many_groups)
        pos_label = label(counts, source.pos_label)
        report = audit_counts(counts, known, pos_label=pos_label, **options)
        if not source.score:
            return report
        draws = {key: value for key, value in options.items() if key != "title"}
        labelled, scores = by_model(counts, dict(zip(counts.models, source.score, strict=True)))
        sweeps = [
            sweep(
                labelled, model, *_ranked(source, rows, column, few), known, pos_label=pos_label,
                **draws,
            )
            for model, column in scores.items()
        ]  # fmt: skip
        return replace(report, summary=report.summary | {"sweeps": sweeps})

    if run is None:
        return audited(source.table)
    reports = {value: audited(rows) for value, rows in by_value(source.table, run)}
    return summarise_reports(reports, options["confidence"], options["title"])


def _ranked(
    source: _Source, rows: DuckDBPyRelation, column: str, few: bool
) -> tuple[JointCounts, Array]:
    """Counts by the first threshold of a score that rows reach, and the thresholds."""
    with working("Counting rows"):
        thresholds, ranked, name = ranked_scores(rows, column, LEVELS.tolist())
        roles = {key: source.columns.options[key] for key in ("task", "attribute", "weight")}
        options: dict[str, Any] = {"missing": source.missing, "by_weight": few}
        return JointCounts.from_frame(ranked, **roles, prediction=name, **options), thresholds


def _reference(source: _Source) -> Counts | None:
    if source.training is None:
        return None
    if isinstance(source.training, dict):
        return total_of(source.training)
    rule: Missing = "drop" if source.missing == "drop" else "error"
    try:
        return source.columns.count_reference(source.training, rule)
    except ValueError as error:
        raise ValueError(f"in the reference, {error}") from None
