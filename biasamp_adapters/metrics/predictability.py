"""Directional predictability amplification, DPA, and what it has in common with LA."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np

from biasamp_adapters._roles import ARGUMENTS, Inputs, Role
from biasamp_adapters._typing import Label, RandomState, check_choice, generator, is_whole
from biasamp_adapters.counts import Counts
from biasamp_adapters.inference.estimates import Estimate, Replicated, check_draws
from biasamp_adapters.inference.rules import SAMPLING_RULES, first_reason
from biasamp_adapters.metrics.attacks.attack_rows import AttackRows, number_rows, rows_of_counts
from biasamp_adapters.metrics.attacks.table_attack import TableAttack
from biasamp_adapters.metrics.attacks.two_way_tables import Roles, Sides
from biasamp_adapters.metrics.base import Metric, lacking
from biasamp_adapters.metrics.measurement import A_TO_T, T_TO_A, Measurement
from biasamp_adapters.metrics.result import About, AmplificationResult
from biasamp_adapters.quality import ABSOLUTE, OF_NUMBERS, Quality, QualityLike, get_quality
from biasamp_adapters.reference import Evaluation, dropped_note

if TYPE_CHECKING:
    from biasamp_adapters.metrics.attacks.fits import Fits
    from biasamp_adapters.metrics.attacks.fitted_attack import Experiment

#: An audit fits attackers on at most this many rows.
MOST_FITTED = 20_000

#: Draws of flips in an audit: with a fitted attacker, and with the exact one.
FITTED_TRIALS, EXACT_TRIALS = 5, 100

#: Rows that all trials of a fitted attacker have together, unless their number is given.
_ROWS_OF_TRIALS = 5_000_000

Equalize: TypeAlias = Literal["auto", "expected", "sampled"] | None
Evaluate: TypeAlias = Literal["auto", "resubstitution", "loo", "cv"]


def as_attacker(attacker: Any, quality: QualityLike) -> Any:
    """A copy of an attacker that suits a quality.

    Raises
    ------
    ValueError
        If it is neither "exact" nor a classifier or regressor, or cannot be scored by the quality.
    """
    if isinstance(attacker, str) and attacker == "exact":
        return attacker
    if isinstance(attacker, type) or not hasattr(attacker, "fit"):
        raise ValueError(
            "attacker must be 'exact' or an instance of a classifier or regressor; "
            f"received {attacker!r}"
        )
    from sklearn.base import clone, is_classifier, is_regressor

    if not (is_classifier(attacker) or is_regressor(attacker)):
        raise ValueError(
            "attacker must be 'exact', a classifier or a regressor; received a "
            f"{type(attacker).__name__}"
        )
    if callable(quality):
        raise ValueError(
            "quality must be one of quality_names() where an attacker is fitted: a function is "
            f"scored from the table that attacker='exact' is; received {quality!r} for a "
            f"{type(attacker).__name__}"
        )
    if is_regressor(attacker) != (quality in OF_NUMBERS):
        raise ValueError(
            "a regressor needs quality='inverse_rmse', or 'inverse_mse', which no classifier can "
            f"have; received quality={quality!r} for a {type(attacker).__name__}"
        )
    return clone(attacker)


def _exact_as_estimator(quality: QualityLike, *, reads_matrix: bool) -> Any:
    """The estimator that replaces the exact attacker for matrices and in cross-fitting."""
    if reads_matrix:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000)
    if quality in OF_NUMBERS:
        from sklearn.linear_model import LinearRegression

        return LinearRegression()  # of indicators: the mean of each label
    from biasamp_adapters.attackers import ContingencyAttacker

    return ContingencyAttacker(alpha=0.5)


def trials_for(n_rows: int) -> int:
    """How often an attacker is fitted: 100 times, but less often to more than 50,000 rows.

    The noise of flips and folds falls as the rows of all trials together grow.
    """
    return min(EXACT_TRIALS, max(FITTED_TRIALS, ceil(_ROWS_OF_TRIALS / n_rows)))


def allows_attack(counts: Counts, source: str) -> bool:
    """Whether an attacker can read a variable: exactly, or fitted on rows that are not too many."""
    if _is_one_label(counts, source):
        return True
    has_rows = counts.no_draws is None and not counts.is_normal
    return has_rows and counts.n_rows <= MOST_FITTED


def _is_one_label(counts: Counts, source: str) -> bool:
    """Whether a variable is one label per row, which the exact attacker reads from a table."""
    if not counts.is_matrix(source) or (source == Role.ATTRIBUTE and counts.one_each(source)):
        return True
    return counts.n_labels(source) == 1 and not counts.is_matrix(Role.ATTRIBUTE)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PredictabilityMetric(Metric):
    """How well an attacker predicts one variable from another; LA documents the parameters."""

    attacker: Any = "exact"
    quality: QualityLike = "inverse_cross_entropy"
    equalize: Equalize = "auto"
    evaluation: Evaluate = "auto"
    n_trials: int | None = None
    random_state: RandomState = None
    n_jobs: int | None = None
    pos_label: Label | None = None

    _reads_rows = True
    #: The qualities that an audit shows.
    _audited: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        super().__post_init__()
        scored_by = self._scored_by
        if isinstance(self.random_state, np.random.Generator):
            # A number, so that every call of this metric draws the same flips.
            self._set("random_state", int(self.random_state.integers(2**32)))
        generator(self.random_state)
        check_choice("equalize", self.equalize, ("auto", "expected", "sampled", None))
        check_choice("evaluation", self.evaluation, get_args(Evaluate))
        if self.n_trials is not None:
            check_draws("n_trials", self.n_trials, 1)
        if not (self.n_jobs is None or (is_whole(self.n_jobs) and self.n_jobs != 0)):
            raise ValueError(f"n_jobs must be a whole number, not 0; received {self.n_jobs!r}")
        if self.pos_label is not None and scored_by.reads != "positive":
            raise ValueError(
                "pos_label is for quality='f1', the only one of a single class; received "
                f"{self.pos_label!r} for {scored_by.name!r}"
            )
        self._set("attacker", as_attacker(self.attacker, self.quality))
        for message, broken in self._conflicts().items():
            if broken:
                raise ValueError(message)

    @cached_property
    def _scored_by(self) -> Quality:
        return get_quality(self.quality)

    def _conflicts(self) -> dict[str, bool]:
        """The rules that no two parameters may break together, and whether they do."""
        expected, loo = self.equalize == "expected", self.evaluation == "loo"
        exact, kind = self.attacker == "exact", type(self.attacker).__name__
        is_fitted, of_loo = not exact or self.evaluation == "cv", "inverse_cross_entropy"
        is_ratio = self.quality == "uncertainty_coefficient"
        needs_rows = "needs rows, so equalize='sampled', 'auto' or None; received 'expected'"
        return {
            f"an attacker that is fitted {needs_rows}": expected and is_fitted,
            f"evaluation='loo' is for quality={of_loo!r} only; received {self.quality!r}": loo
            and self.quality != of_loo,
            f"evaluation='loo' is a closed form of attacker='exact' only; received a {kind}": loo
            and not exact,
            f"evaluation='loo' {needs_rows}": loo and expected,
            "a function as quality is scored from tables, which evaluation='cv' has none of; "
            f"received {self.quality!r}": callable(self.quality) and self.evaluation == "cv",
            "uncertainty_coefficient near 0 makes a ratio of noise under the expected channel: "
            "equalize must be 'sampled', 'auto' or None; received 'expected'": expected
            and is_ratio,
        }

    @classmethod
    def of_audit(
        cls, evaluation: Evaluation, model: str, pos_label: Label | None
    ) -> Iterator[Self]:
        counts = evaluation.counts
        if not (counts.has(Role.TASK) and counts.has(Role.ATTRIBUTE)):
            return
        for quality in cls._audited:
            # The uncertainty coefficient is never equalised in expectation: it needs rows to flip.
            if quality == "uncertainty_coefficient" and not counts.knows_rows:
                continue
            for metric in cls._in_directions(evaluation, model, quality=quality):
                source = metric._roles.dataset[0]
                exact = _is_one_label(counts, source)
                if allows_attack(counts, source):
                    yield replace(metric, n_trials=EXACT_TRIALS if exact else FITTED_TRIALS)

    @property
    def _is_absolute(self) -> bool:
        """Whether the value is the difference of the levels, and not their relative change."""
        return True

    @property
    def looks_at_one_task(self) -> bool:
        return self._scored_by.reads == "positive" and self.short_direction == A_TO_T

    @property
    def _variant(self) -> list[str]:
        """What the name of the metric tells besides its class."""
        return [self._scored_by.name] if self.quality != type(self).quality else []

    @property
    def title(self) -> str:
        """The class name, with the quality and the change where they are not the default ones."""
        variant = ", ".join(self._variant)
        return super().title + f" ({variant})" * bool(variant)

    @property
    def _counting(self) -> dict[str, Any]:
        # What an attacker learns from a row is not linear in its probability.
        is_fitted = self.attacker != "exact" or self.evaluation == "cv"
        return super()._counting | ({"merges": False} if is_fitted else {})

    @property
    def _roles(self) -> Roles:
        return Roles.of(self.short_direction)

    def measure(self, evaluation: Evaluation, model: str) -> Measurement:
        """Choose the attacker and the way to equalise that suit the counts.

        If the input is a matrix, and no attacker can be fitted because there are no rows or the
        closed form was requested, only pairs are scored.
        """
        reason = lacking(evaluation, model, self.short_direction)
        if reason:
            raise ValueError(reason)
        counts, attacker = evaluation.counts, self.attacker
        arguments = {
            **self._attack_options,
            "evaluation": evaluation,
            "model": model,
            "metric": self.title,
            "direction": self.short_direction,
            "sides": Sides.of_counts(counts, model, self._roles),
            "loo": self.evaluation == "loo",
        }
        table = TableAttack(**arguments)
        notes: tuple[str, ...] = ()
        if attacker == "exact":
            only_tables = callable(self.quality) or self.quality in OF_NUMBERS
            closed_form = self.equalize == "expected" or table.loo or only_tables
            reads_matrix = table.no_value is not None
            can_be_fitted = not closed_form and counts.rows is not None
            if not (can_be_fitted if reads_matrix else self.evaluation == "cv"):
                return table.equalised()
            attacker = _exact_as_estimator(self.quality, reads_matrix=reads_matrix)
        from biasamp_adapters.metrics.attacks.fitted_attack import FittedAttack

        experiment = self._experiment(self._fits_to(evaluation, model, attacker))
        arguments["n_trials"] = experiment.fits.n_trials
        if table.no_value and self.attacker == "exact":
            notes = (
                f"{ARGUMENTS[self._roles.dataset[0]]} is a matrix, which the exact attacker cannot "
                "read: the value is that of a logistic regression, scored "
                f"{experiment.evaluation_in_words}",
            )
        return FittedAttack(**arguments, experiment=experiment, notes=notes).equalised()

    @property
    def _attack_options(self) -> dict[str, Any]:
        return {
            "quality": self._scored_by,
            "pos_label": self.pos_label,
            "equalize": self.equalize,
            "n_trials": self.n_trials or EXACT_TRIALS,
            "random_state": self.random_state,
            "absolute": self._is_absolute,
        }

    def _fits_to(self, evaluation: Evaluation, model: str, attacker: Any) -> Fits:
        """Fits to counts; those of the exact attacker are shared by the metrics that score them."""
        from biasamp_adapters.metrics.attacks.cross_fit import scored_alike

        def fits() -> Fits:
            rows = rows_of_counts(evaluation.counts, model, self._roles.read)
            return self._fits(attacker, rows)

        if self.attacker != "exact":
            return fits()
        how = self.equalize, self.evaluation, self.n_trials, self.random_state, self.n_jobs
        key = (model, self._roles, scored_alike(self._scored_by.name), self.pos_label, *how)
        return evaluation.shared.once(key, fits)

    def _fits(self, attacker: Any, rows: AttackRows) -> Fits:
        from biasamp_adapters.metrics.attacks.cross_fit import scored_alike
        from biasamp_adapters.metrics.attacks.fits import Fits

        usual = trials_for(len(rows.weight))
        return Fits(
            rows=rows,
            roles=self._roles,
            attacker=attacker,
            resubstitution=self.evaluation == "resubstitution",
            qualities=scored_alike(self._scored_by.name),
            equalize=self.equalize,
            n_trials=self.n_trials or usual,
            planned=self.n_trials is None and usual < EXACT_TRIALS,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            pos_label=self.pos_label,
            # To the estimators that replace the exact attacker, a row of weight 2 is two rows.
            merges=self.attacker == "exact",
        )

    def _experiment(self, fits: Fits) -> Experiment:
        from biasamp_adapters.metrics.attacks.fitted_attack import Experiment

        return Experiment(fits=fits, quality=self._scored_by, absolute=self._is_absolute)

    def _uncounted(self, inputs: Inputs, n_boot: int = 0) -> AmplificationResult | None:
        if isinstance(self.attacker, str):
            return None
        lists = {Role.TASK: self.labels, Role.ATTRIBUTE: self.groups}
        rows = number_rows(inputs, self._roles.read, lists, self.missing)
        if rows is None:
            return None
        experiment = self._experiment(self._fits(self.attacker, rows))
        scores, notes = experiment.point(), [*experiment.notes()]
        reason = first_reason(SAMPLING_RULES, experiment.sampling)
        if rows.dropped:
            notes.append(dropped_note(rows.dropped))
        if n_boot:
            notes.append(f"no interval: {reason}")
        self._warn(notes)
        value = scores.pop("value")
        return AmplificationResult(
            metric=self.title,
            direction=self.short_direction,
            value=value,
            n=rows.n_rows,
            levels={name: Estimate(level) for name, level in scores.items()},
            notes=tuple(notes),
            trials=experiment.trials(),
            replicated=Replicated(value, None, reason),
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DirectionalPredictabilityAmplification(PredictabilityMetric):
    """How much better the attribute predicts the model's task than the true one, or the reverse.

    DPA = (Psi_M - Psi_D) / (Psi_M + Psi_D), where Psi is the quality of the best attacker:

    - A->T: Psi_D predicts the true task from the attribute, Psi_M the predicted task;
    - T->A: Psi_D predicts the true attribute from the task, Psi_M the predicted attribute.

    The truth is first made as wrong as the model, so that mistakes alone do not look like less
    bias. Range [-1, 1], without a unit; 0 is no amplification and worse is positive; 0/0 is 0.

    Parameters
    ----------
    direction : {"attribute_to_task", "task_to_attribute"}
        Also "A->T" and "T->A", in any case. T->A needs ``sensitive_features_pred``.
    change : {"relative", "absolute"}
        "relative" is the definition above; "absolute" is the difference Psi_M - Psi_D, which [T25]
        Appendix D compares with it, in the unit of the quality. A relative change is NaN, with a
        warning, where a level is below 0.
    attacker, quality, equalize, evaluation, n_trials, random_state, n_jobs, pos_label
        See :class:`~biasamp_adapters.LeakageAmplification`.
    labels, groups, missing
        As in every metric: explicit label lists and the rule for missing values.

    Notes
    -----
    Accuracy and 1/cross-entropy (also of hard guesses) reward skewed predictions as well: a model
    that always says "no" gets +1 by the latter. ``quality="uncertainty_coefficient"`` does not;
    where neither dataset nor model shows a dependence, its ratio would be noise, so the difference
    U_M - U_D is given, with a warning.

    References
    ----------
    Tokas, Nair and Kerner, "DPA", 2025, Eq. 1-6; Appendix D for the absolute change.

    Examples
    --------
    Half of each group is positive, so the attribute tells nothing: log 2 is the cross-entropy. The
    model is right in 90 of 100 rows; its predictions are less even.

    >>> from biasamp_adapters import DirectionalPredictabilityAmplification
    >>> group = ["a"] * 50 + ["b"] * 50
    >>> y_true = ([1] * 25 + [0] * 25) * 2
    >>> y_pred = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> metric = DirectionalPredictabilityAmplification(equalize="expected")
    >>> round(metric(y_true, y_pred, sensitive_features=group), 4)
    0.0147

    Of accuracy, the levels are .5 and .6, so the absolute change is .1 and the relative .1/1.1.

    >>> for change in ("absolute", "relative"):
    ...     metric = DirectionalPredictabilityAmplification(
    ...         quality="accuracy", equalize="expected", change=change
    ...     )
    ...     print(change, round(metric(y_true, y_pred, sensitive_features=group), 4))
    absolute 0.1
    relative 0.0909
    """

    about = About(
        short="DPA",
        source="[T25] Eq. 1-6",
        in_points=False,
        directions=(A_TO_T, T_TO_A),
        function="directional_predictability_amplification",
        parameters=", equalize=None",
        example="0.3333",
        name="Directional Predictability Amplification",
        zero="as predictable as in the data",
        description="Computed as the relative change in how well the best attacker predicts the "
        "model's label from the group (A->T), or its group from the label (T->A), against data "
        "made as wrong as the model.",
        reading="A value of > 0 implies that the model's output is easier to predict than the "
        "data, which is worse; a value of < 0 implies that it is harder to predict.",
    )
    _audited = ("inverse_cross_entropy", "uncertainty_coefficient")

    direction: str = "attribute_to_task"
    change: Literal["relative", "absolute"] = "relative"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("change", self.change, ("relative", ABSOLUTE))

    @property
    def _is_absolute(self) -> bool:
        return self.change == ABSOLUTE

    @property
    def _variant(self) -> list[str]:
        return super()._variant + [self.change] * self._is_absolute

    @property
    def described(self) -> About:
        if not self._is_absolute:
            return super().described
        name = f"{self.about.name} (absolute)"
        description = self.about.description.replace("relative change", "difference")
        return replace(self.about, name=name, description=description)
