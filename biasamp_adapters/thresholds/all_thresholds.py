"""A metric at all thresholds of a score at once, and integrated over them, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.counts.blocks import Block
from biasamp_adapters.counts.tables import Margins, Tables
from biasamp_adapters.inference.estimates import Estimate, IntervalOptions
from biasamp_adapters.inference.replicates import BlockDraws, Scored, replicate
from biasamp_adapters.inference.rules import Sampling
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.equalize import accuracy_of
from biasamp_adapters.metrics.measurement import Measurement
from biasamp_adapters.reference import align
from biasamp_adapters.thresholds.curve import Steps, integral

#: The scores of each threshold, and the one of all of them.
AT_EACH, INTEGRAL = ("value", "blind_errors", "accuracy"), "integral"


@dataclass(frozen=True, eq=False, kw_only=True)
class AllThresholds(Scored):
    """MALS or BA-> at all thresholds, and integrated over the share predicted positive.

    Rows are drawn with their scores, so that all thresholds of a replicate are of the same rows.

    Attributes
    ----------
    steps : Steps
        The counts at every threshold.
    role : Role
        What the score predicts.
    measurement : Measurement
        The metric at one of the thresholds.
    """

    steps: Steps
    role: Role
    measurement: Measurement

    @classmethod
    def of(cls, metric: Metric, steps: Steps, role: Role) -> Self:
        """A metric at all steps."""
        one = steps.counts(len(steps.ranks) // 2)
        reference = getattr(metric, "reference", None)
        evaluation = metric.prepare(align(one, reference, one.labels, one.groups))
        model = one.first_model
        return cls(
            # Rows are drawn with ranks in the place of predictions.
            evaluation=replace(evaluation, counts=steps.ranked),
            model=model,
            steps=steps,
            role=role,
            measurement=metric.measure(evaluation, model),
        )

    @property
    def reads_reference(self) -> bool:  # type: ignore[override]  # a constant elsewhere
        """Whether replicates read values from a reference of its own, as the metric does."""
        return self.measurement.reads_reference

    @property
    def sampling(self) -> Sampling:
        """Draws of rows, which are drawn one by one."""
        many = "rows are too many to be drawn with their scores"
        drawn = super().sampling
        return replace(drawn, no_draws=many) if self.evaluation.counts.has_many_rows else drawn

    @property
    def width(self) -> int:
        """Numbers that one replicate takes: a few tables at each step."""
        counts = self.measurement.evaluation.counts
        return 4 * len(self.steps.share) * len(counts.groups) * len(counts.labels)

    def scores(
        self, tables: Tables, reference: Tables | None, draws: BlockDraws
    ) -> dict[str, Array]:
        """The scores of each threshold, (..., steps), and the integral of the value."""
        share, at_all = self.steps.at_all(tables, self.measurement.evaluation.counts)
        if reference is not None:
            reference = replace(reference, margins=_AtAnyStep(reference.margins))
        found = self.measurement.scores(at_all, reference, BlockDraws())
        found["accuracy"] = accuracy_of(at_all, self.role.truth)
        scores = {
            name: np.broadcast_to(found[name], share.shape) for name in AT_EACH if name in found
        }
        return {**scores, INTEGRAL: integral(share, scores["value"])}

    def estimates(
        self, drawn: Mapping[str, Array], options: IntervalOptions
    ) -> tuple[list[dict[str, Estimate]], Estimate]:
        """The scores of each threshold, and the integral, with intervals or why there are none.

        ``drawn`` are the scores of replicates; none if there are no replicates.
        """
        point, reason = self.point(), self.no_interval if options.n_boot else None

        def estimate(name: str, value: float, replicates: Array | None) -> Estimate:
            if replicates is None:
                return Estimate(value, None, reason) if reason else Estimate(value)
            number = self.measurement.replicated(name, value, {name: replicates})
            return number.estimate(options.confidence)

        at_each = [
            {
                name: estimate(name, float(point[name][i]), drawn[name][:, i] if drawn else None)
                for name in AT_EACH
                if name in point
            }
            for i in range(len(self.steps.share))
        ]
        # What is to be known of a value is to be known of its integral.
        return at_each, estimate("value", float(point[INTEGRAL]), drawn.get(INTEGRAL))


def drawn_at_all(
    metrics: Mapping[str, AllThresholds], options: IntervalOptions
) -> dict[str, dict[str, Array]]:
    """The scores of metrics of the same steps on the same drawn rows; empty if none are drawn."""
    if not options.n_boot:
        return {}
    first = next(iter(metrics.values()))
    return replicate(metrics, first.evaluation, options.n_boot, options.random_state)


@dataclass(frozen=True)
class _AtAnyStep(Margins):
    """Margins that are the same at every step, of shape (..., 1, first, second)."""

    margins: Margins

    def __call__(self, first: Block, second: Block) -> Array:
        return self.margins(first, second)[..., None, :, :]
