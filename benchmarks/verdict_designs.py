"""Models whose verdict is known: what they do, on which data, and how many rows are seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.verdict_populations import ColumnPopulation, LabelPopulation, Population, reaching

Array = NDArray[Any]

#: What a model makes of a table of shape (given, true): one of shape (given, true, predicted).
Behaviour = Callable[[Array], Array]

SIZES = (200, 1_000, 20_000)
AMPLIFIER_SIZES = (200, 1_000, 5_000)
APART_ROWS = 3_000

#: How far amplifiers amplify, in standard errors of BA->.
TARGETS = (2.0, 3.5, 5.0, 10.0)


@dataclass(frozen=True)
class Design:
    """One kind of model on one kind of data.

    Attributes
    ----------
    family : {"nothing", "amplifies", "other", "apart"}
        Whether BA-> and its excess are both above 0; the last is of random populations, which have
        been looked at after the rules were made.
    name : str
    population : Population
    rows : int
    right : str
        The verdict that is right with rows without end.
    reference : {"own", "training"}
        The truth of the sample, or another sample of as many rows.
    """

    family: Literal["nothing", "amplifies", "other", "apart"]
    name: str
    population: Population
    rows: int
    right: str
    reference: Literal["own", "training"] = "own"


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


# Designs.

_MISTAKES, _NONE, _BENEATH = "mistakes_only", "cannot_say", "amplifies_beneath_errors"


def nothing() -> Iterator[tuple[str, Population, str]]:
    """Models that do not amplify, with the verdict that is right."""
    clear, rare = two_groups(0.3, 0.55), two_groups(0.02, 0.06)
    plain: dict[str, tuple[Array, Behaviour, str]] = {
        "balanced, blind errors": (two_groups(0.4, 0.4), symmetric(0.1), _NONE),
        "balanced, unequal model": (two_groups(0.4, 0.4), unequal, _NONE),
        "coin": (clear, coin, _MISTAKES),
        "constant": (clear, constant, "constant"),
        "errors of 10 %": (clear, symmetric(0.1), _MISTAKES),
        "errors of 30 %": (clear, symmetric(0.3), _MISTAKES),
        "FNR 40 %": (clear, errors(0.02, 0.4), _MISTAKES),
        "rare class, FPR 1 %, FNR 50 %": (rare, errors(0.01, 0.5), _MISTAKES),
        "rates kept": (clear, kept, _BENEATH),
        "errors where the gap is": (
            clear,
            errors([0.3 * 0.3 / 0.7, 0.3 * 0.55 / 0.45], 0.3),
            _BENEATH,
        ),
    }
    for name, (truth, behave, right) in plain.items():
        yield name, LabelPopulation(behave(truth)), right
    yield "ties move", LabelPopulation(moving_ties(tied())), _NONE
    for groups, classes in ((3, 2), (6, 2), (12, 2), (2, 6), (4, 3), (12, 6)):
        clear, even = joint(groups, classes, 0.3), joint(groups, classes, 0)
        several: dict[str, tuple[Array, Behaviour, str]] = {
            "errors of 20 %": (clear, symmetric(0.2), _MISTAKES),
            "asymmetric errors": (clear, asymmetric, _MISTAKES),
            "rates kept": (clear, kept, _BENEATH),
            "balanced, unequal model": (even, unequal, _NONE),
        }
        for name, (truth, behave, right) in several.items():
            yield name, LabelPopulation(behave(truth)), right
    for groups, classes in ((2, 2), (4, 3)):
        clear, even = joint(groups, classes, 0.3), joint(groups, classes, 0)
        yield "asymmetric errors", LabelPopulation(asymmetric(clear), "T->A"), _MISTAKES
        yield "rates kept", LabelPopulation(kept(clear), "T->A"), _BENEATH
        yield "balanced, unequal model", LabelPopulation(unequal(even), "T->A"), _NONE
    for groups in (2, 5):
        people, even = columns(groups, 0.3), columns(groups, 0)
        yield "asymmetric errors", with_errors(people, 0.02, 0.4), _MISTAKES
        yield "rates kept", kept_columns(people), _BENEATH
        unlike = np.linspace(0.02, 0.3, groups)[:, None]
        yield "balanced, unequal model", with_errors(even, unlike, 0.1), _NONE


def amplifiers() -> Iterator[tuple[str, Population, Population]]:
    """A model that does not amplify, and one that does as far as one can."""
    pairs: dict[str, tuple[Array, Behaviour, str]] = {
        "no other mistakes": (two_groups(0.3, 0.55), symmetric(0), "A->T"),
        "errors of 10 %": (two_groups(0.3, 0.55), symmetric(0.1), "A->T"),
        "rare class, FPR 1 %, FNR 30 %": (two_groups(0.02, 0.06), errors(0.01, 0.3), "A->T"),
        "4 groups, 2 classes": (joint(4, 2, 0.3), symmetric(0.1), "A->T"),
        "12 groups, 2 classes": (joint(12, 2, 0.3), symmetric(0.1), "A->T"),
        "2 groups, 6 classes": (joint(2, 6, 0.3), asymmetric, "A->T"),
        "3 groups, 4 classes": (joint(3, 4, 0.3), asymmetric, "A->T"),
        "12 groups, 6 classes": (joint(12, 6, 0.3), symmetric(0.1), "A->T"),
        "some classes are ties": (tied(), symmetric(0.1), "A->T"),
        "T->A, 2 groups": (joint(2, 2, 0.3), asymmetric, "T->A"),
        "T->A, 4 groups, 3 classes": (joint(3, 4, 0.3), symmetric(0.1), "T->A"),
    }
    for name, (truth, behave, direction) in pairs.items():
        base, full = (LabelPopulation(made(truth), direction) for made in (behave, pushed))
        yield name, base, full
    for groups in (2, 5):
        people = with_errors(columns(groups, 0.3), 0.01, 0.1)
        yield f"{groups} groups, 8 columns", people, pushed_columns(people)


def others() -> Iterator[tuple[str, Population, str]]:
    """Models that do something else."""
    clear = two_groups(0.3, 0.55)
    plain: dict[str, tuple[Behaviour, str]] = {
        "reverses the gap": (errors([0.36, 0], [0, 0.45]), "reverses"),
        "closes the gap": (errors([0.179, 0], [0, 0.227]), "reduces"),
        "silent on half of a group": (silent(0.5), _NONE),
        "silent on 5 % of a group": (silent(0.05), _NONE),
        "perfect": (symmetric(0), "no_errors"),
        "errors of 1 %": (symmetric(0.01), _MISTAKES),
    }
    for name, (behave, right) in plain.items():
        yield name, LabelPopulation(behave(clear)), right
    twelve = joint(12, 2, 0.3)
    turned = np.roll(pushed(twelve), 1, axis=2)
    yield "reverses the gaps of 12 groups", LabelPopulation(turned), "reverses"
    halves = LabelPopulation(symmetric(0)(twelve)).mixed(LabelPopulation(turned), 0.15)
    yield "shrinks the gaps of 12 groups", halves, "reduces"


def apart() -> Iterator[tuple[str, Population, str]]:
    """Random populations, each with blind errors, kept rates, and a model that amplifies."""
    rng = np.random.default_rng(20)
    for i in range(8):
        groups, classes = int(rng.integers(2, 13)), int(rng.integers(2, 7))
        alike = rng.dirichlet(np.full(classes, 3.0))
        each = rng.dirichlet(np.full(classes, 2.0), groups)
        strength = rng.uniform(0.1, 0.6)
        rows = rng.dirichlet(np.full(groups, 4.0))
        truth = rows[:, None] * ((1 - strength) * alike + strength * each)
        confusion = 0.6 * np.eye(classes) + 0.4 * rng.dirichlet(np.ones(classes), classes)
        direction = "T->A" if i % 3 == 2 else "A->T"
        blind, same, full = (
            LabelPopulation(behave(truth), direction)
            for behave in (confused(confusion), kept, pushed)
        )
        yield f"{i + 1}: blind errors", blind, _MISTAKES
        yield f"{i + 1}: rates kept", same, _BENEATH
        amplifier = reaching(3.5, APART_ROWS, blind, full)
        if amplifier is not None:
            yield f"{i + 1}: amplifies", amplifier, "amplifies"


def designs(quick: bool) -> Iterator[Design]:
    """All of them."""
    for name, people, right in nothing():
        for rows in (1_000,) if quick else SIZES:
            # Rows of matrices are drawn one by one, which takes time.
            most = 5_000 if isinstance(people, ColumnPopulation) else rows
            yield Design("nothing", name, people, min(rows, most), right)
        if right in (_NONE, _BENEATH):
            yield Design("nothing", name, people, 1_000, right, "training")
    for name, base, full in amplifiers():
        targets = [(3.5, rows) for rows in AMPLIFIER_SIZES]
        targets += [(target, 5_000) for target in TARGETS if target != 3.5]
        for target, rows in targets:
            people = None if quick and rows != 1_000 else reaching(target, rows, base, full)
            if people is not None:
                yield Design("amplifies", name, people, rows, "amplifies")
                if rows == 1_000:
                    yield Design("amplifies", name, people, rows, "amplifies", "training")
    for name, people, right in others():
        for rows in (1_000,) if quick else (40, 1_000, 20_000):
            yield Design("other", name, people, rows, right)
    for name, people, right in apart():
        yield Design("apart", name, people, APART_ROWS, right)
