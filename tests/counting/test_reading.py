"""What counts as a label, and how labels of any container are read."""

import datetime as dt
import io
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import biasamp_adapters as bam

#: The share of 1 stays 1/2 in a, and falls from 1 to 1/2 in b: BA is (0 - 1/2) / 2.
Y, P, G = [0, 1, 1, 1], [1, 1, 0, 0], ["a", "b", "a", "b"]
BA_OF_ROWS = -1 / 4

CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "objects": lambda values: np.array(values, dtype=object),
    "series": lambda values: pd.Series(values, dtype=object),
    "arrow series": lambda values: pd.Series(pd.array(values, dtype=pd.ArrowDtype(pa.int64()))),
    "category": lambda values: pd.Series(values, dtype=object).astype("category"),
    "polars": pl.Series,
    "arrow": pa.array,
    "chunked": lambda values: pa.chunked_array([pa.array(values[:7]), pa.array(values[7:])]),
    "dictionary": lambda values: pa.array(values).dictionary_encode(),
}


def groups_of(values: Any, **options: Any) -> tuple[Any, ...]:
    n = len(values)
    counts = bam.Counts.from_arrays([0] * n, [0] * n, sensitive_features=values, **options)
    return counts.group_labels


@pytest.mark.parametrize("container", CONTAINERS)
def test_whole_numbers_above_2_to_the_53_with_missing_values_stay_distinct(container) -> None:
    values = [2**53, 2**53 + 1, 2**53 + 2, None] * 3
    read = CONTAINERS[container](values)
    assert groups_of(read, missing="drop") == (2**53, 2**53 + 1, 2**53 + 2)


@pytest.mark.parametrize(
    "values",
    [
        [1, 0, 1],
        [1.0, 0.0, 1.0],
        np.array([1, 0, 1], dtype=np.uint8),
        np.array([1, 0, 1], dtype=np.float16),
        pd.Series(pa.array(np.array([1, 0, 1], np.float16)), dtype=pd.ArrowDtype(pa.float16())),
        [np.int64(1), np.int64(0), np.float64(1)],
        pd.array([1, 0, 1], dtype="Int8"),
        pa.array([1.0, 0.0, 1.0]),
        pl.Series([1, 0, 1], dtype=pl.UInt8),
        [Decimal(1), Decimal("0.0"), 1],
    ],
)
def test_whole_numbers_of_every_kind_are_the_same_labels(values) -> None:
    labels = groups_of(values)
    assert labels == (0, 1)
    assert {type(label) for label in labels} == {int}


def test_booleans_beside_numbers_are_0_and_1() -> None:
    counts = bam.Counts.from_arrays([True, False], [1, 0], sensitive_features=["a", "b"])
    assert [repr(label) for label in counts.class_labels] == ["0", "1"]
    alone = bam.Counts.from_arrays([True, False], [True, True], sensitive_features=["a", "b"])
    assert [repr(label) for label in alone.class_labels] == ["False", "True"]


def test_largest_whole_numbers_of_a_type_stay_as_they_are() -> None:
    for dtype in (np.int8, np.int64, np.uint64):
        most = int(np.iinfo(dtype).max)
        assert groups_of(np.array([most, most - 2], dtype=dtype)) == (most - 2, most)


DAYS = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]


@pytest.mark.parametrize(
    "days",
    [
        DAYS,
        pd.Series(pd.to_datetime(DAYS)),
        pl.Series(DAYS),
        pl.Series(DAYS).cast(pl.Datetime),
        pa.array(DAYS),
        np.array(DAYS, dtype="M8[D]"),
    ],
)
def test_dates_of_every_engine_are_the_same_labels(days) -> None:
    assert groups_of(days) == tuple(DAYS)


def test_labels_that_differ_beyond_floats_and_microseconds_stay_distinct(tmp_path) -> None:
    digits = ["0.1234567890123456788", "0.1234567890123456789"]
    assert groups_of([Decimal(number) for number in digits]) == tuple(map(Decimal, digits))
    nanoseconds = pd.to_datetime([1, 2])
    assert groups_of(nanoseconds) == tuple(nanoseconds)
    counts = bam.Counts.from_arrays(sensitive_features=nanoseconds, count=[5, 5])
    with pytest.raises(ValueError, match="text, numbers or dates; received a Timestamp"):
        counts.save(tmp_path / "counts.json")


