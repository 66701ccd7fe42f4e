"""``amplification_frame``: count once, measure each stratum, and draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, compress
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters.counting.arrays import name_of, read_input
from biasamp_adapters.counting.counts import columns_among, count_arrays
from biasamp_adapters.counting.labels import ATTRIBUTE, Array, Label
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.fairlearn.frame import AmplificationFrame, Column
from biasamp_adapters.fairlearn.host_functions import HostMetric
from biasamp_adapters.inference.replicates import read_seed, replicate
from biasamp_adapters.metrics import base
from biasamp_adapters.metrics.base import Metric, only_model
from biasamp_adapters.metrics.functions import METRIC_OF, get_metric
from biasamp_adapters.result import Measurement


def amplification_frame(
    *,
    metrics: Mapping[str, Any] | Callable[..., Any] | str | None = None,
    y_true: Any,
    y_pred: Any,
    sensitive_features: Any,
    sensitive_features_pred: Any = None,
    control_features: Any = None,
    reference: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    missing: str = "error",
    n_boot: int | None = None,
    ci_quantiles: Sequence[float] | None = None,
    random_state: Any = 0,
) -> AmplificationFrame:
    """Return a ``MetricFrame`` of bias amplification and other metrics, with intervals.

    It is split by the groups of the attribute itself: ``by_group`` has what each group adds to a
    metric of this package (the mean over its pairs), and other metrics on the rows of each group.

    Parameters
    ----------
    metrics : dict of names to metrics, or one metric, optional
        Names such as "BA", metric objects, functions of this package (settings bound with
        ``functools.partial``), and functions of Fairlearn, scikit-learn or your own, which return
        one number. By default MALS, BA, Multi, LA and DPA where the data allow them, also those of
        T->A with ``sensitive_features_pred``.
    y_true : array-like of shape (rows,) or (rows, labels)
        Labels, or a label matrix of 0 and 1 for metrics of this package.
    y_pred : array-like of the same shape
        Predicted labels, or probabilities, which functions such as ``roc_auc_score`` read.
    sensitive_features : array-like of shape (rows,) or (rows, features), or OverlappingGroups
        Several features are crossed.
    sensitive_features_pred : array-like of shape (rows,), optional
        Predicted groups, for T->A.
    control_features : array-like of shape (rows,) or (rows, features), optional
        Each stratum has its own rows, and the signs of all rows.
    reference : pair (y_true, sensitive_features), Counts or BaseRates, optional
        Data that decide signs, for metrics of this package that have none; by default ``y_true``.
    sample_weight : array-like of shape (rows,), optional
        Functions must then take ``sample_weight``.
    clusters : array-like of shape (rows,), optional
        Rows that belong together, and are drawn as a whole.
    missing : {"error", "drop"}
        What becomes of rows without a label or group; a missing weight or cluster is an error.
    n_boot : int, optional
        Bootstrap replicates, such as 1,000; with ``ci_quantiles``.
    ci_quantiles : list of float, optional
        The ends of intervals, such as ``[0.025, 0.975]`` for a level of 95%. For each, methods such
        as ``difference_ci`` return a number of the form of ``difference``.
    random_state : int, Generator, RandomState or None
        The seed of the replicates; None takes a fresh one.

    Returns
    -------
    AmplificationFrame
        Its ``notes`` say why numbers have no interval.

    Raises
    ------
    ValueError
        If an input cannot be read, or a metric lacks what it needs.

    Examples
    --------
    Of ten positives in group b, none is predicted: BA is the mean of 0 and 10/50.

    >>> from fairlearn.metrics import selection_rate
    >>> from biasamp_adapters.fairlearn import amplification_frame
    >>> y_true = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 50
    >>> frame = amplification_frame(
    ...     metrics={"BA": "BA", "selected": selection_rate},
    ...     y_true=y_true,
    ...     y_pred=y_pred,
    ...     sensitive_features=["a"] * 50 + ["b"] * 50,
    ...     n_boot=1000,
    ...     ci_quantiles=[0.025, 0.975],
    ... )
    >>> frame.by_group
                          BA  selected
    sensitive_feature_0
    a                    0.0       0.8
    b                    0.2       0.0
    >>> low, high = frame.difference_ci()
    >>> print(f"{frame.difference()['BA']:.2f} ({low['BA']:.2f} to {high['BA']:.2f})")
    0.20 (0.09 to 0.31)
    """
    quantiles = _read_quantiles(n_boot, ci_quantiles)
    base.check_choice("missing", missing, ("error", "drop"))
    if sensitive_features is None:
        raise ValueError("sensitive_features must be the group of each row; received None")
    by_name = {} if metrics is None else _read_metrics(metrics)
    usual: Metric = get_metric("BA", reference=reference, missing=missing)
    if by_name and all(isinstance(metric, HostMetric) for metric in by_name.values()):
        # They also read one group, and numbers of a regression.
        usual = HostMetric(short="", function=None, reference=reference, missing=missing)
    rows = count_arrays(columns_among(locals()), usual.reading_options())
    whole = usual.evaluate(rows)
    evaluated = {
        name: (metric, _evaluate(metric, rows, whole, reference))
        for name, metric in (by_name or _suitable_metrics(whole)).items()
    }
    columns, notes = _measure(evaluated, whole, read_seed(random_state), n_boot, quantiles)
    strata = next(iter(columns.values()))
    groups = [group for column in strata for group in column.groups]
    levels = [x.measurement.evaluation.stratum for x in strata for _ in x.groups]
    sensitive = _features(groups, sensitive_features, "sensitive_feature")
    control = _features(levels, control_features, "control_feature")
    is_single = metrics is not None and not isinstance(metrics, Mapping)
    return AmplificationFrame(columns, sensitive, control, is_single, notes, n_boot, quantiles)


def _evaluate(metric: Metric, rows: Rows, whole: Evaluation, reference: Any) -> Evaluation:
    """Return what a metric reads: rows of its own if it lists its own labels or a reference."""
    if all(x is None for x in (metric.reference, metric.class_labels, metric.group_labels)):
        return whole
    given = reference if metric.reference is None else metric.reference
    return replace(metric, reference=given).evaluate(rows)


def _measure(
    evaluated: Mapping[Any, Any], whole: Evaluation, seed: int, n_boot: Any, quantiles: Any
) -> tuple[dict[Any, list[Column]], list[str]]:
    """Return the columns of metrics, one for each stratum, from the same draws, and notes."""
    evaluations = dict.fromkeys([whole, *(evaluation for _, evaluation in evaluated.values())])
    strata = {x: list(x.strata()) or [x] for x in evaluations}
    groups, model = [_groups(x.rows) for x in strata[whole]], only_model(whole.rows)
    measured = {
        name: [metric.measure(stratum, model, seed) for stratum in strata[evaluation]]
        for name, (metric, evaluation) in evaluated.items()
    }
    scores, drawing = replicate(chain.from_iterable(measured.values()), n_boot or 0, seed, _score)
    confidence = max((abs(2 * quantile - 1) for quantile in quantiles), default=0.95)
    columns = {
        name: [
            Column(name, measurement, scores.get(measurement, {}), x, confidence)
            for measurement, x in zip(of_strata, groups, strict=True)
        ]
        for name, of_strata in measured.items()
    }
    notes = [*(note for evaluation in strata for note in evaluation.notes), *drawing]
    for column in chain.from_iterable(columns.values()):
        notes += [*column.caveats(), *(column.reasons() if n_boot else [])]
    return columns, list(dict.fromkeys(filter(None, notes)))


def _groups(rows: Rows) -> list[Label]:
    """Return the groups that have rows."""
    return list(compress(rows.group_labels, rows.variable(ATTRIBUTE).sparse.sum(axis=0) > 0))


def _score(measurement: Measurement, *draw: Any) -> dict[str, Array]:
    """Return the scores of a batch of draws, and the numbers of the groups."""
    return {**measurement.score(*draw), "groups": measurement.by_group(*draw)}


def _features(labels: Sequence[Any], features: Any, name: str) -> pd.DataFrame | None:
    """Return the levels of features, under the names that MetricFrame gives them."""
    if features is None:
        return None
    levels = pd.DataFrame([x if isinstance(x, tuple) else (x,) for x in labels])
    names = features if isinstance(features, str) else name_of(read_input(features, name))
    names = [names] if isinstance(names, str) else names or [f"{name}_{i}" for i in levels]
    return levels.set_axis(list(names), axis=1)


def _read_quantiles(n_boot: Any, ci_quantiles: Any) -> list[float]:
    if (n_boot is None) != (ci_quantiles is None):
        rule = "n_boot and ci_quantiles must be given together"
        raise ValueError(f"{rule}; received {n_boot!r} and {ci_quantiles!r:.60}")
    if n_boot is None:
        return []
    base.check_whole("n_boot", n_boot, 1)
    quantiles = np.ravel(ci_quantiles).tolist()
    if not quantiles or not all(isinstance(x, float) and 0 < x < 1 for x in quantiles):
        rule = "ci_quantiles must be floats between 0 and 1"
        raise ValueError(f"{rule}; received {ci_quantiles!r:.60}")
    return quantiles


def _read_metrics(metrics: Any) -> dict[Any, Metric]:
    """Return metrics by their names."""
    if not isinstance(metrics, Mapping):
        name = getattr(metrics, "__name__", "metric" if callable(metrics) else str(metrics))
        metrics = {name: metrics}
    if not metrics:
        raise ValueError("metrics must hold at least one metric; received none")
    return {name: _read_metric(name, metric) for name, metric in metrics.items()}


def _suitable_metrics(whole: Evaluation) -> dict[Any, Metric]:
    """Return the metrics of this package that some rows allow, by their short names."""
    suitable = dict[Any, Metric]()
    for kind in METRIC_OF.values():
        directions = [{"direction": x} for x in kind.directions if x != base.UNDIRECTED]
        for metric in (kind(**settings) for settings in directions or [{}]):
            with suppress(ValueError):
                metric.measure(whole, only_model(whole.rows), 0)
                suitable[metric.name.removesuffix(f" {base.A_TO_T}")] = metric
    return suitable


def _read_metric(label: Any, metric: Any) -> Metric:
    """Return the metric object of a name or function; those of hosts have the label as name."""
    if isinstance(metric, str | type | Metric):  # Classes are refused there.
        return get_metric(metric)
    if not callable(metric):
        rule = 'metrics must be a metric, its name, or a dict such as {"BA": "BA"}'
        raise ValueError(f"{rule}; received {type(metric).__name__}")
    is_bound = isinstance(metric, partial) and not metric.args
    function, settings = (metric.func, metric.keywords) if is_bound else (metric, {})
    if function in METRIC_OF:
        return get_metric(METRIC_OF[function].short, **settings)
    return HostMetric(short=str(label), function=metric)
