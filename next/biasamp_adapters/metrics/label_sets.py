"""Sets of labels that rows show, and sets of groups of several attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from biasamp_adapters.counting.labels import Array, Label
from biasamp_adapters.counting.margins import margins_of_data
from biasamp_adapters.counting.roles import ALL, ATTRIBUTE, TASK, TRUTH
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Block, Codes

#: More sets than this are refused.
MOST_SETS = 100_000


def sets_shown(rows: Rows) -> dict[tuple[int, ...], int]:
    """Return the exact label sets of the rows, and how many rows show each."""
    variable = rows.variable(TASK)
    truth = variable.sparse[:, : len(variable.labels)].tocsr()
    truth.eliminate_zeros()
    truth.sort_indices()
    shown: dict[tuple[int, ...], int] = {}
    ends, columns = truth.indptr.tolist(), truth.indices.tolist()
    for start, end, n in zip(ends, ends[1:], rows.n.tolist(), strict=False):
        if end > start:
            members = tuple(columns[start:end])
            shown[members] = shown.get(members, 0) + n
    return shown


def sets_held(rows: Rows, sets: list[tuple[int, ...]], min_support: int) -> list[tuple[int, ...]]:
    """Return the sets that enough rows of the truth contain."""
    if not sets:
        return sets
    truth = replace(rows, variables={(TASK, None): rows.variable(TASK)}, listed={})
    n = margins_of_data(truth.unweighted().with_sets(sets)).joint(ALL, TASK)[0, 0]
    return [members for members, support in zip(sets, n, strict=True) if support >= min_support]


def subsets(
    shown: Mapping[tuple[int, ...], int], max_size: int | None, min_support: int
) -> dict[tuple[int, ...], int]:
    """Return all sets that enough rows contain, grown label by label, and how many do."""
    rows, sizes = [frozenset(members) for members in shown], np.array(list(shown.values()))
    labels = sorted(set().union(*rows))
    holds = np.array([[label in row for row in rows] for label in labels])
    supports: dict[tuple[int, ...], int] = {}
    growing: list[tuple[tuple[int, ...], Array]] = [((), np.ones(len(rows), dtype=bool))]
    while growing:
        members, inside = growing.pop()
        first = members[-1] + 1 if members else 0
        for i in range(first, len(labels)):
            both, grown = inside & holds[i], (*members, i)
            support = int(sizes[both].sum())
            if support < max(min_support, 1):
                continue
            supports[grown] = support
            check_number(len(supports))
            if max_size is None or len(grown) < max_size:
                growing.append((grown, both))
    return {tuple(labels[i] for i in members): n for members, n in supports.items()}


def check_number(n_sets: int) -> None:
    """Raise if there are too many sets."""
    if n_sets > MOST_SETS:
        raise ValueError(
            f"Multi compares at most {MOST_SETS:,} sets; received more: set min_support=2 or more"
        )


def with_group_sets(rows: Rows) -> Rows:
    """Return rows whose groups are all sets of levels of the crossed attributes that occur."""
    crossed = [label for label in rows.group_labels if isinstance(label, tuple)]
    if not crossed or len(crossed) < len(rows.group_labels) or rows.is_matrix(ATTRIBUTE):
        raise ValueError("group_sets=True must have several columns of sensitive_features")
    names = rows.names.get(ATTRIBUTE) or tuple(map(str, range(len(crossed[0]))))
    groups_in: dict[tuple[tuple[int, Label], ...], list[int]] = {}
    for i, levels in enumerate(crossed):
        for size in range(1, len(levels) + 1):
            for members in combinations(enumerate(levels), size):
                groups_in.setdefault(members, []).append(i)
    check_number(len(groups_in))
    sets = sorted(groups_in, key=lambda members: (len(members), [i for i, _ in members]))
    belongs = np.zeros((len(crossed) + 1, len(sets)), dtype=np.uint8)
    for column, members in enumerate(sets):
        belongs[groups_in[members], column] = 1
    labels = tuple(" × ".join(f"{names[i]}={level}" for i, level in members) for members in sets)
    moved = dict(rows.variables)
    for key, variable in rows.variables.items():
        if TRUTH[key[0]] == ATTRIBUTE and isinstance(variable, Codes):
            moved[key] = Block(labels, belongs[variable.codes], variable.missing, is_matrix=True)
    return replace(rows, variables=moved)
