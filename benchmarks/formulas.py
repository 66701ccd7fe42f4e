"""The formulas of the papers, written as plain loops."""

from __future__ import annotations

from typing import Any

import numpy as np


def directional(truth: Any, predicted: Any, group: Any, guess: Any) -> tuple[float, float]:
    """BA-> of both directions, [W21] Eq. 2: every pair and direction by masks over the rows."""
    values = []
    for given_group in (True, False):
        contributions = []
        for a in (0, 1):
            for t in range(truth.shape[1]):
                of_group, of_task = group == a, truth[:, t] == 1
                y = np.mean(of_group & of_task) - np.mean(of_group) * np.mean(of_task)
                if given_group:
                    made = np.sum((predicted[:, t] == 1) & of_group) / np.sum(of_group)
                    true = np.sum(of_task & of_group) / np.sum(of_group)
                else:
                    made = np.sum((guess == a) & of_task) / np.sum(of_task)
                    true = np.sum(of_group & of_task) / np.sum(of_task)
                contributions.append(np.sign(round(y, 15)) * (made - true))
        values.append(float(np.mean(contributions)))
    return values[0], values[1]


def mals(truth: Any, predicted: Any, group: Any, guess: Any) -> float:
    """BiasAmp_MALS of 0/1 columns, [W21] Eq. 1, row by row."""
    groups = sorted(set(group.tolist()))
    total, used = 0.0, 0
    for t in range(truth.shape[1]):
        true, made = dict.fromkeys(groups, 0), dict.fromkeys(groups, 0)
        for i in range(len(truth)):
            if truth[i][t] == 1:
                true[group[i]] += 1
            if predicted[i][t] == 1:
                made[guess[i]] += 1
        positives, predicted_positives = sum(true.values()), sum(made.values())
        if not positives or not predicted_positives:
            continue
        used += 1
        for a in groups:
            if true[a] * len(groups) > positives:
                total += made[a] / predicted_positives - true[a] / positives
    return total / used


def multi(truth: Any, predicted: Any, group: Any, guess: Any) -> tuple[float, float]:
    """Multi of both directions over the label sets that rows show, [T25] Eq. 10-12, row by row."""
    shown = [frozenset(np.flatnonzero(row).tolist()) for row in truth]
    made = [frozenset(np.flatnonzero(row).tolist()) for row in predicted]
    moved: tuple[list[float], list[float]] = ([], [])
    for of in {each for each in shown if each}:
        for a in sorted(set(group.tolist())):
            rows = of_set = of_both = made_set = made_group = 0
            for i in range(len(shown)):
                in_group, in_set = group[i] == a, of <= shown[i]
                rows += in_group
                of_set += in_set
                of_both += in_group and in_set
                made_set += in_group and of <= made[i]
                made_group += in_set and guess[i] == a
            moved[0].append(abs(made_set - of_both) / rows)
            moved[1].append(abs(made_group - of_both) / of_set)
    return float(np.mean(moved[0])), float(np.mean(moved[1]))
