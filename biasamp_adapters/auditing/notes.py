"""The notes that a report adds to its numbers ([W21] 5 and A.1; [T25] 5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters.auditing.findings import DIRECTIONAL, MULTI, Findings, by_column
from biasamp_adapters.auditing.group_rates import ABSTENTION
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.label_sets import MAX_SETS
from biasamp_adapters.counts.labels import each_of, show
from biasamp_adapters.counts.second_moments import MOST_DRAWN
from biasamp_adapters.counts.variables import model_in_words
from biasamp_adapters.inference.estimates import (
    N_BOOT,
    DefaultReplicates,
    IntervalOptions,
    error_of_ends,
)
from biasamp_adapters.inference.rules import FEW_ROWS, about_clusters
from biasamp_adapters.metrics import METRICS
from biasamp_adapters.metrics.measurement import T_TO_A
from biasamp_adapters.metrics.multi import too_many_sets
from biasamp_adapters.metrics.predictability import MOST_FITTED, allows_attack

#: The source of directions that are not those of data.
BY_HAND = "base rates set by hand"

NO_INTERVALS = "No intervals were asked for (n_boot=0): no number here says how sure it is."

NOT_FAIRNESS = (
    "No amplification is not fairness: a model that repeats the bias of its data scores 0."
)

_SENTENCES = {
    "dropped": "{n:,} rows with missing values were left out.",
    "abstained": "{model} abstained from {n:,} predictions of the {variable}: such rows stay in "
    "every denominator{effect}.{by_group}",
    "soft": "Predictions are probabilities and enter as expected counts; Multi, which needs 0/1 "
    "predictions, is left out.",
    "merged probabilities": "There were too many different probabilities to keep each apart: those "
    "within a step of {step:g} are kept as their mean in each cell. Values are the same up to "
    "rounding; intervals leave out how much probabilities differ within a step. Probabilities that "
    "are rounded to few enough values beforehand stay as they are.",
    "no draws": "No number has an interval: {reason}.",
    "normal draws": "The rows are gone: intervals come from a normal distribution with the second "
    "moments of the sums, which those of a few rows only roughly have. Attackers that are fitted "
    "need rows and are left out.",
    "many rows": "There are more than {most:,} distinct rows: intervals come from a normal "
    "distribution with the second moments of the sums, which those of a few rows only roughly "
    "have. A random part of the rows is drawn row by row.",
    "fewer replicates": "{n:,} replicates were drawn, not {usual:,}, as each of them is of large "
    "tables. Another seed would move the ends of intervals by about {error:.0%} of their distance "
    "from the value, instead of {usual_error:.0%}; n_boot={usual} draws all.",
    "sets not counted": "Multi is left out: label sets were not counted. Count with label_sets= or "
    "keep_rows=True.",
    "no sets": "Multi is left out: the evaluated truth contains no label set that the reference "
    "shows.",
    "many sets": "Multi is left out: rows show {n:,} label sets, and at most {most:,} are read. "
    "MultiAttributeBiasAmplification(min_support=2) reads those that two or more rows show.",
    "sums of matrices": "Only sums of weights are left, not rows, so labels are not flipped "
    "(keep_rows=True keeps them): DPA is equalised in expectation, which may be biased on sparse "
    "tables, and has no interval; DPA of the uncertainty coefficient is left out.",
    "sums of labels": "Only sums of weights are left, not rows: rows of different weights are kept "
    "apart up to 131,072 cells (by_weight=True), and rounding the weights can bring them there. "
    "Intervals use Poisson draws, and LA and DPA, whose flips need rows, have none; DPA of the "
    "uncertainty coefficient is left out.",
    "no attack": "LA, and DPA from tasks that are columns, need an attacker that is fitted on "
    "rows; they are left out where rows are unknown or more than {most:,}. Per pair, the metrics "
    "give them in by_pair.",
    "few rows": "Fewer than {few} rows have {labels}: no interval that rests on them can "
    "be trusted.",
    "no intervals": NO_INTERVALS,
    "clusters": "{note}",
    "base rates": "Rates and directions were set by hand, where there is no ground truth: which "
    "ones is a choice of values. Say where they come from; with others the numbers change.",
    "reference": "The directions of correlations come from {source}. Rates are compared with those "
    "of the evaluated truth all the same; only MALS and undirected Multi compare with the rates of "
    "the reference.",
    "own reference": "The directions of correlations come from {source}, as no reference was "
    "given. With the training data as reference they are those that the model learned from; rates "
    "are compared with the evaluated truth either way.",
    "one label": "The reference has rows of one {kind} only, so no correlation can be read from "
    "it: BA-> is 0 by construction, whatever the model does.",
    "uncertain signs": "{n} of {pairs} pairs correlate so weakly in the reference (|z| < 1.96) "
    "that their sign may be noise, and with it the sign of their part of BA->.",
    "pairs by chance": "If no rate had changed, about {expected:,} of {n:,} intervals of pairs "
    "would lie above or below 0 by chance alone. Only intervals that hold for all pairs of a model "
    "and direction at once tell which pairs are clear: {clear:,} of {n:,}.",
    "even groups": "Every group is equally frequent among the positives of the reference: MALS is "
    "0 by construction, whatever the model does.",
    "uncertain groups": "In {n} of {pairs} pairs, the share of the group among the positives of "
    "the reference is so near an equal share (|z| < 1.96) that it may be noise which groups MALS "
    "takes for favoured.",
    "predicts groups": "T->A means that the model predicts a protected attribute. Ask whether it "
    "must: not predicting it removes T->A amplification altogether.",
    "of a metric": "{note}",
    "comparable": "Compare values within one metric, one direction and one dataset only; a "
    "comparison of A->T with T->A means nothing.",
    "fairness": f"{NOT_FAIRNESS} Read the differences of selection rate, TPR and FPR beside it.",
    "fairness without rates": NOT_FAIRNESS,
    "truth": "The labels are taken for the truth. Where they are not, as in risk prediction, where "
    "they record arrests or predict what has not happened yet, matching them is not the goal.",
}

#: The name of a sentence, and the values of its fields.
Note: TypeAlias = tuple[str, dict[str, Any]]


def reference_in_words(findings: Findings) -> str:
    """The source of the directions of the correlations, in words."""
    reference, base = findings.evaluation.reference, findings.evaluation.base_rates
    if base is not None:
        return BY_HAND if base.file is None else f"{BY_HAND} in {Path(base.file).name}"
    if reference is None:
        return "the evaluated truth itself"
    return f"reference data of {reference.n_rows:,} rows"


def abstentions(counts: Counts) -> dict[tuple[str, Role], int]:
    """The number of abstentions of each model and kind of prediction, if there are any."""
    numbers = {
        (model, role): counts.abstentions(role, model)
        for model in counts.models
        for role in (Role.PREDICTION, Role.ATTRIBUTE_PREDICTION)
        if counts.has(role, model)
    }
    return {variable: n for variable, n in numbers.items() if n}


def notes(findings: Findings) -> Iterator[str]:
    """The notes that apply, the general ones last."""
    for note in findings.evaluation.notes:
        # The hint in brackets is about arguments, which a report does not have.
        note = note.rpartition(" (")[0]
        yield f"{note[0].upper()}{note[1:]}."
    for part in (_about_data, _about_signs, _about_mals, _about_reading):
        for name, values in part(findings):
            yield _SENTENCES[name].format(**values)


def _about_data(findings: Findings) -> Iterator[Note]:
    counts = findings.counts
    if counts.dropped:
        yield "dropped", {"n": counts.dropped}
    for (model, role), n in abstentions(counts).items():
        matrix = counts.is_matrix(role.truth)
        effect = ", and no label counts as predicted" if matrix else " and count as wrong"
        name = model_in_words(model, starts=True)
        facts = {"model": name, "n": n, "variable": role.truth, "effect": effect}
        yield "abstained", facts | {"by_group": _abstentions_by_group(findings, model, role.truth)}
    if counts.soft:
        yield "soft", {}
    if counts.probability_step is not None:
        yield "merged probabilities", {"step": counts.probability_step}
    if counts.no_draws:
        yield "no draws", {"reason": counts.no_draws}
    if counts.is_normal:
        yield "normal draws", {}
    if counts.has_many_rows and findings.options.n_boot:
        yield "many rows", {"most": MOST_DRAWN}
    yield from _about_replicates(findings.options)
    if not counts.knows_sets:
        yield "sets not counted", {}
    elif n_sets := too_many_sets(findings.evaluation):
        yield "many sets", {"n": n_sets, "most": MAX_SETS}
    elif findings.evaluation.base_rates is None and not (counts.soft or findings.of(MULTI)):
        yield "no sets", {}
    if not counts.knows_rows:
        yield "sums of matrices" if by_column(counts) else "sums of labels", {}
    if not allows_attack(counts, Role.TASK):
        yield "no attack", {"most": MOST_FITTED}
    tables = counts.unweighted().tables()
    task = "task" if counts.is_matrix(Role.TASK) else "class"
    for role, kind in ((Role.ATTRIBUTE, "group"), (Role.TASK, task)):
        few = np.flatnonzero(tables.marginal(role) < FEW_ROWS) if counts.has(role) else ()
        if len(few):
            labels = [counts.labels_of(role)[i] for i in few]
            yield "few rows", {"few": FEW_ROWS, "labels": each_of(kind, labels)}
    if not findings.options.n_boot:
        yield "no intervals", {}
    else:
        for note in about_clusters(counts):
            yield "clusters", {"note": f"{note[0].upper()}{note[1:]}."}


def _abstentions_by_group(findings: Findings, model: str, role: Role) -> str:
    """How far the rates of abstention differ between groups, in words, or an empty text."""
    rates = findings.rates.get(model, {}).get(ABSTENTION[role])
    if not rates:
        return ""
    by_group = {
        show(group): rate.value
        for group, rate in zip(findings.counts.groups, rates[0].groups, strict=True)
        if not np.isnan(rate.value)
    }
    interval = rates[0].gap.interval
    if len(by_group) < 2 or (interval is not None and interval[0] <= 0):
        return ""
    least, most = min(by_group, key=by_group.__getitem__), max(by_group, key=by_group.__getitem__)
    clearly = "" if interval is None else " clearly"
    return (
        f" Groups differ{clearly}: it abstained from {by_group[most]:.1%} of group {most} and "
        f"{by_group[least]:.1%} of group {least}, and abstentions alone move their rates."
    )


def _about_replicates(options: IntervalOptions) -> Iterator[Note]:
    """How much less certain the ends of intervals are than those of as many draws as usual."""
    n, usual = int(options.n_boot), int(N_BOOT)
    if isinstance(options.n_boot, DefaultReplicates) and n < usual:
        error, usual_error = (error_of_ends(drawn, options.confidence) for drawn in (n, usual))
        facts = {"n": n, "usual": usual, "error": error, "usual_error": usual_error}
        yield "fewer replicates", facts


def _about_signs(findings: Findings) -> Iterator[Note]:
    evaluation, results = findings.evaluation, findings.of(DIRECTIONAL)
    if evaluation.base_rates is not None:
        yield "base rates", {}
    else:
        name = "own reference" if evaluation.reference is None else "reference"
        yield name, {"source": reference_in_words(findings)}
    if not results:
        return
    pairs = results[0].by_pair
    if kind := _kind_with_one_label(findings):
        yield "one label", {"kind": kind}
    elif pairs["uncertain"].any():
        yield "uncertain signs", {"n": pairs["uncertain"].sum(), "pairs": len(pairs)}
    judged = [pair for found in findings.pairs.values() for pair in found if pair.band.interval]
    expected = round((1 - findings.options.confidence) * len(judged))
    if expected:
        clear = sum(pair.is_clear for pair in judged)
        yield "pairs by chance", {"expected": expected, "n": len(judged), "clear": clear}


def _kind_with_one_label(findings: Findings) -> str | None:
    """The kind of label of which the reference data have only one: "group", "class" or None."""
    origin = findings.evaluation.origin
    if findings.evaluation.base_rates is None:
        for role, name in ((Role.ATTRIBUTE, "group"), (Role.TASK, "class")):
            if origin.has(role) and origin.one_each(role) and len(origin.seen(role)) < 2:
                return name
    return None


def _about_mals(findings: Findings) -> Iterator[Note]:
    for result in findings.of("MALS")[:1]:
        pairs = result.by_pair
        if (pairs["sign"] == 0).all():
            yield "even groups", {}
        elif pairs["uncertain"].any():
            yield "uncertain groups", {"n": pairs["uncertain"].sum(), "pairs": len(pairs)}


def _about_reading(findings: Findings) -> Iterator[Note]:
    if any(result.direction == T_TO_A for result in findings.results.values()):
        yield "predicts groups", {}
    for metric in METRICS:
        if metric.about.note and findings.of(metric.__qualname__):
            yield "of a metric", {"note": metric.about.note}
    yield "comparable", {}
    yield "fairness" if findings.compares_tasks else "fairness without rates", {}
    if findings.evaluation.base_rates is None:
        yield "truth", {}
