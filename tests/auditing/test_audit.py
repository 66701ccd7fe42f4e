"""What an audit holds, and that its numbers are those of the metrics themselves."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from report_cases import AMPLIFIED, GROUP, TRUTH, names, pairs_of, row_of

import biasamp_adapters as bam

A_TO_T = ["MALS", "BA A->T", "Multi A->T", "Multi undirected", "LA", "DPA A->T", "DPA(U) A->T"]
BOTH = [
    *["MALS", "BA A->T", "BA T->A", "Multi A->T", "Multi T->A", "Multi undirected", "LA"],
    *["DPA A->T", "DPA T->A", "DPA(U) A->T", "DPA(U) T->A"],
]
U = "uncertainty_coefficient"


def metric_named(name: str, reference: Any = None) -> Any:
    """The metric object that a row of the report stands for."""
    kind, _, direction = name.partition(" ")
    if kind == "LA":
        return bam.LeakageAmplification()
    if kind == "MALS":
        return bam.MALS(reference=reference)
    if kind == "BA":
        return bam.DirectionalBiasAmplification(direction=direction, reference=reference)
    if kind == "Multi":
        return bam.MultiAttributeBiasAmplification(direction=direction, reference=reference)
    quality = U if kind == "DPA(U)" else "inverse_cross_entropy"
    return bam.DirectionalPredictabilityAmplification(direction=direction, quality=quality)


@pytest.fixture(scope="module")
def short_audits() -> None:
    """Attackers are fitted as often as a metric of its own fits them."""


@pytest.fixture(scope="module")
def rows(compas: pd.DataFrame) -> dict[str, Any]:
    """The COMPAS rows as arguments."""
    return {
        "y_true": compas["T"],
        "y_pred": compas["T_pred"],
        "sensitive_features": compas["A"],
        "sensitive_features_pred": compas["A_pred"],
    }


@pytest.fixture(scope="module")
def report(rows: dict[str, Any]) -> bam.AuditReport:
    """The audit of the COMPAS rows."""
    return bam.audit(**rows)


@pytest.fixture(scope="module")
def reference(compas: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Other rows than those audited: every second one."""
    return compas["T"][::2], compas["A"][::2]


def test_both_directions_with_a_predicted_attribute(report: bam.AuditReport) -> None:
    assert names(report) == BOTH


def test_one_direction_without(rows: dict[str, Any]) -> None:
    del (rows := dict(rows))["sensitive_features_pred"]
    assert names(bam.audit(**rows, n_boot=0)) == A_TO_T


def test_multi_is_left_out_for_probabilities(rows: dict[str, Any]) -> None:
    soft = {**rows, "y_pred": rows["y_pred"].map({0: 0.25, 1: 0.75})}
    found = names(bam.audit(**soft, n_boot=0))
    # T->A reads no predicted task, so Multi stays there.
    assert found == [name for name in BOTH if name not in ("Multi A->T", "Multi undirected")]


def test_values_of_compas_that_others_have_published(report: bam.AuditReport) -> None:
    # The figures that come with the definitions, for this tree on these rows, to these digits.
    assert row_of(report, "BA A->T")["value"] == pytest.approx(0.023, abs=5e-4)
    assert row_of(report, "DPA A->T")["value"] == pytest.approx(0.0218, abs=5e-5)
    assert row_of(report, "DPA T->A")["value"] == pytest.approx(0.0478, abs=5e-5)


@pytest.mark.parametrize("with_reference", [False, True])
@pytest.mark.parametrize("name", BOTH)
def test_values_are_those_of_the_metric_alone(
    rows: dict[str, Any], reference: Any, name: str, with_reference: bool
) -> None:
    against = reference if with_reference else None
    row = row_of(bam.audit(**rows, reference=against, n_boot=0), name)
    metric = metric_named(name, against)
    result = metric.result(**rows)
    assert row["value"] == pytest.approx(result.value, abs=1e-12)
    assert row["n"] == result.n == 5278
    assert f"{row['metric']} {row['direction']}".removesuffix(" undirected") == (
        metric.__name__.removesuffix(" undirected")
    )
    for beside in ("blind_errors", "excess", "spread"):
        expected = getattr(result, beside)
        assert (row[beside] is None) == (expected is None)
        assert expected is None or row[beside]["value"] == pytest.approx(expected.value, abs=1e-12)


