"""Write the table of counts of COMPAS that the package ships.

Reads ProPublica's table of people, checks its content by the SHA-256 that ``datasets/compas.py``
states, takes age and prior offences in three groups each, and counts. No name, date or case number
is read. The table of people is downloaded into scikit-learn's data folder unless it is there, or
read from the folder given with ``--data-home``.

    python examples/compas_counts.py --out biasamp_adapters/datasets/compas_counts.csv
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pandas as pd
from sklearn.datasets import get_data_home

from biasamp_adapters.datasets.compas import SHA256, published_rows

#: Groups of the number of prior offences, by the highest number of each.
PRIORS = {"0": 0, "1 to 3": 3, "more than 3": 10_000}

VARIABLES = [
    "race",
    "sex",
    "age_cat",
    "priors_cat",
    "c_charge_degree",
    "within_30_days",
    "is_recid",
    "two_year_recid",
]


def counts_of(people: pd.DataFrame) -> pd.DataFrame:
    """The number of people with each combination of the variables and each decile score.

    Parameters
    ----------
    people : DataFrame
        The published rows, as text.

    Returns
    -------
    DataFrame
        One row per combination that occurs, and one column per decile score.
    """
    days = pd.to_numeric(people["days_b_screening_arrest"])
    coarse = people.assign(
        priors_cat=pd.cut(
            people["priors_count"].astype(int), [-1, *PRIORS.values()], labels=PRIORS
        ),
        # Rows without an arrest have no days, and are farther away than any number.
        within_30_days=days.abs().le(30).astype(int),
        score="score_" + people["decile_score"],
    )
    counts = coarse.groupby([*VARIABLES, "score"], observed=True).size().unstack(fill_value=0)
    return counts[[f"score_{decile}" for decile in range(1, 11)]].reset_index()


def main() -> None:
    """Write the table, or print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-home", help="folder of compas-scores-two-years.csv(.gz)")
    parser.add_argument("--out", type=Path, help="the file to write")
    options = parser.parse_args()
    try:
        people = published_rows(Path(get_data_home(options.data_home)), download=True)
        text = counts_of(people).to_csv(index=False, lineterminator="\n")
        if options.out:
            options.out.write_text(text, encoding="utf-8")
    except OSError as error:  # missing, changed, or not available from the network
        parser.error(str(error))
    if options.out:
        print(f"{len(people):,} rows with SHA-256 {SHA256}\nwrote {options.out}", file=sys.stderr)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
