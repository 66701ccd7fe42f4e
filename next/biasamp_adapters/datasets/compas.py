"""COMPAS scores and two-year outcomes of people arrested in Broward County, Florida."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pandas as pd

#: The order of the rows. The generator is one whose numbers never change between versions.
_SEED = 20160523

_SCORES = range(1, 11)


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
        filter that leaves the usual 6,172 rows; ``is_recid`` and ``two_year_recid``, the outcomes;
        ``decile_score``, from 1 to 10.

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
    source = files("biasamp_adapters.datasets") / "compas_counts.csv"
    with source.open(encoding="utf-8") as file:
        counts = pd.read_csv(file)
    columns = [f"score_{score}" for score in _SCORES]
    cells = counts.drop(columns=columns)
    n = counts[columns].to_numpy()
    cell, score = np.nonzero(n)
    row = np.repeat(np.arange(len(cell)), n[cell, score])
    records = cells.iloc[cell[row]].assign(decile_score=np.array(_SCORES)[score[row]])
    order = np.random.RandomState(_SEED).permutation(len(records))
    return records.iloc[order].reset_index(drop=True)
