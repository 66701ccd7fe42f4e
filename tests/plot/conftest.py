"""Axes of tests, and no figure after them."""

from collections.abc import Iterator

import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure


@pytest.fixture
def ax() -> Axes:
    """Axes of a figure that pyplot does not know."""
    return Figure(layout="constrained").add_subplot()


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close the figures that a test asks for."""
    yield
    plt.close("all")
