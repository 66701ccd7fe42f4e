"""What cases are composed of: labels, matrices, groups that overlap, references."""

from __future__ import annotations

from typing import Any

import numpy as np

from oracle.drawing import Array, Draws

Case = dict[str, Any]

RATE_METRICS: list[tuple[str, dict[str, str]]] = [
    ("MALS", {}),
    ("BA", {"direction": "A->T"}),
    ("BA", {"direction": "T->A"}),
    ("Multi", {"direction": "A->T"}),
    ("Multi", {"direction": "T->A"}),
    ("Multi", {"direction": "undirected"}),
]

#: Names of columns, in an order that is not that of the alphabet.
_COLUMN_NAMES = "dog,cat,car,person,tree,boat,cup,apple,zebra,kite,bed,oven"


def new_case(metric: str, settings: Case, arrays: Case, reference: Case | None = None) -> Case:
    """Return a case without arrays that are None."""
    given = {name: values for name, values in arrays.items() if values is not None}
    return {"metric": metric, "settings": settings, "arrays": given, "reference": reference}


def rate_metric(draws: Draws) -> tuple[str, Case]:
    """Return MALS, BA or Multi with its direction."""
    metric, settings = draws.choose(RATE_METRICS)
    return metric, dict(settings)


def reads_predicted_groups(draws: Draws, settings: Case) -> bool:
    """Return whether predicted groups are given: for T->A always, else sometimes."""
    if settings.get("direction") == "T->A":
        return True
    return draws.chance(0.15 if settings.get("direction") == "A->T" else 0.5)


