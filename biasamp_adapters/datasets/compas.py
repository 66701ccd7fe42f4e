"""The published table of COMPAS scores, of people arrested in Broward County, Florida."""

from __future__ import annotations

import hashlib
import io
import os
import zlib
from http.client import HTTPException
from pathlib import Path
from typing import IO
from urllib import request

import pandas as pd

from biasamp_adapters.atomic import write_text

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
