"""How the value is equalised: which way "auto" takes, and the warnings that go with it."""

from __future__ import annotations

import warnings
from math import log
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import rows_of

from biasamp_adapters import (
    AmplificationWarning,
    DirectionalPredictabilityAmplification,
    JointCounts,
    LeakageAmplification,
)


def with_errors(table: Any, errors: Any) -> dict[str, Any]:
    """Rows of a table of groups by classes, two of each, of which ``errors`` a cell are wrong.

    The predicted attribute is the predicted task read the other way round, so T->A sees the same.
    """
    rows, wrong = rows_of(table, "A", "T"), np.zeros(np.sum(table), dtype=bool)
    for (a, t), n_errors in np.ndenumerate(errors):
        wrong[np.flatnonzero((rows["A"] == a) & (rows["T"] == t))[:n_errors]] = True
    return {
        "y_true": rows["T"],
        "y_pred": rows["T"] ^ wrong,
        "sensitive_features": rows["A"],
        "sensitive_features_pred": rows["A"] ^ wrong,
    }


def values(data: dict[str, Any], **options: Any) -> dict[str, float]:
    return {
        how: DirectionalPredictabilityAmplification(equalize=how, **options)(**data)
        for how in ("auto", "expected", "sampled")
    }


def choice(data: dict[str, Any], **options: Any) -> str:
    """Which of the two ways "auto" takes."""
    found = values(data, **options)
    assert found["expected"] != found["sampled"]
    return next(how for how in ("expected", "sampled") if found[how] == found["auto"])


