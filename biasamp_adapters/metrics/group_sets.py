"""Sets of groups of several attributes, such as women, old people and old women, as columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import ordered
from biasamp_adapters.inputs.columns import check_lengths, read_columns
from biasamp_adapters.inputs.combinations import Key, combinations
from biasamp_adapters.inputs.matrices import Indicators
from biasamp_adapters.metrics.multi import check_sizes, subsets_by_support

#: A set of groups: the group of each of some attributes.
GroupSet = Mapping[str, Label]


class GroupSets(Indicators):
    """Indicators of sets of groups; made by :func:`~biasamp_adapters.group_sets`.

    Attributes
    ----------
    values : ndarray of int8, shape (n, sets)
        1 where a row is in all groups of a set.
    names : tuple of str
        Of each set, such as "sex=woman × age=old".
    sets : tuple of dict
        The group of each attribute in a set, such as ``{"sex": "woman", "age": "old"}``.
    """

    def __init__(self, values: Array, sets: Sequence[GroupSet]) -> None:
        super().__init__(values, [_name(members) for members in sets])
        self.sets = tuple(dict(members) for members in sets)


def group_sets(
    attributes: Any,
    *,
    min_size: int = 1,
    max_size: int | None = None,
    min_support: int = 1,
    sets: GroupSets | Sequence[GroupSet] | None = None,
) -> GroupSets:
    """Groups and sets of groups of several attributes, for every metric that takes Indicators.

    Several columns of ``sensitive_features`` are crossed: every row is in one set, which has a
    group of each attribute. Here sets may also leave attributes out, so a row is in several: an old
    woman is among the women, the old people and the old women. Metrics then average over all these
    sets.

    Parameters
    ----------
    attributes : table or mapping of str to array-like of shape (n,)
        One named column per attribute.
    min_size, max_size : int
        How many attributes a set has; by default from one to all.
    min_support : int
        Rows that a set must have.
    sets : GroupSets or list of dict, optional
        The sets, instead of those of these rows; sizes and support are not given with them. Use the
        sets of the reference for the evaluated attributes, and for the predicted ones.

    Returns
    -------
    GroupSets
        For ``sensitive_features``, ``sensitive_features_pred`` and references.

    Raises
    ------
    ValueError
        If a value is missing, no set is left or more than 100,000 are, two sets are the same or
        have the same name, or a set has an attribute that is no column.

    Notes
    -----
    Sets overlap, as groups in :class:`Indicators` may. MALS and undirected Multi compare shares
    with one over the number of sets, which says little where sets overlap; prefer A->T and T->A.

    References
    ----------
    Sets of attributes are named by [T25] in section 2. In Zhao et al. (2023), the source of Multi,
    only tasks form sets. [W20] crosses attributes.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> people = {"sex": ["woman", "woman", "man", "man"], "age": ["old", "young", "old", "old"]}
    >>> sets = bam.group_sets(people, min_support=2)
    >>> sets.names
    ('sex=man', 'sex=woman', 'age=old', 'sex=man × age=old')
    >>> sets.values.tolist()
    [[0, 1, 1, 0], [0, 1, 0, 0], [1, 0, 1, 1], [1, 0, 1, 1]]

    Nobody is predicted to be hired, of whom the truth has one woman, who is old:

    >>> multi = bam.MultiAttributeBiasAmplification(pos_label="hired")
    >>> hired = ["hired", "no", "no", "no"]
    >>> result = multi.result(hired, ["no"] * 4, sensitive_features=sets)
    >>> result.by_attribute.round(3).to_dict()
    {'sex=man': 0.0, 'sex=woman': 0.5, 'age=old': 0.333, 'sex=man × age=old': 0.0}
    """
    check_sizes(min_size, max_size, min_support)
    if isinstance(attributes, Indicators):
        raise ValueError("attributes must be columns of groups; received Indicators")
    columns = dict(read_columns(attributes, "attributes"))
    check_lengths([*columns.values()])
    number, keys = combinations([*columns.values()])
    if sets is None:
        sets = _supported([*columns], keys, np.bincount(number), (max_size, min_support))
        sets = [members for members in sets if len(members) >= min_size]
        if not sets:
            raise ValueError(
                "no set of groups has the asked size and support; received min_size="
                f"{min_size} and min_support={min_support}"
            )
    elif (min_size, max_size, min_support) != (1, None, 1):
        raise ValueError(
            "min_size, max_size and min_support choose sets, so they need sets=None; received "
            f"{min_size}, {max_size} and {min_support}"
        )
    chosen = _checked(sets.sets if isinstance(sets, GroupSets) else sets, [*columns])
    rows = [dict(zip(columns, key, strict=True)) for key in keys]
    holds = [[members.items() <= row.items() for members in chosen] for row in rows]
    return GroupSets(np.array(holds, dtype=np.int8)[number], chosen)


def _supported(
    names: Sequence[str], keys: Sequence[Key], n: Array, limits: tuple[int | None, int]
) -> list[GroupSet]:
    """The sets of groups up to a size that enough rows are in, small ones first."""
    columns = zip(names, zip(*keys, strict=True), strict=True)
    groups = [(name, group) for name, column in columns for group in ordered(column)]
    position = {group: i for i, group in enumerate(groups)}
    shown = {
        tuple(position[group] for group in zip(names, key, strict=True)): int(rows)
        for key, rows in zip(keys, n, strict=True)
    }
    found = subsets_by_support(shown, len(groups), *limits)
    return [dict(groups[i] for i in members) for members in sorted(found, key=len)]


def _checked(sets: Iterable[GroupSet], names: Sequence[str]) -> list[GroupSet]:
    """Sets of groups whose attributes are columns, each once."""
    chosen = list(sets) if isinstance(sets, Iterable) else [sets]
    for members in chosen:
        if not (isinstance(members, Mapping) and members and set(members) <= set(names)):
            raise ValueError(
                f"a set must give groups of the attributes {list(names)}, as in "
                f"{{{names[0]!r}: ...}}; received {members!r}"
            )
    if not chosen:
        raise ValueError("sets must have at least one set; received none")
    # A set is the same in any order of its attributes; 1 and "1" give two sets one name.
    shown = Counter(_name({name: x[name] for name in names if name in x}) for x in chosen)
    [(name, times)] = shown.most_common(1)
    if times > 1:
        raise ValueError(
            f"sets must differ, and so must their names; received {times} sets named {name!r}"
        )
    return chosen


def _name(members: GroupSet) -> str:
    return " × ".join(f"{name}={group}" for name, group in members.items())
