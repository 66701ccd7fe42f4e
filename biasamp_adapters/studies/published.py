"""The tables of the papers as printed, to check an implementation or a paper against."""

from __future__ import annotations

from importlib.resources import files
from io import StringIO

import pandas as pd

from biasamp_adapters.metrics.base import check_choice


def load_published(name: str) -> pd.DataFrame:
    """Return a table of [W21] or [T25] with the numbers that are printed there.

    Parameters
    ----------
    name : str
        ======================  ====  =========================================================
        Name                    Rows  Table
        ======================  ====  =========================================================
        ``"w21_shortcomings"``    18  Counts of the shortcomings of MALS, [W21] section 3.2
        ``"w21_table_1"``          9  Masked people on COCO, [W21] Table 1
        ``"w21_table_2"``          8  FitBERT and four sources of base rates, [W21] Table 2
        ``"w21_jobs"``            32  The jobs behind "labor force" in [W21] Table 2
        ``"t25_table_2"``         48  Masked people on COCO, ViT_b_16, T->A, [T25] Table 2
        ``"t25_table_3"``         54  Nine models, unbalanced imSitu, A->T, [T25] Table 3
        ``"t25_table_4"``         54  Nine models, balanced imSitu, A->T, [T25] Table 4
        ``"t25_table_6"``         24  Counts of COMPAS, [T25] Table 6
        ``"t25_table_7"``         12  A decision tree on COMPAS, [T25] Table 7
        ``"t25_table_8"``         20  One-pixel shortcuts, balanced COCO, A->T, [T25] Table 8
        ``"t25_table_9"``         40  Masked people on COCO, VGG16, T->A, [T25] Table 9
        ``"t25_table_10"``        54  Nine models, unbalanced imSitu, T->A, [T25] Table 10
        ``"t25_table_11"``        54  Nine models, balanced imSitu, T->A, [T25] Table 11
        ======================  ====  =========================================================

    Returns
    -------
    DataFrame
        Long: a row for each printed number. ``value`` is the number and ``decimals`` how many
        decimals it is printed with; ``half_width`` is half of the printed 95 % interval and
        ``rank`` the printed rank, where there are some. The other columns say what it is of.
        ``attrs["source"]`` names the source. Values of the nine models are times 100, and those
        of "Sen" are the sensitivity by which [T25] orders the models. "Attribution" is the share
        of the prediction that pixels outside of the person explain. Neither is a metric of
        amplification.

    Raises
    ------
    ValueError
        If there is no such table.

    Notes
    -----
    The numbers are as printed, also where tables contradict each other. Some printed ranks of
    Tables 10 and 11 are not those of the values. DPA and LA do not follow from the counts of
    Table 6, as they also use the accuracy of the predictions.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", ICML 2021 ([W21]).
    Tokas, Nair and Kerner, "DPA: A one-stop metric to measure bias amplification in classification
    datasets", 2025 ([T25]).

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> bam.studies.load_published("w21_table_1").query("direction == 'T->A'")
            image metric direction   value  half_width  decimals
    6    original     BA      T->A  0.0267      0.0127         4
    7  noisy mask     BA      T->A  0.0425      0.0089         4
    8   full mask     BA      T->A  0.0491      0.0092         4
    """
    text = files(__package__).joinpath("published.txt").read_text(encoding="utf-8")
    tables = dict(block.removeprefix("# ").split(": ", 1) for block in text.split("\n\n"))
    check_choice("name", name, list(tables))
    source, table = tables[name].split("\n", 1)
    # As text, 0.0380 and 0.038 are the same number with other decimals.
    frame = pd.read_csv(StringIO(table), dtype={"value": str, "percent_women": float})
    if "value" in frame:
        decimals = frame["value"].str.partition(".")[2].str.len()
        frame = frame.assign(value=frame["value"].astype(float), decimals=decimals)
    frame.attrs["source"] = source
    return frame
