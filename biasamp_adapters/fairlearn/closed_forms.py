"""The host's metrics that are functions of a 2 x 2 table, for many drawn tables at once.

The host's own functions take one call per table, and those that compare groups build a
``MetricFrame`` in each. Where one is called with its defaults on 0/1 labels, the same number is
computed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import fairlearn.metrics as host
import numpy as np
from sklearn.metrics import accuracy_score, zero_one_loss

from biasamp_adapters._typing import Array


class Rate(NamedTuple):
    """A share of some cells of a table in others.

    Attributes
    ----------
    part, whole : list of (truth, prediction)
    """

    part: list[tuple[int, int]]
    whole: list[tuple[int, int]]

    def __call__(self, tables: Array) -> Array:
        """The rates of tables of shape (..., 2, 2); 0 of nothing, as scikit-learn has it."""
        part, whole = (sum(tables[..., i, j] for i, j in cells) for cells in self)
        return np.divide(part, whole, out=np.zeros(np.shape(part)), where=whole > 0)


_TN, _FP, _FN, _TP = _CELLS = [(0, 0), (0, 1), (1, 0), (1, 1)]

_RATES = {
    "true_positive_rate": Rate([_TP], [_FN, _TP]),
    "false_positive_rate": Rate([_FP], [_TN, _FP]),
    "true_negative_rate": Rate([_TN], [_TN, _FP]),
    "false_negative_rate": Rate([_FN], [_FN, _TP]),
    "selection_rate": Rate([_FP, _TP], _CELLS),
    "accuracy_score": Rate([_TN, _TP], _CELLS),
    "zero_one_loss": Rate([_FP, _FN], _CELLS),
}

#: The rates behind the host's measures of fairness.
_MEASURES = {
    "demographic_parity": ["selection_rate"],
    "equal_opportunity": ["true_positive_rate"],
    "equalized_odds": ["true_positive_rate", "false_positive_rate"],
}


def _difference(rates: Array) -> Array:
    return np.fmax.reduce(rates, axis=-1) - np.fmin.reduce(rates, axis=-1)


def _ratio(rates: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.fmin.reduce(rates, axis=-1) / np.fmax.reduce(rates, axis=-1)


def _lesser(first: Array, second: Array) -> Array:
    """Like Python's ``min``, with which the host compares two ratios: NaN only if it is first."""
    return np.where(second < first, second, first)


#: By the end of a function's name, how the rates of the groups become one number.
_TRANSFORMS: dict[str, Callable[[Array], Array] | None] = {
    "": None,
    "_difference": _difference,
    "_ratio": _ratio,
    "_group_min": lambda rates: np.fmin.reduce(rates, axis=-1),
    "_group_max": lambda rates: np.fmax.reduce(rates, axis=-1),
}


class ClosedForm(NamedTuple):
    """A host metric as a function of tables.

    Attributes
    ----------
    rates : list of Rate
    over_groups : function or None
        How the rates of the groups, (..., groups), become one; None for a rate of all rows.
    """

    rates: list[Rate]
    over_groups: Callable[[Array], Array] | None = None

    def __call__(self, tables: Array) -> Array:
        """The value of tables of shape (..., groups, 2, 2); NaN without rows."""
        if self.over_groups is None:
            whole = tables.sum(axis=-3)
            return np.where(whole.sum(axis=(-2, -1)) > 0, self.rates[0](whole), np.nan)
        present = tables.sum(axis=(-2, -1)) > 0
        values = [self.over_groups(np.where(present, rate(tables), np.nan)) for rate in self.rates]
        # Of two rates, that of the group that is worse off counts.
        worst = _lesser if self.over_groups is _ratio else np.fmax
        return values[0] if len(values) == 1 else worst(*values)


def _closed_forms() -> dict[Any, ClosedForm]:
    functions = {
        accuracy_score: ClosedForm([_RATES["accuracy_score"]]),
        zero_one_loss: ClosedForm([_RATES["zero_one_loss"]]),
    }
    for name, rates in (_MEASURES | {rate: [rate] for rate in _RATES}).items():
        for suffix, over_groups in _TRANSFORMS.items():
            # Not every version that is supported has them all.
            function = getattr(host, name + suffix, None)
            if function is not None:
                functions[function] = ClosedForm([_RATES[rate] for rate in rates], over_groups)
    return functions


KNOWN = _closed_forms()

#: Fairlearn's own derived metrics, which all take weights though their signature does not say so.
GENERATED = frozenset(
    getattr(host, name)
    for name in host.__all__
    if name.endswith(("_difference", "_ratio", "_group_min", "_group_max"))
)
