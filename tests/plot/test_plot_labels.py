"""Names that would like to be formulas, or more than a line: in a picture they are text."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Text
from plot_cases import AMPLIFIED, GROUP, TRUTH, result, sweep_table, ticks

import biasamp_adapters as bam

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning:matplotlib"),
    # The font of matplotlib has no emoji; a box stands for them.
    pytest.mark.filterwarnings("ignore:Glyph .* missing from:UserWarning"),
    pytest.mark.filterwarnings("ignore:Matplotlib currently does not support:UserWarning"),
]


HOSTILE = {
    "formula": "$x$",
    "broken formula": "$\\frac$",
    "formula that is none": "$\\notacommand{$",
    "price": "$5 to $9",
    "escaped": r"\\$x\\$",
    "subscript": "a_b^c",
    "hidden from legends": "_x",
    "private": "_",
    "newlines": "one\ntwo\r\nthree\u2028four\x0b\x85five",
    "control characters": "\x00\x1b[31mred\x07\x9b\x7f",
    "long": "x" * 10_000,
    "long formula": "$\\frac$" * 2_000,
    "emoji": "\U0001f469\u200d\U0001f680 e\u0301",
    "right to left": "\u05e9\u05dc\u05d5\u05dd",
    "turned around": "\u202eabc\u2066",
    "markup": "<b>&amp;{{ 7 }}%s{0}",
    "nothing": "",
    "space": " ",
}


def drawn(ax: Axes) -> list[Text]:
    """All texts of a picture that was laid out, which is when formulas are parsed."""
    ax.figure.draw_without_rendering()
    return [text for text in ax.figure.findobj(Text) if text.get_text()]


def check(texts: list[Text], label: str) -> None:
    """The label is there, as one line of text that is not parsed and not too long."""
    # Spaces stand for what breaks lines or drives terminals; overrides of the direction go.
    kept = "".join(
        " " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char
        for char in label
        if unicodedata.bidirectional(char) not in ("LRE", "RLE", "LRO", "RLO", "LRI", "RLI", "FSI")
    )
    words = kept.split()
    beginning = words[0][:15] if words else ""
    named = [text for text in texts if beginning and beginning in text.get_text()]
    assert named or not beginning, "the name is not there"
    for text in texts:
        assert len(text.get_text()) <= 60
        assert not [c for c in text.get_text() if unicodedata.category(c) in ("Cc", "Zl", "Zp")]
    # Nothing of the caller's is parsed; numbers of ticks are matplotlib's own.
    assert not any(text.get_parse_math() for text in named if "$" in text.get_text())


def named_data(labels: Sequence[str]) -> dict[str, Any]:
    """Rows whose groups and classes are called so, and one of each that is not."""
    tasks, groups = [*labels, "other task"], [*labels, "other group"]
    truth, group = zip(*product(tasks, groups), strict=True)
    said = [*truth[1:], truth[0]]
    return {"y_true": truth, "y_pred": said, "sensitive_features": group, "n_boot": 0}


CURVE = [0.0, 1.0]
#: What has no name of its own is computed once for all names.
estimated, unestimated, swept = cache(result), cache(lambda: result(n_boot=0)), cache(sweep_table)
DRAWN: dict[str, Callable[[Sequence[str]], Axes]] = {
    "intervals": lambda labels: bam.plot.intervals(
        dict.fromkeys(labels, unestimated()) | {"other": estimated()}
    ),
    "runs": lambda labels: bam.plot.runs(
        {label: [0.1, 0.2] for label in labels} | {"other": [0.1, 0.3]}
    ),
    "pairs": lambda labels: bam.plot.pairs(result(**named_data(labels)), kind="map"),
    "curves": lambda labels: bam.plot.curves(CURVE, dict.fromkeys([*labels, "other"], CURVE)),
    "a curve": lambda labels: bam.plot.curves(CURVE, dict.fromkeys(labels, CURVE)),
    "sweep": lambda labels: bam.plot.sweep(dict.fromkeys([*labels, "other"], swept())),
    "behaviour": lambda labels: bam.plot.behaviour(
        pd.DataFrame(np.eye(2)).rename_axis(index=labels[0], columns=labels[1])
    ),
}


#: All names are drawn as ticks and in a legend, and in the other pictures one of each kind.
EVERYWHERE = [
    "broken formula", "hidden from legends", "newlines", "long formula", "turned around", "nothing"
]  # fmt: skip
#: How many names a figure has, if not three.
TOGETHER = {"a curve": 1, "behaviour": 2}
CASES = [
    (picture, chosen[i : i + n])
    for picture in DRAWN
    for n in [TOGETHER.get(picture, 3)]
    for chosen in [[*HOSTILE] if picture in ("pairs", "curves") else EVERYWHERE]
    for i in range(0, len(chosen), n)
]


@pytest.mark.parametrize(
    ("picture", "names"), CASES, ids=[" and ".join([picture, *names]) for picture, names in CASES]
)
def test_name_is_text(picture: str, names: list[str]) -> None:
    labels = [HOSTILE[name] for name in names]
    ax = DRAWN[picture](labels)
    # Every row and every curve keeps its name.
    if picture in ("intervals", "runs", "pairs"):
        assert len(ticks(ax)) == len(names) + 1
    if picture in ("curves", "sweep"):
        legend = ax.get_legend()
        assert legend is not None
        assert len(legend.get_texts()) == len(names) + 1
        assert legend.get_texts()[-1].get_text() == "other"
    texts = drawn(ax)
    for label in labels:
        check(texts, label)


HALF = len(HOSTILE) // 2
TWO = [*zip([*HOSTILE][:HALF], [*HOSTILE][HALF:], strict=True)]


@pytest.mark.parametrize("names", TWO, ids=" and ".join)
def test_report(names: tuple[str, str]) -> None:
    first, second = (HOSTILE[name] for name in names)
    models = {first: AMPLIFIED, second: AMPLIFIED, "other": TRUTH}
    report = bam.audit(TRUTH, models, sensitive_features=GROUP, n_boot=0)
    axes = report.plot()
    texts = drawn(next(iter(axes.values())))
    check(texts, first)
    check(texts, second)
    for ax in axes.values():
        assert len(ticks(ax)) == 3


def test_two_long_names_stay_apart() -> None:
    # Their ends are kept, as those of columns often differ there.
    names = ["x" * 10_000 + end for end in "ab"]
    shown = ticks(bam.plot.intervals(dict.fromkeys(names, result(n_boot=0))))
    assert len(set(shown)) == 2
