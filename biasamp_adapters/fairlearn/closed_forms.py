"""The host's metrics that are functions of a 2 x 2 table, for many drawn tables at once.

The host's own functions take a call a table, and those that compare groups build a ``MetricFrame``
in each. Where one is called with its defaults on 0/1 labels, the same number is computed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import fairlearn.metrics as host
import numpy as np
from sklearn.metrics import accuracy_score, zero_one_loss

from biasamp_adapters._typing import Array

Rate = Callable[[Array], Array]


def _share(part: Array, whole: Array) -> Array:
    """part / whole; 0 where nothing is there, as scikit-learn's confusion matrix has it."""
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


def _rate(truth: int, predicted: int) -> Rate:
    def rate(table: Array) -> Array:
        return _share(table[..., truth, predicted], table[..., truth, :].sum(axis=-1))

    return rate


def _accuracy(table: Array) -> Array:
    return _share(table[..., 0, 0] + table[..., 1, 1], table.sum(axis=(-2, -1)))


def _selection_rate(table: Array) -> Array:
    return _share(table[..., :, 1].sum(axis=-1), table.sum(axis=(-2, -1)))


def _error(table: Array) -> Array:
    return _share(table[..., 0, 1] + table[..., 1, 0], table.sum(axis=(-2, -1)))


_TPR, _FPR = _rate(1, 1), _rate(0, 1)

#: Functions of one table, of shape (..., truth, prediction).
_RATES: dict[str, Rate] = {
    "true_positive_rate": _TPR,
    "false_positive_rate": _FPR,
    "true_negative_rate": _rate(0, 0),
    "false_negative_rate": _rate(1, 0),
    "selection_rate": _selection_rate,
    "accuracy_score": _accuracy,
    "zero_one_loss": _error,
}


def _difference(rates: Array) -> Array:
    return np.fmax.reduce(rates, axis=-1) - np.fmin.reduce(rates, axis=-1)


def _ratio(rates: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.fmin.reduce(rates, axis=-1) / np.fmax.reduce(rates, axis=-1)


class ClosedForm(NamedTuple):
    """A host metric as a function of tables.

    Attributes
    ----------
    rates : tuple of functions
    over_groups : function or None
        How the rates of the groups, (..., groups), become one; None for a rate of all rows.
    worst : function
        Which of two rates counts.
    """

    rates: tuple[Rate, ...]
    over_groups: Callable[[Array], Array] | None = None
    worst: Callable[[Array, Array], Array] = np.fmax

    def __call__(self, tables: Array) -> Array:
        """The value of tables of shape (..., groups, 2, 2); NaN without rows."""
        if self.over_groups is None:
            whole = tables.sum(axis=-3)
            return np.where(whole.sum(axis=(-2, -1)) > 0, self.rates[0](whole), np.nan)
        present = tables.sum(axis=(-2, -1)) > 0
        values = [self.over_groups(np.where(present, r(tables), np.nan)) for r in self.rates]
        return values[0] if len(values) == 1 else self.worst(*values)


def _lesser(first: Array, second: Array) -> Array:
    """Python's ``min``, with which the host compares two ratios; NaN stays where it is first."""
    return np.where(second < first, second, first)


def _known() -> dict[Any, ClosedForm]:
    functions: dict[Any, ClosedForm] = {
        accuracy_score: ClosedForm((_accuracy,)),
        zero_one_loss: ClosedForm((_error,)),
    }
    transforms = {
        "": None,
        "_difference": _difference,
        "_ratio": _ratio,
        "_group_min": lambda rates: np.fmin.reduce(rates, axis=-1),
        "_group_max": lambda rates: np.fmax.reduce(rates, axis=-1),
    }
    for name, rate in _RATES.items():
        for suffix, over_groups in transforms.items():
            function = getattr(host, name + suffix, None)
            if function is not None:
                functions[function] = ClosedForm((rate,), over_groups)
    functions |= {
        host.demographic_parity_difference: ClosedForm((_selection_rate,), _difference),
        host.demographic_parity_ratio: ClosedForm((_selection_rate,), _ratio),
        host.equalized_odds_difference: ClosedForm((_TPR, _FPR), _difference),
        host.equalized_odds_ratio: ClosedForm((_TPR, _FPR), _ratio, _lesser),
    }
    for suffix, over_groups in (("difference", _difference), ("ratio", _ratio)):
        # Not in every version that is supported.
        function = getattr(host, f"equal_opportunity_{suffix}", None)
        if function is not None:
            functions[function] = ClosedForm((_TPR,), over_groups)
    return functions


KNOWN = _known()

#: Fairlearn's own derived metrics, which all take weights though their signature does not say so.
GENERATED = frozenset(
    getattr(host, name)
    for name in host.__all__
    if name.endswith(("_difference", "_ratio", "_group_min", "_group_max"))
)
