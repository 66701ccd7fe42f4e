"""What an audit computes, as plain values: the summary, which is also the JSON of a report.

Everything that is said or drawn is read from it. Numbers are fractions; one that does not exist is
None, and so are the ends of an interval that is not given, whose ``reason`` says why. Labels stay
as they were given. Each list of records is a part of
:meth:`~biasamp_adapters.AuditReport.to_frame`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, NotRequired, TypedDict

#: It grows by one when a key changes its meaning or goes.
VERSION = 1


class Measure(NamedTuple):
    """A rate by group, of which the report has the largest difference and the ratio.

    ``rate`` is its key among the rates of groups, and ``labelled`` says which rows it is a share
    of: those labelled "positive" or "negative", or all. With a ``short`` name, it is worded as the
    share of these rows that is predicted positive.
    """

    rate: str
    plural: str
    labelled: str = ""
    short: str = ""


#: Shares of missing values are not compared between more groups.
MOST_GROUPS = 100

#: The measures of groups by the beginning of their keys in ``check``.
MEASURES = {
    "selection_rate": Measure("predicted", "selection rates"),
    "true_positive_rate": Measure("tpr", "true positive rates", "positive", "TPR"),
    "false_positive_rate": Measure("fpr", "false positive rates", "negative", "FPR"),
    "accuracy": Measure("accuracy", "accuracies"),
}
#: Those of them that each class has, in addition to its predicted rate.
ERROR_RATES = [x.rate for x in MEASURES.values() if x.rate not in ("predicted", "accuracy")]

#: The statuses of gaps that get larger, and of those that get smaller or turn round.
UP, DOWN = ("grows", "appears"), ("shrinks", "reverses")

#: The parts that are frames.
PARTS = (
    *("metrics", "gaps", "rates", "differences", "pairs", "levels"),
    *("equal_errors", "frequency", "thresholds", "largest", "strata", "verdicts"),
)


class Number(TypedDict):
    """A number with its interval."""

    value: float | None
    low: float | None
    high: float | None
    reason: str


def no_number(reason: str = "") -> Number:
    """Return a number that does not exist, with the reason."""
    return Number(value=None, low=None, high=None, reason=reason)


def number_of(record: Mapping[str, Any], name: str) -> Number:
    """Return a number of a record by the beginning of its keys: "ratio", "ratio_low" ..."""
    low, high = record[f"{name}_low"], record[f"{name}_high"]
    return Number(value=record[name], low=low, high=high, reason=record.get(f"{name}_reason", ""))


def keys_of(number: Number, name: str) -> dict[str, Any]:
    """Return a number and its ends by keys that begin with a name."""
    return {name: number["value"], f"{name}_low": number["low"], f"{name}_high": number["high"]}


class OfModel(TypedDict):
    """Which model a record is about, and which direction."""

    model: str
    direction: str


class Member(TypedDict):
    """A group, a class or a task.

    ``size`` is what decides whether it is compared: rows, effective rows or clusters. Both are 0 of
    classes or groups without labels.
    """

    name: Any
    rows: int
    size: float
    share: float


class Data(TypedDict):
    """What was compared.

    ``kind`` is "classes" or "tasks" (columns of a label matrix). ``label`` and ``feature`` are
    names of columns, None if they have none. ``positive`` is the class that is compared where one
    of two says it all. ``compared_with`` is "labels" or "given rates". ``favorable`` is a class, or
    a list of several of AIF360. ``reference`` are rows that decide the signs of BA, None if the
    labels do. ``unit`` is what ``Member.size`` counts. ``probabilities`` are models that predict
    them, ``scores`` those that have a score. ``missing`` and ``missing_groups`` are missing
    predictions of classes and of groups by model, ``left_out`` rows with missing values, and
    ``left_out_groups`` those of them without a group, None of saved or added counts. Where each
    group is a column, ``in_no_group`` and ``in_several_groups`` are rows, else 0.
    """

    rows: int
    models: list[str]
    label: str | None
    feature: str | None
    kind: str
    probabilities: list[str]
    directions: list[str]
    groups: list[Member]
    classes: list[Member]
    positive: Any
    favorable: Any
    compared_with: str
    reference: int | None
    weights: str | None
    clusters: str | None
    n_clusters: int | None
    unit: str
    missing: dict[str, int]
    missing_groups: dict[str, int]
    left_out: int
    left_out_groups: int | None
    in_no_group: int
    in_several_groups: int
    scores: list[str]


class Method(TypedDict):
    """How it was computed. ``files`` maps names to SHA-256."""

    confidence: float
    n_boot: int
    random_state: int | None
    versions: dict[str, str]
    files: dict[str, str]


class VerdictRecord(Number, OfModel):
    """The verdict on one model in one direction; the number is the mean change of its gaps.

    ``named`` are positions in the model's gaps, which are sorted from the most certain change on:
    one, or two for mixed changes and reversed gaps, or none. ``constant`` is the class that is
    predicted for all rows, in a list.
    """

    code: str
    why: str
    comparison: str
    n_gaps: int
    n_in_mean: int
    named: list[int]
    no_errors: bool
    constant: list[Any]
    signs: int
    signs_unclear: int
    half: bool


class GapRecord(Number, OfModel):
    """One gap; the number is its change.

    ``equal_errors`` is the gap with equal error rates, the difference of the rates ``first_equal``
    and ``second_equal``; ``beyond``, with its ends, is the gap in the predictions minus it.
    """

    first: Any
    second: Any
    of_class: Any
    first_rows: int
    second_rows: int
    first_true: float
    second_true: float
    first_predicted: float
    second_predicted: float
    true: float
    predicted: float
    status: str
    true_clear: bool
    predicted_clear: bool
    in_mean: bool
    first_equal: float | None
    second_equal: float | None
    equal_errors: float | None
    beyond: float | None
    beyond_low: float | None
    beyond_high: float | None


class ErrorRecord(Number, OfModel):
    """How often the two groups of a named gap are predicted positive among rows labelled alike.

    The number is the difference of first and second, from the bands of all pairs of groups.
    ``gap`` is the position of the gap, ``labelled`` says which rows: "positive" or "negative".
    """

    gap: int
    labelled: str
    first: float
    second: float


class ScoreRecord(TypedDict):
    """A named gap in two steps: from the labels to the scores, and on to the decisions.

    ``gap`` is the position of the gap, None if no gap is named, and ``rule`` says how decisions
    follow from the score ("5 or more").
    ``first`` and ``second`` are the rates that the scores imply. ``reason`` says why the steps are
    not separated; the numbers are then None.
    """

    model: str
    gap: int | None
    rule: str
    first: float | None
    second: float | None
    by_score: Number
    by_threshold: Number
    reason: str


class MetricRecord(Number, OfModel):
    """A published metric, an accuracy or another number that ``check`` knows."""

    name: str
    key: str


class RateRecord(OfModel):
    """The rate of a class in a group; ``low`` and ``high`` are the band of its change.

    For T->A, ``group`` is a class and ``of_class`` a group. ``overall`` is the predicted rate of
    all rows, ``sign`` that of the correlation in BA, ``part`` what the pair adds to BA.
    """

    group: Any
    of_class: Any
    rows: int
    true: float | None
    predicted: float | None
    change: float | None
    low: float | None
    high: float | None
    overall: float
    fpr: float | None
    tpr: float | None
    sign: int
    part: float | None


class LargestRecord(Number):
    """The largest difference between groups in one measure, and the ratio of lowest to highest.

    ``reason`` and ``ratio_reason`` say why there is no interval; a group without a rate leaves no
    value at all.
    """

    model: str
    measure: str
    groups: list[Any]
    rates: list[float | None]
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    ratio_reason: str


class DifferenceRecord(MetricRecord):
    """A model minus the ``first`` one, in one number; the band holds for all models at once."""

    first: str


class ThresholdRecord(TypedDict):
    """What decisions by another threshold of the score would give.

    ``threshold`` is None for one of each group. ``gap`` and ``fpr_difference`` are about the named
    gap, or else the first one. ``accuracy_falls`` says whether the accuracy clearly falls,
    and is None if the predictions are probabilities, or some are missing.
    """

    model: str
    threshold: float | None
    predicted_positive: float
    gap: float
    ba: float
    ba_equal_errors: float
    fpr_difference: float | None
    accuracy: float
    accuracy_falls: bool | None


class LeftOutRecord(TypedDict):
    """Two groups of which clearly different shares are left out of rows labelled alike.

    Of label matrices, given rates, or where labels are missing, it is of all rows: ``labelled`` is
    None.
    """

    labelled: Any
    first: Any
    second: Any
    first_rate: float
    second_rate: float


class MissingRecord(LeftOutRecord, OfModel):
    """Two groups whose rates of missing predictions clearly differ among rows labelled alike.

    For T->A, it is two classes, among the rows of one group. ``ba`` is the BA of the rows that have
    a prediction.
    """

    ba: Number


class Summary(TypedDict):
    """All that a report says, and :meth:`~biasamp_adapters.AuditReport.to_frame` by part.

    ``aif360`` are AIF360's own measures, if a dataset of AIF360 was audited.
    """

    version: int
    title: str
    data: Data
    method: Method
    verdicts: list[VerdictRecord]
    gaps: list[GapRecord]
    errors: list[ErrorRecord]
    scores: list[ScoreRecord]
    metrics: list[MetricRecord]
    rates: list[RateRecord]
    largest: list[LargestRecord]
    differences: list[DifferenceRecord]
    thresholds: list[ThresholdRecord]
    missing: list[MissingRecord]
    left_out: list[LeftOutRecord]
    equal_errors: list[dict[str, Any]]
    levels: list[dict[str, Any]]
    pairs: list[dict[str, Any]]
    frequency: list[dict[str, Any]]
    strata: list[dict[str, Any]]
    rows_needed: list[dict[str, Any]]
    notes: list[str]
    aif360: NotRequired[list[dict[str, Any]]]
