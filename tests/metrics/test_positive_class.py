"""One rule for the positive class of two labels, wherever one is looked at."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import biasamp_adapters as bam
from biasamp_adapters.counts.labels import positive_class

# Of three groups, 6, 2 and 2 of the 10 positives; predicted 9, 2 and 1 of 12. Group a is the one
# above a third: 9/12 - 6/10.
GROUP = ["a"] * 12 + ["b"] * 8 + ["c"] * 8
Y_TRUE = [1] * 6 + [0] * 6 + ([1] * 2 + [0] * 6) * 2
Y_PRED = [1] * 9 + [0] * 3 + [1] * 2 + [0] * 6 + [1] + [0] * 7
MALS_OF_POSITIVES = 9 / 12 - 6 / 10
# The negatives are 6, 6 and 6 of 18, so no group is above a third: class 0 adds nothing.

#: What stands for 0 and 1.
CODES: list[tuple[Any, Any]] = [
    (0, 1),
    (-1, 1),
    (False, True),
    (0.0, 1.0),
    (1, 2),
    ("0", "1"),
    ("no", "yes"),
    ("bad", "good"),
]


def coded(values: list[int], codes: tuple[Any, Any]) -> list[Any]:
    return [codes[value] for value in values]


@pytest.mark.parametrize("codes", CODES, ids=str)
def test_mals_does_not_depend_on_the_names(codes: tuple[Any, Any]) -> None:
    rows = coded(Y_TRUE, codes), coded(Y_PRED, codes)
    result = bam.MALS().result(*rows, sensitive_features=GROUP)
    assert result.value == pytest.approx(MALS_OF_POSITIVES)
    assert result.pos_label == codes[1]
    assert f"class looked at: {codes[1]}" in repr(result)
    assert result.to_dict()["pos_label"] == str(codes[1])


@pytest.mark.parametrize("codes", CODES, ids=str)
def test_everything_in_a_report_looks_at_one_class(codes: tuple[Any, Any]) -> None:
    scores = [0.25 + value / 2 for value in Y_PRED]
    report = bam.audit(
        coded(Y_TRUE, codes),
        coded(Y_PRED, codes),
        y_score=scores,
        sensitive_features=GROUP,
        n_boot=0,
    )
    summary = report.summary
    positive = str(codes[1])
    assert summary["data"]["positive"] == positive
    assert summary["sweeps"][0]["task"] == positive
    (mals,) = [row for row in summary["metrics"] if row["name"] == "MALS"]
    assert mals["pos_label"] == positive
    assert mals["value"] == pytest.approx(MALS_OF_POSITIVES)
    assert f"MALS (class {positive})" in report.to_text(full=True)
    # 9 of 12 are selected, of c 1 of 8.
    (selected,) = [row for row in summary["fairness"] if "selection" in row["measure"]]
    assert selected["value"] == pytest.approx(9 / 12 - 1 / 8)


@pytest.mark.parametrize("codes", CODES, ids=str)
def test_sweeps_predict_the_positive_class(codes: tuple[Any, Any]) -> None:
    curve = bam.threshold_sweep(
        bam.MALS(),
        coded(Y_TRUE, codes),
        [0.25 + value / 2 for value in Y_PRED],
        sensitive_features=GROUP,
    )
    # At the second threshold, those with the higher score are predicted positive.
    assert curve["share"][1] == 12 / 28
    assert curve["value"][1] == pytest.approx(MALS_OF_POSITIVES)


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ((0, 1), 1),
        ((1, 0), 1),
        ((1, -1), 1),
        ((True, False), True),
        ((1,), 1),
        ((0,), None),
        (("yes", "no"), "no"),
        ((2, 1), 1),
        ((1, 2), 2),
        ((0, 2), 2),
        ((-1, 0, 1), None),
        (("a", "b", "c"), None),
        (("a",), None),
    ],
)
def test_the_rule(labels: tuple[Any, ...], positive: Any) -> None:
    assert positive_class(labels) == positive


def test_pos_label_wins() -> None:
    rows = coded(Y_TRUE, ("no", "yes")), coded(Y_PRED, ("no", "yes"))
    result = bam.MALS(pos_label="no").result(*rows, sensitive_features=GROUP)
    assert result.value == 0
    assert result.pos_label == "no"


def test_more_classes_are_all_looked_at() -> None:
    # Class 2 has 4 rows of each group, none of which is predicted: only class 1 has a rate.
    rows = [*Y_TRUE, *[2] * 12], [*Y_PRED, *[2] * 12]
    groups = [*GROUP, *["a", "b", "c"] * 4]
    result = bam.MALS().result(*rows, sensitive_features=groups)
    assert result.pos_label is None
    assert set(result.by_pair["task"]) == {0, 1, 2}
    assert result.value == pytest.approx(MALS_OF_POSITIVES / 3)


def test_a_column_is_no_class() -> None:
    column = pd.DataFrame({"hired": Y_TRUE}), pd.DataFrame({"hired": Y_PRED})
    result = bam.MALS().result(*column, sensitive_features=GROUP)
    assert result.value == pytest.approx(MALS_OF_POSITIVES)
    assert result.pos_label is None


def test_comparisons_name_the_class() -> None:
    found = bam.compare(
        bam.MALS(),
        coded(Y_TRUE, ("no", "yes")),
        {"one": coded(Y_PRED, ("no", "yes")), "two": coded(Y_TRUE, ("no", "yes"))},
        sensitive_features=GROUP,
        n_boot=0,
    )
    assert repr(found).startswith("<Comparison: MALS undirected (class yes), 28 rows")


def test_tables_of_a_report_name_the_class() -> None:
    rows = coded(Y_TRUE, ("no", "yes")), coded(Y_PRED, ("no", "yes"))
    frame = bam.audit(*rows, sensitive_features=GROUP, n_boot=0).to_frame()
    assert frame.set_index("metric")["pos_label"]["MALS"] == "yes"
    assert frame.set_index("metric")["pos_label"].isna().sum() == len(frame) - 1
