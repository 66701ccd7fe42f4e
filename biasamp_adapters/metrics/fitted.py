"""LA and DPA with attackers of scikit-learn, which are fitted on rows and judged on others."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer, make_scorer
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from biasamp_adapters import words
from biasamp_adapters.counting.arrays import to_numbers
from biasamp_adapters.counting.labels import Array, listing, show
from biasamp_adapters.counting.variables import Codes, Variable
from biasamp_adapters.inference.replicates import FLIPS, generator
from biasamp_adapters.metrics import quality as qualities
from biasamp_adapters.metrics.attack_measurement import TRIALS, AttackMeasurement, Trials
from biasamp_adapters.progress import watch

#: How the names of qualities and scorers of numbers begin.
_OF_NUMBERS = (*qualities.OF_NUMBERS, "r2", "explained_variance", "d2_abs", "neg_m", "neg_root")

#: The lowest probability that a log loss is taken of, as in scikit-learn.
_LOWEST = float(np.finfo(np.float64).eps)

#: Folds of a trial, and the fewest trials. Fewer than usual are made if their rows, once for each
#: target, are more than this.
_FOLDS, _FEWEST_TRIALS, _ROWS_OF_TRIALS = 5, 5, 5_000_000

#: A class that no fitted row has counts as so many rows, since it cannot be ruled out.
_UNSEEN = 0.5


class Sample(NamedTuple):
    """Rows that an attacker sees, and what it guesses of them: numbers, classes or labels.

    Shares are weights in the score, which add up to 1.
    """

    inputs: Array
    target: Array
    weight: Array
    share: Array
    fold: Array

    def take(self, rows: Array) -> Sample:
        """Return some of the rows."""
        return Sample(*(values[rows] for values in self))

    def splits(self) -> Iterator[tuple[Sample, Sample]]:
        """Yield rows to fit and rows to judge for each fold; of a single one all are both."""
        for fold in np.unique(self.fold):
            is_judged = self.fold == fold
            is_fitted = ~is_judged if self.fold.any() else is_judged
            yield self.take(is_fitted), self.take(is_judged)


#: Rows on which an estimator is tried: a quarter are of class 1, whatever the input.
_CLASSES, _ONES = (np.arange(80) // 2 % 4 == 0).astype(np.int64), np.ones(80)
_FEW = Sample(np.tile([[0.0], [1.0]], (40, 1)), _CLASSES, _ONES, _ONES / 80, 0 * _ONES)


def get_estimator(attacker: Any, quality: Any) -> Any:
    """Return an estimator: the given one, or that of a name; raise if there is no such attacker."""
    estimator = attacker
    if isinstance(attacker, str):
        named = {"logistic": LogisticRegression(max_iter=1000), "dense": MLPClassifier((40, 40))}
        is_of_numbers = quality in qualities.OF_NUMBERS
        named["exact"] = LinearRegression() if is_of_numbers else named["logistic"]
        estimator = named.get(attacker)
    is_estimator = hasattr(estimator, "__sklearn_tags__") and not isinstance(estimator, type)
    if not is_estimator or not (is_classifier(estimator) or is_regressor(estimator)):
        allowed = "'exact', 'logistic', 'dense', or a classifier or regressor of scikit-learn"
        raise ValueError(f"attacker must be {allowed}; received {listing([attacker])}")
    for part in (estimator, *estimator.get_params().values()):
        if isinstance(part, KNeighborsClassifier | KNeighborsRegressor):
            rule = "attacker must read all rows of equal input"
            raise ValueError(f"{rule}; received {type(part).__name__}, which chooses some of them")
    return estimator


class Attacker:
    """An estimator, and how it is fitted and judged by a quality.

    Balanced accuracy is not best for the likeliest class. Its attacker gives each class the same
    weight in a fit; if it does not take weights, it guesses from P(class | input) / P(class) or, as
    a last resort, is fitted on rows that are drawn by their weight.

    Attributes
    ----------
    divides : bool
        Whether it guesses from P(class | input) / P(class).
    """

    def __init__(self, attacker: Any, quality: Any) -> None:
        self.estimator, self.quality = get_estimator(attacker, quality), quality
        self.name = type(self.estimator).__name__
        self.is_regressor = is_regressor(self.estimator)
        self.few = self._try_to_fit(*_FEW[:2])
        # Not all that accept weights use them: with these, all rows are guessed to be of class 1.
        weighted = self._try_to_fit(*_FEW[:2], sample_weight=1.0 + 19 * _CLASSES)
        self.takes_weights = weighted is not None and weighted.predict(_FEW.inputs).mean() > 0.5
        self.is_balanced = quality == qualities.BALANCED
        has_probabilities = hasattr(self.few, "predict_proba")
        self.divides = self.is_balanced and has_probabilities and not self.takes_weights

    def _try_to_fit(self, inputs: Array, target: Array, **params: Array) -> Any:
        """Return a clone that is fitted on a few rows; None if that fails."""
        try:
            with warnings.catch_warnings(action="ignore"):
                return clone(self.estimator).fit(inputs, target, **params)
        except Exception:  # Whatever an estimator raises, it cannot be fitted like this.
            return None

    def tells_apart(self, inputs: Array, classes: Array) -> bool:
        """Return whether guesses differ between classes that follow from the inputs."""
        estimator = self._try_to_fit(inputs, classes)
        guess = getattr(estimator, "predict_proba", getattr(estimator, "predict", None))
        return guess is None or not np.allclose(*guess(inputs[:2]))

    def check_quality(self) -> None:
        """Raise if the quality is not of what is guessed, or cannot score a few rows."""
        quality = self.quality
        if not callable(quality):
            is_of_numbers = quality.startswith(_OF_NUMBERS)
            if quality == "f1":
                raise self._error("it needs the best threshold, which only attacker='exact' knows")
            if is_of_numbers != self.is_regressor:
                scored = "numbers" if is_of_numbers else "classes"
                raise self._error(f"it scores {scored}, which the attacker does not guess")
            if self.few is not None and not is_of_numbers:
                with warnings.catch_warnings(action="ignore"):
                    self.score(_FEW, 0)
            return
        try:
            inspect.signature(quality).bind("y_true", "y_pred")
        except TypeError:
            example = "f1_score and functools.partial(f1_score, average='macro')"
            raise self._error(f"it must take labels and guesses, as {example} do") from None

    def _error(self, reason: object) -> ValueError:
        reason = str(reason).splitlines()[0][:180]
        return ValueError(f"quality={self.quality!r:.60} cannot score {self.name}: {reason}")

    def cross_fit(self, measurement: AttackMeasurement) -> Trials:
        """Return the value and both levels of each trial, and notes on them."""
        experiment, notes = Experiment(measurement), []
        n_trials = experiment.n_trials
        score = delayed(experiment.score_trial)
        rngs = generator(FLIPS, measurement.seed).spawn(n_trials)
        trials = Parallel(return_as="generator")(score(rng) for rng in rngs)
        with threadpool_limits(1, "blas"):  # Threads of BLAS slow the many small steps of a fit.
            scores = np.array(list(watch(trials, n_trials, "trials", "a smaller n_trials")))
        is_difference = measurement.is_difference
        compared = measurement.quality.compare(scores[:, 0], scores[:, 1], is_difference)
        means = {name: score.mean(axis=-1) for name, score in compared.items()}
        if measurement.attack.is_equalized and experiment.accuracy is None:
            notes.append(words.NUMBERS_NOT_FLIPPED)
        return means, tuple(notes)

    def score(self, rows: Sample, seed: int) -> float:
        """Return the score of guesses of rows that are not in the fit; of 1/loss the loss."""
        try:
            return self._score(rows, seed)
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise self._error(error) from error

    def _score(self, rows: Sample, seed: int) -> float:
        scorer, score, quality = None, 0.0, self.quality
        if callable(quality):
            scorer = make_scorer(quality)
        elif quality == "f1_macro" or quality not in qualities.QUALITIES:
            scorer = get_scorer(quality)
        for fitted, judged in rows.splits():
            estimator = self._fit(fitted, seed)
            if scorer is None:
                score += float(judged.share @ self._losses(estimator, fitted, judged))
                continue
            weights = {} if np.ptp(judged.weight) == 0 else {"sample_weight": judged.weight}
            mean = float(scorer(estimator, judged.inputs, judged.target, **weights))
            if not np.isfinite(mean):
                raise ValueError(f"it is {mean} in a fold")
            score += float(judged.share.sum()) * mean
        if scorer is not None:
            return score
        if quality == qualities.UNCERTAINTY:
            whole = float(qualities.entropy(np.bincount(rows.target, rows.share)[None]))
            return max(0.0, 1 - score / whole) if whole > 0 else 0.0
        if quality == "inverse_rmse":
            return score**0.5
        if quality == "hard_inverse_cross_entropy":
            return qualities.HARD_LOSS * score
        return score if qualities.QUALITIES[quality].inverse else 1 - score

    def _fit(self, rows: Sample, seed: int) -> Any:
        """Return an estimator that is fitted on rows, with all its seeds set."""
        weight = rows.weight
        if self.is_balanced and not self.divides:
            weight = _balance(weight, rows.target)
        weights = {"sample_weight": weight / weight.mean()}
        if not self.takes_weights:
            rows, weights = rows.take(_draw_rows(rows, weight, seed)), {}
        settings: dict[str, Any] = {}
        for name in self.estimator.get_params():
            if name.endswith("random_state"):
                settings[name] = seed
            if name.endswith("class_weight") and self.is_balanced:
                settings[name] = None
        estimator = clone(self.estimator).set_params(**settings)
        if not self.is_regressor and (rows.target == rows.target[0]).all():
            estimator = DummyClassifier()  # Some classifiers cannot be fitted on a single class.
        return estimator.fit(rows.inputs, rows.target, **weights)

    def _losses(self, estimator: Any, fitted: Sample, judged: Sample) -> Array:
        """Return the log loss or the squared error of each guess, or whether it is wrong."""
        target = judged.target
        if not self.divides and self.quality not in qualities.OF_PROBABILITIES:
            guess = np.ravel(estimator.predict(judged.inputs))
            return (target - guess) ** 2 if self.is_regressor else target != guess
        n_classes = 1 + max(fitted.target.max(), target.max())
        chances = np.full((len(target), n_classes), _UNSEEN / (len(fitted.target) + 1))
        chances[:, estimator.classes_] = estimator.predict_proba(judged.inputs)
        if self.divides:
            total = np.bincount(fitted.target, fitted.weight, n_classes)
            return target != (chances / np.where(total > 0, total, np.inf)).argmax(axis=1)
        chance = chances[np.arange(len(target)), target] / chances.sum(axis=1)
        return -np.log(np.maximum(chance, _LOWEST))


def _balance(weight: Array, classes: Array) -> Array:
    """Return weights of rows with which each class weighs 1."""
    return weight / np.bincount(classes, weight)[classes]


def _draw_rows(rows: Sample, weight: Array, seed: int) -> Array:
    """Return rows in random order, each as often as its weight says.

    Steps of equal size go through the rows in the order of target and input, so both have their
    exact shares, and rows of equal weight are drawn once.
    """
    rng, order = np.random.default_rng(seed), np.lexsort([*rows.inputs.T, rows.target])
    ends = np.floor(weight[order].cumsum() / weight.mean() + rng.random())
    return rng.permutation(np.repeat(order, np.diff(ends, prepend=0).astype(np.int64)))


# Trials on the rows of the data.


class Experiment:
    """The rows of the data one by one, and the attackers that are fitted on them.

    The order of the rows follows from their values. Rows of equal truth stand together, so that
    models have the same flips.

    Attributes
    ----------
    cluster : ndarray of int
        Rows of one cluster are in the same fold.
    n_trials : int
        By default as many as take a bearable time.
    accuracy : ndarray or None
        How many labels, or entries of each column, of the dataset stay; None without flips.
    """

    def __init__(self, measurement: AttackMeasurement) -> None:
        self.measurement, self.attack = measurement, measurement.attack
        self.metric, self.quality = measurement.metric, measurement.metric.quality
        self.attacker = measurement.attacker
        table = measurement.evaluation.rows
        roles = dict.fromkeys([*self.attack.data, *self.attack.model])
        variables = {role: measurement.margins.variable(role) for role in roles}
        keys = [table.unit, *(variables[role].keys() for role in reversed(roles))]
        order = np.lexsort([np.unique(key, return_inverse=True)[1] for key in keys])
        row = np.repeat(order, np.where(table.unit > 0, table.n, 0)[order])
        self.variables = {role: variable.take(row) for role, variable in variables.items()}
        self.weight = table.unit[row]
        cluster = np.arange(len(row)) if table.cluster is None else table.cluster[row]
        self.cluster = np.unique(cluster, return_inverse=True)[1]
        self.accuracy: Array | None = None
        if self.attack.is_equalized and not is_continuous(variables[self.attack.flipped]):
            self.accuracy = measurement.attack.accuracy(measurement.margins)[0]
        target = variables[self.attack.data[1]]
        n_rows = len(row) * (len(target.labels) if target.is_matrix else 1)
        usual = min(max(_ROWS_OF_TRIALS // n_rows, _FEWEST_TRIALS), TRIALS)
        self.n_trials = self.metric.n_trials or usual
        self._check()

    def _check(self) -> None:
        """Raise if the data suit neither the attacker nor how it is judged."""
        metric, (seen, guessed), name = self.metric, self.attack.data, self.attacker.name
        source, target = self.variables[seen], self.variables[guessed]
        has_labels = not source.is_matrix and not is_continuous(source)
        if not (has_labels or metric.is_absolute) and self.quality == qualities.UNCERTAINTY:
            rule = f"{seen} is no column of labels, so a ratio of {self.quality!r} cannot be tested"
            raise ValueError(f"{rule}; received {metric!r:.150}")
        if metric.evaluation != "resubstitution" and self.cluster.max() == 0:
            raise ValueError("cross-fitting needs two clusters or more; received 1")
        if is_continuous(target) and not self.attacker.is_regressor:
            rule = f"{guessed} must hold classes or whole numbers"
            raise ValueError(f"{rule}; received other numbers for {name}")
        if has_labels:
            classes = np.arange(max(len(source), len(_CLASSES))) % 2
            inputs = read_inputs(Codes(source.labels, classes))
            if not self.attacker.tells_apart(inputs, classes):
                rule = f"attacker must guess by what it sees, {seen}"
                raise ValueError(f"{rule}; {name} guesses the same for two values of it")

    def score_trial(self, rng: np.random.Generator) -> list[list[float]]:
        """Return scores (sides, targets) after one draw of flips, folds, seeds and row order."""
        dataset, flipped = dict(self.variables), self.attack.flipped
        if self.accuracy is not None:
            dataset[flipped] = flip_rows(dataset[flipped], self.accuracy, rng)
        n_folds = 1 if self.metric.evaluation == "resubstitution" else _FOLDS
        fold = (rng.permutation(int(self.cluster.max()) + 1) % n_folds)[self.cluster]
        # Some estimators split the rows that they fit as they come, so these must not be sorted.
        order, seed = rng.permutation(len(self.weight)), int(rng.integers(2**31 - 1))
        scores = []
        for variables, roles in ((dataset, self.attack.data), (self.variables, self.attack.model)):
            source, target = (variables[role].take(order) for role in roles)
            samples = self.samples(source, target, self.weight[order], fold[order])
            scores.append([self.attacker.score(rows, seed) for rows in samples])
        return scores

    def samples(
        self, source: Variable, target: Variable, weight: Array, fold: Array
    ) -> Iterator[Sample]:
        """Yield rows for each guessed variable; those of probabilities once for each class."""
        if source.is_soft and not source.is_matrix:  # What is seen are parts of a row, too.
            parts = source.sparse.tocoo()
            source = Codes(source.labels, parts.col)
            target, fold = target.take(parts.row), fold[parts.row]
            weight = weight[parts.row] * parts.data
        inputs = read_inputs(source)
        for shares in shares_of_classes(target):
            row, codes = shares.coords
            guessed, weights = self.read_target(target, codes), weight[row] * shares.data
            share = _balance(weights, guessed) if self.quality == qualities.BALANCED else weights
            yield Sample(inputs[row], guessed, weights, share / share.sum(), fold[row])

    def read_target(self, target: Variable, codes: Array) -> Array:
        """Return numbers for a regressor, labels for a function, or else classes from 0 on.

        Of two classes the positive one is the second, as scorers expect.
        """
        labels = self.measurement.target_labels
        if self.attacker.is_regressor:
            return to_numbers(np.array([*labels, np.nan], dtype=object), self.attack.data[1])[codes]
        if callable(self.quality):
            plain = [show(label) if isinstance(label, tuple) else label for label in labels]
            return np.array([*plain, None] if target.has_missing else plain)[codes]
        classes, guessed = np.unique(codes, return_inverse=True)
        is_first = len(classes) == 2 and labels[classes[0]] == self.measurement.positive
        return 1 - guessed if is_first else guessed


# Variables, as attackers see and guess them.


def is_continuous(variable: Variable) -> bool:
    """Return whether labels are numbers and not all whole, which attackers read as numbers."""
    if not isinstance(variable, Codes):
        return False
    is_number = [isinstance(label, int | float) for label in variable.labels]
    return all(is_number) and bool((np.array(variable.labels, dtype=np.float64) % 1 != 0).any())


def read_inputs(variable: Variable) -> Array:
    """Return numbers, or indicators of labels and missing values; one is enough for two labels."""
    if isinstance(variable, Codes) and is_continuous(variable):
        return np.array([*variable.labels, np.nan], dtype=np.float64)[variable.codes][:, None]
    entries = variable.sparse
    if not variable.is_matrix and entries.shape[1] == 2:
        entries = entries[:, 1:]
    return entries.toarray()


def shares_of_classes(variable: Variable) -> Iterator[sparse.coo_array]:
    """Yield shares (rows, classes); of each column no, yes and missing are the classes."""
    if not variable.is_matrix:
        yield variable.sparse.tocoo()
        return
    missing = variable.missing.astype(np.float64)
    for yes in variable.sparse[:, : len(variable.labels)].toarray().T:
        yield sparse.coo_array(np.column_stack([1 - yes - missing, yes, missing]))


def flip_rows(variable: Variable, accuracy: Array, rng: np.random.Generator) -> Variable:
    """Return labels, or entries of each column, that are changed until they are as wrong."""
    if isinstance(variable, Codes):
        n_labels = len(variable.labels)
        is_wrong = rng.random(len(variable)) >= accuracy
        other = (variable.codes + rng.integers(1, max(n_labels, 2), len(variable))) % n_labels
        codes = np.where(is_wrong, other, variable.codes).astype(variable.codes.dtype)
        return replace(variable, codes=codes)
    entries = variable.sparse[:, : len(variable.labels)].toarray()
    is_wrong = rng.random(entries.shape) >= accuracy
    return replace(variable, values=np.abs(entries - is_wrong))
