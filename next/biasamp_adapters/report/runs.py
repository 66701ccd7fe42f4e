"""Several runs of one model, and models in order, from reports."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from biasamp_adapters import words
from biasamp_adapters.auditing.runs import mean_over_runs, track_models
from biasamp_adapters.report.audit_report import AuditReport


def over_runs(reports: AuditReport | Sequence[AuditReport]) -> pd.DataFrame:
    """Return means over runs of a model, with intervals.

    Parameters
    ----------
    reports : AuditReport or list of AuditReport
        One report, whose models are runs (seeds) on the same rows; or a report for each fold, with
        one model each. Folds share rows of training, so their interval speaks of these models only.

    Returns
    -------
    DataFrame
        Columns are ``metric`` (BA, mean change, excess, accuracy), ``direction``, ``runs``,
        ``mean``, ``low``, ``high`` and ``reason``.

    Raises
    ------
    ValueError
        If reports of a list have several models, or the same labels in the same order.

    Examples
    --------
    Of 120 rows of group b, the seeds miss 10, 15 and 20 positives: BA is half of these shares.

    >>> import biasamp_adapters as bam
    >>> y_true, groups = [1, 0] * 60 + [1, 0, 0, 0] * 30, ["a"] * 120 + ["b"] * 120
    >>> seeds = {seed: y_true[:-n] + [0] * n for seed, n in [(0, 40), (1, 60), (2, 80)]}
    >>> report = bam.audit(y_true, seeds, sensitive_features=groups)
    >>> bam.over_runs(report).query("metric == 'BA'")[["metric", "runs", "mean"]]
      metric  runs    mean
    0     BA     3  0.0625
    """
    listed = [reports] if isinstance(reports, AuditReport) else list(reports)
    rule = "over_runs reads a report, or a list of reports of folds"
    for given in listed or (reports,):
        _check_report(given, rule, words.ONE_AUDIT_OF_SEEDS)
    return mean_over_runs([report.computed for report in listed])


def track(report: AuditReport) -> pd.DataFrame:
    """Return how numbers change over models in order, such as epochs.

    Parameters
    ----------
    report : AuditReport
        Its models are in order.

    Returns
    -------
    DataFrame
        A row for each model and metric, with ``value``, ``low``, ``high``, and the step from the
        model before: ``difference``, ``difference_low``, ``difference_high`` and ``clear``. The
        bands of all steps of a metric hold at once.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> y_true, groups = [1, 0, 0, 0] * 60, ["a"] * 120 + ["b"] * 120
    >>> epochs = {1: y_true, 2: y_true[:120] + [0] * 120}
    >>> steps = bam.track(bam.audit(y_true, epochs, sensitive_features=groups))
    >>> steps.query("metric == 'accuracy'")[["model", "value", "difference", "clear"]]
      model  value  difference  clear
    4     1  1.000         NaN  False
    5     2  0.875      -0.125   True
    """
    rule = "track reads one report, whose models are in order"
    _check_report(report, rule, "Write track(audit(y_true, {1: pred_1, 2: pred_2}, ...)).")
    return track_models(report.computed)


def _check_report(given: object, rule: str, remedy: str) -> None:
    if not isinstance(given, AuditReport):
        raise TypeError(f"{rule}; received a {type(given).__name__}. {remedy}")
