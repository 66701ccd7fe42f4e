"""Audits of rows for ``biasamp demo``: a table, predictions of a model, and its training rows."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from biasamp_adapters.datasets.compas import fetch_compas

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, eq=False)
class DemoData:
    """The input of an audit: rows held out from a model, its predictions and its training rows.

    Parameters
    ----------
    name : str
        A short name.
    title : str
        Heading of a report, on one line.
    description : str
        What the rows, the task, the attribute and the model are.
    task, attribute : str
        Names of the columns of the truth in ``frame``; predictions are in ``<column>_pred``.
    frame : DataFrame
        The held-out rows: features, task and attribute, and the predictions of both.
    reference : (y_true, sensitive_features)
        The rows the model was trained on.
    """

    name: str
    title: str
    description: str
    task: str
    attribute: str
    frame: pd.DataFrame = field(repr=False)
    reference: tuple[pd.Series, pd.Series] = field(repr=False)

    @property
    def y_true(self) -> pd.Series:
        """The true task."""
        return self.frame[self.task]

    @property
    def y_pred(self) -> pd.Series:
        """The predicted task."""
        return self.frame[f"{self.task}_pred"]

    @property
    def sensitive_features(self) -> pd.Series:
        """The true attribute."""
        return self.frame[self.attribute]

    @property
    def sensitive_features_pred(self) -> pd.Series:
        """The predicted attribute."""
        return self.frame[f"{self.attribute}_pred"]


def load_diabetes_audit(random_state: int = 0) -> DemoData:
    """Load predictions of disease progression and sex for scikit-learn's diabetes data.

    Decision trees make the predictions. Nothing is downloaded. The task is progression above the
    median of all 442 rows; neither it nor sex is a feature.

    Parameters
    ----------
    random_state : int
        The seed of the split into halves and of the trees.

    Returns
    -------
    DemoData
        The 221 rows held out, with the other 221 as the reference.

    Notes
    -----
    The table codes sex as 1 and 2 without saying which is which; the groups are therefore called
    "sex 1" and "sex 2".

    References
    ----------
    Efron, Hastie, Johnstone and Tibshirani, "Least Angle Regression", 2004.

    Examples
    --------
    >>> from biasamp_adapters import DirectionalBiasAmplification
    >>> from biasamp_adapters.datasets import load_diabetes_audit
    >>> demo = load_diabetes_audit()
    >>> len(demo.frame), sorted(demo.sensitive_features.unique())
    (221, ['sex 1', 'sex 2'])
    >>> metric = DirectionalBiasAmplification(direction="A->T", reference=demo.reference)
    >>> value = metric(demo.y_true, demo.y_pred, sensitive_features=demo.sensitive_features)
    >>> -1 <= value <= 1
    True
    """
    from sklearn.datasets import load_diabetes

    table = load_diabetes(scaled=False, as_frame=True).frame
    progression = table.pop("target")
    features = [name for name in table if name != "sex"]
    table["sex"] = "sex " + table["sex"].astype(int).astype(str)
    table["high_progression"] = (progression > progression.median()).astype(int)
    return _held_out(
        table,
        features,
        random_state,
        task="high_progression",
        attribute="sex",
        name="diabetes",
        title="Diabetes progression and sex",
        description=(
            "442 people with diabetes (scikit-learn's load_diabetes). The task is whether the "
            "disease progressed by more than the median within a year, the attribute is sex, whose "
            "two codes the table does not explain. Decision trees predict both from age, body mass "
            "index, blood pressure and six blood measurements, on the half of the rows held out."
        ),
    )


def load_compas_audit(
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    random_state: int = 0,
) -> DemoData:
    """Load predictions of recidivism and race for the COMPAS data.

    Decision trees make the predictions. The label is ``is_recid``; the features are the five of
    [T25]: age, juvenile and prior counts.

    Parameters
    ----------
    data_home, download_if_missing
        As in :func:`fetch_compas`.
    random_state : int
        The seed of the split into halves and of the trees.

    Returns
    -------
    DemoData
        The 2,639 rows held out, with the other 2,639 as the reference.

    Raises
    ------
    OSError
        As in :func:`fetch_compas`.

    Notes
    -----
    The labels are recorded arrests, not crimes. Some rows end in leaves where both races are
    equally frequent, and are given the race that comes first in the alphabet; T->A depends on it.

    References
    ----------
    Tokas, Nair and Kerner, "DPA", 2025, Appendix E ([T25]).

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from biasamp_adapters.datasets import load_compas_audit
    >>> with TemporaryDirectory() as folder:
    ...     load_compas_audit(folder, download_if_missing=False)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    OSError: Data not found and `download_if_missing` is False; ...
    """
    compas = fetch_compas(
        data_home=data_home, download_if_missing=download_if_missing, label="is_recid"
    )
    return _held_out(
        compas.frame,
        compas.feature_names,
        random_state,
        task="is_recid",
        attribute="race",
        name="compas",
        title="COMPAS: recidivism and race",
        description=(
            "5,278 people arrested in Broward County, Florida, recorded as Caucasian or "
            "African-American (ProPublica, 2016). The task is whether a new arrest was recorded, "
            "which is not the same as a crime; the attribute is race. Decision trees predict both "
            "from age and the juvenile and prior counts, on the half of the rows held out."
        ),
    )


def _held_out(
    table: pd.DataFrame,
    features: list[str],
    random_state: int,
    *,
    task: str,
    attribute: str,
    **texts: str,
) -> DemoData:
    """Train trees on one half of ``table`` and predict the other half."""
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier

    train, test = train_test_split(
        table[[*features, task, attribute]],
        test_size=0.5,
        random_state=random_state,
        stratify=table[attribute] + " " + table[task].astype(str),
    )
    predictions = {
        f"{column}_pred": DecisionTreeClassifier(random_state=random_state)
        .fit(train[features], train[column])
        .predict(test[features])
        for column in (task, attribute)
    }
    return DemoData(
        **texts,
        task=task,
        attribute=attribute,
        frame=test.assign(**predictions),
        reference=(train[task], train[attribute]),
    )
