"""What the papers' scripts need: subsets, designs, label errors, rank agreement, printed tables."""

import re
import warnings
from fractions import Fraction
from itertools import product
from math import erf, sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biasamp_adapters as bam
from biasamp_adapters import studies

# Subsets.

#: Of class 0: 10 and 40 rows of the groups a and b; of class 1: 30 and 20.
CLASS = np.repeat([0, 0, 1, 1], [10, 40, 30, 20])
GROUP = np.repeat(["a", "b", "a", "b"], [10, 40, 30, 20])


def sizes(rows: np.ndarray) -> list[int]:
    return [int(((y == CLASS) & (g == GROUP))[rows].sum()) for y, g in product((0, 1), "ab")]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"max_ratio": 1}, [10, 10, 20, 20]),
        ({"max_ratio": 1.25}, [10, 12, 25, 20]),  # 12.5 rows are 12.
        ({"max_ratio": 4 / 3}, [10, 13, 26, 20]),
        ({"max_ratio": 1e9}, [10, 40, 30, 20]),
    ],
)
def test_ratio_subset_of_labels_keeps_the_most_rows_that_it_may(options, expected) -> None:
    rows = studies.ratio_subset(CLASS, GROUP, **options)
    assert sizes(rows) == expected
    assert (np.diff(rows) > 0).all()


def test_balanced_subset_may_make_classes_equal_and_draws_by_the_seed() -> None:
    assert sizes(studies.balanced_subset(CLASS, GROUP)) == [10, 10, 20, 20]
    first, same, other = (
        studies.balanced_subset(CLASS, GROUP, equal_classes=True, random_state=seed)
        for seed in (0, 0, 1)
    )
    assert sizes(first) == sizes(other) == [10] * 4
    assert first.tolist() == same.tolist() != other.tolist()
    with pytest.warns(bam.AmplificationWarning, match="index labels in another order"):
        studies.balanced_subset(pd.Series(CLASS), pd.Series(GROUP)[::-1])


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=4, max_size=8),
    st.sampled_from([1, 2]),
)
def test_ratio_subset_of_a_matrix_is_the_largest(rows, max_ratio) -> None:
    *labels, group = np.array(rows, dtype=int).T
    matrix = np.column_stack(labels)

    def is_within(kept: np.ndarray) -> bool:
        of_label = np.column_stack([np.ones(len(kept), int), matrix[kept]])
        one, two = (of_label[group[kept] == g].sum(axis=0) for g in (0, 1))
        return bool((one <= max_ratio * two).all() and (two <= max_ratio * one).all())

    subsets = (np.flatnonzero(x) for x in product([0, 1], repeat=len(rows)))
    largest = max((len(kept) for kept in subsets if is_within(kept)), default=0)
    if len({*group}) < 2 or not largest:
        with pytest.raises(ValueError, match=r"no row is left|two groups"):
            studies.ratio_subset(matrix, group, max_ratio=max_ratio)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        kept = studies.ratio_subset(matrix, group, max_ratio=max_ratio)
    assert is_within(kept)
    assert len(kept) == largest


def test_ratio_subset_names_labels_of_which_no_row_is_kept() -> None:
    objects = pd.DataFrame({"toaster": [1, 0, 0], "cup": [0, 1, 1]})
    with pytest.warns(bam.AmplificationWarning, match="no row with toaster is kept"):
        kept = studies.ratio_subset(objects, [*"aab"], max_ratio=1)
    assert kept.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("call", "fragment"),
    [
        (lambda: studies.ratio_subset(CLASS, GROUP, max_ratio=0.5), "from 1 on; received 0.5"),
        (lambda: studies.balanced_subset([0, 1], ["a", "a"]), "must be given; received 'a'"),
        (lambda: studies.balanced_subset([0, 1, 1], ["a", "b"]), "y_true 3, sensitive_features 2"),
        (lambda: studies.balanced_subset([0, None], ["a", "b"]), "missing values; received 1"),
        (lambda: studies.balanced_subset("y", ["a", "b"]), "y_true='y' names a column"),
        (lambda: studies.balanced_subset({"y": 1}, ["a", "b"]), "must be a column of values"),
        (lambda: studies.balanced_subset(np.eye(2)[None], ["a"]), "or two dimensions; received 3"),
        (lambda: studies.ratio_subset(CLASS, GROUP, max_ratio="x"), "from 1 on; received 'x'"),
        (lambda: studies.balanced_subset([0, 1], ["a", "b"]), "a group has none of 0 and 1"),
        (lambda: studies.balanced_subset([[0, 2], [1, 0]], ["a", "b"]), "0 and 1 in each column"),
        (lambda: studies.make_alpha_shift(0.3, 0), "alpha_dataset must be a number from -0.25"),
        (lambda: studies.make_alpha_shift("x", 0.1), "from -0.25 to 0.25; received 'x'"),
        (lambda: studies.make_alpha_shift(0.1, None), "from -0.25 to 0.25; received None"),
        (lambda: studies.make_hidden_bias(0), "from 4 on; received 0"),
        (lambda: studies.make_hidden_bias(10), "a multiple of 4; received 10"),
        (lambda: studies.make_hidden_bias(strength="x"), "from -1 to 1; received 'x'"),
        (lambda: studies.make_hidden_bias(noise=-1), "from 0 on; received -1"),
        (lambda: studies.make_hidden_bias(noise="x"), "from 0 on; received 'x'"),
        (lambda: studies.rank_agreement({"a": 1, "b": 2}, {"a": 1}), "values and scores must"),
        (lambda: studies.rank_agreement([1, 2], [1, None]), "values and scores must"),
        (lambda: studies.rank_agreement([1, 2], [1, 2, 3]), "values and scores must"),
        (lambda: studies.rank_agreement([*"ab"], [1, 2]), "values must hold numbers; received 'a'"),
        (lambda: studies.rank_agreement([1, 2], [*"xy"]), "scores must hold numbers; received 'x'"),
    ],
)
def test_study_of_bad_input_says_the_rule_and_the_value(call, fragment) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # The fragments follow.
        call()
    assert fragment in str(error.value)
    assert "\n" not in str(error.value)


