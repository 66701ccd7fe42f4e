"""Truths, and what models make of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.verdict_populations import Array, ColumnPopulation

#: What a model makes of a table of shape (given, true): one of shape (given, true, predicted).
Behaviour = Callable[[Array], Array]

#: The verdicts that are right of models that do not amplify.
MISTAKES, NONE, BENEATH = "mistakes_only", "cannot_say", "amplifies_beneath_errors"


# The truth.


def joint(groups: int, classes: int, gap: float) -> Array:
    """Groups of unequal size, each of which has some classes more often than the others do.

    Parameters
    ----------
    groups, classes : int
    gap : float
        Share of the rows of a group that have its classes for no other reason; 0 for a truth that
        does not depend on the group.
    """
    sizes = np.linspace(1, 3, groups)
    own = np.equal.outer(np.arange(groups) % classes, np.arange(classes) % groups).astype(float)
    if groups > classes:
        own = np.eye(classes)[np.arange(groups) % classes]
    own /= own.sum(axis=1, keepdims=True)
    return (sizes / sizes.sum())[:, None] * ((1 - gap) / classes + gap * own)


def tied() -> Array:
    """Two of four classes go with one of two groups each, and two with neither."""
    return np.array([[0.35, 0.15, 0.25, 0.25], [0.15, 0.35, 0.25, 0.25]]) / 2


def two_groups(first: float, second: float) -> Array:
    """Two groups of equal size with these shares of positives."""
    positive = np.array([first, second])
    return np.stack([1 - positive, positive], axis=1) / 2


# Models.


def confused(confusion: Any) -> Behaviour:
    """Predictions drawn by confusion rates, for all groups (true, predicted) or each."""
    return lambda table: np.asarray(table[..., None] * np.asarray(confusion))


def errors(false_positive: Any, false_negative: Any) -> Behaviour:
    """Mistakes on two classes; rates are numbers, or one for each group."""
    fpr, fnr = np.broadcast_arrays(false_positive, false_negative)
    return confused(np.moveaxis(np.array([[1 - fpr, fpr], [fnr, 1 - fnr]]), (0, 1), (-2, -1)))


def symmetric(share: float) -> Behaviour:
    """A share of the rows has another class, each equally likely."""

    def behave(table: Array) -> Array:
        classes = table.shape[1]
        wrong = (1 - np.eye(classes)) / (classes - 1)
        return confused((1 - share) * np.eye(classes) + share * wrong)(table)

    return behave


def asymmetric(table: Array) -> Array:
    """Each class is taken for the next one, from 5 % of the first to 50 % of the last."""
    classes = table.shape[1]
    share = np.linspace(0.05, 0.5, classes)[:, None]
    return confused((1 - share) * np.eye(classes) + share * np.roll(np.eye(classes), 1, axis=1))(
        table
    )


def coin(table: Array) -> Array:
    """A class drawn for each row, whatever it is."""
    chance = np.linspace(1, 2, table.shape[1])
    return confused(np.broadcast_to(chance / chance.sum(), (table.shape[1], len(chance))))(table)


def constant(table: Array) -> Array:
    """The last class for everybody."""
    return confused(np.broadcast_to(np.eye(table.shape[1])[-1], (table.shape[1],) * 2))(table)


def kept(table: Array) -> Array:
    """A quarter of the rows has a class drawn from their group, so that all rates are kept."""
    classes = table / table.sum(axis=1, keepdims=True)
    return np.asarray(table[..., None] * (0.75 * np.eye(table.shape[1]) + 0.25 * classes[:, None]))


def pushed(table: Array) -> Array:
    """A class that goes with the group for each row, of a truth with differences of groups."""
    away = table - table.sum(1, keepdims=True) * table.sum(0)
    chance = np.where(away > 1e-12, away, 0)
    chance = chance / chance.sum(1, keepdims=True)
    return np.asarray(table[..., None] * chance[:, None])


def unequal(table: Array) -> Array:
    """Groups are treated differently, whatever the truth: each has a class that is predicted."""
    groups, classes = table.shape
    own = np.eye(classes)[np.arange(groups) % classes][:, None]
    return np.asarray(table[..., None] * (0.6 * np.eye(classes) + 0.4 * own))


def moving_ties(table: Array) -> Array:
    """Of a truth with ties, moves these, and the other classes as much against as along."""
    out = table[..., None] * np.eye(table.shape[1])
    for group, moved in enumerate([(0.05, 0.01), (0.01, 0.05)]):
        for label, share in zip((2, 3), moved, strict=True):
            out[group, label, label] -= share / 2
            out[group, label, :2] += share / 4
    return np.asarray(out)


def silent(share: float) -> Behaviour:
    """No mistakes, but no prediction for a share of the first group."""

    def behave(table: Array) -> Array:
        parts = [np.eye(table.shape[1]) * table[..., None], table[..., None] * 0]
        out = np.concatenate(parts, axis=2)
        out[0, :, -1] = share * table[0]
        out[0, :, :-1] *= 1 - share
        return out

    return behave


# Label matrices.


def columns(groups: int, gap: float) -> ColumnPopulation:
    """Eight columns with two common causes, one of which goes with the groups."""
    rng = np.random.default_rng(0)
    share = 0.5 + gap * np.linspace(-1, 1, groups)
    first = np.stack([share, 1 - share], axis=1)
    causes = np.concatenate([first * part for part in (0.4, 0.6)], axis=1) / groups
    low, high = rng.uniform(0.05, 0.2, 8), rng.uniform(0.3, 0.6, 8)
    turned = rng.permutation(8) < 4
    present = np.array(
        [
            np.where(turned, low, high),
            np.where(turned, high, low),
            np.where(turned, low, high) / 2,
            np.where(turned, high, low) / 2,
        ]
    )
    return ColumnPopulation(causes, present, np.ones((groups, 8)), np.zeros((groups, 8)))


def with_errors(people: ColumnPopulation, mistaken: Any, missed: Any) -> ColumnPopulation:
    """The same with rates of errors, of all or of (groups, columns)."""
    shape = people.found.shape
    return replace(
        people,
        found=np.broadcast_to(1 - np.asarray(missed), shape),
        mistaken=np.broadcast_to(mistaken, shape),
    )


def kept_columns(people: ColumnPopulation) -> ColumnPopulation:
    """Mistakes of each group that keep its share of positives."""
    positive = people.causes @ people.present / people.causes.sum(1, keepdims=True)
    return replace(people, found=1 - 0.4 * (1 - positive), mistaken=0.4 * positive)


def pushed_columns(people: ColumnPopulation) -> ColumnPopulation:
    """Each column is predicted where it goes with the group, and only there."""
    positive = people.causes @ people.present
    shares = people.causes.sum(1, keepdims=True)
    goes = (positive > shares * positive.sum(0)).astype(float)
    return replace(people, found=goes, mistaken=goes)
