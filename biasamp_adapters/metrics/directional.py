"""Directional bias amplification, BA->, and what its verdict is judged by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import compress

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.draws import batches
from biasamp_adapters.counts.labels import show, task_in_words
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.bands import largest_gap
from biasamp_adapters.inference.estimates import Estimate
from biasamp_adapters.metrics.equalize import ROUNDING, accuracy_of, column_accuracy
from biasamp_adapters.metrics.facts import Facts
from biasamp_adapters.metrics.means import rate
from biasamp_adapters.metrics.measurement import A_TO_T, T_TO_A
from biasamp_adapters.metrics.rate_changes import Cooccurrence, CooccurrenceMetric
from biasamp_adapters.metrics.result import About

#: The estimates that a verdict reads.
_READ = ("value", "association", "excess", "accuracy")

#: How often the signs of the reference are drawn, and how many numbers for that at once.
_SIGN_DRAWS = 500
_NUMBERS_AT_ONCE = 2**20

#: A sign so many standard errors from the other one is never drawn as that.
_BEYOND_DOUBT = 6.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Directional(Cooccurrence):
    """BA->, measured on counts, with the scores that its verdict reads.

    Beside those of every co-occurrence, its scores are the "association", how far predicted rates
    follow the reference's correlations, "accuracy", and "silence", the share of abstentions in each
    group.
    """

    @property
    def _role(self) -> Role:
        """The true variable that the model predicts."""
        return Role.ATTRIBUTE if self.direction == T_TO_A else Role.TASK

    def _further(self, tables: Tables, weight: Array, predicted: Array) -> dict[str, Array]:
        role = self._role.prediction
        out = {"association": self._association(tables, role, weight, predicted)}
        if self.evaluation.base_rates is None:
            out["accuracy"] = self._share_right(tables).mean(axis=-1)
        if tables.counts.has(Role.ATTRIBUTE) and tables.counts.abstentions(role, self.model):
            silent = tables.silent(self._role, by=Role.ATTRIBUTE)
            out["silence"] = rate(silent, tables.marginal(Role.ATTRIBUTE))
        return out

    def _association(self, tables: Tables, role: Role, weight: Array, rates: Array) -> Array:
        """The mean over pairs of the sign times how far a rate is from that of all rows."""
        return self._mean(weight * (rates - self._rates_of_all(tables, role)))

    def _rates_of_all(self, tables: Tables, role: Role) -> Array:
        """The rates of all rows, of shape (..., 1, columns) or, of T->A, (..., groups, 1)."""
        rates = rate(tables.marginal(role), np.asarray(tables.total)[..., None])
        return rates[..., None, self.columns] if self._of_task else rates[..., :, None]

    @property
    def _of_task(self) -> bool:
        """Whether the rates are those of tasks in a group, and not of groups in a task."""
        return self.direction == A_TO_T

    def behaviour(
        self,
        estimates: Mapping[str, Estimate],
        replicates: Mapping[str, Array],
        confidence: float,
    ) -> dict[str, Estimate]:
        out = {name: estimates[name] for name in _READ if name in estimates}
        silence = self.point().get("silence")
        if silence is not None:
            out["silence"] = largest_gap(silence, replicates.get("silence"), confidence)
        return out | dict(self._with_drawn_signs(out, replicates, confidence))

    def _with_drawn_signs(
        self, estimates: Mapping[str, Estimate], replicates: Mapping[str, Array], confidence: float
    ) -> Iterator[tuple[str, Estimate]]:
        """Value and excess with signs as uncertain as the reference leaves them.

        Replicates keep the reference's signs. What other signs change is drawn by itself and added.
        """
        if not replicates or not (np.abs(self._certainty) < _BEYOND_DOUBT).any():
            return
        tables, origin, weight, deltas = self._observed
        moves, blind = {"value": deltas}, self._blind_rates(tables)
        if blind is not None:
            moves["excess"] = self._rates(tables, origin)[1] - blind
        n_draws = min(_SIGN_DRAWS, len(replicates["value"]))
        others = self._means_of_drawn_signs(np.stack([*moves.values()]), n_draws)
        levels = (1 - confidence) / 2, (1 + confidence) / 2
        for (name, move), means in zip(moves.items(), others, strict=True):
            estimate, drawn = estimates[name], replicates[name]
            if estimate.interval is None:
                continue
            changed = drawn + np.resize(means - self._mean(weight * move), len(drawn))
            low, high = np.nanquantile(changed, levels).tolist()
            yield f"doubtful_{name}", Estimate(estimate.value, (low, high), None)

    def _means_of_drawn_signs(self, moves: Array, n_draws: int) -> Array:
        """Means over pairs of drawn signs times moves: (moves, groups, columns) to (moves, draws).

        Pairs whose sign is 0 keep it, and undefined ones are left out.
        """
        defined = ~np.isnan(moves)
        moved = np.where(defined & (self._observed.weight != 0), moves, 0.0)
        moved = self._among_all_tasks(moved).reshape(len(moves), -1)
        sums = [moved @ signs.reshape(len(signs), -1).T for signs in self._drawn_signs(n_draws)]
        return rate(np.hstack(sums), defined.sum(axis=(-2, -1))[:, None])

    def _drawn_signs(self, n_draws: int) -> Iterator[Array]:
        """Batches of signs of references like this one, of shape (draws, groups, tasks).

        The residuals of a table of counts vary like normal numbers, less what the totals of groups
        and of classes fix. Columns of a matrix have no total, and are taken to be independent.
        """
        origin, rng = self._observed.origin, np.random.default_rng(0)
        group = self._root_shares(origin, Role.ATTRIBUTE)
        task = self._root_shares(origin, Role.TASK)
        scale = np.sqrt(np.outer(1 - group**2, 1 - task**2))
        centre = self._among_all_tasks(self._certainty) * np.where(scale > 0, scale, 1.0)
        for size in batches(n_draws, max(_NUMBERS_AT_ONCE // centre.size, 1)):
            noise = rng.standard_normal((size, *centre.shape))
            noise -= group[:, None] * (group @ noise)[:, None]
            noise -= (noise @ task)[..., None] * task
            noise += centre
            yield np.sign(noise, out=noise)

    def _among_all_tasks(self, of_columns: Array) -> Array:
        """Numbers of columns at their place among all tasks, 0 elsewhere."""
        n_tasks = len(self.evaluation.counts.labels)
        out = np.zeros((*of_columns.shape[:-1], n_tasks))
        out[..., self.columns] = of_columns
        return out

    def _root_shares(self, origin: Tables, role: Role) -> Array:
        """Square roots of the shares of the labels of a variable; 0 for columns of a matrix."""
        rows = np.asarray(origin.marginal(role), dtype=float)
        if origin.counts.is_matrix(role) or not rows.any():
            return np.zeros(len(rows))
        return np.asarray(np.sqrt(rows / rows.sum()))

    def facts(self, behaviour: Mapping[str, Estimate]) -> Facts:
        counts, (tables, origin, weight, _) = self.evaluation.counts, self._observed
        has_truth = self.evaluation.base_rates is None
        true, predicted = self._rates(tables, origin)
        groups, tasks = self.pair_labels()
        followed, overall = 0.0, None
        if has_truth:
            followed = float(self._association(tables, self._role, weight, true))
            overall = np.broadcast_to(self._rates_of_all(origin, self._role), true.shape)
        pairs, positive = self.pairs(), self.evaluation.positive
        is_binary = self._of_task and len(tasks) == 2 and positive in tasks
        return Facts(
            of_task=self._of_task,
            groups=groups,
            subjects=tuple(map(self._subject, tasks)),
            named_tasks=[tasks.index(positive)] if is_binary else [*range(len(tasks))],
            by_column=counts.is_matrix(Role.TASK),
            sign=weight,
            uncertain=pairs["uncertain"],
            true=true,
            predicted=predicted,
            overall=overall,
            blind=self._blind_rates(tables),
            has_truth=has_truth,
            is_right=has_truth and bool((self._share_right(tables) == 1).all()),
            constant=self._constant(tables),
            only_group=self._only_group(tables),
            followed=followed,
            silent=self._further(tables, weight, predicted).get("silence"),
            few_rows=self._few_in_words if self.few_rows else None,
            **behaviour,
        )

    def _subject(self, task: Label) -> str:
        """A task as a sentence names it."""
        counts = self.evaluation.counts
        return task_in_words(task, counts.task_name, is_column=counts.is_matrix(Role.TASK))

    def _share_right(self, tables: Tables) -> Array:
        """The share of predictions that are right, of labels (..., 1), of a matrix by column."""
        if not tables.counts.is_matrix(self._role):
            return accuracy_of(tables, self._role)[..., None]
        right = column_accuracy(tables, self._role, silence_is_wrong=True)
        return right[..., self.columns] if self._of_task else right

    def _constant(self, tables: Tables) -> str | None:
        """What is predicted of every row, if it is the same."""
        role = self._role
        share = tables.marginal(role.prediction) / tables.total
        if (np.minimum(share, 1 - share) > ROUNDING).any():
            return None
        labels = [*compress(tables.counts.labels_of(role), share > 0.5)]
        if role.of_attribute:
            return ", ".join(map(show, labels)) or "no group"
        return ", ".join(map(self._subject, labels)) or "nothing"

    def _only_group(self, tables: Tables) -> Label | None:
        """The group of all rows, if there is only one with rows."""
        if not tables.counts.has(Role.ATTRIBUTE):
            return None
        present = tables.marginal(Role.ATTRIBUTE) > 0
        return self.evaluation.counts.groups[present.argmax()] if present.sum() == 1 else None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DirectionalBiasAmplification(CooccurrenceMetric):
    """How far predictions strengthen the correlations of the reference, in one direction.

    The mean over groups a and tasks t of s_at D_at, where s_at is the sign of
    P(a, t) - P(a) P(t) in the reference and

    - A->T: D_at = P(T^ = t | a) - P(T = t | a), the attribute's influence on the predicted task;
    - T->A: D_at = P(A^ = a | t) - P(A = a | t), the task's influence on the predicted attribute.

    Range [-1, 1], without a unit; 0 is no amplification and worse is positive. Values compare
    within one direction and one dataset only.

    Parameters
    ----------
    direction : {"attribute_to_task", "task_to_attribute"}
        Also "A->T" and "T->A", in any case. T->A needs ``sensitive_features_pred``.
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, which set the signs. By default the evaluated truth does.
    pos_label : label, optional
        The one task to evaluate. By default every class is a column, which matters for T->A only.
    labels, groups, missing
        As in every metric: explicit label lists and the rule for missing values.

    Raises
    ------
    ValueError
        If the direction is unknown, or T->A lacks the predicted attribute.

    Notes
    -----
    A tie of the reference counts 0, so a balanced reference gives exactly 0, as [T25] Table 7
    reports; taken literally, the equation would count -D. Mistakes alone move the value: see
    ``blind_errors``, ``excess`` and ``verdict`` of the result.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Eq. 2.

    Examples
    --------
    >>> from biasamp_adapters import DirectionalBiasAmplification
    >>> y_true = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 40 + [0] * 10
    >>> metric = DirectionalBiasAmplification(direction="A->T")
    >>> round(metric(y_true, y_pred, sensitive_features=[1] * 50 + [2] * 50), 4)
    0.1
    """

    about = About(
        short="BA",
        source="[W21] Eq. 2",
        directions=(A_TO_T, T_TO_A),
        function="directional_bias_amplification",
        example="0.1",
        name="Directional Bias Amplification",
        zero="no amplification",
        description="Computed as the mean over groups and labels of the change that predictions "
        "make to P(label | group) (A->T) or P(group | label) (T->A), counted positive where it "
        "follows the correlation in the reference.",
        reading="A value of > 0 implies that the model amplifies bias, which is worse; a value of "
        "< 0 implies that it reduces bias, or that it makes mistakes.",
    )

    _measurement = Directional

    direction: str = "attribute_to_task"
