"""The COMPAS table of ProPublica, reduced to the columns that an audit needs."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zlib
from collections.abc import Sequence
from http.client import HTTPException
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

from biasamp_adapters._files import replacing
from biasamp_adapters._typing import check_choice

if TYPE_CHECKING:
    import pandas as pd

_NAME = "compas-scores-two-years.csv"
_REDUCED = f"{_NAME}.gz"
_URL = f"https://raw.githubusercontent.com/propublica/compas-analysis/master/{_NAME}"
_SECONDS = 30
#: The file has about 2.5 million bytes; an endless response must not fill the memory.
_MOST_BYTES = 32_000_000

#: SHA-256 of the needed columns of all 7,214 rows as CSV, whatever the line endings of their file.
SHA256 = "604c1f07a35f0821a2752a5e6f3aad880b7e862db3117930545f9e8a6a6015cc"

#: The columns kept, in the order of the reduced file; True for whole numbers.
_COLUMNS = {
    "age": True,
    "age_cat": False,
    "sex": False,
    "race": False,
    "juv_fel_count": True,
    "juv_misd_count": True,
    "juv_other_count": True,
    "priors_count": True,
    "days_b_screening_arrest": True,
    "c_charge_degree": False,
    "decile_score": True,
    "score_text": False,
    "is_recid": True,
    "two_year_recid": True,
}
_FEATURES = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
#: The columns that may be the task.
LABELS = ("two_year_recid", "is_recid")
_RACES = ("African-American", "Asian", "Caucasian", "Hispanic", "Native American", "Other")


def fetch_compas(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    label: str = "two_year_recid",
    races: Sequence[str] | None = ("Caucasian", "African-American"),
    as_frame: bool = True,
    return_X_y: bool = False,  # noqa: N803 - the name that scikit-learn's loaders use
) -> Any:
    """Load the COMPAS table of ProPublica (classification), downloading it if necessary.

    =================   ===========================
    Classes                                       2
    Samples total                             5,278 (6,172 of all races)
    Dimensionality                                5
    Features            whole numbers
    =================   ===========================

    Parameters
    ----------
    data_home : str or path-like, optional
        The folder to look in and to download to; by default that of scikit-learn
        (``sklearn.datasets.get_data_home``). Both ``compas-scores-two-years.csv``, as published,
        and ``compas-scores-two-years.csv.gz``, the reduced file, are found there.
    download_if_missing : bool
        Whether to download the table when the folder has neither file.
    label : {"two_year_recid", "is_recid"}
        The column that becomes ``target``.
    races : sequence of str, optional
        The races to keep, as recorded in the table; None keeps all six.
    as_frame : bool
        Whether to return pandas objects rather than numpy arrays.
    return_X_y : bool
        Whether to return ``(data, target)`` only.

    Returns
    -------
    Bunch or (data, target)
        ``data`` (the five features of [T25]: age, juvenile and prior counts), ``target``,
        ``sensitive_features`` (race), ``feature_names``, ``target_names`` (the name of the label),
        ``DESCR``, and ``frame``: all fourteen columns kept, or None if ``as_frame`` is false.

    Raises
    ------
    ValueError
        If the label or a race is unknown.
    OSError
        If the table is not there and is not downloaded, or its content is not the published one.

    Notes
    -----
    The data are risk scores of people arrested in Broward County, Florida. The labels are recorded
    arrests, not crimes, so a model that matches them matches the policing as well.

    The rows are those of ProPublica's analysis. Names, dates and case numbers of the published file
    are dropped while it is read, and are never written: a download leaves the reduced file only.
    The content, not the bytes, is checked by a SHA-256.

    [T25] describes its label as an arrest within two years, the column ``two_year_recid``; the
    counts in its Table 6(a) are those of ``is_recid``.

    References
    ----------
    Angwin, Larson, Mattu and Kirchner, "Machine Bias", ProPublica, 2016.
    Tokas, Nair and Kerner, "DPA", 2025, Appendix E ([T25]).

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from biasamp_adapters.datasets import fetch_compas
    >>> with TemporaryDirectory() as folder:
    ...     fetch_compas(data_home=folder, download_if_missing=False)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    OSError: Data not found and `download_if_missing` is False; ...
    """
    from sklearn.datasets import get_data_home
    from sklearn.utils import Bunch

    check_choice("label", label, LABELS)
    kept = read_races(races)
    frame = _analysed(published_rows(Path(get_data_home(data_home)), download_if_missing), kept)
    columns = frame[_FEATURES], frame[label], frame["race"]
    data, target, race = columns if as_frame else (column.to_numpy() for column in columns)
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=frame if as_frame else None,
        feature_names=[*_FEATURES],
        target_names=[label],
        sensitive_features=race,
        DESCR=files(__package__).joinpath("compas.rst").read_text(encoding="utf-8"),
    )


def read_races(races: Sequence[str] | None) -> list[str]:
    """The races to keep as a list; an error if one is not recorded in the table."""
    kept = [*_RACES] if races is None else [*races]
    # A string is a sequence too, but of letters.
    if isinstance(races, str) or not kept or any(race not in _RACES for race in kept):
        raise ValueError(f"races must be None or a list out of {[*_RACES]}; received {races!r}")
    return kept


def published_rows(home: Path, download: bool) -> pd.DataFrame:
    """The needed columns of all 7,214 rows, as text, from ``home`` or from the source.

    Raises
    ------
    OSError
        If the table is not there and is not downloaded, or its SHA-256 is not ``SHA256``.
    """
    for path in (home / _NAME, home / _REDUCED):
        if path.is_file():
            return _needed(path, where=str(path))[0]
    if not download:
        raise OSError(
            f"Data not found and `download_if_missing` is False; {home} holds neither {_NAME} nor "
            f"{_REDUCED}"
        )
    table, text = _needed(io.BytesIO(_download(home)), where=_URL)
    with replacing(home / _REDUCED) as temporary:
        # With a fixed time stamp, equal content gives an equal file.
        temporary.write_bytes(gzip.compress(text.encode(), mtime=0))
    return table


def _needed(source: Path | io.BytesIO, where: str) -> tuple[pd.DataFrame, str]:
    """The needed columns and their canonical text; an error if they are not as published."""
    import pandas as pd

    try:
        # The published header repeats decile_score and priors_count; pandas renames the later ones,
        # so the first are read. A name in another encoding must not stop the reading.
        table = pd.read_csv(
            source,
            usecols=lambda name: name in _COLUMNS,
            dtype=str,
            keep_default_na=False,
            na_filter=False,
            encoding_errors="replace",
        )
    except (ValueError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise OSError(f"{where} must be a CSV file; it cannot be read: {error}") from None
    absent = [name for name in _COLUMNS if name not in table]
    if absent:
        raise OSError(f"{where} must hold the columns of {_NAME}; it lacks {absent}")
    for name, whole in _COLUMNS.items():
        table[name] = table[name].str.strip()
        if whole:
            # Many tools write a column with missing values as floats: -1.0 for -1.
            table[name] = table[name].str.replace(r"\.0*$", "", regex=True)
    table = table[[*_COLUMNS]]
    text = table.to_csv(index=False, lineterminator="\n")
    digest = hashlib.sha256(text.encode()).hexdigest()
    if digest != SHA256:
        raise OSError(
            f"{where} must hold the rows that ProPublica published, unchanged; the SHA-256 of its "
            f"needed columns is {digest} ({len(table)} rows), not {SHA256}"
        )
    return table, text


def _download(home: Path) -> bytes:
    """The bytes of the published file, which are kept in memory only."""
    try:
        with urlopen(_URL, timeout=_SECONDS) as answer:
            if urlsplit(answer.url).scheme != urlsplit(_URL).scheme:
                raise ConnectionError(f"it redirects to {answer.url}")
            return bytes(answer.read(_MOST_BYTES))
    except (OSError, HTTPException) as error:
        if isinstance(error, HTTPError):
            error.close()
        reason = str(error) or type(error).__name__
    # Outside of the handler, so that the traceback of the network library is not shown.
    raise ConnectionError(
        f"{_URL} could not be downloaded ({reason}); put it into {home} as {_NAME}"
    )


def _analysed(table: pd.DataFrame, races: list[str]) -> pd.DataFrame:
    """The rows of ``races`` that ProPublica analysed, with numeric columns converted."""
    import pandas as pd

    days = pd.to_numeric(table["days_b_screening_arrest"])
    # Without an arrest near the screening, the score may belong to another case.
    keep = days.abs().le(30) & table["is_recid"].ne("-1")
    keep &= table["c_charge_degree"].ne("O") & table["score_text"].ne("N/A")
    rows = table[keep & table["race"].isin(races)].reset_index(drop=True)
    return rows.astype({name: "int64" for name, whole in _COLUMNS.items() if whole})
