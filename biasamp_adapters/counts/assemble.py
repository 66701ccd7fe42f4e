"""From tallied columns to counts: crossing, missing values, label lists, probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from biasamp_adapters._typing import Array, Label, as_float, is_real
from biasamp_adapters.counts.base import Axis
from biasamp_adapters.counts.cells import Cells
from biasamp_adapters.counts.labels import check_labels, listing, lookup, ordered

Missing: TypeAlias = Literal["error", "drop", "abstain"]


@dataclass(frozen=True)
class Source:
    """Where an axis comes from: its columns in the tally and what the user calls them."""

    axis: Axis
    argument: str
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Assembled:
    """Cells over ordered label lists: ready to be a JointCounts."""

    labels: tuple[Label, ...]
    groups: tuple[Label, ...]
    cells: Cells
    levels: Array
    dropped: int


def check_missing(missing: str) -> None:
    """Raise for an unknown rule for missing values."""
    if missing not in get_args(Missing):
        raise ValueError(f"missing must be 'error', 'drop' or 'abstain'; received {missing!r}")


def assemble(
    sources: Sequence[Source],
    codes: Array,
    sums: Sequence[Array],
    books: Sequence[Sequence[Label]],
    *,
    labels: tuple[Label, ...] | None,
    groups: tuple[Label, ...] | None,
    missing: Missing,
) -> Assembled:
    """Order the labels of tallied cells and rule on their missing values.

    Parameters
    ----------
    sources : sequence of Source
        The axes, with the columns of ``codes`` that each is made of. A column past them holds
        the weight of a row, by which the cells are then kept apart.
    codes : array of shape (cells, columns)
        -1 where missing.
    sums : sequence of arrays of shape (cells,)
        n first.
    books : sequence of label lists
        What the codes of each column stand for.
    labels, groups : tuple, optional
        Explicit label lists. Without, the union of the labels seen.
    missing : {"error", "drop", "abstain"}
        The rule for missing values.
    """
    check_missing(missing)
    crossed = [
        cross(codes[:, source.columns], [books[i] for i in source.columns]) for source in sources
    ]
    axis_codes = [axis for axis, _ in crossed]
    axis_labels = [seen for _, seen in crossed]
    listed = {"labels": labels is not None, "groups": groups is not None}
    keep = _rule_missing(sources, axis_codes, sums[0], missing, listed)
    dropped = int(sums[0][~keep].sum())
    kept = [axis[keep] for axis in axis_codes]
    sums = [values[keep] for values in sums]

    soft, levels = _probabilities(sources, kept, axis_labels, labels)
    task_labels = labels or _union(sources, kept, axis_labels, of_attribute=False, skip=soft)
    group_labels = groups or _union(sources, kept, axis_labels, of_attribute=True)
    columns = []
    for i, source in enumerate(sources):
        domain = group_labels if source.axis.of_attribute else task_labels
        position = lookup(axis_labels[i], domain)
        if i in soft:
            level = lookup(axis_labels[i], levels)
            position = np.where(level >= 0, len(domain) + 1 + level, position).astype(np.int32)
        _check_listed(source, kept[i], position, axis_labels[i], sums[0], domain)
        # A code past the labels stands for an abstention.
        columns.append(np.append(position, len(domain)).astype(np.int32)[kept[i]])
    n_columns = sum(len(source.columns) for source in sources)
    unit = None
    if len(books) > n_columns:
        unit = np.array(books[n_columns], dtype=np.float64)[codes[keep, n_columns]]
    w, w2 = (sums[1], sums[2]) if len(sums) > 1 else (None, None)
    cells = Cells(np.stack(columns, axis=1), sums[0], w, w2, unit).consolidated()
    return Assembled(task_labels, group_labels, cells, np.array(levels), dropped)


def cross(codes: Array, books: Sequence[Sequence[Label]]) -> tuple[Array, list[Label]]:
    """One axis from one column, or from several: their observed combinations, as tuples."""
    if len(books) == 1:
        return codes[:, 0], list(books[0])
    combinations, inverse = np.unique(codes, axis=0, return_inverse=True)
    complete = (combinations >= 0).all(axis=1)
    position = np.where(complete, np.cumsum(complete) - 1, -1)
    labels: list[Label] = [
        tuple(book[code] for book, code in zip(books, row, strict=True))
        for row in combinations[complete].tolist()
    ]
    return position[inverse.reshape(-1)], labels


def _rule_missing(
    sources: Sequence[Source],
    axis_codes: Sequence[Array],
    n: Array,
    missing: Missing,
    listed: Mapping[str, bool],
) -> Array:
    keep = np.ones(len(n), dtype=bool)
    for source, codes in zip(sources, axis_codes, strict=True):
        count = int(n[codes < 0].sum())
        # Abstentions alone are fine where the labels are known from elsewhere.
        known = listed["groups" if source.axis.of_attribute else "labels"]
        silent = missing == "abstain" and source.axis.predicted and known
        if count == n.sum() and not silent:
            raise ValueError(f"{source.argument} must hold values; all {count} are missing")
        if missing == "drop":
            keep &= codes >= 0
        elif count and not (missing == "abstain" and source.axis.predicted):
            predicted = source.axis.predicted
            raise ValueError(missing_message(source.argument, count, predicted=predicted))
    if not keep.any():
        raise ValueError(f"missing='drop' must leave rows; all {n.sum()} have a missing value")
    return keep


def missing_message(argument: str, count: int, *, predicted: bool) -> str:
    """What to say of missing values that no rule allows."""
    remedy = "missing='drop' leaves such rows out"
    if predicted:
        remedy += ", missing='abstain' counts them as abstentions"
    return f"{argument} must not have missing values; received {count} ({remedy})"


def _union(
    sources: Sequence[Source],
    axis_codes: Sequence[Array],
    axis_labels: Sequence[Sequence[Label]],
    *,
    of_attribute: bool,
    skip: Sequence[int] = (),
) -> tuple[Label, ...]:
    seen: list[Label] = [0, 1] if skip else []
    for i, source in enumerate(sources):
        if source.axis.of_attribute == of_attribute and i not in skip:
            codes = np.unique(axis_codes[i]).tolist()
            present = [axis_labels[i][code] for code in codes if code >= 0]
            check_labels(present, source.argument)
            seen.extend(present)
    return ordered(seen)


def _probabilities(
    sources: Sequence[Source],
    axis_codes: Sequence[Array],
    axis_labels: Sequence[Sequence[Label]],
    labels: tuple[Label, ...] | None,
) -> tuple[list[int], list[float]]:
    """The prediction axes that hold probabilities of class 1, and those strictly between 0 and 1.

    A prediction is read as a probability where the truth is 0 or 1 and a predicted value is not
    whole; probabilities of exactly 0 and 1 are labels like any other.
    """
    truth = labels or next(
        (axis_labels[i] for i, source in enumerate(sources) if source.axis.role == "task"), ()
    )
    if not truth or not set(truth) <= {0, 1}:
        return [], []
    soft, levels = [], set()
    for i, source in enumerate(sources):
        if source.axis.role != "prediction":
            continue
        values = [axis_labels[i][code] for code in np.unique(axis_codes[i]).tolist() if code >= 0]
        if not all(map(is_real, values)):
            continue
        split = [number for number in map(as_float, values) if not number.is_integer()]
        if split:
            outside = [value for value in values if not 0 <= value <= 1]
            if outside:
                raise ValueError(
                    f"probabilities in {source.argument} must lie in [0, 1]; received {outside[0]}"
                )
            if labels is not None and len(labels) < 2:
                raise ValueError(
                    "labels must list both 0 and 1 where predictions are probabilities; "
                    f"received {list(labels)}"
                )
            soft.append(i)
            levels.update(split)
    return soft, sorted(levels)


def _check_listed(
    source: Source,
    codes: Array,
    position: Array,
    labels: Sequence[Label],
    n: Array,
    domain: Sequence[Label],
) -> None:
    unlisted = np.flatnonzero(position < 0)
    rows = np.isin(codes, unlisted)
    if rows.any():
        label = labels[int(codes[rows][0])]
        argument = "groups" if source.axis.of_attribute else "labels"
        raise ValueError(
            f"{source.argument} must hold only labels listed in {argument}; received "
            f"{listing([label])} in {int(n[codes == codes[rows][0]].sum())} row(s), "
            f"listed are {listing(domain)}"
        )
