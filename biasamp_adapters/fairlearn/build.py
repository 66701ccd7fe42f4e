"""``amplification_frame``: check the arguments, count, measure each slice, and draw."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from biasamp_adapters._arguments import explains_arguments
from biasamp_adapters._roles import Inputs, Role
from biasamp_adapters._typing import Array, Label, check_random_state
from biasamp_adapters._warnings import warn
from biasamp_adapters.auditing.findings import default_metrics
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.counts.variables import Missing
from biasamp_adapters.fairlearn.frame import AmplificationFrame, FrameColumn
from biasamp_adapters.fairlearn.functions import metric_function
from biasamp_adapters.fairlearn.host_metric import HostMetric
from biasamp_adapters.fairlearn.slices import Slices, count_by_slice
from biasamp_adapters.host_functions import names_of_other_hosts
from biasamp_adapters.inference.estimates import Replicated, check_draws, outer_level
from biasamp_adapters.inference.replicates import replicate
from biasamp_adapters.inference.rules import about_clusters
from biasamp_adapters.inputs.combinations import Key
from biasamp_adapters.metrics import AmplificationResult
from biasamp_adapters.metrics.base import Metric, ReferencedMetric
from biasamp_adapters.metrics.measurement import Measurement
from biasamp_adapters.reference import (
    Evaluation,
    align,
    as_reference,
    dropped_note,
    labels_of_predictions,
)

Metrics: TypeAlias = Mapping[Hashable, Callable[..., Any]]

#: Level of the intervals of results if the quantiles imply none.
_CONFIDENCE = 0.95

#: Takes the place of a reference for metrics of the host, which have none.
_HOST = object()

#: Hints for arguments that a frame does not have.
_HINTS = names_of_other_hosts("sensitive_features", "sensitive_features_pred") | {
    "sample_params": "a column is an argument of its own, as in amplification_frame(..., "
    "sample_weight=), and other parameters are bound with functools.partial"
}


@explains_arguments(_HINTS)
def amplification_frame(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sensitive_features_pred: Any = None,
    control_features: Any = None,
    group_features: Any = None,
    metrics: Metrics | Callable[..., Any] | None = None,
    reference: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    missing: Missing = "error",
    n_boot: int | None = None,
    ci_quantiles: Sequence[float] | None = None,
    random_state: Any = None,
) -> AmplificationFrame:
    """A Fairlearn ``MetricFrame`` of bias amplification, with intervals from drawn tables.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, tasks)
        True and predicted task labels.
    sensitive_features : array-like of shape (n,) or (n, attributes), or Indicators
        Protected attribute, by whose groups the frame is split; several columns are crossed.
    sensitive_features_pred : same as ``sensitive_features``, optional
        Predicted attribute, for T->A.
    control_features : array-like of shape (n,) or (n, features), optional
        As in ``MetricFrame``: everything is computed separately within each of their levels.
    group_features : array-like of shape (n,) or (n, features), optional
        Other features to split the frame by: ``by_group`` is then the metric inside each slice.
    metrics : callable or dict, optional
        Metric objects, functions of this module (parameters bound with ``functools.partial``), and
        metrics of Fairlearn, scikit-learn or your own. By default, all that the input allows, named
        as "DirectionalBiasAmplification A->T". A single callable gives scalars and Series.
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, for metrics that compare with a reference and were given none.
    sample_weight : array-like of shape (n,), optional
        Sampling weights.
    clusters : array-like of shape (n,), optional
        Which rows belong together, such as those of one person: replicates then draw whole
        clusters, and not rows. A cluster may have rows in several levels of a feature.
    missing : {"error", "drop", "abstain"}
        The rule for missing values, as in every metric.
    n_boot : int, optional
        Number of bootstrap replicates; needs ``ci_quantiles``.
    ci_quantiles : list of float, optional
        Quantiles of the replicates, strictly between 0 and 1.
    random_state : int, numpy.random.Generator or RandomState, optional
        Random state of the bootstrap. None is the fixed seed 0.

    Returns
    -------
    AmplificationFrame

    Raises
    ------
    TypeError
        For an argument of another name, such as ``sample_params``, with what to give instead.
    ValueError
        If an input breaks a rule; the message states it.

    Warns
    -----
    AmplificationWarning
        For undefined values and unreliable intervals. The attribute ``notes`` contains them too.

    Notes
    -----
    Split by the attribute, ``by_group`` shows what each group adds. For BA->, MALS and Multi, this
    is the mean contribution of its pairs, with the directions of the whole reference; for LA and
    DPA, it is the mean score of its pairs. Host metrics are computed on the rows of the group.
    Those that compare groups themselves are NaN there.

    Examples
    --------
    >>> from fairlearn.metrics import selection_rate
    >>> from biasamp_adapters import DirectionalBiasAmplification
    >>> from biasamp_adapters.fairlearn import amplification_frame
    >>> y_true = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 40 + [0] * 10
    >>> frame = amplification_frame(
    ...     y_true,
    ...     y_pred,
    ...     sensitive_features=["a"] * 50 + ["b"] * 50,
    ...     metrics={"BA": DirectionalBiasAmplification(), "selected": selection_rate},
    ...     n_boot=1000,
    ...     ci_quantiles=[0.025, 0.975],
    ... )
    >>> frame.by_group.round(3)
                          BA  selected
    sensitive_feature_0
    a                    0.0       0.8
    b                    0.2       0.0
    >>> low, high = frame.overall_ci
    >>> print(f"{frame.overall['BA']:.3f} [{low['BA']:.3f}, {high['BA']:.3f}]")
    0.100 [0.049, 0.156]
    """
    if sensitive_features is None:
        raise ValueError("sensitive_features must be given; received None")
    quantiles = _checked_quantiles(n_boot, ci_quantiles)
    seed = _seed(random_state)
    base = as_reference(reference, missing)
    chosen = _metrics_by_name(metrics, base)
    lists = _label_lists(chosen, base, missing)
    # Other functions read the probability of every row, and may not be linear in it.
    merges = all(isinstance(metric, Metric) for metric in chosen.values())
    inputs = Inputs(
        y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, clusters
    )
    slices = count_by_slice(
        inputs, control_features, group_features, missing=missing, merges=merges, **lists
    )
    whole = slices.whole
    if len(whole.models) > 1:
        raise ValueError(f"y_pred must be of one model; received {list(whole.models)}")
    chosen = chosen or _default_metrics(whole, base, lists)
    parts, of_references = _bind_and_draw(slices, chosen, lists, n_boot or 0, seed)
    first = next(iter(parts.values()))
    groups = {control: first[control].groups for control in slices.controls}
    combinations = slices.combinations(groups)
    columns = [
        _column(name, metric, parts[name], slices, groups, quantiles)
        for name, metric in chosen.items()
    ]
    notes = [dropped_note(whole.dropped)] if whole.dropped else []
    notes += [*of_references, *(about_clusters(whole) if n_boot else ())]
    for column in columns:
        notes += _caveats(column.name, parts[column.name])
        notes += _gaps(column, [*slices.controls, *combinations], quantiles)
    notes = list(dict.fromkeys(notes))
    for note in notes:
        warn(note)
    remarks = [remark for column in columns for remark in _remarks(column)]
    return AmplificationFrame._from_columns(
        slices,
        combinations,
        columns,
        notes=[*notes, *dict.fromkeys(remarks)],
        single=metrics is not None and not isinstance(metrics, Mapping),
        n_boot=n_boot,
        ci_quantiles=quantiles,
    )


def _default_metrics(
    whole: Counts, reference: Any, lists: Mapping[str, Any]
) -> dict[Hashable, Callable[..., Any]]:
    """All metrics that the counts allow, by name."""
    evaluation = align(whole, reference, **lists)
    defaults = default_metrics(evaluation, whole.first_model, pos_label=None)
    return {
        metric.__name__: metric.against(reference)
        for metric in defaults
        if metric.applies(metric.prepare(evaluation))
    }


def _checked_quantiles(
    n_boot: int | None, ci_quantiles: Sequence[float] | None
) -> list[float] | None:
    if (n_boot is None) != (ci_quantiles is None):
        raise ValueError(
            "n_boot and ci_quantiles must be given together; received "
            f"n_boot={n_boot!r} and ci_quantiles={ci_quantiles!r}"
        )
    if n_boot is None or ci_quantiles is None:
        return None
    check_draws("n_boot", n_boot, 0)
    if n_boot < 1:
        raise ValueError(f"n_boot must be at least 1; received {n_boot}")
    quantiles = list(ci_quantiles) if isinstance(ci_quantiles, Iterable) else []
    if not quantiles or not all(
        isinstance(q, float | np.floating) and 0 < q < 1 for q in quantiles
    ):
        raise ValueError(
            f"ci_quantiles must be floats strictly between 0 and 1; received {ci_quantiles!r}"
        )
    return quantiles


def _seed(random_state: Any) -> int | None:
    """A seed for all draws; Fairlearn also takes numpy's older random states."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    check_random_state(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    return None if random_state is None else int(random_state)


