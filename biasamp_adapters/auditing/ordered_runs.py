"""``track``: amplification over ordered runs, with accuracy and calibration beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from biasamp_adapters._roles import Inputs, Role
from biasamp_adapters._text import placing_errors
from biasamp_adapters._typing import Label, RandomState, as_float, check_choice, is_whole
from biasamp_adapters.auditing.findings import DIRECTIONAL
from biasamp_adapters.auditing.report import AuditReport
from biasamp_adapters.counts import CooccurrenceCounts, Counts, JointCounts
from biasamp_adapters.counts.labels import declared, listing
from biasamp_adapters.inference.estimates import Estimate
from biasamp_adapters.metrics import (
    AmplificationResult,
    DirectionalBiasAmplification,
    MultiAttributeBiasAmplification,
)
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.equalize import accuracy_of, column_accuracy
from biasamp_adapters.metrics.measurement import A_TO_T, T_TO_A
from biasamp_adapters.metrics.paired import (
    compare,
    compare_counts,
    no_difference,
    paired_difference,
)
from biasamp_adapters.thresholds.confidence import (
    Decided,
    are_probabilities,
    read_probabilities,
)

#: The label of a step: a number or text.
Step: TypeAlias = Label


_APART = "steps that were counted apart are not paired"


class _Tracked(NamedTuple):
    """One metric over all steps.

    Attributes
    ----------
    results : dict of step to AmplificationResult
    paired : bool
        Whether the steps were drawn together.
    decided : dict of step to Decided
        Decisions from probabilities; empty where steps are decisions.
    expected : bool
        Whether the results are of probabilities, as expected counts.
    """

    results: dict[Step, AmplificationResult]
    paired: bool
    decided: Mapping[Step, Decided]
    expected: bool


def track(
    steps: Any,
    y_true: Any = None,
    *,
    sensitive_features: Any = None,
    metrics: Metric | Sequence[Metric] | None = None,
    sample_weight: Any = None,
    clusters: Any = None,
    compared_with: Literal["first", "previous"] = "first",
    n_bins: int = 15,
    n_boot: int = 2000,
    confidence: float = 0.95,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """Follow amplification over ordered runs: epochs, checkpoints, training sizes, capacities.

    Each step is a model, and all of them predict the same rows. Their differences are paired, as
    those of :func:`compare`. Where steps are probabilities, metrics are computed twice: from the
    decisions that follow from them, and from the probabilities themselves, as expected counts.

    Parameters
    ----------
    steps : mapping, or counts of several models
        The labels of the steps, numbers or text, in their order, and for each

        - predictions: task labels; probabilities of the positive class of two, which is 1 of 0 and
          1 and else the last when they are sorted; or a matrix of shape (n, classes) with the
          probabilities of all classes in sorted order. For a label matrix as ``y_true``, a matrix
          of 0 and 1, or of probabilities. If any step holds probabilities, all are read as such;
        - or an AuditReport of one model, or counts of one model, which may be of other rows in
          each step. Their differences have no intervals.

        Counts of several models are steps on the same rows, in the order of the models.
    y_true : array-like of shape (n,) or (n, tasks)
        Task labels, of predictions only.
    sensitive_features : array-like of shape (n,) or (n, attributes), or Indicators
        Protected attribute, of predictions only.
    metrics : metric object, or list of such, optional
        By default BA->: A->T of predictions, and in the directions that reports and counts have.
        Predictions are those of the task, so T->A needs counts or reports. Reports give the results
        that they hold by the name of the metric. Multi reads decisions only, and only BA-> A->T
        reads probabilities of other classes than 0 and 1.
    sample_weight, clusters
        As in ``metric.result``, of predictions only.
    compared_with : {"first", "previous"}
        The step from which differences are taken.
    n_bins : int
        Number of bins of the calibration error.
    n_boot, confidence, random_state
        As in :func:`compare`; a report has its own.

    Returns
    -------
    DataFrame
        One row per metric, kind of predictions and step:

        - ``step``, ``metric`` (its name with the direction) and ``predictions`` ("decisions" or
          "probabilities");
        - ``value``, ``low`` and ``high``: the metric with its interval;
        - ``difference``, ``difference_low`` and ``difference_high``: the value minus that of the
          first or previous step, with its paired interval;
        - ``accuracy``: the share of decisions that are right; of label matrices, of all cells; of
          T->A, of the predicted attribute. NaN of counts and reports of probabilities;
        - ``mean_confidence``: the mean probability of what was decided;
        - ``calibration_error``: the expected calibration error, see Notes;
        - ``note``: caveats, and why an interval is missing.

        The last two numbers need probabilities and are NaN otherwise. They and the accuracy
        describe these rows and have no interval.

    Raises
    ------
    ValueError
        If there are fewer than two steps, steps are of different kinds, or an input breaks a rule.

    See Also
    --------
    compare : The same of models without an order.
    plot.track : The table as a picture.

    Notes
    -----
    What is more probable than .5 is decided; of several classes, the most probable one. The
    confidence of a decision is its probability. The expected calibration error divides confidences
    from 0 to 1 into bins of equal width, each with its upper end, and is the mean over decisions of
    ``|accuracy of the bin - mean confidence of the bin|``. In bins with few rows it is above 0 even
    if probabilities are right. Mean confidence above accuracy is over-confidence.

    References
    ----------
    Hall, van der Maaten, Gustafson, Jones and Adcock, "A Systematic Study of Bias Amplification",
    2022, arXiv:2201.11706. Its released scripts compute BA-> A->T of decisions, and the calibration
    error with 15 bins.

    Examples
    --------
    Of 4 rows in group a, 3 are positive, and of 4 in group b, 1 is. Epoch 2 decides like the truth;
    its probabilities know less. Epoch 8 follows the group.

    >>> import biasamp_adapters as bam
    >>> group, y_true = list("aaaabbbb"), [1, 1, 1, 0, 1, 0, 0, 0]
    >>> epochs = {
    ...     2: [0.75, 0.75, 0.75, 0.25, 0.75, 0.25, 0.25, 0.25],
    ...     8: [0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1],
    ... }
    >>> table = bam.track(epochs, y_true, sensitive_features=group, n_boot=0)
    >>> table[["step", "predictions", "value", "difference", "accuracy"]]
       step    predictions  value  difference  accuracy
    0     2      decisions  0.000         NaN      1.00
    1     8      decisions  0.250       0.250      0.75
    2     2  probabilities -0.125         NaN      1.00
    3     8  probabilities  0.150       0.275      0.75
    >>> table.loc[:1, ["step", "mean_confidence", "calibration_error"]]
       step  mean_confidence  calibration_error
    0     2             0.75               0.25
    1     8             0.90               0.15
    """
    check_choice("compared_with", compared_with, ("first", "previous"))
    if not is_whole(n_bins) or n_bins < 1:
        raise ValueError(f"n_bins must be a whole number of at least 1; received {n_bins!r}")
    chosen = _listed(metrics)
    options = {"n_boot": n_boot, "confidence": confidence, "random_state": random_state}
    inputs = Inputs(y_true, None, sensitive_features, None, sample_weight, clusters)
    kind = _kind_of(steps)
    if kind == "predictions":
        tracked = _of_predictions(steps, inputs, chosen, n_bins, options)
    elif any(array is not None for array in inputs):
        raise ValueError(f"arrays such as y_true must not be given beside {kind}, which hold them")
    elif kind == "reports":
        tracked = _of_reports(steps, chosen)
    else:
        tracked = _of_counts(steps, chosen, options)
    rows = [row for series in tracked for row in _rows(series, compared_with, confidence)]
    return pd.DataFrame(rows)


def _listed(metrics: Any) -> list[Metric]:
    """The metrics in a list, which is empty for those that are shown by default."""
    if metrics is None:
        return []
    listed = metrics if isinstance(metrics, list | tuple) else [metrics]
    if not (listed and all(isinstance(metric, Metric) for metric in listed)):
        raise ValueError(f"metrics must be a metric object or a list of such; received {metrics!r}")
    names = [metric.__name__ for metric in listed]
    if len(set(names)) < len(names):
        raise ValueError(f"metrics must differ in their names; received {listing(names)}")
    return [*listed]


def _kind_of(steps: Any) -> str:
    """What steps are given as; raises unless there are several, labelled by numbers or text."""
    if not isinstance(steps, Mapping | Counts):
        raise ValueError(
            "steps must map labels to predictions, reports or counts, or be counts of several "
            f"models; received a {type(steps).__name__}"
        )
    labels = [*(steps.models if isinstance(steps, Counts) else steps)]
    if len(labels) < 2:
        raise ValueError(f"an order needs at least two steps; received {listing(labels)}")
    for label in labels:
        if not (isinstance(label, str) or math.isfinite(as_float(label))):
            raise ValueError(f"labels of steps must be finite numbers or text; received {label!r}")
    if len({str(label) for label in labels}) < len(labels):
        raise ValueError(f"labels of steps must differ as text; received {listing(labels)}")
    if isinstance(steps, Counts):
        return "counts"
    kinds = {AuditReport: "reports", Counts: "counts"}
    found = {
        next((kind for cls, kind in kinds.items() if isinstance(step, cls)), "predictions")
        for step in steps.values()
    }
    if len(found) > 1:
        raise ValueError(f"steps must be of one kind; received {' and '.join(sorted(found))}")
    return found.pop()


def _of_reports(steps: Mapping[Step, AuditReport], metrics: list[Metric]) -> Iterator[_Tracked]:
    """The results that all reports hold."""
    by_step: dict[Step, dict[str, AmplificationResult]] = {}
    for step, report in steps.items():
        if len({model for model, _ in report.results}) != 1:
            models = report.summary["data"]["models"]
            what = f"the models {listing(models)}" if report.results else "a summary of runs"
            raise ValueError(f"reports must be of one model; received {what} for step {step!r}")
        by_step[step] = {name: result for (_, name), result in report.results.items()}
    shared = set.intersection(*(set(found) for found in by_step.values()))
    names = [metric.__name__ for metric in metrics]
    names = names or sorted(name for name in shared if name.startswith(DIRECTIONAL))
    for name in names or [DIRECTIONAL]:
        if name not in shared:
            raise ValueError(
                f"all reports must hold {name!r}; received reports with {listing(sorted(shared))}"
            )
        results = {step: found[name] for step, found in by_step.items()}
        yield _Tracked(results, False, {}, _are_expected(results))


def _of_counts(
    steps: Counts | Mapping[Step, Counts], metrics: list[Metric], options: dict[str, Any]
) -> Iterator[_Tracked]:
    """The metrics of counts, of one model each or of several models on the same rows."""
    first = steps if isinstance(steps, Counts) else next(iter(steps.values()))
    for metric in metrics or _in_directions(first):
        results: dict[Any, AmplificationResult] = {}
        if isinstance(steps, Counts):
            results |= compare_counts(metric, steps, **options).results
        else:
            results |= {
                step: metric.from_counts(counts, **options) for step, counts in steps.items()
            }
        yield _Tracked(results, isinstance(steps, Counts), {}, _are_expected(results))


def _in_directions(counts: Counts) -> list[Metric]:
    """BA-> in each direction for which counts hold predictions."""
    model = counts.first_model
    roles = {A_TO_T: Role.PREDICTION, T_TO_A: Role.ATTRIBUTE_PREDICTION}
    return [
        DirectionalBiasAmplification(direction=direction)
        for direction, role in roles.items()
        if counts.has(role, model)
    ]


def _of_predictions(
    steps: Mapping[Step, Any],
    inputs: Inputs,
    metrics: list[Metric],
    n_bins: int,
    options: dict[str, Any],
) -> Iterator[_Tracked]:
    """The metrics of predictions, and of the decisions that follow from probabilities."""
    if inputs.y_true is None:
        raise ValueError("y_true must be given, as steps are predictions; received None")
    metrics = metrics or [DirectionalBiasAmplification()]
    kinds = []
    for step, y_pred in steps.items():
        with placing_errors(f"in step {step!r}"):
            kinds.append(are_probabilities(inputs.y_true, y_pred))
    if not any(kinds):
        yield from _compared(steps, inputs, metrics, {}, options, expected=False)
        return
    read = {}
    for step, y_pred in steps.items():
        with placing_errors(f"in step {step!r}"):
            read[step] = read_probabilities(inputs.y_true, y_pred, inputs.sample_weight)
    first = next(iter(read.values()))
    if first.scored.exclusive:
        _check_order(metrics, first.labels)
    decided = {step: rows.decided(n_bins) for step, rows in read.items()}
    decisions = {step: read[step].labelled(outcome.decisions) for step, outcome in decided.items()}
    yield from _compared(decisions, inputs, metrics, decided, options, expected=False)
    if first.scored.exclusive:
        inputs = inputs._replace(y_true=first.scored.truth.astype(int))
        metrics = [_by_class(metric, first.labels) for metric in metrics if _is_a_to_t(metric)]
    metrics = [
        metric for metric in metrics if not isinstance(metric, MultiAttributeBiasAmplification)
    ]
    chances = {step: rows.named(rows.scored.scores) for step, rows in read.items()}
    yield from _compared(chances, inputs, metrics, decided, options, expected=True)


def _check_order(metrics: Sequence[Metric], classes: tuple[Label, ...]) -> None:
    """Raise if a metric lists other classes than those that probabilities are read as being of."""
    for metric in metrics:
        listed = declared(metric.labels, "labels")
        if listed not in (None, classes):
            raise ValueError(
                f"probabilities are of the classes {listing(classes)} of y_true, in this order, so "
                f"labels= of a metric must list these; received {listing(listed)}"
            )


def _compared(
    steps: Mapping[Step, Any],
    inputs: Inputs,
    metrics: Sequence[Metric],
    decided: Mapping[Step, Decided],
    options: dict[str, Any],
    *,
    expected: bool,
) -> Iterator[_Tracked]:
    """The metrics of predictions of the same rows, from draws of all of them."""
    names = {str(step): step for step in steps}
    for metric in metrics:
        found = compare(
            metric,
            inputs.y_true,
            {name: steps[step] for name, step in names.items()},
            sensitive_features=inputs.sensitive_features,
            sample_weight=inputs.sample_weight,
            clusters=inputs.clusters,
            **options,
        )
        results = {names[name]: result for name, result in found.results.items()}
        yield _Tracked(results, True, decided, expected)


def _is_a_to_t(metric: Metric) -> bool:
    """Whether a metric has the same value for classes as for a column of each class."""
    return isinstance(metric, DirectionalBiasAmplification) and metric.short_direction == A_TO_T


def _by_class(metric: Metric, labels: tuple[Label, ...]) -> Metric:
    """The metric of a column for each class, with its reference in such columns."""
    of_classes: dict[str, Any] = {"labels": labels}
    reference = getattr(metric, "reference", None)
    if isinstance(reference, JointCounts):
        by_column = frozenset({Role.TASK.domain})
        reference = replace(CooccurrenceCounts.from_joint(reference), matrices=by_column)
        of_classes["reference"] = reference
    return replace(metric, **of_classes)


def _rows(tracked: _Tracked, compared_with: str, confidence: float) -> Iterator[dict[str, Any]]:
    """The rows of a metric, one per step."""
    steps = list(tracked.results)
    for i, step in enumerate(steps):
        result = tracked.results[step]
        gap, notes = Estimate(np.nan, None, None), [*result.notes]
        if i:
            other = steps[0] if compared_with == "first" else steps[i - 1]
            if reason := no_difference(result, tracked.results[other]):
                notes.append(f"no difference: {reason}")
            else:
                gap = _difference(tracked, step, other, confidence)
        low, high = result.interval or (np.nan, np.nan)
        gap_low, gap_high = gap.interval or (np.nan, np.nan)
        if gap.reason and result.n_boot:
            notes.append(f"no interval of the difference: {gap.reason}")
        decided = tracked.decided.get(step)
        yield {
            "step": step,
            "metric": result.short_name,
            "predictions": "probabilities" if tracked.expected else "decisions",
            "value": result.value,
            "low": low,
            "high": high,
            "difference": gap.value,
            "difference_low": gap_low,
            "difference_high": gap_high,
            "accuracy": decided.accuracy if decided else _accuracy(result),
            "mean_confidence": decided.mean_confidence if decided else np.nan,
            "calibration_error": decided.calibration_error if decided else np.nan,
            "note": "; ".join(notes),
        }


def _difference(tracked: _Tracked, step: Step, other: Step, confidence: float) -> Estimate:
    """The value of a step minus that of another."""
    later, earlier = tracked.results[step], tracked.results[other]
    if not tracked.paired:
        return Estimate(later.value - earlier.value, None, _APART)
    return paired_difference({f"step {step}": later, f"step {other}": earlier}, confidence)


def _role(result: AmplificationResult) -> Role:
    """What a metric in this direction reads the predictions of."""
    return Role.ATTRIBUTE if result.direction == T_TO_A else Role.TASK


def _are_expected(results: Mapping[Step, AmplificationResult]) -> bool:
    """Whether the predictions behind any result are probabilities."""
    return any(map(_is_expected, results.values()))


def _is_expected(result: AmplificationResult) -> bool:
    measurement = result.measurement
    return (
        measurement is not None and _role(result).prediction in measurement.evaluation.counts.soft
    )


def _accuracy(result: AmplificationResult) -> float:
    """The share of predictions that are right; NaN of probabilities, or without a truth."""
    measurement, role = result.measurement, _role(result)
    if measurement is None or _is_expected(result) or not measurement.evaluation.counts.has(role):
        return np.nan
    tables = measurement.evaluation.counts.tables(measurement.model)
    if measurement.evaluation.counts.is_matrix(role):
        return float(column_accuracy(tables, role).mean())
    return float(accuracy_of(tables, role))
