"""Values that are rarely meant: right answers where there is one, else errors that name them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from good_rows import GROUP, PREDICTION, TRUTH, count
from scipy import sparse

import biasamp_adapters as bam
from biasamp_adapters import CooccurrenceCounts, DirectionalBiasAmplification, JointCounts

INF = float("inf")
FRAME = pd.DataFrame({"t": TRUTH, "p": PREDICTION, "g": GROUP})
MATRIX = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])


@pytest.mark.parametrize("argument", ["y_true", "y_pred", "sensitive_features"])
@pytest.mark.parametrize("label", [INF, -INF], ids=str)
def test_infinity_is_no_label(argument: str, label: float) -> None:
    with pytest.raises(ValueError, match=r"finite numbers as labels; received -?inf|lie in .0, 1"):
        count(**{argument: [label, 1.0, 0.0, 1.0]}, sensitive_features_pred=None)


@pytest.mark.parametrize(
    "groups",
    [[INF, 1.0, 1.0, 2.0], {"g": GROUP, "h": [1.0, INF, 1.0, 2.0]}],
    ids=["one", "crossed"],
)
@pytest.mark.parametrize("task", [TRUTH, MATRIX], ids=["labels", "matrix"])
def test_infinity_is_no_group(groups: Any, task: Any) -> None:
    metric = DirectionalBiasAmplification()
    with pytest.raises(ValueError, match="must hold finite numbers as labels; received inf"):
        metric(task, task, sensitive_features=groups)


@pytest.mark.parametrize("name", ["labels", "groups"])
def test_infinity_cannot_be_listed(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must hold finite numbers as labels"):
        DirectionalBiasAmplification(**{name: [0, 1, INF]})


@pytest.mark.parametrize("text", ["\ud800", "a\udfff"], ids=ascii)
def test_half_a_surrogate_pair_is_no_text(text: str) -> None:
    # No file could hold it, no page show it.
    message = "sensitive_features must hold text without lone surrogates; received '.*ud"
    with pytest.raises(ValueError, match=message):
        bam.audit(TRUTH, PREDICTION, sensitive_features=[text, "b", text, "b"])


def test_a_whole_pair_is_text() -> None:
    groups = ["\U0001f600", "b"] * 2
    assert DirectionalBiasAmplification()(TRUTH, TRUTH, sensitive_features=groups) == 0


CALLS: dict[str, Callable[[], Any]] = {
    "groups of a frame": lambda: count(
        sensitive_features=pd.DataFrame([[1, 2]] * 4, columns=["g", "g"]),
        sensitive_features_pred=None,
    ),
    "a column of a frame": lambda: JointCounts.from_frame(
        pd.concat([FRAME, FRAME[["t"]]], axis=1), task="t", attribute="g"
    ),
    "columns of a matrix": lambda: CooccurrenceCounts.from_frame(
        pd.concat([FRAME, FRAME[["t"]]], axis=1), task=["t"], attribute="g"
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_columns_of_the_same_name(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"must have (distinct|different) .*received .*'[gt]'"):
        call()


def test_columns_of_the_same_name_that_are_not_read() -> None:
    twice = pd.concat([FRAME, FRAME[["p"]]], axis=1)
    expected = JointCounts.from_frame(FRAME, task="t", attribute="g")
    assert JointCounts.from_frame(twice, task="t", attribute="g") == expected


@pytest.mark.parametrize("argument", ["sensitive_features", "sample_weight"])
def test_a_sparse_array_is_no_column(argument: str) -> None:
    values = sparse.csr_array(np.ones((4, 1)))
    message = rf"{argument} must be a column of values; received a sparse array .*\(4, 1\)"
    with pytest.raises(ValueError, match=message):
        count(**{argument: values}, sensitive_features_pred=None)


@pytest.mark.parametrize("weight", [10**400, -(10**400)], ids=["large", "negative"])
def test_weights_beyond_floats(weight: int) -> None:
    with pytest.raises(ValueError, match=r"finite and not negative; received -?inf in 1 row"):
        count(sample_weight=[weight, 1, 1, 1])
    frame = FRAME.assign(w=pd.Series([weight, 1, 1, 1], dtype=object))
    with pytest.raises(ValueError, match=r"column 'w' must be finite .*; received -?inf"):
        JointCounts.from_frame(frame, task="t", attribute="g", weight="w")


@pytest.mark.parametrize("task", [TRUTH, MATRIX], ids=["labels", "matrix"])
def test_decimal_weights_are_numbers(task: Any) -> None:
    weights = [Decimal("1.5"), Decimal("0.25"), Decimal(2), Decimal(1)]
    floats = [1.5, 0.25, 2.0, 1.0]
    metric = DirectionalBiasAmplification()
    predicted = np.roll(np.asarray(task), 1, axis=0)
    by_decimals, by_floats = (
        metric(task, predicted, sensitive_features=GROUP, sample_weight=each)
        for each in (weights, floats)
    )
    assert by_decimals == by_floats


def test_decimal_weights_have_their_rules() -> None:
    with pytest.raises(ValueError, match="finite and not negative; received nan in 1 row"):
        count(sample_weight=[Decimal("nan"), 1, 1, 1])


def test_decimal_scores_and_probabilities_are_numbers() -> None:
    scores = [0.25, 0.75, 0.5, 0.5]
    decimals = [Decimal(score) for score in scores]
    metric = DirectionalBiasAmplification()
    assert metric(TRUTH, decimals, sensitive_features=GROUP) == metric(
        TRUTH, scores, sensitive_features=GROUP
    )
    sweeps = [
        bam.threshold_sweep(metric, TRUTH, each, sensitive_features=GROUP)
        for each in (scores, decimals)
    ]
    pd.testing.assert_frame_equal(*sweeps)


class Tensor:
    """What a tensor of PyTorch that is trained looks like: numpy cannot read it as it is."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values)
        self.ndim = self._values.ndim
        self.shape = self._values.shape

    def __len__(self) -> int:
        return len(self._values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

    def detach(self) -> Any:
        return self

    def cpu(self) -> Any:
        return self._values


def test_a_tensor_with_gradients() -> None:
    chances = [0.25, 0.75, 0.5, 0.5]
    metric = DirectionalBiasAmplification()
    by_list = metric(TRUTH, chances, sensitive_features=GROUP)
    assert metric(TRUTH, Tensor(chances), sensitive_features=GROUP) == by_list
    of_matrix = metric(MATRIX, MATRIX / 2, sensitive_features=GROUP)
    assert metric(MATRIX, Tensor(MATRIX / 2), sensitive_features=GROUP) == of_matrix
    codes = Tensor([0, 1, 0, 1])
    assert count(sensitive_features=codes, sensitive_features_pred=None).groups == (0, 1)


NO_COUNTS: dict[str, Callable[[Any], Any]] = {
    "audit": bam.audit_counts,
    "metric": DirectionalBiasAmplification().from_counts,
    "comparison": lambda table: bam.compare_counts(DirectionalBiasAmplification(), table),
}


@pytest.mark.parametrize("call", NO_COUNTS.values(), ids=NO_COUNTS)
@pytest.mark.parametrize("given", [FRAME, None, TRUTH], ids=["frame", "none", "list"])
def test_a_table_is_no_counts(call: Callable[[Any], Any], given: Any) -> None:
    kind = type(given).__name__
    message = f"counts must be JointCounts or CooccurrenceCounts; received a {kind} .*from_frame"
    with pytest.raises(ValueError, match=message):
        call(given)


def test_counts_of_other_models_do_not_add() -> None:
    one, other = (count(y_pred={name: PREDICTION}, sensitive_features_pred=None) for name in "ab")
    message = r"must be of the same models; received \['a'\] and \['b'\] .*count them together"
    with pytest.raises(ValueError, match=message):
        one + other


@pytest.mark.parametrize("n_boot", [1_000_001, 10**30], ids=["one more", "huge"])
def test_replicates_have_a_bound(n_boot: int) -> None:
    message = f"n_boot must be a whole number from 0 to 1,000,000; received {n_boot}"
    with pytest.raises(ValueError, match=message):
        bam.audit(TRUTH, PREDICTION, sensitive_features=GROUP, n_boot=n_boot)
    with pytest.raises(ValueError, match=message):
        DirectionalBiasAmplification().result(
            TRUTH, PREDICTION, sensitive_features=GROUP, n_boot=n_boot
        )


def test_trials_have_a_bound() -> None:
    with pytest.raises(ValueError, match=r"n_trials must be .* to 1,000,000; received 1000001"):
        bam.LeakageAmplification(n_trials=1_000_001)


@pytest.mark.parametrize("name", ["title", "model", "attribute"])
def test_names_that_no_page_could_show(name: str) -> None:
    half = "\ud800"
    options: dict[str, Any] = {"title": half} if name == "title" else {}
    predicted = {half: PREDICTION} if name == "model" else PREDICTION
    groups = {half: GROUP} if name == "attribute" else GROUP
    with pytest.raises(ValueError, match="names of a report must hold text without lone surrog"):
        bam.audit(TRUTH, predicted, sensitive_features=groups, n_boot=0, **options)
