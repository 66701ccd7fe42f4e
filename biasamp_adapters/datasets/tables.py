"""Tables for examples and tests: some unfolded from counts in this folder, one downloaded."""

from __future__ import annotations

import hashlib
import io
import os
import zlib
from http.client import HTTPException
from importlib.resources import files
from pathlib import Path
from typing import IO, Any
from urllib import request

import numpy as np
import pandas as pd

from biasamp_adapters.atomic import write_text

#: The order of the rows. The generator is one whose numbers never change between versions.
_SEED = 20160523

_NAME = "compas-scores-two-years.csv"
_URL = f"https://raw.githubusercontent.com/propublica/compas-analysis/master/{_NAME}"
_SECONDS = 30

#: SHA-256 of the columns below as CSV, in this order. It holds for all 7,214 published rows.
_SHA256 = "604c1f07a35f0821a2752a5e6f3aad880b7e862db3117930545f9e8a6a6015cc"

_COLUMNS = [
    *("age", "age_cat", "sex", "race"),
    *("juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"),
    *("days_b_screening_arrest", "c_charge_degree", "decile_score", "score_text"),
    *("is_recid", "two_year_recid"),
]


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


def fetch_compas(
    *, data_home: str | os.PathLike[str] | None = None, download_if_missing: bool = True
) -> pd.DataFrame:
    """Return ProPublica's table of COMPAS scores as published, downloading it at the first call.

    It has what :func:`load_compas` leaves out: ages and numbers of offences, for models that are
    trained on them. The labels are recorded arrests, not crimes: policing that differs between
    groups is inside them.

    Parameters
    ----------
    data_home : str or path-like, optional
        The folder that keeps the table; by default that of scikit-learn
        (``sklearn.datasets.get_data_home``). A ``compas-scores-two-years.csv`` that was put there
        by hand is read as well.
    download_if_missing : bool
        Whether to download the table if the folder does not have it.

    Returns
    -------
    DataFrame of 7,214 rows, in the order of the file
        ``age`` in years and ``age_cat``, its three groups; ``sex`` and ``race`` as recorded;
        ``juv_fel_count``, ``juv_misd_count``, ``juv_other_count`` and ``priors_count``, numbers of
        juvenile felonies, juvenile misdemeanours, other juvenile offences and prior offences;
        ``days_b_screening_arrest``, days from the screening to the arrest, NaN where no arrest was
        found; ``c_charge_degree``, F (felony) or M (misdemeanour); ``decile_score``, from 1 to 10,
        and ``score_text``, the same as Low, Medium (from 5) or High (from 8); ``is_recid``, 1 where
        a new arrest is on record at any time, and ``two_year_recid``, within two years.

    Raises
    ------
    FileNotFoundError
        If the folder does not have the table and ``download_if_missing`` is false.
    ConnectionError
        If the table cannot be downloaded.
    OSError
        If the table cannot be read, or is not the published one, by its SHA-256.

    Notes
    -----
    Names, dates and case numbers are dropped while the table is read. They are never written: the
    folder keeps the columns above only. The SHA-256 is that of these columns.

    What the table cannot show is said at :func:`load_compas`.

    References
    ----------
    Angwin, Larson, Mattu and Kirchner, "Machine Bias", ProPublica, 2016;
    https://github.com/propublica/compas-analysis, made from public records. ProPublica states no
    licence.

    Examples
    --------
    The rows that most papers use have an arrest at most 30 days from the screening:

    >>> import biasamp_adapters as bam
    >>> compas = bam.datasets.fetch_compas()  # doctest: +SKIP
    >>> len(compas.query("-30 <= days_b_screening_arrest <= 30"))  # doctest: +SKIP
    6172
    """
    from sklearn.datasets import get_data_home

    home = Path(get_data_home(data_home))
    for path in (home / _NAME, home / f"{_NAME}.gz"):
        if path.is_file():
            return _read(path, str(path))
    if not download_if_missing:
        raise FileNotFoundError(
            f"{home} must hold {_NAME} if download_if_missing is False; there is no such file"
        )
    table = _read(io.BytesIO(_download(home)), _URL)
    write_text(home / _NAME, _as_text(table))
    return table


def _download(home: Path) -> bytes:
    """Return the published file, which is kept in memory only."""
    try:
        with request.urlopen(_URL, timeout=_SECONDS) as answer:
            return answer.read()
    except (OSError, HTTPException) as error:
        reason = str(error) or type(error).__name__
        raise ConnectionError(
            f"{_URL} cannot be downloaded ({reason}); put the file into {home}, or use "
            "load_compas(), which needs no network"
        ) from None


def _read(source: Path | IO[bytes], name: str) -> pd.DataFrame:
    """Return the columns of a table, which must be those that ProPublica published."""
    # The header repeats two names; pandas reads the first column of each, which is the one meant.
    # Names of people, which are not read, need not be UTF-8.
    missing = {"days_b_screening_arrest": [""]}
    try:
        table = pd.read_csv(
            source, usecols=_COLUMNS, keep_default_na=False, na_values=missing, encoding="latin-1"
        )
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise OSError(f"{name} must be ProPublica's table; it cannot be read: {error}") from None
    table = table[_COLUMNS]
    digest = hashlib.sha256(_as_text(table).encode()).hexdigest()
    if digest != _SHA256:
        raise OSError(
            f"{name} must hold ProPublica's rows unchanged, with the SHA-256 {_SHA256}; received "
            f"{len(table)} rows with {digest}"
        )
    return table


def _as_text(table: pd.DataFrame) -> str:
    """Return the table as CSV that depends on its values only."""
    return table.to_csv(index=False, lineterminator="\n", float_format="%.0f")
