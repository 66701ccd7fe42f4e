"""The study of masks takes away pixels of the attribute alone, and shows what its page says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam

STUDIES = Path(__file__).resolve().parents[2] / "docs" / "_static" / "studies"
MASKS = ["original", "noisy", "half", "full"]

#: matplotlib 3.8 calls functions that later versions of pyparsing deprecate.
old_matplotlib = pytest.mark.filterwarnings("ignore::DeprecationWarning:matplotlib")


@pytest.fixture(scope="module")
def fresh(example: Any) -> Any:
    """The study, with two runs of the weakest and the strongest mask."""
    return example.find(seeds=(0, 1), masks=("original", "full"))


@pytest.fixture(scope="module")
def published() -> pd.DataFrame:
    """All runs, as the documentation has them."""
    return pd.read_csv(STUDIES / "masking_runs.csv")


def means_of(runs: pd.DataFrame, name: str) -> dict[str, Any]:
    """The means of a column over runs, for each mask."""
    groups = runs.groupby("mask", sort=False)[name]
    return {str(mask): bam.summarize_runs(values) for mask, values in groups}


def test_shares_are_exact_in_both_parts(example: Any) -> None:
    for (*_, task, attribute), size in zip(example.parts(0), (240, 80), strict=True):
        assert attribute.mean() == 0.5
        for digit, share in example.SHARES.items():
            of_task = attribute[task == digit]
            assert len(of_task) == size
            assert of_task.sum() == pytest.approx(share * size)
            # [T25] Eq. 8: from a third to three times as many.
            assert 1 / 3 <= share / (1 - share) <= 3 + 1e-9


def test_no_image_is_in_both_parts(example: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example, "TASK_NOISE", 0)
    train, test = example.parts(0)
    for side in (0, 2):
        seen, new = ({image.tobytes() for image in part[side]} for part in (train, test))
        assert seen
        assert not seen & new
    # Left and right are of other digits.
    assert not set(example.GLYPHS) & set(example.SHARES)


def test_masks_take_away_step_by_step(example: Any) -> None:
    left = np.full((1, 8, 8), 8.0)
    noise = np.linspace(-20, 20, 64).reshape(1, 8, 8)
    original, noisy, half, full = (example.masked(left, noise, mask) for mask in MASKS)
    assert (original == left).all()
    assert (noisy == np.clip(8 + noise, 0, 16)).all()
    # Half of 64 pixels are as they were, the others dark; then all.
    assert (half[:, :4] == noisy[:, :4]).all()
    assert not half[:, 4:].any()
    assert half[:, 4:].size == 32
    assert not full.any()
    assert (left == 8).all()


def test_directional_values_are_those_of_counting(example: Any) -> None:
    task, attribute, task_said, said = example.predictions(0, "full")
    row, by_task = example.outcomes(0, "full")
    # Predictions of 8 in the images of a task, along what most of its images show.
    frame = pd.DataFrame({"task": task, "true": attribute, "said": said})
    share = frame.groupby("task")[["true", "said"]].mean()
    towards = np.sign(share["true"] - 0.5) * (share["said"] - share["true"])
    assert by_task["BA T->A"].to_numpy() == pytest.approx(towards.to_numpy())
    assert row["BA T->A"] == pytest.approx(towards.mean())
    assert row["BA A->T"] == pytest.approx(by_task["BA A->T"].mean())
    # A = 1 is said as often as it is true, and the task is one of eight.
    assert said.sum() == attribute.sum()
    assert set(task_said) <= set(example.SHARES)


@pytest.mark.parametrize("name", ["BA T->A", "DPA T->A", "MALS"])
def test_the_attribute_is_taken_from_the_task_where_it_is_masked(
    published: pd.DataFrame, name: str
) -> None:
    means = means_of(published, name)
    assert [*means] == MASKS
    values = [mean.value for mean in means.values()]
    assert values == sorted(values)
    assert means["original"].interval[1] < means["full"].interval[0]


def test_dpa_tells_all_masks_apart_but_the_last_two(published: pd.DataFrame) -> None:
    means = [*means_of(published, "DPA T->A").values()]
    for less, more in ((0, 1), (1, 2), (1, 3)):
        assert means[less].interval[1] < means[more].interval[0]


def test_the_task_is_no_longer_taken_from_the_attribute(published: pd.DataFrame) -> None:
    means = means_of(published, "BA A->T")
    assert means["original"].interval[0] > 0 > means["full"].interval[1]
    # What is left is what errors alone give.
    errors = means_of(published, "BA A->T, blind errors")
    assert means["original"].interval[0] > errors["original"].interval[1]
    low, high = means["full"].interval
    assert low < errors["full"].value < high
    # It is not that the task got harder to see.
    accuracy = means_of(published, "accuracy of T")
    assert max(each.value for each in accuracy.values()) < 0.02 + accuracy["original"].value


def test_a_fresh_run_gives_the_published_runs(fresh: Any, published: pd.DataFrame) -> None:
    found = fresh["runs"].set_index(["mask", "seed"])
    # Other processors round otherwise: a prediction or two of 640 may change.
    pd.testing.assert_frame_equal(
        found, published.set_index(["mask", "seed"]).loc[found.index], rtol=0, atol=5e-3
    )


def test_the_means_are_those_of_the_runs(published: pd.DataFrame) -> None:
    table = pd.read_csv(STUDIES / "masking_masks.csv", index_col="metric")
    assert [*table] == MASKS
    for name in table.index:
        for mask, mean in means_of(published, name).items():
            value, half = map(float, table.loc[name, mask].split("±"))
            # Runs are rounded too.
            assert value == pytest.approx(mean.value, abs=2e-4)
            assert half == pytest.approx(mean.interval[1] - mean.value, abs=3e-4)


def test_tasks_average_to_the_whole(example: Any) -> None:
    table = pd.read_csv(STUDIES / "masking_tasks.csv", index_col="task")
    whole = pd.read_csv(STUDIES / "masking_masks.csv", index_col="metric")
    assert table.pop("share of A = 1").to_dict() == example.SHARES
    for name in table:
        metric, mask = name.split(", ")
        mean = np.mean([float(cell.split("±")[0]) for cell in table[name]])
        assert mean == pytest.approx(float(whole.loc[metric, mask].split("±")[0]), abs=2e-4)


@old_matplotlib
def test_the_picture_has_a_panel_a_metric(example: Any, fresh: Any) -> None:
    from matplotlib import pyplot as plt

    figure = example.draw(fresh)
    panels = [ax.get_xlabel() for ax in figure.axes]
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    plt.close(figure)
    assert panels == ["BA T->A", "DPA T->A", "BA A->T", "MALS"]
    assert rows == ["original", "full"]