@pytest.mark.parametrize("direction", ["A->T", "T->A"])
@pytest.mark.parametrize(("cell", "way"), [(120, "sampled"), (130, "expected")])
def test_auto_for_cross_entropy(direction: str, cell: int, way: str) -> None:
    """B by hand. All of p, q and the model's rates are 1/2, so both cross-entropies are log 2.

    One of ten is wrong, F (1 - F) is .09 everywhere, and the sum over the two inputs a and two
    targets j is 4 * (.09 / .5) = .72. B = .72 / 2n / (2 log 2) = .2597 / n: .00054 for n = 480 and
    .0004994 for n = 520, on either side of .0005.
    """
    data = with_errors(np.full((2, 2), cell), np.full((2, 2), cell // 10))
    n = 4 * cell
    assert (0.72 / (2 * n) / (2 * log(2)) <= 0.0005) == (way == "expected")
    assert choice(data, direction=direction, quality="inverse_cross_entropy") == way


@pytest.mark.parametrize("direction", ["A->T", "T->A"])
@pytest.mark.parametrize(("group", "way"), [(30, "sampled"), (40, "expected")])
def test_auto_for_accuracy(direction: str, group: int, way: str) -> None:
    """The gap of q by hand. Each input has .8 of one target and one of ten is wrong.

    q is .8 * .9 + .2 * .1 = .74 and .26: a gap of .48, and 3 sqrt((1 - .48^2) / 30) = .4805 or,
    with 40 rows, .4161.
    """
    most, least, errors = group * 4 // 5, group // 5, group // 10
    data = with_errors([[most, least], [least, most]], [[errors, 0], [0, errors]])
    assert (3 * np.sqrt((1 - 0.48**2) / group) <= 0.48) == (way == "expected")
    assert choice(data, direction=direction, quality="accuracy") == way


@pytest.mark.parametrize(("group", "way"), [(600, "sampled"), (800, "expected")])
def test_auto_for_hard_guesses(group: int, way: str) -> None:
    """Winners are clear, and the bias of the ratio decides.

    Two groups with .8 of one target, of which one in ten is wrong: q is .74 and d = .26. The model
    has .7 of that target, m = .3, and n is twice the group. 2 m d (1 - d) / n / (d + m)^3 is
    .0005478 for n = 1200, and .0004108 for n = 1600.
    """
    most, least, errors = group * 4 // 5, group // 5, group // 10
    data = with_errors([[most, least], [least, most]], [[errors, 0], [0, errors]])
    bias = 2 * 0.3 * 0.26 * 0.74 / (2 * group) / (0.26 + 0.3) ** 3
    assert (bias <= 0.0005) == (way == "expected")
    assert choice(data, quality="hard_inverse_cross_entropy") == way
    assert choice(data, quality="accuracy") == "expected"


@pytest.mark.parametrize("quality", ["balanced_accuracy", "f1_macro", "inverse_rmse"])
def test_auto_for_other_qualities_draws(quality: str) -> None:
    # So many rows that both rules above would take the channel.
    data = with_errors([[4000, 1000], [1000, 4000]], [[500, 0], [0, 500]])
    assert choice(data, quality=quality) == "sampled"
    assert choice(data, quality="accuracy") == "expected"


def test_auto_for_the_uncertainty_coefficient_draws() -> None:
    data = with_errors([[4000, 1000], [1000, 4000]], [[500, 0], [0, 500]])
    by_way = {
        how: DirectionalPredictabilityAmplification(
            quality="uncertainty_coefficient", equalize=how, random_state=7
        )(**data)
        for how in ("auto", "sampled")
    }
    assert by_way["auto"] == by_way["sampled"]
    with pytest.raises(ValueError, match="equalize must be 'sampled', 'auto' or None"):
        DirectionalPredictabilityAmplification(
            quality="uncertainty_coefficient", equalize="expected"
        )


def test_auto_without_rows_takes_the_channel_and_says_so() -> None:
    data = with_errors(np.full((2, 2), 10), np.ones((2, 2), dtype=int))
    counts = JointCounts.from_arrays(*data.values(), sample_weight=np.full(40, 0.5))
    with pytest.warns(AmplificationWarning, match="equalised in expectation"):
        value = DirectionalPredictabilityAmplification().from_counts(counts).value
    expected = DirectionalPredictabilityAmplification(equalize="expected")
    assert value == pytest.approx(expected(**data), abs=1e-12)


def test_weights_count_as_the_rows_that_they_are_worth() -> None:
    """Half of the rows weigh next to nothing: 520 rows, but worth 260, are too few for auto."""
    data = with_errors(np.full((2, 2), 130), np.full((2, 2), 13))
    even = np.tile([1.0, 1e-9], 260)
    assert choice_of_weighted(data, np.ones(520)) == "expected"
    assert choice_of_weighted(data, even) == "sampled"


def choice_of_weighted(data: dict[str, Any], weight: Any) -> str:
    return choice({**data, "sample_weight": weight})


def model_with_dependence(d: int) -> dict[str, Any]:
    """100 rows a group, half of each class; the model moves ``d`` of each half."""
    truth, made = rows_of([[50, 50], [50, 50]], "A", "T"), [[50 + d, 50 - d], [50 - d, 50 + d]]
    predicted = rows_of(made, "A", "T")["T"]
    return {"y_true": truth["T"], "y_pred": predicted, "sensitive_features": truth["A"]}


@pytest.mark.parametrize("d", [6, 7])
def test_the_uncertainty_coefficient_is_a_difference_under_independence(d: int) -> None:
    """G by hand: twice the sum of n log(n / 50). 2.89 for d = 6, 3.93 for 7; the limit is 3.84.

    The 95 % quantile of chi-square with one degree of freedom is 1.96^2. U_D is 0 in the truth.
    """
    g = 2 * (2 * (50 + d) * log((50 + d) / 50) + 2 * (50 - d) * log((50 - d) / 50))
    u = g / (2 * 200 * log(2))
    metric = DirectionalPredictabilityAmplification(
        quality="uncertainty_coefficient", equalize=None
    )
    if g < 1.96**2:
        with pytest.warns(AmplificationWarning, match="neither dataset nor model"):
            value = metric(**model_with_dependence(d))
        assert value == pytest.approx(u, abs=1e-12)
    else:
        assert metric(**model_with_dependence(d)) == pytest.approx((u - 0) / (u + 0), abs=1e-12)


def test_the_difference_of_leakage_needs_no_such_switch() -> None:
    metric = LeakageAmplification(quality="uncertainty_coefficient", equalize=None)
    g = 2 * (2 * 56 * log(56 / 50) + 2 * 44 * log(44 / 50))
    assert metric(**model_with_dependence(6)) == pytest.approx(g / (400 * log(2)), abs=1e-12)


def test_an_accuracy_below_chance_warns() -> None:
    data = with_errors(np.full((2, 2), 10), np.full((2, 2), 6))
    metric = DirectionalPredictabilityAmplification(equalize="expected")
    with pytest.warns(AmplificationWarning, match=r"accuracy of 0.400 is below 1/2"):
        metric(**data)
    with pytest.warns(AmplificationWarning, match=r"accuracy of 0.400 is below 1/2"):
        LeakageAmplification(equalize="expected")(**data)


@pytest.mark.parametrize("equalize", ["expected", None])
def test_chance_itself_and_no_equalising_do_not_warn(equalize: str | None) -> None:
    data = with_errors(np.full((2, 2), 10), np.full((2, 2), 5 if equalize else 6))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DirectionalPredictabilityAmplification(equalize=equalize)(**data)


def test_many_classes_with_few_rows_are_unbiased_by_default() -> None:
    """A and T are independent and A^ errs at random: DPA is 0 but for noise and bias.

    With 200 classes of 10 rows the channel alone would be .028 off, by the definitions.
    """
    default = DirectionalPredictabilityAmplification(direction="T->A", n_trials=20)
    channel = DirectionalPredictabilityAmplification(direction="T->A", equalize="expected")
    found = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        task, group = rng.integers(200, size=2000), rng.integers(2, size=2000)
        predicted = group ^ (rng.random(2000) < 0.2)
        found.append(
            [
                metric(task, task, sensitive_features=group, sensitive_features_pred=predicted)
                for metric in (default, channel)
            ]
        )
    (bias, hidden), error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    assert abs(bias) < 0.002
    assert 5 * error[0] <= 0.002  # a bias of 0 would pass, whatever the seeds
    assert hidden == pytest.approx(0.028, abs=0.0005 + 5 * error[1])


def test_flips_repeat_and_follow_the_seed() -> None:
    data = with_errors(np.full((2, 2), 10), np.ones((2, 2), dtype=int))

    def value(random_state: Any) -> float:
        metric = DirectionalPredictabilityAmplification(
            equalize="sampled", n_trials=3, random_state=random_state
        )
        return metric(**data)

    assert value(None) == value(None) == value(0)
    assert value(0) != value(1)
    # A generator gives the metric one seed, so that the metric repeats itself.
    metric = DirectionalPredictabilityAmplification(
        equalize="sampled", n_trials=3, random_state=np.random.default_rng(1)
    )
    assert metric(**data) == metric(**data)


def test_by_pair_equalises_each_pair_with_its_own_accuracy() -> None:
    """The expected channel on the indicators of group 0 and task 2, by hand."""
    rows = pd.DataFrame({"A": [0] * 10 + [1] * 10, "T": [0, 1, 2, 2, 2, 2, 1, 0, 0, 1] * 2})
    made = rows["T"].to_numpy().copy()
    made[[0, 1, 12]] = 2, 0, 1
    metric = DirectionalPredictabilityAmplification(quality="accuracy", equalize="expected")
    result = metric.result(rows["T"], made, sensitive_features=rows["A"])
    pair = result.by_pair.set_index(["attribute", "task"]).loc[(0, 2)]
    # Whether T is 2 is right in 18 of 20 rows. 4 of 10 rows of each group have it, so
    # .4 * .9 + .6 * .1 = .42 of T~: the attacker names "not 2" and is right for .58.
    assert pair["psi_dataset"] == pytest.approx(0.58, abs=1e-12)
    # The model's 5 of 10 in group 0 and 3 of 10 in group 1: (5 + 7) / 20.
    assert pair["psi_model"] == pytest.approx(0.6, abs=1e-12)
    assert pair["value"] == pytest.approx((0.6 - 0.58) / (0.6 + 0.58), abs=1e-12)


def test_leave_one_out_draws_its_flips_though_they_are_not_needed() -> None:
    # 5,000 of each pair: the expected channel has no bias to speak of, and is taken otherwise.
    truth, group = [0, 1, 0, 1] * 5000, [0, 0, 1, 1] * 5000
    said = [0, 1, 1, 1] * 2500 + [0, 1, 0, 0] * 2500
    draws = {}
    for evaluation in ("resubstitution", "loo"):
        metric = DirectionalPredictabilityAmplification(evaluation=evaluation, n_trials=3)
        draws[evaluation] = len(metric.result(truth, said, sensitive_features=group).by_trial)
    assert draws == {"resubstitution": 0, "loo": 3}
