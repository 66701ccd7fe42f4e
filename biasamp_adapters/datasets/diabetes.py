"""Predictions of the progression of diabetes, which are not about crime."""

from __future__ import annotations

import pandas as pd

from biasamp_adapters.datasets.records import read_records


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
    records = read_records("diabetes_counts.csv", score="tenth")
    score = (records.pop("tenth") - 0.5) / 10
    return records.assign(
        high_progression_pred=(score > 0.5).astype(int), high_progression_score=score.round(2)
    )