def _metrics_by_name(
    metrics: Metrics | Callable[..., Any] | None, reference: Any
) -> dict[Hashable, Callable[..., Any]]:
    """The metrics by name; none if none are given."""
    if metrics is None:
        return {}
    by_name: Any = metrics
    if not isinstance(metrics, Mapping):
        by_name = {getattr(metrics, "__name__", "metric"): metrics}
    if not by_name or not all(callable(metric) for metric in by_name.values()):
        raise ValueError(f"metrics must be a callable or a dict of them; received {metrics!r}")
    return {name: _as_metric(metric, reference) for name, metric in by_name.items()}


def _as_metric(function: Any, reference: Any) -> Any:
    """The metric object of a function of this package; other functions as they are.

    A metric without a reference gets that of the frame.
    """
    metric, parameters = function, {}
    if isinstance(function, partial) and not function.args:
        metric, parameters = function.func, function.keywords
    if isinstance(metric, Hashable) and metric in metric_function.metrics:
        function = metric_function.metrics[metric](**parameters)
    return function.against(reference) if isinstance(function, Metric) else function


def _label_lists(
    metrics: Mapping[Hashable, Any], reference: Any, missing: Missing
) -> dict[str, Any]:
    """The explicit lists of labels and groups that the metrics share."""
    lists: dict[str, Any] = {"labels": None, "groups": None}
    for metric in metrics.values():
        if not isinstance(metric, Metric):
            continue
        if metric.missing not in ("error", missing):
            raise ValueError(
                "missing= must be given to amplification_frame, for all metrics alike; received "
                f"{metric.missing!r} in {metric!r}"
            )
        for name, known in lists.items():
            listed = getattr(metric, name)
            if listed is not None and known not in (None, listed):
                raise ValueError(
                    f"metrics of one frame must list the same {name}; received {known} and {listed}"
                )
            lists[name] = listed or known
    lists["labels"] = labels_of_predictions(lists["labels"], reference)
    return lists


