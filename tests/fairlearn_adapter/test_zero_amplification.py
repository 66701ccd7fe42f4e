"""The constraint for Fairlearn's reductions, alone, and inside of both of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

from fairlearn.reductions import ExponentiatedGradient, GridSearch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from biasamp_adapters import DirectionalBiasAmplification, MultiAttributeBiasAmplification
from biasamp_adapters.fairlearn import ZeroAmplification

#: Group "a" has 6 positives among 10, group "b" has 2 among 10.
GROUP = ["a"] * 10 + ["b"] * 10
LABEL = [1] * 6 + [0] * 4 + [1] * 2 + [0] * 8
#: 9 of "a" and 1 of "b" are predicted positive.
PREDICTED = np.array([1] * 9 + [0] + [1] + [0] * 9)
FEATURES = np.zeros((20, 1))

ROWS = st.lists(
    st.tuples(*[st.integers(0, 1)] * 2, st.sampled_from("abcd"), st.integers(1, 3)),
    min_size=2,
    max_size=30,
).filter(lambda rows: len({group for _, _, group, _ in rows}) > 1)


def loaded(y: Any, group: Any, X: Any = None, **options: Any) -> ZeroAmplification:  # noqa: N803
    """The constraint with its data."""
    moment = ZeroAmplification(difference_bound=0.1)
    features = np.zeros((len(y), 1)) if X is None else X
    moment.load_data(features, y, sensitive_features=group, **options)
    return moment


def excess(moment: ZeroAmplification, predicted: Any) -> dict[Any, float]:
    """By how much rates of predicted positives are too high, by event and group."""
    found: dict[Any, float] = moment.gamma(lambda _: np.asarray(predicted))["+"].to_dict()
    return found


def drawn(n: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, of which one stands for the group and one for the label; labels and groups."""
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=n)
    y = (rng.random(n) < np.where(group == 1, 0.6, 0.4)).astype(int)
    return rng.normal(size=(n, 2)) + np.column_stack([2 * group, 0.5 * y]), y, group


def mean_prediction(reduction: ExponentiatedGradient, X: Any) -> np.ndarray:  # noqa: N803
    """The probability of a positive: the mean over the models of the mixture."""
    weights = reduction.weights_.items()
    return np.sum([w * reduction.predictors_[i].predict(X) for i, w in weights], axis=0)


def test_the_excess_of_each_group_and_its_bound() -> None:
    moment = loaded(LABEL, GROUP)
    gamma = moment.gamma(lambda _: PREDICTED)
    # 9/10 - 6/10 and 1/10 - 2/10
    assert gamma.to_dict() == pytest.approx(
        {
            ("+", "all", "a"): 0.3,
            ("+", "all", "b"): -0.1,
            ("-", "all", "a"): -0.3,
            ("-", "all", "b"): 0.1,
        }
    )
    assert gamma.index.equals(moment.index)
    assert moment.bound().to_dict() == dict.fromkeys(moment.index, 0.1)
    # Some libraries predict a matrix of one column.
    assert moment.gamma(lambda _: PREDICTED[:, None]).equals(gamma)


def test_weights_are_those_of_rates_and_errors() -> None:
    weight = [2] * 6 + [1] * 4 + [1] * 10
    moment = loaded(LABEL, GROUP, sample_weight=weight)
    # (2 * 6 + 3)/16 - 12/16
    assert excess(moment, PREDICTED) == pytest.approx({("all", "a"): 3 / 16, ("all", "b"): -0.1})
    objective = moment.default_objective()
    objective.load_data(FEATURES, LABEL, sensitive_features=GROUP, sample_weight=weight)
    # Wrong are three rows of "a" and one of "b", all of weight 1; the weights are 26 in all.
    assert objective.gamma(lambda _: PREDICTED).item() == pytest.approx(4 / 26)


