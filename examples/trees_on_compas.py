"""[T25] Appendix E, trained again: decision trees on COMPAS, unbalanced and balanced.

Trees on the five features of the paper predict recidivism and race, and are evaluated on the rows
that they learned from. The settings of the paper's trees, and its balanced draw, are not published.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from _study import Tables, number, over_runs, run, verdict
from compas_thresholds import read
from sklearn.tree import DecisionTreeClassifier

import biasamp_adapters as bam

FEATURES = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
HARD = {"quality": "hard_inverse_cross_entropy"}
METRICS: dict[str, tuple[Any, dict[str, Any]]] = {
    "BA": (bam.DirectionalBiasAmplification, {}),
    "Multi": (bam.MultiAttributeBiasAmplification, {}),
    "DPA": (bam.DirectionalPredictabilityAmplification, {}),
    "DPA, hard guesses": (bam.DirectionalPredictabilityAmplification, HARD),
}


def values(people: pd.DataFrame, race: pd.Series) -> dict[tuple[str, str], float]:
    """Return the metrics of two trees that are fitted to these people, in both directions."""
    labels = {"is_recid": people["is_recid"], "race": race}
    predicted = {
        name: DecisionTreeClassifier(random_state=0)
        .fit(people[FEATURES], label)
        .predict(people[FEATURES])
        for name, label in labels.items()
    }
    return {
        (direction, name): kind(direction=direction, **options)(
            labels["is_recid"],
            predicted["is_recid"],
            sensitive_features=race,
            sensitive_features_pred=predicted["race"],
        )
        for direction in ("T->A", "A->T")
        for name, (kind, options) in METRICS.items()
    }


def find(data_home: Path) -> Tables:
    """Return the counts of Table 6, our trees next to Table 7, and DPA with race as text."""
    people = read(data_home)
    # 0 is Caucasian and 1 African-American, as in the paper.
    race = (people["race"] == "African-American").astype(int)
    counted = people.groupby(["is_recid", race]).size()
    printed = bam.studies.load_published("t25_table_6").query(
        "task_label == 'true' and attribute_label == 'true'"
    )
    counts = []
    for split, task, group, count in printed[["split", "task", "attribute", "count"]].to_numpy():
        ours = counted[task, group] if split == "unbalanced" else counted.min()
        counts.append((split, f"T = {task}, A = {group}", count, ours, verdict(count, 0, ours)))
    draws = []
    for seed in range(5):
        options: Any = {"equal_classes": True, "random_state": seed}
        rows = bam.studies.balanced_subset(people["is_recid"], race, **options)
        draws.append(values(people.iloc[rows], race.iloc[rows]))
    table_7 = bam.studies.load_published("t25_table_7").set_index(["split", "direction", "metric"])
    whole, by_name = values(people, race), values(people, people["race"])
    trees = []
    for (direction, name), value in whole.items():
        key, arrow = (direction, name.partition(",")[0]), direction.replace("->", "→")
        paper = [
            number(table_7.loc[(split, *key), "value"], 3) for split in ("unbalanced", "balanced")
        ]
        of_draws = over_runs([draw[direction, name] for draw in draws])
        as_text = number(by_name[direction, name])
        trees.append((arrow, name, paper[0], number(value), as_text, paper[1], of_draws))
    columns = ["direction", "metric", "Table 7", "our trees", "race as text"]
    columns += ["Table 7, balanced", "our trees, balanced"]
    return {
        "counts": pd.DataFrame(counts, columns=["set", "pair", "paper", "ours", "verdict"]),
        "metrics": pd.DataFrame(trees, columns=columns),
    }


if __name__ == "__main__":
    run(find)