_UNDEFINED = Replicated(float("nan"), None, "no two groups have rows with a weight there")


@dataclass(frozen=True, eq=False)
class _Part:
    """One metric in one slice.

    Attributes
    ----------
    evaluation : Evaluation
    scored : Measurement, HostMetric or None
        None where the metric is undefined, as there is only one group.
    draws : dict of str to ndarray, or None
        Scores of the replicates. Empty if none are possible, None if none were requested.
    """

    evaluation: Evaluation
    scored: Measurement | HostMetric | None
    draws: Mapping[str, Array] | None

    @property
    def groups(self) -> list[Label]:
        """The groups that have rows."""
        counts = self.evaluation.counts
        seen = counts.seen(Role.ATTRIBUTE)
        return [group for group in counts.groups if group in seen]

    def value(self) -> Replicated:
        """The metric inside the slice."""
        values = None if self.scored is None else [self.scored.point()["value"]]
        return self._numbers("value", values, [0])[0]

    def by_group(self, groups: Sequence[Label]) -> list[Replicated]:
        """What each group adds, in the order of ``groups``."""
        # Columns without names take those of the reference, in their order.
        present = groups if set(groups) == set(self.groups) else self.groups
        positions = [self.evaluation.counts.groups.index(group) for group in present]
        means = None if self.scored is None else self.scored.group_means()
        return self._numbers("groups", means, positions)

    def _numbers(self, name: str, values: Any, positions: Sequence[int]) -> list[Replicated]:
        scored, draws = self.scored, self.draws
        if scored is None:
            return [_UNDEFINED for _ in positions]
        if not draws:
            reason = None if draws is None else scored.no_interval
            return [Replicated(float(values[i]), None, reason) for i in positions]
        # The scores of this name and, with suffixes, those that tell of it.
        known = {key: x.reshape(len(x), -1) for key, x in draws.items() if key.startswith(name)}
        return [
            scored.replicated(name, float(values[i]), {key: x[:, i] for key, x in known.items()})
            for i in positions
        ]


def _bind_and_draw(
    slices: Slices,
    metrics: Mapping[Hashable, Any],
    lists: Mapping[str, Any],
    n_boot: int,
    seed: int | None,
) -> tuple[dict[Hashable, dict[Key, _Part]], list[str]]:
    """Each metric in each slice, and notes on the references.

    Metrics that were given the same reference are measured on the same counts and drawn together.
    The seed is the same for all, so that all metrics see the same draws.
    """
    families: dict[int, tuple[Any, dict[Hashable, Any]]] = {}
    for name, metric in metrics.items():
        reference = getattr(metric, "reference", None) if isinstance(metric, Metric) else _HOST
        families.setdefault(id(reference), (reference, {}))[1][name] = metric
    parts: dict[Hashable, dict[Key, _Part]] = {}
    notes: list[str] = []
    source = slices.whole if len(slices.parts) > 1 else None
    for reference, members in families.values():
        whole = Evaluation(slices.whole)
        if reference is not _HOST:
            whole = align(slices.whole, reference, **lists)
            for metric in members.values():
                whole = metric.prepare(whole)
        notes += whole.notes
        evaluations = slices.evaluations(whole)
        scored = {
            (name, key): _measure(name, metric, evaluation, not slices.group_names)
            for name, metric in members.items()
            for key, evaluation in evaluations.items()
        }
        defined = {place: one for place, one in scored.items() if one is not None}
        drawn = replicate(defined, whole, n_boot, seed, source) if n_boot else {}
        for (name, key), one in scored.items():
            draws = drawn.get((name, key), {}) if n_boot else None
            parts.setdefault(name, {})[key] = _Part(evaluations[key], one, draws)
    return parts, notes