def test_outer_spaces_and_case_make_labels_distinct() -> None:
    assert groups_of(["f", "f ", "F"]) == ("F", "f", "f ")


def test_missing_values_of_every_kind_are_missing() -> None:
    for missing in (None, np.nan, pd.NA, pd.NaT, float("nan")):
        assert groups_of(pd.Series(["a", "b", missing], dtype=object), missing="drop") == ("a", "b")
    for labels in (np.arange(3), np.arange(3.0), np.array([*"abc"])):
        masked = np.ma.array(labels, mask=[0, 0, 1])
        assert groups_of(masked, missing="drop") == groups_of(labels[:2])


def test_labels_named_as_missing_leave_probabilities_of_0_and_1() -> None:
    y, p, groups = [0, 1, -1, 1, 1], [0.5, 0.9, 0.2, 0.4, -9], [*"ab", "a", "?", "b"]
    options = {"missing": "drop", "missing_values": pd.Index([-1, "?", "-9"])}
    counts = bam.Counts.from_arrays(y, p, sensitive_features=groups, **options)
    assert counts == bam.Counts.from_arrays(y[:2], p[:2], sensitive_features=groups[:2])


@pytest.mark.parametrize(
    ("y", "p"),
    [
        (sparse.csr_array(np.array(Y)), P),
        (sparse.csr_array(np.array(Y)[:, None]), P),
        (np.array(Y)[:, None], np.array(P)[:, None]),
        (pd.DataFrame({"y": Y}), pl.DataFrame({"p": P})),
    ],
)
def test_one_column_of_two_dimensions_reads_as_a_column(y, p) -> None:
    counts = bam.Counts.from_arrays(y, p, sensitive_features=G)
    assert not counts.rows.is_matrix("y_true")
    names = {"y_true": ["y"], "y_pred": {"model": ["p"]}, "sensitive_features": "g"}
    assert counts == bam.Counts.from_frame({"y": Y, "p": P, "g": G}, **names)
    assert bam.DirectionalBiasAmplification().result(counts).value == BA_OF_ROWS


def test_matrix_of_minus_1_and_1_reads_as_0_and_1() -> None:
    metric = bam.DirectionalBiasAmplification()
    truth, predicted = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[1, 1], [0, 1], [0, 1]])
    value = metric(truth, predicted, sensitive_features=["a", "b", "a"])
    assert value == metric(2 * truth - 1, 2 * predicted - 1, sensitive_features=["a", "b", "a"])


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("y_pred", pd.Series(P, index=[*"utsr"])),
        ("sample_weight", pd.Series(1.0, index=[*"utsr"])),
        ("sensitive_features", {"u": G, "v": pd.Series(G, index=[*"utsr"])}),
    ],
)
def test_index_in_another_order_warns(name, values) -> None:
    arguments = {"y_pred": P, "sensitive_features": G, name: values}
    with pytest.warns(bam.AmplificationWarning, match=f"y_true and {name} have the same index"):
        bam.directional_bias_amplification(pd.Series(Y, index=[*"rstu"]), **arguments)


def test_rows_in_another_order_than_positions_warn_unless_they_are_of_a_model() -> None:
    y, in_order = pd.Series(Y, index=[3, 1, 0, 2]), pd.Series(G)
    with pytest.warns(bam.AmplificationWarning, match="y_true and sensitive_features have"):
        bam.directional_bias_amplification(y, P, sensitive_features=in_order)
    predicted = pd.Series(P)
    assert bam.directional_bias_amplification(y, predicted, sensitive_features=G) == BA_OF_ROWS


