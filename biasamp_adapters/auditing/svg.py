"""A matplotlib figure as SVG for a page: its colours follow the page, its names are its own."""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
from matplotlib.figure import Figure

from biasamp_adapters.plot.canvas import AMPLIFIED, GAP, REDUCED, SERIES, UNCLEAR

#: Colours of a figure that the page replaces by its own, light or dark.
_INK, _EDGE = "#1b1f24", "#8b949e"
_THEMED = {
    _INK: "ink",
    _EDGE: "edge",
    GAP: "surface",
    UNCLEAR: "unclear",
    REDUCED: "reduced",
    AMPLIFIED: "amplified",
    SERIES[2]: "third",
    SERIES[3]: "fourth",
}

#: Its metrics are matplotlib's to know; the page writes in a font of the reader's system.
_FONT = "DejaVu Sans"

_STYLE: Any = {
    "text.parse_math": False,
    "font.sans-serif": [_FONT],
    "svg.fonttype": "none",
    "svg.hashsalt": "biasamp",
    "font.size": 9.5,
    "axes.linewidth": 0.8,
    **dict.fromkeys(["text.color", "axes.labelcolor", "xtick.color", "ytick.color"], _INK),
    "axes.edgecolor": _EDGE,
}

#: All threads share matplotlib's settings. Without a lock, two pages drawn at once would mix them
#: up, and leave them changed.
_settings = threading.Lock()


@contextmanager
def _own_settings() -> Iterator[None]:
    """Settings of the page, which looks the same whatever style a notebook has chosen.

    What another thread sets in the meantime stays.
    """
    with _settings:
        before = mpl.rcParams.copy()
        # The backend stays the user's.
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        ours = mpl.rcParams.copy()
        try:
            yield
        finally:
            # By the methods of a dict, which do not check anew what has been checked.
            for name, value in before.items():
                if dict.__getitem__(mpl.rcParams, name) == dict.__getitem__(ours, name):
                    dict.__setitem__(mpl.rcParams, name, value)


def drawn(draw: Callable[[Figure], None], width: float, height: float, name: str, alt: str) -> str:
    """The SVG of a figure of so many inches; one thread draws at a time.

    Parameters
    ----------
    draw : callable
        Draws on the figure that it is given.
    width, height : float
    name : str
        What the identifiers within it begin with, so that a page can hold several.
    alt : str
        What the picture says, for whom it says nothing.
    """
    with _own_settings(), warnings.catch_warnings():
        # The page shows the text in fonts of its own, which have more glyphs than matplotlib's.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        file = io.StringIO()
        undated = dict.fromkeys(["Date", "Creator", "Format", "Type"])
        figure.savefig(file, format="svg", transparent=True, metadata=undated)
    return _inlined(file.getvalue(), name, alt)


def _inlined(text: str, name: str, alt: str) -> str:
    root = ElementTree.fromstring(text)
    for element in root.iter():
        # In HTML, names need no namespace.
        element.tag = _local(element.tag)
        attributes = {_local(key): value for key, value in element.attrib.items()}
        element.attrib.clear()
        for key, value in attributes.items():
            if key == "id":
                value = f"{name}-{value}"
            elif key == "href":
                value = value.replace("#", f"#{name}-", 1)
            elif key != "version":
                value = _themed(value).replace("url(#", f"url(#{name}-")
            element.set(key, value)
    for about in ("metadata", "defs"):
        for element in root.findall(about):
            # A date, and a style that would be that of the whole page.
            if element.find("clipPath") is None:
                root.remove(element)
    # As wide as the page lets it be; the proportions are in the view box.
    for size in ("width", "height"):
        root.attrib.pop(size)
    root.set("role", "img")
    root.set("aria-label", alt)
    return ElementTree.tostring(root, encoding="unicode")


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _themed(style: str) -> str:
    style = re.sub(f"'{_FONT}'[^;]*", "system-ui, sans-serif", style)
    for colour, variable in _THEMED.items():
        style = style.replace(colour, f"var(--{variable})")
    return style
