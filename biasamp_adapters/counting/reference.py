"""What data are compared with: their own labels, a reference, or rates that are given by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from biasamp_adapters import words
from biasamp_adapters.counting.base_rates import BaseRates, are_in_file
from biasamp_adapters.counting.counts import Counts, load_counts
from biasamp_adapters.counting.labels import (
    ATTRIBUTE,
    CONTROL,
    PREDICTED,
    REFERENCE,
    TASK,
    TRUTH,
    Array,
    Key,
    Label,
    Lists,
    argument_of,
    check_order,
    listing,
    looks_missing,
    name_list,
    read_lists,
    show,
    without,
)
from biasamp_adapters.counting.margins import Margins, count_rows, margins_of_data
from biasamp_adapters.counting.paths import are_paths
from biasamp_adapters.counting.reading import on_common_labels
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Variables
from biasamp_adapters.figures import agree, count

#: The metrics of classes; attackers and functions of hosts also read numbers of a regression.
_OF_CLASSES = ("BA", "MALS", "Multi")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Rows and what they are compared with, on the same lists of labels.

    Attributes
    ----------
    rows : Rows
    reference : Rows or None
        None if the labels of the rows themselves decide the signs.
    base_rates : BaseRates or None
    notes : tuple of str
    stratum : label or None
        The stratum of the control features whose rows these are.
    whole : Rows or None
        All rows, of which these are a stratum.
    """

    rows: Rows
    reference: Rows | None = None
    base_rates: BaseRates | None = None
    notes: tuple[str, ...] = ()
    stratum: Label | None = None
    whole: Rows | None = None

    @property
    def drawn(self) -> Rows:
        """The rows that replicates draw: those of a stratum with all others."""
        return self.rows if self.whole is None else self.whole

    @property
    def origin(self) -> Rows:
        """The rows that decide the signs, unless base rates do."""
        return self.rows if self.reference is None else self.reference

    @cached_property
    def on_sets(self) -> dict[Any, Evaluation]:
        """The same rows on sets of labels and groups, by what decides these."""
        return {}

    @cached_property
    def _data(self) -> Margins:
        return margins_of_data(self.rows)

    def margins(self, model: str | None) -> tuple[Margins, Margins]:
        """Return the margins of the data with the predictions of a model, and of the origin."""
        margins = self._data.of_model(model)
        if self.reference is None:
            return margins, margins
        return margins, margins_of_data(self.reference)

    def part(self, positions: Array) -> Evaluation:
        """Return some of the rows, with what decides the signs of all rows.

        Signs of their own would lean below 0 where they have no gap.
        """
        reference = self.origin if self.base_rates is None else None
        return Evaluation(self.rows.take(positions), reference, self.base_rates)

    def strata(self) -> Iterator[Evaluation]:
        """Yield each stratum that has rows."""
        for label in self.rows.labels_of(CONTROL):
            positions = self.rows.in_stratum(label)
            if len(positions):
                yield replace(self.part(positions), stratum=label, whole=self.rows)


def read_reference(
    reference: Any, columns: Mapping[str, Any] | None, options: Mapping[str, Any]
) -> Rows | BaseRates | None:
    """Return a reference as rows or rates.

    Parameters
    ----------
    reference : pair (y_true, sensitive_features), Counts, BaseRates, frame or path, or None
    columns : mapping of str to object, or None
        The names of the columns of the data, which a frame shares; None if the data are arrays.
    options : mapping of str to object
        ``missing`` and ``missing_values``: "drop" also leaves out rows of the reference.
    """
    if reference is None or isinstance(reference, BaseRates):
        return reference
    missing = "drop" if options["missing"] == "drop" else "error"
    read = {"missing": missing, "missing_values": options["missing_values"]}
    try:
        if are_in_file(reference):
            return BaseRates.from_file(reference)
        if _is_pair(reference):
            y_true, groups = reference
            return Counts.from_arrays(y_true, sensitive_features=groups, **read).rows
        counts = load_counts(reference)
        if counts is not None:
            return counts.rows
        if columns is None:
            rule = "it must be a pair, rates or counts (biasamp count) if data name no columns"
            raise ValueError(f"{rule}; received a {type(reference).__name__}")
        roles = (TASK, ATTRIBUTE, "sample_weight", "clusters")
        names = {role: columns[role] for role in roles if columns.get(role) is not None}
        return Counts.from_frame(reference, **names, **read).rows
    except (OSError, ValueError) as error:
        raise ValueError(f"reference: {error}") from error


