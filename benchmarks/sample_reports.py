"""Write twenty sample reports as text, each with all that it says, to read them as one who quotes.

    python benchmarks/sample_reports.py docs/sample_reports

Data and draws are fixed, so a report changes only if what it says changes. The first line of a file
is the call that made it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import biasamp_adapters as bam

COMPAS = {"y_true": "two_year_recid", "y_pred": "high", "sensitive_features": "race"}
HOSTILE = [
    "<script>alert(1)</script>",
    "a, b and c",
    "| pipe |",
    "{{ 7 * 7 }}",
    "\x1b[31mred\u202e",
]


def compas(*races: str) -> pd.DataFrame:
    """Return the rows of some races, or of all, with decisions at 5 or more."""
    table = bam.datasets.load_compas()
    table = table[table["race"].isin(races)] if races else table
    return table.assign(high=(table["decile_score"] >= 5).astype(int)).reset_index(drop=True)


def objects(rows: int, seed: int) -> pd.DataFrame:
    """Return images with objects that differ by gender, and a model that makes that stronger."""
    rng = np.random.default_rng(seed)
    gender = rng.choice(["man", "woman"], rows, p=[0.6, 0.4])
    is_man = gender == "man"
    table = {"gender": gender, "gender_pred": np.where(rng.random(rows) < 0.85, gender, "man")}
    tasks = {"horse": 1.2, "umbrella": -0.8, "car": 0.6, "dog": 0.0, "handbag": -1.5, "tie": 1.0}
    for task, tilt in tasks.items():
        label = rng.random(rows) < 0.15 * np.exp(np.where(is_man, tilt, -tilt) / 2)
        hit = rng.random(rows) < np.where(label, 0.75, 0.04 * np.exp(np.where(is_man, tilt, -tilt)))
        table |= {f"true_{task}": label.astype(int), f"pred_{task}": hit.astype(int)}
    kinds = np.array(["horse", "umbrella", "car"])
    kind = np.where(is_man, rng.choice(kinds, rows, p=[0.5, 0.2, 0.3]), rng.choice(kinds, rows))
    guess = np.where(is_man, rng.choice(kinds, rows, p=[0.8, 0.05, 0.15]), rng.choice(kinds, rows))
    table |= {"object": kind, "object_pred": np.where(rng.random(rows) < 0.7, kind, guess)}
    return pd.DataFrame(table)


def regions(rows: int, seed: int) -> pd.DataFrame:
    """Return twelve regions, of which some are small; half of the gaps grow, half shrink."""
    rng = np.random.default_rng(seed)
    region = rng.choice(12, rows, p=np.array([30, 20, 10, 10, 5, 5, 5, 5, 4, 3, 2, 1]) / 100)
    true, predicted = np.linspace(0.2, 0.7, 12), np.linspace(0.1, 0.75, 12)
    predicted[::3] = 0.45
    uniform, other = rng.random((2, rows))
    own = np.where(rng.random(rows) < 0.6, uniform, other)
    labels = {"hired": uniform < true[region], "pred": own < predicted[region]}
    named = np.array([f"Region {i + 1}" for i in range(12)])[region]
    return pd.DataFrame({"region": named, **{k: x.astype(int) for k, x in labels.items()}})


def compas_reports() -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield names, data and arguments of the reports on COMPAS."""
    two, every = compas("African-American", "Caucasian"), compas()
    rng = np.random.default_rng(0)
    yield "compas_two_groups", two, COMPAS
    scores = {key: x for key, x in COMPAS.items() if key != "y_pred"}
    yield "compas_scores", two, scores | {"y_score": "decile_score", "threshold": 5}
    yield "compas_six_groups", every, COMPAS
    crossed = COMPAS | {"sensitive_features": ["race", "sex"]}
    yield "compas_race_by_sex", two, crossed
    models = two.assign(
        score_at_8=(two["decile_score"] >= 8).astype(int), coin=rng.integers(0, 2, len(two))
    )
    named = {"score at 5": "high", "score at 8": "score_at_8", "coin": "coin"}
    yield "compas_three_models", models, COMPAS | {"y_pred": named}
    yield "compas_reference", two[3075:], COMPAS | {"reference": two[:3075]}
    weighted = two.assign(w=1.0 + (two["sex"] == "Female"), person=np.arange(len(two)) // 2)
    weights = {"sample_weight": "w", "clusters": "person"}
    yield "compas_weights_and_clusters", weighted, COMPAS | weights
    strata = {"control_features": "sex", "favorable_label": 0}
    yield "compas_strata_and_favourable_label", two, COMPAS | strata
    yield "compas_no_intervals", two, COMPAS | {"n_boot": 0}
    yield "compas_thirty_rows", every[:30], COMPAS
    unsure = rng.random(len(two)) < np.where(two["race"] == "Caucasian", 0.05, 0.15)
    missing = two.assign(high=two["high"].astype("Int64").mask(unsure))
    yield "compas_missing_predictions", missing, COMPAS | {"missing": "abstain"}
    probable = two.assign(p=two["decile_score"] / 10)
    yield "compas_probabilities", probable, COMPAS | {"y_pred": "p"}
    yield "compas_one_prediction", two.assign(high=0), COMPAS
    yield "compas_no_errors", two.assign(high=two["two_year_recid"]), COMPAS


def other_reports() -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield names, data and arguments of the other reports."""
    images = objects(3000, 1)
    tasks = {"y_true": "true_*", "y_pred": "pred_*", "sensitive_features": "gender"}
    yield "matrix", images, tasks
    both = tasks | {"sensitive_features_pred": "gender_pred"}
    yield "matrix_predicted_gender", images, both
    classes = both | {"y_true": "object", "y_pred": "object_pred"}
    yield "three_classes_predicted_gender", images, classes
    said = pd.DataFrame(
        {
            "gender": ["woman"] * 50 + ["man"] * 50,
            "job": ["nurse"] * 40 + ["engineer"] * 10 + ["nurse"] * 5 + ["engineer"] * 45,
        }
    )
    rates = {"woman": {"nurse": 0.6, "engineer": 0.4}, "man": {"nurse": 0.2, "engineer": 0.8}}
    given = {"y_pred": "job", "sensitive_features": "gender", "pos_label": "nurse"}
    yield "given_rates", said, given | {"reference": bam.BaseRates(rates)}
    table = regions(4000, 2)
    hired = {"y_true": "hired", "y_pred": "pred", "sensitive_features": "region"}
    yield "twelve_groups", table, hired
    names = dict(zip(sorted(table["region"].unique())[:5], HOSTILE, strict=True))
    few = table[table["region"].isin(names)]
    renamed = few.assign(region=few["region"].map(names)).rename(columns={"hired": "<b>hired</b>"})
    yield "hostile_names", renamed, hired | {"y_true": "<b>hired</b>"}


def shown(argument: Any) -> str:
    """Return an argument as the first line of a file shows it."""
    return "..." if isinstance(argument, pd.DataFrame) else repr(argument)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", bam.AmplificationWarning)
    for name, data, arguments in [*compas_reports(), *other_reports()]:
        text = bam.audit(data, **arguments).to_text(full=True)
        call = ", ".join(f"{key}={shown(x)}" for key, x in arguments.items())
        (folder / f"{name}.txt").write_text(f"audit(data, {call})\n\n{text}", encoding="utf-8")
        print(name, flush=True)


if __name__ == "__main__":
    main()
