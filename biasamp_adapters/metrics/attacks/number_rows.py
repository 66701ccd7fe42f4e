"""Reading variables that no counts hold: continuous ones, and scores as predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from biasamp_adapters._roles import ARGUMENTS, Inputs, Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import listing, lookup, ordered
from biasamp_adapters.counts.sources import crossed
from biasamp_adapters.counts.variables import Missing, missing_message
from biasamp_adapters.inputs.columns import read_weights
from biasamp_adapters.inputs.matrices import one_shape
from biasamp_adapters.inputs.numbers import Given, read_given
from biasamp_adapters.inputs.order import index_of, warn_of_order
from biasamp_adapters.metrics.attacks.rows import AttackRows, Variable
from biasamp_adapters.metrics.attacks.two_way_tables import Roles
from biasamp_adapters.reference import check_several

#: Explicit label lists of the two true variables.
Lists: TypeAlias = Mapping[Role, Sequence[Label] | None]


def number_rows(inputs: Inputs, roles: Roles, lists: Lists, missing: Missing) -> AttackRows | None:
    """The rows of arrays, if some that an attack reads hold numbers that cannot be counted.

    Parameters
    ----------
    inputs : Inputs
    roles : Roles
        What the attack reads.
    lists : mapping of Role to sequence or None
        Explicit label lists.
    missing : {"error", "drop", "abstain"}

    Raises
    ------
    ValueError
        If an input breaks a rule; the message states it.
    """
    task, prediction, attribute, attribute_prediction, sample_weight = inputs
    task, prediction = one_shape([task, prediction])
    arrays = {
        Role.TASK: task,
        Role.PREDICTION: prediction,
        Role.ATTRIBUTE: attribute,
        Role.ATTRIBUTE_PREDICTION: attribute_prediction,
    }
    needed = {*roles.dataset, *roles.model}
    given = {
        role: read_given(values, ARGUMENTS[role], predicted=role.predicted)
        for role, values in arrays.items()
        if role in needed and values is not None
    }
    countable = [
        variable.kind != "numbers" or _are_chances(role, given, lists)
        for role, variable in given.items()
    ]
    if len(given) < len(needed) or all(countable):
        return None
    lengths = {variable.argument: len(variable.values) for variable in given.values()}
    weight = np.ones(next(iter(lengths.values())))
    if sample_weight is not None:
        weight = read_weights(sample_weight)
        lengths["sample_weight"] = len(weight)
    if len(set(lengths.values())) > 1:
        received = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ValueError(f"inputs must have the same length; received {received}")
    indexes = [(ARGUMENTS[role], index_of(arrays[role])) for role in given]
    warn_of_order([*indexes, ("sample_weight", index_of(sample_weight))])

    absent = _rows_with_missing(given, missing)
    read = ~absent & (weight > 0)
    if not read.any():
        raise ValueError("weights must have a positive sum; received only zeros")
    given = {
        role: variable._replace(values=variable.values[read]) for role, variable in given.items()
    }
    for variable in given.values():
        if variable.kind == "numbers" and np.isinf(variable.values).any():
            raise ValueError(f"{variable.argument} must be finite; received infinite values")
    dropped = int(absent.sum())
    return AttackRows(_variables(given, lists), weight[read], len(absent) - dropped, dropped)


def _rows_with_missing(given: Mapping[Role, Given], missing: Missing) -> Array:
    """Where a value is missing, which ``missing="drop"`` alone allows, of shape (rows,)."""
    for role, variable in given.items():
        count = int(variable.missing.sum())
        if count and missing != "drop":
            message = missing_message(variable.argument, count, predicted=False)
            if missing == "abstain" and role.predicted:
                message += "; missing='abstain' is for variables that are all labels"
            raise ValueError(message)
    absent = np.any([variable.missing for variable in given.values()], axis=0)
    if absent.all():
        raise ValueError(f"missing='drop' must leave rows; all {len(absent)} have missing ones")
    return absent


def _variables(given: Mapping[Role, Given], lists: Lists) -> dict[Role, Variable]:
    """The variables as an attacker reads them, true ones first.

    Raises
    ------
    ValueError
        If a label is not known from the truth.
    """
    chances = {role for role in given if _are_chances(role, given, lists)}
    labels: dict[Role, tuple[Label, ...]] = {}
    out = {}
    for role, variable in sorted(given.items(), key=lambda item: item[0].predicted):
        columns, known = variable.values, labels.get(role.truth, ())
        kind = variable.kind
        if role in chances:
            kind, columns = "label", np.where(np.array(known) == 1, columns, 1 - columns)
        elif kind == "label":
            codes, values = crossed(variable.values, variable.books)
            seen = ordered(values[code] for code in np.unique(codes).tolist())
            if role.predicted:
                known = known or ordered(values)
            else:
                if role.prediction in chances:
                    seen = (0, 1)
                if role.of_attribute:
                    check_several(seen)
                known = labels[role] = tuple(lists[role] or seen)
            position = lookup(values, known)[codes]
            if (position < 0).any():
                unknown = ordered(values[code] for code in np.unique(codes[position < 0]).tolist())
                raise ValueError(
                    f"{variable.argument} must hold only labels known from "
                    f"{ARGUMENTS[role.truth]} or a list; received {listing(unknown)}, known are "
                    f"{listing(known)}"
                )
            columns = np.eye(len(known))[position]
        out[role] = Variable(variable.argument, kind, columns, np.zeros((len(columns), 0)), known)
    return out


def _are_chances(role: Role, given: Mapping[Role, Given], lists: Lists) -> bool:
    """Whether a prediction is probabilities of 1, of a truth that is 0 or 1."""
    prediction, truth = given[role], given.get(role.truth)
    if not role.predicted or truth is None or truth.kind != "label" or len(truth.books) != 1:
        return False
    values, listed = prediction.values, lists[role.truth]
    if prediction.kind != "numbers" or values.shape[1] != 1:
        return False
    binary = set(truth.books[0]) <= {0, 1} and (listed is None or set(listed) == {0, 1})
    known = values[~np.isnan(values)]
    return binary and bool(((known >= 0) & (known <= 1)).all())
