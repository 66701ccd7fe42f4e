"""The tables of the papers, as printed: numbers to check an implementation, or a paper, against."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from biasamp_adapters._typing import check_choice

if TYPE_CHECKING:
    import pandas as pd


def load_published(name: str) -> pd.DataFrame:
    """Load a table of [W21] or [T25] with the numbers that are printed there.

    ======================  ====  ============================================================
    Name                    Rows  Table
    ======================  ====  ============================================================
    ``"w21_shortcomings"``    18  Counts that show where MALS goes wrong, [W21] section 3.2
    ``"w21_table_1"``          9  Masked people on COCO, [W21] Table 1
    ``"w21_table_2"``          8  BA of FitBERT for four sources of base rates, [W21] Table 2
    ``"w21_jobs"``            32  The jobs behind "labor force", [W21] Table 2
    ``"t25_table_2"``         48  Masked people on COCO, ViT_b_16, T->A, [T25] Table 2
    ``"t25_table_3"``         54  Nine models on the unbalanced imSitu, A->T, [T25] Table 3
    ``"t25_table_4"``         54  Nine models on the balanced imSitu, A->T, [T25] Table 4
    ``"t25_table_6"``         24  Counts of race and recidivism in COMPAS, [T25] Table 6
    ``"t25_table_7"``         12  A decision tree on COMPAS, [T25] Table 7
    ``"t25_table_8"``         20  One-pixel shortcuts on a balanced COCO, A->T, [T25] Table 8
    ``"t25_table_9"``         40  Masked people on COCO, VGG16, T->A, [T25] Table 9
    ``"t25_table_10"``        54  Nine models on the unbalanced imSitu, T->A, [T25] Table 10
    ``"t25_table_11"``        54  Nine models on the balanced imSitu, T->A, [T25] Table 11
    ======================  ====  ============================================================

    Parameters
    ----------
    name : str
        A name of the list above.

    Returns
    -------
    DataFrame
        A new table at each call. Its columns are described below. ``decimals`` is the number of
        decimals that ``value`` is printed with, and ``half_width`` is half of the printed 95 %
        interval, with four decimals (three in ``t25_table_7``).

    Raises
    ------
    ValueError
        If there is no such table.

    Notes
    -----
    ``w21_shortcomings``
        ``scenario`` ("three groups", "two groups, first model", "two groups, second model",
        "imbalanced groups"), ``group`` (1 to 3), ``y_true``, ``y_pred`` (0 or 1) and ``count``. The
        paper states the datasets as counts and the models in words; combinations that do not
        occur are left out. The attribute is always predicted correctly, so the predicted groups are
        ``group`` as well. MALS is 0, .2, .033 and -.6 in the four scenarios there.
    ``w21_table_1``
        ``image`` ("original", "noisy mask", "full mask"), ``metric`` ("MALS", "BA"), ``direction``
        ("undirected", "A->T", "T->A"), ``value``, ``half_width`` and ``decimals``. Means of five
        runs of a VGG16 on the test set, over 66 objects and two genders; values are differences of
        probabilities.
    ``w21_table_2``
        ``source`` ("uniform", "Wikipedia", "labor force"), ``pronouns`` (2: he, she; 3: also
        they), ``direction`` ("T->A", "A->T"), ``value``, ``half_width`` and ``decimals``. The
        half-width .0026 of the labor force, T->A, is as printed. The half-widths come from the 20
        sentences, in the released script. Base rates with the same signs shift every sentence by
        the same amount. So a half-width that measures the spread over sentences should be that of
        "uniform" with two pronouns, .0226.
    ``w21_jobs``
        ``job``, ``leaning`` ("men", "women": to whom the job leans in WinoBias), ``percent_women``
        and ``workers`` (their number; only shares are used). The rates are not in the paper but in
        the script released with it, ``fit_bert/fit_sentences.py`` of
        ``princetonvisualai/directional-bias-amp`` (commit 04377b1): shares of women and leanings
        after WinoBias, numbers of workers after the U.S. Labor Force Statistics of 2016.
    ``t25_table_2``, ``t25_table_9``
        ``split`` ("unbalanced", "balanced"), ``metric`` ("Attribution", "DPA", "BA", "Multi",
        "LA", "MALS"), ``version`` of the images ("original", "partial", "segment", "bounding
        box"), ``value``, ``half_width`` and ``decimals``. "Attribution" is the share of the
        predicted gender that pixels outside the person explain; it is no metric of amplification.
        LA and MALS have no direction; Table 9 has no MALS.
    ``t25_table_3``, ``t25_table_4``, ``t25_table_10``, ``t25_table_11``
        ``model``, ``metric`` ("Sen", "DPA", "LA", "BA", "Multi", "MALS"), ``value`` (times 100, as
        printed), ``rank`` (as printed; 1 is the lowest value of the metric, and equal values share
        the lower rank) and ``decimals``. "Sen" is the sensitivity of the model to the concept, by
        which the models of each table are ordered; it is no metric of amplification. LA and MALS
        have no direction. Some ranks printed in Tables 10 and 11 are not those of the values.
    ``t25_table_6``
        ``split`` ("unbalanced", "balanced"), ``task_label`` ("true", "predicted"), ``task`` (0: no
        recidivism, 1: recidivism), ``attribute_label`` ("true", "predicted"), ``attribute`` (0:
        Caucasian, 1: African-American) and ``count``: three 2 x 2 tables for each split, of which
        none has both labels predicted. BA and Multi follow from them. DPA and LA do not: they also
        use the accuracy of the predictions, which no table states.
    ``t25_table_7``
        ``split`` ("unbalanced", "balanced"), ``direction`` ("T->A", "A->T"), ``metric`` ("BA",
        "Multi", "DPA"), ``value``, ``half_width`` and ``decimals``.
    ``t25_table_8``
        ``shortcut_difference`` (L, the difference between the two shares of images with a
        shortcut), ``accuracy_without`` and ``accuracy_with`` (of a VGG16 on the test set without
        and with shortcuts, in percent), ``metric`` ("BA", "Multi", "DPA", "MALS", "LA"), ``value``,
        ``half_width`` and ``decimals``. LA and MALS have no direction.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", ICML 2021 ([W21]).
    Tokas, Nair and Kerner, "DPA: A one-stop metric to measure bias amplification in classification
    datasets", 2025 ([T25]).

    Examples
    --------
    >>> from biasamp_adapters.datasets import load_published
    >>> load_published("w21_table_1").query("direction == 'T->A'")
            image metric direction   value  half_width  decimals
    6    original     BA      T->A  0.0267      0.0127         4
    7  noisy mask     BA      T->A  0.0425      0.0089         4
    8   full mask     BA      T->A  0.0491      0.0092         4

    The first scenario of [W21] 3.2, in which MALS is 0:

    >>> import biasamp_adapters as bam
    >>> table = load_published("w21_shortcomings").query("scenario == 'three groups'")
    >>> metric = bam.DirectionalBiasAmplification(direction="A->T")
    >>> value = metric(
    ...     table["y_true"],
    ...     table["y_pred"],
    ...     sensitive_features=table["group"],
    ...     sample_weight=table["count"],
    ... )
    >>> round(value, 4)
    0.1778

    The mean distance of the shares of women from one half. By this amount, BA T->A of the same
    outputs is lower against the labor force than against even rates.

    >>> women = load_published("w21_jobs")["percent_women"] / 100
    >>> float((women - 0.5).abs().mean().round(4))
    0.2622

    Multi T->A of the balanced COMPAS, the mean change of P(attribute | task):

    >>> table = load_published("t25_table_6").query("split == 'balanced' and task_label == 'true'")
    >>> counts = table.set_index(["attribute_label", "task", "attribute"])["count"].unstack()
    >>> rates = counts.div(counts.sum(axis=1), axis=0)
    >>> float((rates.loc["predicted"] - rates.loc["true"]).abs().to_numpy().mean().round(4))
    0.0661
    """
    import pandas as pd

    tables = {
        path.name.removesuffix(".csv"): path
        for path in files(__package__).joinpath("papers").iterdir()
    }
    check_choice("name", name, sorted(tables))
    with tables[name].open(encoding="utf-8") as file:
        table = pd.read_csv(
            file,
            # As text, .0380 and .038 are the same number with other decimals.
            dtype={"value": str, "percent_women": float},
            keep_default_na=False,
        )
    if "value" in table:
        table["decimals"] = table["value"].str.partition(".")[2].str.len().astype("int64")
        table["value"] = table["value"].astype("float64")
    return table
