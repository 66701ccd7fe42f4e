"""Columns of numbers: scores, and variables that cannot be counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from biasamp_adapters._typing import Array, Label, as_float, is_real
from biasamp_adapters.inputs.columns import check_lengths, read_columns
from biasamp_adapters.inputs.matrices import Indicators, is_matrix


def read_numbers(values: Any, argument: str) -> tuple[Array, list[str] | None]:
    """Numbers of shape (n, columns), NaN where missing, and the names of a table's columns.

    Raises
    ------
    ValueError
        If a value is not a number.
    """
    if hasattr(values, "toarray"):
        values = np.asarray(values.toarray())
    named = read_columns(values, argument)
    check_lengths([column for _, column in named])
    numbers = np.stack([column.numbers(0, len(column)) for _, column in named], axis=1)
    plain = isinstance(values, np.ndarray | list) or not is_matrix(values)
    return numbers, None if plain else [name for name, _ in named]


class Given(NamedTuple):
    """A variable as given, with one row per row of the data.

    Attributes
    ----------
    argument : str
    kind : {"label", "columns", "numbers"}
        Labels; a matrix of 0 and 1, or of predicted probabilities; or numbers.
    values : array of shape (n, columns)
        Numbers, or codes of labels, of which several columns are crossed; NaN or -1 where missing.
    books : sequence of label lists
        The labels that the codes of each column stand for.
    """

    argument: str
    kind: Literal["label", "columns", "numbers"]
    values: Array
    books: Sequence[Sequence[Label]] = ()

    @property
    def missing(self) -> Array:
        """Rows without a value, of shape (n,)."""
        absent = self.values < 0 if self.kind == "label" else np.isnan(self.values)
        return np.asarray(absent.any(axis=1))


def read_given(values: Any, argument: str, *, predicted: bool) -> Given:
    """Read a variable: non-integer numeric input is continuous, anything else is categorical.

    Raises
    ------
    ValueError
        If a table has a continuous column and one without numbers, or an input is no table.
    """
    by_column = isinstance(values, Indicators)
    if by_column or (argument in ("y_true", "y_pred") and is_matrix(values)):
        numbers, _ = read_numbers(values.values if by_column else values, argument)
        present = numbers[~np.isnan(numbers)]
        shares = (present >= 0) & (present <= 1) if predicted else np.isin(present, (0, 1))
        return Given(argument, "columns" if shares.all() else "numbers", numbers)
    coded = [column.chunk(0, len(column)) for _, column in read_columns(values, argument)]
    if any(_is_continuous(labels) for _, labels in coded):
        return Given(argument, "numbers", read_numbers(values, argument)[0])
    codes = np.stack([column_codes.astype(np.intp) for column_codes, _ in coded], axis=1)
    return Given(argument, "label", codes, [labels for _, labels in coded])


def _is_continuous(labels: Sequence[Any]) -> bool:
    return all(map(is_real, labels)) and not all(as_float(label).is_integer() for label in labels)
