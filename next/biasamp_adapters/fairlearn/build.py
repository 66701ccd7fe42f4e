"""``amplification_frame``: count once, measure each stratum, and draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from biasamp_adapters import words
from biasamp_adapters.counting.arrays import Table, read_input
from biasamp_adapters.counting.counts import count_arrays
from biasamp_adapters.counting.labels import ALL, ATTRIBUTE, Array, name_list
from biasamp_adapters.counting.margins import margins_of_data
from biasamp_adapters.counting.reference import Evaluation, align, read_reference
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.fairlearn.columns import AmplificationColumn, HostColumn, read_metric
from biasamp_adapters.fairlearn.frame import AmplificationFrame
from biasamp_adapters.figures import agree
from biasamp_adapters.inference.intervals import FEW_ROWS
from biasamp_adapters.inference.replicates import read_seed, replicate
from biasamp_adapters.metrics.base import Metric, check_choice, check_whole
from biasamp_adapters.metrics.functions import get_metric

#: The metrics of a frame without any; those that the data do not allow are left out.
_ALL = ("MALS", "BA", "Multi", "LA", "DPA")


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
        Metric objects, functions of this package (settings bound with ``functools.partial``), names
        such as "BA", and functions of Fairlearn, scikit-learn or your own, which return one number.
    y_true, y_pred : array-like of shape (rows,) or (rows, columns)
        Labels, or a label matrix of 0 and 1 for metrics of this package.
    sensitive_features : array-like of shape (rows,) or several columns, which are crossed
    sensitive_features_pred : array-like, optional
        Predicted groups, for T->A.
    control_features : array-like, optional
        Each stratum has its own rows, and the signs of all rows.
    reference : pair (y_true, sensitive_features), Counts or BaseRates, optional
        For metrics of this package that have none.
    sample_weight, clusters : array-like of shape (rows,), optional
    missing : {"error", "drop"}
    n_boot : int, optional
        Bootstrap replicates; with ``ci_quantiles``.
    ci_quantiles : list of float, optional
        Such as ``[0.025, 0.975]``.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    AmplificationFrame

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
    ... )
    >>> frame.by_group
                          BA  selected
    sensitive_feature_0
    a                    0.0       0.8
    b                    0.2       0.0
    """
    _check_draws(n_boot, ci_quantiles)
    check_choice("missing", missing, ("error", "drop"))
    columns = {
        "y_true": y_true,
        "y_pred": y_pred,
        "sensitive_features": sensitive_features,
        "sensitive_features_pred": sensitive_features_pred,
        "control_features": control_features,
        "sample_weight": sample_weight,
        "clusters": clusters,
    }
    options = {"missing": missing, "missing_values": (), "class_labels": None, "group_labels": None}
    rows = count_arrays(columns, options)
    whole = align(rows, read_reference(reference, None, options), options)
    by_name = _read_metrics(metrics, whole)
    parts: list[_Part] = []
    for name, metric in by_name.items():
        of_metric = whole
        if isinstance(metric, Metric) and metric.reference is not None:
            of_metric = align(rows, read_reference(metric.reference, None, options), options)
        for stratum in list(of_metric.strata()) or [of_metric]:
            parts.append(_Part(name, _measure(name, metric, stratum), of_metric))
    drawn, notes = _draw(parts, n_boot or 0, read_seed(random_state))
    confidence = abs(2 * max(ci_quantiles) - 1) if ci_quantiles else 0.95
    strata = list(whole.strata()) or [whole]
    sizes = [_sizes(stratum) for stratum in strata]
    numbers: dict[str, list[dict[str, Array]]] = {}
    for part, scores in zip(parts, drawn, strict=True):
        of_stratum = numbers.setdefault(part.name, [])
        found, reasons = _numbers(part.column, scores, sizes[len(of_stratum)], confidence)
        of_stratum.append(found)
        notes += [f"{part.name}: {reason}" for reason in reasons]
    keys = [
        (*_levels(stratum.stratum), *_levels(group))
        for stratum, rows_of_groups in zip(strata, sizes, strict=True)
        for group in compress(stratum.rows.group_labels, rows_of_groups > 0)
    ]
    controls = _names_of(control_features, "control_feature")
    names = [*controls, *_names_of(sensitive_features, "sensitive_feature")]
    metrics_of_host = {part.name: part.column for part in parts}
    return AmplificationFrame(
        is_single=metrics is not None and not isinstance(metrics, Mapping),
        features=pd.DataFrame(keys, columns=names),
        n_controls=len(controls),
        numbers=numbers,
        sizes=[x[x > 0] for x in sizes],
        signed=[
            name for name, x in by_name.items() if isinstance(x, Metric) and x.short != "Multi"
        ],
        rates=[name for name, x in metrics_of_host.items() if x.rate is not None],
        notes=list(dict.fromkeys(filter(None, [*whole.notes, *notes]))),
        n_boot=n_boot,
        ci_quantiles=ci_quantiles,
    )


class _Part(NamedTuple):
    """A metric in one stratum, and all rows, of which the stratum is a part."""

    name: str
    column: Any
    whole: Evaluation


