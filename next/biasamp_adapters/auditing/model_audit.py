"""All numbers of one model in one direction: what the records of a summary are read from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.auditing.evaluate import ROLES, Members
from biasamp_adapters.auditing.summary import MEASURES, Number, OfModel
from biasamp_adapters.counting.labels import Array, Label
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.inference.bands import NOISE, simultaneous_bands
from biasamp_adapters.inference.gaps import Gap
from biasamp_adapters.inference.intervals import Estimate, Trust, estimate
from biasamp_adapters.inference.verdict import Judgement
from biasamp_adapters.metrics.base import A_TO_T
from biasamp_adapters.result import AmplificationResult

#: The rows that rates are a share of, where these are not all.
_LABELLED = {measure.rate: measure.labelled for measure in MEASURES.values()}
_LABELLED["missing"] = "positive"

#: What happens to gaps that get larger, and to those that get smaller or turn round.
_SIDES = ("grows", "appears"), ("shrinks", "reverses")


@dataclass(frozen=True, eq=False)
class ModelAudit:
    """All numbers of one model in one direction.

    Attributes
    ----------
    direction, model : str
    members : Members
    rates : dict of str to ndarray
        As of :func:`group_rates`, those of the data first.
    results : list of AmplificationResult
        BA is the first.
    strata : list of AmplificationResult
        BA of each stratum.
    judgement : Judgement
    confidence : float
    reason : str
        Why there are no replicates; empty if there are some.
    """

    direction: str
    model: str
    members: Members
    rates: dict[str, Array]
    results: list[AmplificationResult]
    strata: list[AmplificationResult]
    judgement: Judgement
    confidence: float
    reason: str

    @property
    def about(self) -> OfModel:
        """What all records of it have."""
        return OfModel(model=self.model, direction=self.direction)

    @property
    def ba(self) -> AmplificationResult:
        """BA of all rows."""
        return self.results[0]

    @property
    def evaluation(self) -> Evaluation:
        """The rows, and what decides the signs."""
        return self.ba.measurement.evaluation

    @property
    def is_matrix(self) -> bool:
        """Whether each class is a column of its own."""
        return self.evaluation.rows.is_matrix(ROLES[self.direction][1])

    @cached_property
    def pairs(self) -> dict[str, Array]:
        """Scores of BA of each pair, in the order of the members."""
        pairs = self.ba.measurement.pairs()
        return pairs if self.direction == A_TO_T else {name: x.T for name, x in pairs.items()}

    @cached_property
    def gaps(self) -> list[Gap]:
        """The gaps from the most certain change on."""
        return sort_gaps(self.judgement.gaps)

    @property
    def named(self) -> list[int]:
        """The positions of the gaps that are named: the most certain one on each side."""
        if len(self.gaps) == 1:
            return [0]
        sides = [[i for i, gap in enumerate(self.gaps) if gap.status in side] for side in _SIDES]
        return [side[0] for side in sides if side]

    @cached_property
    def _positions(self) -> dict[Label, int]:
        return {label: i for i, label in enumerate(self.members.groups)}

    def places(self, gap: Gap) -> tuple[list[int], int]:
        """Return the positions of both groups of a gap, of which -1 is all rows, and its class."""
        groups = [self._positions.get(label, -1) for label in (gap.first, gap.second)]
        return groups, self.members.classes.index(gap.of_class)

    def rate(self, name: str, of_class: int) -> tuple[Array, Array]:
        """Return a rate of all groups, and the rows that it is a share of in each group."""
        draws, sizes = self.rates[name][:, :-1], self.members.sizes
        if name == "accuracy":
            return draws, sizes
        positives = self.rates["true"][0, :-1, of_class] * sizes
        if _LABELLED.get(name) == "positive":
            sizes = positives
        if _LABELLED.get(name) == "negative":
            sizes = sizes - positives
        return draws[..., of_class], sizes

    def difference(self, name: str, gap: Gap) -> Array:
        """Return the difference of a rate between the groups of a gap, in all draws."""
        (first, second), of_class = self.places(gap)
        rates = self.rates[name][..., of_class]
        difference: Array = rates[:, first] - rates[:, second]
        return difference

    @cached_property
    def numbers(self) -> dict[str, Estimate]:
        """The numbers in which models are compared; excess and accuracy only if they exist."""
        numbers = {"BA": self.ba.estimate, "mean change": self.judgement.mean_change}
        if self.ba.excess is not None:
            numbers["excess"] = self.ba.excess
        if self.direction == A_TO_T and "accuracy" in self.rates:
            numbers["accuracy"] = self.estimate(self.rates["accuracy"][:, -1])
        return numbers

    def estimate(self, draws: Array, reason: str = "") -> Estimate:
        """Return a number with its interval; the first draw is that of the data."""
        reason = reason or self.reason
        if len(draws) == 1:
            reason = reason or words.TOO_MANY_RATES
        return estimate(float(draws[0]), Trust(draws[1:], reason), self.confidence)

    def number(self, draws: Array, reason: str = "") -> Number:
        """Return a number with its interval as plain values."""
        return to_number(self.estimate(draws, reason))


def sort_gaps(gaps: Sequence[Gap]) -> list[Gap]:
    """Return gaps from the most certain change on: that with the band farthest from 0.

    Gaps that are not clear come last, even if their rates move clearly.
    """
    return sorted(
        gaps, key=lambda gap: (gap.status != "unclear", max(gap.low, -gap.high)), reverse=True
    )


def key_of(name: str, direction: str) -> str:
    """Return a name in letters, digits and underscores."""
    suffix = "" if name == "accuracy" else f" {direction.replace('->', '_to_')}"
    return f"{name}{suffix}".replace(" ", "_").lower()


def draws_of(audits: Sequence[ModelAudit], name: str) -> list[Array] | None:
    """Return a number of models, in the data and in replicates; None if it is missing in one."""
    numbers = [audit.numbers.get(name, Estimate(np.nan)) for audit in audits]
    if not all(math.isfinite(number.value) for number in numbers):
        return None
    return [np.r_[number.value, number.replicates] for number in numbers]


def bands_of(changes: Array, name: str, audit: ModelAudit) -> tuple[Array, Array]:
    """Return bands of changes of a number between models, one family; NaN without replicates.

    They have half a row of the smallest group; of accuracy, half of one of all rows.
    """
    sizes = audit.members.sizes
    smallest = max(sizes[sizes > 0].min(initial=np.inf), 1)
    half_row = 0.5 / (audit.members.rows.sum() if name == "accuracy" else smallest)
    return simultaneous_bands(changes[0], changes[1:], half_row, audit.confidence)


def to_number(number: Estimate) -> Number:
    """Return a number with its interval as plain values; what does not exist is None."""
    return Number(
        value=finite(number.value),
        low=finite(number.low),
        high=finite(number.high),
        reason=number.reason,
    )


def finite(x: float) -> float | None:
    """Return a number without rounding noise, which would lie on one side of 0; None of NaN."""
    if not math.isfinite(x):
        return None
    return 0.0 if abs(x) < NOISE else float(x)
