"""Protected attributes as ``aif360.sklearn`` passes them: levels of the index of ``y_true``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from aif360.sklearn.utils import check_groups

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.aif360.groups import PRIVILEGED, UNPRIVILEGED
from biasamp_adapters.aif360.names import OF_FUNCTIONS, called
from biasamp_adapters.counts.labels import listing, ordered
from biasamp_adapters.inputs.order import index_of, warn_of_order
from biasamp_adapters.metrics.base import Metric, check_predicted_name


class Attribute(NamedTuple):
    """What the user says of the protected attributes."""

    true: Any
    predicted: Any
    privileged: Any


def value(
    kind: type[Metric],
    y_true: Any,
    y_pred: Any,
    attribute: Attribute,
    sample_weight: Any,
    /,
    **parameters: Any,
) -> float:
    """The value of a metric of these parameters, for arguments as AIF360 gives them."""
    check_predicted_name("biasamp_adapters.aif360", parameters, "prot_attr_pred")
    if "sensitive_features" in parameters:
        raise TypeError(
            "biasamp_adapters.aif360 has no argument 'sensitive_features': it takes the attribute "
            "as prot_attr"
        )
    given = attribute.true if isinstance(attribute.true, list) else [attribute.true]
    warn_of_order([("y_true", index_of(y_true)), *(("prot_attr", index_of(x)) for x in given)])
    groups = _read(y_true, attribute.true)
    _check_privileged(groups, attribute.privileged)
    if "reference" in parameters:
        reference = parameters["reference"]
        parameters["reference"] = read_reference(reference, attribute.true, attribute.privileged)
    predicted = None
    if attribute.predicted is not None:
        # A table keeps words and numbers in one row as they are.
        columns = pd.DataFrame(attribute.predicted)
        rows = columns.itertuples(index=False, name=None)
        guesses = [row if len(row) > 1 else row[0] for row in rows]
        predicted = _sides(guesses, attribute.privileged)
    with called(*OF_FUNCTIONS):
        return kind(**parameters)(
            y_true,
            y_pred,
            sensitive_features=_sides(groups, attribute.privileged),
            sensitive_features_pred=predicted,
            sample_weight=sample_weight,
        )


def _read(y: Any, prot_attr: Any) -> list[Label]:
    """The group of each row, as AIF360 reads it from the index."""
    if isinstance(y, pd.Series | pd.DataFrame):
        known, wanted = list(y.index.names), _levels(prot_attr)
        if wanted is None and None in known:
            raise ValueError(
                "prot_attr must be given where levels of the index have no name; received an "
                f"index with the names {known}"
            )
        unknown = [name for name in wanted or () if _is_name(name) and name not in known]
        if unknown:
            raise ValueError(
                f"prot_attr must name levels of the index of y_true, {known}, or hold a value a "
                f"row; received {', '.join(map(repr, unknown))}"
            )
    elif prot_attr is None:
        raise ValueError(
            "y_true must be a Series with the protected attributes in its index, or prot_attr must "
            f"hold their values; received a {type(y).__name__} and no prot_attr"
        )
    return list(check_groups(y, prot_attr)[0])


def _levels(prot_attr: Any) -> list[Any] | None:
    """The names of levels, or columns of values, that are the protected attributes."""
    if prot_attr is None:
        return None
    return list(prot_attr) if isinstance(prot_attr, list) else [prot_attr]


def _is_name(of_attribute: Any) -> bool:
    return isinstance(of_attribute, str) or not hasattr(of_attribute, "__len__")


def _check_privileged(groups: Sequence[Label], privileged: Label | None) -> None:
    if privileged is not None and privileged not in groups:
        known = listing(ordered(group for group in groups if not _is_missing(group)))
        raise ValueError(f"priv_group must be one of the groups {known}; received {privileged!r}")


def _sides(groups: Iterable[Label], privileged: Label | None) -> Array:
    """Groups as labels; with a privileged one, whether each is it. What is missing stays so."""
    values = list(groups)
    out = np.full(len(values), None, dtype=object)
    for i, group in enumerate(values):
        if not _is_missing(group):
            side = PRIVILEGED if group == privileged else UNPRIVILEGED
            out[i] = group if privileged is None else side
    return out


def _is_missing(group: Label) -> bool:
    """Whether a group, or a part of a crossed one, is missing."""
    return any(pd.isna(part) for part in (group if isinstance(group, tuple) else (group,)))


def read_reference(reference: Any, prot_attr: Any, priv_group: Label | None) -> Any:
    """The training data as a metric takes them."""
    if isinstance(reference, pd.Series):
        if not all(map(_is_name, _levels(prot_attr) or ())):
            raise ValueError(
                "reference must be (y_true, prot_attr) where prot_attr holds values, which are "
                "those of the evaluated rows; received a Series"
            )
        return reference.to_numpy(), _sides(_read(reference, prot_attr), priv_group)
    if isinstance(reference, tuple) and len(reference) == 2 and priv_group is not None:
        return reference[0], _sides(reference[1], priv_group)
    return reference
