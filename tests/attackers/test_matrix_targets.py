"""Label matrices that an attacker predicts: column by column, or all at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from attacker_cases import (
    FITS,
    NeighborsOfOneColumn,
    NotingNeighbors,
    NotingOneColumn,
    binary_rows,
    matrix_rows,
    result_of,
    value_of,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import Indicators
from biasamp_adapters.sklearn import ContingencyAttacker, DenseAttacker

ROWS = matrix_rows()
OF_CLASSES = ["accuracy", "balanced_accuracy", "f1_macro", "hard_inverse_cross_entropy"]
QUALITIES = [*OF_CLASSES, "inverse_cross_entropy", "uncertainty_coefficient"]


def test_an_attacker_of_label_matrices_is_fitted_once_for_all_columns() -> None:
    FITS.clear()
    value_of("A->T", ROWS, attacker=NotingNeighbors(), n_trials=2)
    assert len(FITS) == 2 * 2 * 5  # trials, dataset and model, folds
    assert {fit.target.shape for fit in FITS} == {(160, 4)}
    assert all(np.isin(fit.target, (0, 1)).all() for fit in FITS)


def test_also_as_the_last_step_of_a_pipeline() -> None:
    FITS.clear()
    attacker = make_pipeline(StandardScaler(), NotingNeighbors())
    value_of("A->T", ROWS, attacker=attacker, n_trials=1)
    assert {fit.target.shape for fit in FITS} == {(160, 4)}


def test_any_other_is_fitted_once_for_each_column() -> None:
    FITS.clear()
    value_of("A->T", ROWS, attacker=NotingOneColumn(), n_trials=2)
    assert len(FITS) == 2 * 2 * 5 * 4  # and columns
    assert {fit.target.shape for fit in FITS} == {(160,)}


def test_so_is_one_of_label_matrices_where_there_is_one_column() -> None:
    FITS.clear()
    rows = matrix_rows(tasks=1)
    value_of("A->T", rows, attacker=NotingNeighbors(), n_trials=1)
    assert {fit.target.shape for fit in FITS} == {(160,)}


@pytest.mark.parametrize(
    ("quality", "equalize"),
    [*((quality, "auto") for quality in QUALITIES), ("inverse_cross_entropy", None)],
)
def test_neighbours_say_the_same_of_all_columns_as_of_each(quality: str, equalize: Any) -> None:
    """They are told the same folds and flips, and who is near does not depend on the labels."""
    options: dict[str, Any] = {"quality": quality, "equalize": equalize, "n_trials": 2}
    together = result_of("A->T", ROWS, attacker=KNeighborsClassifier(21), **options)
    each = result_of("A->T", ROWS, attacker=NeighborsOfOneColumn(21), **options)
    assert together.by_trial.to_numpy() == pytest.approx(each.by_trial.to_numpy(), rel=1e-9)


@pytest.mark.parametrize("quality", ["accuracy", "inverse_cross_entropy"])
@pytest.mark.parametrize("attacker", [ContingencyAttacker(), LogisticRegression()])
def test_the_value_is_the_mean_over_columns(attacker: Any, quality: str) -> None:
    """Each column as a vector of its own, on known rows, where no draw of folds differs.

    A regression stops where it does whichever order the rows are in, up to rounding.
    """
    options: dict[str, Any] = {
        "attacker": attacker, "quality": quality, "evaluation": "resubstitution", "equalize": None,
        "n_trials": 1,
    }  # fmt: skip
    alone = [
        value_of(
            "A->T", ROWS | {name: ROWS[name][:, t] for name in ("y_true", "y_pred")}, **options
        )
        for t in range(4)
    ]
    assert max(alone) - min(alone) > 0.005
    assert value_of("A->T", ROWS, **options) == pytest.approx(np.mean(alone), abs=1e-9)


@pytest.mark.parametrize(
    "attacker",
    [
        KNeighborsClassifier(21),
        DecisionTreeClassifier(),
        RandomForestClassifier(3),
        DenseAttacker("coco", learning_rate_init=0.05, max_iter=20),
        RidgeClassifier(),
    ],
    ids=lambda attacker: type(attacker).__name__,
)
@pytest.mark.parametrize("constant", [0, 1])
def test_columns_that_are_constant_are_told_without_loss(attacker: Any, constant: int) -> None:
    """What scikit-learn answers for them differs: a matrix, or a list with one class less."""
    rows = dict(ROWS)
    for name in ("y_true", "y_pred"):
        rows[name] = np.column_stack([np.full((200, 2), constant), ROWS[name][:, 0]])
    options: dict[str, Any] = {"attacker": attacker, "quality": "accuracy", "n_trials": 1}
    result = result_of("A->T", rows, **options)
    # Two columns are told rightly, the third in more than half of the rows and not in all.
    assert 2.5 / 3 < result.levels["psi_model"].value < 1


def test_a_tree_has_no_loss_on_columns_that_are_constant() -> None:
    rows = dict(ROWS)
    for name in ("y_true", "y_pred"):
        rows[name] = np.column_stack([np.zeros(200), np.ones(200), ROWS[name]]).astype(int)
    options: dict[str, Any] = {
        "attacker": DecisionTreeClassifier(), "evaluation": "resubstitution", "equalize": None,
        "n_trials": 1,
    }  # fmt: skip
    # The value of both is 0/0, which is 0, and four columns keep theirs.
    whole, part = (value_of("A->T", given, **options) for given in (rows, ROWS))
    assert abs(part) > 0.001
    assert whole == pytest.approx(part * 4 / 6, abs=1e-12)


def test_one_network_for_all_columns_finds_the_rates_of_each() -> None:
    """Two groups, four columns: its losses are those of the rates, and a few percent more."""
    options: dict[str, Any] = {"evaluation": "resubstitution", "equalize": None}
    exact = result_of("A->T", ROWS, equalize=None)
    network = DenseAttacker("coco", learning_rate_init=0.01)
    made = result_of("A->T", ROWS, attacker=network, **options, n_trials=1)
    for name in ("psi_dataset", "psi_model"):
        # No attacker does better than the rates; one that knew the class sizes only is 8 % worse.
        assert 0.98 < made.levels[name].value / exact.levels[name].value <= 1 + 1e-12
    blind = result_of("A->T", ROWS | {"sensitive_features": np.tile([0, 1], 100)}, equalize=None)
    assert blind.levels["psi_dataset"].value < 0.93 * exact.levels["psi_dataset"].value


#: Each of three groups has a column of its own, .8 of it and .2 of the others.
_rng = np.random.default_rng(0)
_group = _rng.integers(3, size=300)
_task = (_rng.random((300, 3)) < 0.2 + 0.6 * (_group[:, None] == np.arange(3))).astype(int)
OWN = {"y_true": _task, "y_pred": _task.astype(float), "sensitive_features": _group}


@pytest.mark.parametrize("attacker", [DecisionTreeClassifier(max_depth=1), LogisticRegression()])
@pytest.mark.parametrize("change", ["none", "nearly certain", "one abstention"])
def test_predictions_that_are_all_but_the_truth_amplify_nothing(change: str, attacker: Any) -> None:
    """A tree of one split can serve all columns or each: dataset and model must be asked alike.

    One row of 300 that is left open moves a rate by at most 1/50 (a group has 80 rows or more), and
    the value by less.
    """
    rows: dict[str, Any] = {**OWN, "y_pred": OWN["y_pred"].copy()}
    if change == "nearly certain":
        rows["y_pred"][0] = np.abs(rows["y_pred"][0] - 1e-9)
    if change == "one abstention":
        rows["y_pred"][0] = np.nan
    options: dict[str, Any] = {
        "attacker": attacker, "evaluation": "resubstitution", "equalize": None, "n_trials": 1,
        "missing": "abstain",
    }  # fmt: skip
    exact = value_of("A->T", rows, equalize=None, missing="abstain")
    assert value_of("A->T", rows, **options) == pytest.approx(exact, abs=0.005)


@pytest.mark.parametrize("attacker", [KNeighborsClassifier(), NeighborsOfOneColumn()])
def test_probabilities_in_a_matrix_need_weights(attacker: Any) -> None:
    rows = ROWS | {"y_pred": 0.1 + 0.8 * ROWS["y_pred"]}
    with pytest.raises(ValueError, match=r"fit takes sample_weight; received .*Neighbors"):
        value_of("A->T", rows, attacker=attacker, n_trials=1)


def test_groups_in_a_matrix_are_predicted_like_tasks() -> None:
    """T->A of Indicators is A->T with the two exchanged, on known rows."""
    tasks = {"y_true": ROWS["sensitive_features"], "y_pred": ROWS["sensitive_features_pred"]}
    groups = {
        "sensitive_features": Indicators(ROWS["y_true"]),
        "sensitive_features_pred": Indicators(ROWS["y_pred"]),
    }
    options: dict[str, Any] = {
        "attacker": LogisticRegression(), "evaluation": "resubstitution", "equalize": None,
        "n_trials": 1,
    }  # fmt: skip
    there = value_of("A->T", ROWS, **options)
    assert value_of("T->A", {**tasks, **groups}, **options) == pytest.approx(there, abs=1e-9)


def test_captions_of_a_model_on_coco(shared_data: Path) -> None:
    """65 objects in 65 regressions, each with a weight a group: the exact attacker, nearly.

    C = 1e6 pulls a rate of 0 up to about 1e-6 of a group of a thousand, which costs nothing.
    """
    labels = pd.read_csv(shared_data / "coco_labels.csv.gz", keep_default_na=False)
    made = pd.read_csv(shared_data / "coco_caption_predictions.csv.gz", keep_default_na=False)
    rows = labels[labels["split"] == "test"].merge(
        made[made["model"] == "baseline_ft"], on="image_id"
    )
    listed = pd.read_csv(shared_data / "coco_objects.csv").query("in_66 == 1")["object"]
    held = {
        name: [set(text.split("|")) for text in rows[name]] for name in ("objects", "objects_pred")
    }
    names = [name for name in listed if any(name in row for row in held["objects"])]
    assert len(names) == 65
    given = {
        argument: np.array([[name in row for name in names] for row in held[column]]).astype(int)
        for argument, column in (("y_true", "objects"), ("y_pred", "objects_pred"))
    }
    given["sensitive_features"] = rows["gender"].to_numpy()
    exact = value_of("A->T", given, equalize=None)
    attacker = LogisticRegression(C=1e6, tol=1e-8, max_iter=1000)
    options: dict[str, Any] = {"evaluation": "resubstitution", "equalize": None, "n_trials": 1}
    assert abs(exact) > 0.001
    assert value_of("A->T", given, attacker=attacker, **options) == pytest.approx(exact, abs=1e-4)


def test_binary_rows_are_not_a_matrix() -> None:
    FITS.clear()
    value_of("A->T", binary_rows(), attacker=NotingNeighbors(), n_trials=1)
    assert {fit.target.shape for fit in FITS} == {(160,)}