class Labels:
    """Rows of labels: codes of truth and predictions, and the labels that they stand for."""

    def __init__(self, draws: Draws, n_rows: int, n_classes: int = 0, n_groups: int = 0) -> None:
        self.n_rows = n_rows
        self.classes = draws.label_list(n_classes or draws.n_labels(n_rows))
        self.groups = draws.label_list(n_groups or draws.n_labels(n_rows))
        self.group = draws.groups(n_rows, len(self.groups))
        self.truth = draws.classes(self.group, len(self.classes))
        self.prediction = draws.guesses(self.truth, self.group, len(self.classes))
        self.predicted_group = draws.guesses(self.group, self.truth, len(self.groups))

    def arrays(self, *, predicted_groups: bool) -> Case:
        """Return the arguments of a call."""
        classes, groups = np.array(self.classes), np.array(self.groups)
        return {
            "y_true": classes[self.truth],
            "y_pred": classes[self.prediction],
            "sensitive_features": groups[self.group],
            "sensitive_features_pred": groups[self.predicted_group] if predicted_groups else None,
        }

    def crossed(self, arrays: Case) -> Case:
        """Return the arguments with groups as two columns, that are crossed."""
        for name, codes in (
            ("sensitive_features", self.group),
            ("sensitive_features_pred", self.predicted_group),
        ):
            if arrays[name] is not None:
                columns = {"race": np.array(["p", "q", "r"])[codes % 3], "age": codes // 3}
                arrays[name] = {"frame": columns}
        return arrays


def balanced(draws: Draws) -> Labels:
    """Return labels in which every group has every class equally often, or nearly so."""
    n_groups, n_classes, times = draws.whole(2, 5), draws.whole(2, 5), draws.whole(1, 40)
    data = Labels(draws, n_groups * n_classes * times, n_classes, n_groups)
    data.group = np.arange(data.n_rows) // times % n_groups
    data.truth = np.arange(data.n_rows) // times // n_groups
    if draws.chance(0.3):
        data.truth[: draws.whole(1, 3)] = 0
    data.prediction = draws.guesses(data.truth, data.group, n_classes)
    data.predicted_group = draws.guesses(data.group, data.truth, n_groups)
    return data


def with_rows(draws: Draws, arrays: Case, n_rows: int, weights: float = 0.3) -> Case:
    """Return arguments, in some cases with weights and clusters."""
    weight, clusters = draws.weights(n_rows, weights), draws.clusters(n_rows)
    return {**arrays, "sample_weight": weight, "clusters": clusters}


def give_lists(draws: Draws, data: Labels, settings: Case, share: float) -> None:
    """Add lists of classes and groups, in some cases with labels that do not occur."""
    for name, labels in (("class_labels", data.classes), ("group_labels", data.groups)):
        if not draws.chance(share):
            continue
        further = [max(labels) + 1] if isinstance(labels[0], int | float) else ["never"]
        if isinstance(labels[0], bool) or draws.chance(0.5):
            further = []
        settings[name] = draws.shuffled([*labels, *further])


def as_matrix(draws: Draws, matrix: Array, kind: str, names: list[str]) -> Any:
    """Return a matrix of 0 and 1 in one of its forms."""
    if kind == "frame":
        order = draws.shuffled(range(len(names)))
        return {"frame": {names[i]: matrix[:, i] for i in order}}
    if kind == "sparse":
        return {"sparse": matrix}
    return matrix.astype({"bytes": np.uint8, "booleans": bool, "floats": float}.get(kind, int))


def matrix_arrays(draws: Draws, n_rows: int, *, predicted_groups: bool) -> Case:
    """Return the arguments of a call with label matrices, and groups as labels."""
    data = Labels(draws, n_rows, 2)
    truth = draws.columns(data.group, draws.whole(2, 12))
    kind = draws.choose(["bytes", "booleans", "floats", "whole", "sparse", "sparse", "frame"])
    names = _COLUMN_NAMES.split(",")[: truth.shape[1]]
    arrays = data.arrays(predicted_groups=predicted_groups)
    arrays["y_true"] = as_matrix(draws, truth, kind, names)
    predicted = draws.guessed_columns(truth, data.group)
    arrays["y_pred"] = as_matrix(draws, predicted, kind, names)
    return arrays


def overlapping(draws: Draws, given: Array, names: bool) -> Case:
    """Return groups that overlap, whose rates depend on what is given."""
    n_groups = draws.whole(2, 6)
    matrix = draws.columns(given, n_groups)
    matrix[:2, :2] = np.eye(2)
    return {
        "overlapping": matrix,
        "names": [f"group {i}" for i in range(n_groups)] if names else None,
    }


def guessed_overlap(draws: Draws, groups: Case, given: Array, *, soft: bool) -> Case:
    """Return predictions of groups that overlap: 0 and 1, or probabilities."""
    guessed = draws.guessed_columns(groups["overlapping"], given).astype(float)
    if soft:
        guessed = np.round(0.8 * guessed + 0.2 * draws.uniform(*guessed.shape), 3)
    return {"overlapping": guessed, "names": groups["names"]}


def keys(values: Any) -> list[str]:
    return list(values) if isinstance(values, dict) else []


def dense(values: Any) -> Array:
    """Return a label matrix in any form as an array; columns of frames are sorted by name."""
    if "frame" in keys(values):
        return np.column_stack([values["frame"][name] for name in sorted(values["frame"])])
    return values["sparse"] if "sparse" in keys(values) else values


def probabilities(draws: Draws, guesses: Array) -> Array:
    """Return probabilities around guesses of 0 and 1, some of them 0 or 1."""
    numbers = np.clip(0.15 + 0.7 * guesses + draws.uniform(*guesses.shape) - 0.5, 0, 1)
    return np.round(numbers, draws.choose([1, 3, 15]))


def reference_like(draws: Draws, arrays: Case) -> Case:
    """Return a reference of some of the rows of label matrices, several times and changed."""
    groups, truth = arrays["sensitive_features"], dense(arrays["y_true"]).astype(int)
    drawn = (draws.uniform(20 + draws.n_rows()) * len(truth)).astype(int)
    drawn[: min(len(truth), len(drawn))] = np.arange(min(len(truth), len(drawn)))
    changed = np.where(draws.uniform(len(drawn), truth.shape[1]) < 0.1, 0, truth[drawn])
    if "frame" in keys(arrays["y_true"]):
        names = sorted(arrays["y_true"]["frame"])
        y_true: Any = {"frame": {name: changed[:, i] for i, name in enumerate(names)}}
    else:
        y_true = changed
    if isinstance(groups, dict):
        of_rows: Any = {**groups, "overlapping": groups["overlapping"][drawn]}
    else:
        of_rows = groups[drawn]
    return {"y_true": y_true, "sensitive_features": of_rows}


def exact_shares(shares: Array) -> Array:
    """Return shares in steps of 1/1024, which sum to 1 and are the same on every machine."""
    steps = np.floor(1024 * shares)
    steps[:, -1] = 1024 - steps[:, :-1].sum(axis=1)
    return steps / 1024


def nested(given: list[Any], of: list[Any], values: Array) -> dict[Any, dict[Any, Any]]:
    rows = values.tolist()
    return {x: dict(zip(of, row, strict=True)) for x, row in zip(given, rows, strict=True)}
