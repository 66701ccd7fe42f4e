"""Tables that are kept as counts in files of this folder, and unfolded into one row per record."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

#: The order of the rows. The generator is one whose numbers never change between versions.
_SEED = 20160523


def load_compas() -> pd.DataFrame:
    """Return ProPublica's table of COMPAS scores, one row for each record.

    The rows are unfolded from counts that come with the package, in a fixed random order, so that
    halves and folds of them are fair. The labels are recorded arrests, not crimes: policing that
    differs between groups is inside them.

    Returns
    -------
    DataFrame of 7,214 rows
        ``race``, ``sex`` and ``age_cat`` as published; ``priors_cat``, the number of prior offences
        as "0", "1 to 3" or "more than 3"; ``c_charge_degree``, F (felony) or M (misdemeanour);
        ``within_30_days``, 1 where the arrest was at most 30 days from the screening, which is the
        filter that leaves the usual 6,172 rows; ``is_recid``, 1 where a new arrest is on record at
        any time, and ``two_year_recid``, within two years; ``decile_score``, from 1 to 10, which
        ProPublica reads as a medium risk from 5 and a high risk from 8.

    See Also
    --------
    fetch_compas : The table itself, with ages and numbers of prior offences.

    Notes
    -----
    What the table cannot show: how many people commit crimes, or which group does so more often. It
    knows only people who were arrested and screened in one county in 2013 and 2014, and an arrest
    depends on where the police look. A model that agrees with these labels agrees with the
    policing. The counts are not anonymous either: 914 cells hold one person.

    References
    ----------
    Angwin, Larson, Mattu and Kirchner, "Machine Bias", ProPublica, 2016;
    https://github.com/propublica/compas-analysis, compas-scores-two-years.csv, made from public
    records. ProPublica states no licence; counts are facts about the records.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> compas = bam.datasets.load_compas()
    >>> compas.groupby("race").size()["Caucasian"].item()
    2454
    """
    return _read_records("compas_counts.csv", score="decile_score")


def load_diabetes_audit() -> pd.DataFrame:
    """Return predictions of the progression of diabetes, one row for each patient.

    Two logistic regressions predict, on age, body mass index, blood pressure and six blood values,
    whether the disease progressed by more than the median within a year, and the patient's sex.
    Each patient is predicted by models that were fitted to the other nine tenths of the table. The
    rows are unfolded from counts that come with the package, in a fixed random order.

    Returns
    -------
    DataFrame of 442 rows
        ``sex``, "sex 1" or "sex 2", because no source says what the two codes stand for;
        ``age_group``, "under 40", "40 to 59" or "60 and over"; ``high_progression``, 1 where the
        measure of progression is above its median, and ``high_progression_pred``, 1 where its
        predicted probability is above 0.5; ``high_progression_score``, the middle of the tenth in
        which this probability lies, from 0.05 to 0.95; ``sex_pred``, the predicted sex.

    Notes
    -----
    The table shows how an audit works. What it cannot show: how diabetes progresses in women and
    men, or in people of some age. It has 442 patients, and nobody says how they were chosen. Half
    of them count as cases of high progression by construction, and the models are not medical
    ones.

    References
    ----------
    Efron, Hastie, Johnstone and Tibshirani, "Least Angle Regression", Annals of Statistics 32,
    2004; https://www4.stat.ncsu.edu/~boos/var.select/diabetes.html, which states no licence.
    scikit-learn (BSD licence) distributes the table as ``sklearn.datasets.load_diabetes``.

    Examples
    --------
    As many of both sexes have a high progression, but not as many are predicted to have one:

    >>> import biasamp_adapters as bam
    >>> patients = bam.datasets.load_diabetes_audit()
    >>> columns = ["high_progression", "high_progression_pred"]
    >>> patients.groupby("sex")[columns].mean().round(2)
           high_progression  high_progression_pred
    sex
    sex 1               0.5                   0.40
    sex 2               0.5                   0.59
    """
    records = _read_records("diabetes_counts.csv", score="tenth")
    score = (records.pop("tenth") - 0.5) / 10
    return records.assign(
        high_progression_pred=(score > 0.5).astype(int), high_progression_score=score.round(2)
    )


def _read_records(file_name: str, score: str) -> pd.DataFrame:
    """Return one row for each record that a file counts, in a fixed random order.

    A row of the file has the values that its records share, and in the columns ``score_1`` to
    ``score_10`` how many of them have that score. ``score`` names the column of the score.
    """
    source = files("biasamp_adapters.datasets") / file_name
    with source.open(encoding="utf-8") as file:
        counts: Any = pd.read_csv(file)
    shared = [name for name in counts if not name.startswith("score_")]
    n = counts.set_index(shared).rename_axis(columns=score).stack()
    records = n.index.repeat(n).to_frame(index=False)
    records[score] = records[score].str.removeprefix("score_").astype(int)
    order = np.random.RandomState(_SEED).permutation(len(records))
    return records.iloc[order].reset_index(drop=True)
