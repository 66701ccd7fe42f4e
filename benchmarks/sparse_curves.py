"""The curves of the documentation on sparse tables, drawn from the simulated results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from benchmarks.sparse_designs import KNOWN_CASE

_NAMES = {
    "inverse_cross_entropy": "1/cross-entropy",
    "accuracy": "accuracy",
    "uncertainty_coefficient": "uncertainty coefficient",
}

_LEGEND: dict[str, Any] = {"frameon": False, "fontsize": 7, "ncols": 3}

Panel = Callable[[Axes, pd.DataFrame, str, str], None]


def write_curves(folder: Path) -> None:
    """Draw all figures from ``results.csv`` in the folder, beside it."""
    results = pd.read_csv(folder / "results.csv")
    # The known case has 10 rows per value, on no curve.
    even = results[(results["metric"] == "DPA") & (results["sizes"] == "even")]
    even = even[even["rows"] != KNOWN_CASE.rows]
    with mpl.rc_context():
        _style()
        smooth = ["inverse_cross_entropy", "accuracy"]
        figure(even, smooth, _bias, "bias of the value", folder / "bias.svg")
        figure(even, list(_NAMES), _coverage, "share of tables", folder / "coverage.svg")
        one = ["uncertainty_coefficient"]
        figure(even, one, _uncertainty, "bias", folder / "uncertainty.svg")
        figure(even, list(_NAMES), _levels, "share of tables", folder / "levels.svg")


def _style() -> None:
    """Text stays text, and the same numbers give the same file."""
    mpl.rc("svg", fonttype="none", hashsalt="sparse_tables")
    mpl.rc("font", family="sans-serif", size=8)
    mpl.rc("axes.spines", top=False, right=False)
    mpl.rc("lines", linewidth=1.3)


def figure(
    results: pd.DataFrame, qualities: Iterable[str], panel: Panel, what: str, path: Path
) -> None:
    """One row of panels per quality: nothing to amplify on the left, amplification on the right."""
    qualities = list(qualities)
    size = (6.4, 1.7 * len(qualities) + 0.8)
    drawn, axes = plt.subplots(len(qualities), 2, figsize=size, sharex=True, squeeze=False)
    for row, quality in zip(axes, qualities, strict=True):
        for ax, truth in zip(row, ("independent", "amplified"), strict=True):
            panel(ax, results[results["quality"] == quality], truth, quality)
            ax.set_title(f"{_NAMES[quality]}, {truth}", fontsize=8)
            ax.set_xscale("log")
            rows = sorted(results["rows"].unique())
            ax.set_xticks(rows, [str(n) for n in rows])
            ax.minorticks_off()
        row[0].set_ylabel(what)
    for ax in axes[-1]:
        ax.set_xlabel("rows per value")
    drawn.legend(*axes[0, 0].get_legend_handles_labels(), loc="lower center", **_LEGEND)
    drawn.tight_layout(rect=(0, 0.3 / size[1], 1, 1))
    drawn.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(drawn)


def _curve(ax: Axes, rows: pd.DataFrame, column: str, **style: Any) -> None:
    rows = rows.sort_values("rows")
    ax.plot(rows["rows"], rows[column], **({"marker": "."} | style))


def _bias(ax: Axes, results: pd.DataFrame, truth: str, quality: str) -> None:
    """20 values and 10 classes, each way to equalise."""
    ax.axhline(0, color="0.7", linewidth=0.8)
    chosen = results.query("truth == @truth and `values` == 20 and classes == 10")
    ways = {"expected": "C3", "sampled": "C0", "auto": "k", "loo": "C2"}
    for way, color in ways.items():
        style = ":" if way == "auto" else "-"
        rows = chosen[chosen["equalize"] == way]
        label = "leave-one-out" if way == "loo" else way
        if len(rows):
            _curve(ax, rows, "bias", color=color, label=label, linestyle=style)


def _coverage(ax: Axes, results: pd.DataFrame, truth: str, quality: str) -> None:
    """10 classes with the default options: the share of intervals given, and their coverage."""
    _shares(ax, results.query("truth == @truth and classes == 10 and equalize == 'auto'"), "")


def _levels(ax: Axes, results: pd.DataFrame, truth: str, quality: str) -> None:
    """The same of the model's level."""
    chosen = results.query("truth == @truth and classes == 10 and equalize == 'auto'")
    _shares(ax, chosen, "model_")


def _shares(ax: Axes, chosen: pd.DataFrame, side: str) -> None:
    ax.axhline(0.95, color="0.7", linewidth=0.8)
    for values, color in ((2, "C0"), (20, "C1"), (200, "C3")):
        rows = chosen[chosen["values"] == values]
        style = {"color": color, "label": f"{values} values, given"}
        _curve(ax, rows, f"{side}given", linestyle=":", marker="", **style)
        style["label"] = f"{values} values, covering"
        # A share of very few intervals is not meaningful.
        _curve(ax, rows[rows[f"{side}given"] >= 0.2], f"{side}coverage", **style)
    ax.set_ylim(-0.05, 1.05)


def _uncertainty(ax: Axes, results: pd.DataFrame, truth: str, quality: str) -> None:
    """20 values: the ratio, the difference, and what the guard makes of them."""
    ax.axhline(0, color="0.7", linewidth=0.8)
    chosen = results.query("truth == @truth and `values` == 20 and equalize == 'auto'")
    for classes, style in ((2, "-"), (20, "--")):
        rows = chosen[chosen["classes"] == classes]
        for column, color in (("ratio_bias", "C3"), ("difference_bias", "C0"), ("bias", "k")):
            name = {"bias": "as given"}.get(column, f"always the {column.split('_')[0]}")
            label = f"{name}, {classes} classes"
            # What is given lies on the difference or on the ratio.
            width = 1.3 if column == "bias" else 3
            look = {"color": color, "linestyle": style, "linewidth": width}
            _curve(ax, rows, column, label=label, alpha=0.6, **look)
