"""How wrong the labels of groups may be before BA says something else.

A labeller gives group b to rows of group a with the probability M[a, b], whatever their class and
predictions are. Counts by labels are then M^T times the counts by groups, so the inverse of M gives
the counts by groups, and BA reads nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters import words
from biasamp_adapters.counting.labels import ATTRIBUTE, Array, Label, listing
from biasamp_adapters.counting.variables import Block
from biasamp_adapters.inference.replicates import read_seed, replicate
from biasamp_adapters.metrics.rates import DirectionalBiasAmplification, RateMeasurement
from biasamp_adapters.result import AmplificationResult

#: Differences that sums of floats may make.
_ROUNDING = 1e-9

_COLUMNS = ["error", "value", "low", "high", "turned", "note"]


def label_error_sensitivity(
    result: AmplificationResult, errors: Any, *, random_state: Any = 0
) -> pd.DataFrame:
    """Return what BA would be if the labels of groups are wrong as often as ``errors`` say.

    Groups are often labels that a classifier or an annotator gave. If it is known how often these
    are wrong, the counts by true groups follow from those by labels, and BA from them.

    Parameters
    ----------
    result : AmplificationResult
        Of ``DirectionalBiasAmplification``, with the labels of the data as reference. The labels
        of ``sensitive_features`` are those that may be wrong, not predicted groups. Replicates
        are as many as it has.
    errors : float, mapping or DataFrame, or list of them
        A number is the share of rows of each group that have a wrong label, each other one equally
        often. A mapping gives this share for each group, 0 where a group is not named. A DataFrame
        has the probabilities of labels (columns) given the group (rows).
    random_state : int, Generator or None
        All errors read the same draws.

    Returns
    -------
    DataFrame
        A row without errors, and one for each of ``errors``: ``error``; ``value``, ``low`` and
        ``high`` of BA; ``turned``, whether the interval lies on another side of 0 than in the
        first row (without intervals, the value); and ``note``.

    Raises
    ------
    ValueError
        If the result is of another metric, or errors are no probabilities, name unknown groups, or
        make a label likelier in another group than in its own.

    Notes
    -----
    The errors are taken as known, and must depend on the group alone, not on the class nor on what
    is predicted. Errors that depend on the class can make amplification or hide it, and no rate of
    errors tells. With two groups, labels shrink BA A->T by the factor (share of labels "a" that are
    right + the same of "b" - 1), so that it never changes its side of 0.

    References
    ----------
    Zhu et al., "Weak Proxies are Sufficient and Preferable for Fairness with Missing Sensitive
    Attributes", ICML 2023, calibrate measures of fairness by such a matrix.

    Examples
    --------
    Of 500 rows labelled a and 500 labelled b, 400 and 100 are predicted positive, where 300 and 200
    are. BA among labels is 0.2; the factor is 0.8 for errors of 0.1, and 0.6 for 0.2:

    >>> import biasamp_adapters as bam
    >>> y_true = [1] * 300 + [0] * 200 + [1] * 200 + [0] * 300
    >>> y_pred, groups = [1] * 400 + [0] * 100 + [1] * 100 + [0] * 400, ["a"] * 500 + ["b"] * 500
    >>> metric = bam.DirectionalBiasAmplification()
    >>> result = metric.result(y_true, y_pred, sensitive_features=groups, n_boot=500)
    >>> table = bam.studies.label_error_sensitivity(result, [0.1, 0.2])
    >>> table[["error", "value", "turned"]].round(3)
      error  value  turned
    0     0  0.200   False
    1   0.1  0.250   False
    2   0.2  0.333   False
    """
    measurement: Any = getattr(result, "measurement", None)
    if not isinstance(getattr(measurement, "metric", None), DirectionalBiasAmplification):
        received = getattr(result, "metric", result)
        raise ValueError(f"result must be of BA; received {received!r:.60}")
    evaluation = measurement.evaluation
    has_reference = evaluation.reference is not None or evaluation.base_rates is not None
    has_rows = evaluation.rows.block_sums is None and not evaluation.rows.is_matrix(ATTRIBUTE)
    if has_reference or not has_rows:
        raise ValueError("result must have no reference, and one group for each row")
    listed = [0, *(errors if isinstance(errors, list | tuple) else [errors])]
    corrected = [_correct(measurement, error) for error in listed]
    scores, _ = replicate(corrected, result.n_boot, read_seed(random_state))
    table = pd.DataFrame([_row(x, scores.get(x, {}), result.confidence) for x in corrected])
    sides = sum(np.sign(table[end].fillna(table["value"]).round(9)) for end in ("low", "high"))
    turned = (sides != sides[0]) & table["value"].notna()
    return table.assign(error=pd.Series(listed, dtype=object), turned=turned)[_COLUMNS]


def _correct(measurement: RateMeasurement, error: Any) -> RateMeasurement:
    """Return a measurement without an error of labels: each row has a share in every group."""
    metric: DirectionalBiasAmplification = measurement.metric
    rows = measurement.evaluation.rows
    labels: Any = rows.variable(ATTRIBUTE)
    inverse = np.linalg.inv(_channel(error, labels.labels))
    groups = Block(labels.labels, inverse[labels.codes], labels.missing, is_matrix=False)
    rows = replace(rows, variables=rows.variables | {(ATTRIBUTE, None): groups})
    return metric.measure(replace(measurement.evaluation, rows=rows), measurement.model, 0)


def _channel(error: Any, groups: Sequence[Label]) -> Array:
    """Return the probabilities of labels given the group, (groups, labels)."""
    n, received = len(groups), f"received {error!r:.60}".replace("\n", " ")
    if isinstance(error, pd.DataFrame):
        channel = error.reindex(index=[*groups], columns=[*groups]).to_numpy(float)
    else:
        wrong = error if isinstance(error, Mapping) else dict.fromkeys(groups, error)
        if not {*wrong} <= {*groups}:
            raise ValueError(f"errors must name {listing(groups)}; {received}")
        known = pd.Series([wrong.get(group, 0) for group in groups])
        shares = pd.to_numeric(known, errors="coerce").to_numpy(float)
        channel = np.repeat(shares[:, None] / (n - 1), n, axis=1)
        np.fill_diagonal(channel, 1 - shares)
    is_share = (channel >= 0).all() and np.allclose(channel.sum(axis=1), 1, atol=1e-6)
    if not is_share or (channel >= np.diagonal(channel)).sum() > n:
        rule = "errors must be shares by group, and leave each label likeliest in its own group"
        raise ValueError(f"{rule}; {received}")
    return channel


def _row(measurement: RateMeasurement, drawn: dict[str, Any], confidence: float) -> dict[str, Any]:
    """Return the numbers of one error; none if a group would have no rows."""
    result = measurement.result(drawn, (), confidence)
    rates = np.stack(measurement.rates(measurement.margins, None))
    k = int((np.abs(rates - 0.5) > 0.5 + _ROUNDING).sum())
    outside = [words.IMPOSSIBLE_RATES.format(k=k, n=rates.size)] if k else []
    ba, note = result.estimate, "; ".join([*outside, *result.notes])
    return {"value": ba.value, "low": ba.low, "high": ba.high, "note": note}