def _check_draws(n_boot: Any, ci_quantiles: Any) -> None:
    if (n_boot is None) != (ci_quantiles is None):
        raise ValueError(
            "n_boot and ci_quantiles must be given together; received "
            f"n_boot={n_boot!r} and ci_quantiles={ci_quantiles!r:.60}"
        )
    if n_boot is not None:
        check_whole("n_boot", n_boot, 1)
        valid = [isinstance(q, float | np.floating) and 0 < q < 1 for q in ci_quantiles]
        if not valid or not all(valid):
            rule = "ci_quantiles must be floats between 0 and 1"
            raise ValueError(f"{rule}; received {ci_quantiles!r:.60}")


def _read_metrics(metrics: Any, whole: Evaluation) -> dict[str, Any]:
    """Return metrics by their names; without any, those of this package that the data allow."""
    if metrics is None:
        model = _model(whole)
        return {name: get_metric(name) for name in _ALL if _is_suitable(name, whole, model)}
    if not isinstance(metrics, Mapping):
        metrics = {getattr(metrics, "__name__", str(metrics)): metrics}
    if not metrics:
        raise ValueError("metrics must hold at least one metric; received none")
    return {name: read_metric(metric) for name, metric in metrics.items()}


def _is_suitable(name: str, whole: Evaluation, model: str) -> bool:
    try:
        get_metric(name).measure(whole, model, 0)
    except ValueError:
        return False
    return True


def _model(evaluation: Evaluation) -> str:
    models = evaluation.rows.models
    if len(models) > 1:
        raise ValueError(f"y_pred must be of one model; received {list(models)}")
    return models[0]


def _measure(name: str, metric: Any, evaluation: Evaluation) -> AmplificationColumn | HostColumn:
    if isinstance(metric, Metric):
        return AmplificationColumn(metric.measure(evaluation, _model(evaluation), 0))
    return HostColumn(name, metric, evaluation, _model(evaluation))


def _draw(
    parts: Sequence[_Part], n_boot: int, seed: int
) -> tuple[list[dict[str, Array]], list[str]]:
    """Return the replicates of each part, and notes; those of the same rows share their draws."""
    drawn: list[dict[str, Array]] = [{} for _ in parts]
    notes: list[str] = []
    by_rows: dict[int, list[int]] = {}
    for i, part in enumerate(parts if n_boot else ()):
        if not part.column.reason_not_to_draw:
            by_rows.setdefault(id(_rows_drawn(part)), []).append(i)
    for positions in by_rows.values():
        columns, first = [parts[i].column for i in positions], parts[positions[0]]
        reference = next((x.evaluation.reference for x in columns if x.reads_reference), None)
        scores, note = replicate(columns, _rows_drawn(first), reference, n_boot, seed)
        notes.append(note)
        for i, of_column in zip(positions, scores, strict=True):
            drawn[i] = of_column
    return drawn, notes


def _rows_drawn(part: _Part) -> Rows:
    """Return the rows that are drawn: all of which a stratum is a part."""
    evaluation = part.column.evaluation
    return part.whole.rows if evaluation.stratum is not None else evaluation.rows


def _sizes(evaluation: Evaluation) -> Array:
    """Return the rows of each group."""
    return margins_of_data(evaluation.rows.unweighted()).joint(ATTRIBUTE, ALL)[0, :, 0]


def _numbers(
    column: Any, scores: dict[str, Array], sizes: Array, confidence: float
) -> tuple[dict[str, Array], list[str]]:
    """Return the numbers of the data and then of the replicates, and why some have no interval."""
    point, reasons = column.point(), []
    value, groups = np.atleast_1d(point["value"]), point["groups"][None]
    if scores:
        value_draws, reason = column.trusted(scores, confidence)
        of_groups = np.where(sizes < FEW_ROWS, np.nan, scores["groups"])
        value, groups = np.r_[value, value_draws], np.vstack([groups, of_groups])
        small = list(
            compress(column.evaluation.rows.group_labels, (sizes > 0) & (sizes < FEW_ROWS))
        )
        reasons = [reason]
        if small:
            have = f"{name_list(small)} {agree(len(small), 'has', 'have')}"
            reasons.append(words.FEW_OF_A_KIND.format(have=have, n=FEW_ROWS, unit="rows"))
    return {"value": value, "groups": groups[:, sizes > 0]}, [x for x in reasons if x]


def _levels(label: Any) -> tuple[Any, ...]:
    """Return the levels of a label, one for each column that was crossed."""
    if label is None:
        return ()
    return label if isinstance(label, tuple) else (label,)


def _names_of(features: Any, name: str) -> list[str]:
    """Return the names of features, as MetricFrame gives them."""
    if features is None:
        return []
    if isinstance(features, pd.Series) and features.name is not None:
        return [str(features.name)]
    given = read_input(features, name)
    if not isinstance(given, Table):
        return [f"{name}_0"]
    is_named = isinstance(features, Mapping) or hasattr(features, "columns")
    return [str(x) if is_named else f"{name}_{i}" for i, x in enumerate(given.names)]
