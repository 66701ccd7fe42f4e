"""Type aliases and checks of parameters, used throughout the package."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: A numpy array; its shape and meaning are stated where it is used.
Array: TypeAlias = NDArray[Any]

#: A class or group label: a str, int, float or bool, or a tuple of them for crossed attributes.
Label: TypeAlias = Hashable

#: A row of a summary or of a table: its entries by their names.
Row: TypeAlias = dict[str, Any]

#: Values of ``random_state``: None is the fixed seed 0, so that repeated calls agree.
RandomState: TypeAlias = int | np.random.Generator | None

#: Types of real numbers; a Decimal is one.
REAL = Real | Decimal


def check_choice(argument: str, value: object, choices: Iterable[object]) -> None:
    """Raise unless a parameter is one of the values that it can take."""
    allowed = list(choices)
    if value not in allowed:
        raise ValueError(f"{argument} must be one of {allowed}; received {value!r}")


def is_whole(value: object) -> bool:
    """Whether a parameter is a whole number; True and False are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_real(value: object) -> bool:
    """Whether a value is a real number."""
    return isinstance(value, REAL)


def as_float(value: Any) -> float:
    """A number as a float, infinite beyond its range; NaN for anything else."""
    try:
        return float(value) if is_real(value) else math.nan
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def check_random_state(random_state: RandomState) -> None:
    """Raise unless ``random_state`` is None, a whole number that is not negative or a generator."""
    given = isinstance(random_state, np.random.Generator)
    given = given or (is_whole(random_state) and int(random_state) >= 0)  # type: ignore[arg-type]
    if not (random_state is None or given):
        raise ValueError(
            "random_state (seed) must be a whole number, not negative, or a numpy Generator; "
            f"received {random_state!r}"
        )


def generator(random_state: RandomState) -> np.random.Generator:
    """A generator for ``random_state``; None gives the fixed seed 0.

    Raises
    ------
    ValueError
        As :func:`check_random_state` does.
    """
    check_random_state(random_state)
    return np.random.default_rng(0 if random_state is None else random_state)


def seed_of(random_state: RandomState) -> int | str:
    """How a report describes ``random_state``."""
    if isinstance(random_state, np.random.Generator):
        return "a generator of the caller's"
    return 0 if random_state is None else int(random_state)
