"""Numbers of published data on COMPAS; those of the papers are in test_example_studies.

[T25] is Tokas, Nair and Kerner, "DPA", 2025.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compas_trees import COMPAS_TREES
from sklearn.tree import DecisionTreeClassifier

import biasamp_adapters as bam


@pytest.fixture(scope="module")
def compas(data_folder: Path) -> pd.DataFrame:
    """People of two races, all 6,150 of them; ``within_30_days`` are the papers' 5,278."""
    people = pd.read_csv(data_folder / "compas-scores-two-years.csv.gz", keep_default_na=False)
    people = people[people["race"].isin(["African-American", "Caucasian"])]
    days = pd.to_numeric(people["days_b_screening_arrest"])
    kept = days.between(-30, 30) & (people["is_recid"] != -1)
    kept &= (people["c_charge_degree"] != "O") & (people["score_text"] != "N/A")
    return people.assign(within_30_days=kept)


@pytest.fixture(scope="module")
def selected(compas: pd.DataFrame) -> pd.DataFrame:
    """The 5,278 people whose score and arrest are at most 30 days apart."""
    return compas[compas["within_30_days"]].reset_index(drop=True)


def test_load_compas_counts_of_two_races_are_those_of_t25_table_6() -> None:
    people = bam.datasets.load_compas().query("within_30_days == 1")
    counts = people.groupby(["is_recid", "race"]).size().unstack()
    assert counts["Caucasian"].tolist() == [1229, 874]
    assert counts["African-American"].tolist() == [1402, 1773]


def test_directional_compas_score_of_5_follows_published_truth_tables(compas: pd.DataFrame) -> None:
    # Larson et al. 2016 ("How We Analyzed the COMPAS Recidivism Algorithm"), truth tables: of
    # African-American people without and with a new arrest, 990 and 805, 532 and 1369 have a lower
    # and a higher score; of Caucasian ones 1139 and 349, 461 and 505.
    columns = {
        "y_true": compas["two_year_recid"],
        "y_pred": (compas["decile_score"] >= 5).astype(int),
        "sensitive_features": compas["race"],
    }
    truth, predicted, race = columns.values()
    counts = pd.crosstab(race, [truth, predicted])
    assert counts.loc["African-American"].tolist() == [990, 805, 532, 1369]
    assert counts.loc["Caucasian"].tolist() == [1139, 349, 461, 505]
    # New arrests: 1901 of 3696 and 966 of 2454. Predicted: 2174 and 854. The gap grows both ways.
    expected = ((2174 - 1901) / 3696 + (966 - 854) / 2454) / 2
    value = bam.DirectionalBiasAmplification()(**columns)
    assert value == pytest.approx(expected, abs=1e-12)


def test_compas_trees_have_the_counts_of_the_worked_values(selected: pd.DataFrame) -> None:
    # Two trees on the five features of [T25] Appendix E.
    features = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
    task, race = selected["is_recid"], (selected["race"] == "African-American").astype(int)
    columns = [task, race]
    for truth in (task, race):
        tree = DecisionTreeClassifier(random_state=0).fit(selected[features], truth)
        columns.append(tree.predict(selected[features]))
    counts = np.zeros((2, 2, 2, 2), dtype=int)
    np.add.at(counts, tuple(map(np.asarray, columns)), 1)
    assert counts.tolist() == COMPAS_TREES