@pytest.mark.parametrize("name", BOTH)
def test_intervals_are_those_of_the_metric_alone(
    report: bam.AuditReport, rows: dict[str, Any], name: str
) -> None:
    row = row_of(report, name)
    result = metric_named(name).result(**rows, n_boot=2000, random_state=1)
    assert result.interval is not None
    # An end is the 2.5 % quantile of 2,000 draws: of a normal distribution its standard error is
    # sqrt(.025 * .975 / 2000) / .0584 = .06 standard deviations, .085 for a difference of two.
    deviation = (result.interval[1] - result.interval[0]) / 3.92
    assert [row["low"], row["high"]] == pytest.approx(
        [*result.interval], abs=5 * 0.085 * deviation + 1e-12
    )
    assert row["low"] <= row["high"]


def test_weights(rows: dict[str, Any]) -> None:
    # Weights of the inverse of the group's size make the groups equal.
    size = rows["sensitive_features"].map(rows["sensitive_features"].value_counts())
    weighted = {**rows, "sample_weight": 1000 / size}
    found = bam.audit(**weighted, n_boot=50)
    assert names(found) == BOTH
    assert found.summary["data"]["weighted"]
    assert [of["share"] for of in found.summary["data"]["groups"]] == pytest.approx([0.5, 0.5])
    for name in BOTH:
        expected = metric_named(name)(**weighted)
        assert row_of(found, name)["value"] == pytest.approx(expected, abs=1e-12)
        assert row_of(found, name)["low"] is not None


def test_whole_weights_equal_repeated_rows() -> None:
    twice = [*range(100), *range(50)]
    weight = [2] * 50 + [1] * 50
    repeated = bam.audit(
        np.take(TRUTH, twice), np.take(AMPLIFIED, twice), sensitive_features=np.take(GROUP, twice)
    )
    weighted = bam.audit(TRUTH, AMPLIFIED, sensitive_features=GROUP, sample_weight=weight)
    for name in ("MALS", "BA A->T", "Multi A->T", "Multi undirected"):
        expected = row_of(repeated, name)["value"]
        assert row_of(weighted, name)["value"] == pytest.approx(expected, abs=1e-12)
    # 100 rows say less than 150: the interval is wider.
    assert width(row_of(weighted, "BA A->T")) > width(row_of(repeated, "BA A->T"))


def width(row: dict[str, Any]) -> float:
    return float(row["high"] - row["low"])


def test_crossed_attributes_equal_one_joined_attribute() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sex": rng.choice(["f", "m"], 400), "age": rng.choice(["old", "y"], 400)})
    truth, predicted = rng.integers(0, 2, (2, 400))
    crossed = bam.audit(truth, predicted, sensitive_features=frame, n_boot=50)
    joined = frame["sex"] + " × " + frame["age"]
    alone = bam.audit(truth, predicted, sensitive_features=joined, n_boot=50)
    assert crossed.summary["data"]["attributes"] == ["sex", "age"]
    assert crossed.summary["data"]["groups"] == alone.summary["data"]["groups"]
    for part in ("metrics", "pairs", "fairness"):
        assert crossed.summary[part] == alone.summary[part]
    pairs = crossed.results["model", "DirectionalBiasAmplification A->T"].by_pair
    assert (pairs["attribute"] == pairs["sex"] + " × " + pairs["age"]).all()


def test_reference_as_arrays_and_as_counts(rows: dict[str, Any], reference: Any) -> None:
    counts = bam.JointCounts.from_arrays(reference[0], sensitive_features=reference[1])
    given = bam.audit(**rows, reference=reference, n_boot=50)
    assert bam.audit(**rows, reference=counts, n_boot=50).summary == given.summary
    assert given.summary["data"]["reference"] == "reference data of 2,639 rows"


def test_reference_sets_the_signs() -> None:
    turned = ([1 - task for task in TRUTH], GROUP)
    with_own = bam.audit(TRUTH, AMPLIFIED, sensitive_features=GROUP, n_boot=0)
    with_turned = bam.audit(TRUTH, AMPLIFIED, sensitive_features=GROUP, reference=turned, n_boot=0)
    # Every rate moves by 5/50, along the truth and so against its mirror image.
    assert row_of(with_own, "BA A->T")["value"] == pytest.approx(5 / 50)
    assert row_of(with_turned, "BA A->T")["value"] == pytest.approx(-5 / 50)


def test_dropped_rows_are_as_if_not_there() -> None:
    gaps = [None, *AMPLIFIED[1:]]
    dropped = bam.audit(TRUTH, gaps, sensitive_features=GROUP, missing="drop", n_boot=50)
    rest = bam.audit(TRUTH[1:], AMPLIFIED[1:], sensitive_features=GROUP[1:], n_boot=50)
    assert dropped.summary["data"]["dropped"] == 1
    for part in ("metrics", "pairs", "fairness"):
        assert dropped.summary[part] == rest.summary[part]


