"""LA and DPA with the exact attacker: the table of input against target is the attacker."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from biasamp_adapters._roles import ARGUMENTS
from biasamp_adapters._typing import Array, Label, RandomState, generator
from biasamp_adapters.counts.draws import batches
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.estimates import MONTE_CARLO, Interval
from biasamp_adapters.inference.replicates import BlockDraws
from biasamp_adapters.inference.rules import Evidence, Sampling
from biasamp_adapters.metrics.attacks.attack_notes import (
    below_chance,
    equalised_in_words,
    no_dependence,
    pairs_only,
    quality_in_words,
    undefined_change,
)
from biasamp_adapters.metrics.attacks.sparse_tables import (
    expected_channel_is_unbiased,
    tie_margin,
    tie_optimism,
)
from biasamp_adapters.metrics.attacks.target_values import target_values
from biasamp_adapters.metrics.attacks.trials import Statistics, Trials
from biasamp_adapters.metrics.attacks.two_way_tables import Sides, groups_vary
from biasamp_adapters.metrics.means import mean_over_tasks
from biasamp_adapters.metrics.measurement import Measurement
from biasamp_adapters.quality import (
    BALANCED,
    DEPENDENCE,
    OF_GUESSES,
    Dependence,
    Quality,
    chance_share,
    is_dependent,
    loo_cross_entropy,
    uncertainty_coefficient,
)

#: Pairs and trials, or numbers of the tables of trials, that are flipped at a time.
_BLOCK = 2**20

#: Qualities of an attacker that names one class: it may choose among ties.
_OF_CHOICES = (*OF_GUESSES, BALANCED)

#: Qualities that may be equalised in expectation.
_IN_EXPECTATION = ("inverse_cross_entropy", *_OF_CHOICES)

_NO_AND_YES = np.array([0.0, 1.0])


@dataclass(frozen=True, eq=False, kw_only=True)
class TableAttack(Measurement):
    """LA or DPA, measured on counts.

    The value is the mean over the columns of a target that is a matrix. If the input is a matrix of
    several columns, only pairs are scored: the table of all its columns is too large.

    Attributes
    ----------
    sides : Sides
        The tables of dataset and model.
    quality : Quality
    equalize : {"auto", "expected", "sampled"} or None
        As given to the metric.
    loo : bool
        Whether the log loss is that of leave-one-out.
    n_trials : int
    random_state : int, Generator or None
    absolute : bool
        Whether the value is the difference of the levels, and not their relative change.
    pos_label : label or None
        The positive class, for a quality that reads one.
    mode : {"expected", "sampled"} or None
        How the value is equalised.
    """

    sides: Sides
    quality: Quality
    equalize: str | None
    loo: bool
    n_trials: int
    random_state: RandomState
    absolute: bool
    pos_label: Label | None = None
    mode: str | None = None

    def equalised(self) -> Self:
        """The same with the way to equalise chosen, and notes on what this means.

        Raises
        ------
        ValueError
            If the counts do not suit the quality, or the way to equalise.
        """
        if self.no_value:
            return replace(self, notes=(self.no_value,))
        counts, sides, mode = self.evaluation.counts, self.sides, self.equalize
        notes: list[str] = []
        if mode is not None:
            classes = sides.dataset.shape[sides.roles.axis]
            notes += below_chance(float(sides.accuracy.min()), classes)
        if mode == "auto":
            mode = "expected" if self._in_expectation.all() else "sampled"
            if mode == "expected" and not counts.knows_rows:
                notes.append(
                    "equalised in expectation, which may be biased on sparse tables: sampled flips "
                    "need rows, and these counts hold only sums of weights"
                )
        if mode == "sampled" and not counts.knows_rows:
            raise ValueError(
                "sampled flips need rows; received counts of sums of weights alone (by_weight=True "
                "of joint counts, and keep_rows=True of label matrices, keep them)"
            )
        if self.loo and counts.weighted:
            raise ValueError("leave-one-out needs unweighted rows; received weights")
        measured = replace(self, mode=mode, notes=tuple(notes))
        if mode == "sampled":
            # One pass over the trials then gives what all attacks read that are measured together.
            measured._drawn.reading(self._statistics)
        if not self._is_ratio_of_u:
            undefined = undefined_change(self.quality, measured.point)
            return replace(measured, notes=(*notes, *undefined))
        difference = self._is_noise(*measured._dependence)
        notes += no_dependence(difference)
        return replace(measured, difference=difference, notes=tuple(notes))

    @property
    def no_value(self) -> str | None:
        """Why there is no overall value, or None."""
        source, (by_column, target_by_column) = self.sides.roles.dataset[0], self.sides.by_column
        one = self.evaluation.counts.n_labels(source) == 1 and not target_by_column
        if one or not by_column:
            return None
        return pairs_only(ARGUMENTS[source])

    @property
    def sampling(self) -> Sampling:
        """Draws of rows, and flips of their labels."""
        return replace(
            super().sampling,
            no_value=self.no_value,
            flips_sums=self.equalize is not None and not self.evaluation.counts.knows_rows,
            leaves_one_out=self.loo,
        )

    @property
    def recipe(self) -> dict[str, str]:
        """Attacker, what it is scored on, its quality, and how the truth was made as wrong."""
        chosen = self.absolute and not self.sides.roles.of_leakage
        return {
            "attacker": self._attacker_in_words,
            "quality": quality_in_words(self.quality, self._target_labels, self.pos_label),
            **({"change": "absolute"} if chosen else {}),
            "equalised": equalised_in_words(self.mode, self.n_trials, self.random_state),
        }

    @property
    def _attacker_in_words(self) -> str:
        how = "evaluated by leave-one-out" if self.loo else "evaluated on the same rows"
        return f"the count table itself, {how}"

    @property
    def width(self) -> int:
        first, second = (self.evaluation.counts.n_labels(role) for role in self.sides.roles.dataset)
        return 4 * first * second

    # A ratio of uncertainty coefficients is noise where there is no dependence.

    @property
    def _is_ratio_of_u(self) -> bool:
        return self.quality.name == "uncertainty_coefficient" and not self.absolute

    def _is_noise(self, dataset: Dependence, model: Dependence) -> Array:
        """Where neither side shows a dependence."""
        rows = self.evaluation.counts.effective_rows
        return ~np.asarray(is_dependent(dataset, rows) | is_dependent(model, rows))

    # Equalising.

    @cached_property
    def _in_expectation(self) -> Array:
        """Where flips may be equalised in expectation, of shape (*columns)."""
        return self._may_be_expected(self.sides)

    def _may_be_expected(self, sides: Sides) -> Array:
        """Where tables need no drawn flips: (...) for tables of shape (..., inputs, targets)."""
        if self.equalize != "auto":
            return np.asarray(self.equalize != "sampled")
        if self.loo or self.quality.name == "uncertainty_coefficient":
            return np.asarray(False)
        counts = self.evaluation.counts
        if not counts.knows_rows and self.quality.name in _IN_EXPECTATION:
            return np.asarray(True)
        rows, absolute = counts.effective_rows, self.absolute
        unbiased = expected_channel_is_unbiased(self.quality, sides, rows, absolute=absolute)
        return (sides.accuracy >= 1) | unbiased

    # Statistics of the tables, each of shape (trials, *columns, ...). Attacks that read the same
    # tables share them, so the tables of LA are transposed, and names tell functions apart.

    @property
    def _tables_read(self) -> tuple[Hashable, ...]:
        """What attacks have in common that read the same tables of an evaluation."""
        sides = self.sides.with_flips_last
        return self.model, sides.roles, sides.by_column, sides.silence, self.equalize is None

    def _name(self, statistic: str) -> Hashable:
        names: dict[str, Hashable] = {"optimism": f"optimism of {self.quality.name}"}
        if self.quality.name == "inverse_cross_entropy":
            names["score"] = "leave-one-out" if self.loo else "cross_entropy"
        else:
            values = None if self._values is None else self._values.tobytes()
            # Functions of one's own may have the same name.
            names["score"] = self.quality.name, id(self.quality.score), values
        return names.get(statistic, statistic), self.sides.roles.of_leakage

    @cached_property
    def _statistics(self) -> Statistics:
        """Functions of tables: the score, what shows a dependence, and what ties may gain."""
        functions = {"score": lambda tables: self._score(tables, self._values), **DEPENDENCE}
        if self.quality.name == "uncertainty_coefficient":
            del functions["score"]  # It follows from the others.
        if self.quality.name in _OF_CHOICES:
            rows, balanced = self.evaluation.counts.effective_rows, self.quality.name == BALANCED
            functions["optimism"] = partial(tie_optimism, n_rows=rows, balanced=balanced)
        turned = self.sides.roles.of_leakage
        return {self._name(x): _transposed(f) if turned else f for x, f in functions.items()}

    def _read(self, trials: Trials, statistic: str) -> Array:
        if statistic == "score" and self.quality.name == "uncertainty_coefficient":
            parts = (self._read(trials, name) for name in ("entropy", "cross_entropy"))
            return uncertainty_coefficient(*parts)
        return trials[self._name(statistic)]

    def _once(self, tables: Array) -> Trials:
        """Those of tables in which nothing is drawn, as a single trial."""
        return Trials(lambda: iter([tables[None]])).reading(self._statistics)

    @cached_property
    def _model(self) -> Trials:
        return self._once(self.sides.with_flips_last.model)

    @cached_property
    def _drawn(self) -> Trials:
        """Those of the dataset's tables with drawn flips; as they are without flips."""
        sides = self.sides.with_flips_last
        if self.equalize is None:
            return self._once(sides.dataset)
        step = max(1, _BLOCK // max(sides.dataset.size, 1))

        def tables() -> Iterator[Array]:
            rng = generator(self.random_state)
            return (sides.flipped(rng, size) for size in batches(self.n_trials, step))

        key = (*self._tables_read, self.n_trials, self.random_state)
        trials = self.evaluation.shared.once(key, lambda: Trials(tables, self.n_trials <= step))
        return trials.reading(self._statistics)

    @cached_property
    def _expected(self) -> Trials:
        """Those of the dataset's tables with flips in expectation; as they are without flips."""
        sides = self.sides.with_flips_last
        return self._once(sides.expected() if self.equalize else sides.dataset)

    def _dataset(self, name: str) -> Array:
        """A statistic of the dataset's tables as the value compares them."""
        if self.mode == "expected":
            return self._read(self._expected, name)
        drawn = self._read(self._drawn, name)
        if self.mode is None or not self._in_expectation.any():
            return drawn
        # Labels that occur have an axis of their own.
        further = range(self._in_expectation.ndim - drawn.ndim + 1, 0)
        chosen = np.expand_dims(self._in_expectation, tuple(further))
        return np.where(chosen, self._read(self._expected, name), drawn)

    @cached_property
    def _dependence(self) -> tuple[Dependence, Dependence]:
        """What shows a dependence, in the dataset and in the model."""
        dataset = Dependence(*(self._dataset(name) for name in DEPENDENCE))
        return dataset, Dependence(*(self._read(self._model, name) for name in DEPENDENCE))

    # Scores.

    @cached_property
    def _values(self) -> Array | None:
        """The values of the targets that the quality reads."""
        n_targets = self.sides.model.shape[-1]
        return target_values(self.quality, self._target_labels, n_targets, self.pos_label)

    @property
    def _target_labels(self) -> tuple[Label, ...]:
        if self.sides.by_column[1]:
            return 0, 1
        return self.evaluation.counts.labels_of(self.sides.roles.dataset[1])

    def _score(self, tables: Array, values: Array | None) -> Array:
        return loo_cross_entropy(tables) if self.loo else self.quality.score(tables, values)

    def _compare(self, dataset: Array, model: Array, difference: Array | bool) -> dict[str, Array]:
        """The value and both levels of predictability, from scores of any batch shape."""
        # Shares of whole rows are exact; sums of shares, or of weights, are not.
        exact = self.quality.name == "accuracy" and not self.evaluation.counts.weighted
        return self.quality.compare(dataset, model, difference | self.absolute, exact=exact)

    def _overall(self, dataset: Array, model: Array) -> dict[str, Array]:
        """The value and both levels, averaged over columns, from scores."""
        scores = self._compare(dataset, model, self.difference)
        if not any(self.sides.by_column):
            return scores
        return {name: score.mean(axis=-1) for name, score in scores.items()}

    def _of_pairs(self, dataset: Array, model: Array, difference: Array) -> dict[str, Array]:
        dataset, model = self._score(dataset, _NO_AND_YES), self._score(model, _NO_AND_YES)
        return self._compare(dataset, model, difference)

    def scores(
        self, tables: Tables, reference: Tables | None, draws: BlockDraws
    ) -> dict[str, Array]:
        """The value and both levels; each table with one draw of flips."""
        sides, what = replace(self.sides, tables=tables), (self.evaluation, *self._tables_read)
        rng = draws.once(("random numbers", *what), draws.generator)

        def read(side: str, make: Callable[[Sides], Array]) -> Array:
            trials = draws.once((side, *what), lambda: Trials(lambda: iter([make(sides)])))
            return self._read(trials.reading(self._statistics), "score")

        dataset = read("dataset", lambda sides: self._equalised(sides, rng))
        scores = self._overall(dataset, read("model", lambda sides: sides.with_flips_last.model))
        if self.by_group:
            sides = self._pairs_of(tables)
            pairs = draws.once(("pairs", *what), lambda: self._equalised(sides, rng))
            pairs = pairs.swapaxes(-1, -2) if self.sides.roles.of_leakage else pairs
            with np.errstate(divide="ignore", invalid="ignore"):  # of groups that do not vary
                difference = self.pair_scores["difference"]
                value = self._of_pairs(pairs, sides.model, difference)["value"]
            scores["groups"] = mean_over_tasks(np.where(groups_vary(tables), value, np.nan))
        return scores

    def _equalised(self, sides: Sides, rng: np.random.Generator) -> Array:
        """The dataset's tables with one draw of flips, those of LA transposed."""
        sides = sides.with_flips_last
        return sides.dataset if self.equalize is None else sides.flipped(rng)

    def smooth(self, tables: Tables, reference: Tables | None) -> dict[str, Array]:
        """The value and both levels with flips in expectation."""
        sides = replace(self.sides, tables=tables)
        dataset = sides.expected() if self.equalize else sides.dataset
        return self._overall(*(self._score(x, self._values) for x in (dataset, sides.model)))

    def point(self) -> dict[str, Any]:
        """The value and both levels, averaged over trials where flips are drawn."""
        if self.no_value:
            return dict.fromkeys(("value", "psi_dataset", "psi_model"), np.nan)
        scores = self._overall(self._dataset("score"), self._read(self._model, "score"))
        return {name: float(np.mean(score)) for name, score in scores.items()}

    def trials(self) -> dict[str, Array]:
        """The same of each draw of flips, if flips are drawn."""
        if self.mode != "sampled":
            return {}
        return self._compare(
            self._dataset("score"), self._read(self._model, "score")[0], self.difference
        )

    # Intervals.

    @cached_property
    def drawn_scores(self) -> dict[str, Array]:
        """The scores by drawn flips, whichever way the value is equalised, (trials,) each."""
        return self._overall(self._read(self._drawn, "score"), self._read(self._model, "score"))

    @cached_property
    def _expected_scores(self) -> dict[str, Array]:
        """The scores with flips in expectation: the centre of replicates without noise."""
        return self._overall(self._read(self._expected, "score"), self._read(self._model, "score"))

    @cached_property
    def _alone(self) -> float:
        """Share of the rows that are alone in their cell."""
        counts, sides = self.evaluation.counts, self.sides
        if counts.weighted:
            sides = replace(sides, tables=counts.unweighted().tables(self.model))
        alone = [(t == 1).sum(axis=(-2, -1)).mean() for t in (sides.dataset, sides.model)]
        return float(max(alone) / sides.tables.total)

    @cached_property
    def _chance(self) -> float:
        """Share of chance in the dependence behind a ratio of uncertainty coefficients."""
        if not self._is_ratio_of_u:
            return 0.0
        rows = self.evaluation.counts.effective_rows
        share = chance_share(*self._dependence, rows)
        ratios = ~np.broadcast_to(self.difference, share.shape)
        return float(share[ratios].mean()) if ratios.any() else 0.0

    def limits(self, name: str) -> Interval:
        """The range of a level, of a difference of levels, or of a ratio."""
        lowest, highest = self.quality.limits
        if name.startswith("psi"):
            return lowest, highest
        return (lowest - highest, highest - lowest) if self.absolute else (-1.0, 1.0)

    def evidence(
        self, name: str, value: float, drawn: Mapping[str, Array] = MappingProxyType({})
    ) -> Evidence:
        """How sparse the tables are, and where replicates should lie."""
        rows = self.evaluation.counts.effective_rows
        levels = "psi_dataset", "psi_model"
        level = self._dependence[levels.index(name)] if name in levels else None
        # The mean over pairs of a group is scored only on replicates.
        trials = self.drawn_scores.get(name, np.array([value]))
        spread = float(trials.std()) if np.isfinite(trials).all() else 0.0
        return Evidence(
            limits=self.limits(name),
            margin=self._tie_margin(name),
            noise=MONTE_CARLO * spread / np.sqrt(len(trials)),
            is_level=level is not None,
            centre=float(np.mean(self._expected_scores.get(name, value))),
            base=float(np.mean(trials)),
            n_rows=rows,
            alone=self._alone,
            is_dependent=level is None or bool(is_dependent(level, rows).any()),
            has_ties=self.quality.name in _OF_CHOICES,
            chance=0.0 if level is not None else self._chance,
        )

    def _tie_margin(self, name: str) -> Interval:
        """How far ties may have raised or lowered a score."""
        if self.quality.name not in _OF_CHOICES or name == "groups":
            return 0.0, 0.0
        optimism = self._dataset("optimism"), self._read(self._model, "optimism")
        levels = self.drawn_scores["psi_dataset"], self.drawn_scores["psi_model"]
        return tie_margin(name, self.quality, self.absolute, optimism, levels)

    # Pairs.

    def _pairs_of(self, tables: Tables) -> Sides:
        """The tables of every pair of indicators."""
        return replace(self.sides, tables=tables, by_column=(True, True), silence=False)

    def pair_labels(self) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Groups and task labels."""
        return self.evaluation.counts.groups, self.evaluation.counts.labels

    def pairs(self) -> dict[str, Array]:
        """``psi_dataset``, ``psi_model`` and ``value`` of each pair of indicators."""
        return {name: self.pair_scores[name] for name in ("psi_dataset", "psi_model", "value")}

    @cached_property
    def pair_scores(self) -> dict[str, Array]:
        """Scores on every pair of indicators, of shape (groups, tasks).

        Each pair is equalised with the accuracy of its own indicator. A group that all rows or none
        belong to gives NaN. ``difference`` says for which pairs the value is a difference.
        """
        sides = self._pairs_of(self.sides.tables)
        shape = sides.accuracy.shape
        out = {name: np.full(shape, np.nan) for name in ("psi_dataset", "psi_model", "value")}
        out["difference"] = np.zeros(shape, dtype=bool)
        for pairs, dataset in self._pair_trials(sides):
            model, difference = sides.model[pairs], np.asarray(False)
            if self._is_ratio_of_u:
                difference = self._is_noise(Dependence.of(dataset), Dependence.of(model[None]))
            out["difference"][pairs] = difference
            for name, score in self._of_pairs(dataset, model, difference).items():
                out[name][pairs] = np.broadcast_to(score, dataset.shape[:2]).mean(axis=0)
        return out

    def _pair_trials(self, sides: Sides) -> Iterator[tuple[tuple[Array, ...], Array]]:
        """Pairs whose group varies, and the dataset's tables (trials, pairs, 2, 2), in blocks."""
        varies = np.broadcast_to(groups_vary(sides.tables), sides.accuracy.shape)
        in_expectation = varies & self._may_be_expected(sides)
        if in_expectation.any():
            dataset = sides.dataset if self.equalize is None else sides.expected()
            yield np.nonzero(in_expectation), dataset[in_expectation][None]
        rng = generator(self.random_state)
        drawn = np.argwhere(varies & ~in_expectation)
        step = max(1, _BLOCK // self.n_trials)
        for start in range(0, len(drawn), step):
            pairs = tuple(drawn[start : start + step].T)
            yield pairs, sides.flipped(rng, self.n_trials, pairs)


def _transposed(statistic: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda tables: statistic(tables.swapaxes(-1, -2))
