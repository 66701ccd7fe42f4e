"""Random cases of all metrics. A case is the same for the same seed."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from string import ascii_lowercase
from typing import Any, NamedTuple

from fraction_attacks import UNCERTAINTY
from fraction_case import Case, RateTable, Reference
from fraction_values import matrix_data, reference_data
from matrix_oracle import task_sets

METRICS = ("BA A->T", "BA T->A", "MALS", "Multi A->T", "Multi T->A", "Multi undirected")
METRICS += ("LA", "DPA A->T", "DPA T->A")


class Sizes(NamedTuple):
    """The most rows of a case and its numbers of labels, from which one is chosen."""

    rows: tuple[int, ...]
    labels: tuple[int, ...]


SMALL = Sizes((5, 20, 20, 50), (2, 2, 2, 3, 3, 4, 5, 6))
LARGE = Sizes((50, 300, 1500), (2, 2, 3, 5, 12, 18))

#: What tasks and groups of a metric may be; Multi reads no probabilities, and the exact attacker
#: sees labels only.
_TASK_KINDS = {
    "BA": ["labels"] * 4 + ["chances", "matrix", "matrix", "soft matrix"],
    "MALS": ["labels"] * 4 + ["chances", "matrix", "matrix", "soft matrix"],
    "Multi": ["labels"] * 3 + ["matrix"] * 3,
    "LA": ["labels"],
    "DPA A->T": ["labels"] * 3 + ["chances", "matrix", "soft matrix"],
    "DPA T->A": ["labels"],
}
_LABELLED_GROUPS = ["labels", "labels", "labels", "crossed"]
_GROUP_KINDS = {
    "BA": [*_LABELLED_GROUPS, "overlapping", "soft overlapping", "mixed"],
    "MALS": [*_LABELLED_GROUPS, "overlapping", "soft overlapping", "mixed"],
    "Multi": [*_LABELLED_GROUPS, "overlapping"],
    "LA": [*_LABELLED_GROUPS, "overlapping"],
    "DPA A->T": _LABELLED_GROUPS,
    "DPA T->A": [*_LABELLED_GROUPS, "overlapping", "soft overlapping"],
}

#: Names in the order in which the package sorts them.
_CLASSES = (
    [0, 1, 2, 3, 4, 5],
    ["Low", "high", "low", "mid", "top", "zero"],
    [-1, 1],
    [False, True],
    [*range(18)],
)
_COLUMNS = ([*range(12)], [0, 1, 2], ["bag", "cup", "Dog", "fork", "oven", "tie"])
_GROUPS = ([*ascii_lowercase], [0, 1, 2, 3, 4, 5], [1, 2], ["man", "woman"])
_CROSSED = [(sex, age) for sex in ("man", "woman") for age in ("old", "young", "younger")]

#: Weights as they are meant; the package gets floats, of which some are not exact.
_WEIGHTS = (
    [Fraction(x) for x in (0, 1, 1, 2, 5)],
    [Fraction(x, 4) for x in (0, 1, 2, 4, 12)],
    [Fraction(0), Fraction(1, 10), Fraction(3, 10), Fraction(7, 10), Fraction(4, 3)],
)
_CHANCES = [Fraction(x, 8) for x in (0, 1, 2, 4, 5, 8)]

_QUALITIES = (
    "accuracy",
    "balanced_accuracy",
    "inverse_cross_entropy",
    "hard_inverse_cross_entropy",
    "one_minus_cross_entropy",
    UNCERTAINTY,
)


def draw_case(seed: int) -> Case:
    """Return the case of a seed; seeds that follow each other go through the metrics."""
    rng, metric = Random(seed), METRICS[seed % len(METRICS)]
    while True:
        case = _with_options(rng, _with_signs(rng, _draw_rows(rng, metric, SMALL)))
        if _has_value(case):
            return case


def draw_large_case(seed: int) -> Case:
    """Return a case with more rows and labels, clusters, and flips that are drawn.

    Its labels are listed, and no rates are set by hand.
    """
    rng, metric = Random(seed), METRICS[seed % len(METRICS)]
    while True:
        case = _draw_rows(rng, metric, LARGE)
        if rng.random() < 0.5:
            case = _with_reference(rng, case, LARGE, weighted=False)
        case = replace(_with_options(rng, case), route="result")
        if case.is_attack:
            case = replace(case, options=case.options | _draw_flips(rng, case))
        are_positions = case.class_labels == list(range(len(case.class_labels)))
        if case.tasks_are_matrix and are_positions and case.missing == "error":
            case = replace(case, container="sparse")
        if len(case) >= 20 and rng.random() < 0.2:
            case = replace(case, clusters=[rng.randrange(len(case)) for _ in range(len(case))])
        if _has_value(case):
            return case


def _draw_rows(rng: Random, metric: str, sizes: Sizes) -> Case:
    """Return a case with rows, weights and a rule for missing values."""
    key = metric if metric.startswith("DPA") else metric.split()[0]
    task_kind, group_kind = rng.choice(_TASK_KINDS[key]), rng.choice(_GROUP_KINDS[key])
    if metric == "LA" and group_kind != "overlapping" and rng.random() < 0.2:
        task_kind = "chances"
    class_labels = [0, 1]
    if task_kind != "chances":
        class_labels = _draw_names(
            rng, _COLUMNS if task_kind.endswith("matrix") else _CLASSES, sizes
        )
    group_labels = _draw_names(rng, [_CROSSED] if group_kind == "crossed" else _GROUPS, sizes)
    missing = rng.choice(["error", "error", "error", "abstain", "drop"])
    n = rng.randint(1, rng.choice(sizes.rows))
    if group_kind == "mixed":
        n = max(n, len(group_labels))
    groups, groups_pred = _draw_variable(rng, group_kind, group_labels, [0] * n)
    order = [groups.index(group) for group in groups]
    y_true, y_pred = _draw_variable(rng, task_kind, class_labels, order)
    case = Case(
        metric=metric,
        task_kind=task_kind,
        group_kind=group_kind,
        y_true=y_true,
        y_pred=y_pred,
        groups=groups,
        groups_pred=groups_pred,
        class_labels=class_labels,
        group_labels=group_labels,
        weights=_draw_weights(rng, n),
        missing=missing,
        container=rng.choice(["list", "array", "frame"]),
    )
    return _with_missing(rng, case)


def _with_signs(rng: Random, case: Case) -> Case:
    """Return the case with what sets the signs, and with or without lists of labels."""
    if not case.is_attack and rng.random() < 0.15:
        return _with_base_rates(rng, case)
    if rng.random() < 0.5:
        case = _with_reference(rng, case, SMALL)
    return _with_lists(rng, case)


def _draw_names(rng: Random, choices: Sequence[list[Any]], sizes: Sizes) -> list[Any]:
    names = rng.choice(choices)
    size = rng.choice([size for size in sizes.labels if size <= len(names)])
    return sorted(rng.sample(names, size), key=names.index)


def _draw_variable(
    rng: Random, kind: str, labels: list[Any], hints: list[int]
) -> tuple[list[Any], list[Any]]:
    """Return a true and a predicted column; rows of the same hint are alike more often."""
    n = len(hints)
    lean, skill = rng.choice([0.0, 0.5, 0.9]), rng.choice([0.0, 0.5, 0.9, 1.0])
    if kind.endswith(("matrix", "overlapping")):
        truth = [
            [int(rng.random() < (lean if (hint + j) % 2 else 0.4)) for j in range(len(labels))]
            for hint in hints
        ]
        guess = [[_guess_chance(rng, kind, x, skill) for x in row] for row in truth]
        return truth, guess
    present = rng.sample(labels, rng.randint(1, len(labels)))
    if kind == "mixed":
        present = labels
    truth = [
        present[hint % len(present)] if rng.random() < lean else rng.choice(present)
        for hint in hints
    ]
    if kind == "chances":
        return truth, [x if rng.random() < skill / 2 else rng.choice(_CHANCES) for x in truth]
    if kind == "mixed":
        truth[: len(labels)] = labels
        guess = [[rng.choice(_CHANCES) for _ in labels] for _ in range(n)]
        return [[int(x == label) for label in labels] for x in truth], guess
    guessed = rng.sample(labels, rng.randint(1, len(labels)))
    return truth, [x if rng.random() < skill else rng.choice(guessed) for x in truth]


def _guess_chance(rng: Random, kind: str, indicator: int, skill: float) -> int | Fraction:
    """Return a predicted indicator, or a probability of soft kinds."""
    if rng.random() < skill:
        return indicator
    return rng.choice(_CHANCES) if kind.startswith("soft") else rng.randint(0, 1)


def _draw_weights(rng: Random, n: int) -> list[Fraction] | None:
    """Return weights, of which the first is above 0; None for rows that count once."""
    if rng.random() < 0.4:
        return None
    kind = rng.choice(_WEIGHTS)
    return [kind[-1], *(rng.choice(kind) for _ in range(n - 1))]


def _with_missing(rng: Random, case: Case) -> Case:
    """Return the case with missing predictions, or missing values; its first row is complete."""
    if case.missing == "error":
        return case
    names = ["y_pred", "groups_pred"]
    if case.missing == "drop":
        names += ["y_true", "groups"]
    # Mixed groups need rows of each group, which their first ones are.
    n_complete = len(case.group_labels) if case.group_kind == "mixed" else 1
    changed = {}
    for name in names:
        column = getattr(case, name)
        others = (None if rng.random() < 0.2 else x for x in column[n_complete:])
        changed[name] = [*column[:n_complete], *others]
    return replace(case, **changed)


def _with_reference(rng: Random, case: Case, sizes: Sizes, *, weighted: bool = True) -> Case:
    """Return the case with a reference of other rows, in which labels may be absent."""
    if case.is_attack or case.group_kind == "mixed":
        return case
    n = rng.randint(1, rng.choice(sizes.rows))
    groups, _ = _draw_variable(rng, case.group_kind, case.group_labels, [0] * n)
    order = [groups.index(group) for group in groups]
    y_true, _ = _draw_variable(rng, case.task_kind, case.class_labels, order)
    weights = _draw_weights(rng, n) if weighted and rng.random() < 0.5 else None
    return replace(case, reference=Reference(y_true, groups, weights))


def _with_base_rates(rng: Random, case: Case) -> Case:
    """Return the case with rates that are set by hand, and without a truth that is not read."""
    classes, groups = case.class_labels, case.group_labels
    rates = {}
    if case.direction == "A->T":
        for group in groups:
            rates |= zip(product([group], classes), _draw_shares(rng, classes), strict=True)
    else:
        for label in classes:
            rates |= zip(product(groups, [label]), _draw_shares(rng, groups), strict=True)
    signs = shares = None
    if rng.random() < 0.5:
        signs = {pair: rng.choice([-1, 0, 1]) for pair in rates}
    elif case.direction == "T->A" or rng.random() < 0.5:
        shares = dict(zip(groups, _draw_shares(rng, groups), strict=True))
    table = RateTable(rates, signs, shares)
    y_true = case.y_true if case.direction == "T->A" else None
    return replace(case, y_true=y_true, base_rates=table)


def _draw_shares(rng: Random, labels: Sequence[Any]) -> list[Fraction]:
    parts = [rng.randint(1, 4) for _ in labels]
    return [Fraction(part, sum(parts)) for part in parts]


# Lists of labels.


def _with_lists(rng: Random, case: Case) -> Case:
    """Return the case with listed labels, or with those that occur if they suffice."""
    if rng.random() < 0.5:
        unlisted = _with_labels_that_occur(case)
        if unlisted is not None:
            return unlisted
    if not case.tasks_are_matrix and rng.random() < 0.5:
        return replace(case, class_labels=rng.sample(case.class_labels, len(case.class_labels)))
    return case


def _with_labels_that_occur(case: Case) -> Case | None:
    """Return the case with the labels of its rows; None if the package asks for lists of them."""
    rows, classes, groups = case.kept(), case.class_labels, case.group_labels
    reference = rows.reference or Reference(rows.y_true, rows.groups, None)
    if case.task_kind == "chances" and all(p in (None, 0, 1) for p in case.y_pred):
        return None
    if not case.tasks_are_matrix:
        predicted = {0, 1} if case.task_kind == "chances" else {*rows.y_pred} - {None}
        classes = _those_that_occur(classes, {*rows.y_true}, predicted, {*reference.y_true})
    if not case.groups_are_matrix:
        predicted = {*rows.groups_pred} - {None}
        groups = _those_that_occur(groups, {*rows.groups}, predicted, {*reference.groups})
    if classes is None or groups is None:
        return None
    return replace(case, class_labels=classes, group_labels=groups, lists_labels=False)


def _those_that_occur(
    labels: list[Any], true: set[Any], predicted: set[Any], of_reference: set[Any]
) -> list[Any] | None:
    """Return the labels that occur, in their order; None if the package refuses them."""
    are_like_scores = len(true) <= 2 < len(predicted - true)
    if are_like_scores or not (true & predicted and true & of_reference):
        return None
    return [label for label in labels if label in true | predicted | of_reference]


# Options.


def _with_options(rng: Random, case: Case) -> Case:
    """Return the case with options of its metric, and a way to give the package its rows."""
    changes: dict[str, Any] = {"route": rng.choice(_routes(case))}
    if case.is_attack:
        changes["options"] = _draw_attack(rng, case)
    elif case.name == "Multi" and case.tasks_are_matrix and case.base_rates is None:
        changes["options"] = {
            "combinations": rng.choice(["observed", "subsets"]),
            "min_size": rng.choice([1, 1, 2]),
            "max_size": rng.choice([None, 2, 3]),
            "min_support": rng.choice([1, 1, 2, 3]),
        }
    elif rng.random() < 0.3:
        changes["pos_label"] = rng.choice(case.class_labels)
    has_reference = case.reference is not None and case.lists_labels
    if case.name == "MALS" and has_reference and rng.random() < 0.3:
        changes["y_true"] = None
    is_undirected = case.direction == "undirected" and not case.is_attack
    needs_prediction = case.group_kind == "mixed" or not case.lists_labels
    if is_undirected and not needs_prediction and rng.random() < 0.4:
        changes["groups_pred"] = None
    return replace(case, **changes)


def _draw_attack(rng: Random, case: Case) -> dict[str, Any]:
    """Return the options of LA or DPA; U is not defined for flips in expectation."""
    qualities, targets = [*_QUALITIES, "f1_macro"], case.target_labels
    predicted = case.kept()
    has_missing = None in predicted.y_pred or None in predicted.groups_pred
    if all(isinstance(label, int) for label in targets) and not has_missing:
        qualities += ["inverse_mse", "inverse_rmse"]
    if len(targets) > 2:
        qualities.append("f1")
    quality = rng.choice(qualities)
    options = {"quality": quality, "equalize": rng.choice(["expected", "expected", None])}
    if quality == UNCERTAINTY:
        options["equalize"] = None
    if case.name == "DPA":
        options["change"] = rng.choice(["relative", "relative", "absolute"])
    return options


def _draw_flips(rng: Random, case: Case) -> dict[str, Any]:
    """Return how labels of an attack are flipped, and whether rows are left out one by one."""
    quality = case.options["quality"]
    options: dict[str, Any] = {"equalize": rng.choice(["sampled", "sampled", "expected", None])}
    if quality == UNCERTAINTY:  # Draws may decide whether U shows a dependence.
        options["equalize"] = None
    elif quality == "inverse_cross_entropy" and case.weights is None:
        options["evaluation"] = rng.choice(["resubstitution", "loo"])
    if options.get("evaluation") == "loo" and options["equalize"] == "expected":
        options["equalize"] = "sampled"
    return options


def _routes(case: Case) -> list[str]:
    routes = ["result", "counts"]
    is_split = case.weights is None or sum(x > 0 for x in case.weights) > 1
    if len(case) > 1 and is_split and case.missing != "drop" and case.group_kind != "mixed":
        routes.append("sum")
    if not case.has_matrix and case.group_kind == "labels":
        routes.append("frame")
        if case.weights is None:
            routes.append("count")
    return routes


def _has_value(case: Case) -> bool:
    """Return whether the package has a value for the case, be it undefined."""
    rows = case.kept()
    if len(rows.group_labels) < 2 or len(rows.class_labels) < 2:
        return False
    if case.name != "Multi" or case.base_rates is not None:
        return True
    reference = rows.reference or Reference(rows.y_true, rows.groups, None)
    if case.tasks_are_matrix:
        return bool(task_sets(matrix_data(rows), reference_data(rows), **case.options))
    return bool(set(rows.evaluated_classes) & set(rows.y_true) & set(reference.y_true))
