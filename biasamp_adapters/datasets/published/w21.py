"""Tables of [W21]: Wang and Russakovsky, "Directional Bias Amplification", ICML 2021."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasamp_adapters.datasets.published._read import published

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["w21_jobs", "w21_shortcomings", "w21_table_1", "w21_table_2"]


def w21_shortcomings() -> pd.DataFrame:
    """The invented datasets and models that show where MALS goes wrong, as counts ([W21] 3.2).

    The attribute is always predicted correctly, so the predicted groups are ``group`` as well. The
    dataset is the sum over ``y_pred``; [W21] states it as counts and the models in words. MALS is
    0, .2, .033 and -.6 in the four scenarios there.

    Returns
    -------
    DataFrame
        18 rows: ``scenario`` ("three groups", "two groups, first model", "two groups, second
        model", "imbalanced groups"), ``group`` (1 to 3), ``y_true``, ``y_pred`` (0 or 1) and
        ``count``. Combinations that do not occur are left out.

    References
    ----------
    [W21], section 3.2, shortcomings 1 and 2.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> from biasamp_adapters.datasets.published import w21_shortcomings
    >>> table = w21_shortcomings().query("scenario == 'three groups'")
    >>> metric = bam.DirectionalBiasAmplification(direction="A->T")
    >>> round(
    ...     metric(
    ...         table["y_true"],
    ...         table["y_pred"],
    ...         sensitive_features=table["group"],
    ...         sample_weight=table["count"],
    ...     ),
    ...     4,
    ... )
    0.1778
    """
    return published("w21_shortcomings")


def w21_table_1() -> pd.DataFrame:
    """Amplification on COCO while the people in the images are masked ([W21] Table 1).

    Means of five runs of a VGG16 on the test set, over 66 objects and two genders.

    Returns
    -------
    DataFrame
        9 rows: ``image`` ("original", "noisy mask", "full mask"), ``metric`` ("MALS", "BA"),
        ``direction`` ("undirected", "A->T", "T->A"), ``value``, ``half_width`` (of the 95 %
        interval, to four decimals) and ``decimals`` (how many ``value`` is printed with). Values
        are differences of probabilities.

    References
    ----------
    [W21], Table 1.

    Examples
    --------
    >>> from biasamp_adapters.datasets.published import w21_table_1
    >>> w21_table_1().query("direction == 'T->A'")
            image metric direction   value  half_width  decimals
    6    original     BA      T->A  0.0267      0.0127         4
    7  noisy mask     BA      T->A  0.0425      0.0089         4
    8   full mask     BA      T->A  0.0491      0.0092         4
    """
    return published("w21_table_1")


def w21_table_2() -> pd.DataFrame:
    """BA of FitBERT, occupations against pronouns, for four sources of base rates ([W21] Table 2).

    Returns
    -------
    DataFrame
        8 rows: ``source`` ("uniform", "Wikipedia", "labor force"), ``pronouns`` (2: he, she; 3:
        they as well), ``direction`` ("T->A", "A->T"), ``value``, ``half_width`` (to four decimals)
        and ``decimals`` (how many ``value`` is printed with). Values are differences of
        probabilities.

    Notes
    -----
    The half-width .0026 of the labor force, T->A, is as printed. The half-widths come from the 20
    sentences, in the released script. Base rates with the same signs move every sentence alike. So
    if the table prints that, or an interval made of it, it should be the half-width of "uniform"
    with two pronouns, .0226. :func:`w21_jobs` has the rates of the labor force.

    References
    ----------
    [W21], Table 2.

    Examples
    --------
    >>> from biasamp_adapters.datasets.published import w21_table_2
    >>> w21_table_2().query("direction == 'T->A'")
            source  pronouns direction   value  half_width  decimals
    0      uniform         2      T->A  0.1368      0.0226         4
    2      uniform         3      T->A  0.0914      0.0151         4
    4    Wikipedia         2      T->A  0.0372      0.0307         4
    6  labor force         2      T->A -0.1254      0.0026         4
    """
    return published("w21_table_2")


def w21_jobs() -> pd.DataFrame:
    """The 32 jobs behind "labor force" in [W21] Table 2, with their rates.

    They are not in the paper but in the script released with it, ``fit_bert/fit_sentences.py`` of
    ``princetonvisualai/directional-bias-amp`` (commit 04377b1): shares of women and leanings after
    WinoBias, numbers of workers after the U.S. Labor Force Statistics of 2016.

    Returns
    -------
    DataFrame
        32 rows: ``job``, ``leaning`` ("men", "women": to whom the job leans in WinoBias),
        ``percent_women`` and ``workers`` (a number of which only shares are used).

    References
    ----------
    [W21], section 5.3 and A.3.

    Examples
    --------
    How far the rates are from one half, on average: BA T->A of the same outputs is that much lower
    against the labor force than against even rates.

    >>> from biasamp_adapters.datasets.published import w21_jobs
    >>> women = w21_jobs()["percent_women"] / 100
    >>> float((women - 0.5).abs().mean().round(4))
    0.2622
    """
    return published("w21_jobs")
