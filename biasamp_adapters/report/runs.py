"""Several runs of one model, and models in order, from reports."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from biasamp_adapters import words
from biasamp_adapters.auditing.evaluate import ModelAudit, bands_of, draws_of
from biasamp_adapters.counting.labels import ATTRIBUTE, TASK, Array
from biasamp_adapters.counting.margins import margins_of_data
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.inference.bands import NOISE
from biasamp_adapters.inference.intervals import Estimate
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
        If reports of a list have several models, the same rows, or not the same directions, names
        of columns, positive class and confidence. Arrays and pandas have the same rows if labels
        and groups have one order; files, counts and other engines if as many rows of each group
        have each label.

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
    listed: list[Any] = list(reports) if np.iterable(reports) else [reports]
    rule = "over_runs reads a report, or a list of reports of folds"
    for given in listed:
        _check_report(given, rule, words.ONE_AUDIT_OF_SEEDS)
    if not listed:
        raise ValueError(f"{rule}; received no report")
    facts = [{**report.summary["data"], **report.summary["method"]} for report in listed]
    for key in ("directions", "label", "feature", "positive", "confidence"):
        first, *others = dict.fromkeys(f"{x[key]}" for x in facts)
        if others:
            raise ValueError(f"reports must have one {key}; received {first:.60}, {others[0]:.60}")
    audits, are_folds = [report.computed for report in listed], len(listed) > 1
    if are_folds and any(len(audit.models) > 1 for audit in audits):
        raise ValueError("each report of a list must have one model; received one with several")
    digests = [_digest(audit.evaluation.rows) for audit in audits]
    if any(digest is not None and digests.count(digest) > 1 for digest in digests):
        rule = "each report of a list must be of a fold with its own rows; two have the same labels"
        raise ValueError(f"{rule}. {words.ONE_AUDIT_OF_SEEDS}")
    records = []
    for direction in audits[0].members:
        runs = [run for audit in audits for run in audit.by_direction[direction]]
        for name in runs[0].numbers:
            record = {"metric": name, "direction": direction, "runs": len(runs)}
            reason = next(filter(None, (_reason(run, name, are_folds) for run in runs)), "")
            draws = None if are_folds and reason else draws_of(runs, name)
            records.append(record | _mean(draws, runs[0].confidence, are_folds, reason))
    frame = pd.DataFrame(records)
    lowest = np.where(frame["metric"] == "accuracy", 0.0, -1.0)
    return frame.assign(low=frame["low"].clip(lowest), high=frame["high"].clip(upper=1.0))


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

    Raises
    ------
    TypeError
        If the report is none.
    ValueError
        If it has fewer than two models.

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
    if len(report.computed.models) < 2:
        raise ValueError("track needs at least two models, as a dict of epochs to predictions")
    by_direction = report.computed.by_direction.values()
    return pd.DataFrame(record for audits in by_direction for record in _steps(audits))


def _check_report(given: object, rule: str, remedy: str) -> None:
    if not isinstance(given, AuditReport):
        raise TypeError(f"{rule}; received a {type(given).__name__}. {remedy}")


def _digest(rows: Rows) -> object:
    """Return what data of the same rows share; without an order, the sums by group and label."""
    if rows.digest is not None or not rows.has(TASK):
        return rows.digest
    sums = margins_of_data(rows).joint(ATTRIBUTE, TASK)[0]
    pairs = itertools.product(rows.group_labels, rows.class_labels)
    return {pair: f"{x:.9g}" for pair, x in zip(pairs, sums.flat, strict=True) if x}


def _reason(run: ModelAudit, name: str, are_folds: bool) -> str:
    """Return why a run has no interval; of a fold only why it has no value of its own."""
    number = run.numbers.get(name, Estimate(np.nan, reason=words.UNDEFINED))
    if np.isnan(number.value):
        return run.reason or number.reason
    is_given = number.reason == run.ba.measurement.reason_for_0
    return number.reason if is_given or not are_folds else ""


def _mean(
    draws: Sequence[Array] | None, confidence: float, are_folds: bool, reason: str
) -> dict[str, Any]:
    """Return the mean of a number over runs, with its interval or why there is none.

    Folds share rows of training, so only the spread between them is known. Runs on the same rows
    also share the chance of these rows, which replicates show.
    """
    record = {"mean": np.nan, "low": np.nan, "high": np.nan}
    if draws is None:
        return record | {"reason": reason or words.UNDEFINED}
    values, n = np.array([x[0] for x in draws]), len(draws)
    mean = record["mean"] = float(values.mean())
    if n < 2 or reason:
        return record | {"reason": words.ONE_RUN if n < 2 else reason}
    level = (1 + confidence) / 2
    variance = (stdtrit(n - 1, level) * values.std(ddof=1)) ** 2 / n
    if not are_folds:
        of_mean = np.mean([x[1:] for x in draws], axis=0)
        variance += (ndtri(level) * np.nanstd(of_mean)) ** 2
    reach = float(np.sqrt(variance))
    if reach < NOISE:
        return record | {"reason": words.EQUAL_RUNS}
    return record | {"low": mean - reach, "high": mean + reach, "reason": ""}


def _steps(audits: Sequence[ModelAudit]) -> Iterator[dict[str, Any]]:
    """Yield the records of a direction; the steps of one number are one family."""
    first, tail = audits[0], (1 - audits[0].confidence) / 2
    for name in first.numbers:
        draws = draws_of(audits, name)
        if draws is None:
            continue
        table = np.column_stack(draws)
        steps = np.diff(table, axis=1)
        bands = bands_of(steps, name, first)
        step, low, high = (np.insert(x, 0, np.nan) for x in (steps[0], *bands))
        ends = np.full((2, len(audits)), np.nan)
        if len(table) > 1:
            ends = np.nanquantile(table[1:], [tail, 1 - tail], axis=0)
        columns = {
            "value": table[0],
            "low": ends[0],
            "high": ends[1],
            "difference": step,
            "difference_low": low,
            "difference_high": high,
            "clear": (low > 0) | (high < 0),
        }
        for i, audit in enumerate(audits):
            about = {"model": audit.model, "metric": name, "direction": audit.direction}
            yield about | {key: column[i] for key, column in columns.items()}
