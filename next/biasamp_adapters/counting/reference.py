"""What data are compared with: their own labels, a reference, or rates that are given by hand."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from biasamp_adapters import words
from biasamp_adapters.counting.base_rates import BaseRates
from biasamp_adapters.counting.counts import Counts
from biasamp_adapters.counting.labels import (
    ATTRIBUTE,
    TASK,
    TRUTH,
    Label,
    listing,
    name_list,
    ordered,
    positive_class,
    show,
)
from biasamp_adapters.counting.margins import Margins, margins_of_data
from biasamp_adapters.counting.paths import is_saved_counts
from biasamp_adapters.counting.reading import read_list
from biasamp_adapters.counting.rows import Rows


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
    """

    rows: Rows
    reference: Rows | None = None
    base_rates: BaseRates | None = None
    notes: tuple[str, ...] = ()

    @property
    def origin(self) -> Rows:
        """The rows that decide the signs, unless base rates do."""
        return self.rows if self.reference is None else self.reference

    @cached_property
    def _data(self) -> Margins:
        return margins_of_data(self.rows)

    def margins(self, model: str | None) -> tuple[Margins, Margins]:
        """Return the margins of the data with the predictions of a model, and of the origin."""
        margins = self._data.of_model(model)
        if self.reference is None:
            return margins, margins
        return margins, margins_of_data(self.reference)

    @property
    def positive_class(self) -> Label | None:
        """The positive class of two; None of a label matrix or of more classes."""
        if self.rows.is_matrix(TASK):
            return None
        return positive_class(self.rows.class_labels)


def read_reference(
    reference: Any, columns: Mapping[str, Any] | None, missing: str
) -> Rows | BaseRates | None:
    """Return a reference as rows or rates.

    Parameters
    ----------
    reference : pair (y_true, sensitive_features), Counts, BaseRates, frame or path, or None
    columns : mapping of str to object, or None
        The names of the columns of the data, which a frame shares; None if the data are arrays.
    missing : str
        "drop" also leaves out rows of the reference.
    """
    if reference is None or isinstance(reference, BaseRates):
        return reference
    if isinstance(reference, Counts):
        return reference.rows
    if isinstance(reference, str | os.PathLike) and is_saved_counts(reference):
        return Counts.load(reference).rows
    missing = "drop" if missing == "drop" else "error"
    if isinstance(reference, tuple | list) and len(reference) == 2:
        y_true, sensitive_features = reference
        counts = Counts.from_arrays(y_true, sensitive_features=sensitive_features, missing=missing)
        return counts.rows
    if columns is None:
        raise ValueError(
            "reference must be a pair (y_true, sensitive_features), Counts or BaseRates, or with "
            f"data a frame with the same columns; received a {type(reference).__name__}"
        )
    names = {role: columns[role] for role in (TASK, ATTRIBUTE) if columns.get(role) is not None}
    return Counts.from_frame(reference, **names, missing=missing).rows


def align(
    rows: Rows,
    reference: Rows | BaseRates | None,
    class_labels: Any = None,
    group_labels: Any = None,
) -> Evaluation:
    """Put rows and reference on common lists of labels, and check that they match."""
    notes: tuple[str, ...] = ()
    if rows.dropped:
        notes = (words.ROWS_DROPPED.format(n=rows.dropped),)
    if isinstance(reference, BaseRates):
        return _with_base_rates(rows, reference, notes)
    if not rows.has(ATTRIBUTE):
        raise ValueError(
            "sensitive_features must be given. By group of the feature itself, use "
            "amplification_frame; in a MetricFrame, pass it in sample_params"
        )
    if not rows.has(TASK) and reference is None:
        raise ValueError("y_true or a reference must be given; received neither")
    notes += _notes_on_labels(rows, class_labels, group_labels)
    listed = {TASK: class_labels, ATTRIBUTE: group_labels}
    if reference is not None:
        reference = _with_column_names(rows, reference)
        notes += _compare_labels(rows, reference, listed)
    if reference is not None or class_labels is not None or group_labels is not None:
        parts = [rows] if reference is None else [rows, reference]
        lists = [_common_list(parts, truth, labels) for truth, labels in listed.items()]
        rows, *others = [part.with_labels(*lists) for part in parts]
        reference = others[0] if others else None
    groups = rows.group_labels
    if len(groups) < 2:
        raise ValueError(
            f"`sensitive_features` must hold at least two groups; received only {listing(groups)}."
        )
    return Evaluation(rows, reference, None, notes)


