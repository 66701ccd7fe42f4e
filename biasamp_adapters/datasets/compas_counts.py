"""Counts of COMPAS scores and outcomes, which come with the package."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from biasamp_adapters._typing import check_choice, is_whole
from biasamp_adapters.datasets.compas import LABELS, read_races

if TYPE_CHECKING:
    import pandas as pd

    from biasamp_adapters.counts import JointCounts

_ATTRIBUTES = ("race", "sex", "age_cat", "priors_cat", "c_charge_degree")


def load_compas_counts(
    *,
    attribute: str | Sequence[str] = "race",
    label: str = "two_year_recid",
    threshold: int | Sequence[int] | None = 5,
    races: Sequence[str] | None = ("Caucasian", "African-American"),
    within_30_days: bool = False,
) -> JointCounts:
    """Load the published COMPAS scores as counts for an audit, which need no download.

    The prediction is a new arrest for a decile score of at least ``threshold``. The published words
    are "medium" from 5 and "high" from 8.

    Parameters
    ----------
    attribute : str or sequence of str
        The protected attribute: "race", "sex", "age_cat", "priors_cat" or "c_charge_degree".
        Several are crossed.
    label : {"two_year_recid", "is_recid"}
        The task: an arrest within two years, or at any time on record.
    threshold : int, sequence of int or None
        The lowest score, from 1 to 10, that predicts a new arrest. Several are models that are
        compared. With None, the predictions are the scores themselves, which
        :func:`~biasamp_adapters.audit_counts` takes as ``y_score``.
    races : sequence of str, optional
        The races to count, as recorded in the table; None counts all six.
    within_30_days : bool
        Whether to count only people whose arrest was at most 30 days from the screening, as
        :func:`fetch_compas` does.

    Returns
    -------
    JointCounts
        Of 6,150 people by default; of 7,214 with all races. Within 30 days there are 5,278 and
        6,172. A model is called "score >= 5", for its threshold.

    Raises
    ------
    ValueError
        If an attribute, the label, a threshold or a race is unknown.

    See Also
    --------
    load_compas_cells : The same counts as a table, to be summed in other ways.
    fetch_compas : The rows, with age and numbers of prior offences, for models that train on them.

    Notes
    -----
    The data are risk scores of people arrested in Broward County, Florida. The labels are recorded
    arrests, not crimes, so a model that matches them matches the policing as well.

    References
    ----------
    Larson, Mattu, Kirchner and Angwin, "How We Analyzed the COMPAS Recidivism Algorithm",
    ProPublica, 2016. Its table of all defendants has the false positive rates of the example.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> from biasamp_adapters.datasets import load_compas_counts
    >>> report = bam.audit_counts(load_compas_counts())
    >>> report.verdicts[0]["verdict"]
    'amplifies'
    >>> rates = report.to_frame("fairness").query("measure == 'false_positive_rate_difference'")
    >>> groups = rates["groups"].item()
    >>> {group["group"]: round(group["value"], 3) for group in groups}
    {'African-American': 0.448, 'Caucasian': 0.235}

    With the scores, the report shows BA A->T at each of their thresholds:

    >>> scores = load_compas_counts(threshold=None)
    >>> report = bam.audit_counts(load_compas_counts(), y_score=scores, n_boot=200)
    >>> [point["threshold"] for point in report.summary["sweeps"][0]["points"]][:3]
    [None, 10.0, 9.0]
    """
    from biasamp_adapters.counts import JointCounts

    attributes = [attribute] if isinstance(attribute, str) else [*attribute]
    if not attributes or len(set(attributes)) < len(attributes):
        raise ValueError(f"attribute must name one column or different ones; received {attribute}")
    for name in attributes:
        check_choice("attribute", name, _ATTRIBUTES)
    check_choice("label", label, LABELS)
    cells = load_compas_cells()
    cells = cells[cells["race"].isin(read_races(races))]
    if within_30_days:
        cells = cells[cells["within_30_days"] == 1]
    models = ["decile_score"]
    if threshold is not None:
        score = cells["decile_score"]
        predicted = {f"score >= {lowest}": (score >= lowest) * 1 for lowest in _lowest(threshold)}
        models, cells = [*predicted], cells.assign(**predicted)
    return JointCounts.from_frame(
        cells, task=label, prediction=models, attribute=attributes, weight="n"
    ).as_frequencies()


def load_compas_cells() -> pd.DataFrame:
    """Load the table behind ``load_compas_counts``: one row per combination that occurs.

    Returns
    -------
    DataFrame
        1,972 rows with the columns ``race``, ``sex``, ``age_cat``, ``priors_cat`` ("0", "1 to 3",
        "more than 3"), ``c_charge_degree`` ("F", "M"), ``within_30_days``, ``is_recid`` and
        ``two_year_recid`` (0 or 1), ``decile_score`` (1 to 10), and ``n``, the number of people.
        These sum to 7,214.

    Notes
    -----
    The table is a count of people and not a list of them, without names, dates, case numbers, exact
    ages and numbers of prior offences. This does not make it anonymous: 914 of its cells hold one
    person, and 1,580 hold fewer than five. Whoever knows all other facts about such a person can
    find the score in it, as in the public file, which states the names. Do not take it as an
    example of counts that are safe to publish.

    ``n`` is a number of rows, and a column of weights says something else: that each row was seen
    once and stands for so many others. ``JointCounts.as_frequencies`` takes whole weights for
    numbers of rows. Without it, intervals would be those of 1,972 rows.

    References
    ----------
    Angwin, Larson, Mattu and Kirchner, "Machine Bias", ProPublica, 2016.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> from biasamp_adapters.datasets import load_compas_cells
    >>> cells = load_compas_cells()
    >>> int(cells["n"].sum())
    7214
    >>> cells["priors"] = (cells["priors_cat"] != "0").astype(int)
    >>> counts = bam.JointCounts.from_frame(
    ...     cells, task="two_year_recid", prediction="priors", attribute="sex", weight="n"
    ... )
    >>> counts.as_frequencies()
    <JointCounts: 7214 rows in 8 cells of attribute x task x prediction[priors]>
    """
    import pandas as pd

    with files(__package__).joinpath("compas_counts.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, dtype={"priors_cat": str}, keep_default_na=False)
    scores = [f"score_{decile}" for decile in range(1, 11)]
    others = [name for name in table.columns if name not in scores]
    cells = table.melt(others, scores, var_name="decile_score", value_name="n")
    cells["decile_score"] = cells["decile_score"].str.removeprefix("score_").astype("int64")
    cells = cells[cells["n"] > 0]
    return cells.sort_values([*others, "decile_score"], ignore_index=True)


def _lowest(threshold: Any) -> list[int]:
    """One threshold or several, as a list without repetitions."""
    given = threshold if isinstance(threshold, list | tuple) else [threshold]
    if not given or not all(is_whole(lowest) and 1 <= lowest <= 10 for lowest in given):
        raise ValueError(
            f"threshold must be a whole number from 1 to 10, a list of them or None; received "
            f"{threshold!r}"
        )
    return list(dict.fromkeys(given))
