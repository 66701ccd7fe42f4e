"""Models whose verdict is known: what they do, on which data, and how many rows are seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchmarks.verdict_kinds import kinds
from benchmarks.verdict_models import (
    BENEATH,
    MISTAKES,
    NONE,
    Behaviour,
    asymmetric,
    coin,
    columns,
    confused,
    constant,
    errors,
    joint,
    kept,
    kept_columns,
    moving_ties,
    pushed,
    pushed_columns,
    silent,
    symmetric,
    tied,
    two_groups,
    unequal,
    with_errors,
)
from benchmarks.verdict_populations import (
    Array,
    ColumnPopulation,
    LabelPopulation,
    Population,
    reaching,
)

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
    family : {"nothing", "amplifies", "other", "apart", "kinds"}
        Whether BA-> and its excess are both above 0; the last two are of random populations, and of
        other kinds of data, which have been looked at after the rules were made.
    name : str
    population : Population
    rows : int
    right : str
        The verdict that is right with rows without end.
    reference : {"own", "training"}
        The truth of the sample, or another sample of as many rows.
    """

    family: Literal["nothing", "amplifies", "other", "apart", "kinds"]
    name: str
    population: Population
    rows: int
    right: str
    reference: Literal["own", "training"] = "own"


def nothing() -> Iterator[tuple[str, Population, str]]:
    """Models that do not amplify, with the verdict that is right."""
    clear, rare = two_groups(0.3, 0.55), two_groups(0.02, 0.06)
    plain: dict[str, tuple[Array, Behaviour, str]] = {
        "balanced, blind errors": (two_groups(0.4, 0.4), symmetric(0.1), NONE),
        "balanced, unequal model": (two_groups(0.4, 0.4), unequal, NONE),
        "coin": (clear, coin, MISTAKES),
        "constant": (clear, constant, "constant"),
        "errors of 10 %": (clear, symmetric(0.1), MISTAKES),
        "errors of 30 %": (clear, symmetric(0.3), MISTAKES),
        "FNR 40 %": (clear, errors(0.02, 0.4), MISTAKES),
        "rare class, FPR 1 %, FNR 50 %": (rare, errors(0.01, 0.5), MISTAKES),
        "rates kept": (clear, kept, BENEATH),
        "errors where the gap is": (
            clear,
            errors([0.3 * 0.3 / 0.7, 0.3 * 0.55 / 0.45], 0.3),
            BENEATH,
        ),
    }
    for name, (truth, behave, right) in plain.items():
        yield name, LabelPopulation(behave(truth)), right
    yield "ties move", LabelPopulation(moving_ties(tied())), NONE
    for groups, classes in ((3, 2), (6, 2), (12, 2), (2, 6), (4, 3), (12, 6)):
        clear, even = joint(groups, classes, 0.3), joint(groups, classes, 0)
        several: dict[str, tuple[Array, Behaviour, str]] = {
            "errors of 20 %": (clear, symmetric(0.2), MISTAKES),
            "asymmetric errors": (clear, asymmetric, MISTAKES),
            "rates kept": (clear, kept, BENEATH),
            "balanced, unequal model": (even, unequal, NONE),
        }
        for name, (truth, behave, right) in several.items():
            yield name, LabelPopulation(behave(truth)), right
    for groups, classes in ((2, 2), (4, 3)):
        clear, even = joint(groups, classes, 0.3), joint(groups, classes, 0)
        yield "asymmetric errors", LabelPopulation(asymmetric(clear), "T->A"), MISTAKES
        yield "rates kept", LabelPopulation(kept(clear), "T->A"), BENEATH
        yield "balanced, unequal model", LabelPopulation(unequal(even), "T->A"), NONE
    for groups in (2, 5):
        people, even = columns(groups, 0.3), columns(groups, 0)
        yield "asymmetric errors", with_errors(people, 0.02, 0.4), MISTAKES
        yield "rates kept", kept_columns(people), BENEATH
        unlike = np.linspace(0.02, 0.3, groups)[:, None]
        yield "balanced, unequal model", with_errors(even, unlike, 0.1), NONE


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
        "silent on half of a group": (silent(0.5), NONE),
        "silent on 5 % of a group": (silent(0.05), NONE),
        "perfect": (symmetric(0), "no_errors"),
        "errors of 1 %": (symmetric(0.01), MISTAKES),
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
        yield f"{i + 1}: blind errors", blind, MISTAKES
        yield f"{i + 1}: rates kept", same, BENEATH
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
        if right in (NONE, BENEATH):
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
    for kind in kinds():
        for rows in kind.sizes[:1] if quick else kind.sizes:
            for name, (people, right) in kind.nothing.items():
                yield Design("kinds", f"{kind.name}: {name}", people, rows, right)
            amplifier = reaching(3.5, rows, next(iter(kind.nothing.values()))[0], kind.full)
            if amplifier is not None:
                yield Design("kinds", f"{kind.name}: amplifies", amplifier, rows, "amplifies")
