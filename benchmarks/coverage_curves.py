"""The figures of the documentation on coverage, drawn from the simulated results."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from benchmarks.coverage_tables import SIZES, arrows

#: Colours for colour-blind readers (Okabe and Ito), and shapes.
_OF_SIZE = {200: ("#E69F00", "o"), 1_000: ("#56B4E9", "s"), 10_000: ("#0072B2", "D")}
_OF_REFERENCE = {"own": ("#D55E00", "o", "own truth"), "training": ("#0072B2", "s", "training")}

#: Coverage below this is drawn at the edge.
_LEAST = 0.5

#: A share of fewer intervals is not meaningful.
_FEW = 0.2


def write_curves(folder: Path) -> None:
    """Draw both figures from ``results.csv`` in the folder, beside it."""
    results = pd.read_csv(folder / "results.csv")
    usual = results.query("method == 'percentile' and signs == 'reference' and draws == 'rows'")
    usual = usual[usual["given"] >= _FEW]
    with mpl.rc_context():
        # Text is not drawn as paths, and equal numbers give equal files.
        mpl.rc("svg", fonttype="none", hashsalt="coverage")
        mpl.rc("font", family="sans-serif", size=7)
        mpl.rc("axes.spines", top=False, right=False)
        _metrics(usual[usual["reference"] == "own"], folder / "coverage.svg")
        _references(usual, folder / "references.svg")


def _metrics(results: pd.DataFrame, path: Path) -> None:
    """A panel for each kind of data, a row for each metric, a point for each size."""
    metrics = list(results["metric"].unique())
    kinds = list(results["data"].unique())
    rows = -(-len(kinds) // 2)
    drawn, axes = plt.subplots(rows, 2, figsize=(6.4, 1.75 * rows + 0.4), sharex=True, sharey=True)
    for ax, data in zip(axes.flat, kinds, strict=False):
        ax.axvline(0.95, color="0.7", linewidth=0.8)
        for shift, size in enumerate(SIZES):
            some = results[(results["data"] == data) & (results["rows"] == size)]
            color, marker = _OF_SIZE[size]
            place = [metrics.index(metric) + 0.24 * (shift - 1) for metric in some["metric"]]
            out = (some["coverage"] < _LEAST).to_numpy()
            shown = some["coverage"].clip(lower=_LEAST).to_numpy()
            # Half-width of the Monte Carlo error.
            error = 1.96 * some["coverage_error"].to_numpy() * ~out
            style = {"color": color, "linestyle": "", "markersize": 3.2}
            ax.errorbar(shown, place, xerr=error, fmt="none", ecolor=color, elinewidth=0.7)
            ax.plot(shown, place, marker=marker, label=f"{size:,} rows", **style)
            edge = [at for at, low in zip(place, out, strict=True) if low]
            ax.plot([_LEAST] * len(edge), edge, marker="<", **(style | {"markersize": 5}))
        ax.set_title(data, fontsize=8)
        ax.set_yticks(range(len(metrics)), [arrows(metric) for metric in metrics])
    axes.flat[0].invert_yaxis()
    axes.flat[0].set_xlim(_LEAST - 0.02, 1.01)
    for ax in axes[-1]:
        ax.set_xlabel("share of intervals that hold the true value")
    _finish(drawn, axes.flat[0], path)


def _references(results: pd.DataFrame, path: Path) -> None:
    """Where signs come from: MALS and BA, by data and size."""
    kinds = ["20 classes", "intersections", "12 labels", "66 labels"]
    metrics = ["BA A->T", "BA T->A", "MALS"]
    drawn, axes = plt.subplots(3, 4, figsize=(6.4, 4.6), sharex=True, sharey=True)
    for line, metric in zip(axes, metrics, strict=True):
        for ax, data in zip(line, kinds, strict=True):
            ax.axhline(0.95, color="0.7", linewidth=0.8)
            for reference, (color, marker, label) in _OF_REFERENCE.items():
                some = results[
                    (results["data"] == data)
                    & (results["metric"] == metric)
                    & (results["reference"] == reference)
                ].sort_values("rows")
                error = 1.96 * some["coverage_error"]
                style = {"color": color, "marker": marker, "markersize": 3.5, "linewidth": 1.2}
                ax.errorbar(some["rows"], some["coverage"], yerr=error, label=label, **style)
            ax.set_xscale("log")
            ax.set_xticks(SIZES, [f"{size:,}" for size in SIZES])
            ax.minorticks_off()
            ax.set_ylim(0, 1.02)
        line[0].set_ylabel(f"{arrows(metric)}\nshare that hold it")
    for ax, data in zip(axes[0], kinds, strict=True):
        ax.set_title(data, fontsize=8)
    for ax in axes[-1]:
        ax.set_xlabel("rows")
    _finish(drawn, axes[0, 0], path)


def _finish(drawn: plt.Figure, first: Axes, path: Path) -> None:
    handles, labels = first.get_legend_handles_labels()
    drawn.legend(handles, labels, loc="lower center", frameon=False, ncols=3)
    drawn.tight_layout(rect=(0, 0.04, 1, 1))
    drawn.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(drawn)