def test_make_alpha_shift_has_the_rates_of_both_shifts() -> None:
    rows = studies.make_alpha_shift(0.05, 0.1)
    by_pair = rows.groupby(["task", "attribute"])["weight"].sum()
    assert by_pair.tolist() == pytest.approx([0.30, 0.25, 0.25, 0.20])
    of_group = rows.groupby(["attribute", "task_pred"])["weight"].sum().unstack()
    # P(T^ = 1 | A): .25 / .60 and .15 / .40, the rates of the shift .1.
    rates = of_group[1] / of_group.sum(axis=1)
    assert rates.tolist() == pytest.approx([0.25 / 0.60, 0.15 / 0.40])
    of_class = rows.groupby(["task", "attribute_pred"])["weight"].sum().unstack()
    assert (of_class[1] / of_class.sum(axis=1)).tolist() == pytest.approx([0.25 / 0.6, 0.15 / 0.4])


def test_make_hidden_bias_is_in_no_label_and_moves_who_follows_it() -> None:
    n, strength = 40_000, 0.6
    rows = studies.make_hidden_bias(n, strength=strength)
    assert rows.groupby(["task", "attribute"]).size().tolist() == [n // 4] * 4
    has_shortcut = (rows["shortcut"] != 0).groupby(rows["task"] == rows["attribute"]).mean()
    assert has_shortcut.tolist() == [0.5 - strength / 2, 0.5 + strength / 2]
    predicted = rows["shortcut"].where(rows["shortcut"] != 0, rows["signal"]) > 0
    share = predicted[rows["attribute"] == 1].mean()
    right = (1 + erf(1 / sqrt(2))) / 2  # Phi(1 / noise)
    expected = 0.5 + strength * (1 - right) / 2
    assert share == pytest.approx(expected, abs=4 * sqrt(0.25 / (n / 2)))


#: Of 100 x and 100 y, a tenth of x and a fifth of y have the wrong label. Of the x 60 are positive
#: and 80 predicted so, of the y 30 and 20. Of 110 labels x 54 + 6 and 72 + 4 are, of 90 labels y
#: 6 + 24 and 8 + 16.
LABELLED = {
    "y_true": [1] * 60 + [0] * 50 + [1] * 30 + [0] * 60,
    "y_pred": [1] * 76 + [0] * 34 + [1] * 24 + [0] * 66,
    "sensitive_features": ["x"] * 110 + ["y"] * 90,
}


def label_errors(errors: Any, **options: Any) -> pd.DataFrame:
    metric = bam.DirectionalBiasAmplification(direction=options.pop("direction", "A->T"))
    result = metric.result(**{**LABELLED, "n_boot": 0, **options})
    return studies.label_error_sensitivity(result, errors)


def test_label_error_sensitivity_by_hand_undoes_the_errors() -> None:
    frame = pd.DataFrame([[0.9, 0.1], [0.2, 0.8]], ["x", "y"], ["x", "y"])
    table = label_errors([{"x": 0.1, "y": 0.2}, frame])
    # With the labels, x rises by 16/110 and y falls by 6/90; without errors by .2 and .1.
    labelled, corrected = (16 / 110 + 6 / 90) / 2, (0.2 + 0.1) / 2
    assert table["value"].tolist() == pytest.approx([labelled, corrected, corrected])
    assert table["turned"].tolist() == [False] * 3


def test_label_error_sensitivity_without_errors_is_the_result() -> None:
    table = label_errors(0.1, n_boot=300)
    result = bam.DirectionalBiasAmplification().result(**LABELLED, n_boot=300)
    assert table.loc[0, ["value", "low", "high"]].tolist() == [result.value, *result.interval]
    # With two groups every draw is divided by the same factor, but for the shares of labels.
    width = table["high"] - table["low"]
    assert width[1] / width[0] == pytest.approx(table["value"][1] / table["value"][0], rel=0.05)


def test_label_error_sensitivity_of_one_class_reads_it_alone() -> None:
    result = bam.DirectionalBiasAmplification(pos_label=1).result(**LABELLED, n_boot=0)
    table = studies.label_error_sensitivity(result, {"x": 0.1, "y": 0.2})
    assert table["value"].tolist() == pytest.approx([result.value, (0.2 + 0.1) / 2])


def test_label_error_sensitivity_of_t_to_a_reads_true_groups() -> None:
    """Of class 1, 60 labels of 100 are x, and 70 predictions; of class 0, 40 of each."""
    table = label_errors(
        0.1,
        direction="T->A",
        y_true=[1] * 100 + [0] * 100,
        y_pred=None,
        sensitive_features=["x"] * 60 + ["y"] * 40 + ["x"] * 40 + ["y"] * 60,
        sensitive_features_pred=["x"] * 70 + ["y"] * 30 + ["x"] * 40 + ["y"] * 60,
    )
    # P(x | 1) is .6 among labels, and (.6 - .1) / .8 = .625 without errors; of class 0 .4, .375.
    # There x is the rarer group, so that its rise from .375 to .4 is against the correlation.
    assert table["value"].tolist() == pytest.approx([(0.1 - 0) / 2, (0.075 - 0.025) / 2])


def test_label_error_sensitivity_notes_what_cannot_be() -> None:
    truth, groups = [1, 0] * 50, ["x"] * 90 + ["y"] * 10
    # So many x alone have 20 labels y.
    few = label_errors(0.2, y_true=truth, y_pred=truth, sensitive_features=groups)
    assert "2 of 4 rates in BA A→T are undefined" in few["note"][1]
    assert "rates lie outside 0 to 1" in label_errors(0.3)["note"][1]


def test_label_error_sensitivity_of_other_results_is_refused() -> None:
    with pytest.raises(ValueError, match="must be of BA; received 'MALS'"):
        studies.label_error_sensitivity(bam.MALSBiasAmplification().result(**LABELLED), 0.1)
    reference = LABELLED["y_true"], LABELLED["sensitive_features"]
    result = bam.DirectionalBiasAmplification(reference=reference).result(**LABELLED, n_boot=0)
    with pytest.raises(ValueError, match="must have no reference"):
        studies.label_error_sensitivity(result, 0.1)


@pytest.mark.parametrize(
    "errors", [0.5, -0.1, None, "a", {"x": 0.4, "y": 0.7}, {"z": 0.1}, pd.DataFrame()]
)
def test_label_error_sensitivity_of_impossible_errors_is_refused(errors) -> None:
    with pytest.raises(ValueError, match=r"errors must (be shares|name).*received"):
        label_errors(errors)


def test_rank_agreement_counts_pairs_of_models() -> None:
    values = pd.DataFrame({"BA": [1, 3, 2, 4], "MALS": [0.1 + 0.2, 0.3, 0.3, 0.3]}, list("abcd"))
    table = studies.rank_agreement(values, dict(zip("dcba", [4, 3, 2, 1], strict=True)))
    # Of six pairs, b and c are in the other order: (5 - 1) / 6.
    assert table.loc[0, ["tau", "n"]].tolist() == [pytest.approx(float(Fraction(4, 6))), 4]
    assert table["reason"].tolist() == [
        "no interval of fewer than 5 models",
        "all models have the same value or score",
    ]


def test_rank_agreement_interval_mirrors_reversed_scores_and_never_vanishes() -> None:
    scores = range(9)
    same = studies.rank_agreement(list(scores), list(scores)).loc[0]
    # The decision on the interval: nine models that agree in all pairs have .69 to 1.
    assert (round(same["low"], 2), same["high"]) == (0.69, 1)
    turned = studies.rank_agreement(list(scores), list(scores)[::-1]).loc[0]
    assert [turned["low"], turned["high"]] == [-same["high"], -same["low"]]


def test_rank_agreement_of_a_report_has_its_keys() -> None:
    truth, group = np.tile([1, 1, 0, 0], 50), np.tile(["a", "a", "b", "a", "b"], 40)
    rng = np.random.default_rng(0)
    models = {f"m{i}": np.where(rng.random(200) < 0.3, 1 - truth, truth) for i in range(5)}
    report = bam.audit(truth, models, sensitive_features=group, n_boot=0)
    frame = report.to_frame().query("key == 'mals'").set_index("model")["value"]
    table = studies.rank_agreement(report, frame)
    assert table.set_index("metric").loc["mals", "tau"] == pytest.approx(1)
    assert set(table["metric"]) == set(report.to_frame()["key"])


#: The names and numbers of rows in the docstring.
ROWS = re.findall(r'``"(\w+)"`` +(\d+) ', studies.load_published.__doc__ or "")


@pytest.mark.parametrize(("name", "n_rows"), ROWS)
def test_load_published_has_the_rows_and_the_source_of_each_table(name, n_rows) -> None:
    table = studies.load_published(name)
    assert len(table) == int(n_rows)
    assert table.notna().all(axis=None)
    assert not table.duplicated(table.columns.difference(["count"])).any()
    assert re.search("Directional|DPA", table.attrs["source"]) or "jobs" in name


def test_load_published_docstring_names_all_tables() -> None:
    assert len(ROWS) == 13
    with pytest.raises(ValueError, match="received 't25_table_5'"):
        studies.load_published("t25_table_5")
