"""Variables of numbers, which no counts hold: continuous ones, and scores for predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.assemble import Missing, cross, missing_message
from biasamp_adapters.counts.labels import listing, lookup, ordered
from biasamp_adapters.counts.tables import PREDICTED
from biasamp_adapters.inputs.columns import read_weights
from biasamp_adapters.inputs.matrices import one_shape
from biasamp_adapters.inputs.numbers import Given, read_given
from biasamp_adapters.inputs.order import index_of, warn_of_order
from biasamp_adapters.metrics.exact import Roles
from biasamp_adapters.metrics.experiment import Experiment, Variable
from biasamp_adapters.metrics.rows import with_values
from biasamp_adapters.reference import ARGUMENTS, check_several

#: The true variable that each prediction is one of.
_TRUTH = {made: true for true, made in PREDICTED.items()}


@dataclass(frozen=True, eq=False)
class NumberRows:
    """The variables of an attack by role, of which at least one is of numbers.

    Attributes
    ----------
    given : mapping of role to Given
    weight : array of shape (n,)
        Above 0.
    lists : mapping of role to tuple or None
        Explicit label lists.
    n_rows : int
        Rows evaluated, those without weight among them.
    dropped : int
        Rows with missing values that were left out.
    """

    given: Mapping[str, Given]
    weight: Array
    lists: Mapping[str, Sequence[Label] | None]
    n_rows: int = 0
    dropped: int = 0

    @classmethod
    def read(
        cls,
        arrays: Mapping[str, Any],
        roles: Roles,
        sample_weight: Any,
        lists: Mapping[str, Sequence[Label] | None],
        missing: Missing,
    ) -> NumberRows | None:
        """Read arrays by role, if some hold numbers that cannot be counted.

        Raises
        ------
        ValueError
            If an input breaks a rule; the message states it.
        """
        needed = {*roles.dataset, *roles.model}
        tasks = one_shape([arrays["task"], arrays["prediction"]])
        arrays = {**arrays, "task": tasks[0], "prediction": tasks[1]}
        given = {
            role: read_given(values, ARGUMENTS[role], predicted=role in _TRUTH)
            for role, values in arrays.items()
            if role in needed and values is not None
        }
        countable = [
            each.kind != "numbers" or _are_chances(each, given.get(_TRUTH.get(role, "")), lists)
            for role, each in given.items()
        ]
        if len(given) < len(needed) or all(countable):
            return None
        lengths = {each.argument: len(each.values) for each in given.values()}
        weight = np.ones(next(iter(lengths.values())))
        if sample_weight is not None:
            weight = read_weights(sample_weight)
            lengths["sample_weight"] = len(weight)
        if len(set(lengths.values())) > 1:
            received = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise ValueError(f"inputs must have the same length; received {received}")
        indexes = [(ARGUMENTS[role], index_of(arrays[role])) for role in given]
        warn_of_order([*indexes, ("sample_weight", index_of(sample_weight))])
        return cls(given, weight, lists)._without_missing(missing)

    def _without_missing(self, missing: Missing) -> NumberRows:
        absent = np.zeros(len(self.weight), dtype=bool)
        for role, each in self.given.items():
            count = int(each.missing.sum())
            if count and missing != "drop":
                message = missing_message(each.argument, count, predicted=False)
                if missing == "abstain" and role in _TRUTH:
                    message += "; missing='abstain' is for variables that are all labels"
                raise ValueError(message)
            absent |= each.missing
        if absent.all():
            raise ValueError(f"missing='drop' must leave rows; all {len(absent)} have missing ones")
        read = ~absent & (self.weight > 0)
        if not read.any():
            raise ValueError("weights must have a positive sum; received only zeros")
        given = {role: each._replace(values=each.values[read]) for role, each in self.given.items()}
        for each in given.values():
            if each.kind == "numbers" and np.isinf(each.values).any():
                raise ValueError(f"{each.argument} must be finite; received infinite values")
        dropped = int(absent.sum())
        n_rows = len(absent) - dropped
        return replace(self, given=given, weight=self.weight[read], n_rows=n_rows, dropped=dropped)

    @cached_property
    def _labels(self) -> dict[str, tuple[Label, ...]]:
        """Label lists of the true variables that are labels."""
        found = {}
        for role, each in self.given.items():
            if role not in _TRUTH and each.kind == "label":
                codes, labels = cross(each.values, each.books)
                seen = ordered(labels[code] for code in np.unique(codes).tolist())
                made = self.given.get(PREDICTED[role])
                if made is not None and _are_chances(made, each, self.lists):
                    seen = (0, 1)
                if role == "attribute":
                    check_several(seen)
                found[role] = tuple(self.lists[role] or seen)
        return found

    def variable(self, role: str) -> Variable:
        """A variable as an attacker reads it.

        Raises
        ------
        ValueError
            If a label is not known from the truth.
        """
        each, truth = self.given[role], _TRUTH.get(role, role)
        columns = each.values
        labels = self._labels.get(truth)
        if labels is not None and _are_chances(each, self.given[truth], self.lists):
            columns = np.where(np.array(labels) == 1, columns, 1 - columns)
            return Variable("label", columns, np.zeros((len(columns), 0)))
        if each.kind == "label":
            codes, own = cross(each.values, each.books)
            domain = self._domain(role)
            position = lookup(own, domain)[codes]
            if (position < 0).any():
                unknown = ordered(own[code] for code in np.unique(codes[position < 0]).tolist())
                raise ValueError(
                    f"{each.argument} must hold only labels known from {ARGUMENTS[truth]} or a "
                    f"list; received {listing(unknown)}, known are {listing(domain)}"
                )
            columns = np.eye(len(domain))[position]
        return Variable(each.kind, columns, np.zeros((len(columns), 0)))

    def numbers(self, role: str) -> Variable:
        """A variable as a regressor predicts it: numbers, or classes that stand for some.

        Raises
        ------
        ValueError
            If a label is no number.
        """
        found = self.variable(role)
        return found if found.kind == "numbers" else with_values(found, self._domain(role))

    def _domain(self, role: str) -> tuple[Label, ...]:
        """The labels of a variable of labels: those of the truth, or its own."""
        each = self.given[role]
        own = cross(each.values, each.books)[1] if each.kind == "label" else ()
        return self._labels.get(_TRUTH.get(role, role)) or ordered(own)

    def experiment(self, roles: Roles, **options: Any) -> Experiment:
        """The attack on dataset and model; ``options`` are those of Experiment.

        Raises
        ------
        ValueError
            If dataset and model differ in what they have the attacker predict.
        """
        as_numbers = options["quality"].name == "inverse_rmse"
        sides = []
        for source, target in (roles.dataset, roles.model):
            predicted = self.numbers(target) if as_numbers else self.variable(target)
            sides.append((self.variable(source), predicted))
        if as_numbers and len({target.kind for _, target in sides}) > 1:
            sides = [(source, target.as_numbers()) for source, target in sides]
        first, second = (side[1] for side in sides)
        if first.kind == "numbers" and not as_numbers:
            raise ValueError(
                f"{self.given[roles.dataset[1]].argument} holds numbers: a regressor must be the "
                "attacker, and quality='inverse_rmse'; received a classifier"
            )
        if (first.kind, first.columns.shape) != (second.kind, second.columns.shape):
            raise ValueError(
                f"an attacker must predict the same from dataset and model; received "
                f"{first.columns.shape[1]} column(s) of {first.kind} in "
                f"{self.given[roles.dataset[1]].argument} and {second.columns.shape[1]} of "
                f"{second.kind} in {self.given[roles.model[1]].argument}"
            )
        return Experiment(dataset=sides[0], model=sides[1], weight=self.weight, **options)

    def accuracy(self, role: str) -> Array | None:
        """Of the model on a variable, or on each of its columns; None where it gives scores."""
        truth, made = self.variable(role), self.variable(PREDICTED[role])
        if "numbers" in (truth.kind, made.kind) or truth.columns.shape != made.columns.shape:
            return None
        if truth.kind == "label":
            right = (truth.columns * made.columns).sum(axis=1)
        else:
            right = 1 - np.abs(truth.columns - made.columns)
        return np.average(right, axis=0, weights=self.weight)


def _are_chances(
    made: Given, truth: Given | None, lists: Mapping[str, Sequence[Label] | None]
) -> bool:
    """Whether numbers are probabilities of 1, of a truth that is 0 or 1."""
    if truth is None or truth.kind != "label" or made.kind != "numbers" or len(truth.books) != 1:
        return False
    listed = lists["task" if truth.argument == ARGUMENTS["task"] else "attribute"]
    known = made.values[~np.isnan(made.values)]
    binary = set(truth.books[0]) <= {0, 1} and (listed is None or set(listed) == {0, 1})
    return binary and made.values.shape[1] == 1 and bool(((known >= 0) & (known <= 1)).all())
