"""``amplification_frame``: count once, measure each stratum, and draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress, cycle
from typing import Any, NamedTuple

import numpy as np

from biasamp_adapters.counting.arrays import Table, read_input
from biasamp_adapters.counting.counts import count_arrays
from biasamp_adapters.counting.labels import ALL, ATTRIBUTE, Array, Label
from biasamp_adapters.counting.margins import margins_of_data
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.fairlearn.frame import AmplificationFrame, Column
from biasamp_adapters.fairlearn.host_functions import measure_host
from biasamp_adapters.inference.replicates import read_seed, replicate
from biasamp_adapters.metrics import functions
from biasamp_adapters.metrics.base import Metric, check_choice, check_whole
from biasamp_adapters.metrics.functions import get_metric
from biasamp_adapters.result import Measurement

#: The metrics of a frame without any; those that the data do not allow are left out.
_ALL = ("MALS", "BA", "Multi", "LA", "DPA")

#: Our functions, whose settings may be bound with ``functools.partial``.
_NAME_OF = {
    functions.mals_bias_amplification: "MALS",
    functions.directional_bias_amplification: "BA",
    functions.multi_attribute_bias_amplification: "Multi",
    functions.leakage_amplification: "LA",
    functions.directional_predictability_amplification: "DPA",
}


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
        one number. By default all metrics of this package that the data allow.
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
        What becomes of rows with missing values.
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
    check_choice("missing", missing, ("error", "drop"))
    inputs = {
        "y_true": _squeeze(y_true, "y_true"),
        "y_pred": _squeeze(y_pred, "y_pred"),
        "sensitive_features": sensitive_features,
        "sensitive_features_pred": sensitive_features_pred,
        "control_features": control_features,
        "sample_weight": sample_weight,
        "clusters": clusters,
    }
    options = {"missing": missing, "missing_values": (), "class_labels": None, "group_labels": None}
    rows = count_arrays(inputs, options)
    if len(rows.models) > 1:
        raise ValueError(f"y_pred must be of one model; received {list(rows.models)}")
    whole = get_metric("BA", reference=reference, missing=missing).evaluate(rows)
    by_name = _read_metrics(metrics, whole)
    confidence = max((abs(2 * quantile - 1) for quantile in quantiles), default=0.95)
    setting = _Setting(_groups(whole), n_boot or 0, read_seed(random_state), confidence)
    columns, notes = dict[Any, list[Column]](), list[str]()
    for evaluation, names in _by_evaluation(by_name, whole, rows, reference).items():
        notes += _measure(evaluation, {name: by_name[name] for name in names}, setting, columns)
    return AmplificationFrame(
        {name: columns[name] for name in by_name},
        _names_of(control_features, "control_feature"),
        _names_of(sensitive_features, "sensitive_feature"),
        is_single=metrics is not None and not isinstance(metrics, Mapping),
        notes=list(dict.fromkeys(filter(None, notes))),
        n_boot=n_boot,
        ci_quantiles=quantiles or None,
    )


class _Setting(NamedTuple):
    """What all columns of a frame have in common."""

    groups: list[tuple[list[Label], Array]]
    n_boot: int
    seed: int
    confidence: float


def _groups(whole: Evaluation) -> list[tuple[list[Label], Array]]:
    """Return the groups that have rows in each stratum, and how many."""
    groups = []
    for stratum in _strata(whole):
        rows = margins_of_data(stratum.rows.unweighted()).joint(ATTRIBUTE, ALL)[0, :, 0]
        groups.append((list(compress(stratum.rows.group_labels, rows > 0)), rows[rows > 0]))
    return groups


def _by_evaluation(
    metrics: Mapping[Any, Any], whole: Evaluation, rows: Rows, reference: Any
) -> dict[Evaluation, list[Any]]:
    """Return names of metrics by what they read: own rows if a metric lists its own labels."""
    names = dict[Evaluation, list[Any]]({whole: []})
    for name, metric in metrics.items():
        own = ("reference", "class_labels", "group_labels") if isinstance(metric, Metric) else ()
        evaluation = whole
        if any(getattr(metric, setting) is not None for setting in own):
            given = reference if metric.reference is None else metric.reference
            evaluation = replace(metric, reference=given).evaluate(rows)
        names.setdefault(evaluation, []).append(name)
    return names


def _measure(
    evaluation: Evaluation,
    metrics: Mapping[Any, Any],
    setting: _Setting,
    columns: dict[Any, list[Column]],
) -> list[str]:
    """Add the columns of metrics, one for each stratum, from the same draws; return notes."""
    parts, notes = _strata(evaluation), list(evaluation.notes)
    measured = [
        (name, part, _measure_stratum(name, metric, part, setting.seed))
        for name, metric in metrics.items()
        for part in parts
    ]
    by_rows: dict[Rows, list[Measurement]] = {}
    for _, part, measurement in measured:
        if setting.n_boot and not measurement.reason_not_to_draw:
            # Metrics of label sets have rows of their own; others read some of all rows.
            is_part = measurement.evaluation is part
            rows = evaluation.rows if is_part else measurement.evaluation.rows
            by_rows.setdefault(rows, []).append(measurement)
    scores, notes_on_draws = replicate(by_rows, setting.n_boot, setting.seed, _score)
    notes += notes_on_draws
    for (name, _, measurement), groups in zip(measured, cycle(setting.groups), strict=False):
        drawn = scores.get(measurement, {})
        column = Column(name, measurement, drawn, *groups, setting.confidence)
        columns.setdefault(name, []).append(column)
        notes += [*column.caveats(), *(column.reasons() if setting.n_boot else [])]
    return notes


def _strata(evaluation: Evaluation) -> list[Evaluation]:
    return list(evaluation.strata()) or [evaluation]


def _measure_stratum(name: Any, metric: Any, evaluation: Evaluation, seed: int) -> Measurement:
    """Return a metric or another function on the rows of a stratum."""
    model = evaluation.rows.models[0]
    if isinstance(metric, Metric):
        return metric.measure(evaluation, model, seed)
    return measure_host(name, metric, evaluation, model)


def _score(measurement: Measurement, *draw: Any) -> dict[str, Array]:
    """Return the scores of a batch of draws, and the numbers of the groups."""
    return {**measurement.score(*draw), "groups": measurement.by_group(*draw)}


def _read_quantiles(n_boot: Any, ci_quantiles: Any) -> list[float]:
    if (n_boot is None) != (ci_quantiles is None):
        raise ValueError(
            "n_boot and ci_quantiles must be given together; received "
            f"n_boot={n_boot!r} and ci_quantiles={ci_quantiles!r:.60}"
        )
    if n_boot is None:
        return []
    check_whole("n_boot", n_boot, 1)
    quantiles = np.ravel(ci_quantiles).tolist()
    if not quantiles or not all(isinstance(x, float) and 0 < x < 1 for x in quantiles):
        rule = "ci_quantiles must be floats between 0 and 1"
        raise ValueError(f"{rule}; received {ci_quantiles!r:.60}")
    return quantiles


def _read_metrics(metrics: Any, whole: Evaluation) -> dict[Any, Any]:
    """Return metrics by their names; without any, those of this package that the data allow."""
    if metrics is None:
        return {name: get_metric(name) for name in _ALL if _is_suitable(name, whole)}
    if not isinstance(metrics, Mapping):
        name = getattr(metrics, "__name__", "metric" if callable(metrics) else str(metrics))
        metrics = {name: metrics}
    if not metrics:
        raise ValueError("metrics must hold at least one metric; received none")
    return {name: _read_metric(metric) for name, metric in metrics.items()}


def _is_suitable(name: str, whole: Evaluation) -> bool:
    try:
        _measure_stratum(name, get_metric(name), whole, 0)
    except ValueError:
        return False
    return True


def _read_metric(metric: Any) -> Any:
    """Return the metric object of a name or of one of our functions; others as they are."""
    if isinstance(metric, str | type):  # Classes are refused there.
        return get_metric(metric)
    if not callable(metric):
        rule = 'metrics must be a metric, its name, or a dict such as {"BA": "BA"}'
        raise ValueError(f"{rule}; received {type(metric).__name__}")
    is_bound = isinstance(metric, partial) and not metric.args
    function, settings = (metric.func, metric.keywords) if is_bound else (metric, {})
    name = next((name for known, name in _NAME_OF.items() if known is function), None)
    return metric if name is None else get_metric(name, **settings)


def _squeeze(values: Any, argument: str) -> Any:
    """Return one column as labels, as MetricFrame reads it, and other values as they are."""
    table = read_input(values, argument)
    return table.column(0) if isinstance(table, Table) and len(table.names) == 1 else values


def _names_of(features: Any, name: str) -> list[str]:
    """Return the names of features, as MetricFrame gives them."""
    if features is None:
        return []
    own_name = features if isinstance(features, str) else getattr(features, "name", None)
    if own_name:
        return [str(own_name)]
    given = read_input(features, name)
    if not isinstance(given, Table) or given.are_groups:
        return [f"{name}_0"]
    is_named = isinstance(features, Mapping) or hasattr(features, "columns")
    return [str(x) if is_named else f"{name}_{i}" for i, x in enumerate(given.names)]
