"""What a report must say beside its numbers ([W21] 5 and A.1; [T25] 5)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters.auditing.findings import (
    DIRECTIONAL,
    MULTI,
    Findings,
    by_column,
)
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.metrics import METRICS
from biasamp_adapters.metrics.bound_metric import T_TO_A
from biasamp_adapters.metrics.predictability import MOST_FITTED, allows_attack

#: Groups or tasks with fewer rows make no interval that can be trusted.
FEW_ROWS = 10

NO_INTERVALS = "No intervals were asked for (n_boot=0): no number here says how sure it is."


def reference_in_words(findings: Findings) -> str:
    """What the directions of the correlations come from."""
    reference = findings.evaluation.reference
    if findings.evaluation.base_rates is not None:
        return "base rates set by hand"
    if reference is None:
        return "the evaluated truth itself"
    return f"reference data of {reference.n_rows:,} rows"


def abstentions(counts: Counts) -> dict[tuple[str, Role], int]:
    """How many predictions of each kind each model left out, where it did."""
    left_out = {
        (model, role): counts.abstentions(role, model)
        for model in counts.models
        for role in (Role.PREDICTION, Role.ATTRIBUTE_PREDICTION)
        if counts.has(role, model)
    }
    return {variable: n for variable, n in left_out.items() if n}


def notes(findings: Findings) -> list[str]:
    """The notes that apply, the general ones last."""
    parts = (_about_data, _about_rows, _about_signs, _about_mals, _about_reading)
    return [note for part in parts for note in part(findings)]


def _about_data(findings: Findings) -> Iterator[str]:
    counts = findings.counts
    for note in findings.evaluation.notes:
        # Without the way out, which is one of the call and not of the report.
        note = note.rpartition(" (")[0]
        yield f"{note[0].upper()}{note[1:]}."
    if counts.dropped:
        yield f"{counts.dropped:,} rows with missing values were left out."
    for (model, role), n in abstentions(counts).items():
        effect = (
            "denominator, and no label counts as predicted."
            if counts.is_matrix(role.truth)
            else "denominator and count as wrong."
        )
        yield (
            f"{model} abstained from {n:,} predictions of the {role.truth}: such rows stay in "
            f"every {effect}"
        )
    if counts.soft:
        yield (
            "Predictions are probabilities and enter as expected counts; Multi, which needs 0/1 "
            "predictions, is left out."
        )


def _about_rows(findings: Findings) -> Iterator[str]:
    counts = findings.counts
    if counts.no_draws:
        yield (
            f"No number has an interval: {counts.no_draws}. Count with keep_rows=True, or "
            "second_moments=True, where the rows are."
        )
    if counts.is_normal:
        yield (
            "The rows are gone: intervals come from a normal distribution with the second moments "
            "of the sums, which those of a few rows only roughly have. Attackers that are fitted "
            "need rows and are left out."
        )
    if not counts.knows_sets:
        yield (
            "Multi is left out: label sets were not counted. Count with label_sets= or "
            "keep_rows=True."
        )
    elif findings.evaluation.base_rates is None and not (counts.soft or findings.of(MULTI)):
        yield (
            "Multi is left out: the evaluated truth contains no label set that the reference shows."
        )
    if not counts.knows_rows:
        yield _SUMS_OF_MATRICES if by_column(counts) else _SUMS_OF_LABELS
    if not allows_attack(counts, Role.TASK):
        yield (
            "LA, and DPA from tasks that are columns, need an attacker that is fitted on rows; "
            f"they are left out where rows are unknown or more than {MOST_FITTED:,}. Per pair, the "
            "metrics give them in by_pair."
        )
    tables = counts.unweighted().tables()
    task = "task" if counts.is_matrix(Role.TASK) else "class"
    for role, name in ((Role.ATTRIBUTE, "group"), (Role.TASK, task)):
        few = np.flatnonzero(tables.marginal(role) < FEW_ROWS) if counts.has(role) else ()
        if len(few):
            names = listing([counts.labels_of(role)[i] for i in few])
            yield (
                f"Fewer than {FEW_ROWS} rows have the {name} {names}: no interval that rests on "
                "them can be trusted."
            )
    if not findings.bootstrap.n_boot:
        yield NO_INTERVALS


_SUMS_OF_MATRICES = (
    "Only sums of weights are left, not rows, so labels are not flipped (keep_rows=True keeps "
    "them): DPA is equalised in expectation, which may be biased on sparse tables, and has no "
    "interval; DPA of the uncertainty coefficient is left out."
)
_SUMS_OF_LABELS = (
    "Only sums of weights are left, not rows: rows of different weights are kept apart up to "
    "131,072 cells (by_weight=True), and rounding the weights can bring them there. Intervals use "
    "Poisson draws, and LA and DPA, whose flips need rows, have none; DPA of the uncertainty "
    "coefficient is left out."
)


def _about_signs(findings: Findings) -> Iterator[str]:
    if findings.evaluation.base_rates is not None:
        yield (
            "Rates and directions were set by hand, where there is no ground truth: which ones is "
            "a choice of values. Say where they come from; with others the numbers change."
        )
    else:
        source = f"The directions of correlations come from {reference_in_words(findings)}"
        if findings.evaluation.reference is None:
            source += (
                ", so the model is compared with the data it is judged on; give the training data "
                "as reference to compare with what it learned from"
            )
        yield source + "."
    results = findings.of(DIRECTIONAL)
    if not results:
        return
    pairs = results[0].by_pair
    uncertain = int(pairs["uncertain"].sum())
    if alone := _alone(findings):
        yield (
            f"The reference has rows of one {alone} only, so no correlation can be read from it: "
            "BA-> is 0 by construction, whatever the model does."
        )
    elif (pairs["sign"] == 0).all():
        yield (
            "The reference is balanced: BA-> is 0 by construction, whatever the model does. Read "
            "DPA, Multi, or the levels of the uncertainty coefficient instead."
        )
    elif uncertain:
        yield (
            f"{uncertain} of {len(pairs)} pairs correlate so weakly in the reference (|z| < 1.96) "
            "that their sign may be noise, and with it the sign of their part of BA->."
        )
    contributions = [result.by_pair["contribution"] for result in results]
    if any((part > 0).any() and (part < 0).any() for part in contributions):
        yield (
            "Some pairs are amplified and others reduced: a mean over pairs hides that; see the "
            "strongest pairs."
        )


def _alone(findings: Findings) -> str | None:
    """What the reference, or the truth that is its own, has only one of."""
    origin = findings.evaluation.origin
    if findings.evaluation.base_rates is None:
        for role, name in ((Role.ATTRIBUTE, "group"), (Role.TASK, "class")):
            if origin.has(role) and origin.one_each(role) and len(origin.seen(role)) < 2:
                return name
    return None


def _about_mals(findings: Findings) -> Iterator[str]:
    for result in findings.of("MALS")[:1]:
        pairs = result.by_pair
        uncertain = int(pairs["uncertain"].sum())
        if (pairs["sign"] == 0).all():
            yield (
                "Every group is equally frequent among the positives of the reference: MALS is 0 "
                "by construction, whatever the model does."
            )
        elif uncertain:
            yield (
                f"{uncertain} of {len(pairs)} pairs are so near equal shares among the positives "
                "of the reference (|z| < 1.96) that the groups which MALS takes for favoured may "
                "be noise."
            )


def _about_reading(findings: Findings) -> Iterator[str]:
    counts = findings.counts
    if any(result.direction == T_TO_A for result in findings.results.values()):
        yield (
            "T->A means that the model predicts a protected attribute. Ask whether it must: not "
            "predicting it removes T->A amplification altogether."
        )
    if counts.has(Role.TASK):
        are_columns = counts.is_matrix(Role.TASK)
        share = counts.tables().marginal(Role.TASK) / counts.tables().total
        even = 1 / 2 if are_columns else 1 / len(share)
        error = np.sqrt(even * (1 - even) / counts.effective_rows)
        if (np.abs(share - even) > 1.96 * error).any():
            yield (
                f"{'Tasks, yes against no,' if are_columns else 'Classes'} are of unequal size "
                f"(shares from {share.min():.1%} to {share.max():.1%}): 1/cross-entropy and "
                "accuracy read size as bias; the uncertainty coefficient does not."
            )
    for metric in METRICS:
        if metric.about.note and findings.of(metric.__qualname__):
            yield metric.about.note
    yield (
        "Values compare within one metric, one direction and one dataset; A->T against T->A means "
        "nothing."
    )
    yield (
        "No amplification is not fairness: a model that repeats the bias of its data scores 0."
        + " Read the differences of selection rate, TPR and FPR beside it." * bool(findings.rates)
    )
    if findings.evaluation.base_rates is None:
        yield (
            "The labels are taken for the truth. Where they are not, as in risk prediction, where "
            "they record arrests or predict what has not happened yet, matching them is not the "
            "goal."
        )
