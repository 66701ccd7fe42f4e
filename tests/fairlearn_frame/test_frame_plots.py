"""Plots that the host and pandas make of our frame."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

host = pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

with warnings.catch_warnings():
    # Of older versions of matplotlib beside newer ones of pyparsing.
    warnings.simplefilter("ignore", DeprecationWarning)
    import matplotlib
    from fairlearn.experimental.enable_metric_frame_plotting import plot_metric_frame
from frame_cases import ours, people  # noqa: E402

from biasamp_adapters import DirectionalBiasAmplification  # noqa: E402

METRICS = {"BA": DirectionalBiasAmplification(), "accuracy": accuracy_score}
pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning:matplotlib")
#: Hosts from here on find the intervals of a frame themselves.
SHOWS_INTERVALS = tuple(map(int, host.__version__.split(".")[:2])) >= (0, 15)


@pytest.fixture
def pyplot() -> Iterator[Any]:
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def frame_of(**changed: Any) -> Any:
    return ours(people(), METRICS, n_boot=100, ci_quantiles=[0.05, 0.95], **changed)


def test_bars_are_the_groups(pyplot: Any) -> None:
    frame = frame_of()
    axes = frame.by_group.plot.bar(subplots=True)
    for axis, name in zip(axes, METRICS, strict=True):
        assert [bar.get_height() for bar in axis.patches] == frame.by_group[name].tolist()


@pytest.mark.parametrize("kind", ["point", "bar"])
def test_the_host_plots_our_frame(pyplot: Any, kind: str) -> None:
    frame = frame_of()
    axes = plot_metric_frame(frame, kind=kind)
    for axis, name in zip(axes, METRICS, strict=True):
        shown = (
            axis.lines[0].get_ydata() if kind == "point" else [b.get_height() for b in axis.patches]
        )
        assert list(shown) == frame.by_group[name].tolist()


@pytest.mark.parametrize("kind", ["point", "bar"])
def test_the_host_shows_our_intervals(pyplot: Any, kind: str) -> None:
    if not SHOWS_INTERVALS:
        pytest.skip("this host plots no intervals of its own")
    frame = frame_of()
    low, high = frame.by_group_ci
    axes = plot_metric_frame(frame, kind=kind)
    for axis, name in zip(axes, METRICS, strict=True):
        (container,) = (each for each in axis.containers if hasattr(each, "has_yerr"))
        (bars,) = container.lines[2]
        segments = np.array([path[:, 1] for path in bars.get_segments()])
        np.testing.assert_allclose(segments[:, 0], low[name], rtol=0, atol=1e-12)
        np.testing.assert_allclose(segments[:, 1], high[name], rtol=0, atol=1e-12)


def test_a_frame_without_intervals_is_plotted_too(pyplot: Any) -> None:
    frame = ours(people(), METRICS)
    axes = plot_metric_frame(frame)
    assert list(axes[0].lines[0].get_ydata()) == frame.by_group["BA"].tolist()


def test_slices_are_plotted(pyplot: Any) -> None:
    frame = frame_of(group_features=people()[["B", "C"]])
    axes = plot_metric_frame(frame, kind="bar")
    assert len(axes[0].patches) == 3 * 2
