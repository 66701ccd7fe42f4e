"""Designs of other kinds of data: weights, clusters, rare and overlapping groups, T->A matrices.

None of these was looked at while the rules of verdicts were made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from benchmarks.verdict_models import (
    BENEATH,
    MISTAKES,
    NONE,
    Behaviour,
    asymmetric,
    coin,
    columns,
    constant,
    joint,
    kept,
    kept_columns,
    pushed,
    pushed_columns,
    symmetric,
    two_groups,
    unequal,
    with_errors,
)
from benchmarks.verdict_populations import Array, ColumnPopulation, LabelPopulation, Population
from benchmarks.verdict_rows import (
    ClusteredPopulation,
    CrossedPopulation,
    GuessedPopulation,
    OverlappingPopulation,
    WeightedPopulation,
)


class Kind(NamedTuple):
    """Models on one kind of data.

    Attributes
    ----------
    name : str
    sizes : tuple of int
        Rows of samples.
    nothing : dict of str to (Population, str)
        Models that do not amplify, with the verdict that is right.
    full : Population
        The model that amplifies as far as one can; parts of it replace the first of ``nothing``.
    """

    name: str
    sizes: tuple[int, ...]
    nothing: dict[str, tuple[Population, str]]
    full: Population


def _of_labels(
    name: str,
    sizes: tuple[int, ...],
    truth: Array,
    mistakes: Behaviour,
    population: Callable[[Array], LabelPopulation],
) -> Kind:
    """Models on one label per row."""
    even = np.outer(truth.sum(1), truth.sum(0))
    nothing = {
        "blind errors": (mistakes(truth), MISTAKES),
        "coin": (coin(truth), MISTAKES),
        "constant": (constant(truth), "constant"),
        "rates kept": (kept(truth), BENEATH),
        "balanced, unequal model": (unequal(even), NONE),
    }
    models = {model: (population(table), right) for model, (table, right) in nothing.items()}
    return Kind(name, sizes, models, population(pushed(truth)))


def _labels() -> Iterator[Kind]:
    """Weights, clusters and crossed attributes."""
    truths: tuple[tuple[Array, Behaviour], ...] = (
        (two_groups(0.3, 0.55), symmetric(0.15)),
        (joint(4, 3, 0.6), asymmetric),
    )
    for truth, mistakes in truths:
        shares = truth.sum(1)
        even = tuple(shares)
        turned = (0.8, 0.2) if len(shares) == 2 else tuple(shares[::-1])
        make = partial(WeightedPopulation, drawn=even, spread=0.7)
        yield _of_labels("random weights", (1_000, 3_000), truth, mistakes, make)
        make = partial(WeightedPopulation, drawn=turned, spread=0.3)
        yield _of_labels("weights by group", (1_000, 3_000), truth, mistakes, make)
        yield _of_labels("clusters", (600, 3_000), truth, mistakes, ClusteredPopulation)
    shares = np.array([0.3, 0.25, 0.2, 0.15, 0.07, 0.03])
    positive = np.array([0.3, 0.5, 0.3, 0.55, 0.2, 0.75])
    truth = shares[:, None] * np.stack([1 - positive, positive], axis=1)
    make = partial(CrossedPopulation, levels=3)
    yield _of_labels("two attributes, 3 % in a group", (1_000, 3_000), truth, symmetric(0.15), make)


def _overlapping() -> Iterator[Kind]:
    """Three columns of groups, of which a row has one or more."""
    combinations = np.array([*product((0, 1), repeat=3)])[1:]
    often = np.array([0.5, 0.3, 0.15])
    shares = np.where(combinations, often, 1 - often).prod(1)
    shares = shares / shares.sum()
    lean = combinations @ [0.25, -0.2, 0.25]

    def people(gap: float) -> OverlappingPopulation:
        first = 0.45 + gap * lean
        causes = np.stack([first, 1 - first], axis=1) * shares[:, None]
        causes = np.concatenate([causes * part for part in (0.4, 0.6)], axis=1)
        ones = np.ones((len(shares), 8))
        return OverlappingPopulation(causes, columns(2, 0.3).present, ones, 0 * ones, combinations)

    clear, even = people(1), people(0)
    unlike = 0.02 + 0.1 * combinations.sum(1, keepdims=True)
    yield Kind(
        "overlapping groups",
        (1_000, 3_000),
        {
            "blind errors": (with_errors(clear, 0.02, 0.2), MISTAKES),
            "coin": (with_errors(clear, 0.3, 0.7), MISTAKES),
            "constant": (with_errors(clear, 1.0, 0.0), "constant"),
            "rates kept": (kept_columns(clear), BENEATH),
            "balanced, unequal model": (with_errors(even, unlike, 0.1), NONE),
        },
        pushed_columns(clear),
    )


def _guessing(people: ColumnPopulation, guess: Array) -> GuessedPopulation:
    """The same rows, whose groups are predicted."""
    groups = len(people.causes)
    guess = np.broadcast_to(guess, (*people.causes.shape, groups))
    return GuessedPopulation(people.causes, people.present, guess)


def _guessed() -> Iterator[Kind]:
    """Groups that are predicted, given the columns of a matrix."""
    for groups in (2, 4):
        own, clear, even = np.eye(groups), columns(groups, 0.35), columns(groups, 0.0)
        people = partial(_guessing, clear)
        of_cause = clear.causes.T / clear.causes.sum(0)[:, None]
        lift = of_cause / clear.causes.sum(1)
        mistaken = 0.8 * own + 0.2 * np.roll(own, 1, axis=1) * np.linspace(0.4, 1, groups)[:, None]
        mistaken = mistaken / mistaken.sum(1, keepdims=True)
        chance = np.linspace(1, 2, groups) / np.linspace(1, 2, groups).sum()
        by_cause = own[np.arange(4) % groups]
        yield Kind(
            "a matrix",
            (1_000, 3_000),
            {
                "blind errors": (people(mistaken[:, None]), MISTAKES),
                "coin": (people(chance), MISTAKES),
                "constant": (people(own[-1]), "constant"),
                "rates kept": (people(0.6 * own[:, None] + 0.4 * of_cause), BENEATH),
                "balanced, unequal model": (
                    _guessing(even, 0.6 * own[:, None] + 0.4 * by_cause),
                    NONE,
                ),
            },
            people(own[lift.argmax(1)]),
        )


def kinds() -> Iterator[Kind]:
    """All of them."""
    yield from _labels()
    yield from _overlapping()
    yield from _guessed()
