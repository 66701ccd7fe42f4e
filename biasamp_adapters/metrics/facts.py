"""What is known of a model in one direction: what its verdict is judged by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.inference.estimates import Estimate, side_of_zero

#: Changes and shares up to rounding.
NONE = 1e-12

#: Pairs of uncertain sign may carry this share of all movement.
MOST_UNCERTAIN = 0.5


@dataclass(frozen=True, eq=False, kw_only=True)
class Facts:
    """What is known of a model in one direction.

    Attributes
    ----------
    of_task : bool
        Whether rates are those of tasks in a group (A->T), and not of groups in a task (T->A).
    groups : tuple of labels
    subjects : tuple of str
        Each task as a sentence names it.
    named_tasks : list of int
        The tasks that sentences may name: of two classes, the positive one.
    by_column : bool
        Whether tasks are columns of a matrix.
    sign, uncertain : ndarray of shape (groups, tasks)
        The reference's signs, and whether each may be noise.
    true, predicted : ndarray of shape (groups, tasks)
        Rates of the truth, or those set by hand, and of the predictions.
    overall : ndarray of shape (groups, tasks), or None
        The rate of all rows of the reference with which the sign of each pair compares; None if
        rates are set by hand.
    blind : ndarray of shape (groups, tasks), or None
        The rates that blind errors give.
    has_truth : bool
        Whether predictions are compared with a truth, and not with rates set by hand.
    is_right : bool
        Whether predictions equal the truth.
    constant : str or None
        What predictions say of everybody, if it is the same.
    only_group : label or None
        The only group that has rows.
    few_rows : str or None
        Which cells that decide have too few rows, in words.
    followed : float
        How far the rates of the truth follow the reference's signs, on average.
    association : Estimate
        The same of the predictions.
    silence : Estimate or None
        The largest less the smallest share of abstentions in a group.
    silent : ndarray of shape (groups,), or None
        The share of abstentions in each group.
    accuracy : Estimate or None
        The share of predictions that are right, of all task columns together; None without a truth.
    value, excess : Estimate or None
        BA->, and BA-> less that of blind errors.
    doubtful_value, doubtful_excess : Estimate or None
        The same with intervals that hold for other signs too, where signs are uncertain; None where
        they are not.
    """

    of_task: bool
    groups: tuple[Label, ...]
    subjects: tuple[str, ...]
    named_tasks: list[int]
    by_column: bool
    sign: Array
    uncertain: Array
    true: Array
    predicted: Array
    overall: Array | None
    blind: Array | None
    has_truth: bool
    is_right: bool
    constant: str | None
    only_group: Label | None
    followed: float
    silent: Array | None
    few_rows: str | None
    value: Estimate
    association: Estimate
    excess: Estimate | None = None
    accuracy: Estimate | None = None
    silence: Estimate | None = None
    doubtful_value: Estimate | None = None
    doubtful_excess: Estimate | None = None

    @property
    def delta(self) -> Array:
        """How far the rate of each pair moves."""
        return self.predicted - self.true

    @property
    def uncertain_share(self) -> float:
        """Share of all movement that is in pairs without a sign that can be told."""
        moved = np.nan_to_num(np.abs(self.delta))
        total = moved.sum()
        return float(moved[self.uncertain | (self.sign == 0)].sum() / total) if total else 0.0

    @property
    def direction_unknown(self) -> bool:
        """Whether what is clear is so for the reference's signs only, which may be noise.

        Where nothing is clear, whether most movement is in pairs of uncertain sign.
        """
        pairs = ((self.value, self.doubtful_value), (self.excess, self.doubtful_excess))
        sides = [(_side(sure), _side(doubtful or sure)) for sure, doubtful in pairs if sure]
        clear = [(side, doubtful) for side, doubtful in sides if side]
        if not clear:
            return self.uncertain_share > MOST_UNCERTAIN
        return any(side != doubtful for side, doubtful in clear)

    @property
    def is_balanced(self) -> bool:
        """Whether no pair has a sign that can be told from a tie."""
        return bool((self.uncertain | (self.sign == 0)).all())

    @property
    def is_silent(self) -> bool:
        """Whether the model abstains from every prediction."""
        return self.silent is not None and bool(np.nanmin(self.silent) >= 1 - NONE)

    @property
    def silence_differs(self) -> bool:
        """Whether groups differ clearly in abstentions, and by more than BA-> may be."""
        silence, value = self.silence, self.value
        if silence is None or silence.interval is None or value.interval is None:
            return False
        return silence.interval[0] > 0 and silence.value > max(map(abs, value.interval))

    @property
    def reverses(self) -> bool:
        """Whether predictions clearly go against signs that the truth follows."""
        return self.followed > 0 and _side(self.association) == -1

    @property
    def lacks_interval(self) -> str | None:
        """Reason why value or excess has no interval, or None."""
        if self.excess is None and self.has_truth:
            return "what mistakes alone would do is known only where counts keep rows"
        for estimate in filter(None, (self.value, self.excess)):
            if estimate.interval is None:
                return estimate.reason
        return None

    @property
    def side(self) -> int:
        """The side of 0 on which BA-> clearly lies; 0 where it does not."""
        return _side(self.value)

    @property
    def excess_side(self) -> int:
        """The same of the excess; without a truth there are no mistakes, and it is BA->."""
        return self.side if self.excess is None else _side(self.excess)


def _side(estimate: Estimate) -> int:
    return 0 if estimate.interval is None else side_of_zero(estimate.interval)
