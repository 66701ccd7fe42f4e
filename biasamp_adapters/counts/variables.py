"""The variables of counts, and the rules for what they lack."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

from biasamp_adapters._roles import Role

#: A label set, as ascending positions in the label list.
LabelSet: TypeAlias = tuple[int, ...]

#: The name of the model when there is only one and it was not named.
MODEL = "model"

Missing: TypeAlias = Literal["error", "drop", "abstain"]


class Axis(NamedTuple):
    """One variable of the counts: what it is and, for a prediction, whose."""

    role: Role
    model: str | None = None

    @property
    def predicted(self) -> bool:
        """Whether a model gave the values."""
        return self.model is not None

    @property
    def of_attribute(self) -> bool:
        """Whether the labels are groups."""
        return self.role.of_attribute


ATTRIBUTE, TASK = Axis(Role.ATTRIBUTE), Axis(Role.TASK)


def check_missing(missing: str) -> None:
    """Raise for an unknown rule for missing values."""
    if missing not in get_args(Missing):
        raise ValueError(f"missing must be 'error', 'drop' or 'abstain'; received {missing!r}")


def missing_message(argument: str, count: int, *, predicted: bool) -> str:
    """The error for missing values that no rule allows."""
    remedy = "missing='drop' leaves such rows out"
    if predicted:
        remedy += ", missing='abstain' counts them as abstentions"
    return f"{argument} must not have missing values; received {count} ({remedy})"
