"""What is seen first is short and in order, whatever there is to say."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import biasamp_adapters as bam
from biasamp_adapters.auditing.drawing import panels
from biasamp_adapters.auditing.page import variables
from biasamp_adapters.auditing.terminal import body, verdict

#: Lines of a screen of 80 columns that a prompt leaves.
SCREEN = 25

N = 300


def _some(rng: np.random.Generator, n_models: int, names: str, n_tasks: int) -> dict[str, Any]:
    """Models that predict tasks and attribute, the first better than the last."""
    group = rng.integers(0, 3, N)
    y_true = (rng.random((N, n_tasks)) < 0.2 + 0.2 * group[:, None]).astype(int)
    wrong = [rng.random((N, n_tasks)) < 0.1 + 0.04 * i for i in range(n_models)]
    predicted = [np.where(rng.random(N) < 0.8, group, rng.integers(0, 3, N)) for _ in wrong]
    labels = np.array([f"{names}{i}" for i in range(3)])
    return {
        "y_true": y_true,
        "y_pred": {f"{names} {i}": np.where(bad, 1, y_true) for i, bad in enumerate(wrong)},
        "sensitive_features": labels[group],
        "sensitive_features_pred": {
            f"{names} {i}": labels[found] for i, found in enumerate(predicted)
        },
    }


@cache
def report(n_models: int, names: str = "m", n_tasks: int = 3) -> bam.AuditReport:
    """Several models in both directions."""
    data = _some(np.random.default_rng(0), n_models, names, n_tasks)
    return bam.audit(**data, n_boot=50)


REPORTS = {
    "one model": (1,),
    "three models": (3,),
    "six models": (6,),
    "eleven models": (11,),
    "long names": (3, "a name of many words and no end that anybody can see " * 4),
    "one long word": (3, "x" * 500),
}


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
@pytest.mark.parametrize("case", REPORTS.values(), ids=REPORTS)
def test_fits_a_screen(case: Any, width: int) -> None:
    summary = report(*case).summary
    last = verdict(summary, width)
    lines = [*body(summary, width, pictures=True), *last]
    assert len(lines) <= SCREEN
    assert max(line.cell_len for line in lines) <= min(width, 120)
    # What was found comes first and last, whatever there is no room for.
    text = "\n".join(line.plain for line in lines)
    assert "A→T" in text.partition("\n\n")[2]
    assert last[0].plain.startswith("Verdict:")


def test_says_how_many_models_are_left_out() -> None:
    lines = [line.plain for line in body(report(11).summary, 80)]
    shown = sum(line.startswith(("A→T  ", "T→A  ")) for line in lines)
    assert f"and {22 - shown} more" in lines


def test_full_text_leaves_out_none() -> None:
    text = report(6).to_text(full=True)
    for part in ("do", "sure", "read"):
        for sentence in report(6).summary["answer"][part]:
            told = sentence.replace("->", "→")
            assert set(told.split()) <= set(text.split())


def test_page_has_the_colour_of_more_bias_in_any_direction() -> None:
    summary = report(1).summary
    told = summary["answer"]["directions"]
    for codes, tone in (
        (("cannot_say", "amplifies"), "above"),
        (("reduces", "amplifies"), "above"),
        (("cannot_say", "reduces"), "below"),
        (("cannot_say", "no_errors"), "unclear"),
    ):
        directions = [one | {"verdict": code} for one, code in zip(told, codes, strict=True)]
        answer = summary["answer"] | {"directions": directions}
        assert variables(summary | {"answer": answer})["tone"] == tone


def test_page_isolates_names_from_the_numbers_behind_them() -> None:
    # Without that, digits behind letters from right to left are shown in the other order.
    y_true, y_pred = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30, [1] * 40 + [0] * 60
    groups = ["שלום"] * 50 + ["b"] * 50
    page = bam.audit(y_true, y_pred, sensitive_features=groups, n_boot=0).to_html() or ""
    assert "<bdi>שלום − b</bdi>: 20 → 80 points" in page


@pytest.mark.parametrize(
    ("positives", "shown"),
    [
        (30, ["0%", "20%", "40%", "60%"]),
        # Of more numbers than four, every other one.
        (9, ["0%", "10%", "20%"]),
        (5, ["0%", "4%", "8%"]),
    ],
)
def test_scale_has_no_more_numbers_than_fit(positives: int, shown: list[str]) -> None:
    # The largest rate is that of the first group's truth: so many of 50.
    y_true = [1] * positives + [0] * (50 - positives) + [1] + [0] * 49
    found = bam.audit(y_true, y_true, sensitive_features=["a"] * 50 + ["b"] * 50, n_boot=0)
    (panel,) = panels(found.summary, "A->T", ["model"])
    assert [text for _, text in panel.ticks] == shown
