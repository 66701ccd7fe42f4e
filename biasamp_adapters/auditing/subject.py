"""A number of a report, and what is known of its data: what the rules of reading ask."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Row
from biasamp_adapters.auditing.group_rates import ABSTENTION
from biasamp_adapters.auditing.notes import BY_HAND
from biasamp_adapters.auditing.prevalence import (
    ALL,
    FAR,
    far_apart,
    over_runs,
    ratio_in_words,
)
from biasamp_adapters.cards.strips import side
from biasamp_adapters.counts.labels import task_in_words
from biasamp_adapters.counts.variables import model_in_words
from biasamp_adapters.metrics.measurement import T_TO_A, UNDIRECTED
from biasamp_adapters.metrics.verdict import WORDS

#: The differences between groups in how often a model abstained, by what it did not predict.
SILENCE = {role: f"{measure}_difference" for role, measure in ABSTENTION.items()}


class Sizes(NamedTuple):
    """How large the labels of a kind are, as shares.

    Attributes
    ----------
    what : str
        The kind, in words.
    least, most : float
    """

    what: str
    least: float
    most: float

    @classmethod
    def of(cls, what: str, shares: list[float], *, yes_or_no: bool = False) -> Sizes:
        """The sizes of labels or, of ``yes_or_no``, of each label and of its absence."""
        if yes_or_no:
            shares = [*shares, *(1 - share for share in shares)]
        return cls(what, min(shares, default=0.0), max(shares, default=0.0))

    @property
    def unequal(self) -> bool:
        """Whether the largest is far larger than the least."""
        return self.most > FAR * self.least

    def __str__(self) -> str:
        return f"{self.what} are of unequal size (shares from {self.least:.1%} to {self.most:.1%})"


@dataclass(frozen=True, eq=False)
class Subject:
    """A number of a report, and what rules read to judge it.

    Attributes
    ----------
    summary : dict
        The summary of the report.
    model : str
    name : str
        A metric and direction in short, a fairness measure, or a part of the report.
    row : dict
        The row of the summary that it is in; empty for a part.
    """

    summary: Row
    model: str
    name: str
    row: Row

    @property
    def who(self) -> str:
        """The model, as a sentence names it that starts with it."""
        return model_in_words(self.model, starts=True)

    def _rows(self, part: str) -> list[Row]:
        """The rows of the model in one part of the summary."""
        return [row for row in self.summary[part] if row["model"] == self.model]

    @property
    def direction(self) -> str:
        """The direction of a metric, or of the metrics that silence moves; others have none."""
        if self.name == SILENCE[Role.ATTRIBUTE]:
            return T_TO_A
        return str(self.row.get("direction", ""))

    @property
    def metric(self) -> str:
        """The name without the direction."""
        return self.name.removesuffix(f" {self.direction}")

    # The data

    @property
    def by_hand(self) -> bool:
        """Whether rates were set by hand."""
        return str(self.summary["data"]["reference"]).startswith(BY_HAND)

    @cached_property
    def verdict(self) -> Row:
        """The verdict on BA-> of the same direction, or else of the first that there is."""
        rows = self._rows("verdicts")
        same = [row for row in rows if row["direction"] == self.direction]
        return next(iter([*same, *rows]), _NO_VERDICT)

    @property
    def lacks_truth(self) -> bool:
        """Whether there is no truth, so that only the reference can be compared with."""
        return self.verdict is _NO_VERDICT and not self.by_hand

    @cached_property
    def _pairs(self) -> list[Row]:
        """The pairs of the BA-> that this is compared with."""
        direction = self.verdict["direction"]
        return [row for row in self._rows("pairs") if row["direction"] == direction]

    @property
    def is_balanced(self) -> bool:
        """Whether the reference has no correlation, so that BA-> is 0 by construction."""
        return bool(self._pairs) and not any(pair["sign"] for pair in self._pairs)

    @property
    def zero(self) -> str:
        """Why this metric is 0 by construction."""
        if self.metric == "BA":
            return "The reference is balanced: BA-> is 0 by construction"
        return (
            f"Every group is equally frequent among the positives of the reference: {self.name} is "
            "0 by construction"
        )

    @property
    def is_nearly_balanced(self) -> bool:
        """Whether no correlation of the reference can be told from none."""
        return self.verdict["reason"] == "reference_balanced" and not self.is_balanced

    @property
    def direction_unknown(self) -> bool:
        """Whether the reference does not tell which way the pairs that move count."""
        return bool(self.verdict["reason"] == "direction_unknown")

    @property
    def shows_no_direction(self) -> bool:
        """Whether BA-> cannot be read, as the reference is balanced or nearly so."""
        return self.is_balanced or self.is_nearly_balanced or self.direction_unknown

    @cached_property
    def groups(self) -> Sizes:
        """The sizes of groups."""
        return Sizes.of("groups", self._shares("groups"))

    @cached_property
    def classes(self) -> Sizes:
        """The sizes of classes or, if only these are unequal, of predicted classes."""
        columns = self.summary["data"]["tasks_are_columns"]
        what = "yes and no of the tasks" if columns else "classes"
        sizes = Sizes.of(what, self._shares("classes"), yes_or_no=columns)
        if sizes.unequal:
            return sizes
        # Those whose prevalence is given. As in the truth, a class without rows has no size.
        shares = [
            row["predicted"]
            for row in self._prevalences
            if row["task"] != ALL and (row["true"] or row["predicted"])
        ]
        return Sizes.of(f"predicted {what}", shares, yes_or_no=columns or len(shares) == 1)

    def _shares(self, part: str) -> list[float]:
        """The shares of the labels that have rows."""
        return [row["share"] for row in self.summary["data"][part] if row["rows"]]

    @property
    def sizes(self) -> Sizes:
        """The sizes of what this attack predicts."""
        return self.groups if self.direction in (T_TO_A, UNDIRECTED) else self.classes

    # The predictions

    @cached_property
    def _prevalences(self) -> list[Row]:
        """Predicted and true prevalence of each task; over several runs, the means."""
        return over_runs(self._rows("prevalence"))

    @cached_property
    def prevalence(self) -> Row | None:
        """The row of predicted and true prevalence, if they are far apart."""
        return next(iter(far_apart(self._prevalences)), None)

    @property
    def constant(self) -> str | None:
        """What every row gets as its prediction, if it is the same, whatever the verdict says."""
        return self.verdict.get("constant")

    @property
    def is_constant(self) -> bool:
        """Whether every row gets the same prediction."""
        return self.constant is not None

    @property
    def has_value(self) -> bool:
        """Whether the number is defined."""
        return self.row["value"] is not None

    @property
    def points(self) -> str:
        """A difference of rates in points."""
        return f"{100 * self.row['value']:.1f} points"

    @property
    def differ(self) -> str:
        """How far the rates of groups are apart, in words."""
        if abs(self.row["value"]) <= _ROUNDING:
            return "are the same in all groups"
        return f"differ by {self.points} between groups"

    @property
    def task(self) -> str:
        """The task whose rates these are, as a sentence names it."""
        data = self.summary["data"]
        name, columns = data["task"], data["tasks_are_columns"]
        return task_in_words(self.row["task"], name, is_column=columns)

    @cached_property
    def _silence(self) -> Row | None:
        """The abstentions from what a metric of this direction reads, if there are any."""
        measure = SILENCE[Role.ATTRIBUTE if self.direction == T_TO_A else Role.TASK]
        return next((row for row in self._rows("fairness") if row["measure"] == measure), None)

    @property
    def is_silent(self) -> bool:
        """Whether the model abstains from every prediction."""
        groups = [] if self._silence is None else self._silence["groups"]
        shares = [group["value"] for group in groups if group["value"] is not None]
        return min(shares, default=0.0) >= 1 - _ROUNDING

    @property
    def silence_differs(self) -> bool:
        """Whether the model is silent more often on some groups, by more than BA-> may be."""
        if self.is_balanced or self.is_nearly_balanced:  # The verdict tells these first.
            return self._silence is not None and (self._silence["low"] or 0) > 0
        return bool(self.verdict["reason"] == "silence_differs")

    @property
    def opposite_pairs(self) -> bool:
        """Whether some pairs of a direction move along the correlations and others against."""
        readable = {
            row["direction"]
            for row in self._rows("verdicts")
            if row.get("constant") is None and row["reason"] not in _WITHOUT_DIRECTION
        }
        values = [pair["value"] for pair in self._rows("pairs") if pair["direction"] in readable]
        return min(values, default=0) < 0 < max(values, default=0)

    @property
    def contradicts(self) -> bool:
        """Whether this is clearly above or below 0 where the verdict says something else."""
        verdict_side = _SIDES.get(self.verdict["verdict"])
        return verdict_side is not None and side(self.row) not in (None, 0, verdict_side)

    @property
    def frequency(self) -> str:
        """How often tasks are predicted for how often they are true, where that is far apart."""
        data = self.summary["data"]
        if self.prevalence is None:
            return ""
        runs = self.prevalence["n_runs"]
        average = f", on average over {runs} runs" if runs > 1 else ""
        words = ratio_in_words(self.prevalence, data["task"], data["tasks_are_columns"])
        return f"{words}{average}"

    @property
    def agrees_beneath_errors(self) -> bool:
        """Whether this is clearly above 0, as only mistakes kept BA-> from being."""
        return self.verdict["verdict"] == "amplifies_beneath_errors" and side(self.row) == 1

    @property
    def belief(self) -> str:
        """What to believe where this contradicts the verdict."""
        return _BELIEFS.get(self.verdict["verdict"], _BELIEF)

    @property
    def contradiction(self) -> str:
        """That this contradicts the verdict; else an empty text."""
        if not self.contradicts:
            return ""
        reading = self.row["reading"]
        return f' It is {reading} where the verdict is "{self.words}": believe the verdict.'

    @property
    def words(self) -> str:
        """The verdict in a few words."""
        return WORDS[self.verdict["verdict"]]

    @property
    def caution(self) -> str:
        """What to know when reading BA->; else an empty text."""
        parts = []
        if self.row["low"] is None:
            parts.append(" Without an interval it cannot be told from chance.")
        if self.prevalence is not None:
            parts.append(
                f" {self.frequency}, which moves rates on its own: read prevalence and the excess "
                "over blind errors with it."
            )
        return "".join(parts)


#: What stands for a verdict where there is no BA->.
_NO_VERDICT: Row = {"direction": None, "verdict": "", "reason": None, "sentence": ""}

#: Rates that differ by no more are equal: sums of weights are rounded.
_ROUNDING = 1e-12

#: Reasons for which no pair has a sign that can be told from a tie.
_WITHOUT_DIRECTION = ("one_group", "reference_balanced")

#: The side of 0 that a verdict speaks of. Of the others, nothing can be contradicted.
_SIDES = {
    "amplifies": 1,
    "amplifies_beneath_errors": 1,
    "reduces": -1,
    "reverses": -1,
    "mistakes_only": 0,
    "no_clear_change": 0,
}

#: What to believe where a metric contradicts the verdict, by verdict.
_BELIEF = (
    "Believe the verdict for how rates moved: this compares with a truth made as wrong as the "
    "model, in which random mistakes have narrowed the gap already."
)
_BELIEFS = {
    "mistakes_only": "Believe the verdict: it allows for mistakes that are of one class more often "
    "than of another, and this takes them for a change of bias.",
    "reverses": "Believe the verdict: this sees how strong a dependence is, not which way it goes.",
}
