"""The tables of the demonstration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import DirectionalBiasAmplification
from biasamp_adapters.datasets import DemoData, load_compas_audit, load_diabetes_audit

Load = Callable[..., DemoData]


@pytest.fixture(params=["diabetes", "compas"])
def load(request: pytest.FixtureRequest) -> Load:
    """A loader that takes ``random_state``."""
    if request.param == "diabetes":
        return load_diabetes_audit
    folder: Path = request.getfixturevalue("shared_data")
    return lambda random_state=0: load_compas_audit(folder, random_state=random_state)


def test_predictions_are_those_of_trees_on_the_reference(load: Load) -> None:
    demo = load()
    added = [f"{name}{end}" for end in ("", "_pred") for name in (demo.task, demo.attribute)]
    *features, a, b, c, d = demo.frame
    assert [a, b, c, d] == added
    assert not {"race", "sex", "progression", "target", "two_year_recid"} & {*features}

    y_train, a_train = demo.reference
    assert y_train.index.equals(a_train.index)
    assert not {*y_train.index} & {*demo.frame.index}
    assert set(a_train) == set(demo.sensitive_features) >= set(demo.sensitive_features_pred)
    assert set(y_train) == set(demo.y_true) == set(demo.y_pred) == {0, 1}


def test_halves_are_alike(load: Load) -> None:
    demo = load()
    y_train, a_train = demo.reference
    assert abs(len(demo.frame) - len(y_train)) <= 1
    for group in set(a_train):
        for task in (0, 1):
            train = (a_train.eq(group) & y_train.eq(task)).sum()
            test = (demo.sensitive_features.eq(group) & demo.y_true.eq(task)).sum()
            assert abs(train - test) <= 1


def test_seed(load: Load) -> None:
    demo = load()
    assert load(random_state=0).frame.equals(demo.frame)
    assert not load(random_state=1).frame.index.equals(demo.frame.index)


def test_audit_takes_it(load: Load) -> None:
    demo = load()
    for direction in ("A->T", "T->A"):
        metric = DirectionalBiasAmplification(direction=direction, reference=demo.reference)
        value = metric(
            demo.y_true,
            demo.y_pred,
            sensitive_features=demo.sensitive_features,
            sensitive_features_pred=demo.sensitive_features_pred,
        )
        assert -1 <= value <= 1


def test_frozen_and_short(load: Load) -> None:
    demo = load()
    with pytest.raises(FrozenInstanceError, match="name"):
        demo.name = "other"  # type: ignore[misc]
    assert len(repr(demo)) < 800
    assert demo.title
    assert demo.description.endswith("held out.")


def test_diabetes_is_the_table_of_scikit_learn() -> None:
    demo = load_diabetes_audit()
    table = load_diabetes(scaled=False, as_frame=True).frame
    assert len(demo.frame) == len(demo.reference[0]) == 221
    train, test = table.loc[demo.reference[0].index], table.loc[demo.frame.index]
    assert demo.sensitive_features.tolist() == [f"sex {int(code)}" for code in test["sex"]]
    assert (
        demo.y_true.sum() + demo.reference[0].sum()
        == (table["target"] > np.median(table["target"])).sum()
    )
    features = ["age", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
    tree = DecisionTreeClassifier(random_state=0).fit(train[features], demo.reference[0])
    assert (tree.predict(test[features]) == demo.y_pred).all()


def test_compas_is_the_table_of_the_paper(shared_data: Path) -> None:
    demo = load_compas_audit(shared_data, download_if_missing=False)
    assert len(demo.frame) == len(demo.reference[0]) == 2639
    # Table 6(a): 874 + 1773 with a new arrest, 1402 + 1773 recorded as African-American.
    assert demo.y_true.sum() + demo.reference[0].sum() == 2647
    black = demo.sensitive_features.eq("African-American").sum()
    assert black + demo.reference[1].eq("African-American").sum() == 3175


def test_compas_without_the_table(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="Data not found and `download_if_missing` is False"):
        load_compas_audit(tmp_path, download_if_missing=False)
