"""Which numbers of a report to read first, which beside them and which to leave, and why.

The rules are those of the documentation, "Which metric when": the name of a rule is a row of its
table. Two of its rows are not here, as counts do not show them: whether the label is a proxy for
what is meant (risk prediction), and numbers that are no labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

from biasamp_adapters._roles import Role
from biasamp_adapters.auditing.findings import ABSTENTION
from biasamp_adapters.auditing.notes import BY_HAND
from biasamp_adapters.auditing.prevalence import ALL, FAR, far_apart
from biasamp_adapters.inference.estimates import side_of_zero
from biasamp_adapters.metrics.measurement import A_TO_T, T_TO_A, UNDIRECTED
from biasamp_adapters.metrics.verdict import WORDS

Place: TypeAlias = Literal["first", "beside", "leave"]

#: In the order in which they are shown.
PLACES: tuple[Place, ...] = ("first", "beside", "leave")

_SELECTION, _FALSE_POSITIVES = "selection_rate_difference", "false_positive_rate_difference"
_SILENCE = {role: f"{measure}_difference" for role, measure in ABSTENTION.items()}

#: Parts of a report that rules speak of, beside its metrics and fairness measures.
PARTS = ("prevalence", "trends", "sweeps")

_METRICS = ("BA", "MALS", "Multi", "LA", "DPA", "DPA(U)")

Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Subject:
    """A number of a report, and what rules read to judge it.

    Attributes
    ----------
    summary : dict
        The summary of the report.
    model : str
    name : str
        A metric and direction in short, a fairness measure, or one of ``PARTS``.
    row : dict
        The row of the summary that it is in; empty for a part.
    """

    summary: Row
    model: str
    name: str
    row: Row

    def _rows(self, part: str) -> list[Row]:
        """The rows of the model in one part of the summary."""
        return [row for row in self.summary[part] if row["model"] == self.model]

    @property
    def direction(self) -> str:
        """The direction of a metric, or of the metrics that silence moves; others have none."""
        if self.name == _SILENCE[Role.ATTRIBUTE]:
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
        return bool(self.summary["data"]["reference"] == BY_HAND)

    @cached_property
    def amplification(self) -> Row | None:
        """The row of BA-> of the same direction, or of the first that there is."""
        rows = [row for row in self._rows("metrics") if row["name"].startswith("BA ")]
        same = [row for row in rows if row["direction"] == self.direction]
        return next(iter([*same, *rows]), None)

    @cached_property
    def verdict(self) -> Row:
        """The verdict on the same direction, or on the first that there is."""
        rows = self._rows("verdicts")
        same = [row for row in rows if row["direction"] == self.direction]
        return next(iter([*same, *rows]), {"verdict": "", "reason": None, "sentence": ""})

    @property
    def lacks_truth(self) -> bool:
        """Whether there is no truth, so that only the reference can be compared with."""
        return self.amplification is None and not self.by_hand

    @cached_property
    def _pairs(self) -> list[Row]:
        """The pairs of the BA-> that this is compared with."""
        name = None if self.amplification is None else self.amplification["name"]
        return [row for row in self._rows("pairs") if row["name"] == name]

    @property
    def is_balanced(self) -> bool:
        """Whether the reference has no correlation, so that BA-> is 0 by construction."""
        return bool(self._pairs) and not any(pair["sign"] for pair in self._pairs)

    @property
    def is_nearly_balanced(self) -> bool:
        """Whether the reference does not tell which way a change counts."""
        reasons = ("reference_balanced", "direction_unknown")
        return self.verdict["reason"] in reasons and not self.is_balanced

    @property
    def shows_no_direction(self) -> bool:
        """Whether BA-> cannot be read, as the reference is balanced or nearly so."""
        return self.is_balanced or self.is_nearly_balanced

    @cached_property
    def class_sizes(self) -> tuple[float, float]:
        """The least and the largest share of a class; of columns, of yes or no."""
        shares = [row["share"] for row in self.summary["data"]["classes"]]
        return _range(shares, yes_or_no=self.summary["data"]["tasks_are_columns"])

    @cached_property
    def predicted_sizes(self) -> tuple[float, float]:
        """The same of predictions, among the classes whose prevalence is given."""
        rows = [row for row in self._rows("prevalence") if row["task"] != ALL]
        columns = self.summary["data"]["tasks_are_columns"]
        return _range([row["predicted"] for row in rows], yes_or_no=columns or len(rows) == 1)

    @cached_property
    def group_sizes(self) -> tuple[float, float]:
        """The least and the largest share of a group."""
        return _range([row["share"] for row in self.summary["data"]["groups"]])

    @property
    def unequal_classes(self) -> bool:
        """Whether classes are of unequal size, in the truth or in the predictions."""
        return _are_unequal(self.class_sizes) or _are_unequal(self.predicted_sizes)

    @property
    def unequal_groups(self) -> bool:
        """Whether groups are of unequal size."""
        return _are_unequal(self.group_sizes)

    @property
    def target_is_unequal(self) -> bool:
        """Whether what this attack predicts has labels of unequal size."""
        return self.unequal_groups if self.direction == T_TO_A else self.unequal_classes

    @property
    def sizes(self) -> str:
        """The sizes of what this attack predicts, in words."""
        if self.direction in (T_TO_A, UNDIRECTED):
            return _sizes("groups", self.group_sizes)
        columns = self.summary["data"]["tasks_are_columns"]
        what = "tasks, yes against no," if columns else "classes"
        if _are_unequal(self.class_sizes):
            return _sizes(what, self.class_sizes)
        return _sizes(f"predicted {what}", self.predicted_sizes)

    # The predictions

    @cached_property
    def prevalence(self) -> Row | None:
        """The row of predicted and true prevalence, if they are far apart."""
        return next(iter(far_apart(self._rows("prevalence"))), None)

    @property
    def is_constant(self) -> bool:
        """Whether every row gets the same prediction."""
        return bool(self.verdict["verdict"] == "constant")

    @property
    def points(self) -> str:
        """A difference of rates in points."""
        return f"{100 * self.row['value']:.1f} points"

    @property
    def silence_differs(self) -> bool:
        """Whether the model is silent more often on some groups, by more than BA-> may be."""
        return bool(self.verdict["reason"] == "silence_differs")

    @property
    def opposite_pairs(self) -> bool:
        """Whether some pairs are amplified and others reduced."""
        values = [pair["value"] for pair in self._rows("pairs")]
        return min(values, default=0) < 0 < max(values, default=0)

    @property
    def has_no_interval(self) -> bool:
        """Whether intervals were asked for and this number has none."""
        return self.summary["method"]["n_boot"] > 0 and self.row["low"] is None

    @property
    def contradicts(self) -> bool:
        """Whether this is clearly above or below 0 where the verdict says something else."""
        side = _SIDES.get(self.verdict["verdict"])
        if side is None or self.row["low"] is None:
            return False
        return side_of_zero((self.row["low"], self.row["high"])) not in (0, side)

    @property
    def agrees_beneath_errors(self) -> bool:
        """Whether this is clearly above 0, as only mistakes kept BA-> from being."""
        beneath = self.verdict["verdict"] == "amplifies_beneath_errors"
        return beneath and self.row["low"] is not None and self.row["low"] > 0

    @property
    def belief(self) -> str:
        """What to believe where this contradicts the verdict."""
        return _BELIEFS.get(self.verdict["verdict"], _BELIEF)

    @property
    def contradiction(self) -> str:
        """That this contradicts the verdict; else an empty text."""
        if not self.contradicts:
            return ""
        return f' It is {self.row["reading"]} where the verdict is "{self.words}": believe that.'

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
                f" Predictions are {self.prevalence['ratio']:.0%} as frequent as the truth, which "
                "moves rates on its own: read prevalence and the excess over blind errors with it."
            )
        return "".join(parts)


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


def _range(shares: list[float], *, yes_or_no: bool = False) -> tuple[float, float]:
    """The least and the largest share; of ``yes_or_no``, of each label or of its absence."""
    if yes_or_no:
        shares = [*shares, *(1 - share for share in shares)]
    return min(shares, default=0.0), max(shares, default=0.0)


def _are_unequal(sizes: tuple[float, float]) -> bool:
    least, most = sizes
    return most > FAR * least


def _sizes(what: str, sizes: tuple[float, float]) -> str:
    least, most = sizes
    return f"{what} are of unequal size (shares from {least:.1%} to {most:.1%})"


class Rule(NamedTuple):
    """A rule for what to read.

    Attributes
    ----------
    name : str
        The kind of data that it is about: a row of the table in the documentation.
    numbers : tuple of str
        Metrics without their direction, fairness measures or parts.
    place : {"first", "beside", "leave"}
    applies : callable
        Whether the rule holds for such a number.
    sentence : str
        Why, with attributes of the number in braces.
    """

    name: str
    numbers: tuple[str, ...]
    place: Place
    applies: Callable[[Subject], object]
    sentence: str


#: The first rule that applies to a number is the one that counts.
RULES: tuple[Rule, ...] = (
    Rule(
        "no ground truth",
        ("BA",),
        "first",
        lambda it: it.by_hand and not it.is_balanced,
        "Rates were set by hand, as there is no ground truth. BA-> compares the predictions with "
        "them; with other rates it is another number.",
    ),
    Rule(
        "no ground truth",
        ("MALS",),
        "beside",
        lambda it: it.by_hand,
        "It compares with rates set by hand as well, with both directions in one number.",
    ),
    Rule(
        "no ground truth",
        ("LA", "DPA", "DPA(U)"),
        "leave",
        lambda it: it.by_hand,
        "It compares with a truth; here the rates that were set by hand are what counts.",
    ),
    Rule(
        "training data and predictions, no test truth",
        ("MALS",),
        "first",
        lambda it: it.lacks_truth,
        "The audited rows have no truth, and it compares the predictions with the rates of the "
        "reference.",
    ),
    Rule(
        "training data and predictions, no test truth",
        ("Multi",),
        "beside",
        lambda it: it.lacks_truth,
        "It compares with the rates of the reference as well: how far they move, not which way.",
    ),
    Rule(
        "a constant prediction",
        (_SELECTION,),
        "first",
        lambda it: it.is_constant,
        "{it.model} predicts the same for everybody, so rates differ by {it.points} between "
        "groups.",
    ),
    Rule(
        "a constant prediction",
        _METRICS,
        "leave",
        lambda it: it.is_constant,
        "{it.model} predicts the same for everybody: that is what these describe, not bias.",
    ),
    Rule(
        "abstentions",
        tuple(_SILENCE.values()),
        "first",
        lambda it: it.silence_differs,
        "{it.model} abstains more often on one group than on another, by {it.points}, and silence "
        "moves every rate of a group.",
    ),
    Rule(
        "abstentions",
        tuple(_SILENCE.values()),
        "beside",
        lambda it: True,
        "{it.model} abstains, by up to {it.points} more often on one group than on another, and "
        "silence moves rates.",
    ),
    Rule(
        "abstentions",
        _METRICS,
        "leave",
        lambda it: it.silence_differs,
        "Groups differ in how often {it.model} abstains from them, and silence cannot be told from "
        "a change of bias.",
    ),
    Rule(
        "balanced data",
        ("BA",),
        "leave",
        lambda it: it.is_balanced,
        "The reference is balanced: BA-> is 0 by construction, whatever the model does.",
    ),
    Rule(
        "balanced data",
        (_SELECTION,),
        "first",
        lambda it: it.is_balanced and it.row["value"] is not None,
        "Selection rates differ by {it.points} between groups, which the reference has balanced.",
    ),
    Rule(
        "nearly balanced data",
        ("BA",),
        "leave",
        lambda it: it.is_nearly_balanced,
        "The reference hardly correlates the pairs that move, so whether a change is more or less "
        "bias is not known.",
    ),
    Rule(
        "nearly balanced data",
        (_SELECTION,),
        "first",
        lambda it: it.is_nearly_balanced and it.row["value"] is not None,
        "Selection rates differ by {it.points} between groups, which the reference has nearly "
        "balanced.",
    ),
    Rule(
        "groups of unequal size",
        ("DPA",),
        "leave",
        lambda it: it.unequal_groups and it.direction == T_TO_A,
        "Here {it.sizes}, and 1/cross-entropy reads size as bias.{it.contradiction}",
    ),
    Rule(
        "classes of unequal size",
        ("DPA",),
        "leave",
        lambda it: it.unequal_classes and it.direction == A_TO_T,
        "Here {it.sizes}, and 1/cross-entropy reads size as bias.{it.contradiction}",
    ),
    Rule(
        "sparse tables",
        ("LA", "DPA", "DPA(U)"),
        "leave",
        lambda it: it.has_no_interval,
        "It has no interval that can be trusted; its note says why.",
    ),
    Rule(
        "metrics that contradict each other",
        ("LA", "DPA", "DPA(U)"),
        "beside",
        lambda it: it.contradicts,
        'It is {it.row[reading]} where the verdict is "{it.words}". {it.belief}',
    ),
    Rule(
        "metrics that contradict each other",
        ("DPA",),
        "beside",
        lambda it: it.agrees_beneath_errors,
        "It is above 0 where BA-> is not, and both hold: rates did not move apart, and mistakes as "
        "frequent as these should have moved them together.",
    ),
    Rule(
        "balanced data",
        ("DPA",),
        "first",
        lambda it: it.shows_no_direction and not (it.unequal_groups or it.unequal_classes),
        "Groups and classes are of nearly equal size, where DPA sees what BA-> cannot.",
    ),
    Rule(
        "balanced data",
        ("DPA(U)",),
        "beside",
        lambda it: it.shows_no_direction,
        "It sees whether predictions depend on groups at all; read it with the levels of U.",
    ),
    Rule(
        "balanced data",
        ("Multi",),
        "beside",
        lambda it: it.shows_no_direction and it.direction != UNDIRECTED,
        "It shows how far rates move, though not which way.",
    ),
    Rule(
        "groups of unequal size",
        ("LA",),
        "beside",
        lambda it: it.unequal_groups,
        "Here {it.sizes}, and balanced accuracy does not take the largest for the best guess.",
    ),
    Rule(
        "classes of unequal size",
        ("DPA(U)",),
        "beside",
        lambda it: it.target_is_unequal,
        "It reads a dependence and not size; read it with the levels of U.",
    ),
    Rule(
        "classes of unequal size",
        (_FALSE_POSITIVES,),
        "beside",
        lambda it: it.unequal_classes and it.row["value"] is not None,
        "False positive rates differ by {it.points} between groups, whatever the size of classes.",
    ),
    Rule(
        "a predicted attribute",
        ("BA", "DPA"),
        "beside",
        lambda it: it.direction == T_TO_A and it.verdict["reason"] != "few_rows",
        "T->A is there because the attribute is predicted: ask first whether it need be. The two "
        "directions do not compare.",
    ),
    Rule(
        "many labels a row",
        ("trends",),
        "beside",
        lambda it: it.opposite_pairs and not it.is_constant,
        "Some pairs are amplified and others reduced, which a mean over pairs hides.",
    ),
    Rule(
        "prevalence far from the truth's",
        ("prevalence",),
        "beside",
        lambda it: it.prevalence is not None and not it.is_constant,
        "Predictions are {it.prevalence[ratio]:.0%} as frequent as the truth, and rates move with "
        "that.",
    ),
    Rule(
        "scores, not decisions",
        ("sweeps",),
        "beside",
        lambda it: True,
        "Every value depends on the threshold, and the curve shows how.",
    ),
    Rule(
        "several or crossed attributes",
        ("BA",),
        "leave",
        lambda it: it.verdict["reason"] in ("few_rows", "one_group"),
        "{it.verdict[sentence]}",
    ),
    Rule(
        "several or crossed attributes",
        ("Multi",),
        "beside",
        lambda it: len(it.summary["data"]["attributes"]) > 1 and it.direction != UNDIRECTED,
        "Attributes are crossed: it shows how far the rates of all groups move, not which way.",
    ),
    Rule(
        "correlated labels with a known truth",
        ("BA",),
        "first",
        lambda it: True,
        "It compares predicted rates with those of the truth, in the direction of the reference's "
        "correlations.{it.caution}",
    ),
    Rule(
        "correlated labels with a known truth",
        ("MALS",),
        "leave",
        lambda it: True,
        "It mixes both directions, and takes the larger group for the correlated one.",
    ),
)


def what_to_read(summary: Row) -> list[Row]:
    """The numbers of a report in the order in which to read them, with the reasons.

    Parameters
    ----------
    summary : dict
        The summary of a report, without this part.

    Returns
    -------
    list of dict
        Each with ``metric`` (a metric and direction in short, a fairness measure, or a part of the
        summary), ``place`` ("first", "beside" or "leave"), ``reason`` and the ``models`` for which
        it holds. What no rule speaks of is not listed.
    """
    models: dict[tuple[int, str, str], list[str]] = {}
    for model in summary["data"]["models"]:
        for subject in _subjects(summary, model):
            number = _rule_for(subject)
            if number is not None:
                reason = RULES[number].sentence.format(it=subject)
                models.setdefault((number, subject.name, reason), []).append(model)
    rows = [
        {"metric": metric, "place": RULES[number].place, "reason": reason, "models": names}
        for (number, metric, reason), names in sorted(models.items(), key=lambda item: item[0][0])
    ]
    return sorted(rows, key=lambda row: PLACES.index(row["place"]))


def _rule_for(subject: Subject) -> int | None:
    """The position of the rule that counts for a number, if one applies."""
    applying = (
        i
        for i, rule in enumerate(RULES)
        if subject.metric in rule.numbers and rule.applies(subject)
    )
    return next(applying, None)


def _subjects(summary: Row, model: str) -> Iterator[Subject]:
    """The numbers of a model: metrics, the largest of each fairness measure, and parts."""
    named = [("name", row) for row in summary["metrics"]]
    named += [("measure", row) for row in summary["fairness"]]
    seen = set[str]()
    for key, row in named:
        if row["model"] == model and row[key] not in seen:
            seen.add(row[key])
            yield Subject(summary, model, row[key], row)
    for part in PARTS:
        if any(row["model"] == model for row in summary[part]):
            yield Subject(summary, model, part, {})
