"""The summary of an audit: all that was computed, as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.auditing.compute import Computed
from biasamp_adapters.auditing.evaluate import ROLES, Members
from biasamp_adapters.auditing.gap_records import (
    error_records,
    from_draws,
    from_estimate,
    gap_records,
    verdict_records,
)
from biasamp_adapters.auditing.records import (
    difference_records,
    largest_records,
    metric_records,
    missing_records,
    rate_records,
    stratum_records,
)
from biasamp_adapters.auditing.scores import score_records, threshold_records
from biasamp_adapters.auditing.summary import VERSION, Data, Member, RateRecord, Summary
from biasamp_adapters.counting.labels import (
    ALL,
    ATTRIBUTE,
    MISSING,
    PREDICTED,
    PREDICTION,
    TASK,
    Label,
)
from biasamp_adapters.counting.margins import divide, margins_of_data
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A

#: An interval excludes 0 with a probability of .8 if the number is so many standard errors from 0.
_POWER = 2.8


def summarize(
    computed: Computed, title: str, names: Mapping[str, Any], favorable_label: Label | None
) -> Summary:
    """Return the summary; ``names`` are those of columns, and the facts of how it was computed."""
    rates, scores = list(rate_records(computed)), names.get("scores", {})
    return Summary(
        version=VERSION,
        title=title,
        data=_data(computed, names, favorable_label),
        method={
            "confidence": computed.confidence,
            "n_boot": computed.n_boot,
            "random_state": names.get("random_state"),
            "versions": {name: version(name) for name in ("biasamp-adapters", "numpy")},
            "files": dict(names.get("files", {})),
        },
        verdicts=list(verdict_records(computed)),
        gaps=list(gap_records(computed)),
        errors=list(error_records(computed)),
        missing=list(missing_records(computed, names.get("random_state", 0))),
        scores=list(score_records(computed, scores)),
        metrics=list(metric_records(computed)),
        rates=rates,
        largest=list(largest_records(computed)),
        differences=list(difference_records(computed)),
        thresholds=list(threshold_records(computed, scores)),
        equal_errors=list(_equal_errors(computed)),
        levels=list(_levels(computed)),
        pairs=list(_pairs(computed, rates)),
        frequency=list(_frequency(computed)),
        strata=list(stratum_records(computed)),
        rows_needed=list(_rows_needed(computed)),
        notes=[*_notes(computed, names), *computed.notes],
    )


def _notes(computed: Computed, names: Mapping[str, Any]) -> Iterator[str]:
    """Yield notes on how the table was given."""
    rows, weights = computed.evaluation.rows, names.get("sample_weight")
    yield from filter(None, (score.note for score in names.get("scores", {}).values()))
    if names.get("is_same_column"):
        yield words.SAME_COLUMN
    if weights is not None and rows.w is not None and rows.cluster is None:
        are_whole = rows.w.max() > 1 and bool((rows.w % 1 == 0).all())
        if are_whole and len(rows.unweighted().merged()) == rows.n_rows:
            yield words.MAY_BE_COUNTS.format(column=weights)


def _data(computed: Computed, names: Mapping[str, Any], favorable_label: Label | None) -> Data:
    """Return what was compared."""
    evaluation, rows = computed.evaluation, computed.evaluation.rows
    members = computed.members[next(iter(computed.members))]
    positive = members.classes[members.compared[0]] if len(members.compared) == 1 else None
    models = computed.models if rows.has(PREDICTION) else ()
    feature = rows.names.get(ATTRIBUTE)
    n_groups = np.ones(len(rows))
    if rows.is_matrix(ATTRIBUTE) and rows.block_sums is None:
        n_groups = rows.variable(ATTRIBUTE).sparse.sum(axis=1)
    return Data(
        rows=rows.n_rows,
        models=list(computed.models),
        label=rows.names.get(TASK),
        feature=" × ".join(feature) if isinstance(feature, tuple) else feature,
        kind="tasks" if rows.is_matrix(TASK) else "classes",
        probabilities=any(rows.variable(PREDICTION, model).is_soft for model in models),
        directions=list(computed.members),
        groups=_members(computed, A_TO_T),
        classes=_members(computed, T_TO_A),
        positive=positive,
        favorable=favorable_label,
        compared_with=words.LABELS if evaluation.base_rates is None else words.GIVEN_RATES,
        reference=None if evaluation.reference is None else evaluation.reference.n_rows,
        weights=names.get("sample_weight"),
        clusters=names.get("clusters"),
        n_clusters=rows.n_clusters,
        unit=members.unit,
        missing=_missing(computed, TASK),
        missing_groups=_missing(computed, ATTRIBUTE),
        left_out=rows.dropped,
        in_no_group=int(rows.n[n_groups == 0].sum()),
        in_several_groups=int(rows.n[n_groups > 1].sum()),
        scores=list(names.get("scores", ())),
    )


def _missing(computed: Computed, truth: str) -> dict[str, int]:
    """Return how many predictions of a variable are missing, for models that have any."""
    rows, role = computed.evaluation.rows, PREDICTED[truth]
    models = [m for m in computed.models if rows.has(role) and rows.variable(role, m).has_missing]
    margins = margins_of_data(rows.unweighted())
    return {m: int(margins.of_model(m).joint(ALL, MISSING[truth]).sum()) for m in models}


def _members(computed: Computed, direction: str) -> list[Member]:
    """Return what a direction compares."""
    evaluation = computed.evaluation
    if direction in computed.members:
        of = computed.members[direction]
    elif evaluation.rows.has(ROLES[direction][0]):
        of = Members.of(evaluation, direction, None)
    else:  # With given rates, no row is labelled.
        [other] = computed.members.values()
        return [Member(name=label, rows=0, size=0.0, share=0.0) for label in other.classes]
    return [
        Member(
            name=label,
            rows=round(of.rows[i]),
            size=float(of.sizes[i]),
            share=float(of.rows[i] / evaluation.rows.n_rows),
        )
        for i, label in enumerate(of.groups)
    ]


def _equal_errors(computed: Computed) -> Iterator[dict[str, Any]]:
    """Yield what metrics would be with equal error rates; the number is the excess."""
    for (_, model), results in computed.results.items():
        for result in results:
            if result.excess is not None and result.equal_errors is not None:
                yield {
                    "model": model,
                    "name": result.metric,
                    "actual": from_estimate(result.estimate)["value"],
                    "equal_errors": from_estimate(result.equal_errors)["value"],
                    **from_estimate(result.excess),
                }


def _levels(computed: Computed) -> Iterator[dict[str, Any]]:
    """Yield the levels of LA and DPA in the labels and in the predictions."""
    for (_, model), results in computed.results.items():
        for result in results:
            if "psi_model" in result.estimates:
                levels = (result.estimates[name] for name in ("psi_dataset", "psi_model"))
                true, predicted = (from_estimate(level)["value"] for level in levels)
                yield {"model": model, "name": result.metric, "true": true, "predicted": predicted}


def _pairs(computed: Computed, records: list[RateRecord]) -> Iterator[dict[str, Any]]:
    """Yield the rates behind BA: the number is the change along the sign, with its own interval."""
    changes = (
        rates["predicted"][:, i, j] - rates["true"][:, i, j]
        for rates in computed.rates.values()
        for i, j in np.ndindex(rates["true"].shape[1] - 1, rates["true"].shape[2])
    )
    for record, change in zip(records, changes, strict=True):
        sign, low, high = record["sign"], record["low"], record["high"]
        if low is not None and high is not None:
            low, high = sorted((sign * low, sign * high))
        yield {
            **{key: record[key] for key in ("model", "direction", "group", "of_class")},
            **{key: record[key] for key in ("true", "predicted", "sign")},
            **from_draws(sign * change, computed.confidence, computed.reason),
            "band_low": low,
            "band_high": high,
            "clear": low is not None and high is not None and (low > 0 or high < 0),
        }


def _frequency(computed: Computed) -> Iterator[dict[str, Any]]:
    """Yield how often each class occurs in the labels, and how often it is predicted."""
    for (direction, model), rates in computed.rates.items():
        true, predicted = rates["true"][0], rates["predicted"][0]
        for j, label in enumerate(computed.members[direction].classes):
            draws = divide(rates["predicted"][:, -1, j], rates["true"][:, -1, j])
            ratio = from_draws(draws, computed.confidence, computed.reason)
            yield {
                "model": model,
                "direction": direction,
                "of_class": label,
                "true": float(true[-1, j]),
                "predicted": float(predicted[-1, j]),
                "ratio": ratio["value"],
                "ratio_low": ratio["low"],
                "ratio_high": ratio["high"],
                "falls": int((predicted[:-1, j] < true[:-1, j]).sum()),
            }


def _rows_needed(computed: Computed) -> Iterator[dict[str, Any]]:
    """Yield the rows at which a BA of 1 would be clear in 80 % of samples."""
    for (direction, model), (ba, *_) in computed.results.items():
        replicates = ba.estimate.replicates
        error = float(np.nanstd(replicates)) if len(replicates) else None
        rows = None if error is None else ba.n_rows * (_POWER * error) ** 2
        yield {"model": model, "direction": direction, "rows": rows}
