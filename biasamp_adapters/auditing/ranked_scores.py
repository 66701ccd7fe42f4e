"""The scores of an audit, as arrays or counts, ranked by the thresholds of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from biasamp_adapters._roles import Inputs, Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts import Counts, JointCounts, count_arrays
from biasamp_adapters.counts.clusters import by_content
from biasamp_adapters.counts.labels import lookup
from biasamp_adapters.counts.probabilities import lower_ends
from biasamp_adapters.counts.sources import is_mapping
from biasamp_adapters.counts.variables import ATTRIBUTE, TASK
from biasamp_adapters.inputs.order import warn_of_order
from biasamp_adapters.thresholds.scores import read_scores
from biasamp_adapters.thresholds.swept import Swept

#: Shares of rows predicted positive at which a score is evaluated: 1/50, 2/50 and so on. They are
#: slightly smaller, because 600 * .14 rounds to above 84.
LEVELS = np.arange(1, 51) / 50 * (1 - 1e-12)

#: A function of a model and its score. It returns counts whose predictions, of the task or of the
#: attribute, are the position of the first threshold that a row reaches, and the thresholds, the
#: highest first.
Rank: TypeAlias = Callable[[str, Any], tuple[Counts, Array]]


class Scores(NamedTuple):
    """The scores of an audit, of the task or of the attribute.

    Attributes
    ----------
    swept : Swept
        What the scores predict.
    given : score, or mapping from models
    rank : callable
        The function that counts the scores of a model.
    """

    swept: Swept
    given: Any
    rank: Rank


def given_scores(
    y_score: Any, attribute_score: Any, pos_group: Label | None
) -> Iterator[tuple[Swept, Any]]:
    """The scores that are given, of the task and of the attribute, with what they predict.

    Raises
    ------
    ValueError
        If a positive group is given without scores of it.
    """
    if pos_group is not None and attribute_score is None:
        raise ValueError(f"pos_group is for attribute_score; received {pos_group!r} without scores")
    if y_score is not None:
        yield Swept(), y_score
    if attribute_score is not None:
        yield Swept(Role.ATTRIBUTE_PREDICTION, pos_group), attribute_score


def scores_of_arrays(
    counts: Counts, swept: Swept, given: Any, inputs: Inputs, **options: Any
) -> Scores:
    """Scores that are arrays.

    Parameters
    ----------
    counts : Counts
        What is audited.
    swept : Swept
        What the scores predict.
    given : array-like of shape (n,), or mapping from models
    inputs : Inputs
        The arrays that were counted.
    **options
        ``labels``, ``groups`` and ``missing``, with which they were counted.
    """

    def rank(model: str, score: Any) -> tuple[Counts, Array]:
        thresholds, ranks = read_ranks(counts, swept, score, ("y_true", inputs.y_true))
        ranked = inputs._replace(y_pred=ranks, sensitive_features_pred=None)
        if swept.role.of_attribute:
            y_pred = inputs.y_pred[model] if is_mapping(inputs.y_pred) else inputs.y_pred
            ranked = inputs._replace(y_pred=y_pred, sensitive_features_pred=ranks)
        if counts.is_matrix(Role.TASK):
            return count_arrays(ranked, **without_list(options, swept)), thresholds
        return JointCounts.from_arrays(
            *ranked, **without_list(options, swept), by_weight=True
        ), thresholds

    return Scores(swept, given, rank)


def read_ranks(
    counts: Counts, swept: Swept, score: Any, rows: tuple[str, Any] | None = None
) -> tuple[Array, Array]:
    """The thresholds of a score in memory, the highest first, and the first each row reaches.

    Parameters
    ----------
    counts : Counts
        What is audited.
    swept : Swept
    score : array-like of shape (n,)
    rows : (argument, values), optional
        Another argument, whose rows must be in the same order.

    Raises
    ------
    ValueError
        If there is not one finite number for each row.
    """
    argument = swept.argument
    warn_of_order([*([] if rows is None else [rows]), (argument, score)])
    values, _ = read_scores(score, argument)
    n_rows = counts.n_rows + counts.dropped
    if values.shape != (n_rows,):
        raise ValueError(
            f"{argument} must be a vector with a score for each of {n_rows} rows; received the "
            f"shape {values.shape}"
        )
    return _ranks(values, np.ones(n_rows))


def without_list(options: Mapping[str, Any], swept: Swept) -> dict[str, Any]:
    """Options of counting without the list of labels that ranks take the place of."""
    return {name: value for name, value in options.items() if name != swept.role.domain}


def scores_of_counts(counts: Counts, y_score: Any) -> Scores:
    """Scores that are counts.

    Parameters
    ----------
    counts : Counts
        What is audited.
    y_score : JointCounts, or mapping from models
        Counts of the same rows, with the score in place of the prediction.
    """

    def rank(model: str, score: Any) -> tuple[Counts, Array]:
        if not isinstance(score, JointCounts) or len(score.models) != 1:
            shown = repr(score) if isinstance(score, Counts) else f"a {type(score).__name__}"
            raise ValueError(
                "y_score of counts must be JointCounts with one column of scores as the "
                f"prediction; received {shown}"
            )
        if _of_truth(score) != _of_truth(counts):
            raise ValueError(
                "y_score must count the rows that are audited, by the same attribute and task, "
                f"with their weights and clusters; received {score!r} for {counts!r}"
            )
        return _ranked(score)

    return Scores(Swept(), y_score, rank)


def _of_truth(counts: Counts) -> tuple[dict[tuple[Label, Label], int], bool, int | None]:
    """What counts of the same rows share.

    The number of rows of each group with each true label, whether they have weights, and the
    number of their clusters.
    """
    table = counts.unweighted().tables().joint(Role.ATTRIBUTE, Role.TASK)
    n_rows = {
        (counts.groups[group], counts.labels[label]): int(table[group, label])
        for group, label in np.argwhere(table)
    }
    return n_rows, counts.weighted, counts.n_clusters


def _ranked(score: JointCounts) -> tuple[JointCounts, Array]:
    """Counts with the rank of the threshold in place of the score, and the thresholds."""
    predicted = score.axis(Role.PREDICTION, score.first_model)
    if n := score.abstentions(Role.PREDICTION, score.first_model):
        raise ValueError(f"y_score must not be missing; received {n} row(s) without a score")
    axes = (ATTRIBUTE, TASK, predicted)
    rows = score.values.rows.of_axes(axes)
    step = score.probability_step
    # At the lower end of a step, all rows whose probabilities were merged in it are on one side.
    levels = score.levels if step is None else lower_ends(score.levels, step)
    # After the labels come the abstention, which is no score, and probabilities.
    of_codes = [*score.labels, None, *levels.tolist()]
    codes, which = np.unique(rows.codes[predicted], return_inverse=True)
    values, _ = read_scores([of_codes[code] for code in codes.tolist()])
    thresholds, ranks = _ranks(values[which], rows.n)
    seen = score.seen(Role.TASK)
    truths = [label for label in score.labels if label in seen]
    labels = (*truths, *(rank for rank in range(len(thresholds)) if rank not in truths))
    codes_of_truth = lookup(score.labels, labels)[rows.codes[TASK]]
    codes_of_rank = lookup(range(len(thresholds)), labels)[ranks]
    recoded = {**rows.codes, TASK: codes_of_truth, predicted: codes_of_rank}
    ranked = replace(
        score,
        labels=labels,
        axes=axes,
        # Clusters are numbered by what they hold, which is ranks now.
        rows=by_content(replace(rows, codes=recoded).merged()),
        levels=np.zeros(0),
        probability_step=None,
        soft_axes=frozenset(),
    )
    return ranked, thresholds


def _ranks(values: Array, n: Array) -> tuple[Array, Array]:
    """The thresholds, the highest first, and the first that each of the values reaches.

    Parameters
    ----------
    values : ndarray of float, shape (k,)
        Scores.
    n : ndarray, shape (k,)
        Number of rows with each of them.
    """
    distinct, which = np.unique(-values, return_inverse=True)
    reached = np.cumsum(np.bincount(which, n))
    first = np.unique(np.searchsorted(reached, LEVELS * reached[-1]))
    # The sum turns -0.0 into 0.0.
    return -distinct[first] + 0.0, np.searchsorted(first, which)
