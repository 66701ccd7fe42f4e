"""What a metric is checked with: synthetic data of known values, and the tables of the papers."""

from __future__ import annotations

from importlib.resources import files
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters.inference.replicates import read_seed
from biasamp_adapters.metrics.base import check_choice, check_number, check_whole

_COLUMNS = ["task", "attribute", "task_pred", "attribute_pred"]


def make_alpha_shift(alpha_dataset: float, alpha_model: float) -> pd.DataFrame:
    """Return labels and predictions of two groups and two classes, each with a bias of its own.

    Without bias each pair of a group and a class has the probability 1/4; a shift adds alpha to
    the pair (0, 0) and takes it from (1, 1). The labels have one shift. The predictions for them
    have the rates of another one: of classes given the group, and of groups given the class.

    Parameters
    ----------
    alpha_dataset, alpha_model : float
        The shifts, from -0.25 to 0.25; 0 is balanced.

    Returns
    -------
    DataFrame
        Each of the 16 combinations of ``task``, ``attribute``, ``task_pred`` and
        ``attribute_pred`` (0 or 1), with its probability as ``weight``. A sample of n rows is
        ``frame.sample(n, replace=True, weights="weight", random_state=0)``, without ``weight``.

    Raises
    ------
    ValueError
        If a shift is out of its range.

    References
    ----------
    Tokas, Nair and Kerner, "DPA", 2025, Appendix J and Fig. 6. It leaves open how the model's
    table meets rows whose groups have other sizes; here the model's conditional rates are used. A
    positive alpha correlates the pair (0, 0) negatively: (0.25 + alpha)(0.25 - alpha) is below
    0.25 squared.

    Examples
    --------
    The gap grows from 0.35 / 0.60 - 0.30 / 0.55 (alpha 0.1) minus 0.25 / 0.40 - 0.25 / 0.45,
    halved:

    >>> import biasamp_adapters as bam
    >>> rows = bam.studies.make_alpha_shift(0.05, 0.1)
    >>> value = bam.directional_bias_amplification(
    ...     rows["task"],
    ...     rows["task_pred"],
    ...     sensitive_features=rows["attribute"],
    ...     sample_weight=rows["weight"],
    ... )
    >>> round(value, 4)
    0.0158
    """
    check_number("alpha_dataset", alpha_dataset, -0.25, 0.25)
    check_number("alpha_model", alpha_model, -0.25, 0.25)
    alphas = alpha_dataset, alpha_model
    # Tasks by attributes.
    dataset, model = (np.array([[0.25 + x, 0.25], [0.25, 0.25 - x]]) for x in alphas)
    of_task, of_attribute = model / model.sum(axis=0), model / model.sum(axis=1, keepdims=True)
    task, attribute, task_pred, attribute_pred = rows = np.indices((2,) * 4).reshape(4, -1)
    weight = dataset[task, attribute] * of_task[task_pred, attribute]
    weight *= of_attribute[task, attribute_pred]
    return pd.DataFrame(rows.T, columns=_COLUMNS).assign(weight=weight)


def make_hidden_bias(
    n_samples: int = 1000, *, strength: float = 0.2, noise: float = 1.0, random_state: Any = 0
) -> pd.DataFrame:
    """Return balanced labels whose bias lies in a feature that has no labels.

    Each pair of a group and a class has equally many rows. ``signal`` depends on the class alone.
    ``shortcut`` reveals the class in some rows, more often where group and class are equal. A
    model that follows it errs less there, and so predicts 1 more often in group 1.

    Parameters
    ----------
    n_samples : int
        Rows, a multiple of 4.
    strength : float
        How much more often rows of the pairs (0, 0) and (1, 1) have the shortcut than the others,
        from -1 to 1. Half of all rows have it.
    noise : float
        The standard deviation of ``signal`` around -1 for class 0 and 1 for class 1.
    random_state : int, Generator or None

    Returns
    -------
    DataFrame
        ``signal``, ``shortcut`` (-1 reveals 0, 1 reveals 1, 0 nothing), ``task``, ``attribute``.

    Raises
    ------
    ValueError
        If ``n_samples`` is no multiple of 4, or a number is out of its range.

    Notes
    -----
    A model that follows the shortcut, and tells the other rows apart with probability q, predicts
    1 for a share of 1/2 + strength (1 - q) / 2 of group 1, and 1/2 minus as much of group 0.

    References
    ----------
    The design is that of a hairnet in Tokas, Nair and Kerner, "DPA", 2025, Section 1: a balanced
    data set whose bias comes from what is not annotated.

    Examples
    --------
    BA sees nothing in balanced labels. Multi is 0.4 (1 - Phi(1)) / 2 = 0.032, and noise:

    >>> import biasamp_adapters as bam
    >>> rows = bam.studies.make_hidden_bias(strength=0.4)
    >>> score = rows["shortcut"].where(rows["shortcut"] != 0, rows["signal"])
    >>> data = rows["task"], (score > 0).astype(int)
    >>> bam.directional_bias_amplification(*data, sensitive_features=rows["attribute"])
    0.0
    >>> multi = bam.multi_attribute_bias_amplification
    >>> round(multi(*data, sensitive_features=rows["attribute"]), 3)
    0.036
    """
    check_whole("n_samples", n_samples, 4)
    if n_samples % 4:
        raise ValueError(f"n_samples must be a multiple of 4; received {n_samples}")
    check_number("strength", strength, -1, 1)
    check_number("noise", noise, 0)
    shares = np.array([0.5 - strength / 2, 0.5 + strength / 2])
    rng, part = np.random.default_rng(read_seed(random_state)), n_samples // 4
    task, attribute = np.repeat([0, 0, 1, 1], part), np.repeat([0, 1, 0, 1], part)
    reveals = np.tile(np.arange(part), 4) < np.round(shares * part)[(task == attribute) * 1]
    side = 2 * task - 1
    columns = {"signal": side + rng.normal(scale=noise, size=n_samples), "shortcut": side * reveals}
    frame = pd.DataFrame(columns | {"task": task, "attribute": attribute})
    return frame.iloc[rng.permutation(n_samples)].reset_index(drop=True)


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
        decimals it is printed with; ``half_width`` is half of the printed 95% interval and
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
