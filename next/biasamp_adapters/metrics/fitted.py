"""LA and DPA with attackers of scikit-learn, which are fitted on rows and judged on others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy import sparse
from sklearn.utils.parallel import Parallel, delayed

from biasamp_adapters import words
from biasamp_adapters.counting.labels import Array, show
from biasamp_adapters.counting.variables import Codes, Variable
from biasamp_adapters.inference.replicates import FLIPS, generator
from biasamp_adapters.metrics.attack_measurement import TRIALS, AttackMeasurement, Trials
from biasamp_adapters.metrics.attackers import Attacker, Sample, balance
from biasamp_adapters.metrics.quality import BALANCED, UNCERTAINTY
from biasamp_adapters.progress import watch

_FOLDS, _FEWEST_TRIALS = 5, 5

#: Fewer trials are made if their rows, once for each target, are more than this.
_ROWS_OF_TRIALS = 5_000_000


def cross_fit(measurement: AttackMeasurement) -> Trials:
    """Return the value and both levels of each trial of attackers, and notes on them."""
    experiment, notes = Experiment(measurement), []
    n_trials = experiment.n_trials
    rngs = generator(FLIPS, measurement.seed).spawn(n_trials)
    trials = Parallel(return_as="generator")(delayed(experiment.score_trial)(rng) for rng in rngs)
    scores = np.array(list(watch(trials, n_trials, "trials", "a smaller n_trials")))
    compared = measurement.quality.compare(scores[:, 0], scores[:, 1], measurement.is_difference)
    means = {name: score.mean(axis=-1) for name, score in compared.items()}
    if measurement.attack.is_equalized and experiment.accuracy is None:
        notes.append(words.NUMBERS_NOT_FLIPPED)
    return means, tuple(notes)


class Experiment:
    """The rows of the data one by one, and the attackers that are fitted on them.

    The order of the rows follows from their values. Rows of equal truth stand together, so that
    models have the same flips.

    Attributes
    ----------
    attacker : Attacker
    variables : dict of str to Variable
    weight : ndarray
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
        self.attacker = Attacker(self.metric.attacker, self.quality)
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
        metric, attack = self.metric, self.attack
        source, target = (self.variables[role] for role in attack.data)
        is_of_tables = metric.equalize == "expected" or metric.evaluation == "loo"
        is_of_tables = is_of_tables or callable(self.quality) or self.quality == "f1"
        is_ratio_of_u = self.quality == UNCERTAINTY and not metric.is_absolute
        has_labels = not source.is_matrix and not is_continuous(source)
        if not has_labels and (is_ratio_of_u or (is_of_tables and not metric.is_fitted)):
            rule = f"{attack.data[0]} is no column of labels, so only a fitted attacker can read it"
            raise ValueError(f"{rule}, without a table of labels; received {metric!r:.150}")
        if metric.evaluation != "resubstitution" and self.cluster.max() == 0:
            raise ValueError("cross-fitting needs two clusters or more; received 1")
        if is_continuous(target) and not self.attacker.is_regressor:
            name = type(self.attacker.estimator).__name__
            rule = f"{attack.data[1]} must hold classes or whole numbers"
            raise ValueError(f"{rule}; received other numbers for {name}")

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
        inputs = read_inputs(source)
        for shares in shares_of_classes(target):
            row, codes = shares.coords
            guessed, weights = self.read_target(target, codes), weight[row] * shares.data
            share = balance(weights, guessed) if self.quality == BALANCED else weights
            yield Sample(inputs[row], guessed, weights, share / share.sum(), fold[row])

    def read_target(self, target: Variable, codes: Array) -> Array:
        """Return numbers for a regressor, labels for a function, or else classes from 0 on.

        Of two classes the positive one is the second, as scorers expect.
        """
        labels = self.measurement.target_labels
        if self.attacker.is_regressor:
            return np.array([*labels, np.nan], dtype=np.float64)[codes]
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