def test_classes_are_those_of_truth_and_predictions_unless_they_are_listed() -> None:
    counts = bam.Counts.from_arrays([*"rgg"], [*"rgb"], sensitive_features=[*"aba"])
    assert counts.class_labels == ("b", "g", "r")
    lists = {"class_labels": (2, 1, 0), "group_labels": ("b", "a", "c")}
    counts = bam.Counts.from_arrays(Y, P, sensitive_features=G, **lists)
    assert (counts.class_labels, counts.group_labels) == tuple(lists.values())
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)] * 2
    listed = [("b", np.datetime64("2020-01-02")), ("a", pd.Timestamp(2020, 1, 1))]
    counts = bam.Counts.from_arrays(Y, sensitive_features={"g": G, "d": days}, group_labels=listed)
    assert counts.group_labels == (("b", days[1]), ("a", days[0]))


def ba(y_true: Any = Y, y_pred: Any = P, sensitive_features: Any = G, **others: Any) -> float:
    arrays = {"sample_weight", "sensitive_features_pred"}
    settings = {name: others.pop(name) for name in {*others} - arrays}
    metric = bam.DirectionalBiasAmplification(**settings)
    return metric(y_true, y_pred, sensitive_features=sensitive_features, **others)


OF_SEX = pd.Series(Y, index=pd.MultiIndex.from_arrays([G, G], names=["sex", "sex"]))
UV = pd.DataFrame({"u": G, "v": G})
CROSSED: dict[str, Any] = {"sensitive_features": UV}
OF_VU = pd.crosstab([UV["v"], UV["u"]], Y, normalize="index")
BAD_INPUT: list[tuple[dict[str, Any], str]] = [
    ({"y_true": [1, "1", 0, 0]}, "y_true holds 1 and '1', which look the same"),
    ({"sensitive_features": [1.0, "1.0", 2.0, "2.0"]}, "holds 1 and '1.0', which look the same"),
    ({"y_true": ["1", "1", "0", "0"]}, "y_true or y_pred holds 0 and '0'"),
    ({"sensitive_features": {"u": ["x × y", "x"] * 2, "v": ["z", "y × z"] * 2}}, "replace the s"),
    (CROSSED | {"reference": (Y, UV[["v", "u"]])}, "the order of .*, 'u × v'; received 'v × u'"),
    (CROSSED | {"sensitive_features_pred": UV[["v", "u"]]}, "_pred must have its columns in the"),
    (CROSSED | {"reference": bam.BaseRates(OF_VU)}, "rates must have"),
    ({"sensitive_features": [1.5, float("inf"), 1, 2]}, "finite labels; received inf"),
    ({"sensitive_features": np.array(["a", "nan", "a", "b"])}, "the text 'nan'"),
    ({"sensitive_features": ["\ud800", *"aaa"]}, r"_features must be text .* '\\ud800'$"),
    ({"y_pred": {"\ud800": P}}, "y_pred must be text that fits UTF-8"),
    ({"sensitive_features": [["a"], ["b", "c"], ["a"], ["a"]]}, "Label sets are a matrix with one"),
    ({"sensitive_features": pl.Series([["a"]] * 4, dtype=pl.Array(str, 1))}, "labels such as"),
    ({"y_true": pd.Series([[1]] * 4, dtype=pd.ArrowDtype(pa.list_(pa.int8())))}, "labels such as"),
    ({"sensitive_features": pa.array([{"u": 1}] * 4)}, "must hold labels such as"),
    ({"sensitive_features": [pd.Series(G), pd.Series(G)]}, "a frame such as pd"),
    ({"sensitive_features": np.array([[*"ab"] * 500] * 2)}, "as many rows; received y_true 4"),
    ({"sensitive_features": "r" * 900}, r"no level 'rrr.*…. Write y.set_axis\("),
    ({"y_true": pd.Series(Y), "sensitive_features": "race"}, "no level 'race'"),
    ({"sensitive_features": None}, "sample_params={NAME: .* In scikit-learn: amplification_scorer"),
    ({"sensitive_features": ["a"] * 4}, "at least two groups; received only 'a'"),
    ({"y_true": {0, 1}}, "y_true must be a column of values"),
    ({"y_true": io.StringIO("0")}, "received a StringIO"),
    ({"y_true": "label"}, "y_true='label' names a column. Pass an array, or data first"),
    ({"y_true": [0, None, 1, 1]}, "y_true must not have missing values; received 1"),
    ({"y_pred": [0, None, 1, 1]}, "received 1. Drop them, as audit does with missing='drop'"),
    ({"y_pred": P[:3]}, "received y_true 4, sensitive_features 4, y_pred 3"),
    ({"y_pred": [3, 4, 5, 0]}, "If these are scores: y_pred=.scores >= 0.5., or in"),
    ({"y_pred": [3, 4, 3, 4]}, "y_pred must share labels with y_true"),
    ({"y_true": [0.5, 2, 3, 4], "y_pred": [1, 2.5, 1, 5]}, "a regression has no classes"),
    ({"y_pred": [*"uvwx"]}, "share labels with y_true; received .u., .v. and 2 more and 0, 1:"),
    ({"y_pred": [0.2, 0.4, 0.1, 1.2]}, r"probabilities from 0 to 1 .*; received 1.2"),
    ({"y_true": np.eye(4)}, "y_true has 4 columns and y_pred 1. Pass the column of the labels"),
    ({"y_pred": [[]]}, "y_pred has 0 columns and y_true 1"),
    ({"y_pred": np.full((4, 2), 0.5)}, r"Pass predict_proba\(X\)\[:, 1\]"),
    ({"y_pred": [pd.DataFrame(P)] * 2}, "y_pred must be one array, or several in"),
    ({"y_true": np.zeros((2, 2, 2))}, "one or two dimensions; received 3"),
    ({"y_true": pl.LazyFrame({"a": Y})}, "y_true must be in memory"),
    ({"y_true": [], "y_pred": [], "sensitive_features": []}, "at least one row without missing"),
    ({"y_pred": [0.2, 0.4, 0.1, "unknown"]}, "y_pred must hold numbers; received 'unknown'"),
    ({"y_pred": {"a": P, "b": P}}, "reads one model; received 'a', 'b': use compare"),
    ({"sample_weight": [1, 1, 1, -1]}, "not negative; received -1"),
    ({"sample_weight": [1, None, 1, np.nan]}, "must not have missing values; received 2. Drop"),
    ({"sample_weight": [0, 0, 0, 0]}, "and not be all zero; received 0"),
    ({"sample_weight": [1e101, 1, 1, 1]}, r"a sum between 1e-100 and 1e100, .* received 1e\+101"),
    ({"sample_weight": ["a", 1, 1, 1]}, "sample_weight must hold numbers; received 'a'"),
    ({"sample_weight": [10**400, 1, 1, 1]}, "sample_weight must hold numbers"),
    ({"class_labels": {0, 1}}, "must be in an order, as in a list; received a set"),
    ({"class_labels": [0, 1, "1"]}, "must list different labels; received 0, 1, .1"),
    ({"class_labels": [0, 1, None]}, "must list different labels; received 0, 1, None"),
    ({"class_labels": [[0, 1]]}, r"must list different labels; received \[0, 1\]"),
    ({"class_labels": [0, 1, "\ud800"]}, r"class_labels must be text .* '\\ud800'$"),
    ({"y_true": pd.Series(Y, name="\ud800")}, r"y_true must be text .* '\\ud800'$"),
    ({"class_labels": [0, 2]}, "class_labels must list every label; received 1"),
    ({"sensitive_features": {"u": G, "v": G}, "group_labels": ["a × a"]}, r", as \('a', 'a'\); "),
    ({"group_labels": "ab"}, "group_labels must be in an order"),
    ({"y_true": OF_SEX, "sensitive_features": "sex"}, "2 levels of y_true's index have the name"),
    ({"pos_label": 7}, "pos_label must be 0 or 1; received 7"),
    ({"missing_values": "N" * 900}, "missing_values must be a list of labels; received 'NNN"),
    ({"class_labels": 5}, "must be in an order, as in a list; received a int"),
    ({"y_pred": [0, 1, np.inf, 0.0]}, "finite labels; received inf"),
    ({"sample_weight": np.ones((4, 2))}, r"sample_weight must be one column; .*\(4, 2\)"),
    ({"y_true": [*"nyyn"], "y_pred": [0.1, 0.9, 0.8, 0.2]}, "y_pred must share labels with y_true"),
    ({"missing": "skip"}, "missing must be 'error', 'drop' or 'abstain'; received 'skip'"),
    ({"missing": UV}, "missing must be 'error', 'drop' or 'abstain'"),
    ({"reference": pd.DataFrame({"y": Y})}, "reference: it must be a pair"),
    ({"reference": Y}, "a pair .*, a frame or a file; received a list of length 4"),
    ({"reference": (Y, None)}, "the reference must have both y_true and sensitive_features"),
    ({"reference": ([*Y, 7], [*G, "a"]), "class_labels": [0, 1]}, "every label; received 7"),
    ({"reference": (["u", "v"], ["a", "b"])}, "the reference must share labels with y_true"),
    ({"reference": (Y, ["u", "v"] * 2)}, "the reference must share labels with sensitive_features"),
]


