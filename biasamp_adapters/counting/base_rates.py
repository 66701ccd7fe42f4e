"""Rates that are given by hand, for predictions without labels."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from biasamp_adapters.counting.arrays import check_all, to_numbers
from biasamp_adapters.counting.labels import Array, check_text, distinct_labels, listing
from biasamp_adapters.counting.margins import sign_of_difference
from biasamp_adapters.counting.paths import find_files
from biasamp_adapters.figures import count


class BaseRates:
    """Rates that stand where labels stand, for predictions without a right answer.

    Rates that are given are a choice: say where they come from, because BA and the gaps depend on
    them.

    Parameters
    ----------
    rates : DataFrame or mapping of mappings
        ``{group: {class: rate}}``, the shares of classes in each group; for "T->A"
        ``{class: {group: rate}}``, the shares of groups in each class. Rates lie between 0 and 1;
        those of labels sum to 1, but may be rounded to whole percents.
    direction : {"A->T", "T->A"}
    signs : DataFrame or mapping of mappings, optional
        The sign of each correlation, -1, 0 or 1, in the shape of ``rates``. By default, the sign
        compares a rate with the mean over groups, or a share with ``group_shares``.
    group_shares : Series or mapping, optional
        The share of each group, which sum to 1. "T->A" without ``signs`` needs it; "A->T" takes
        the groups of the data otherwise.

    Attributes
    ----------
    group_labels, class_labels : tuple

    Raises
    ------
    ValueError
        If a number is out of its range, or a table lacks a group or class of ``rates``.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Sec. 5.3 and Table 2.

    Examples
    --------
    >>> woman, man = {"nurse": 0.6, "engineer": 0.4}, {"nurse": 0.2, "engineer": 0.8}
    >>> BaseRates({"woman": woman, "man": man})
    <BaseRates A->T of 2 groups and 2 classes>
    """

    def __init__(
        self, rates: Any, *, direction: str = "A->T", signs: Any = None, group_shares: Any = None
    ) -> None:
        self.direction = str(direction).replace("→", "->")
        if self.direction not in ("A->T", "T->A"):
            raise ValueError(f"direction must be 'A->T' or 'T->A'; received {listing([direction])}")
        frame = self._to_frame(rates, "rates")
        self.group_labels = distinct_labels(frame.index, "rates")
        self.attributes = tuple(frame.index.names)
        self.class_labels = distinct_labels(frame.columns, "rates")
        self._rates = _read_numbers(frame, "rates", 0)
        self._signs: Array | None = None
        if signs is not None:
            table = self._to_frame(signs, "signs").reindex_like(frame)
            self._signs = _read_numbers(table, "signs", -1)
            check_all(self._signs % 1 == 0, self._signs, "signs must be -1, 0 or 1")
        self._group_shares: Array | None = None
        if group_shares is not None:
            shares = pd.Series(group_shares).reindex(frame.index)
            self._group_shares = _read_numbers(shares.to_frame(), "group_shares", 0)
            total = self._group_shares.sum()
            if abs(total - 1) > 1e-6:
                raise ValueError(f"group_shares must sum to 1; received a sum of {total:g}")

    @classmethod
    def from_file(cls, path: Any) -> BaseRates:
        """Read rates from a JSON file: an object with ``rates`` and the other arguments."""
        [path] = find_files(path)
        allowed = ("rates", "direction", "signs", "group_shares")
        written = _read_json(path)
        if not isinstance(written, dict) or "rates" not in written or set(written) - {*allowed}:
            raise ValueError(f"{path} must be JSON with 'rates', and optionally {allowed[1:]}")
        return cls(**written)

    def _to_frame(self, values: Any, name: str) -> pd.DataFrame:
        """Return a table with groups as rows and classes as columns."""
        frame = values
        if isinstance(values, Mapping) and all(isinstance(row, Mapping) for row in values.values()):
            rows = {key: dict(row) for key, row in values.items()}
            check_text([*rows, *(label for row in rows.values() for label in row)], name)
            frame = pd.DataFrame.from_dict(rows, "index")
        if not isinstance(frame, pd.DataFrame) or not frame.size:
            rule = f"{name} must be a frame or a mapping such as {{'woman': {{'nurse': 0.6}}}}"
            raise ValueError(f"{rule}; received {listing([values])}")
        return frame if self.direction == "A->T" else frame.T

    def rates(self, direction: str) -> Array:
        """Return P(class | group) for "A->T", else P(group | class), (groups, classes)."""
        needed = "A->T" if direction == "A->T" else "T->A"
        if needed != self.direction:
            where = "for y_pred" if needed == "A->T" else "here"
            rule = f"BaseRates must be of {needed!r} {where}"
            raise ValueError(f"{rule}; received {self.direction!r}")
        return self._rates

    def check_sums(self) -> None:
        """Raise unless the shares of classes in a group, or of groups in a class, sum to 1."""
        axis = 1 if self.direction == "A->T" else 0
        sums = self._rates.sum(axis=axis)
        tolerance = min(0.005 * self._rates.shape[axis], 0.05)  # Of rounded percents.
        is_near = abs(sums - 1).round(6) <= tolerance
        check_all(is_near, sums.round(6), "rates of labels must sum to 1 up to rounding")

    def signs(self, direction: str, group_sizes: Array | None) -> Array:
        """Return the sign of each correlation, (groups, classes).

        Undirected, it is that of ``P(a | t) - 1/|A|``.

        ``group_sizes`` are those of the data, (groups, 1), for rates without shares of the groups.
        """
        rates = self.rates(direction)
        if direction == "undirected":
            return sign_of_difference(rates, 1 / len(rates))
        if self._signs is not None:
            return self._signs
        shares = group_sizes if self._group_shares is None else self._group_shares
        if self.direction == "A->T" and shares is not None:
            mean = (shares * self._rates).sum(axis=0)
            return sign_of_difference(self._rates * shares.sum(), mean)
        if self._group_shares is None:
            raise ValueError("BaseRates must have group_shares= or signs= here; received neither")
        return sign_of_difference(self._rates, self._group_shares)

    def __repr__(self) -> str:
        groups, classes = len(self.group_labels), len(self.class_labels)
        sizes = f"{count(groups, 'group')} and {count(classes, 'class')}"
        return f"<BaseRates {self.direction} of {sizes}>"


def are_in_file(path: Any) -> bool:
    """Return whether a path is that of rates which :meth:`BaseRates.from_file` reads."""
    is_path = isinstance(path, str | os.PathLike) and os.fspath(path).lower().endswith(".json")
    written = _read_json(path) if is_path and os.path.isfile(path) else None
    return isinstance(written, dict) and "rates" in written


def _read_json(path: Any) -> Any:
    """Return what a JSON file holds; None of other files."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError:
        return None


def _read_numbers(table: pd.DataFrame, name: str, lowest: int) -> Array:
    """Return the numbers of a table, which lie between the lowest one and 1."""
    numbers = to_numbers(table.to_numpy(), name)
    rule = f"{name} must hold numbers from {lowest} to 1 for every group and class"
    check_all((numbers >= lowest) & (numbers <= 1), numbers, rule)
    return numbers
