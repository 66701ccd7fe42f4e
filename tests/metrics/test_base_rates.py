"""Rates that are given by hand in the place of labels ([W21] 5.3): values, signs, forms, errors."""

import json
from functools import partial
from math import isnan
from typing import Any

import pandas as pd
import pytest

import biasamp_adapters as bam

BA, MALS = bam.DirectionalBiasAmplification, bam.MALSBiasAmplification
Multi = bam.MultiAttributeBiasAmplification

HALF = {"he": {"cook": 0.5, "nurse": 0.5}, "she": {"cook": 0.5, "nurse": 0.5}}
SHARES = {"he": 0.5, "she": 0.5}
BY_JOB = {"cook": SHARES, "nurse": SHARES}
SIGNS = {"he": {"cook": 1, "nurse": -1}, "she": {"cook": -1, "nurse": 1}}

#: Six of ten "he" are said to be cooks, and three of ten "she".
SAID = ["cook"] * 6 + ["nurse"] * 4 + ["cook"] * 3 + ["nurse"] * 7
PRONOUN = ["he"] * 10 + ["she"] * 10
#: Beside .5 each: "he" and cooks by .1, "she" and nurses by .2.
VALUE = (0.1 + 0.1 + 0.2 + 0.2) / 4


def a_to_t(rates: bam.BaseRates, said: Any = SAID, groups: Any = PRONOUN) -> Any:
    return BA(reference=rates).result(y_pred=said, sensitive_features=groups)


def test_rates_stand_where_labels_stand() -> None:
    metric = BA(reference=bam.BaseRates(HALF, signs=SIGNS))
    result = metric.result(y_pred=SAID, sensitive_features=PRONOUN)
    assert result.value == pytest.approx(VALUE, abs=1e-15)
    pairs = result.by_pair.set_index(["group", "class"])
    assert pairs["change"].tolist() == pytest.approx([0.1, -0.1, -0.2, 0.2], abs=1e-15)
    assert pairs["sign"].tolist() == [1, -1, -1, 1]
    # Rates by hand are no sample, and errors are errors beside labels.
    assert not pairs["uncertain"].any()
    assert (result.notes, [*result.estimates]) == ((), ["value"])
    # A truth that is there is not read.
    truth = ["nurse", "cook"] * 10
    assert metric(truth, SAID, sensitive_features=PRONOUN) == pytest.approx(VALUE, abs=1e-15)


@pytest.mark.parametrize("share", [1 / 3, 0.3333333])
def test_equal_rates_are_ties(share) -> None:
    # A sum of .9999999 is taken for 1, and rounding for none.
    names = ["he", "she", "they"]
    rates = {name: {"cook": 0.1, "nurse": 0.89} for name in names}  # Rounded to whole percents.
    groups = PRONOUN[:15] + ["they"] * 5
    for shares in (None, dict.fromkeys(names, share)):
        result = a_to_t(bam.BaseRates(rates, group_shares=shares), groups=groups)
        assert result.by_pair["sign"].tolist() == [0] * 6


def test_tables_are_mappings_or_frames() -> None:
    rates = {"he": {"cook": 0.4, "nurse": 0.6}, "she": {"cook": 0.2, "nurse": 0.8}}
    expected = bam.BaseRates(rates, group_shares=SHARES)
    read = bam.BaseRates(pd.DataFrame(rates).T, group_shares=pd.Series(SHARES))
    assert (read.group_labels, read.class_labels) == (("he", "she"), ("cook", "nurse"))
    assert a_to_t(read).value == a_to_t(expected).value
    assert repr(read) == "<BaseRates A->T of 2 groups and 2 classes>"


@pytest.mark.parametrize("labels", [(0, 1), (False, True), (7, 8), ("7", "8"), (0.5, 1.5)])
def test_names_of_a_file_stand_for_labels_that_look_like_them(tmp_path, labels) -> None:
    no, yes = map(str, labels)
    table = {"m": {no: 0.4, yes: 0.6}, "w": {no: 0.6, yes: 0.4}}
    path = tmp_path / "rates.json"
    path.write_text(json.dumps({"rates": table}))
    said = [labels[x == "cook"] for x in SAID]
    groups = ["m" if x == "he" else "w" for x in PRONOUN]
    metric = BA(reference=bam.BaseRates.from_file(path), class_labels=labels)
    value = metric(None, said, sensitive_features=groups)
    # .6 and .3 of class "yes" beside .6 and .4.
    assert value == pytest.approx((0.0 + 0.1) / 2, abs=1e-15)


BAD_TABLES: list[tuple[dict[str, Any], str]] = [
    ({"rates": {"he": {"cook": 1.5}}}, "rates must hold numbers from 0 to 1 .*; received 1.5"),
    ({"rates": {"he": HALF["he"], "she": {"cook": 0.5}}}, "every group and class; received nan"),
    ({"rates": {"he": {"cook": pd.NA, "nurse": 1}}}, "every group and class; received nan"),
    ({"rates": {"he": {"cook": "half"}}}, "rates must hold numbers; received .half"),
    ({"rates": pd.DataFrame([[1.0]] * 2, [*"bb"])}, "list different labels; received 'b', 'b'"),
    (
        {"rates": [[0.5, 0.5]]},
        "rates must be a frame or a mapping such as .*received \\[\\[0.5, 0.5]]",
    ),
    ({"rates": {"he": 0.5}}, "rates must be a frame or a mapping such as .*received {'he': 0.5}"),
    ({"rates": {}}, "rates must be a frame or a mapping .*; received {}"),
    ({"signs": {**SIGNS, "he": {"cook": 0.5, "nurse": 1}}}, "signs must be -1, 0 or 1; .* 0.5"),
    ({"direction": "sideways"}, "direction must be 'A->T' or 'T->A'; received 'sideways'"),
    ({"signs": {**SIGNS, "he": {"cook": 2, "nurse": 1}}}, "signs must hold numbers from -1 to 1"),
    ({"rates": {"\ud800": {"cook": 0.5, "nurse": 0.5}}}, "rates must be text that fits UTF-8"),
    ({"group_shares": {"he": 0.5, "she": 0.6}}, "must sum to 1; received a sum of 1.1"),
    ({"group_shares": {"he": 0.5, "she": 0.50001}}, "must sum to 1; received a sum of 1.00001"),
    ({"group_shares": {"he": 1.0}}, "group_shares must hold numbers .* for every group"),
]


