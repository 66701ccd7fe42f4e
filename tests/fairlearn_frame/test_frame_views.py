"""Views of a frame that MetricFrame does not have: members beside their quantiles, and remarks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

from fairlearn.metrics import selection_rate
from frame_cases import KINDS, ours, people, quietly

from biasamp_adapters import DirectionalBiasAmplification

BA = DirectionalBiasAmplification()
BOTH = {"BA": BA, "selected": selection_rate}
OPTIONS = {"n_boot": 60, "ci_quantiles": [0.05, 0.5, 0.95]}


@pytest.mark.parametrize("features", [{}, {"control_features": "B"}, {"group_features": "C"}])
@pytest.mark.parametrize("kind", KINDS)
def test_members_beside_their_quantiles(kind: Any, features: dict[str, str]) -> None:
    rows = people()
    sliced = {name: rows[column] for name, column in features.items()}
    frame = quietly(ours, rows, BOTH, **OPTIONS, **sliced)
    found = quietly(frame.intervals, kind)
    assert list(found.columns) == ["value", 0.05, 0.5, 0.95]

    def member(name: str) -> Any:
        value = getattr(frame, name)
        return quietly(value) if callable(value) else value

    for column, expected in zip(found, [member(kind), *member(f"{kind}_ci")], strict=True):
        for metric in BOTH:
            of_metric = found[column].loc[metric]
            np.testing.assert_array_equal(of_metric, expected[metric])
            if isinstance(expected, pd.DataFrame):
                assert of_metric.index.names == expected.index.names


def test_one_metric_without_a_name() -> None:
    frame = ours(people(), BA, **OPTIONS)
    overall = frame.intervals()
    assert overall.index.tolist() == ["DirectionalBiasAmplification A->T"]
    assert overall["value"].tolist() == [frame.overall]
    by_group = frame.intervals("by_group")
    assert by_group["value"].tolist() == frame.by_group.tolist()
    assert by_group[0.95].tolist() == frame.by_group_ci[2].tolist()


def test_what_a_value_is_to_be_read_with() -> None:
    frame = ours(people(), BOTH, **OPTIONS)
    blind, verdict = frame.results["BA"].blind_errors, frame.results["BA"].verdict
    told = f"BA: mistakes that know nothing of the attribute would give {blind.text()}"
    assert told in frame.notes
    assert f"BA: {verdict.words}: {verdict.sentence}" in frame.notes
    assert not any("noise" in note for note in frame.notes)  # A and T go together


def test_signs_that_may_be_noise() -> None:
    rows = people().assign(T=lambda rows: np.arange(len(rows)) % 2)
    even = rows.groupby("A")["T"].mean()
    assert abs(even[0] - even[1]) < 0.05  # of 240 rows: a standard error of .06
    notes = quietly(ours, rows, {"BA": BA}).notes
    assert "BA: 4 of 4 signs of the reference may be noise (|z| < 1.96)" in notes


@pytest.mark.parametrize("features", [{}, {"control_features": "B"}, {"group_features": "C"}])
def test_text_and_card_say_the_values(features: dict[str, str]) -> None:
    rows = people()
    sliced = {name: rows[column] for name, column in features.items()}
    frame = quietly(ours, rows, BOTH, **OPTIONS, **sliced)
    text, card = repr(frame), frame._repr_html_()
    assert text.startswith("<AmplificationFrame of BA, selected by ")
    overall = np.ravel(frame.overall["BA"])
    for value in overall:
        assert f"{value:.4f} [" in text
    # 0.05 and 0.95 enclose 90 %.
    assert "90% interval" in card
    assert card.count("<table") == len(BOTH)
    groups = [" × ".join(map(str, np.atleast_1d(list(key)))) for key in frame._combinations]
    n_rows = len(overall) + len(groups)
    hidden = [group for group in groups if group not in card]
    assert hidden == [] if n_rows <= 8 else f"and {n_rows - 7} more</p>" in card


def test_quantiles_that_are_no_interval_are_named() -> None:
    frame = quietly(ours, people(), BA, n_boot=60, ci_quantiles=[0.1, 0.5])
    assert "quantiles 0.1 to 0.5" in frame._repr_html_()


def test_card_without_intervals_says_why() -> None:
    card = quietly(ours, people(), BA)._repr_html_()
    assert "<sup>1</sup> no replicates were drawn" in card
