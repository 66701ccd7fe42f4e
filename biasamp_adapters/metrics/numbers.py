"""LA and DPA of numbers, which no counts hold: continuous variables, and scores for predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from biasamp_adapters._typing import Array, Label, RandomState
from biasamp_adapters.counts.assemble import Missing, cross, missing_message
from biasamp_adapters.counts.labels import listing, lookup, ordered
from biasamp_adapters.counts.tables import PREDICTED
from biasamp_adapters.inputs.columns import Column, Weights
from biasamp_adapters.inputs.numbers import Given, read_given
from biasamp_adapters.metrics.exact import ExactAttack, Roles
from biasamp_adapters.metrics.experiment import Experiment, Variable
from biasamp_adapters.metrics.fitted import NOISE, clipped_note, finds_nothing, flips
from biasamp_adapters.metrics.result import AmplificationResult
from biasamp_adapters.quality import Quality
from biasamp_adapters.reference import ARGUMENTS, check_several
from biasamp_adapters.uncertainty import Estimate

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
        given = {
            role: read_given(values, ARGUMENTS[role], predicted=role in _TRUTH)
            for role, values in arrays.items()
            if role in needed and values is not None
        }
        countable = [
            each.kind != "numbers" or _are_chances(each, given.get(_TRUTH.get(role, "")))
            for role, each in given.items()
        ]
        if len(given) < len(needed) or all(countable):
            return None
        lengths = {each.argument: len(each.values) for each in given.values()}
        if sample_weight is not None:
            lengths["sample_weight"] = len(Column(sample_weight, "sample_weight"))
        if len(set(lengths.values())) > 1:
            received = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise ValueError(f"inputs must have the same length; received {received}")
        weight = np.ones(next(iter(lengths.values())))
        if sample_weight is not None:
            weights = Weights(sample_weight, "sample_weight")
            weight = weights.numbers(0, len(weights))
            weights.check()
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
            raise ValueError("sample_weight must hold a weight that is not zero; received zeros")
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
                if (made := self.given.get(PREDICTED[role])) and _are_chances(made, each):
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
        if labels is not None and _are_chances(each, self.given[truth]):
            columns = np.where(np.array(labels) == 1, columns, 1 - columns)
            return Variable("label", columns, np.zeros((len(columns), 0)))
        if each.kind == "label":
            codes, own = cross(each.values, each.books)
            domain = labels or ordered(own)
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
        """A variable as the numbers that a regressor predicts.

        Raises
        ------
        ValueError
            If a label is no number.
        """
        each = self.given[role]
        columns = each.values
        if each.kind == "label":
            codes, labels = cross(each.values, each.books)
            if not all(isinstance(label, Real) for label in labels):
                raise ValueError(
                    f"a regressor predicts numbers; {each.argument} must hold some; received the "
                    f"labels {listing(ordered(labels))}"
                )
            columns = np.array(labels, dtype=np.float64)[codes, None]
        return Variable("numbers", columns, np.zeros((len(columns), 0)))

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


def _are_chances(made: Given, truth: Given | None) -> bool:
    """Whether numbers are probabilities of 1, of a truth that is 0 or 1."""
    if truth is None or truth.kind != "label" or made.kind != "numbers" or len(truth.books) != 1:
        return False
    known = made.values[~np.isnan(made.values)]
    one_column = made.values.shape[1] == 1
    return (
        one_column and set(truth.books[0]) <= {0, 1} and bool(((known >= 0) & (known <= 1)).all())
    )


def attack_numbers(
    rows: NumberRows,
    *,
    metric: str,
    direction: str,
    leakage: bool,
    attacker: Any,
    quality: Quality,
    equalize: str | None,
    resubstitution: bool,
    n_trials: int,
    random_state: RandomState,
    n_jobs: int | None,
) -> AmplificationResult:
    """LA or DPA of numbers; the parameters are those of the metrics.

    Raises
    ------
    ValueError
        If an attacker, a quality or a way to equalise does not suit the variables.
    """
    roles = Roles.of(direction, leakage)
    err = quality.name == "inverse_rmse" and not leakage
    accuracy = None if err else rows.accuracy(roles.flipped)
    mode, notes = flips(equalize, accuracy is None), []
    scores = rows.given[PREDICTED[roles.flipped]] if accuracy is None and not err else None
    if scores and equalize == "auto" and rows.given[roles.flipped].kind != "numbers":
        notes.append(
            f"not equalised: {scores.argument} holds numbers, which have no accuracy; labels and "
            "probabilities have one"
        )
    experiment = rows.experiment(
        roles,
        attacker=attacker,
        quality=quality,
        flipped=None if mode is None else roles.axis + 2,
        accuracy=accuracy,
        resubstitution=resubstitution,
    )
    if accuracy is not None and mode is not None:
        n_classes = experiment.dataset[roles.axis + 2].n_classes
        notes += ExactAttack.below_chance(float(np.min(accuracy)), n_classes)
    scored = experiment.scores(n_trials, random_state, n_jobs)
    if scored.clipped:
        notes.append(clipped_note(scored.clipped))
    difference: Any = leakage
    if quality.name == "uncertainty_coefficient" and not leakage:
        source, target = experiment.dataset
        classes = np.stack([rows.weight @ shares for shares in target.targets()])
        n_rows = rows.weight.sum() ** 2 / (rows.weight**2).sum()
        classes *= n_rows / rows.weight.sum()
        difference = finds_nothing(scored, classes, n_rows, source.n_inputs)
        if difference.any():
            notes.append(NOISE)
    compared = quality.compare(scored.dataset, scored.model, difference)
    means = {name: float(score.mean()) for name, score in compared.items()}
    return AmplificationResult(
        metric=metric,
        direction=direction,
        value=means.pop("value"),
        n=rows.n_rows,
        levels={name: Estimate(level) for name, level in means.items()},
        notes=tuple(notes),
        trials=compared,
    )
