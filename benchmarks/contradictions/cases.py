"""Random data of every kind, as arguments of `audit`: gaps are kept, change, vanish or reverse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import biasamp_adapters as bam

NAMES = ["A", "B ", "<b>x</b>", "Male and Female", "o'k", "{a}", "Ünï", "x" * 60, "|", "1"]
NAMES += ["a, b", "C. In D", "12 points", "\x1b[31mred\u202e"]
ROWS, GROUPS = (12, 30, 60, *[200, 500, 1000, 3000] * 2), (1, *[2, 2, 2, 3, 4, 6, 12] * 2)
FACTORS = (-1.5, 0.0, 0.5, 1.0, 1.7, 2.5, 2.5)


def random_case(seed: int) -> dict[str, Any]:
    """Return labels, a matrix or probabilities of up to 12 groups, and sometimes all else."""
    rng = np.random.default_rng(seed)
    n, n_groups = int(rng.choice(ROWS)), int(rng.choice(GROUPS))
    place = rng.choice(n_groups, n, p=rng.dirichlet(np.full(n_groups, 5.0)))
    names = rng.permutation(np.array(NAMES, dtype=object))[:n_groups]
    if rng.random() < 0.15:
        names = np.arange(n_groups)
    kind = rng.choice(["labels", "labels", "matrix", "soft", "given"])
    n_columns = int(rng.integers(2, 7)) if kind == "matrix" else 1
    n_classes = int(rng.choice([2, 2, 2, 3, 5])) if kind in ("labels", "given") else 2
    draw = _population(rng, place, n_groups, n_columns, n_classes)
    truth, predicted = draw(rng.choice([0.1, 1.0, 1.0]), 1.0), draw(rng.choice(FACTORS), 0.7)
    given: dict[str, Any] = {"y_true": truth, "y_pred": predicted, "sensitive_features": place}
    if kind == "soft":
        given["y_pred"] = np.clip(0.6 * predicted + 0.4 * rng.random(n), 0, 1)
    if kind in ("labels", "matrix") and rng.random() < 0.3:
        others = {"old": predicted, "new, or not": draw(1.3, 0.9), "third": draw(0.0, 0.5)}
        given["y_pred"] = dict(list(others.items())[: int(rng.integers(2, 4))])
    elif kind in ("labels", "matrix") and rng.random() < 0.3:
        missing = rng.random(n) < rng.choice([0.02, 0.3]) * rng.choice([0.2, 1.0], n_groups)[place]
        given["y_pred"] = np.where(missing, None, predicted.T.astype(object)).T
        given["missing"] = str(rng.choice(["abstain", "drop"]))
    elif rng.random() < 0.1 and kind == "labels":
        given["y_pred"] = truth if rng.random() < 0.5 else np.zeros_like(truth)
    given |= _columns(rng, given, names, place, kind, n_classes)
    return given | {"n_boot": int(rng.choice([0, 60, *[200] * 8]))}


def _population(
    rng: np.random.Generator, place: Any, n_groups: int, n_columns: int, n_classes: int
) -> Any:
    """Return a function of the factor of gaps, and of the share that follows the labels."""
    base = rng.dirichlet(np.full(n_classes, 3.0), n_columns)
    spread = rng.choice([0.0, 0.3, 1.0])
    tilt = rng.normal(0, spread, (n_groups, n_columns, n_classes))
    uniform = rng.random((len(place), n_columns))

    def draw(factor: float, common: float) -> Any:
        logits = np.log(base) + factor * tilt
        rates = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
        own = np.where(rng.random(uniform.shape) < common, uniform, rng.random(uniform.shape))
        labels = (own[..., None] > rates.cumsum(axis=2)[place]).sum(axis=2)
        labels = labels.clip(0, n_classes - 1)
        return labels if n_columns > 1 else labels[:, 0]

    return draw


def _columns(
    rng: np.random.Generator, given: dict[str, Any], names: Any, place: Any, kind: str, classes: int
) -> dict[str, Any]:
    """Return the groups, and sometimes names of columns, weights, clusters and all else."""
    n, chance, n_groups = len(place), rng.random(8) < 0.25, len(names)
    feature, label, _ = rng.permutation(["race", "sex <b>", "a, b"]).tolist()
    more: dict[str, Any] = {"sensitive_features": names[place]}
    if chance[0]:
        more["sensitive_features"] = pd.Series(names[place], name=feature)
    if chance[1] and given["y_true"].ndim == 1:
        more["y_true"] = pd.Series(given["y_true"], name=label)
    if chance[2]:
        more["sample_weight"] = rng.random(n) + 0.1
    if chance[3]:
        more["clusters"] = rng.integers(0, max(n // 3, 2), n)
    if chance[4] and kind == "labels":
        more["favorable_label"] = int(given["y_true"].max())
    if chance[5] and kind == "labels" and given["y_true"].max() > given["y_true"].min():
        other = np.arange(n) % max(n // 2, 1)
        more["reference"] = (given["y_true"][other], names[place[other]])
    if chance[7]:
        more["control_features"] = np.array(["x", "y, z", "<i>"])[rng.integers(0, 3, n)]
    if kind == "given":
        every = np.unique(given["y_pred"]).tolist()
        rates = {
            group: rng.dirichlet(np.ones(len(every))).tolist() for group in names[np.unique(place)]
        }
        rates = {group: dict(zip(every, x, strict=True)) for group, x in rates.items()}
        more |= {"y_true": None, "reference": bam.BaseRates(rates)}
    if kind in ("labels", "matrix", "soft") and rng.random() < 0.4:
        truth = given["y_true"].reshape(n, -1)[:, 0]
        tilt = rng.normal(0, 0.7, n_groups)[place]
        score = np.round(truth + tilt + rng.normal(size=n), int(rng.integers(0, 4)))
        more["y_score"] = {"old": score} if isinstance(given["y_pred"], dict) else score
        is_one_model = not isinstance(given["y_pred"], dict) and "missing" not in given
        if kind == "labels" and classes == 2 and is_one_model and rng.random() < 0.8:
            more |= {"y_pred": None, "threshold": float(np.quantile(score, rng.random()))}
    if kind != "given" and chance[6]:
        keep = rng.choice([0.3, 0.9])
        models = given["y_pred"] if isinstance(given["y_pred"], dict) else {"": None}
        guesses = {
            model: names[np.where(rng.random(n) < keep, place, rng.integers(0, n_groups, n))]
            for model in models
        }
        if "missing" in given:
            missing = rng.random(n) < np.where(place % 2, 0.3, 0.02)
            guesses = {model: np.where(missing, None, x) for model, x in guesses.items()}
        more["sensitive_features_pred"] = guesses.get("", guesses)
    return more
