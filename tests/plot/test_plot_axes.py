"""Axes in, axes out: a picture draws where it is told to, and touches nothing else."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from plot_cases import PICTURES, grid, result

import biasamp_adapters as bam

pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning:matplotlib")


@pytest.fixture(params=PICTURES)
def draw(request: pytest.FixtureRequest) -> Any:
    """A function that draws one kind of picture."""
    return PICTURES[request.param]


def test_given_axes_come_back(draw: Any) -> None:
    figure, axes = plt.subplots(1, 2)
    assert draw(axes[0]) is axes[0]
    assert axes[0].has_data()
    # No axes more, as of a scale of colours, and nothing on the other ones.
    assert figure.axes == [*axes]
    assert not axes[1].has_data()
    assert (len(axes[1].texts), axes[1].get_legend(), axes[1].get_xlim()) == (0, None, (0, 1))


def test_state_of_pyplot_stays(draw: Any) -> None:
    _, first = plt.subplots()
    second, current = plt.subplots()
    interactive, style = plt.isinteractive(), dict(mpl.rcParams)
    draw(first)
    assert plt.get_fignums() == [1, 2]
    assert (plt.gcf(), plt.gca()) == (second, current)
    assert (plt.isinteractive(), dict(mpl.rcParams)) == (interactive, style)
    assert not current.has_data()


def test_figure_need_not_be_of_pyplot(draw: Any) -> None:
    figure = Figure()
    ax = figure.subplots()
    assert draw(ax) is ax
    assert plt.get_fignums() == []
    assert figure.canvas is not None
    figure.canvas.draw()


def test_part_of_a_figure_will_do(draw: Any) -> None:
    left, right = Figure().subfigures(1, 2)
    ax = left.subplots()
    assert draw(ax) is ax
    assert right.axes == []


def test_new_figures(draw: Any) -> None:
    plt.figure()
    ax = draw(None)
    assert plt.get_fignums() == [1, 2]
    assert ax.figure is plt.figure(2)
    assert ax.figure.axes == [ax]
    # Each picture has one of its own, and the caller may change its title and ticks.
    other = draw(None)
    assert other.figure is plt.figure(3)
    other.set_title("of the caller's")
    other.tick_params(labelsize="small")
    for figure in (ax.figure, other.figure):
        figure.canvas.draw()
    assert other.get_title() == "of the caller's"


def test_scale_of_colours_is_asked_for() -> None:
    figure, ax = plt.subplots()
    assert bam.plot.behaviour(grid(), ax=ax) is ax
    scale = [each for each in figure.axes if each is not ax]
    assert len(scale) == 1
    assert plt.get_fignums() == [1]


BAD = {
    "curves of another length": lambda ax: bam.plot.curves([0, 1], {"x": [0, 1, 2]}, at=1, ax=ax),
    "curves, the second": lambda ax: bam.plot.curves([0, 1], {"x": [0, 1], "y": [0]}, ax=ax),
    "curves of text": lambda ax: bam.plot.curves([0, 1], {"x": ["low", "high"]}, ax=ax),
    "no curve": lambda ax: bam.plot.curves([0, 1], {}, ax=ax),
    "pairs twice": lambda ax: bam.plot.pairs(result(), tasks=[1, 1], ax=ax),
    "pairs of no task": lambda ax: bam.plot.pairs(result(), tasks=["x"], ax=ax),
    "no result": lambda ax: bam.plot.intervals({}, ax=ax),
    "no run": lambda ax: bam.plot.runs([], ax=ax),
    "sweep over another column": lambda ax: bam.plot.sweep(grid(), ax=ax),
    "behaviour of nothing": lambda ax: bam.plot.behaviour(pd.DataFrame(), ax=ax),
    "behaviour at the same place": lambda ax: bam.plot.behaviour(
        pd.DataFrame([[0.0, 1.0], [1.0, 0.0]], index=[1, 1]), ax=ax
    ),
}


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("name", BAD)
def test_bad_input_leaves_nothing_behind(name: str) -> None:
    _, ax = plt.subplots()
    before = len(ax.get_children())
    for given in (ax, None):
        # Which error it is, is tested with each picture.
        with pytest.raises(Exception, match=r"\w"):
            BAD[name](given)
    assert len(ax.get_children()) == before, "a part was drawn before the rest was checked"
    assert plt.get_fignums() == [1], "an empty figure stays open"


@pytest.mark.parametrize("ax", [5, "axes", []], ids=repr)
def test_what_is_no_axes(ax: Any) -> None:
    for draw in (bam.plot.intervals, bam.plot.pairs):
        with pytest.raises(ValueError, match="ax must be matplotlib Axes or None; received"):
            draw(result(), ax=ax)
