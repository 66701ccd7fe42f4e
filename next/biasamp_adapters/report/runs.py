"""Several runs of one model, and models in order, from reports."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

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
    """
    listed = [reports] if isinstance(reports, AuditReport) else list(reports)
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
    """
    return track_models(report.computed)
