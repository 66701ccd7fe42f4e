"""What post-processing refuses: scores that are none, datasets that do not fit, unfit groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

from dataset_cases import SEXES, classified, dataset, hiring
from scored_datasets import labels_of, scored, three_grades, two_sexes

import biasamp_adapters as bam
from biasamp_adapters.aif360 import PrevalenceThresholdPostprocessing


def fitted(**options: Any) -> PrevalenceThresholdPostprocessing:
    """Thresholds of two sexes."""
    return PrevalenceThresholdPostprocessing(**options).fit(*two_sexes())


def with_sexes(data: Any, *codes: float) -> Any:
    """A copy of eight rows, the first of which have other sexes."""
    out = data.copy(deepcopy=True)
    out.protected_attributes[: len(codes), 0] = codes
    return out


@pytest.mark.parametrize("tolerance", [-0.1, 1.5, np.nan, "0", None])
def test_tolerances(tolerance: Any) -> None:
    with pytest.raises(ValueError, match=r"^tolerance must be a share from 0 to 1; received"):
        PrevalenceThresholdPostprocessing(tolerance=tolerance)


def test_other_groups() -> None:
    with pytest.raises(ValueError, match=r"^other_groups must be one of .*; received 'all'"):
        PrevalenceThresholdPostprocessing(other_groups="all")  # type: ignore[arg-type]


@pytest.mark.parametrize(("favorable", "unfavorable"), [(1.0, 0.0), (0.0, 1.0), (2.0, 1.0)])
@pytest.mark.parametrize("changed", [False, True], ids=["the truth", "predictions"])
def test_a_dataset_without_scores(favorable: float, unfavorable: float, changed: bool) -> None:
    truth, _ = two_sexes(favorable, unfavorable)
    # Scores stay those of the true labels, also where predictions are assigned.
    predicted = classified(truth, np.full(8, favorable)) if changed else truth.copy()
    message = r"^dataset_pred.scores must not be labels; received only 0 and 1, with which AIF360 "
    with pytest.raises(ValueError, match=message):
        PrevalenceThresholdPostprocessing().fit(truth, predicted)
    post = PrevalenceThresholdPostprocessing().fit(*two_sexes(favorable, unfavorable))
    # Scores of a few rows may all be 0 or 1.
    with pytest.warns(bam.AmplificationWarning, match=r"^dataset.scores are only 0 and 1"):
        post.predict(predicted)


@pytest.mark.parametrize("other_groups", ["error", "pooled"])
def test_scores_that_are_all_equal(other_groups: Any) -> None:
    truth, _ = two_sexes()
    message = r"^dataset_pred.scores must differ between rows; received 0.3 in all 8$"
    with pytest.raises(ValueError, match=message):
        PrevalenceThresholdPostprocessing(other_groups=other_groups).fit(
            truth, scored(truth, [0.3] * 8)
        )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_that_are_not_finite(bad: float) -> None:
    truth, predicted = two_sexes()
    broken = scored(truth, [*predicted.scores.ravel()[:7], bad])
    message = r"scores must be finite; received 1 NaN or infinite value\(s\)$"
    with pytest.raises(ValueError, match="^dataset_pred." + message):
        PrevalenceThresholdPostprocessing().fit(truth, broken)
    with pytest.raises(ValueError, match="^dataset." + message):
        fitted().predict(broken)


@pytest.mark.parametrize("columns", [2, 3])
def test_scores_of_both_labels(columns: int) -> None:
    truth, _ = two_sexes()
    predicted = scored(truth, np.arange(8.0 * columns) / 100)
    message = (
        r"scores must have one column, of the favourable label 1.0, of shape \(8, 1\); "
        rf"received the shape \(8, {columns}\)$"
    )
    with pytest.raises(ValueError, match="^dataset_pred." + message):
        PrevalenceThresholdPostprocessing().fit(truth, predicted)
    with pytest.raises(ValueError, match="^dataset." + message):
        fitted().predict(predicted)


def test_a_multi_class_dataset_without_a_matrix_of_scores() -> None:
    truth, predicted = three_grades()
    message = (
        r"scores must have one column for each of the labels .*, in this order, of shape "
        r"\(7, 3\); received the shape \(7, 1\)$"
    )
    with pytest.raises(ValueError, match="^dataset_pred." + message):
        PrevalenceThresholdPostprocessing().fit(truth, truth.copy())
    post = PrevalenceThresholdPostprocessing().fit(truth, predicted)
    with pytest.raises(ValueError, match="^dataset." + message):
        post.predict(truth)


@pytest.mark.parametrize("labels", [[1.0] * 8, [1.0, 0, 2, 0, 1, 0, 1, 0]], ids=["one", "three"])
def test_labels_of_the_truth(labels: list[float]) -> None:
    truth, predicted = two_sexes()
    message = (
        r"^dataset_true.labels must hold each label of the dataset, .*, and no other; received"
    )
    with pytest.raises(ValueError, match=message):
        PrevalenceThresholdPostprocessing().fit(classified(truth, labels), predicted)


@pytest.mark.parametrize(
    ("labels", "has"),
    [
        ([1.0, 1, 1, 0, 0, 0, 0, 0], r"the group 0.0 has 4 rows, 0 of them positive"),
        ([1.0, 1, 1, 0, 1, 1, 1, 1], r"the group 0.0 has 4 rows, 4 of them positive"),
    ],
    ids=["no positives", "no negatives"],
)
def test_a_group_without_a_label(labels: list[float], has: str) -> None:
    truth, predicted = two_sexes()
    truth = classified(truth, labels)
    with pytest.raises(ValueError, match=has):
        PrevalenceThresholdPostprocessing().fit(truth, predicted)
    pooled = PrevalenceThresholdPostprocessing(other_groups="pooled").fit(truth, predicted)
    # Of all rows the highest are positive, as many as in the truth.
    assert labels_of(pooled.predict(predicted))[4:] == [
        float(sum(labels) > 4 + i) for i in range(4)
    ]


def test_a_group_of_one_row() -> None:
    truth, predicted = (with_sexes(data, 2.0) for data in two_sexes())
    with pytest.raises(ValueError, match=r"the group 2.0 has 1 row, 1 of them positive"):
        PrevalenceThresholdPostprocessing().fit(truth, predicted)


def test_a_group_whose_scores_do_not_differ() -> None:
    truth, _ = two_sexes()
    predicted = scored(truth, [0.5] * 4 + [0.4, 0.3, 0.2, 0.1])
    with pytest.raises(ValueError, match=r"the group 1.0 has 4 rows whose scores do not differ"):
        PrevalenceThresholdPostprocessing().fit(truth, predicted)


def test_a_group_that_was_not_seen() -> None:
    _, predicted = two_sexes()
    strange = with_sexes(predicted, 7.0)
    with pytest.raises(ValueError, match=r"^each group must have a threshold; received 7"):
        fitted().predict(strange)
    # Four of eight rows are positive, so that the threshold of all rows is .5.
    assert labels_of(fitted(other_groups="pooled").predict(strange))[0] == 1
    strange.scores[0] = 0.49
    assert labels_of(fitted(other_groups="pooled").predict(strange))[0] == 0


def test_rows_in_neither_of_two_groups() -> None:
    truth, predicted = two_sexes()
    more = pd.DataFrame(
        {"sex": [1.0] * 4 + [0.0] * 4 + [2.0] * 3, "T": [*labels_of(truth), 0, 0, 0]}
    )
    three = dataset(more)
    scores = scored(three, [*predicted.scores.ravel(), 0.95, 0.45, 0.05])
    message = r"^3 row\(s\) of dataset_true are in none of the groups and left out$"
    with pytest.warns(bam.AmplificationWarning, match=message):
        post = PrevalenceThresholdPostprocessing(**SEXES).fit(three, scores)
    assert post.group_thresholds is not None
    assert post.group_thresholds.groups == ("privileged", "unprivileged")
    with pytest.raises(ValueError, match="must have a threshold; received 'in neither group'"):
        post.predict(scores)
    with pytest.warns(bam.AmplificationWarning, match=message):
        pooled = PrevalenceThresholdPostprocessing(**SEXES, other_groups="pooled").fit(
            three, scores
        )
    # The threshold of the eight rows in a group is .5.
    assert labels_of(pooled.predict(scores))[8:] == [1, 0, 0]


def test_a_missing_attribute() -> None:
    _, predicted = two_sexes()
    rule = r"^protected_attributes\['sex'\] must not have missing values"
    message = rf"{rule}; received 1 row\(s\) with one$"
    with pytest.raises(ValueError, match=message):
        fitted().predict(with_sexes(predicted, np.nan))


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"privileged_groups": [{"sex": 1}]}, "must be given both or neither"),
        ({**SEXES, "privileged_groups": [{"race": 1}]}, r"received \['race'\]"),
        ({**SEXES, "privileged_groups": [{"sex": 9}]}, "must hold rows of the dataset_true"),
        (
            {**SEXES, "privileged_groups": [{"sex": 0}, {"sex": 1}]},
            r"must be disjoint; received 4 row\(s\) in both",
        ),
    ],
    ids=["one", "unknown", "empty", "overlap"],
)
def test_groups(groups: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PrevalenceThresholdPostprocessing(**groups).fit(*two_sexes())


def test_predict_before_fit() -> None:
    post = PrevalenceThresholdPostprocessing()
    with pytest.raises(ValueError, match=r"^fit must be called before predict$"):
        post.predict(two_sexes()[1])
    with pytest.raises(AttributeError, match=r"^fit must be called before predict$"):
        post.predict(two_sexes()[1])


def test_a_fit_that_fails_changes_nothing() -> None:
    truth, predicted = two_sexes()
    post = fitted()
    with pytest.raises(ValueError, match="must not be labels"):
        post.fit(truth, truth)
    assert labels_of(post.predict(predicted)) == labels_of(truth)


@pytest.mark.parametrize("other", [hiring(), 3, None], ids=type)
def test_what_is_no_dataset(other: Any) -> None:
    truth, _ = two_sexes()
    with pytest.raises(TypeError, match=r"^dataset_true must be a BinaryLabelDataset or a Multi"):
        PrevalenceThresholdPostprocessing().fit(other, truth)
    with pytest.raises(
        ValueError, match=r"^dataset_pred must be a BinaryLabelDataset, as dataset_"
    ):
        PrevalenceThresholdPostprocessing().fit(truth, other)
    with pytest.raises(ValueError, match=r"^dataset must be a BinaryLabelDataset, as the datasets"):
        fitted().predict(other)


@pytest.mark.parametrize(
    ("other", "field"),
    [
        (lambda: two_sexes(0.0, 1.0)[1], "favorable_label"),
        (lambda: two_sexes(1.0, 2.0)[1], "unfavorable_label"),
        (lambda: dataset(hiring(group="age")), "protected_attribute_names"),
    ],
    ids=["swapped", "other unfavourable", "other attribute"],
)
def test_datasets_of_other_labels_or_attributes(other: Any, field: str) -> None:
    truth, _ = two_sexes()
    with pytest.raises(ValueError, match=f"^dataset_pred must have the {field} of dataset_true"):
        PrevalenceThresholdPostprocessing().fit(truth, other())
    with pytest.raises(ValueError, match=f"^dataset must have the {field} of the datasets of fit"):
        fitted().predict(other())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("protected_attributes", np.zeros((8, 1))),
        ("instance_weights", np.full(8, 2.0)),
        ("instance_names", [*"abcdefgh"]),
    ],
)
def test_datasets_of_other_rows(field: str, value: Any) -> None:
    truth, predicted = two_sexes()
    setattr(predicted, field, value)
    with pytest.raises(ValueError, match=f"^dataset_pred must have the {field} of dataset_true"):
        PrevalenceThresholdPostprocessing().fit(truth, predicted)


def test_datasets_of_different_lengths() -> None:
    truth, predicted = two_sexes()
    message = "^dataset_pred must have the rows of dataset_true, 8; received 5$"
    with pytest.raises(ValueError, match=message):
        PrevalenceThresholdPostprocessing().fit(truth, predicted.subset([*range(5)]))
