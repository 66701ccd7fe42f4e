"""What a report must say beside its numbers, and must not say where it does not apply.

The rules are those of the metrics' definitions, which follow [W21] 5 and A.1 and [T25] 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import rows_of
from report_cases import AMPLIFIED, GROUP, TRUTH, has_note, row_of

import biasamp_adapters as bam

UNCERTAIN = "their sign may be noise"
FEW = "Fewer than 15 rows"
NO_REFERENCE = "the evaluated truth itself"
T_TO_A = "T->A means that the model predicts a protected attribute"


def audit(y_pred: Any = AMPLIFIED, y_true: Any = TRUTH, **options: Any) -> bam.AuditReport:
    """The audit of the plain table, some of it changed."""
    arguments: dict[str, Any] = {"sensitive_features": GROUP, "n_boot": 200}
    return bam.audit(y_true, y_pred, **{**arguments, **options})


def table(a: tuple[int, int], b: tuple[int, int]) -> tuple[list[int], list[str]]:
    """Truth and groups with so many rows of (T = 0, T = 1) in each group."""
    rows = rows_of([a, b], "A", "T")
    return rows["T"].tolist(), rows["A"].map({0: "a", 1: "b"}).tolist()


@pytest.mark.parametrize(
    "fragment",
    [
        "No amplification is not fairness",
        "A->T with T->A means nothing",
        "Multi has no sign",
        "The labels are taken for the truth",
        "The directions of correlations come from",
    ],
)
def test_always_said(fragment: str) -> None:
    assert has_note(audit(), fragment)
    assert has_note(audit(sensitive_features_pred=GROUP, reference=(TRUTH, GROUP)), fragment)


def test_plain_audit_says_nothing_else() -> None:
    reference = table((200, 300), (300, 200))
    found = audit(reference=reference).summary["notes"]
    assert len(found) == 5


def test_mals_of_groups_of_near_equal_share() -> None:
    # 51 of 100 positives are of group a: (.51 - .5) / sqrt(.25 / 100) = 0.2 standard errors.
    near = audit(reference=table((200, 51), (100, 49)))
    assert has_note(near, "may be noise which groups MALS takes for favoured")
    # 60 of 100: 2 standard errors.
    clear = audit(reference=table((200, 60), (100, 40)))
    assert not has_note(clear, "MALS takes for favoured")
    even = audit(reference=table((200, 50), (100, 50)))
    assert has_note(even, "MALS is 0 by construction")
    assert row_of(even, "MALS")["value"] == 0


def test_balanced_reference() -> None:
    found = audit(reference=table((25, 25), (50, 50)))
    assert row_of(found, "BA A->T")["value"] == 0
    # A balance is a tie, which is no noise of the sign.
    assert not has_note(found, UNCERTAIN)


@pytest.mark.parametrize(("positives", "uncertain"), [(29, True), (30, False)])
def test_uncertain_signs(positives: int, uncertain: bool) -> None:
    # 50 rows a group and class: z = sqrt(100) (x / 100 - 1/4) / (1/4), so 1.6 and 2.0.
    rest = 50 - positives
    found = audit(reference=table((rest, positives), (positives, rest)))
    assert has_note(found, UNCERTAIN) is uncertain


def test_pairs_with_uncertain_signs_are_counted() -> None:
    found = audit(reference=table((21, 29), (29, 21)))
    assert has_note(found, "4 of 4 pairs correlate so weakly in the reference (|z| < 1.96)")


def test_no_reference_and_a_reference() -> None:
    assert has_note(audit(), NO_REFERENCE)
    given = audit(reference=(TRUTH, GROUP))
    assert not has_note(given, NO_REFERENCE)
    assert has_note(given, "come from reference data of 100 rows")


def test_predicting_the_attribute() -> None:
    assert has_note(audit(sensitive_features_pred=GROUP), T_TO_A)
    assert not has_note(audit(), T_TO_A)


def test_dropped_rows() -> None:
    gaps = [None] * 3 + AMPLIFIED[3:]
    found = audit(gaps, missing="drop")
    assert has_note(found, "3 rows with missing values were left out")
    assert not has_note(audit(missing="drop"), "left out")


def test_abstentions() -> None:
    gaps = [None] * 3 + AMPLIFIED[3:]
    found = audit(
        {"first": AMPLIFIED, "second": gaps},
        missing="abstain",
        sensitive_features_pred={"first": [None, *GROUP[1:]], "second": GROUP},
    )
    assert has_note(found, "second abstained from 3 predictions of the task")
    assert has_note(found, "first abstained from 1 predictions of the attribute")
    assert not has_note(found, "first abstained from 3")
    assert not has_note(audit(missing="abstain"), "abstained")


@pytest.mark.parametrize(("rows", "few"), [(14, True), (15, False)])
def test_few_rows_of_a_group(rows: int, few: bool) -> None:
    group = ["small"] * rows + ["large"] * (100 - rows)
    found = audit([0, 1] * 50, [0, 1] * 50, sensitive_features=group)
    assert has_note(found, f"{FEW} have the group 'small'") is few


def test_few_rows_of_a_class() -> None:
    truth = [1] * 14 + [0] * 86
    found = audit(truth, truth, sensitive_features=["a", "b"] * 50)
    assert has_note(found, f"{FEW} have the class")
    assert not has_note(found, f"{FEW} have the group")


def test_few_rows_are_counted_whatever_their_weight() -> None:
    group = ["small"] * 9 + ["large"] * 91
    weight = [100.0] * 9 + [1.0] * 91
    found = audit([0, 1] * 50, [0, 1] * 50, sensitive_features=group, sample_weight=weight)
    assert has_note(found, f"{FEW} have the group 'small'")


def test_probabilities() -> None:
    fragment = "Predictions are probabilities and enter as expected counts"
    assert has_note(audit(np.where(AMPLIFIED, 0.9, 0.2)), fragment)
    assert not has_note(audit(np.array(AMPLIFIED, dtype=float)), fragment)


def test_only_sums_of_weights() -> None:
    fragment = "Only sums of weights are left"
    weight = np.linspace(0.5, 1.5, 100)
    summed = bam.JointCounts.from_arrays(TRUTH, AMPLIFIED, GROUP, sample_weight=weight)
    found = bam.audit_counts(summed, n_boot=200)
    assert has_note(found, fragment)
    assert row_of(found, "BA A->T")["low"] is not None
    for name in ("LA", "DPA A->T"):
        assert row_of(found, name)["low"] is None
        assert "no interval" in row_of(found, name)["note"]
    assert not has_note(audit(sample_weight=weight), fragment)


def test_no_intervals_asked_for() -> None:
    fragment = "No intervals were asked for (n_boot=0)"
    assert has_note(audit(n_boot=0), fragment)
    assert not has_note(audit(n_boot=1), fragment)


def test_multi_and_mals_are_not_explained_where_they_are_left_out() -> None:
    found = audit(np.where(AMPLIFIED, 0.9, 0.2))
    assert not has_note(found, "Multi has no sign")


def test_several_groups_of_few_rows() -> None:
    found = audit(sensitive_features=["a"] * 6 + ["b"] * 6 + ["c"] * 88)
    assert has_note(found, f"{FEW} have each of the groups 'a', 'b': no interval")
    one = audit(sensitive_features=["a"] * 12 + ["c"] * 88)
    assert has_note(one, f"{FEW} have the group 'a': no interval")