def _measure(
    name: Hashable, metric: Any, evaluation: Evaluation, by_group: bool
) -> Measurement | HostMetric | None:
    """A metric on one slice; None where it is undefined."""
    counts = evaluation.counts
    if not isinstance(metric, Metric):
        return HostMetric(
            evaluation=evaluation, model=counts.first_model, name=str(name), function=metric
        )
    compared = evaluation.reference is not None or evaluation.base_rates is not None
    if not counts.tables().total > 0:
        return None
    # A single group can only be compared with a reference.
    alone = counts.one_each(Role.ATTRIBUTE) and len(counts.seen(Role.ATTRIBUTE)) < 2
    if alone and not (compared and isinstance(metric, ReferencedMetric)):
        return None
    return replace(metric.measure(evaluation, counts.first_model), by_group=by_group)


def _column(
    name: Hashable,
    metric: Any,
    parts: Mapping[Key, _Part],
    slices: Slices,
    listed_groups: Mapping[Key, Sequence[Label]],
    quantiles: Sequence[float] | None,
) -> FrameColumn:
    """The column of a metric in the frame."""
    overall = [parts[control].value() for control in slices.controls]
    if slices.group_names:
        groups = [parts[key].value() for key in slices.parts]
    else:
        groups = []
        for control, listed in listed_groups.items():
            groups += parts[control].by_group(listed)
    if isinstance(metric, Metric):
        signed = metric.about.signed
    else:
        signed = any(number.value < 0 for number in (*overall, *groups))
    confidence = (outer_level(quantiles) if quantiles else 0) or _CONFIDENCE
    results = {
        control: AmplificationResult.of(part.scored, part.draws, confidence)
        for control in slices.controls
        if isinstance((part := parts[control]).scored, Measurement)
    }
    return FrameColumn(name, overall, groups, signed, results)


def _place(name: Hashable, key: Key) -> str:
    """A metric and a slice in words."""
    return f"{name} in {listing([key])}" if key else f"{name}"


def _caveats(name: Hashable, parts: Mapping[Key, _Part]) -> Iterator[str]:
    """The caveats of a metric in each slice."""
    for key, part in parts.items():
        if isinstance(part.scored, Measurement):
            for caveat in part.scored.caveats:
                yield f"{_place(name, key)}: {caveat}"


def _remarks(column: FrameColumn) -> Iterator[str]:
    """Notes that help to read the overall values, without being warnings."""
    for control, result in column.results.items():
        place = _place(column.name, control)
        if result.blind_errors is not None:
            chance = result.blind_errors.text()
            yield f"{place}: mistakes that know nothing of the attribute would give {chance}"
        if result.verdict is not None:
            yield f"{place}: {result.verdict.words}: {result.verdict.sentence}"
        pairs = {} if result.measurement is None else result.measurement.pairs()
        if "uncertain" in pairs and pairs["uncertain"].any():
            doubtful = f"{pairs['uncertain'].sum()} of {pairs['sign'].size}"
            yield f"{place}: {doubtful} signs of the reference may be noise (|z| < 1.96)"


def _gaps(
    column: FrameColumn, keys: Sequence[Key], quantiles: Sequence[float] | None
) -> Iterator[str]:
    """Notes on undefined numbers and missing intervals, with the reasons."""
    reasons: dict[str, list[Any]] = {}
    for key, number in zip(keys, [*column.overall, *column.groups], strict=True):
        if np.isnan(number.value):
            what, reason = "undefined", number.reason
        else:
            what, reason = "no interval", number.no_quantiles(quantiles) if quantiles else None
        if reason:
            reasons.setdefault(f"{what}: {reason}", []).append(key)
    for reason, places in reasons.items():
        levels = [key for key in places if key]
        named = ["all rows"] * (len(levels) < len(places)) + [listing(levels)] * bool(levels)
        yield f"{column.name}, {', '.join(named)}: {reason}"
