"""Blind errors: the model's own mistakes, made without knowledge of the attribute.

The confusion rates of the model, C(t', t) = P(T^ = t | T = t'), are pooled over all groups and
applied to the truth of each group: P_blind(T^ = t | a) = sum over t' of P(T = t' | a) C(t', t).
A model whose predictions do not depend on the group, given the truth (equalised odds), has these
rates exactly.
"""

from __future__ import annotations

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.metrics.means import rate

#: Confusions of more labels than this are read as the pairs that occur.
MOST_DENSE = 64


def can_be_blind(tables: Tables, role: Role) -> bool:
    """Whether the tables tell which labels of a variable are taken for which others.

    The sums that are kept of a matrix of groups, where there are no rows, do not tell it of labels.
    """
    if not tables.counts.has(role):
        return False
    return tables.values is not None or tables.counts.is_matrix(role) or role.of_attribute


def blind_errors(tables: Tables, role: Role, joint: Array, other: Array) -> Array:
    """Co-occurrences of groups and tasks if one variable is predicted with blind errors.

    Each column of a matrix is a variable of its own, and so has a 2 x 2 confusion matrix of its
    own. Labels are one variable; what a model does not predict of them is an abstention, which no
    label counts. The predictions of each label have the same total as those of the model.

    Parameters
    ----------
    tables : Tables
    role : {"task", "attribute"}
        The variable that is predicted.
    joint : array of shape (..., groups, tasks)
        Weights of its true labels with those of the other variable.
    other : array of shape (..., labels)
        Weights of the labels of the other variable.

    Returns
    -------
    ndarray of float, shape (..., groups, tasks)
    """
    truth, predicted = tables.marginal(role), tables.marginal(role.prediction)
    axis = -2 if role.of_attribute else -1
    if tables.counts.is_matrix(role):
        hits, total = tables.agreement(role), np.asarray(tables.total)[..., None]
        found = _share(hits, truth)
        mistaken = _share(predicted - hits, total - truth)
        found, mistaken = (np.expand_dims(part, -3 - axis) for part in (found, mistaken))
        return found * joint + mistaken * (np.expand_dims(other, axis) - joint)
    if role.of_attribute:
        joint = joint.swapaxes(-1, -2)
    pairs = tables.pairs(role, role.prediction) if truth.shape[-1] > MOST_DENSE else None
    if pairs is None:
        blind = joint @ _share(tables.joint(role, role.prediction), truth[..., None])
    else:
        blind = _by_pairs(joint, truth, *pairs)
    return blind.swapaxes(-1, -2) if role.of_attribute else blind


def _by_pairs(joint: Array, truth: Array, true: Array, predicted: Array, weight: Array) -> Array:
    """The product with a confusion matrix of which only some entries are not 0."""
    out = np.zeros(joint.shape)
    if len(true):
        confusion = _share(weight, truth[..., true])
        starts = np.flatnonzero(np.diff(predicted, prepend=-1))
        moved = joint[..., true] * confusion[..., None, :]
        out[..., predicted[starts]] = np.add.reduceat(moved, starts, axis=-1)
    return out


def _share(part: Array, whole: Array) -> Array:
    """part / whole; 0 for labels that do not occur, whose errors therefore do not count."""
    return np.nan_to_num(rate(part, whole), nan=0.0)