@pytest.mark.parametrize(("inputs", "fragment"), BAD_INPUT)
def test_bad_input_raises_a_line_with_the_argument(inputs, fragment) -> None:
    with pytest.raises(ValueError, match=fragment) as raised:
        ba(**inputs)
    message = str(raised.value)
    assert "\n" not in message
    assert len(message) <= 300


def test_labels_that_only_predictions_have_leave_a_note() -> None:
    metric = bam.DirectionalBiasAmplification()
    predicted = ["recid ", "no", "no", "no"]
    result = metric.result([*["recid", "no"] * 2], predicted, sensitive_features=G, n_boot=0)
    assert "In 1 row, y_pred holds 'recid ', which y_true never holds" in result.notes[0]
    assert result.notes[0].endswith("as labels are flipped to them too.")
    result = metric.result([*["recid", "no"] * 2], ["", *predicted[1:]], sensitive_features=G)
    assert result.notes[0].startswith("1 row of y_pred holds '', which often means a missing value")
    listed = bam.DirectionalBiasAmplification(class_labels=["no", "recid", "recid "])
    result = listed.result([*["recid", "no"] * 2], predicted, sensitive_features=G, n_boot=0)
    assert not any("never holds" in note for note in result.notes)
    dropping = bam.DirectionalBiasAmplification(missing="drop")
    truth, predicted = [*"ababzz"], [*"azab", None, None]
    result = dropping.result(truth, predicted, sensitive_features=[*G, *G[1:3]], n_boot=0)
    note = "All rows with y_true z are left out, but in 1 row y_pred holds z: they count, and LA"
    assert result.notes[1].startswith(note)