def test_crossed_attributes_and_control_features_have_constraints_of_their_own() -> None:
    half = ["x", "y"] * 10
    crossed = loaded(LABEL, pd.DataFrame({"group": GROUP, "half": half}))
    inside = loaded(LABEL, GROUP, control_features=half)
    y, group, half_ = np.array(LABEL), np.array(GROUP), np.array(half)
    for g in "ab":
        for h in "xy":
            part = (group == g) & (half_ == h)
            expected = pytest.approx(PREDICTED[part].mean() - y[part].mean())
            assert excess(crossed, PREDICTED)["all", f"{g} × {h}"] == expected
            assert excess(inside, PREDICTED)[f"control={h},all", g] == expected


@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
@given(ROWS)
def test_whoever_keeps_the_bound_keeps_it_in_the_metrics(rows: Any) -> None:
    y, predicted, group, weight = map(np.array, zip(*rows, strict=True))
    largest = max(map(abs, excess(loaded(y, group, sample_weight=weight), predicted).values()))
    inputs = {"sensitive_features": group, "sample_weight": weight}
    lists = {"labels": [0, 1]}
    for metric in (DirectionalBiasAmplification(**lists), MultiAttributeBiasAmplification(**lists)):
        value = metric(y, predicted, **inputs)
        assert np.isnan(value) or abs(value) <= largest + 1e-12


@given(ROWS, st.lists(st.floats(0, 10), min_size=8, max_size=8))
def test_weights_of_rows_are_the_derivative_of_the_penalty(rows: Any, multipliers: Any) -> None:
    # What a reduction relies on: penalty(h) = penalty(0) - mean of weight * h.
    y, predicted, group, weight = map(np.array, zip(*rows, strict=True))
    moment = loaded(y, group, sample_weight=weight)
    lambda_vec = pd.Series(multipliers[: len(moment.index)], index=moment.index)

    def penalty(values: Any) -> float:
        return float(moment.gamma(lambda _: values).dot(lambda_vec))

    gain = moment.signed_weights(lambda_vec)
    expected = penalty(np.zeros(len(y))) - (gain * predicted).mean()
    assert penalty(predicted) == pytest.approx(expected, abs=1e-9)
    projected = moment.project_lambda(lambda_vec)
    assert (projected >= 0).all()
    assert (projected["+"] * projected["-"]).eq(0).all()
    assert (projected["+"] - projected["-"]).to_numpy() == pytest.approx(
        (lambda_vec["+"] - lambda_vec["-"]).to_numpy()
    )