def test_abstentions_stay_in_the_denominators() -> None:
    # Right but for 10 positives of group a, of which nothing is said: of the four pairs only
    # (a, 1), whose correlation is positive, moves, from 30/50 to 20/50.
    says = [None] * 10 + TRUTH[10:]
    found = bam.audit(TRUTH, says, sensitive_features=GROUP, missing="abstain", n_boot=0)
    assert row_of(found, "BA A->T")["value"] == pytest.approx((20 - 30) / 50 / 4)
    assert row_of(found, "Multi A->T")["value"] == pytest.approx((30 - 20) / 50 / 4)


def test_missing_values_are_an_error_unless_a_rule_is_given() -> None:
    with pytest.raises(ValueError, match=r"y_pred must not have missing values; received 1"):
        bam.audit(TRUTH, [None, *AMPLIFIED[1:]], sensitive_features=GROUP)


def test_pos_label_is_that_of_the_metrics(rows: dict[str, Any]) -> None:
    found = bam.audit(**rows, pos_label=0, n_boot=0)
    for name, metric in (
        ("MALS", bam.MALS(pos_label=0)),
        ("BA T->A", bam.DirectionalBiasAmplification(direction="T->A", pos_label=0)),
    ):
        assert row_of(found, name)["value"] == pytest.approx(metric(**rows), abs=1e-12)
    assert {row["task"] for row in found.summary["fairness"]} == {"0", "all"}


def test_strongest_pairs_are_the_largest_contributions(report: bam.AuditReport) -> None:
    for direction in ("A->T", "T->A"):
        listed = pairs_of(report, direction)
        sizes = [abs(pair["value"]) for pair in listed]
        assert sizes == sorted(sizes, reverse=True)
        table = report.results["model", f"DirectionalBiasAmplification {direction}"].by_pair
        table = table.assign(attribute=table["attribute"].astype(str), task=table["task"].map(str))
        values = table.set_index(["attribute", "task"])["contribution"]
        assert {(p["attribute"], p["task"]): p["value"] for p in listed} == values.to_dict()


@pytest.mark.parametrize(("classes", "listed"), [(5, 25), (24, 500)])
def test_the_strongest_pairs_are_listed_with_their_intervals(classes: int, listed: int) -> None:
    rng = np.random.default_rng(1)
    truth, predicted, group = rng.integers(0, classes, (3, 3000))
    found = bam.audit(truth, predicted, sensitive_features=group, n_boot=50)
    contributions = found.results["model", "DirectionalBiasAmplification A->T"].by_pair
    assert len(contributions) == classes**2
    largest = contributions["contribution"].abs().nlargest(listed)
    rows = pairs_of(found, "A->T")
    assert [abs(row["value"]) for row in rows] == pytest.approx(largest.tolist())
    assert all(row["low"] < row["high"] for row in rows)
    # Text has room for the first ten.
    (table,) = (
        part for part in found.to_text(full=True).split("\n\n") if part.startswith("Pairs of BA")
    )
    caption, _, *lines = table.splitlines()
    assert f"the clearest first, in points (10 of {listed})" in caption
    assert len(lines) == 10


def test_pickles(report: bam.AuditReport) -> None:
    assert pickle.loads(pickle.dumps(report)).summary == report.summary


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_boot": -1}, "n_boot must be a whole number from 0 to 1,000,000; received -1"),
        ({"n_boot": 2.5}, "n_boot must be a whole number from 0 to 1,000,000; received 2.5"),
        ({"confidence": 1}, "confidence must lie strictly between 0 and 1; received 1"),
        ({"missing": "ignore"}, "missing must be 'error', 'drop' or 'abstain'; received 'ignore'"),
        ({"pos_label": 7}, "pos_label must be one of the labels .*; received 7"),
        ({"y_pred": None}, "an audit needs predictions; received counts without any"),
        (
            {"reference": TRUTH},
            r"reference must be \(y_true, sensitive_features\), counts or BaseRates",
        ),
        ({"sensitive_features": ["a"] * 100}, "at least two groups; received only 'a'"),
        ({"y_pred": [7, *TRUTH[1:]]}, "y_pred must hold only labels known .* received '?7'?"),
        ({"sample_weight": [-1, *[1] * 99]}, "sample_weight must be finite and not negative"),
        ({"y_pred": TRUTH[1:]}, "inputs must have the same length; received .* y_pred 99"),
    ],
)
def test_bad_input_is_named(changed: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "y_true": TRUTH,
        "y_pred": AMPLIFIED,
        "sensitive_features": GROUP,
        "n_boot": 10,
    }
    with pytest.raises(ValueError, match=message):
        bam.audit(**{**arguments, **changed})