def check_reference(reference: Any) -> None:
    """Raise unless a reference is of a kind that can be read."""
    is_table = isinstance(reference, BaseRates | Counts | Mapping) or hasattr(reference, "columns")
    if not (reference is None or is_table or _is_pair(reference) or are_paths(reference)):
        rule = "reference must be a pair (y_true, sensitive_features), Counts, BaseRates, a frame"
        length = f" of length {len(reference)}" if isinstance(reference, list | tuple) else ""
        raise ValueError(f"{rule} or a file; received a {type(reference).__name__}{length}")


def _is_pair(reference: Any) -> bool:
    """Return whether a reference is two columns; a list of text is files."""
    is_list_of_two = isinstance(reference, tuple | list) and len(reference) == 2
    return is_list_of_two and (isinstance(reference, tuple) or not are_paths(reference))


def align(
    rows: Rows,
    reference: Rows | BaseRates | None,
    lists: Mapping[str, Any],
    fewest_groups: int = 2,
    short: str = "BA",
) -> Evaluation:
    """Put rows and reference on common lists of labels, and check that they match.

    Notes on labels that the reference lacks say what this means for BA, if that is the metric.
    """
    if isinstance(reference, BaseRates):
        evaluation = Evaluation(_on_labels_of_rates(rows, reference), base_rates=reference)
        groups = reference.group_labels
    else:
        _check_has_labels(rows, reference)
        evaluation = _on_common_labels(rows, reference, read_lists(lists), short)
        groups = evaluation.rows.labels_of(ATTRIBUTE)
    if len(groups) < fewest_groups:
        rule = "`sensitive_features` must hold at least two groups"
        hint = "In MetricFrame by the same feature, use amplification_frame"
        raise ValueError(f"{rule}; received only {listing(groups)}. {hint}.")
    dropped = {"row": rows.dropped, "reference row": getattr(reference, "dropped", 0)}
    notes = [
        words.ROWS_DROPPED.format(rows=count(n, noun), were=agree(n, "was", "were"))
        for noun, n in dropped.items()
        if n
    ]
    return replace(evaluation, notes=(*notes, *evaluation.notes))


def _check_has_labels(rows: Rows, reference: Rows | None) -> None:
    """Raise unless there are groups and a truth, and a reference has both in the same form."""
    if not rows.has(ATTRIBUTE):
        raise ValueError(
            "`sensitive_features` is missing. In MetricFrame: amplification_frame by race, else "
            'sample_params={NAME: {"sensitive_features": race}}, of one function without NAME. '
            "In make_derived_metric: a function with a parameter race. "
            "In scikit-learn: amplification_scorer. Elsewhere: sensitive_features=race."
        )
    if reference is None:
        if not rows.has(TASK):
            raise ValueError("y_true or a reference must be given; received neither")
    elif not (reference.has(TASK) and reference.has(ATTRIBUTE)):
        raise ValueError("the reference must have both y_true and sensitive_features")
    elif rows.is_matrix(TASK) != reference.is_matrix(TASK):
        raise ValueError("the reference must have labels, or columns of a matrix, as the data have")
    else:
        names = reference.names.get(ATTRIBUTE)
        check_order(names, rows.names.get(ATTRIBUTE), REFERENCE[ATTRIBUTE])


def _on_labels_of_rates(rows: Rows, rates: BaseRates) -> Rows:
    """Return rows on the labels of base rates, which must cover all that occur."""
    check_order(rates.attributes, rows.names.get(ATTRIBUTE), "rates")
    lists: dict[str, list[Label]] = {}
    for truth, labels in ((TASK, rates.class_labels), (ATTRIBUTE, rates.group_labels)):
        # Names of a file are text, and stand for the labels that look like them.
        by_text = {show(label): label for label in rows.labels_of(truth)}
        lists[truth] = [by_text.get(show(label), label) for label in labels]
        unknown = without(rows.labels_of(truth), lists[truth])
        if unknown:
            raise ValueError(f"rates must hold all of {truth}; they lack {listing(unknown)}")
    if not rows.is_matrix(TASK if rates.direction == "A->T" else ATTRIBUTE):
        rates.check_sums()
    return rows.with_labels(lists)


def _on_common_labels(rows: Rows, reference: Rows | None, listed: Lists, short: str) -> Evaluation:
    """Return rows and reference on common lists of labels, with notes on labels of only one."""
    listed = _list_labels([rows] if reference is None else [rows, reference]) | listed
    variables = dict(rows.variables)
    if reference is not None:
        variables |= {(REFERENCE[truth], None): reference.variable(truth) for truth in PREDICTED}
    notes = tuple(dict.fromkeys(_compare_labels(rows, variables, listed, short)))
    if reference is None and not listed:
        return Evaluation(rows, notes=notes)
    moved = on_common_labels(variables, listed)
    if reference is not None:
        truths: Variables = {(t, None): moved.pop((REFERENCE[t], None)) for t in PREDICTED}
        reference = replace(reference, variables=truths)
    return Evaluation(replace(rows, variables=moved), reference, notes=notes)


