"""What the functions in aif360.sklearn's conventions refuse, and what missing values are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

from dataset_cases import core_result, quiet
from prot_attr_cases import PRED, WORDS, Y

import biasamp_adapters as bam
import biasamp_adapters.aif360 as baa

ba = baa.directional_bias_amplification
SEX = WORDS["sex"]
MISSING = Y.set_axis(
    pd.MultiIndex.from_arrays([[None, *SEX[1:]], WORDS["age"]], names=Y.index.names)
)


def test_an_unknown_level() -> None:
    message = r"prot_attr must name levels of the index of y_true, \['sex', 'age'\], .*'race'"
    with pytest.raises(ValueError, match=message):
        ba(Y, PRED, prot_attr="race")
    with pytest.raises(ValueError, match=message):
        ba(Y, PRED, prot_attr=["sex", "race"])


@pytest.mark.parametrize("names", [[None], ["sex", None]], ids=["one", "one of two"])
def test_levels_without_a_name(names: list[str | None]) -> None:
    y = Y.set_axis(pd.MultiIndex.from_arrays([SEX] * len(names), names=names))
    with pytest.raises(ValueError, match=r"prot_attr must be given where levels .* have no name"):
        ba(y, PRED)


@pytest.mark.parametrize("y", [Y.to_numpy(), Y.tolist()], ids=["array", "list"])
def test_labels_without_an_index(y: Any) -> None:
    with pytest.raises(ValueError, match="y_true must be a Series with the protected attributes"):
        ba(y, PRED)
    with pytest.raises((TypeError, ValueError), match="protected attributes"):
        ba(y, PRED, prot_attr="sex")


def test_attributes_of_another_length() -> None:
    with pytest.raises(ValueError, match="Expected 120 rows, received array of length 5"):
        ba(Y, PRED, prot_attr=SEX.to_numpy()[:5])


@pytest.mark.parametrize(
    ("options", "lengths"),
    [
        ({"y_pred": PRED[:4]}, "y_pred 4"),
        ({"sample_weight": [1.0] * 4}, "sample_weight 4"),
        ({"prot_attr_pred": SEX[:4], "direction": "T->A"}, "prot_attr_pred 4"),
    ],
    ids=["predictions", "weights", "predicted attribute"],
)
def test_rows_of_another_length(options: dict[str, Any], lengths: str) -> None:
    with pytest.raises(ValueError, match=f"inputs must have the same length; .*{lengths}"):
        ba(**{"y_true": Y, "y_pred": PRED, "prot_attr": "sex", **options})


@pytest.mark.parametrize("group", [1, "Male", ("male",), ["male"], np.nan], ids=str)
def test_an_unknown_privileged_group(group: Any) -> None:
    with pytest.raises(ValueError, match="priv_group must be one of the groups 'female', 'male'"):
        ba(Y, PRED, prot_attr="sex", priv_group=group)


def test_a_privileged_group_of_one_of_two_levels() -> None:
    with pytest.raises(ValueError, match=r"priv_group must be one of the groups .*received 'male'"):
        ba(Y, PRED, priv_group="male")


@pytest.mark.parametrize("guess", ["female", "male"])
def test_a_model_that_predicts_one_group_only(guess: str) -> None:
    everybody = np.full(len(Y), guess, dtype=object)
    core = bam.DirectionalBiasAmplification(direction="T->A")
    expected = core_result(core, WORDS, SEX, everybody).value
    value = ba(
        Y, PRED, prot_attr="sex", prot_attr_pred=everybody, priv_group="male", direction="T->A"
    )
    assert value == pytest.approx(expected, abs=1e-12)


def test_a_missing_group() -> None:
    with pytest.raises(ValueError, match=r"^prot_attr must not have missing values; received 1"):
        ba(MISSING, PRED, prot_attr="sex")


def test_a_missing_part_of_a_crossed_group() -> None:
    with pytest.raises(ValueError, match="must not have missing values; received 1"):
        ba(MISSING, PRED)


def test_a_missing_group_beside_a_privileged_one() -> None:
    with pytest.raises(ValueError, match="must not have missing values; received 1"):
        ba(MISSING, PRED, prot_attr="sex", priv_group="male")


def test_a_missing_prediction_beside_a_privileged_group() -> None:
    guess = [None, *WORDS["sex_pred"][1:]]
    with pytest.raises(ValueError, match=r"^prot_attr_pred must not have missing values"):
        ba(Y, PRED, prot_attr="sex", prot_attr_pred=guess, priv_group="male", direction="T->A")


@pytest.mark.parametrize(
    "options",
    [{"prot_attr": "sex"}, {}, {"prot_attr": "sex", "priv_group": "male"}],
    ids=["one level", "crossed", "privileged"],
)
def test_missing_groups_are_dropped_if_told_so(options: dict[str, Any]) -> None:
    value = quiet(ba, MISSING, PRED, missing="drop", **options)
    assert value == pytest.approx(ba(Y[1:], PRED[1:], **options), abs=1e-12)


def test_a_missing_label() -> None:
    y = Y.copy()
    y.iloc[3] = None
    with pytest.raises(ValueError, match="y_true must not have missing values; received 1"):
        ba(y, PRED, prot_attr="sex")


def test_t_to_a_without_predicted_attributes() -> None:
    with pytest.raises(ValueError, match="attribute: prot_attr_pred must be given"):
        ba(Y, PRED, prot_attr="sex", direction="T->A")


def test_crossed_predictions_of_words_and_numbers() -> None:
    codes = (WORDS["age"] == "you").astype(int)
    y = Y.set_axis(pd.MultiIndex.from_arrays([SEX, codes], names=["sex", "age"]))
    frame = pd.DataFrame({"sex": WORDS["sex_pred"], "age": codes})
    rows = list(frame.itertuples(index=False, name=None))
    expected = ba(y, PRED, prot_attr_pred=frame, direction="T->A")
    assert ba(y, PRED, prot_attr_pred=rows, direction="T->A") == expected


def test_one_prediction_for_crossed_attributes() -> None:
    with pytest.raises(ValueError, match=r"^prot_attr_pred must hold only labels known"):
        ba(Y, PRED, prot_attr_pred=WORDS["sex_pred"], direction="T->A")


def test_a_reference_without_the_level() -> None:
    with pytest.raises(ValueError, match=r"prot_attr must name levels of the index"):
        ba(Y, PRED, prot_attr="sex", reference=Y.reset_index(drop=True))


def test_a_reference_series_beside_values_of_the_attribute() -> None:
    # The values belong to y_true; whose they are in the reference, its own index must say.
    for attribute in (SEX.to_numpy(), [SEX.to_numpy()], ["age", SEX.to_numpy()]):
        with pytest.raises(ValueError, match=r"reference must be \(y_true, prot_attr\) where"):
            ba(Y, PRED, prot_attr=attribute, reference=Y[::-1])


@pytest.mark.parametrize("reference", [3, "train", Y.to_frame(), Y.to_numpy()], ids=type)
def test_references_of_another_type(reference: Any) -> None:
    with pytest.raises(ValueError, match="reference must be"):
        ba(Y, PRED, prot_attr="sex", reference=reference)


def test_one_group_only() -> None:
    men = (SEX == "male").to_numpy()
    with pytest.raises(
        ValueError, match=r"^prot_attr must have at least two groups; received only"
    ):
        ba(Y[men], PRED[men], prot_attr="sex")


def test_an_unknown_parameter() -> None:
    with pytest.raises(TypeError, match=r"no argument 'sensitive_features': .* as prot_attr"):
        ba(Y, PRED, prot_attr="sex", sensitive_features=SEX)


@pytest.mark.parametrize("name", ["sensitive_features_pred", "attribute_prediction"])
@pytest.mark.parametrize("function", [ba, baa.leakage_amplification])
def test_the_name_that_others_have_for_the_predicted_attribute(function: Any, name: str) -> None:
    message = f"has no argument '{name}': it takes the predicted attribute as prot_attr_pred$"
    with pytest.raises(TypeError, match=message):
        function(Y, PRED, prot_attr="sex", **{name: WORDS["sex_pred"]})
