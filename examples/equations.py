"""[W20] A.2, Eq. 7 to 23: MALS and BA of a scene, by hand in fractions and by the package.

Women (a0) paint (t0) more often than men (a1): 40 people of either kind, and 20 of the other two.
The paper names no predictions. These call 10 of the 20 women who do not paint painters, miss 5 of
the 20 men who do, and err about the gender of 17 people.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
from _study import Tables, number, run

import biasamp_adapters as bam

#: Gender, task, predicted task, predicted gender; how many.
KINDS = [
    (0, 0, 0, 0, 38), (0, 0, 0, 1, 2), (0, 1, 0, 0, 8), (0, 1, 0, 1, 2), (0, 1, 1, 0, 5),
    (0, 1, 1, 1, 5), (1, 0, 0, 0, 5), (1, 0, 0, 1, 10), (1, 0, 1, 0, 2), (1, 0, 1, 1, 3),
    (1, 1, 1, 0, 1), (1, 1, 1, 1, 39),
]  # fmt: skip
A, T, T_HAT, A_HAT = np.repeat(np.array(KINDS)[:, :4], [kind[4] for kind in KINDS], axis=0).T
PEOPLE = {"sensitive_features": A, "sensitive_features_pred": A_HAT}


def p(this: np.ndarray, value: int, given: np.ndarray, value_given: int) -> Fraction:
    """Return P(this = value | given = value_given)."""
    kept = given == value_given
    return Fraction(int((this[kept] == value).sum()), int(kept.sum()))


def terms() -> list[tuple[str, tuple[int, int], str, Fraction]]:
    """Return each equation: its number, its pair of gender and task, its metric and its value."""
    found = []
    for n, (a, t) in zip((9, 10, 11, 12), [(0, 0), (1, 0), (0, 1), (1, 1)], strict=True):
        change = p(A_HAT, a, T_HAT, t) - p(A, a, T, t)
        found.append((str(n), (a, t), "MALS", (a == t) * change))
    for n, (a, t) in zip((15, 16, 17, 18), [(0, 0), (1, 0), (0, 1), (1, 1)], strict=True):
        change = p(T_HAT, t, A, a) - p(T, t, A, a)
        found.append((str(n), (a, t), "BA A→T", change if a == t else -change))
    for n, (a, t) in zip((20, 21, 22, 23), [(0, 0), (0, 1), (1, 0), (1, 1)], strict=True):
        change = p(A_HAT, a, T, t) - p(A, a, T, t)
        found.append((str(n), (a, t), "BA T→A", change if a == t else -change))
    return found


def find() -> Tables:
    """Return each term of the equations next to that of the package, and the three values."""
    # MALS is the mean of both tasks, so each is a column of a matrix.
    matrices = [np.column_stack([1 - task, task]) for task in (T, T_HAT)]
    results = {
        "MALS": bam.MALSBiasAmplification(class_labels=[0, 1]).result(*matrices, **PEOPLE),
        "BA A→T": bam.DirectionalBiasAmplification().result(T, T_HAT, **PEOPLE),
        "BA T→A": bam.DirectionalBiasAmplification(direction="T->A").result(T, T_HAT, **PEOPLE),
    }
    rows, sums = [], dict.fromkeys(results, Fraction(0))
    for equation, (a, t), name, value in terms():
        pairs = results[name].by_pair.set_index(["group", "class"])
        rows.append((name, equation, str(value), number(pairs.loc[(a, t), "contribution"])))
        sums[name] += value
    for name, result in results.items():
        # MALS divides by the tasks, BA by the pairs.
        value = sums[name] / (2 if name == "MALS" else 4)
        equations = {"MALS": "8, 13, 14", "BA A→T": "4, 15 to 18", "BA T→A": "4, 20 to 23"}[name]
        rows.append((name, equations, str(value), number(result.value)))
    return {"terms": pd.DataFrame(rows, columns=["metric", "equation", "by hand", "ours"])}


if __name__ == "__main__":
    run(find)
