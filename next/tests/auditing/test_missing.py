"""Missing predictions that differ between groups, against visible arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

import biasamp_adapters as bam

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")

#: Of (group, label): rows, predictions of 1, and missing predictions.
CELLS = {("F", 0): (300, 30, 15), ("F", 1): (200, 140, 40), ("M", 0): (200, 30, 8),
         ("M", 1): (300, 250, 12), ("few", 1): (14, 0, 14)}  # fmt: skip


def rows_of_cells() -> tuple[list[str], list[int], list[int | None]]:
    groups, truth, predicted = [], [], []
    for (group, label), (n, ones, missing) in CELLS.items():
        groups += [group] * n
        truth += [label] * n
        predicted += [None] * missing + [1] * ones + [0] * (n - ones - missing)
    return groups, truth, predicted


def test_missing_predictions_differ_within_rows_labelled_alike() -> None:
    groups, truth, predicted = rows_of_cells()
    models = {"some": predicted, "none": truth}
    report = bam.audit(truth, models, sensitive_features=groups, missing="abstain", n_boot=500)
    # 40 of 200 and 12 of 300; the rates of rows labelled 0 are 5 % and 4 %, and "few" has 14 rows.
    [record] = report.summary["missing"]
    assert (record["model"], record["labelled"]) == ("some", 1)
    assert (record["first"], record["first_rate"]) == ("F", 40 / 200)
    assert (record["second"], record["second_rate"]) == ("M", 12 / 300)
    note = "Within rows labelled 1, predictions are missing for 20% of F and 4% of M; BA of the "
    assert note in " ".join(report.to_text(full=True).split())
    # The signs of all rows are also those of the answered ones, so BA is that of missing="drop".
    metric = bam.DirectionalBiasAmplification(missing="drop")
    dropped = metric.result(truth, predicted, sensitive_features=groups, n_boot=500)
    assert record["ba"]["value"] == pytest.approx(dropped.value, abs=1e-12)
    assert (record["ba"]["low"], record["ba"]["high"]) == pytest.approx(dropped.interval, abs=3e-3)


@pytest.mark.parametrize("form", ["matrix", "no intervals", "at random"])
def test_missing_predictions_without_a_clear_difference_have_no_record(form: str) -> None:
    groups, truth, predicted = rows_of_cells()
    options: dict[str, object] = {"n_boot": 0 if form == "no intervals" else 200}
    if form == "at random":
        is_missing = np.random.default_rng(5).random(len(truth)) < 0.08
        predicted = np.where(is_missing, None, truth).tolist()
    if form == "matrix":
        columns = np.array([[np.nan if x is None else x] * 2 for x in predicted])
        report = bam.audit(np.column_stack([truth, truth]), columns, sensitive_features=groups,
                           missing="abstain", **options)  # fmt: skip
    else:
        report = bam.audit(truth, predicted, sensitive_features=groups, missing="abstain",
                           **options)  # fmt: skip
    assert sum(report.summary["data"]["missing"].values()) > 0
    assert report.summary["missing"] == []