def test_clusters_must_be_labels() -> None:
    with pytest.raises(ValueError, match="clusters must hold labels such as"):
        bam.Counts.from_arrays(Y, clusters=[{"u": 1}] * 4)


def test_models_of_both_predictions_must_be_the_same() -> None:
    models = {"old": P, "new": Y}
    with pytest.raises(ValueError, match="the models 'old', 'new'; received one column"):
        bam.compare(Y, models, sensitive_features=G, sensitive_features_pred=G, metric="BA T->A")


@pytest.mark.parametrize(
    ("reference", "note"),
    [
        ((Y, G), "The reference has no rows of c"),
        ((Y, ["a"] * 4), "The reference holds one group only"),
        (([*Y, 1], [*"aabc", "d"]), "The data have no rows of d"),
    ],
)
def test_reference_with_other_groups_leaves_a_note(reference, note) -> None:
    columns: dict[str, Any] = {"y_pred": [0, 1, 0], "sensitive_features": ["a", "b", "c"]}
    for kind in (bam.DirectionalBiasAmplification, bam.LeakageAmplification):
        notes = kind(reference=reference).result([0, 1, 1], **columns, n_boot=0).notes
        (found,) = (text for text in notes if text.startswith(note))
        assert kind is bam.DirectionalBiasAmplification or "BA" not in found


def test_pairs_that_the_reference_lacks_count_0() -> None:
    # Rates of 1: a .5 to 0, b .5 to 1, c 0 to 1. In the reference a is below b, and c is absent.
    metric = bam.DirectionalBiasAmplification(reference=([0, 1, 1, 1], [*"aabb"]))
    result = metric.result([0, 1, 0, 1, 0], [0, 0, 1, 1, 1], sensitive_features=[*"aabbc"])
    assert result.value == pytest.approx((0.5 + 0.5 + 0.0) / 3, abs=1e-15)
