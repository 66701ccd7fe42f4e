"""Results: estimates, tables of pairs and means, notes, text, HTML and dictionaries."""

import json
from typing import Any

import numpy as np
import pytest

import biasamp_adapters as bam
from biasamp_adapters.metrics.functions import get_metric

#: Three groups of 60, 40 and 20 rows, and two classes; predictions err in a quarter of the rows.
COLUMNS: dict[str, Any] = {
    "y_true": [1, 0, 0, 0] * 15 + [1, 1, 1, 0] * 10 + [1, 0] * 10,
    "y_pred": [1, 0, 0, 1] * 15 + [1, 1, 0, 0] * 10 + [1, 0] * 5 + [1, 1] * 5,
    "sensitive_features": ["a"] * 60 + ["b"] * 40 + ["c"] * 20,
}


@pytest.fixture(scope="module")
def result() -> Any:
    return bam.DirectionalBiasAmplification().result(**COLUMNS, n_boot=200)


def test_estimate_with_ends_or_without_shows_them() -> None:
    full = bam.Estimate(0.123456, 0.1, 0.2, "")
    assert full.interval == (0.1, 0.2)
    assert str(full) == "+0.1235 (+0.1000 to +0.2000)"
    bare = bam.Estimate(-0.00001)
    assert (bare.interval, bare.reason) == (None, "no intervals were requested (n_boot=0)")
    assert str(bare) == "+0.0000"  # Zeros have no minus sign.
    # Replicates are no part of what is equal or shown.
    assert full == bam.Estimate(0.123456, 0.1, 0.2, "", np.zeros(3))
    assert "replicates" not in repr(full)


def test_result_has_the_numbers_of_its_estimates(result) -> None:
    assert (result.metric, result.key, result.direction) == ("BA A->T", "ba_a_to_t", "A->T")
    assert (result.n_rows, result.n_boot, result.confidence) == (120, 200, 0.95)
    assert result.value == result.estimates["value"].value
    assert result.interval == result.estimates["value"].interval
    assert result.reason == ""
    assert result.excess.value == pytest.approx(result.value - result.equal_errors.value)
    assert result.excess.interval is not None


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_interval_is_that_of_percentiles(confidence) -> None:
    metric = bam.DirectionalBiasAmplification()
    estimate = metric.result(**COLUMNS, n_boot=1000, confidence=confidence).estimate
    tail = (1 - confidence) / 2
    expected = np.quantile(estimate.replicates, [tail, 1 - tail])
    assert estimate.interval == pytest.approx(tuple(expected), abs=1e-12)


def test_pairs_have_sign_change_and_contribution(result) -> None:
    # Rates of class 1: .25, .75 and .5 in the labels, .5, .5 and .75 in the predictions; .475 of
    # all rows.
    pairs = result.by_pair.set_index(["group", "class"])
    assert pairs.index.tolist() == [(group, label) for group in "abc" for label in (0, 1)]
    assert pairs["change"].tolist() == pytest.approx([-0.25, 0.25, 0.25, -0.25, -0.25, 0.25])
    assert pairs["sign"].tolist() == [1, -1, -1, 1, -1, 1]
    expected = [-0.25, -0.25, -0.25, -0.25, 0.25, 0.25]
    assert pairs["contribution"].tolist() == pytest.approx(expected)
    assert result.value == pytest.approx(sum(expected) / 6)
    # 20 rows of 10 positives are not clearly above .475, and the others are clear.
    assert pairs["uncertain"].tolist() == [False] * 4 + [True] * 2
    assert result.notes[0].startswith("For 2 of 6 rates the sign in BA is not clear")


def test_means_by_group_and_by_class(result) -> None:
    by_group = result.by_group.set_index("group")
    assert by_group["contribution"].tolist() == pytest.approx([-0.25, -0.25, 0.25])
    assert by_group["size_of_change"].tolist() == pytest.approx([0.25] * 3)
    by_class = result.by_class.set_index("class")
    assert by_class["contribution"].tolist() == pytest.approx([-0.25 / 3] * 2)
    assert [*by_class] == [*by_group] == ["contribution", "size_of_change"]


