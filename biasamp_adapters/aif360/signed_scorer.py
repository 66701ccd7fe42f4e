"""A scorer that keeps the sign."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from biasamp_adapters.aif360.functions import metric_function


def make_scorer(
    score_func: Callable[..., float],
    *,
    objective: Literal["signed", "absolute"] = "signed",
    **parameters: Any,
) -> Any:
    """A scorer for ``GridSearchCV`` from a function of this module: greater is better.

    Parameters
    ----------
    score_func : callable
        One of the functions of this module, such as :func:`directional_bias_amplification`, or a
        ``functools.partial`` of it. For all of them, smaller values are better. For AIF360's own
        functions, use ``aif360.sklearn.metrics.make_scorer``.
    objective : {"signed", "absolute"}
        "signed" scores minus the value, which prefers models that reduce bias. "absolute" scores
        minus its size, which prefers models that do not change bias.
    **parameters
        For ``score_func``, such as ``prot_attr="sex"``.

    Returns
    -------
    callable
        A scorer, which can be pickled. It needs ``y`` with the protected attributes in its index.

    Raises
    ------
    ValueError
        For a function that is not of this module, or another objective.

    Notes
    -----
    ``aif360.sklearn.metrics.make_scorer`` uses the size, and its scorers cannot be pickled.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from biasamp_adapters.aif360 import directional_bias_amplification, make_scorer
    >>> sex = pd.Index(["male"] * 50 + ["female"] * 50, name="sex")
    >>> y = pd.Series([0] * 10 + [1] * 40 + [0] * 40 + [1] * 10, index=sex)
    >>> X = [[0]] * 50 + [[1]] * 50
    >>> tree = DecisionTreeClassifier().fit(X, y)
    >>> round(make_scorer(directional_bias_amplification, prot_attr="sex")(tree, X, y), 4)
    -0.2
    """
    from sklearn.metrics import make_scorer as host_scorer

    _check_ours(score_func)
    if objective not in ("signed", "absolute"):
        raise ValueError(f"objective must be 'signed' or 'absolute'; received {objective!r}")
    score = score_func if objective == "signed" else _AbsoluteValue(score_func)
    return host_scorer(score, greater_is_better=False, **parameters)


def _check_ours(function: Any) -> None:
    """Raise unless the function is one of this module, for which smaller values are better."""
    innermost = function
    while isinstance(innermost, partial):
        innermost = innermost.func
    if all(innermost is not function for function in metric_function.metrics):
        raise ValueError(
            "score_func must be a function of biasamp_adapters.aif360, such as "
            f"directional_bias_amplification, or a partial of one; received {function!r} "
            "(aif360.sklearn.metrics.make_scorer is for AIF360's own functions, "
            "sklearn.metrics.make_scorer for others)"
        )


class _AbsoluteValue:
    """The absolute value of a function. Unlike a closure, it can be pickled."""

    def __init__(self, function: Callable[..., float]) -> None:
        self._function = function
        self.__name__ = f"abs({getattr(function, '__name__', 'score')})"

    def __call__(self, *rows: Any, **parameters: Any) -> float:
        return abs(self._function(*rows, **parameters))