@pytest.mark.parametrize(("changed", "fragment"), BAD_TABLES)
def test_bad_table_raises(changed, fragment) -> None:
    with pytest.raises(ValueError, match=fragment):
        bam.BaseRates(**{"rates": HALF} | changed)


@pytest.mark.parametrize(
    "content",
    ["rates:\n he: 1", "[1, 2]", '{"signs": {}}', '{"rates": {"a": {"x": 1}}, "shares": {}}'],
)
def test_bad_file_raises(tmp_path, content) -> None:
    path = tmp_path / "rates.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"rates.json must be JSON with 'rates'"):
        bam.BaseRates.from_file(path)


A_RATES, T_RATES = bam.BaseRates(HALF, signs=SIGNS), bam.BaseRates(BY_JOB, direction="T->A")
OF_T, AUDIT_OF_T = BA(direction="T->A", reference=T_RATES), partial(bam.audit, reference=T_RATES)

ODD = {"cook": 0.9, "nurse": 0.9}
ODD_SHARES = bam.BaseRates(BY_JOB | {"cook": {"he": 0.5, "she": 0.511}}, direction="T->A")
PREDICTED = {"y_true": SAID, "sensitive_features_pred": PRONOUN}

BAD_USE: list[tuple[Any, dict[str, Any], str]] = [
    (MALS(reference=A_RATES), {}, "BaseRates must be of 'T->A' here; received 'A->T'"),
    (BA(reference=T_RATES), {}, "BaseRates must be of 'A->T' for y_pred; received 'T->A'"),
    (OF_T, PREDICTED, "have group_shares= or signs= h"),
    (BA(reference=A_RATES), {"y_pred": ["pilot"] * 20}, "all of y_true; they lack 'pilot'"),
    (BA(reference=A_RATES), {"sensitive_features": ["they"] * 20}, "all of sensitive_features"),
    (BA(reference=bam.BaseRates(dict.fromkeys(SHARES, ODD))), {}, "sum to 1 .*; received 1.8"),
    (BA(direction="T->A", reference=ODD_SHARES), PREDICTED, "sum to 1 .*; received 1.011"),
    (BA(reference=A_RATES), {"y_pred": None}, "y_pred must be given for BA A->T"),
    (OF_T, {}, "sensitive_features_pred must be given"),
    (AUDIT_OF_T, {"y_pred": None, "sensitive_features_pred": PRONOUN}, "y_true must be given for"),
    (
        BA(reference=bam.BaseRates({"he": {"cook": 1.0, "nurse": 0.0}})),
        {"sensitive_features": ["he"] * 20},
        "at least two groups; received only 'he'",
    ),
]


@pytest.mark.parametrize(("metric", "changed", "fragment"), BAD_USE)
def test_rates_that_do_not_fit_raise(metric, changed, fragment) -> None:
    columns: Any = {"y_true": None, "y_pred": SAID, "sensitive_features": PRONOUN} | changed
    with pytest.raises(ValueError, match=fragment):
        metric(**columns)


def test_audit_against_given_shares_of_groups_needs_no_groups_of_rows() -> None:
    by_job = {"cook": {"he": 0.7, "she": 0.3}, "nurse": {"he": 0.4, "she": 0.6}}
    rates = bam.BaseRates(by_job, direction="T->A", group_shares=SHARES)
    report = bam.audit(y_true=SAID * 5, sensitive_features_pred=PRONOUN * 5, reference=rates)
    [gap] = report.summary["gaps"]
    # Six of nine said to be cooks, and four of eleven nurses, are predicted "he".
    assert abs(gap["predicted"]) == pytest.approx(6 / 9 - 4 / 11)


def test_multi_of_a_matrix_without_labels_has_an_interval() -> None:
    rates = {"a": {0: 0.5, 1: 0.5}, "b": {0: 0.5, 1: 0.5}}
    metric = Multi(reference=bam.BaseRates(rates))
    predicted, groups = [[0, 1], [1, 1], [1, 0], [0, 0]] * 20, [*"aabb"] * 20
    result = metric.result(y_pred=predicted, sensitive_features=groups, n_boot=100)
    # Rates are 1/2 and 1 in a, 1/2 and 0 in b.
    assert result.value == 0.25
    assert result.interval is not None


def test_rows_without_a_group_have_no_value() -> None:
    rates = bam.BaseRates({"a": {0: 0.4, 1: 0.6}, "b": {0: 0.5, 1: 0.5}})
    nobody = bam.OverlappingGroups([[0, 0], [0, 0]], names=["a", "b"])
    result = BA(reference=rates).result(y_pred=[0, 1], sensitive_features=nobody, n_boot=0)
    assert isnan(result.value)
