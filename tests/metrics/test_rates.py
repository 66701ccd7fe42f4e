"""BA and MALS: pairs without rows, the positive class, signs that may be the other one."""

from math import isnan
from typing import Any

import numpy as np
import pytest

import biasamp_adapters as bam

BA, MALS = bam.DirectionalBiasAmplification, bam.MALSBiasAmplification
Multi = bam.MultiAttributeBiasAmplification

#: Groups a and b, of which a has class 1 less often; the model errs once in each.
ROWS: dict[str, Any] = {
    "y_true": [0, 0, 0, 1, 1, 1, 1, 0],
    "y_pred": [0, 0, 0, 0, 1, 1, 1, 1],
    "sensitive_features": [*"aaaabbbb"],
    "sensitive_features_pred": [*"aaabbbbb"],
}


# Pairs without rows.


@pytest.mark.parametrize("kind", [BA, Multi])
def test_group_without_rows_is_left_out_and_named(kind) -> None:
    metric = kind(group_labels=[*"abc"])
    name = metric.name.replace("->", "→")
    note = f"2 of 6 rates in {name} are undefined and left out of the mean: there are no rows of c."
    with pytest.warns(bam.AmplificationWarning, match=note) as caught:
        value = metric(**ROWS)
    assert caught[0].filename == __file__
    assert value == kind()(**ROWS) != 0
    result = metric.result(**ROWS)
    assert note in result.notes
    assert result.by_group["contribution"].isna().tolist() == [False, False, True]


def test_class_without_rows_is_left_out_of_t_to_a_and_counts_0_in_a_to_t() -> None:
    result = BA(direction="T->A", class_labels=[0, 1, 2]).result(**ROWS, n_boot=0)
    assert result.notes[0].endswith("left out of the mean: there are no rows of 2.")
    assert result.value == BA(direction="T->A").result(**ROWS, n_boot=0).value != 0
    assert result.by_class["contribution"].isna().tolist() == [False, False, True]
    # A->T compares shares of groups: two of six pairs are 0.
    a_to_t = BA(class_labels=[0, 1, 2]).result(**ROWS, n_boot=0)
    assert a_to_t.value == pytest.approx(BA()(**ROWS) * 4 / 6, abs=1e-15)


@pytest.mark.parametrize(
    ("metric", "truth", "predicted"),
    [
        # No row has class 1, the one to look at; for MALS in either of the two.
        (BA(direction="T->A", class_labels=[0, 1], pos_label=1), 0, 0),
        (Multi(direction="T->A", class_labels=[0, 1], pos_label=1), 0, 0),
        (MALS(class_labels=[0, 1], pos_label=1), 1, 0),
        (MALS(class_labels=[0, 1], pos_label=1), 0, 1),
    ],
)
def test_value_without_a_defined_pair_is_undefined(metric, truth, predicted) -> None:
    columns = {"y_true": [truth] * 2, "y_pred": [predicted] * 2, "n_boot": 0}
    groups = [*"ab"]
    result = metric.result(**columns, sensitive_features=groups, sensitive_features_pred=groups)
    assert isnan(result.value)
    what = "shares of groups" if metric.name == "MALS" else "rates"
    name = metric.name.replace("->", "→")
    assert result.notes[0].startswith(f"2 of 2 {what} in {name} are undefined")


@pytest.mark.parametrize(
    ("labels", "listed", "positive"),
    [
        ((0, 1), None, 1),
        (("no", "yes"), None, "yes"),
        (("1", "0"), None, "1"),
        # A list of labels has an order of its own; 1 of 0 and 1 is positive in any.
        (("no", "yes"), ["yes", "no"], "no"),
        ((0, 1), [1, 0], 1),
    ],
)
def test_positive_class_of_mals_is_1_or_the_last(labels, listed, positive) -> None:
    no, yes = labels
    columns = {"y_true": [no, yes, yes, yes], "y_pred": [no, no, yes, yes], "n_boot": 0}
    columns["sensitive_features"] = [*"abab"]
    result = MALS(class_labels=listed).result(**columns)
    assert result.pos_label == positive
    assert set(result.by_pair["class"]) == {positive}
    (other,) = {*labels} - {positive}
    assert MALS(pos_label=other).result(**columns).pos_label == other
    # BA has both classes.
    assert BA().result(**columns).pos_label is None


# Signs that may be the other one.


@pytest.mark.parametrize(("moved", "n_uncertain"), [(6, 4), (7, 0)])
def test_sign_of_ba_is_uncertain_within_1_96_errors(moved, n_uncertain) -> None:
    # 50 + m and 50 - m of 100 rows of each group have class 1: the correlation of m / 200 has an
    # error of (1/4) / sqrt(200), so that z is .283 m: 1.70 for 6 and 1.98 for 7.
    n = [50 + moved, 50 - moved, 50 - moved, 50 + moved]
    groups, truth = np.repeat([[0, 0, 1, 1], [1, 0, 1, 0]], n, axis=1)
    note = "For 4 of 4 rates the sign in BA is not clear in the labels (|z| below 1.96)."
    # Small weights of a group or a class leave its rows as many.
    for light in (0 * truth, groups, truth):
        columns = {"sensitive_features": groups, "sample_weight": 0.01**light}
        result = BA().result(truth, truth, **columns, n_boot=0)
        assert result.by_pair["uncertain"].sum() == n_uncertain
        assert result.notes == ((note,) if n_uncertain else ())


@pytest.mark.parametrize(("moved", "is_uncertain"), [(9, True), (10, False)])
def test_share_of_mals_is_uncertain_within_1_96_errors(moved, is_uncertain) -> None:
    # Of 100 positives 50 + m are of group 0: m / 100 beside .5 / 10, which is 1.8 or 2.
    truth = [1] * (50 + moved) + [0] * 50 + [1] * (50 - moved) + [0] * 50
    groups = [0] * (100 + moved) + [1] * (100 - moved)
    result = MALS().result(truth, truth, sensitive_features=groups, n_boot=0)
    note = "For 2 of 2 shares it is not clear whether MALS counts the group as over-represented."
    assert result.notes == ((note,) if is_uncertain else ())


# Ranges of overlapping groups.


def test_mals_of_overlapping_groups_may_lie_below_minus_1() -> None:
    # All positives are in all of five groups, and the predicted positives in none: 5 (0 - 1).
    groups = bam.OverlappingGroups([[1] * 5] * 50 + [[0] * 5] * 50)
    truth, predicted = [1] * 50 + [0] * 50, [0] * 50 + [1] * 50
    result = MALS().result(truth, predicted, sensitive_features=groups, n_boot=100)
    # Three of 50 positives that keep one group: -log(.05) is 3.
    assert (result.value, result.interval) == (-5, (-5, pytest.approx(-5 + 3 / 50, abs=1e-4)))
