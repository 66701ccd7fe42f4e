"""The synthetic designs of the papers, for which the right value of a metric is known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from biasamp_adapters._typing import RandomState, generator, is_whole

if TYPE_CHECKING:
    import pandas as pd


def make_alpha_shift(
    alpha_dataset: float,
    alpha_model: float,
    *,
    n_samples: int | None = None,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """Make a dataset and predictions for it, each with a given bias.

    Without bias each pair of a binary attribute and a binary task has the probability 1/4. A shift
    of alpha adds alpha to the pair (0, 0) and takes it from the pair (1, 1). The dataset has one
    shift. The model's predictions for its rows have the rates of another shift: the rate of the
    task given the attribute, and of the attribute given the task.

    Parameters
    ----------
    alpha_dataset, alpha_model : float
        The shifts, each above -.25 and below .25; 0 is balanced.
    n_samples : int, optional
        The number of rows to draw. Without it nothing is drawn: there is a row for each of the
        16 combinations, and its probability is its weight.
    random_state : int or numpy Generator, optional
        The seed of the draw; None is 0.

    Returns
    -------
    DataFrame
        The columns ``task``, ``attribute``, ``task_pred`` and ``attribute_pred``, of 0 and 1, and
        ``weight``, which is 1 for rows that were drawn.

    Raises
    ------
    ValueError
        If a shift leaves a cell without probability, or ``n_samples`` is not a positive whole
        number.

    References
    ----------
    [T25] Appendix J. It leaves open how the model's table meets the dataset's rows, whose groups
    have other sizes; here its conditional rates are used. Note that a positive alpha fills the pair
    (0, 0) and yet correlates it negatively: (.25 + alpha)(.25 - alpha) is below .25 squared.

    Examples
    --------
    >>> from biasamp_adapters import DirectionalBiasAmplification
    >>> from biasamp_adapters.datasets import make_alpha_shift
    >>> rows = make_alpha_shift(0.05, 0.1)
    >>> value = DirectionalBiasAmplification()(
    ...     rows["task"],
    ...     rows["task_pred"],
    ...     sensitive_features=rows["attribute"],
    ...     sample_weight=rows["weight"],
    ... )
    >>> round(value, 4)  # ((.25 / .40 - .25 / .45) - (.35 / .60 - .30 / .55)) / 2
    0.0158
    """
    import pandas as pd

    for name, alpha in {"alpha_dataset": alpha_dataset, "alpha_model": alpha_model}.items():
        if not -0.25 < alpha < 0.25:
            raise ValueError(f"{name} must lie between -.25 and .25; received {alpha!r}")
    rows = np.indices((2, 2, 2, 2)).reshape(4, -1).T
    task, attribute, task_pred, attribute_pred = rows.T
    dataset, model = _shifted(alpha_dataset), _shifted(alpha_model)
    of_task = model / model.sum(axis=0)  # the task given the attribute
    of_attribute = model / model.sum(axis=1, keepdims=True)
    weight = dataset[task, attribute] * of_task[task_pred, attribute]
    weight *= of_attribute[task, attribute_pred]
    if n_samples is not None:
        _require_rows(n_samples, 1)
        drawn = generator(random_state).choice(len(rows), n_samples, p=weight / weight.sum())
        rows, weight = rows[drawn], np.ones(n_samples)
    names = ["task", "attribute", "task_pred", "attribute_pred"]
    return pd.DataFrame(rows, columns=names).assign(weight=weight)


def make_hidden_bias(
    n_samples: int = 1000,
    *,
    strength: float = 0.2,
    frequency: float = 0.5,
    noise: float = 1.0,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """Make a balanced dataset whose bias lies in a feature without labels.

    Each pair of a binary attribute and a binary task has equally many rows, so labels show no
    bias. The feature ``signal`` depends on the task only, and not on the attribute. The feature
    ``shortcut`` reveals the task in some rows, and more often if attribute and task are equal. A
    model that learns the shortcut gets these rows right and errs in others, and so predicts 1 more
    often in group 1, although the labels are balanced.

    Parameters
    ----------
    n_samples : int, default 1000
        The number of rows, a multiple of 4.
    strength : float, default 0.2
        How much more often rows in which attribute and task are equal have the shortcut.
    frequency : float, default 0.5
        The share of all rows that have it.
    noise : float, default 1.0
        The standard deviation of ``signal`` around -1 for task 0 and 1 for task 1. A model that
        uses the signal alone is right in a share of Phi(1 / noise) of the rows.
    random_state : int or numpy Generator, optional
        The seed; None is 0.

    Returns
    -------
    DataFrame
        The columns ``signal``, ``shortcut`` (-1 reveals task 0, 1 reveals task 1, 0 reveals
        nothing), ``task`` and ``attribute``.

    Raises
    ------
    ValueError
        If ``n_samples`` is not a positive multiple of 4, if a share of rows with the shortcut
        falls outside of 0 to 1, or if ``noise`` is not a positive number.

    Notes
    -----
    The shortcut is in ``frequency + strength / 2`` of the rows of the pairs (0, 0) and (1, 1), and
    in ``frequency - strength / 2`` of the others, rounded to whole rows. A model that follows it
    where it is, and tells other rows apart with probability q, predicts 1 in a share of
    ``1/2 + strength (1 - q) / 2`` of group 1, and as much less than 1/2 in group 0.

    References
    ----------
    After [T25] Appendix F, one-pixel shortcuts in images: ``strength`` is its L.

    Examples
    --------
    >>> from biasamp_adapters import DirectionalBiasAmplification
    >>> from biasamp_adapters import MultiAttributeBiasAmplification
    >>> from biasamp_adapters.datasets import make_hidden_bias
    >>> rows = make_hidden_bias(strength=0.4)
    >>> score = rows["shortcut"].where(rows["shortcut"] != 0, rows["signal"])
    >>> y_pred = (score > 0).astype(int)
    >>> DirectionalBiasAmplification()(rows["task"], y_pred, sensitive_features=rows["attribute"])
    0.0
    >>> multi = MultiAttributeBiasAmplification()  # .4 (1 - Phi(1)) / 2 = .032, and noise
    >>> round(multi(rows["task"], y_pred, sensitive_features=rows["attribute"]), 3)
    0.036
    """
    import pandas as pd

    _require_rows(n_samples, 4)
    # Shares of rows with the shortcut: where attribute and task differ, where they are equal.
    shares = np.array([frequency - strength / 2, frequency + strength / 2])
    if not ((shares >= 0) & (shares <= 1)).all():
        raise ValueError(
            "frequency + strength / 2 and frequency - strength / 2 must lie between 0 and 1; "
            f"received frequency={frequency!r} and strength={strength!r}"
        )
    if not 0 < noise < math.inf:
        raise ValueError(f"noise must be a positive number; received {noise!r}")
    draw = generator(random_state)
    part = n_samples // 4
    task = np.repeat([0, 0, 1, 1], part)
    attribute = np.tile(np.repeat([0, 1], part), 2)
    has_shortcut = np.tile(np.arange(part), 4) < np.round(shares * part)[(task == attribute) * 1]
    shortcut = np.where(has_shortcut, 2 * task - 1, 0)
    columns = {
        "signal": 2 * task - 1 + draw.normal(scale=noise, size=n_samples),
        "shortcut": shortcut,
        "task": task,
        "attribute": attribute,
    }
    shuffled = draw.permutation(n_samples)
    return pd.DataFrame(columns).iloc[shuffled].reset_index(drop=True)


def _shifted(alpha: float) -> np.ndarray:
    """The probabilities of task (rows) and attribute (columns)."""
    return np.array([[0.25 + alpha, 0.25], [0.25, 0.25 - alpha]])


def _require_rows(n_samples: int, multiple: int) -> None:
    if not (is_whole(n_samples) and n_samples > 0 and n_samples % multiple == 0):
        rule = "a positive whole number" if multiple == 1 else f"a positive multiple of {multiple}"
        raise ValueError(f"n_samples must be {rule}; received {n_samples!r}")
