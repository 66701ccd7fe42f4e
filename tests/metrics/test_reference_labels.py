"""A reference whose task labels are not those of the data: an error, or a warning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam
from biasamp_adapters import AmplificationWarning, DirectionalBiasAmplification
from biasamp_adapters.fairlearn import amplification_frame
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.sklearn import amplification_scorer

# Of group a 6 in 10 are positive and 8 are predicted so, of group b 4 and 2: each of the four pairs
# moves by .2 along its correlation.
GROUP = ["a"] * 10 + ["b"] * 10
Y_TRUE = [1] * 6 + [0] * 4 + [1] * 4 + [0] * 6
Y_PRED = [1] * 8 + [0] * 2 + [1] * 2 + [0] * 8
CONTRIBUTION = 0.2

Labels = Callable[[int], Any]

#: The labels of the training data under another name each.
OTHER: dict[str, Labels] = {
    "text": str,
    "words": lambda label: "yes" if label else "no",
    "shifted": lambda label: label + 2,
}


class Echo:
    """An estimator that predicts the first column of X."""

    def predict(self, x: Any) -> Any:
        return x[:, 0]


def scored(reference: Any) -> Any:
    metric = DirectionalBiasAmplification(reference=reference)
    scorer = amplification_scorer(metric, objective="signed", sensitive_features=1)
    features = np.stack([Y_PRED, np.repeat([0, 1], 10)], axis=1)
    return -scorer(Echo(), features, Y_TRUE)


def of_metric(reference: Any) -> Any:
    metric = DirectionalBiasAmplification(reference=reference)
    return metric(Y_TRUE, Y_PRED, sensitive_features=GROUP)


def of_audit(reference: Any) -> Any:
    report = bam.audit(Y_TRUE, Y_PRED, sensitive_features=GROUP, reference=reference, n_boot=0)
    return report.results["model", "DirectionalBiasAmplification A->T"].value


def of_counts(reference: Any) -> Any:
    counts = bam.JointCounts.from_arrays(Y_TRUE, Y_PRED, GROUP)
    report = bam.audit_counts(counts, bam.JointCounts.from_arrays(reference[0], None, reference[1]))
    return report.results["model", "DirectionalBiasAmplification A->T"].value


def of_comparison(reference: Any) -> Any:
    metric = DirectionalBiasAmplification(reference=reference)
    models = {"model": Y_PRED, "truth": Y_TRUE}
    found = bam.compare(metric, Y_TRUE, models, sensitive_features=GROUP, n_boot=0)
    return -found.difference.value


def of_frame(reference: Any) -> Any:
    frame = amplification_frame(
        Y_TRUE,
        Y_PRED,
        sensitive_features=GROUP,
        reference=reference,
        metrics=DirectionalBiasAmplification(),
    )
    return frame.overall


ENTRIES = [of_metric, of_audit, of_counts, of_comparison, of_frame]


def reference_with(labels: Labels, extra: int | None = None) -> tuple[list[Any], list[Any]]:
    """The truth with other labels, and perhaps a stray row of one more class."""
    stray = [] if extra is None else [extra]
    return [*map(labels, Y_TRUE), *stray], [*GROUP, *["a"] * len(stray)]


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("labels", OTHER.values(), ids=OTHER)
def test_no_label_in_common(entry: Callable[..., Any], labels: Labels) -> None:
    with pytest.raises(ValueError, match=r"must have task labels in common .* for 0, 1 .*labels="):
        entry(reference_with(labels))


def test_no_label_in_common_in_a_search() -> None:
    # The scorer's groups are the codes 0 and 1.
    labels, groups = list(map(str, Y_TRUE)), [0] * 10 + [1] * 10
    with pytest.raises(ValueError, match=r"labels in common .* received '0', '1' for 0, 1"):
        scored((labels, groups))
    assert scored((Y_TRUE, groups)) == pytest.approx(CONTRIBUTION)


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_class_of_one_side_only(entry: Callable[..., Any]) -> None:
    # A third class, which nobody is predicted to be: two of six pairs add nothing.
    with pytest.warns(AmplificationWarning, match="both sides: 2 only in the reference; each is"):
        value = entry(reference_with(int, extra=2))
    assert value == pytest.approx(CONTRIBUTION * 4 / 6)


@pytest.mark.parametrize("entry", ENTRIES)
def test_one_label_in_common(entry: Callable[..., Any]) -> None:
    # -1 and 0 are classes of their own: only the two pairs of class 1 have a sign and a change.
    with pytest.warns(AmplificationWarning, match="-1 only in the reference, 0 only in the data"):
        value = entry(reference_with(lambda label: 2 * label - 1))
    assert value == pytest.approx(CONTRIBUTION * 2 / 6)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("labels", [bool, float, np.int8])
def test_labels_that_are_equal_are_the_same(entry: Callable[..., Any], labels: Labels) -> None:
    assert entry(reference_with(labels)) == pytest.approx(CONTRIBUTION)


def test_listed_labels_are_meant() -> None:
    metric = DirectionalBiasAmplification(reference=reference_with(int, extra=2), labels=[0, 1, 2])
    value = metric(Y_TRUE, Y_PRED, sensitive_features=GROUP)
    assert value == pytest.approx(CONTRIBUTION * 4 / 6)


def test_the_report_says_it() -> None:
    with pytest.warns(AmplificationWarning, match="2 only in the reference"):
        report = bam.audit(
            Y_TRUE,
            Y_PRED,
            sensitive_features=GROUP,
            reference=reference_with(int, extra=2),
            n_boot=0,
        )
    assert any(note.startswith("Not all task labels have rows") for note in report.summary["notes"])


def test_result_and_comparison_say_it() -> None:
    metric: Metric = DirectionalBiasAmplification(reference=reference_with(int, extra=2))
    with pytest.warns(AmplificationWarning, match="2 only in the reference"):
        result = metric.result(Y_TRUE, Y_PRED, sensitive_features=GROUP)
    assert "2 only in the reference" in result.notes[-1]


def test_aif360_functions() -> None:
    pytest.importorskip("aif360")
    from biasamp_adapters.aif360 import directional_bias_amplification

    groups = pd.Index(GROUP, name="group")
    y_true = pd.Series(Y_TRUE, index=groups)
    with pytest.raises(ValueError, match="must have task labels in common with the data"):
        directional_bias_amplification(y_true, Y_PRED, reference=y_true.astype(str))
    value = directional_bias_amplification(y_true, Y_PRED, reference=y_true.astype(float))
    assert value == pytest.approx(CONTRIBUTION)


def test_a_reference_of_one_group() -> None:
    reference = (Y_TRUE[:10], GROUP[:10])
    with pytest.raises(ValueError, match=r"rows of at least two groups, .* received only 'a'"):
        DirectionalBiasAmplification(reference=reference)(Y_TRUE, Y_PRED, sensitive_features=GROUP)


def test_a_reference_of_one_listed_group_is_not_called_balanced() -> None:
    report = bam.audit(
        Y_TRUE,
        Y_PRED,
        sensitive_features=GROUP,
        groups=["a", "b"],
        reference=(Y_TRUE[:10], GROUP[:10]),
        n_boot=0,
    )
    notes = " ".join(report.summary["notes"])
    assert "rows of one group only" in notes
    assert "balanced" not in notes


def test_a_reference_of_one_class_is_not_called_balanced() -> None:
    with pytest.warns(AmplificationWarning, match="0 only in the data"):
        report = bam.audit(
            Y_TRUE, Y_PRED, sensitive_features=GROUP, reference=([1] * 20, GROUP), n_boot=0
        )
    notes = " ".join(report.summary["notes"])
    assert "rows of one class only" in notes
    assert "balanced" not in notes
    # The way out is one of the call, and no part of the report.
    assert "labels=" not in notes
