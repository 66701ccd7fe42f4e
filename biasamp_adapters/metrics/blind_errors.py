"""Blind errors: the model's own mistakes, made without knowledge of the attribute.

The confusion rates of the model, C(t', t) = P(T^ = t | T = t'), are pooled over all groups and
applied to the truth of each group: P_blind(T^ = t | a) = sum over t' of P(T = t' | a) C(t', t).
A model whose predictions do not depend on the group, given the truth (equalised odds), has these
rates exactly.
"""

from __future__ import annotations

import math

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.metrics.means import rate

#: Confusions of more labels than this are multiplied as the pairs that occur, which then is faster.
MOST_DENSE = 32

#: Unless they are more than this share of all pairs of labels.
_MOST_SPARSE = 1 / 6


def can_be_blind(tables: Tables, role: Role) -> bool:
    """Whether the tables tell which labels of a variable are taken for which others.

    The sums that are kept of a matrix of groups, where there are no rows, do not tell it of labels.
    """
    if not tables.counts.has(role):
        return False
    return tables.crosses_all or tables.counts.is_matrix(role) or role.of_attribute


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
        found = rate(hits, truth, undefined=0.0)
        mistaken = rate(predicted - hits, total - truth, undefined=0.0)
        found, mistaken = (np.expand_dims(part, -3 - axis) for part in (found, mistaken))
        return found * joint + mistaken * (np.expand_dims(other, axis) - joint)
    if role.of_attribute:
        joint = joint.swapaxes(-1, -2)
    pairs = tables.pairs(role, role.prediction) if truth.shape[-1] > MOST_DENSE else None
    if pairs is None:
        blind = joint @ rate(tables.joint(role, role.prediction), truth[..., None], undefined=0.0)
    else:
        blind = _by_pairs(joint, truth, *pairs)
    return blind.swapaxes(-1, -2) if role.of_attribute else blind


def _by_pairs(joint: Array, truth: Array, true: Array, predicted: Array, weight: Array) -> Array:
    """The product with confusion matrices of which only some entries are not 0.

    Those of all tables of a batch are the diagonal blocks of one sparse matrix, unless many entries
    are not 0.
    """
    from scipy.sparse import csc_array

    n_other, n_labels = joint.shape[-2:]
    confusion = rate(weight, truth[..., true], undefined=0.0)
    if len(true) > _MOST_SPARSE * n_labels**2:
        whole = np.zeros((*confusion.shape[:-1], n_labels, n_labels))
        whole[..., true, predicted] = confusion
        return joint @ whole
    tables = np.arange(math.prod(joint.shape[:-2]))[:, None]
    ends = np.searchsorted(true, np.arange(n_labels), side="right")
    blocks = csc_array(
        (
            confusion.reshape(-1),
            (predicted + n_labels * tables).reshape(-1),
            np.append(0, ends + len(true) * tables),
        ),
        shape=(n_labels * len(tables),) * 2,
    )
    by_label = joint.swapaxes(-1, -2)
    out = blocks @ by_label.reshape(-1, n_other)
    return np.asarray(out).reshape(by_label.shape).swapaxes(-1, -2)
