"""Make the counts that `biasamp_adapters/datasets` keeps of COMPAS and of diabetes.

`python benchmarks/make_datasets.py FOLDER [--data-home HOME]` writes both files into a folder, for
example `biasamp_adapters/datasets`. The table of COMPAS is read from HOME, or downloaded into it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from biasamp_adapters.datasets import fetch_compas

#: What the ranges between these edges are called; the upper edge belongs to the range.
_PRIORS = {"0": 0, "1 to 3": 3, "more than 3": 1000}
_AGES = {"under 40": 39, "40 to 59": 59, "60 and over": 120}


def count_compas(people: pd.DataFrame) -> pd.DataFrame:
    """Return the number of people with each combination of columns, by decile score."""
    close = people["days_b_screening_arrest"].abs() <= 30
    columns = [
        people[["race", "sex", "age_cat"]],
        ranges(people["priors_count"], _PRIORS).rename("priors_cat"),
        people["c_charge_degree"],
        close.astype(int).rename("within_30_days"),
        people[["is_recid", "two_year_recid"]],
    ]
    return count(pd.concat(columns, axis=1), people["decile_score"])


def count_diabetes() -> pd.DataFrame:
    """Return the number of patients with each combination of columns, by predicted probability."""
    patients = load_diabetes(scaled=False, as_frame=True).frame
    progression, sex = patients.pop("target"), patients.pop("sex").astype(int)
    high = (progression > progression.median()).astype(int)
    # The strict tolerance makes the values those of the optimum, whatever the version.
    model = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10, max_iter=1000))
    folds = StratifiedKFold(10)
    probability = cross_val_predict(model, patients, high, cv=folds, method="predict_proba")[:, 1]
    columns = {
        "sex": "sex " + sex.astype(str),
        "age_group": ranges(patients["age"], _AGES),
        "high_progression": high,
        "sex_pred": [f"sex {code}" for code in cross_val_predict(model, patients, sex, cv=folds)],
    }
    tenth = pd.cut(pd.Series(probability), [i / 10 for i in range(11)], labels=range(1, 11))
    return count(pd.DataFrame(columns), tenth)


def ranges(values: pd.Series, highest: dict[str, int]) -> pd.Series:
    """Return the name of the range in which each value lies, in the order of the ranges."""
    return pd.cut(values, [-1, *highest.values()], labels=[*highest])


def count(columns: pd.DataFrame, score: pd.Series) -> pd.DataFrame:
    """Return one row for each combination that occurs, and one column for each score."""
    by = [*columns]
    table = columns.assign(score=score.astype(int))
    counts = table.groupby([*by, "score"], observed=True).size().unstack(fill_value=0)
    return counts.reindex(columns=range(1, 11), fill_value=0).add_prefix("score_").reset_index()


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the files are written")
    parser.add_argument("--data-home", help="folder of compas-scores-two-years.csv")
    options = parser.parse_args()
    tables = {
        "compas_counts.csv": count_compas(fetch_compas(data_home=options.data_home)),
        "diabetes_counts.csv": count_diabetes(),
    }
    for name, table in tables.items():
        table.to_csv(options.folder / name, index=False, lineterminator="\n")
        print(f"{name}: {table.filter(like='score_').to_numpy().sum():,} records")


if __name__ == "__main__":
    main()