def _list_labels(parts: Sequence[Rows]) -> Lists:
    """Return for each truth that a part lists its labels, and then all others."""
    listed = {}
    for truth in PREDICTED:
        with_list = [part for part in parts if truth in part.listed]
        if with_list and not with_list[0].is_matrix(truth):
            labels = [label for part in [*with_list, *parts] for label in part.labels_of(truth)]
            listed[truth] = tuple(dict.fromkeys(labels))
    return listed


def _compare_labels(rows: Rows, variables: Variables, listed: Lists, short: str) -> Iterator[str]:
    """Yield notes on labels that only one variable has; raise if it shares none with the truth."""
    lacking_so, one_so = (words.COUNT_0_IN_BA, words.IS_0_IN_BA) if short == "BA" else ("", "")
    for (role, model), variable in variables.items():
        truth = TRUTH[role]
        true_variable = variables.get((truth, None))
        if role == truth or true_variable is None or true_variable.is_matrix:
            continue
        seen, true_seen = variable.seen, true_variable.seen
        extra, lacking = without(seen, true_seen), without(true_seen, seen)
        if extra and truth not in listed:
            is_regression = _is_regression(seen, true_seen)
            if is_regression and short not in _OF_CLASSES:
                continue
            _check_shared(role, seen, true_seen, is_regression)
        if role in PREDICTED.values():
            if extra and truth not in listed and not variable.is_soft:
                yield from _only_predicted(rows, (role, model), extra)
            continue
        if len(seen) == 1:
            kind = "class" if truth == TASK else "group"
            yield words.REFERENCE_OF_ONE.format(kind=kind, so=one_so)
            continue
        if lacking:
            yield words.REFERENCE_LACKS.format(names=name_list(lacking), so=lacking_so)
        if extra:
            yield words.ONLY_IN_REFERENCE.format(names=name_list(extra))


def _only_predicted(rows: Rows, key: Key, extra: Sequence[Label]) -> Iterator[str]:
    """Yield how many rows have predictions that no label is; some look like missing values."""
    role, model = key
    sums = count_rows(rows, role, model).tolist()
    n = dict(zip(rows.variable(role, model).labels, sums, strict=True))
    for label in filter(looks_missing, extra):
        yield note_on_missing(argument_of(key), label, round(n[label]))
    if others := [label for label in extra if not looks_missing(label)]:
        of_rows = count(round(sum(n[label] for label in others)), "row")
        truth, whole = TRUTH[role], rows.undropped
        parts = {"role": argument_of(key), "truth": truth, "names": name_list(others)}
        template = words.ONLY_PREDICTED
        if whole and whole.has(truth) and not without(others, whole.variable(truth).seen):
            template = words.LABELS_DROPPED
        yield template.format(rows=of_rows, **parts)


def note_on_missing(column: str, label: Label, n: int) -> str:
    """Return that some rows of a column hold a label that often means a missing value."""
    number = {"rows": count(n, "row"), "hold": agree(n, "holds", "hold")}
    return words.LOOKS_MISSING.format(column=column, label=repr(label), **number)


def _are_numbers(labels: Sequence[Label]) -> bool:
    return all(isinstance(label, int | float) for label in labels)


def _is_regression(labels: Sequence[Label], true_labels: Sequence[Label]) -> bool:
    """Return whether labels are numbers of a regression, which are not whole."""
    has_fractions = any(isinstance(label, float) for label in labels)
    return has_fractions and len(true_labels) > 2 and _are_numbers([*labels, *true_labels])


def _check_shared(
    role: str, labels: Sequence[Label], true_labels: Sequence[Label], is_regression: bool
) -> None:
    """Raise if labels look like scores, or if none is a true label."""
    others = without(labels, true_labels)
    are_few = len(true_labels) <= 2 < len(others)
    if role in PREDICTED.values() and are_few and _are_numbers([*labels, *true_labels]):
        extra = f"{len(others)} values that {TRUTH[role]} has not ({listing(others[:2])}, ...)"
        remedy = "y_pred=(scores >= 0.5), or in audit y_score= with threshold="
        raise ValueError(f"{role} holds {extra}. If these are scores: {remedy}")
    if not labels or len(others) < len(labels) or {*labels, *true_labels} <= {0, 1}:
        return
    received = f"{listing(labels, 2)} and {listing(true_labels, 2)}"
    rule = f"{role} must share labels with {TRUTH[role]}"
    remedy = "a regression has no classes" if is_regression else "recode one of them"
    raise ValueError(f"{rule}; received {received}: {remedy}")
