"""What a metric returns: the value, its interval, and the tables behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from biasamp_adapters._text import shown, slug
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import show
from biasamp_adapters.inference.estimates import (
    NOT_DRAWN,
    UNLIMITED,
    Estimate,
    Interval,
    IntervalMethod,
    Replicated,
)
from biasamp_adapters.inference.replicates import accelerations
from biasamp_adapters.metrics.facts import Facts
from biasamp_adapters.metrics.measurement import UNDIRECTED, Measurement
from biasamp_adapters.metrics.plain import ROUNDING, numbers, plain, plain_verdict
from biasamp_adapters.metrics.verdict import TONES, Verdict, judge


@dataclass(frozen=True, kw_only=True)
class About:
    """What a metric declares about itself, for reports, pictures and hosts.

    Attributes
    ----------
    short : str
        Its usual short name in the literature; by default its name.
    source : str
        Where it is defined; docs/sources explains the abbreviations.
    directions : tuple of str
        Its directions, in the order of a report.
    signed : bool
        Whether the sign of a value tells in which direction bias changed.
    in_points : bool
        Whether it is a difference of rates, which reports show in percentage points.
    note : str
        A note for reports that show it.
    function, method : str
        The names of its function for Fairlearn and ``aif360.sklearn``, and of its method of
        AIF360's classes; without, the method has the name of the function.
    parameters, example : str
        Arguments and value of the example in the docstring of the function.
    name, zero, description, reading : str
        The texts of AIF360's explanations: its name in full, what 0 means, how it is computed, and
        which values are worse.
    """

    short: str = ""
    source: str = ""
    directions: tuple[str, ...] = (UNDIRECTED,)
    signed: bool = True
    in_points: bool = True
    note: str = ""
    function: str = ""
    method: str = ""
    parameters: str = ""
    example: str = ""
    name: str = ""
    zero: str = ""
    description: str = ""
    reading: str = ""

    @property
    def scale(self) -> float:
        """What values are multiplied by where they are shown: 100 for points, else 1."""
        return 100.0 if self.in_points else 1.0


#: What each metric declares, by the name of its class.
ABOUT: dict[str, About] = {}

#: The share of samples in which a change is to be seen.
_POWER = 0.8

#: How a note begins that says why there is no interval.
_NO_INTERVAL = "no interval: "

#: Qualities that have a letter.
_LETTERS = {"uncertainty_coefficient": "U"}

#: The note on a magnitude whose interval begins at 0.
_CHANCE = (
    "an average of absolute changes is positive by chance alone, and chance may explain all of "
    "this one: its interval begins at 0 and says how large it may be; more rows say more"
)

#: The same where the magnitude itself is 0.
_UNCHANGED = (
    "no rate changes in these rows: the interval begins at 0, below which an average of absolute "
    "changes cannot be, and says how large it may be"
)


def about(metric: str) -> About:
    """What a metric declares, by its name in a result, which may end in a quality."""
    name = metric.partition(" ")[0]
    declared = ABOUT.get(name, About())
    return declared if declared.short else replace(declared, short=name)


@dataclass(frozen=True, eq=False)
class AmplificationResult:
    """The value of a metric with its interval and the tables behind it.

    Attributes
    ----------
    metric : str
        Name of the metric.
    direction : str
        "A->T", "T->A" or "undirected".
    value : float
    interval : (low, high) or None
        None without replicates, or where none can be trusted; ``notes`` then says why.
    confidence : float
        Level of the interval.
    blind_errors : Estimate or None
        The value that mistakes as frequent as the model's would give if they knew nothing of the
        attribute: its confusion rates, pooled over groups, applied to every group (BA-> and MALS).
    excess : Estimate or None
        The value less ``blind_errors``, with a paired interval: what error rates that differ
        between groups add. It is 0 where predictions do not depend on the group, given the truth
        (equalised odds).
    spread : Estimate or None
        Population variance of the differences (Multi); ``variance`` is its number.
    levels : dict of str to Estimate
        Predictability of dataset and model, "psi_dataset" and "psi_model" (LA and DPA).
    n : int
        Rows evaluated.
    n_boot : int
        Bootstrap replicates.
    notes : tuple of str
        Caveats that apply to this value.
    """

    metric: str
    direction: str
    value: float
    n: int
    interval: Interval | None = None
    confidence: float = 0.95
    blind_errors: Estimate | None = None
    excess: Estimate | None = None
    spread: Estimate | None = None
    levels: dict[str, Estimate] = field(default_factory=dict)
    n_boot: int = 0
    notes: tuple[str, ...] = ()
    trials: dict[str, Array] | None = field(default=None, repr=False)
    measurement: Measurement | None = field(default=None, repr=False)
    replicated: Replicated | None = field(default=None, repr=False)
    behaviour: dict[str, Estimate] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        measurement: Measurement,
        replicates: Mapping[str, Array] | None,
        confidence: float,
        method: IntervalMethod = "percentile",
    ) -> Self:
        """The result of a metric on counts.

        Parameters
        ----------
        measurement : Measurement
        replicates : mapping of str to ndarray, or None
            The scores of replicates; empty where none are possible, None if none were asked for.
        confidence, method
            Options of the intervals.
        """
        notes = list(measurement.caveats)
        reason = None if replicates is None else measurement.no_interval
        drawn = {} if replicates is None or reason else replicates
        skewed = accelerations([measurement], [1]) if method == "bca" and drawn else {}
        scores = {
            name: measurement.replicated(name, value, drawn)
            if reason is None
            else Replicated(value, None, reason)
            for name, value in measurement.point().items()
            if not np.ndim(value)
        }
        estimates = {
            name: score.estimate(confidence, method, skewed.get(name, 0.0))
            for name, score in scores.items()
        }
        value = estimates["value"]
        if replicates is not None and value.reason:
            notes.append(f"{_NO_INTERVAL}{value.reason}")
        elif scores["value"].may_be_chance and value.interval is not None:
            notes.append(_CHANCE if value.value > ROUNDING else _UNCHANGED)
        elif undefined := int(np.isnan(drawn.get("value", np.zeros(0))).sum()):
            notes.append(f"{undefined} undefined bootstrap replicates are left out of the interval")
        return cls(
            metric=measurement.metric,
            direction=measurement.direction,
            value=value.value,
            n=measurement.evaluation.counts.n_rows,
            interval=value.interval,
            confidence=confidence,
            blind_errors=estimates.get("blind_errors"),
            excess=estimates.get("excess"),
            spread=estimates.get("variance"),
            levels={name: estimates[name] for name in estimates if name.startswith("psi")},
            n_boot=len(drawn.get("value", ())),
            notes=tuple(notes),
            measurement=measurement,
            replicated=scores["value"],
            behaviour=measurement.behaviour(estimates, drawn, confidence),
        )

    @property
    def short_name(self) -> str:
        """The usual short name with the direction: "BA A->T", "DPA(U) T->A", "LA"."""
        declared, variant = about(self.metric), self.metric.removesuffix(")").partition(" (")[2]
        parts = ", ".join(_LETTERS.get(part, part) for part in variant.split(", "))
        name = declared.short + (f"({parts})" if parts else "")
        is_plain = self.direction == UNDIRECTED and len(declared.directions) == 1
        return name if is_plain else f"{name} {self.direction}"

    @property
    def slug(self) -> str:
        """The short name without signs and spaces: "ba_a_to_t", "dpa_u_t_to_a", "la"."""
        return slug(self.short_name)

    @property
    def estimate(self) -> Estimate:
        """The value with its interval; why there is none is in ``notes``."""
        return Estimate(self.value, self.interval, None)

    @property
    def limits(self) -> Interval:
        """The range of the metric: its lowest and its highest possible value."""
        return UNLIMITED if self.measurement is None else self.measurement.limits("value")

    @property
    def detectable(self) -> float | None:
        """The smallest change from 0 that an interval of these rows shows with 80 % power.

        That is the standard deviation of the replicates times 2.80 at the 95 % level: 1.96, beyond
        which 0 is not in the interval, and 0.84, which four of five samples exceed. None without an
        interval, or where every replicate gave the same value.
        """
        if self.interval is None or self.replicated is None or self.replicated.replicates is None:
            return None
        from scipy.special import ndtri

        drawn = self.replicated.replicates
        std = float(drawn[np.isfinite(drawn)].std())
        times = float(ndtri((1 + self.confidence) / 2) + ndtri(_POWER))
        return std * times if std > ROUNDING else None

    @cached_property
    def verdict(self) -> Verdict | None:
        """What the value says of the model, or why it cannot say anything (BA->); else None."""
        facts = self.facts
        return None if facts is None else judge(facts)

    @cached_property
    def facts(self) -> Facts | None:
        """What the verdict is judged by."""
        return (
            self.measurement.facts(self.behaviour) if self.measurement and self.behaviour else None
        )

    @property
    def variance(self) -> float | None:
        """Population variance of the differences (Multi)."""
        return None if self.spread is None else self.spread.value

    @property
    def pos_label(self) -> Label | None:
        """The only class that is evaluated, such as the positive one (MALS); None for all."""
        return None if self.measurement is None else self.measurement.only_class

    @cached_property
    def by_pair(self) -> pd.DataFrame:
        """One row per pair of group and task: attribute, task, and what the metric says of it.

        BA->, MALS and Multi give ``sign`` (of the reference correlation; for MALS 1 where the
        group is over-represented), ``delta``, ``contribution``, and whether the sign is
        ``uncertain`` (less than 1.96 standard errors from the other one); LA and DPA
        ``psi_dataset``, ``psi_model`` and ``value``. Undefined pairs are NaN. Crossed attributes
        have one label, as text, and a column each.
        """
        if self.measurement is None:
            raise ValueError("this result was made without counts; it has no pairs")
        return self.measurement.table_of_pairs()

    @cached_property
    def by_trial(self) -> pd.DataFrame:
        """``psi_dataset``, ``psi_model`` and ``value`` of each trial that the value is a mean of.

        A trial is a draw of flips and, where attackers are fitted, of folds and of their seeds
        (LA and DPA). The spread over trials is not that of sampling, and gives no interval.
        There is no row where nothing is random.
        """
        scores = self.trials
        if scores is None:
            scores = {} if self.measurement is None else self.measurement.trials()
        names = ("psi_dataset", "psi_model", "value")
        shape = np.shape(scores.get("value", np.zeros(0)))
        means = {}
        for name in names:
            score = np.broadcast_to(scores.get(name, np.zeros(0)), shape)
            means[name] = score.mean(axis=tuple(range(1, len(shape))))
        return pd.DataFrame(means).rename_axis("trial")

    @property
    def _score(self) -> str:
        return "contribution" if "contribution" in self.by_pair else "value"

    @property
    def by_attribute(self) -> pd.Series[float]:
        """Mean over the defined pairs of each group."""
        return self.by_pair.groupby("attribute", sort=False)[self._score].mean()

    @property
    def by_task(self) -> pd.Series[float]:
        """Mean over the defined pairs of each task."""
        return self.by_pair.groupby("task", sort=False)[self._score].mean()

    @property
    def by_sign(self) -> pd.DataFrame:
        """Pairs, mean contribution and mean ``|delta|`` by sign of the reference correlation.

        Raises
        ------
        ValueError
            For LA and DPA, whose pairs have no sign.
        """
        return self._by(["sign"])

    @property
    def by_attribute_and_sign(self) -> pd.DataFrame:
        """The same by group: tasks correlated with the group (sign 1) or against it (-1).

        Raises
        ------
        ValueError
            For LA and DPA, whose pairs have no sign.
        """
        return self._by(["attribute", "sign"])

    def _by(self, keys: list[str]) -> pd.DataFrame:
        pairs = self.by_pair
        if "sign" not in pairs:
            raise ValueError(f"{self.metric} has no sign; received a request for by_sign")
        defined = pairs[pairs["delta"].notna()]
        columns = [defined["contribution"], defined["delta"].abs().rename("mean_abs_delta")]
        by = [defined[key] for key in keys]
        grouped = pd.concat(columns, axis=1).groupby(by, sort=len(keys) == 1)
        means = grouped.mean()
        means.insert(0, "pairs", grouped.size())
        return means

    @property
    def mean_abs_delta(self) -> float:
        """Mean of ``|delta|`` over the defined pairs: how far rates move, in either direction.

        Raises
        ------
        ValueError
            For LA and DPA, whose pairs have no rates.
        """
        if "delta" not in self.by_pair:
            raise ValueError(f"{self.metric} compares no rates; received a request for |delta|")
        return float(self.by_pair["delta"].abs().mean())

    def with_note(self, note: str) -> AmplificationResult:
        """The same result with one more caveat."""
        return replace(self, notes=(*self.notes, note))

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain Python objects, ready for JSON; NaN as None."""
        return {
            "metric": self.metric,
            "direction": self.direction,
            "value": plain(self.value),
            "low": plain(self.interval[0]) if self.interval else None,
            "high": plain(self.interval[1]) if self.interval else None,
            "confidence": self.confidence,
            "detectable": plain(self.detectable),
            "blind_errors": None if self.blind_errors is None else numbers(self.blind_errors),
            "excess": None if self.excess is None else numbers(self.excess),
            "variance": plain(self.variance),
            "spread": None if self.spread is None else numbers(self.spread),
            "levels": {name: numbers(level) for name, level in self.levels.items()},
            "verdict": None if self.verdict is None else plain_verdict(self.verdict),
            "n": self.n,
            "n_boot": self.n_boot,
            "pos_label": None if self.pos_label is None else show(self.pos_label),
            "notes": list(self.notes),
        }

    def _lines(self) -> list[str]:
        level = f", {percent(self.confidence)} interval" if self.interval else ""
        lines = [f"{self.metric} {self.direction}: {self.estimate.text()}{level}"]
        if self.pos_label is not None:
            lines.append(f"  class looked at: {show(self.pos_label)}")
        if self.blind_errors is not None:
            lines.append(f"  blind errors would give: {self.blind_errors.text()}")
        if self.excess is not None:
            lines.append(f"  excess over them: {self.excess.text()}")
        if self.verdict is not None:
            lines.append(f"  verdict: {self.verdict.words}. {self.verdict.sentence}")
        if self.spread is not None:
            lines.append(f"  variance over pairs: {self.spread.text('')}")
        lines += [f"  {name}: {level.text('')}" for name, level in self.levels.items()]
        lines.append(f"  rows: {self.n}")
        return lines + [f"  note: {note}" for note in self.notes]

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return self._card

    @cached_property
    def row(self) -> dict[str, Any]:
        """The value for a card: ``value``, ``low``, ``high``, and why there is no interval."""
        reasons = (note for note in self.notes if note.startswith(_NO_INTERVAL))
        reason = next(reasons, NOT_DRAWN).removeprefix(_NO_INTERVAL)
        return numbers(self.estimate) | {"note": "" if self.interval else reason}

    @property
    def facts_in_words(self) -> list[str]:
        """The line of a card that says what was evaluated."""
        facts = [f"{self.n:,} rows"]
        if self.pos_label is not None:
            facts.append(f"class looked at: {show(self.pos_label)}")
        return [self.metric, *facts] if self.metric not in self.short_name else facts

    @cached_property
    def _card(self) -> str:
        # A notebook needs them, and little else does.
        from biasamp_adapters.cards.card import Card, Footnotes, values
        from biasamp_adapters.cards.rounded import rounded
        from biasamp_adapters.cards.strips import TONES as SIDES
        from biasamp_adapters.cards.strips import side

        declared, footnotes, verdict = about(self.metric), Footnotes(), self.verdict
        beside = {"blind errors": self.blind_errors, "excess over them": self.excess}
        estimates = {name: it for name, it in beside.items() if it is not None}
        others = self.levels | ({} if self.spread is None else {"variance": self.spread})
        name = shown(self.short_name)
        return Card(
            title=name,
            facts=[
                *map(shown, self.facts_in_words),
                *(f"{name} {rounded(numbers(it), 1, '').both}" for name, it in others.items()),
            ],
            tone=SIDES[side(self.row)] if verdict is None else TONES.get(verdict.code, "unclear"),
            sentences=[]
            if verdict is None
            else [(f"{verdict.words.capitalize()}.", shown(verdict.sentence))],
            tables=[
                values(
                    f"{name}, and what it is compared with" if estimates else name,
                    "metric",
                    [(name, self.row), *((name, numbers(it)) for name, it in estimates.items())],
                    footnotes,
                    interval=f"{percent(self.confidence)} interval",
                    in_points=declared.in_points,
                    signed=declared.signed,
                )
            ],
            footnotes=footnotes.texts,
            **caveats(self.notes),
        ).to_html()


def caveats(notes: Iterable[str]) -> dict[str, Any]:
    """The folded part of a card: each note once, without reasons, which stand in its table."""
    texts = dict.fromkeys(shown(note) for note in notes if not note.startswith(_NO_INTERVAL))
    return {"folded": f"Caveats ({len(texts)})" if texts else "", "notes": [*texts]}


def percent(share: float) -> str:
    """A confidence level as text, with as many digits as it has."""
    return f"{100 * share:g}%"
