"""Abstentions that an attacker reads are one more label, also beside a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biasamp_adapters import (
    DirectionalPredictabilityAmplification,
    Indicators,
    LeakageAmplification,
)

TRUTH = [0, 0, 0, 0, 1, 1, 1, 1]
SAID = [0, 0, None, None, 1, 1, None, 1]
GROUPS = np.array([[1, 1], [1, 0], [0, 0], [0, 1], [0, 0], [1, 0], [0, 1], [1, 1]])


@pytest.mark.parametrize("equalize", [None, "expected"])
def test_the_value_of_a_matrix_is_the_mean_over_its_columns(equalize: Any) -> None:
    metric = LeakageAmplification(equalize=equalize, missing="abstain")
    alone = [metric(TRUTH, SAID, sensitive_features=column) for column in GROUPS.T]
    both = metric(TRUTH, SAID, sensitive_features=Indicators(GROUPS))
    assert both == pytest.approx(np.mean(alone), abs=1e-12)


def test_what_the_silence_gives_away() -> None:
    # T tells nothing of either column: 2 of 4 are guessed for each of its labels, 4 of 8.
    # T^ guesses 2 of 2 said to be 0, 3 of 3 silent and 2 of 3 said to be 1 of the first column;
    # 1, 2 and 2 of the second.
    metric = LeakageAmplification(equalize=None, missing="abstain")
    value = metric(TRUTH, SAID, sensitive_features=Indicators(GROUPS))
    assert value == pytest.approx(((2 + 3 + 2) / 8 + (1 + 2 + 2) / 8) / 2 - 4 / 8)


@pytest.mark.parametrize("columns", [None, 1, 2])
def test_silence_is_no_number(columns: int | None) -> None:
    metric = DirectionalPredictabilityAmplification(quality="inverse_rmse", missing="abstain")
    truth, said = np.array(TRUTH, dtype=float), np.array(SAID, dtype=float)
    if columns is not None:
        truth, said = (np.tile(labels[:, None], columns) for labels in (truth, said))
    with pytest.raises(ValueError, match="a numeric target; received abstained predictions"):
        metric(truth, said, sensitive_features=[0, 1] * 4)


def test_one_column_is_a_label_where_groups_are_silent() -> None:
    metric = DirectionalPredictabilityAmplification(
        direction="T->A", quality="accuracy", equalize="expected", missing="abstain"
    )
    truth, group = TRUTH * 10, [0, 1, 0, 0, 0, 1, 1, 1] * 10
    said = [0, 1, 0, None, 0, 1, None, 1] * 10
    options = {"sensitive_features": group, "sensitive_features_pred": said, "n_boot": 50}
    alone = metric.result(truth, None, **options)
    column = metric.result([[t] for t in truth], None, **options)
    assert column.value == pytest.approx(alone.value, abs=1e-12)
    # The rows of a matrix are drawn in another way than the cells of a table.
    assert column.interval is not None
