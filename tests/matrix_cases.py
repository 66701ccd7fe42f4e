"""What the tests of label matrices share: random cases, and the way to the package and oracle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import nan
from random import Random
from typing import Any, NamedTuple, TypeAlias

import matrix_oracle as oracle
import pytest
from hypothesis import strategies as st
from metric_cases import DIRECTIONS, quietly, same

import biasamp_adapters as bam

GROUPS = [0, 1, 2]
#: Sums of these are exact in floats, so a tie of weights is a tie.
WEIGHTS = [0.0, 0.25, 0.5, 1.0, 3.0]
CHANCES = [0.0, 0.25, 0.5, 1.0]

Rows = list[list[Any]]

#: What a metric takes, in the order of the fields of a case.
ARGUMENTS = ["y_true", "y_pred", "sensitive_features", "sensitive_features_pred", "sample_weight"]


class Case(NamedTuple):
    """Rows as lists; one that is None is missing, of a prediction an abstention.

    Attributes are labels out of ``GROUPS``, or rows of indicators.
    """

    y_true: Rows
    y_pred: list[Any]
    attribute: list[Any]
    attribute_pred: list[Any]
    indicators: bool
    reference: tuple[Rows, list[Any]] | None = None
    weights: list[float] | None = None

    @property
    def lists(self) -> dict[str, Any]:
        """Parameters of a metric: labels are declared, so that groups without rows occur."""
        reference = self.reference
        if reference is not None and self.indicators:
            reference = (reference[0], bam.Indicators(reference[1]))
        declared = {} if self.indicators else {"groups": GROUPS}
        return {"reference": reference, "missing": "abstain", **declared}

    def arguments(self, **changed: Any) -> dict[str, Any]:
        """What a metric takes."""
        tasks = map(_missing_as_nan, (self.y_true, self.y_pred))
        attributes = [self.attribute, self.attribute_pred]
        if self.indicators:
            attributes = [bam.Indicators(_missing_as_nan(rows)) for rows in attributes]
        return {**dict(zip(ARGUMENTS, (*tasks, *attributes, self.weights), strict=True)), **changed}

    def counts(self, **kept: Any) -> bam.CooccurrenceCounts:
        """Counts of the rows, which keep what is asked for."""
        declared = {} if self.indicators else {"groups": GROUPS}
        given = {**self.arguments(), "missing": "abstain", **declared, **kept}
        return bam.CooccurrenceCounts.from_arrays(**given)

    def data(self) -> oracle.Data:
        """What the oracle takes."""
        groups = None if self.indicators else GROUPS
        rows = (self.y_true, self.y_pred, self.attribute, self.attribute_pred)
        return oracle.data(*rows, self.weights, groups)

    def training(self) -> oracle.Data | None:
        """The reference as the oracle takes it."""
        if self.reference is None:
            return None
        y_true, attribute = self.reference
        return oracle.data(y_true, None, attribute, groups=None if self.indicators else GROUPS)

    def true_attribute(self) -> Case:
        """The same where the true attribute stands for a predicted one."""
        return self._replace(attribute_pred=self.attribute)

    def chosen(self, order: Sequence[int]) -> Case:
        """The rows at those positions."""
        rows = {name: [getattr(self, name)[i] for i in order] for name in self._fields[:4]}
        if self.weights is not None:
            rows["weights"] = [self.weights[i] for i in order]
        return self._replace(**rows)


def _missing_as_nan(rows: list[Any]) -> Rows:
    width = len(next(row for row in rows if row is not None))
    return [[nan] * width if row is None else row for row in rows]


Pick: TypeAlias = Callable[[Sequence[Any]], Any]


def _drawn(
    pick: Pick,
    most: int,
    hard: bool = False,
    indicators: bool | None = None,
    reference: bool | None = None,
) -> Case:
    """A case of choices made by ``pick``, which Hypothesis or a seed can do.

    ``hard`` predictions are 0 or 1; ``indicators`` and ``reference`` say that there are such
    attributes and a reference, or that there are not.
    """
    if indicators is None:
        indicators = pick([True, False])
    chances = CHANCES if not hard and pick([True, False]) else [0, 1]
    abstains = [False, False, pick([True, False])]
    n_tasks, n_groups = pick([1, 2, 3, 4]), pick([2, 3])

    def matrix(n: int, width: int, values: Sequence[Any] = (0, 1)) -> Rows:
        # A row in one draw.
        rows = [*product(values, repeat=width)]
        return [list(pick(rows)) for _ in range(n)]

    def attributes(n: int, values: Sequence[Any] = (0, 1)) -> list[Any]:
        return matrix(n, n_groups, values) if indicators else [pick(GROUPS) for _ in range(n)]

    def silenced(rows: list[Any]) -> list[Any]:
        # One row predicts: an input without any value is another matter.
        return rows[:1] + [None if pick(abstains) else row for row in rows[1:]]

    n = pick(range(1, most + 1))
    made = silenced(matrix(n, n_tasks, chances)), attributes(n), silenced(attributes(n, chances))
    training = None
    if pick([True, False]) if reference is None else reference:
        size = pick(range(1, most + 1))
        training = matrix(size, n_tasks), attributes(size)
    weights = [1.0, *(pick(WEIGHTS) for _ in range(n - 1))] if pick([True, False]) else None
    return Case(matrix(n, n_tasks), *made, indicators, training, weights)


@st.composite
def cases(draw: Any, **kind: Any) -> Case:
    """Small cases of a kind, or of every kind."""
    return _drawn(lambda options: draw(st.sampled_from(options)), 10, **kind)


def seeded(seed: int, **kind: Any) -> Case:
    """A larger case of a kind, the same for the same seed."""
    return _drawn(Random(seed).choice, 120, **kind)


def result_of(metric: Any, case: Case, **changed: Any) -> bam.AmplificationResult:
    """The result for the case, without its warnings."""
    return quietly(metric.result, **case.arguments(**changed))


def value_from(metric: Any, counts: bam.CooccurrenceCounts) -> Any:
    """The value from counts that keep their rows, as what a comparison takes for the same."""
    value = quietly(metric.from_counts, counts).value
    return pytest.approx(value, abs=1e-12, nan_ok=True)


def metrics_for(case: Case, *, multi: bool = True) -> list[Any]:
    """One of each metric that has a value for the case."""
    lists = case.lists
    out: list[Any] = [bam.MALS(**lists)]
    out += [bam.DirectionalBiasAmplification(direction=way, **lists) for way in DIRECTIONS]
    if multi and _tasks_in_common(case):
        kinds: list[dict[str, Any]] = [{}, {"combinations": "subsets", "max_size": 2}]
        out += [
            bam.MultiAttributeBiasAmplification(direction=way, **kind, **lists)
            for way in [*DIRECTIONS, "undirected"]
            for kind in kinds
        ]
    if not case.indicators:
        del lists["reference"]
        out += [
            bam.DirectionalPredictabilityAmplification(
                quality=quality, equalize="expected", **lists
            )
            for quality in ("inverse_cross_entropy", "accuracy")
        ]
    return out


def _tasks_in_common(case: Case) -> bool:
    """Whether Multi has a label set: a row of the reference within one of the truth."""
    training = case.reference[0] if case.reference else case.y_true
    return any(
        any(known) and all(x <= y for x, y in zip(known, row, strict=True))
        for known in training
        for row in case.y_true
    )


def value_of(metric: Any, case: Case, **changed: Any) -> Any:
    """The value, as what a comparison takes for the same."""
    return pytest.approx(result_of(metric, case, **changed).value, abs=1e-12, nan_ok=True)


def name_of(labels: oracle.Labels) -> str:
    """What the table of pairs calls a label set."""
    return " + ".join(map(str, labels))


def check_pairs(
    result: bam.AmplificationResult, scores: oracle.Scores, *, magnitude: bool = False
) -> None:
    """The table of pairs is the oracle's, pair by pair; ``magnitude`` says that |D| counts."""
    expected = {(group, name_of(labels)): (group, labels) for group, labels in scores.deltas}
    assert len(result.by_pair) == len(expected)
    for pair in result.by_pair.itertuples():
        key = expected[pair.attribute, str(pair.task)]
        difference, coefficient = scores.deltas[key], scores.coefficients[key]
        assert same(pair.delta, difference)
        if difference is not None:
            difference = coefficient * (abs(difference) if magnitude else difference)
        assert same(pair.contribution, difference)