def _notes_on_labels(rows: Rows, class_labels: Any, group_labels: Any) -> tuple[str, ...]:
    """Return notes on labels that predictions have and no truth has, unless labels are listed."""
    notes: list[str] = []
    for (role, _), variable in rows.variables.items():
        truth = TRUTH[role]
        listed = class_labels if truth == TASK else group_labels
        if role == truth or not rows.has(truth) or variable.is_matrix or variable.is_soft:
            continue
        if listed is not None or rows.listed.get(truth) is not None:
            continue
        others = [label for label in variable.seen if label not in rows.variable(truth).seen]
        if others:
            notes.append(
                words.ONLY_PREDICTED.format(role=role, names=name_list(others), truth=truth)
            )
    return tuple(dict.fromkeys(notes))


def _with_base_rates(rows: Rows, base_rates: BaseRates, notes: tuple[str, ...]) -> Evaluation:
    """Return rows on the labels of base rates, which must cover all that occur."""
    lists = []
    for truth, labels in ((TASK, base_rates.class_labels), (ATTRIBUTE, base_rates.group_labels)):
        # Names of a file are text, and stand for the labels that look like them.
        by_text = {show(label): label for label in rows.labels_of(truth)}
        known = tuple(x if x in by_text.values() else by_text.get(show(x), x) for x in labels)
        unknown = [label for label in rows.labels_of(truth) if label not in known]
        if unknown:
            raise ValueError(
                f"rates must cover every label of {truth}; received {listing(known)}, and the data "
                f"hold {listing(unknown)} too"
            )
        lists.append(known)
    if len(lists[1]) < 2:
        raise ValueError(f"rates must cover at least two groups; received {listing(lists[1])}")
    return Evaluation(rows.with_labels(*lists), base_rates=base_rates, notes=notes)


def _common_list(parts: Sequence[Rows], truth: str, listed: Any) -> tuple[Label, ...]:
    """Return the listed labels, those that a part lists, or all of all parts."""
    lists = [part.labels_of(truth) for part in parts if part.labels_of(truth)]
    labels = lists[0] if lists else ()
    if any(set(other) != set(labels) for other in lists[1:]):
        labels = ordered((label for other in lists for label in other), f"{truth} or reference")
    if listed is not None:
        labels = read_list(listed, truth)
    else:
        listed_before = [
            part.labels_of(truth) for part in parts if part.listed.get(truth) is not None
        ]
        if listed_before and set(labels) <= set(listed_before[0]):
            labels = listed_before[0]
    for part in parts:
        _check_listed(part, truth, labels)
    return labels


def _check_listed(rows: Rows, truth: str, labels: tuple[Label, ...]) -> None:
    """Raise for labels that are not on a list."""
    for (role, _), variable in rows.variables.items():
        if TRUTH[role] == truth and variable.labels != labels:
            unknown = [label for label in variable.seen if label not in labels]
            if unknown:
                raise ValueError(
                    f"{role} must hold only labels of the reference or the listed ones; "
                    f"received {listing(unknown)}, known are {listing(labels)}"
                )


def _with_column_names(rows: Rows, reference: Rows) -> Rows:
    """Return a reference whose unnamed columns take the names of those of the rows."""
    if rows.has(TASK) and rows.is_matrix(TASK) != reference.is_matrix(TASK):
        raise ValueError(
            "the reference must have labels as the data have, or columns of a matrix as they have"
        )
    variables = dict(reference.variables)
    for truth in (TASK, ATTRIBUTE):
        if not (rows.is_matrix(truth) and reference.is_matrix(truth)):
            continue
        ours, theirs = rows.labels_of(truth), reference.labels_of(truth)
        if set(ours) == set(theirs):
            continue
        if theirs != tuple(range(len(ours))):
            raise ValueError(
                f"the reference must have the columns {listing(ours)}; received {listing(theirs)}"
            )
        for key, variable in variables.items():
            if TRUTH[key[0]] == truth:
                variables[key] = replace(variable, labels=ours)
    return replace(reference, variables=variables)


def _compare_labels(rows: Rows, reference: Rows, listed: Mapping[str, Any]) -> tuple[str, ...]:
    """Raise if data and reference share no label; note labels that only one of them has."""
    notes: tuple[str, ...] = ()
    for truth, labels in listed.items():
        if not rows.has(truth) or rows.is_matrix(truth):
            continue
        ours, theirs = rows.variable(truth).seen, reference.variable(truth).seen
        if labels is None and not set(ours) & set(theirs):
            raise ValueError(
                f"the reference must share labels of {truth} with the data; received "
                f"{listing(theirs)} for {listing(ours)}"
            )
        if len(theirs) == 1:
            kind = "class" if truth == TASK else "group"
            notes += (words.REFERENCE_OF_ONE.format(kind=kind),)
            continue
        lacking = [label for label in ours if label not in theirs]
        if lacking:
            notes += (words.REFERENCE_LACKS.format(names=name_list(lacking)),)
        extra = [label for label in theirs if label not in ours]
        if extra:
            notes += (words.ONLY_IN_REFERENCE.format(names=name_list(extra)),)
    return notes
