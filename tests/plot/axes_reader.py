"""Models that are drawn in tests, and what can be read from axes."""

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

import biasamp_adapters as bam

ORANGE, BLUE, PURPLE, GREY = "#b84f00", "#0a66a8", "#7b4ba0", "#5f6973"
INK = mpl.rcParams["text.color"]
GROUPS = np.repeat(["a", "b"], 200)
TRUTH = np.repeat([1, 0, 1, 0], [120, 80, 80, 120])  # 60 % of a, 40 % of b.
MODELS = {
    "wider": np.repeat([1, 0, 1, 0], [160, 40, 40, 160]),  # 80 % and 20 %.
    "equal": np.repeat([1, 0, 1, 0], [100, 100, 100, 100]),
    "turned": np.repeat([0, 1, 0, 1], [160, 40, 40, 160]),
    "labels": TRUTH,
}


def audit(*models: str, **options: Any) -> bam.AuditReport:
    predictions = {name: MODELS[name] for name in models}
    return bam.audit(TRUTH, predictions, sensitive_features=GROUPS, n_boot=300, **options)


def result_of(model: str, metric: Any = None, **options: Any) -> bam.AmplificationResult:
    metric = metric or bam.DirectionalBiasAmplification()
    options = {"sensitive_features": GROUPS, "n_boot": 0, **options}
    return metric.result(TRUTH, MODELS[model], **options)


def rows_of(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def texts_of(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def colours_of(artists: Any) -> list[str]:
    return [to_hex(artist.get_color()) for artist in artists]


def legend_of(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def dots_of(ax: Axes) -> list[tuple[float, float, str]]:
    """Return x, y and colour of lone dots; a hollow one has none."""
    lines = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]
    return [(*line.get_xydata()[0], str(line.get_markerfacecolor())) for line in lines]
