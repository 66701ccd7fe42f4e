"""The summary of an audit: all that was computed, as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.auditing import records
from biasamp_adapters.auditing.compute import Computed
from biasamp_adapters.auditing.evaluate import ROLES, Members
from biasamp_adapters.auditing.scores import Scores
from biasamp_adapters.auditing.summary import VERSION, Data, Member, Summary
from biasamp_adapters.counting.arrays import are_one_column
from biasamp_adapters.counting.labels import ATTRIBUTE, MODEL, PREDICTED, PREDICTION, TASK, Label
from biasamp_adapters.figures import join, name
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A


def summarize(
    computed: Computed,
    scores: Scores,
    title: str,
    names: Mapping[str, Any],
    favorable_label: Label | None,
) -> Summary:
    """Return the summary; ``names`` are those of columns, and facts of the data."""
    audits, by_direction = computed.audits, computed.by_direction
    rates = {audit: list(records.rate_records(audit)) for audit in audits}
    return Summary(
        version=VERSION,
        title=title,
        data=_data(computed, scores, names, favorable_label),
        method={
            "confidence": audits[0].confidence,
            "n_boot": audits[0].ba.n_boot,
            "random_state": computed.seed,
            "versions": {name: version(name) for name in ("biasamp-adapters", "numpy")},
            "files": names["files"],
        },
        verdicts=[x for audit in audits for x in records.verdict_records(audit)],
        gaps=[x for audit in audits for x in records.gap_records(audit)],
        errors=[x for audit in audits for x in records.error_records(audit)],
        missing=[x for audit in audits for x in records.missing_records(audit, computed.seed)],
        left_out=list(records.left_out_records(audits[0], computed.seed)),
        scores=scores.records,
        metrics=[x for audit in audits for x in records.metric_records(audit)],
        rates=[x for of_audit in rates.values() for x in of_audit],
        largest=[x for audit in audits for x in records.largest_records(audit)],
        differences=[x for of in by_direction.values() for x in records.difference_records(of)],
        thresholds=scores.thresholds,
        equal_errors=[x for audit in audits for x in records.equal_error_records(audit)],
        levels=[x for audit in audits for x in records.level_records(audit)],
        pairs=[x for audit in audits for x in records.pair_records(audit, rates[audit])],
        frequency=[x for audit in audits for x in records.frequency_records(audit)],
        strata=[x for audit in audits for x in records.stratum_records(audit)],
        rows_needed=[x for audit in audits for x in records.rows_needed_records(audit)],
        notes=[*_notes(computed, scores, names), *computed.notes],
    )


def name_columns(
    columns: Mapping[str, Any], files: Mapping[str, str], y_true: Any, y_pred: Any
) -> dict[str, Any]:
    """Return the names of columns by argument, and the facts of the data that a summary needs."""
    names: dict[str, Any] = {key: _name_of(values, key) for key, values in columns.items()}
    return names | {"files": files, "same_columns": _same_columns(y_true, y_pred)}


def _name_of(values: Any, argument: str) -> str | None:
    """Return the name of a column, or else that of its argument; None if it is not given."""
    if values is None:
        return None
    found = values if isinstance(values, str) else getattr(values, "name", None)
    return found if isinstance(found, str) else argument


def _same_columns(y_true: Any, y_pred: Any) -> list[Label]:
    """Return the models whose predictions are the column of the labels; equal ones need not be."""
    models = y_pred if isinstance(y_pred, Mapping) else {MODEL: y_pred}
    return [m for m, x in models.items() if x is not None and are_one_column(y_true, x)]


def _notes(computed: Computed, scores: Scores, names: Mapping[str, Any]) -> Iterator[str]:
    """Yield notes on how the table was given."""
    rows, weights = computed.evaluation.rows, names["sample_weight"]
    yield from filter(None, scores.notes)
    same = words.SAME_COLUMN if len(computed.models) == 1 else words.SAME_COLUMN_OF
    yield from (same.format(model=name(model)) for model in names["same_columns"])
    yield from _equal_models(computed)
    if weights is not None and rows.w is not None and rows.cluster is None:
        are_whole = rows.w.max() > 1 and bool((rows.w % 1 == 0).all())
        if are_whole and len(rows.unweighted().merged()) == rows.n_rows:
            yield words.MAY_BE_COUNTS.format(column=weights)


def _equal_models(computed: Computed) -> Iterator[str]:
    """Yield which models predict alike in every row; sums of blocks do not tell."""
    rows = computed.evaluation.rows
    alike: dict[bytes, list[str]] = {}
    for model in computed.models if rows.block_sums is None else ():
        predictions = (v.keys().tobytes() for (_, of), v in rows.variables.items() if of == model)
        alike.setdefault(b"".join(predictions), []).append(name(model))
    for models in alike.values():
        if len(models) > 1:
            yield words.EQUAL_PREDICTIONS.format(models=join(models))


def _data(
    computed: Computed, scores: Scores, names: Mapping[str, Any], favorable_label: Label | None
) -> Data:
    """Return what was compared."""
    evaluation, rows = computed.evaluation, computed.evaluation.rows
    members = next(iter(computed.members.values()))
    positive = members.classes[members.compared[0]] if len(members.compared) == 1 else None
    models = computed.models if rows.has(PREDICTION) else ()
    feature = rows.names.get(ATTRIBUTE)
    n_groups = np.ones(len(rows))
    gone = [label for label in rows.gone if label not in rows.group_labels]
    if rows.is_matrix(ATTRIBUTE) and rows.block_sums is None:
        n_groups = rows.variable(ATTRIBUTE).sparse.sum(axis=1)
    return Data(
        rows=rows.n_rows,
        models=list(computed.models),
        label=rows.names.get(TASK),
        feature=" × ".join(feature) if isinstance(feature, tuple) else feature,
        kind="tasks" if rows.is_matrix(TASK) else "classes",
        probabilities=[m for m in models if rows.variable(PREDICTION, m).is_soft],
        directions=list(computed.members),
        groups=[*_members(computed, A_TO_T), *map(_without_rows, gone)],
        classes=_members(computed, T_TO_A),
        positive=positive,
        favorable=favorable_label,
        compared_with=words.LABELS if evaluation.base_rates is None else words.GIVEN_RATES,
        reference=None if evaluation.reference is None else evaluation.reference.n_rows,
        weights=names["sample_weight"],
        clusters=names["clusters"],
        n_clusters=rows.n_clusters,
        unit=rows.size_unit,
        missing=_missing(computed, TASK),
        missing_groups=_missing(computed, ATTRIBUTE),
        left_out=rows.dropped,
        left_out_groups=rows.dropped_groups,
        in_no_group=int(rows.n[n_groups == 0].sum()),
        in_several_groups=int(rows.n[n_groups > 1].sum()),
        scores=scores.models,
    )


def _missing(computed: Computed, truth: str) -> dict[str, int]:
    """Return how many predictions of a variable are missing, for models that have any."""
    rows, role = computed.evaluation.rows, PREDICTED[truth]
    missing = {model: rows.n_missing(role, model) for model in computed.models}
    return {model: n for model, n in missing.items() if n}


def _members(computed: Computed, direction: str) -> list[Member]:
    """Return what a direction compares."""
    rows = computed.evaluation.rows
    if not rows.has(ROLES[direction][0]):  # With given rates, no row is labelled.
        [other] = computed.members.values()
        return list(map(_without_rows, other.classes))
    of = computed.members.get(direction) or Members.of(computed.evaluation, direction, None)
    return [
        Member(name=label, rows=round(n), size=float(size), share=float(n / rows.n_rows))
        for label, n, size in zip(of.groups, of.rows, of.sizes, strict=True)
    ]


def _without_rows(label: Label) -> Member:
    """Return a group or class of which there are no rows."""
    return Member(name=label, rows=0, size=0.0, share=0.0)
