"""LA and DPA with attackers of scikit-learn, which are fitted on rows and cross-fitted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import chdtri
from sklearn import config_context, metrics
from sklearn.utils.parallel import Parallel, delayed

from biasamp_adapters import words
from biasamp_adapters.counting.labels import Array, positive_class, show
from biasamp_adapters.counting.margins import accuracy_by_label, accuracy_of
from biasamp_adapters.counting.variables import Block, Codes, Variable
from biasamp_adapters.inference.replicates import FLIPS, generator
from biasamp_adapters.metrics.attack_measurement import AttackMeasurement
from biasamp_adapters.metrics.attackers import Attacker, Sample, check_neighbors, get_estimator
from biasamp_adapters.metrics.quality import BALANCED, HARD_LOSS, QUALITIES, UNCERTAINTY, entropy

_FOLDS, _TRIALS, _FEWEST_TRIALS = 5, 100, 5

#: Fewer trials are made if their rows, once for each target, are more than this.
_ROWS_OF_TRIALS = 5_000_000

#: The lowest probability that a log loss is taken of, as in scikit-learn.
_LOWEST = float(np.finfo(np.float64).eps)


def cross_fit(measurement: AttackMeasurement) -> AttackMeasurement:
    """Return the measurement with the scores of attackers that are fitted on its rows."""
    metric, notes = measurement.metric, list(measurement.notes)
    experiment = Experiment(measurement)
    experiment.check()
    n_targets = len(measurement.evaluation.rows.labels_of(measurement.attack.data[1]))
    most = _ROWS_OF_TRIALS // (len(experiment.weight) * (n_targets if measurement.by_column else 1))
    n_trials = metric.n_trials or int(np.clip(most, _FEWEST_TRIALS, _TRIALS))
    rngs = generator(FLIPS, measurement.seed).spawn(n_trials)
    scores = np.array(Parallel()(delayed(experiment.score_trial)(rng) for rng in rngs))
    is_difference: Any = metric.is_absolute
    if measurement.quality.name == UNCERTAINTY and not metric.is_absolute:
        is_difference = ~experiment.shows_dependence(scores.mean(axis=0))
        notes += [words.NO_DEPENDENCE] * bool(is_difference.any())
    compared = measurement.quality.compare(scores[:, 0], scores[:, 1], is_difference)
    fitted = {name: score.mean(axis=-1) for name, score in compared.items()}
    notes += experiment.notes_on_flips()
    if np.isnan(fitted["value"]).any():
        notes.append(words.NO_RELATIVE_CHANGE.format(quality=measurement.quality.name))
    if metric.n_trials is None and n_trials < _TRIALS:
        error = fitted["value"].std(ddof=1) / np.sqrt(n_trials)
        notes.append(words.TRIALS.format(k=n_trials, error=error))
    return replace(measurement, fitted=fitted, is_difference=is_difference, notes=tuple(notes))


class Experiment:
    """The rows of the data one by one, and the attackers that are fitted on them.

    The order of the rows follows from their values. Rows of equal truth stand together, so that
    models have the same flips.

    Attributes
    ----------
    variables : dict of str to Variable
    weight : ndarray
    cluster : ndarray of int
        Rows of one cluster are in the same fold.
    accuracy : ndarray or None
        How many labels, or entries of each column, of the dataset stay; None without flips.
    """

    def __init__(self, measurement: AttackMeasurement) -> None:
        self.measurement = measurement
        table, attack, metric = measurement.evaluation.rows, measurement.attack, measurement.metric
        self.attacker = Attacker(get_estimator(metric.attacker, metric.quality), metric.quality)
        roles = dict.fromkeys([*attack.data, *attack.model])
        variables = {role: measurement.margins.variable(role) for role in roles}
        keys = [table.unit, *(variables[role].keys() for role in reversed(roles))]
        order = np.lexsort([np.unique(key, return_inverse=True)[1] for key in keys])
        row = np.repeat(order, np.where(table.unit > 0, table.n, 0)[order])
        self.variables = {role: variable.take(row) for role, variable in variables.items()}
        self.weight = table.unit[row]
        cluster = np.arange(len(row)) if table.cluster is None else table.cluster[row]
        self.cluster = np.unique(cluster, return_inverse=True)[1]
        self.accuracy: Array | None = None
        flipped = variables[attack.flipped]
        if metric.equalize is not None and numbers(flipped) is None:
            measure = accuracy_by_label if flipped.is_matrix else accuracy_of
            self.accuracy = measure(measurement.margins, attack.flipped)[0]

    def check(self) -> None:
        """Raise if the data suit neither the attacker nor how it is judged."""
        metric, attack = self.measurement.metric, self.measurement.attack
        is_closed = metric.equalize == "expected" or metric.evaluation == "loo"
        if not metric.is_fitted and (is_closed or callable(metric.quality)):
            raise ValueError(
                f"{attack.data[0]} is a matrix, which only a fitted attacker can read, without "
                "equalize='expected', evaluation='loo' or a function of tables"
            )
        if metric.evaluation != "resubstitution" and self.cluster.max() == 0:
            raise ValueError("cross-fitting needs two clusters or more; received 1")
        for source, target in (attack.data, attack.model):
            check_neighbors(self.attacker.estimator, read_inputs(self.variables[source]))
            if not self.attacker.is_regressor and numbers(self.variables[target]) is not None:
                raise ValueError(
                    f"{target} must hold classes or whole numbers for a classifier; received "
                    f"other numbers for {type(self.attacker.estimator).__name__}"
                )

    def score_trial(self, rng: np.random.Generator) -> list[list[float]]:
        """Return scores (sides, targets) after one draw of flips, folds, seeds and row order."""
        attack, dataset = self.measurement.attack, dict(self.variables)
        if self.accuracy is not None:
            dataset[attack.flipped] = flip_rows(dataset[attack.flipped], self.accuracy, rng)
        n_folds = 1 if self.measurement.metric.evaluation == "resubstitution" else _FOLDS
        fold = (rng.permutation(int(self.cluster.max()) + 1) % n_folds)[self.cluster]
        # Some estimators split the rows that they fit as they come, so these must not be sorted.
        order, seed = rng.permutation(len(self.weight)), int(rng.integers(2**31 - 1))
        scores = []
        with config_context(enable_metadata_routing=False):
            for variables, roles in ((dataset, attack.data), (self.variables, attack.model)):
                source, target = (variables[role].take(order) for role in roles)
                samples = self.samples(source, target, self.weight[order], fold[order])
                scores.append([self.score(*sample, seed) for sample in samples])
        return scores

    def samples(
        self, source: Variable, target: Variable, weight: Array, fold: Array
    ) -> Iterator[tuple[Sample, list[Any], Any]]:
        """Yield rows, the classes that occur and the positive one, for each variable guessed.

        A row of probabilities occurs once for each class. The positive one of two is the second.
        """
        inputs, pos_label = read_inputs(source), self.measurement.metric.pos_label
        labels = [0, 1] if target.is_matrix else list(target.labels)
        positive = pos_label if pos_label in labels else positive_class(labels)
        for shares in shares_of_classes(target):
            row, codes = shares.coords
            if self.attacker.is_regressor:
                guessed, classes = _as_numbers(labels, codes), []
            else:
                seen, guessed = np.unique(codes, return_inverse=True)
                classes = [[*labels, None][code] for code in seen]
                if len(seen) == 2 and classes[0] == positive:
                    guessed, classes = 1 - guessed, classes[::-1]
            rows = Sample(inputs[row], guessed, weight[row] * shares.data, fold[row])
            yield rows, classes, positive

    def score(self, rows: Sample, classes: list[Any], positive: Any, seed: int) -> float:
        """Return the score of attackers that are asked about other rows than they are fitted on."""
        quality, is_soft = self.measurement.metric.quality, self.attacker.is_soft
        if callable(quality) or quality not in QUALITIES:
            return self._score_by_fold(rows, classes, seed)
        answers = np.zeros((len(rows.target), len(classes)) if is_soft else len(rows.target))
        for fold, fitted, is_asked in rows.parts():
            asked = rows.inputs[is_asked]
            answers[is_asked] = self.attacker.answer(fitted, asked, len(classes), seed + fold)
        target, share = rows.target, rows.weight / rows.weight.sum()
        if self.attacker.is_regressor:
            error = float(share @ (target - answers) ** 2)
            return error if quality == "inverse_mse" else error**0.5
        if quality == "f1":
            scored = [k for k, label in enumerate(classes) if positive in (None, label)]
            best = [_best_f1(target == k, answers[:, k], share) for k in scored]
            return sum(best) / max(len(best), 1)
        score = _score_chances if is_soft else _score_guesses
        return score(quality, target, answers, share)

    def _score_by_fold(self, rows: Sample, classes: list[Any], seed: int) -> float:
        """Return the mean over folds of a scorer, or of a function of labels."""
        quality, scores = self.measurement.metric.quality, []
        scorer = metrics.make_scorer(quality) if callable(quality) else metrics.get_scorer(quality)
        if callable(quality) and classes:
            labels = [show(label) if isinstance(label, tuple) else label for label in classes]
            rows = rows._replace(target=np.array(labels)[rows.target])
        try:
            if None in classes:
                raise ValueError("predictions are missing")
            for fold, fitted, is_asked in rows.parts():
                estimator, asked = self.attacker.fit(fitted, seed + fold), rows.take(is_asked)
                weights = {} if np.ptp(rows.weight) == 0 else {"sample_weight": asked.weight}
                scores.append(float(scorer(estimator, asked.inputs, asked.target, **weights)))
            if not np.isfinite(scores).all():
                raise ValueError(f"it is {min(scores, key=np.isfinite)} in one of the folds")
        except (IndexError, TypeError, ValueError) as error:
            raise ValueError(
                f"quality={self.measurement.quality.name!r} cannot score these guesses of "
                f"{type(self.attacker.estimator).__name__}: {str(error).splitlines()[0]}"
            ) from error
        return float(np.mean(scores))

    def notes_on_flips(self) -> list[str]:
        """Return what is to be said of the accuracy that flips give the dataset."""
        flipped = self.variables[self.measurement.attack.flipped]
        if self.accuracy is None:
            is_noted = self.measurement.metric.equalize is not None
            return [words.NUMBERS_NOT_FLIPPED] if is_noted else []
        if flipped.is_matrix or self.accuracy[0] >= 1 / len(flipped.labels):
            return []
        return [words.BELOW_CHANCE.format(model=self.measurement.model, k=len(flipped.labels))]

    def shows_dependence(self, scores: Array) -> Array:
        """Return for which targets an uncertainty coefficient passes the test of chi-square."""
        attack, passes = self.measurement.attack, []
        n_rows = self.measurement.evaluation.rows.effective_rows
        for (source, target), side in zip((attack.data, attack.model), scores, strict=True):
            n_inputs = read_inputs(self.variables[source]).shape[1]
            if n_inputs > 1 and not self.variables[source].is_matrix:
                n_inputs -= 1
            for shares, score in zip(shares_of_classes(self.variables[target]), side, strict=True):
                table = self.weight @ shares
                g = 2 * n_rows * entropy(table[None]) * score
                passes.append(g > chdtri(max(n_inputs * ((table > 0).sum() - 1), 1), 0.05))
        return np.any(np.reshape(passes, scores.shape), axis=0)


# Variables, as attackers see and guess them.


def numbers(variable: Variable) -> Array | None:
    """Return labels that are numbers and not all whole, which are read as numbers."""
    is_number = [isinstance(label, int | float) for label in variable.labels]
    if not isinstance(variable, Codes) or not all(is_number):
        return None
    values = np.array(variable.labels, dtype=np.float64)
    return values if (values % 1 != 0).any() else None


def _as_numbers(labels: list[Any], codes: Array) -> Array:
    """Return the numbers that labels stand for."""
    try:
        return np.array(labels, dtype=np.float64)[codes]
    except (IndexError, TypeError, ValueError):
        raise ValueError(
            "a regressor guesses a number in every row; received labels or missing predictions"
        ) from None


def read_inputs(variable: Variable) -> Array:
    """Return numbers, or indicators of labels and missing values; one is enough for two labels."""
    values = numbers(variable)
    if isinstance(variable, Codes) and values is not None:
        return np.append(values, np.nan)[variable.codes][:, None]
    entries = variable.sparse
    if not variable.is_matrix and entries.shape[1] == 2:
        entries = entries[:, 1:]
    return entries.toarray()


def shares_of_classes(variable: Variable) -> Iterator[sparse.coo_array]:
    """Yield shares (rows, classes); of each column no, yes and missing are the classes."""
    if not variable.is_matrix:
        yield variable.sparse.tocoo()
        return
    entries, missing = variable.sparse.tocsc(), variable.missing.astype(np.float64)
    for j in range(len(variable.labels)):
        yes = entries[:, [j]].toarray()[:, 0]
        yield sparse.coo_array(np.column_stack([1 - yes - missing, yes, missing]))


def flip_rows(variable: Variable, accuracy: Array, rng: np.random.Generator) -> Variable:
    """Return labels, or entries of each column, that are changed until they are as wrong."""
    if isinstance(variable, Codes):
        n_labels = len(variable.labels)
        is_wrong = rng.random(len(variable)) >= accuracy
        other = (variable.codes + rng.integers(1, max(n_labels, 2), len(variable))) % n_labels
        codes = np.where(is_wrong, other, variable.codes).astype(variable.codes.dtype)
        return Codes(variable.labels, codes)
    entries = variable.sparse[:, : len(variable.labels)].toarray()
    entries = np.abs(entries - (rng.random(entries.shape) >= accuracy))
    return Block(variable.labels, entries, variable.missing, variable.is_matrix)


# Scores of named qualities.


def _score_chances(quality: str, target: Array, chances: Array, share: Array) -> float:
    """Return a score of probabilities; of 1/cross-entropy the loss."""
    loss = float(-share @ np.log(np.maximum(chances[np.arange(len(target)), target], _LOWEST)))
    if quality == UNCERTAINTY:
        whole = float(entropy(np.bincount(target, share)[None]))
        return max(0.0, 1 - loss / whole) if whole > 0 else 0.0
    return loss if quality == "inverse_cross_entropy" else 1 - loss


def _score_guesses(quality: str, target: Array, guesses: Array, share: Array) -> float:
    """Return a score of guessed classes; of 1/cross-entropy the loss."""
    if quality == BALANCED:
        return float(metrics.balanced_accuracy_score(target, guesses, sample_weight=share))
    if quality == "f1_macro":
        return float(metrics.f1_score(target, guesses, average="macro", sample_weight=share))
    accuracy = float(share @ (target == guesses))
    return HARD_LOSS * (1 - accuracy) if quality == "hard_inverse_cross_entropy" else accuracy


def _best_f1(is_class: Array, chance: Array, share: Array) -> float:
    """Return the largest F1 of a class over all cuts of its probability."""
    precision, recall, _ = metrics.precision_recall_curve(is_class, chance, sample_weight=share)
    total = precision + recall
    return float(np.divide(2 * precision * recall, total, where=total > 0, out=total * 0).max())