@given(ROWS)
def test_a_weight_of_two_is_two_rows(rows: Any) -> None:
    y, predicted, group, weight = map(np.array, zip(*rows, strict=True))
    again = np.repeat(np.arange(len(y)), weight)
    weighted = loaded(y, group, sample_weight=weight)
    repeated = loaded(y[again], group[again])
    assert excess(weighted, predicted) == pytest.approx(excess(repeated, predicted[again]))
    for moment in (weighted, repeated):
        assert moment.signed_weights(moment.bound()).eq(0).all()
    above = pd.Series(np.repeat([1.0, 0.0], len(weighted.index) // 2), index=weighted.index)
    gains = [-moment.signed_weights(above) for moment in (weighted, repeated)]
    sums = [
        gain.groupby(of).sum() / len(of)
        for gain, of in zip(gains, (group, group[again]), strict=True)
    ]
    assert sums[0].to_numpy() == pytest.approx(sums[1].to_numpy())


@pytest.mark.parametrize(
    "groups",
    [
        {"group": GROUP, "half": ["x", "y"] * 10},  # a mapping
        pd.Series(GROUP, dtype="category"),
        ["a"] * 19 + ["b"],  # one row, without a positive
        ["a"] * 20,
    ],
    ids=["mapping", "category", "one row", "one group"],
)
def test_groups_may_come_in_any_form_and_size(groups: Any) -> None:
    model = ExponentiatedGradient(LogisticRegression(), ZeroAmplification(), max_iter=2)
    model.fit(FEATURES, LABEL, sensitive_features=groups)
    assert set(model.predict(FEATURES, random_state=0)) <= {0, 1}


@pytest.mark.parametrize("weighted", [False, True])
def test_exponentiated_gradient_holds_each_rate_and_reads_no_attribute(weighted: bool) -> None:
    X, y, group = drawn()  # noqa: N806
    weight = 1.0 + (y == group) if weighted else np.ones(len(y))
    rows = {"sensitive_features": group, "sample_weight": weight}
    plain = LogisticRegression().fit(X, y, sample_weight=weight)
    moment = ZeroAmplification(difference_bound=0.02)
    before = loaded(y, group, X=X, sample_weight=weight)
    assert max(map(abs, excess(before, plain.predict(X)).values())) > 0.05
    held = clone(ExponentiatedGradient(LogisticRegression(), moment)).fit(X, y, **rows)
    # A linear programme mixes the models; its solver allows 1e-7.
    assert max(map(abs, excess(before, mean_prediction(held, X)).values())) <= 0.02 + 1e-6
    assert set(held.predict(X[:50], random_state=0)) <= {0, 1}


def test_grid_search_has_a_dimension_for_each_group_and_control_level() -> None:
    X, y, group = drawn(200)  # noqa: N806
    age = np.tile(["old", "young"], 100)
    search = GridSearch(LogisticRegression(), ZeroAmplification(), grid_size=9)
    search.fit(X, y, sensitive_features=group, control_features=age)
    # Nine points of four dimensions: no multiplier, and one in each direction.
    assert search.lambda_vecs_.shape == (8, 9)
    assert sorted(search.lambda_vecs_.sum()) == [0.0] + [2.0] * 8
    plain = LogisticRegression().fit(X, y).predict(X)
    free = search.lambda_vecs_.sum().argmin()
    assert (search.predictors_[free].predict(X) == plain).all()
    moment = loaded(y, group, X, control_features=age)
    for i, predictor in enumerate(search.predictors_):
        expected = moment.gamma(predictor.predict)
        assert search.gammas_[i].to_dict() == pytest.approx(expected.to_dict())
    assert (search.predict(X) == search.predictors_[search.best_idx_].predict(X)).all()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"y": [1, 2] * 10}, r"y must hold the labels 0 and 1, .*; received 1, 2"),
        ({"y": ["0", "1"] * 10}, r"received '0', '1'"),
        ({"y": [0.5, 1] * 10}, r"received 0.5, 1"),
        ({"y": [1.0, None] * 10}, r"y must not have missing values; received 10"),
        ({"y": np.ones((20, 2))}, r"y must be one column of labels; received 2"),
        ({"y": LABEL[1:]}, r"same length; received y 19, sensitive_features 20"),
        ({"X": FEATURES[1:]}, r"X must be an array .* each of the 20 labels; received 19 rows"),
        ({"X": [[0]] * 20}, r"X must be an array .*; received a list"),
        ({"sensitive_features": ["a", None] * 10}, r"sensitive_features must not have missing"),
        ({"control_features": [None] * 20}, r"control_features must not have missing values"),
        ({"sample_weight": [1] * 10 + [0] * 10}, r"rows with a positive weight; .*none of 'b'"),
        ({"sample_weight": [-1] * 20}, r"sample_weight must be finite and not negative"),
        ({"sample_weight": [1] * 19}, r"received sample_weight 19, y 20"),
    ],
)
def test_bad_data_are_refused_by_the_rule_they_break(changed: Any, message: str) -> None:
    data = {"X": FEATURES, "y": LABEL, "sensitive_features": GROUP, **changed}
    with pytest.raises(ValueError, match=message):
        ExponentiatedGradient(LogisticRegression(), ZeroAmplification()).fit(**data)


@pytest.mark.parametrize("bound", [-0.1, 1.5, float("nan"), "0.01", None])
def test_the_bound_is_a_number_from_0_to_1(bound: Any) -> None:
    with pytest.raises(ValueError, match=f"number from 0 to 1; received {bound!r}"):
        ZeroAmplification(difference_bound=bound)


def test_it_says_what_it_is() -> None:
    assert repr(ZeroAmplification(difference_bound=0.02)) == (
        "ZeroAmplification(difference_bound=0.02)"
    )
