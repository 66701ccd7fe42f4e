"""BA-> of the captions of six models on the COCO test split, with a label matrix of 65 objects.

The true gender is the labels' ``gender``, the true objects their ``objects`` and not those of human
captions, and the predicted objects ``objects_pred``, the substring rule of the authors' parser:
these give A->T = -.005858 for the first model. Whole words (``objects_pred_word``) give -.005958,
and objects of human captions -.001595.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matrix_oracle as oracle
import pandas as pd
import pytest
from metric_cases import quietly

import biasamp_adapters as bam

MODELS = ["baseline_ft", "balanced", "upweight", "confident", "confusion", "equalizer"]


def _read(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(folder / name, keep_default_na=False)


def _matrix(lists: pd.Series, objects: list[str]) -> pd.DataFrame:
    held = [set(text.split("|")) for text in lists]
    return pd.DataFrame({name: [int(name in row) for row in held] for name in objects})


@pytest.fixture(scope="module")
def captions(shared_data: Path) -> pd.DataFrame:
    """The captions of all six models beside the labels of the test split."""
    labels = _read(shared_data, "coco_labels.csv.gz")
    labels = labels[labels["split"] == "test"]
    made = _read(shared_data, "coco_caption_predictions.csv.gz")
    return labels.merge(made, on="image_id", validate="one_to_many")


@pytest.fixture(scope="module")
def objects(shared_data: Path, captions: pd.DataFrame) -> list[str]:
    """The papers' objects that the labels hold: all but "person"."""
    listed = _read(shared_data, "coco_objects.csv").query("in_66 == 1")["object"]
    held = set().union(*(text.split("|") for text in captions["objects"]))
    assert set(listed) - held == {"person"}
    return [name for name in listed if name in held]


def arguments(frame: pd.DataFrame, objects: list[str], rule: str = "objects_pred") -> dict:
    """Rows of one model as a metric takes them."""
    return {
        "y_true": _matrix(frame["objects"], objects),
        "y_pred": _matrix(frame[rule], objects),
        "sensitive_features": frame["gender"].tolist(),
        "sensitive_features_pred": [gender or None for gender in frame["gender_pred"]],
    }


def of_model(captions: pd.DataFrame, model: str, *, named: bool = True) -> pd.DataFrame:
    """The captions of a model: those that name a gender, or all."""
    rows = captions[captions["model"] == model]
    return rows[rows["gender_pred"] != ""] if named else rows


def directional(direction: str, **options: Any) -> bam.DirectionalBiasAmplification:
    return bam.DirectionalBiasAmplification(direction=direction, **options)


@pytest.mark.parametrize(
    ("rule", "direction", "expected"),
    [
        ("objects_pred", "A->T", -0.005858),
        ("objects_pred_word", "A->T", -0.005958),
        # T->A reads the true objects only.
        ("objects_pred", "T->A", -0.033241),
    ],
)
def test_the_first_model(
    captions: pd.DataFrame, objects: list[str], rule: str, direction: str, expected: float
) -> None:
    frame = of_model(captions, "baseline_ft")
    assert (len(frame), len(objects)) == (4354, 65)
    result = directional(direction).result(**arguments(frame, objects, rule))
    assert result.value == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize("direction", ["A->T", "T->A"])
def test_dropping_captions_before_is_dropping_missing_ones(
    captions: pd.DataFrame, objects: list[str], direction: str
) -> None:
    named = of_model(captions, "baseline_ft")
    every = of_model(captions, "baseline_ft", named=False)
    expected = directional(direction).result(**arguments(named, objects))
    metric = directional(direction, missing="drop")
    # 5,473 captions less 4,354 that name a gender.
    with pytest.warns(bam.AmplificationWarning, match=r"1119 row\(s\) with missing values"):
        result = metric.result(**arguments(every, objects))
    assert result.value == expected.value
    assert result.n == expected.n == 4354
    pd.testing.assert_frame_equal(result.by_pair, expected.by_pair)


@pytest.mark.parametrize("direction", ["A->T", "T->A"])
def test_the_oracle_agrees_on_the_first_model(
    captions: pd.DataFrame, objects: list[str], direction: str
) -> None:
    given = arguments(of_model(captions, "baseline_ft"), objects)
    result = directional(direction).result(**given)
    matrices = (given["y_true"].to_numpy().tolist(), given["y_pred"].to_numpy().tolist())
    genders = given["sensitive_features"], given["sensitive_features_pred"]
    rows = oracle.data(*matrices, *genders, groups=["man", "woman"])
    expected = oracle.directional(rows, direction)
    assert result.value == pytest.approx(float(expected.value), abs=1e-12)
    for pair in result.by_pair.itertuples():
        key = pair.attribute, (objects.index(pair.task),)
        assert pair.sign == expected.coefficients[key]
        assert pair.delta == pytest.approx(float(expected.deltas[key]), abs=1e-12)


# Of each model, captions that name a gender, objects that lean to men, and the mean T->A over those
# objects and over the ones that lean to women. No object is tied.
LEANINGS = {
    "baseline_ft": (4354, 23, 0.078413, -0.094385),
    "balanced": (4411, 22, 0.075516, -0.090062),
    "upweight": (5120, 23, 0.039245, -0.031540),
    "confident": (3931, 21, 0.043858, -0.018381),
    "confusion": (4415, 23, 0.062576, -0.053220),
    "equalizer": (3594, 24, 0.013866, 0.005193),
}


@pytest.mark.parametrize("model", MODELS)
def test_objects_of_men_and_of_women_go_opposite_ways(
    captions: pd.DataFrame, objects: list[str], model: str
) -> None:
    """Five models name men more often than the labels do, beside objects of either kind: that
    strengthens the bias of men's objects and weakens that of women's, and the mean hides both. The
    Equalizer is the exception: it is up on both, by less than the others."""
    frame = of_model(captions, model)
    result = quietly(directional("T->A").result, **arguments(frame, objects))
    n_captions, n_men, of_men, of_women = LEANINGS[model]
    men = result.by_pair.query("attribute == 'man'").set_index("task")["sign"]
    assert (len(frame), (men > 0).sum(), (men < 0).sum()) == (n_captions, n_men, 65 - n_men)

    by_task = result.by_task
    assert by_task[men > 0].mean() == pytest.approx(of_men, abs=5e-7)
    assert by_task[men < 0].mean() == pytest.approx(of_women, abs=5e-7)
    assert (of_men * of_women < 0) == (model != "equalizer")
    mean = (n_men * of_men + (65 - n_men) * of_women) / 65
    assert result.value == pytest.approx(mean, abs=5e-7)


@pytest.mark.parametrize("model", MODELS)
def test_of_two_groups_neither_sign_nor_group_shows_the_trends(
    captions: pd.DataFrame, objects: list[str], model: str
) -> None:
    """Each object is a pair of either sign, whose contributions are equal: D and s both turn."""
    given = arguments(of_model(captions, model), objects)
    result = quietly(directional("T->A").result, **given)
    whole = pytest.approx([result.value] * 2, abs=1e-12)
    assert result.by_sign["contribution"].tolist() == whole
    assert result.by_attribute.tolist() == whole
