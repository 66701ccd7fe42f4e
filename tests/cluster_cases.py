"""What is given as clusters: kinds of columns that mean the same, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

#: Two rows of each of 60 persons.
PERSON = [i % 60 for i in range(120)]
_RNG = np.random.default_rng(0)
GROUP = _RNG.choice(["a", "b"], 120)
TRUTH = (_RNG.random(120) < np.where(GROUP == "a", 0.7, 0.3)).astype(int)
SAID = np.where(_RNG.random(120) < 0.2, 1 - TRUTH, TRUTH)
ROWS: dict[str, Any] = {"y_true": TRUTH, "y_pred": SAID, "sensitive_features": GROUP}


def _polars() -> Any:
    """Polars, without which a test is skipped: hosts are tested alone too."""
    return pytest.importorskip("polars", reason="polars is not installed")


#: Columns of the same clusters. An iterator can be read once.
SAME: dict[str, Callable[[], Any]] = {
    "array": lambda: np.array(PERSON),
    "tuple": lambda: tuple(PERSON),
    "iterator": lambda: iter(PERSON),
    "generator": lambda: (person for person in PERSON),
    "map": lambda: map(str, PERSON),
    "series of another index": lambda: pd.Series(PERSON, index=range(500, 620)),
    "series of polars": lambda: _polars().Series(PERSON),
    "categorical": lambda: pd.Categorical(PERSON),
    "integers that may be null": lambda: pd.array(PERSON, dtype="Int64"),
    "mixed types": lambda: [person if person % 2 else str(person) for person in PERSON],
    "tuples": lambda: [(person // 9, person % 9) for person in PERSON],
    "dates": lambda: pd.to_datetime(PERSON, unit="D"),
}


def _first(value: Any) -> list[Any]:
    """The persons, of whom the first is another one in their first row."""
    return [value, *PERSON[1:]]


_MISSING = "clusters must not have missing values; received 1"
_SHAPE = "clusters must have one dimension; received the shape "

#: What is refused, and how the message begins.
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "None": (lambda: _first(None), _MISSING),
    "NaN": (lambda: np.array(_first(np.nan)), _MISSING),
    "pd.NA": (lambda: _first(pd.NA), _MISSING),
    "NA of a Series": (lambda: pd.Series(_first(pd.NA), dtype="Int64"), _MISSING),
    "NaT": (lambda: [pd.NaT, *pd.to_datetime(PERSON[1:], unit="D")], _MISSING),
    "null of polars": (lambda: _polars().Series(_first(None)), _MISSING),
    "column of a matrix": (lambda: np.array(PERSON)[:, None], _SHAPE + "(120, 1)"),
    "lists": (lambda: [[person] for person in PERSON], _SHAPE + "(120, 1)"),
    "DataFrame": (lambda: pd.DataFrame({"who": PERSON}), _SHAPE + "(120, 1)"),
    "frame of polars": (lambda: _polars().DataFrame({"who": PERSON}), _SHAPE + "(120, 1)"),
    "dict of rows": (
        lambda: dict(enumerate(PERSON)),
        "clusters must be a column of values; received a dict",
    ),
    "dict of a column": (
        lambda: {"who": np.array(PERSON)},
        "clusters must be a column of values; received a dict",
    ),
    "set": (lambda: set(PERSON), "clusters must be a column of values; received a set"),
    "text": (lambda: "who", "clusters must be a column of values; received 'who'"),
    "number": (lambda: 3, "clusters must be a column of values; received 3"),
    "dicts": (lambda: [{}] * 120, "clusters must hold labels such as strings"),
    "one cluster": (
        lambda: ["only"] * 120,
        "clusters must be at least two; received one, which holds all 120 rows",
    ),
    "one for each row": (
        lambda: range(120),
        "clusters must hold several rows; received 120 clusters of one row each",
    ),
}

#: Columns that are too short or too long; hosts say so in different words.
OTHER_LENGTHS: dict[str, Callable[[], Any]] = {
    "short": lambda: PERSON[1:],
    "long": lambda: [*PERSON, 0],
    "empty": list,
    "short iterator": lambda: iter(PERSON[1:]),
}
