"""Multi: which label sets, classes and sets of groups it compares."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biasamp_adapters as bam
from biasamp_adapters.metrics.multi import check_number, subsets

Multi = bam.MultiAttributeBiasAmplification

# Label sets.

#: The label sets {0, 1} twice, {0} three times and {2} once; a prediction lacks 0 in row 0.
TRUTH = [[1, 1, 0], [1, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0]]
PREDICTED = [[0, 1, 0], *TRUTH[1:]]
GROUPS = [*"aabbaba"]


def sets_of(**settings: Any) -> list[Any]:
    result = Multi(**settings).result(TRUTH, PREDICTED, sensitive_features=GROUPS, n_boot=0)
    return list(dict.fromkeys(map(str, result.by_pair["class"])))


@pytest.mark.parametrize(
    "settings",
    [
        {"min_size": 3},
        {"min_support": 6, "combinations": "subsets"},
        {"reference": ([[0, 1, 1]] * 6, [*"ababab"])},
    ],
    ids=str,
)
def test_no_label_set_raises(settings) -> None:
    with pytest.raises(ValueError, match="Multi needs label sets of at least"):
        sets_of(**settings)


N_LABELS = 5
shown_sets = st.dictionaries(
    st.sets(st.integers(0, N_LABELS - 1), min_size=1).map(lambda labels: tuple(sorted(labels))),
    st.integers(1, 4),
    min_size=1,
    max_size=8,
)


@given(shown_sets, st.none() | st.integers(1, N_LABELS + 1), st.integers(1, 6))
def test_subsets_are_those_of_the_power_set_with_enough_rows(shown, max_size, min_support) -> None:
    expected = {}
    for size in range(1, (max_size or N_LABELS) + 1):
        for labels in combinations(range(N_LABELS), size):
            support = sum(n for row, n in shown.items() if set(labels) <= set(row))
            if support >= min_support:
                expected[labels] = support
    assert subsets(shown, max_size, min_support) == expected


def test_power_set_is_never_walked() -> None:
    # A row of 60 labels has 2^60 subsets; two of its labels are in another row.
    wide = {tuple(range(60)): 1, (3, 40): 1}
    assert subsets(wide, None, 2) == {(3,): 2, (3, 40): 2, (40,): 2}
    # 100,000 sets are compared and no more; 2^17 - 1 subsets are too many.
    check_number(100_000)
    with pytest.raises(ValueError, match="Multi compares at most 100,000 sets"):
        check_number(100_001)
    with pytest.raises(ValueError, match=r"at most 100,000 sets; received more: set min_support"):
        subsets({tuple(range(17)): 3}, None, 2)


@pytest.mark.parametrize(
    ("settings", "classes"),
    [
        # Class 0 has four rows and class 1 three; 2 is predicted only.
        ({}, [0, 1]),
        ({"min_support": 4}, [0]),
        ({"min_support": 5}, []),
        ({"pos_label": 2}, [2]),
        ({"reference": ([0, 2, 2], [*"aab"])}, [0]),
    ],
)
def test_classes_of_too_few_rows_are_left_out(settings, classes) -> None:
    result = Multi(**settings).result(
        [0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 2, 1, 1, 0], sensitive_features=[*"aabbaab"], n_boot=0
    )
    assert [*dict.fromkeys(result.by_pair["class"])] == classes


def test_probabilities_are_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="Multi reads 0/1 predictions; y_pred holds probabilities"):
        Multi()([0, 1], [0.5, 1], sensitive_features=[*"ab"])
    counts = bam.Counts.from_arrays([0, 1] * 99, [0.5, 1] * 99, sensitive_features=[*"ab"] * 99)
    counts.save(tmp_path / "sums.json", rows=False)
    with pytest.raises(ValueError, match="y_pred holds probabilities"):
        Multi().result(tmp_path / "sums.json")
    chances = bam.OverlappingGroups([[0.5, 0.5], [1, 0]], names=[*"ab"])
    with pytest.raises(ValueError, match="sensitive_features_pred holds probabilities"):
        Multi(direction="T->A")(
            [0, 1], [0, 1], sensitive_features=[*"ab"], sensitive_features_pred=chances
        )
    # A->T does not read predicted groups.
    value = Multi()([0, 1], [1, 1], sensitive_features=[*"ab"], sensitive_features_pred=chances)
    assert value == 1 / 2


PEOPLE = pd.DataFrame(
    {
        "sex": ["woman", "woman", "man", "man", "woman", "man"],
        "age": ["old", "young", "old", "old", "old", "young"],
    }
)
HIRED, SAID = [1, 0, 1, 0, 0, 1], [0, 0, 1, 1, 0, 1]


def test_group_sets_are_all_sets_of_levels() -> None:
    metric = Multi(group_sets=True, pos_label=1)
    result = metric.result(HIRED, SAID, sensitive_features=PEOPLE, n_boot=0)
    expected = ["sex=man", "age=old", "age=young", "sex=woman"]
    expected += ["sex=man × age=old", "sex=man × age=young"]
    expected += ["sex=woman × age=old", "sex=woman × age=young"]
    assert sorted(result.by_pair["group"]) == sorted(expected)
    changes = result.by_pair.set_index("group")["change"]
    # Of three women 1 is hired and 0 predicted; of four old people 2 and 2.
    assert changes["sex=woman"] == pytest.approx(-1 / 3)
    assert changes["age=old"] == 0
    assert changes["sex=woman × age=old"] == -1 / 2
    # Columns without names are numbered.
    unnamed = metric.result(HIRED, SAID, sensitive_features=PEOPLE.to_numpy(), n_boot=0)
    assert unnamed.value == result.value
    assert "0=woman × 1=old" in set(unnamed.by_pair["group"])


def test_group_sets_need_several_attributes() -> None:
    rule = r"group_sets=True must have several columns of sensitive_features"
    for groups in (PEOPLE["sex"], bam.OverlappingGroups(np.eye(2)[[0, 1, 0, 1, 0, 1]])):
        with pytest.raises(ValueError, match=rule):
            Multi(group_sets=True)(HIRED, SAID, sensitive_features=groups)
