"""[W21] Fig. 6: BA A→T and the difference of false positive rates over thresholds of COMPAS.

The figure prints no numbers. Its text says that BA is close to 0 for almost all thresholds, and
that the false positive rates differ much for all realistic ones.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from _study import Tables, number, run, with_interval

import biasamp_adapters as bam

THRESHOLDS = range(10, 0, -1)


def read(data_home: Path) -> pd.DataFrame:
    """Return the 5,278 people of two races whose score and arrest are at most 30 days apart."""
    people = pd.read_csv(data_home / "compas-scores-two-years.csv.gz", keep_default_na=False)
    people = people[people["race"].isin(["African-American", "Caucasian"])]
    days = pd.to_numeric(people["days_b_screening_arrest"])
    kept = days.between(-30, 30) & (people["is_recid"] != -1)
    kept &= (people["c_charge_degree"] != "O") & (people["score_text"] != "N/A")
    return people[kept].reset_index(drop=True)


def find(data_home: Path) -> Tables:
    """Return both measures at each threshold, and the share that is predicted positive."""
    people, rows = read(data_home), []
    is_negative = people["two_year_recid"] == 0
    for threshold in THRESHOLDS:
        predicted = (people["decile_score"] >= threshold).astype(int)
        result = bam.DirectionalBiasAmplification().result(
            people["two_year_recid"], predicted, sensitive_features=people["race"]
        )
        rates = predicted[is_negative].groupby(people["race"]).mean()
        difference = rates["African-American"] - rates["Caucasian"]
        value = with_interval(result.value, result.interval)
        rows.append((threshold, number(predicted.mean()), value, number(difference)))
    columns = ["score at least", "predicted positive", "BA A→T (interval)", "FPR difference"]
    return {"sweep": pd.DataFrame(rows, columns=columns)}


if __name__ == "__main__":
    run(find)
