"""The verdict read from gaps. In the replicates of most tests a rate is alternately one error above
and one below its value. Then |t| is 1 in every replicate, so k is 1, and a band reaches one error
and half a row, which is .001 with 500 rows, to both sides."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from biasamp_adapters.inference.verdict import GroupRates, judge

GROUPS = ("A", "B", "C", "D")


def alternating(rates, errors, n_boot=40):
    """Rates by group of one class: the data, then replicates one error above and below."""
    signs = np.array([0, *[1, -1] * (n_boot // 2)])[:, None]
    return (np.array(rates) + signs * np.array(errors))[:, :, None]


def rates_of(true, predicted, rows=500, **settings):
    """Rates with as many rows in each group; `predicted` is one model or a mapping of models."""
    predicted = predicted if isinstance(predicted, dict) else {"model": predicted}
    sizes = np.full(true.shape[1], rows) if np.isscalar(rows) else np.array(rows)
    fields = {"groups": GROUPS[: true.shape[1]], "classes": range(true.shape[2]), "sizes": sizes}
    return GroupRates(true=true, predicted=predicted, rows=sizes, **(fields | settings))


def judged(true, predicted, true_errors=(0, 0), predicted_errors=(0, 0), rows=500):
    data = rates_of(alternating(true, true_errors), alternating(predicted, predicted_errors), rows)
    [judgement] = judge(data)
    return judgement


@pytest.mark.parametrize(
    ("true", "predicted", "errors", "code", "status", "band", "clear"),
    [
        (0.30, 0.45, (0, 0.02), "amplifies", "grows", (0.15, 0.15 - 0.021, 0.15 + 0.021), "both"),
        # A gap of .02 in the predictions is within .02 + .001.
        (0.30, 0.22, (0, 0.02), "reduces", "shrinks", (-0.08, -0.101, -0.059), "true"),
        (0.30, 0.10, (0, 0.02), "reverses", "reverses", (-0.20, -0.221, -0.179), "both"),
        # Labels: .005 ± .021 is not clear. It grows by .195 ± .011, and at least by .205 - .031.
        (0.205, 0.40, (0.02, 0.01), "amplifies", "appears", (0.195, 0.174, 0.206), "predicted"),
        (0.30, 0.31, (0, 0.02), "no_clear_change", "unclear", (0.01, -0.011, 0.031), "both"),
        # The gap goes from -.10 to +.10 with errors of .11 that move together: the change .20 is
        # clear, but neither the gap in the labels nor the sum, 0 ± .22, has a side.
        (0.10, 0.30, (0.11, 0.11), "no_clear_change", "unclear", (-0.20, -0.201, -0.199), ""),
    ],
)
def test_judge_gap_has_a_status_by_its_band(true, predicted, errors, code, status, band, clear):
    judgement = judged([true, 0.20], [predicted, 0.20], *((error, 0) for error in errors))
    [gap] = judgement.gaps
    assert (judgement.code, gap.status) == (code, status)
    assert (gap.change, gap.low, gap.high) == pytest.approx(band)
    assert gap.true_clear is (clear in ("both", "true"))
    assert gap.predicted_clear is (clear in ("both", "predicted"))
    first, second = ("A", "B") if true >= 0.20 else ("B", "A")
    assert (gap.first, gap.second, gap.of_class, gap.rows) == (first, second, 0, (500, 500))
    sides = slice(None, None, 1 if first == "A" else -1)
    assert gap.true_rates == (true, 0.20)[sides]
    assert gap.predicted_rates == (predicted, 0.20)[sides]
    assert gap.true == pytest.approx(abs(true - 0.20))
    assert gap.predicted == pytest.approx((predicted - 0.20) * sides.step)
    assert gap.in_mean is (code != "reverses" and clear != "")
    if code == "reverses":
        assert np.isnan(judgement.mean_change.value)
        assert judgement.mean_change.reason == "no gap has a certain direction"


@pytest.mark.parametrize(
    ("change", "error", "rows", "status"),
    [
        # .0215 is above .02 + .5/500, and not above .02 + .5/100.
        (0.0215, 0.02, 500, "grows"),
        (0.0215, 0.02, 100, "unclear"),
        (0.026, 0, 20, "grows"),  # .026 and .024 of 20 rows that never vary: half a row is .025.
        (0.024, 0, 20, "unclear"),
    ],
)
def test_judge_change_is_clear_beyond_half_a_row_of_the_smaller_group(change, error, rows, status):
    # The gap in the labels, .02, is given, and needs no half row.
    predicted = [0.22 + change, 0.20]
    [gap] = judged([0.22, 0.20], predicted, predicted_errors=(error, 0), rows=[rows, 9000]).gaps
    assert gap.status == status


@pytest.mark.parametrize(("error", "is_clear"), [(0.098, True), (0.1, False)])
def test_judge_gaps_in_labels_where_no_change_varies_have_bands_of_their_own(error, is_clear):
    # The gap in the labels, .10, is clear beyond its error and half a row, .001.
    true = alternating([0.30, 0.20], [error, 0])
    [judgement] = judge(rates_of(true, true.copy()))
    assert judgement.gaps[0].true_clear is is_clear


@pytest.mark.parametrize(
    ("true", "predicted", "true_error", "first"),
    [
        ([0.20, 0.30], [0.60, 0.30], 0.01, "B"),  # labels: -.10 ± .011 is clear
        ([0.29, 0.30], [0.60, 0.30], 0.02, "A"),  # labels unclear; sum .29 ± .021 is clear
        ([0.29, 0.30], [0.302, 0.30], 0.02, "B"),  # neither is clear; labels -.01
        ([0.30, 0.30], [0.30, 0.30], 0.02, "A"),  # equal
    ],
)
def test_judge_first_group_has_the_higher_rate_if_that_is_clear(true, predicted, true_error, first):
    [gap] = judged(true, predicted, true_errors=(true_error, 0)).gaps
    assert gap.first == first
    assert gap.true == pytest.approx(abs(true[0] - true[1]) if first == "B" else true[0] - true[1])


def independent(rates, errors, n_boot=48):
    """Rates of class columns in two groups, of which the first moves: columns vary independently.

    The replicates hold each pattern of signs of four columns equally often.
    """
    patterns = np.array(list(product([1, -1], repeat=4)) * (n_boot // 16))
    signs = np.concatenate([np.zeros((1, 4)), patterns])
    draws = np.empty((len(signs), 2, len(rates)))
    draws[:, 0] = rates
    draws[:, 0, :4] += signs * np.array(errors)
    draws[:, 1] = 0.20
    return draws


def test_judge_clear_mean_of_unclear_gaps_amplifies_or_reduces():
    # The mean of four independent changes has half their error, .01, and |t| = 2 where all signs
    # agree, in 2 of 16 replicates. So k is 2: a gap reaches .04, the mean .02 + .0001.
    true = independent([0.30] * 4, [0] * 4)
    predicted = independent([0.33] * 4, [0.02] * 4)
    [judgement] = judge(rates_of(true, predicted, rows=5000))
    assert {gap.status for gap in judgement.gaps} == {"unclear"}
    assert all(gap.in_mean for gap in judgement.gaps)
    mean = judgement.mean_change
    assert (mean.value, mean.low, mean.high) == pytest.approx((0.03, 0.0099, 0.0501))
    assert mean.replicates == pytest.approx(predicted[1:, 0].mean(axis=1) - 0.30)
    assert judgement.code == "amplifies"
    [mirrored] = judge(rates_of(true, independent([0.27] * 4, [0.02] * 4), rows=5000))
    assert mirrored.code == "reduces"


def test_judge_clear_mean_on_the_other_side_of_a_growing_gap_is_mixed():
    # Four unclear changes of -.035 and a sure one of +.03: their mean is -.11 / 5 = -.022.
    true = independent([0.30] * 5, [0] * 4)
    predicted = independent([0.265] * 4 + [0.33], [0.02] * 4)
    [judgement] = judge(rates_of(true, predicted, rows=5000))
    assert [gap.status for gap in judgement.gaps] == ["unclear"] * 4 + ["grows"]
    assert judgement.mean_change.value == pytest.approx(-0.022)
    assert judgement.mean_change.high < 0
    assert judgement.code == "mixed"


def test_judge_gap_is_in_the_mean_if_its_sum_is_beyond_three_and_a_half_errors():
    # Sums: .35 ± .11 (3.2 errors), .35 ± .09 (3.9 errors).
    for error, in_mean in ((0.11, False), (0.09, True)):
        true = alternating([0.30, 0.20], [0, 0])
        data = rates_of(true, alternating([0.45, 0.20], [error, 0]))
        for confidence in (0.5, 0.95):
            assert judge(data, confidence=confidence)[0].gaps[0].in_mean is in_mean


@pytest.mark.parametrize(
    ("pairs", "code"),
    [
        ([(0.1, 0.2), (0.1, 0.1)], "amplifies"),
        ([(0.1, 0.05), (0.1, 0.1)], "reduces"),
        ([(0.1, -0.1), (0.1, 0.1)], "reverses"),
        ([(0.1, -0.1), (0.1, 0.05)], "reverses"),
        ([(0.1, 0.2), (0.1, 0.05)], "mixed"),
        ([(0.1, 0.2), (0.1, -0.1)], "mixed"),
        ([(0.1, 0.1), (-0.1, -0.1)], "no_clear_change"),
    ],
)
def test_judge_code_of_several_gaps_follows_from_their_statuses(pairs, code):
    # The gaps in the labels and in the predictions of each class.
    true, predicted = np.full((2, 41, 2, len(pairs)), 0.4)
    for block, gaps in zip((true, predicted), zip(*pairs, strict=True), strict=True):
        block[:, 1] -= gaps
    [judgement] = judge(rates_of(true, predicted))
    assert judgement.code == code


@pytest.mark.parametrize(
    ("rows", "n_boot", "reason", "in_words"),
    [
        ([500, 0], 40, "one_group", "no gap can be judged"),
        ([500, 14], 40, "too_few_rows", "no gap can be judged"),
        ([500, 500], 0, "no_interval", "no intervals were requested (n_boot=0)"),
        ([500, 500], 38, "no_interval", "a level of 95% needs at least 40 replicates"),  # 2 / .05
    ],
)
def test_judge_groups_that_cannot_be_compared_cannot_say(rows, n_boot, reason, in_words):
    true = alternating([0.3, 0.2], [0.02, 0], n_boot)
    [judgement] = judge(rates_of(true, true, rows=rows))
    assert (judgement.code, judgement.reason, judgement.gaps) == ("cannot_say", reason, ())
    assert np.isnan(judgement.mean_change.value)
    assert judgement.mean_change.reason == in_words


@pytest.mark.parametrize(
    ("n_classes", "reason", "comparison", "n_gaps"),
    [(5000, "", "pairs", 5000), (5001, "too_many_gaps", "all rows", 2 * 5001)],
)
def test_judge_5000_gaps_are_compared_and_no_more(n_classes, reason, comparison, n_gaps):
    true = np.full((41, 2, n_classes), 0.3)
    [judgement] = judge(rates_of(true, true))
    assert (judgement.reason, judgement.comparison) == (reason, comparison)
    assert judgement.n_gaps == n_gaps


def test_judge_small_groups_are_not_compared_and_rows_are_shown():
    # 300 rows with unequal weights can be worth 14 effective rows.
    true = alternating([0.3, 0.2, 0.4], [0.02, 0, 0])
    sizes = np.array([90.5, 15 - 1e-12, 14.0])
    [judgement] = judge(rates_of(true, true, rows=[300, 300, 300], sizes=sizes))
    assert [(gap.first, gap.second) for gap in judgement.gaps] == [("A", "B")]
    assert judgement.gaps[0].rows == (300, 300)


def test_judge_named_classes_are_the_only_ones_compared():
    true = np.concatenate([1 - alternating([0.3, 0.2], [0, 0]), alternating([0.3, 0.2], [0, 0])], 2)
    [judgement] = judge(rates_of(true, true, classes=("no", "yes")), compared=[1])
    assert [gap.of_class for gap in judgement.gaps] == ["yes"]
    [judgement] = judge(rates_of(true, true, classes=("no", "yes")))
    assert [gap.of_class for gap in judgement.gaps] == ["no", "yes"]


def of_101_groups(overall=0.30):
    """101 groups have 5,050 pairs: number 7 is predicted at .51, the others at .30."""
    true, predicted = np.full((41, 102, 1), 0.30), np.full((41, 102, 1), 0.30)
    predicted[:, 7] = 0.51
    true[:, 101] = predicted[:, 101] = overall
    rows = np.array([100] * 101 + [10100])
    return rates_of(true, predicted, rows=rows, sizes=rows[:-1], groups=range(101))


def test_judge_more_than_5000_gaps_of_pairs_compare_groups_with_all_rows():
    [judgement] = judge(of_101_groups())
    assert (judgement.comparison, judgement.n_gaps) == ("all rows", 101)
    gap = judgement.gaps[7]
    assert (gap.first, gap.second, gap.rows) == (7, "all rows", (100, 10100))
    assert gap.predicted_rates == (0.51, 0.30)
    assert gap.status == "appears"
    # All rows may have the higher rate.
    gap = judge(of_101_groups(overall=0.31))[0].gaps[7]
    assert gap.rows == (10100, 100)
    assert (gap.first, gap.true_rates) == ("all rows", (0.31, 0.30))


@pytest.mark.parametrize(("n_undefined", "code"), [(4, "amplifies"), (5, "cannot_say")])
def test_judge_replicates_without_a_rate_are_left_out_up_to_one_in_twenty(n_undefined, code):
    true = alternating([0.30, 0.20], [0, 0], n_boot=80)
    predicted = alternating([0.45, 0.20], [0.02, 0], n_boot=80)
    predicted[1 : 1 + n_undefined, 1] = np.nan
    [judgement] = judge(rates_of(true, predicted))
    assert judgement.code == code


@pytest.mark.parametrize(("rows", "reason"), [(500, "no_interval"), (3, "")])
def test_judge_undefined_rate_has_no_interval_and_is_ignored_in_a_small_group(rows, reason):
    true = alternating([0.30, 0.20, 0.20], [0.02, 0, 0])
    true[0, 2] = np.nan
    [judgement] = judge(rates_of(true, true, rows=[500, 500, rows]))
    assert judgement.reason == reason


@st.composite
def audits(draw, models=1):
    """Rates of random counts with multinomial replicates, for one or more models."""
    n_groups, n_classes = draw(st.integers(2, 4)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spread = draw(st.sampled_from([0.3, 1.0, 5.0]))
    shape = (n_groups,) + (n_classes,) * (1 + models)
    chances = rng.dirichlet(np.full(np.prod(shape), spread))
    counts = rng.multinomial(draw(st.sampled_from([80, 400, 4000])), chances)
    replicates = rng.multinomial(counts.sum(), counts / counts.sum(), 60)
    cells = np.concatenate([counts[None], replicates]).reshape(-1, *shape).astype(float)
    rows = cells.reshape(*cells.shape[:2], -1).sum(axis=2)
    rates = []
    for axis in range(2, 3 + models):
        others = tuple(other for other in range(2, 3 + models) if other != axis)
        with np.errstate(invalid="ignore"):
            rates.append(cells.sum(axis=others) / rows[:, :, None])
    predicted = {f"model {place}": block for place, block in enumerate(rates[1:])}
    return rates_of(rates[0], predicted, rows=rows[0])


def by_pair(judgement):
    return {(frozenset((gap.first, gap.second)), gap.of_class): gap for gap in judgement.gaps}


@given(audits(), st.integers(0, 2**32 - 1))
def test_judge_other_order_of_replicates_groups_and_classes_changes_nothing(data, seed):
    rng = np.random.default_rng(seed)
    groups, classes = (rng.permutation(n) for n in data.true.shape[1:])
    order = np.ix_(np.append(0, 1 + rng.permutation(len(data.true) - 1)), groups, classes)
    exchanged = replace(
        data,
        true=data.true[order],
        predicted={model: rates[order] for model, rates in data.predicted.items()},
        rows=data.rows[groups],
        sizes=data.sizes[groups],
        groups=[data.groups[place] for place in groups],
        classes=classes.tolist(),
    )
    [before], [after] = judge(data), judge(exchanged)
    assert (before.code, before.reason) == (after.code, after.reason)
    assert after.mean_change.value == pytest.approx(before.mean_change.value, nan_ok=True)
    others = by_pair(after)
    assert len(others) == len(before.gaps)
    for pair, gap in by_pair(before).items():
        assert others[pair].status == gap.status
        # Either group may be named first where it is not clear which rate is higher.
        assert others[pair].high - others[pair].low == pytest.approx(gap.high - gap.low)


@given(audits())
def test_judge_model_that_repeats_the_labels_has_no_change_and_no_negative_zero(data):
    [judgement] = judge(replace(data, predicted={"perfect": data.true.copy()}))
    assert judgement.code in ("no_clear_change", "cannot_say")
    assert {str(x) for gap in judgement.gaps for x in (gap.change, gap.low, gap.high)} <= {"0.0"}
    assert str(judgement.mean_change.value) in ("0.0", "nan")


@given(audits())
def test_judge_status_agrees_with_the_sizes_of_the_gaps(data):
    [judgement] = judge(data)
    for gap in judgement.gaps:
        growth = abs(gap.predicted) - abs(gap.true)
        if gap.status in ("grows", "appears"):
            assert growth >= gap.low - 1e-12 > -1e-12
            assert gap.predicted > 0
        if gap.status == "shrinks":
            assert gap.change < 0
            assert growth < 0 or not gap.predicted_clear
        if gap.status == "reverses":
            assert gap.true > 0 > gap.predicted
        assert gap.low <= gap.change <= gap.high
        assert gap.predicted - gap.true == pytest.approx(gap.change)
        assert gap.true_rates[0] - gap.true_rates[1] == pytest.approx(gap.true)
        assert gap.predicted_rates[0] - gap.predicted_rates[1] == pytest.approx(gap.predicted)


@given(audits(models=2))
def test_judge_bands_of_several_models_hold_those_of_each(data):
    together = judge(data)
    for judgement in together:
        predicted = {judgement.model: data.predicted[judgement.model]}
        [alone] = judge(replace(data, predicted=predicted))
        assert alone.reason == judgement.reason
        for gap, own in zip(judgement.gaps, alone.gaps, strict=True):
            assert gap.high - gap.change >= own.high - own.change - 1e-12
            assert gap.status == "unclear" or own.status != "unclear"


@given(audits())
def test_judge_model_beside_itself_is_judged_as_alone(data):
    [model] = data.predicted
    [alone] = judge(data)
    twins = judge(replace(data, predicted={model: data.predicted[model], 2: data.predicted[model]}))
    for twin in twins:
        assert (twin.code, twin.gaps) == (alone.code, alone.gaps)


@given(audits())
def test_judge_other_one_of_two_classes_has_the_same_code(data):
    assume(len(data.classes) == 2)
    [of_one], [of_other] = judge(data, compared=[0]), judge(data, compared=[1])
    assert of_one.code == of_other.code