def test_text_has_numbers_reason_rows_and_notes_and_html_is_escaped() -> None:
    groups = [f"<{name}>" for name in COLUMNS["sensitive_features"]]
    metric = bam.DirectionalBiasAmplification(group_labels=["<a>", "<b>", "<c>", "<d>"])
    result = metric.result(**COLUMNS | {"sensitive_features": groups}, n_boot=0)
    assert repr(result).splitlines()[:6] == [
        f"BA A->T: {result.value:+.4f}",
        f"  equal_errors: {result.equal_errors.value:+.4f}",
        f"  excess: {result.excess.value:+.4f}",
        "  No interval: no intervals were requested (n_boot=0).",
        "  120 rows",
        f"  {result.notes[0]}",
    ]
    assert result.notes[0].endswith("left out of the mean: there are no rows of <d>.")
    html = result._repr_html_()
    assert html.startswith("<pre>BA A-&gt;T: ")
    assert "&lt;d&gt;" in html
    assert "<d>" not in html


def test_dictionary_is_plain_and_has_none_for_what_is_missing() -> None:
    metric = bam.LeakageAmplification(quality="inverse_cross_entropy", equalize=None)
    groups = [0, 1] * 20
    result = metric.result([0, 1, 1, 0] * 10, groups, sensitive_features=groups)
    written = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert (written["metric"], written["key"]) == (
        "LA(inverse_cross_entropy)", "la_inverse_cross_entropy",
    )  # fmt: skip
    reason = "the value is unbounded, because the loss is 0"
    assert written["value"] == {"value": None, "low": None, "high": None, "reason": reason}
    assert (written["direction"], written["n_rows"]) == ("undirected", 40)
    assert (written["n_boot"], written["confidence"]) == (2000, 0.95)


@pytest.mark.parametrize("name", ["MALS", "BA T->A", "Multi T->A", "DPA T->A"])
def test_group_of_which_no_row_is_left_changes_no_value(name) -> None:
    metric, groups = get_metric(name, missing="drop"), COLUMNS["sensitive_features"]
    kept = COLUMNS | {"sensitive_features_pred": ["b", *groups[:-1]]}
    left_out = zip(kept.items(), (0, None, "d", "a"), strict=True)
    columns = {key: [*values, label] for (key, values), label in left_out}
    assert metric.result(**columns, n_boot=0).value == metric.result(**kept, n_boot=0).value


def test_bare_call_warns_of_what_a_result_notes() -> None:
    columns = COLUMNS | {"y_true": [None, *COLUMNS["y_true"][1:]]}
    metric = bam.DirectionalBiasAmplification(missing="drop")
    note = "1 row with missing values was left out."
    assert metric.result(**columns, n_boot=0).notes[0] == note
    with pytest.warns(bam.AmplificationWarning, match=f"BA A->T: {note}"):
        metric(**columns)


@pytest.mark.parametrize(("n_clusters", "is_noted"), [(59, True), (60, False)])
def test_groups_in_few_clusters_are_noted(n_clusters, is_noted) -> None:
    # Group 0 is in 70 clusters of two rows, and group 1 in 59 or 60.
    groups = np.repeat([0, 1], [140, 2 * n_clusters])
    clusters = np.arange(len(groups)) // 2
    truth = np.arange(len(groups)) // 3 % 2
    metric = bam.DirectionalBiasAmplification(group_labels=[0, 1, 2])  # 2 has no rows.
    columns = {"sensitive_features": groups, "clusters": clusters}
    result = metric.result(truth, 1 - truth, **columns, n_boot=50)
    note = "1 has rows in fewer than 60 clusters, so its intervals may be too narrow."
    assert (result.notes[-1:] == (note,)) == is_noted
    report = bam.audit(truth, 1 - truth, **columns, n_boot=50)
    assert (note in report.summary["notes"]) == is_noted
    assert note not in metric.result(truth, 1 - truth, **columns, n_boot=0).notes
