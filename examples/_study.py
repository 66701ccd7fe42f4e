"""Code that the studies share: options, and reproducible tables and pictures.

A study is a script with a function that computes its tables, and one that draws them. Tables whose
names start with an underscore are only drawn. The pages of the documentation show what
``--out docs/_static/studies`` writes.
"""

from __future__ import annotations

import argparse
import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

import biasamp_adapters as bam

Tables = dict[str, pd.DataFrame]


def run(find: Callable[..., Tables], draw: Callable[[Tables], Any] | None = None) -> None:
    """Compute the tables of a study and print them; with ``--out``, write them and their picture.

    A study that reads data takes ``data_home``, the folder that contains them.
    """
    path = Path(inspect.getfile(find))
    doc = inspect.getdoc(inspect.getmodule(find)) or path.stem
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--out", type=folder, help="folder to write the tables and the picture to")
    data_home = inspect.signature(find).parameters.get("data_home")
    if data_home:
        required = data_home.default is data_home.empty
        parser.add_argument("--data-home", type=Path, help="folder of the data", required=required)
    options = parser.parse_args()
    try:
        tables = find(options.data_home) if data_home else find()
    except OSError as error:  # missing, or not available from the network
        parser.error(str(error))
    for name, table in shown(tables).items():
        print(f"{name}\n{table.round(4).to_string()}\n")
    if options.out:
        write(options.out, path.stem, tables, draw)


def folder(text: str) -> Path:
    """An option that is a folder."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"must be a folder; received {text!r}")
    return Path(text)


def write(
    out: Path, study: str, tables: Tables, draw: Callable[[Tables], Any] | None = None
) -> None:
    """Write each table as ``STUDY_NAME.csv`` and the picture as ``STUDY.svg``."""
    for name, table in shown(tables).items():
        (out / f"{study}_{name}.csv").write_text(as_csv(table), encoding="utf-8")
    if draw is not None:
        with picture(out / f"{study}.svg", study):
            draw(tables)


@contextmanager
def picture(path: Path, salt: str) -> Iterator[None]:
    """Write what is drawn in the context as SVG; equal numbers give equal files."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": salt, "font.size": 9}
    from matplotlib import pyplot as plt

    yield
    plt.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close()


def uncertainty(labels: Any, given: Any) -> float:
    """Theil's U of labels given groups: 0 if independent, 1 if the group tells the label."""
    metric = bam.DirectionalPredictabilityAmplification(
        quality="uncertainty_coefficient", equalize=None
    )
    with warnings.catch_warnings():
        # A warning that U near 0 makes the ratio noise, of which only the level is used.
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        result = metric.result(labels, labels, sensitive_features=given)
    return result.levels["psi_dataset"].value


def plus_minus(values: pd.Series) -> str:
    """The mean over runs, and half the length of its 95 % interval if runs differ."""
    mean = bam.summarize_runs(values)
    text = f"{round(mean.value, 4) + 0.0:.4f}"
    if mean.interval is None:
        return text
    # The space after the sign keeps both on one line.
    return f"{text} ±\N{NO-BREAK SPACE}{mean.interval[1] - mean.value:.4f}"


def whiskers(ax: Any, table: pd.DataFrame, of: str, value: str = "value") -> None:
    """Draw one dot per row with its interval ``low`` to ``high``, named by the column ``of``."""
    reach = (table[[value]].to_numpy() - table[["low", "high"]].to_numpy()) * [1, -1]
    labels = table[of].astype(str)
    ax.errorbar(table[value], labels, xerr=reach.T, fmt="o", color="#1f78b4", capsize=3)
    # If 0 is far away, its line would compress the intervals.
    if ax.get_xlim()[0] < 0.05:
        ax.axvline(0, color="black", linewidth=0.8)
    ax.set_ylim(len(table) - 0.5, -0.5)


def shown(tables: Tables) -> Tables:
    """The tables that are printed, and not only drawn."""
    return {name: table for name, table in tables.items() if not name.startswith("_")}


def as_csv(table: pd.DataFrame) -> str:
    """The text of a table, with numbers as the documentation shows them."""
    # + 0.0 removes the minus of a number that rounds to 0.
    rounded = table.apply(lambda x: x.round(4) + 0.0 if pd.api.types.is_float_dtype(x) else x)
    return rounded.to_csv(index=rounded.index.name is not None, lineterminator="\n")
