"""Plot metrics over one varied quantity, such as a threshold, or over two."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from biasamp_adapters._typing import Array, check_choice
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.plot.canvas import (
    LINES,
    SERIES,
    UNCLEAR,
    axes_of,
    heat_map,
    lay_out,
    shown,
    zero_line,
)
from biasamp_adapters.plot.canvas import legend as add_legend

_HEIGHT = 3.4


def curves(
    x: Any,
    values: Mapping[str, Any],
    *,
    at: float | None = None,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Plot metrics against a varied quantity, as in [W21] Fig. 2.

    Parameters
    ----------
    x : array-like of shape (points,)
        The varied quantity, such as the share of one group that is predicted positive.
    values : mapping of str to array-like of shape (points,)
        The metrics. A mapping or DataFrame with ``value``, ``low`` and ``high`` has a band.
    at : float, optional
        Position of a vertical line, such as that of the truth or of the deployed model.
    ax : matplotlib Axes, optional
        The axes to draw on. By default, those of a new figure.
    legend : bool
        Whether to show a legend of the curves.

    Returns
    -------
    Axes
        The axes that were drawn on, with a line per curve in the order of ``values``.

    Raises
    ------
    ValueError
        If there is no curve, or one has another length than ``x``.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Fig. 2 and 6 ([W21]).

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> ax = bam.plot.curves([0, 0.5, 1], {"BA A->T": [-0.2, 0, 0.1]}, at=0.75)
    >>> len(ax.get_legend().get_texts())
    1
    """
    x = np.asarray(x, dtype=float)
    if not (isinstance(values, Mapping) and values):
        raise ValueError(f"values must map names to at least one curve; received {values!r}")
    lines = {name: _line(x, name, curve) for name, curve in values.items()}
    ax = axes_of(ax, _HEIGHT)
    zero_line(ax, "y")
    if at is not None:
        ax.axvline(at, color=UNCLEAR, linestyle=":", linewidth=1.2)
    drawn = []
    for name, colour, style in zip(lines, cycle(SERIES), cycle(LINES), strict=False):
        line = lines[name]
        if "low" in line and "high" in line:
            ax.fill_between(x, line["low"], line["high"], color=colour, alpha=0.2, linewidth=0)
        drawn += ax.plot(x, line["value"], style, color=colour, linewidth=1.8)
        # Set afterwards, as matplotlib replaces an empty label of a new line.
        drawn[-1].set_label(shown(name))
    ax.spines[["top", "right"]].set_visible(False)
    if legend:
        lay_out(ax)
        add_legend(ax, drawn)
    return ax


def _line(x: Array, name: str, curve: Any) -> dict[str, Array]:
    """The checked numbers of a curve."""
    table = curve if isinstance(curve, Mapping | pd.DataFrame) else {"value": curve}
    if "value" not in table:
        raise ValueError(f"a curve needs a value; received {listing(list(table))} for {name!r}")
    parts = [part for part in ("value", "low", "high") if part in table]
    line = {part: np.asarray(table[part], dtype=float) for part in parts}
    for part, numbers in line.items():
        if numbers.shape != x.shape:
            raise ValueError(
                f"a curve needs a {part} for each of the {len(x)} points of x; received shape "
                f"{numbers.shape} for {name!r}"
            )
    return line


def sweep(
    curve: pd.DataFrame | Mapping[str, pd.DataFrame],
    *,
    x: Literal["share", "threshold"] = "share",
    at: float | None = None,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Plot metrics over the thresholds of a score, as in [W21] Fig. 6.

    Parameters
    ----------
    curve : DataFrame, or mapping of str to DataFrame
        Result of :func:`~biasamp_adapters.threshold_sweep`, with the columns ``share``,
        ``threshold`` and ``value``, and ``low`` and ``high`` for a band. A mapping has several
        curves, such as BA A->T and the FPR difference, or MALS and BA T->A over the thresholds of
        a predicted attribute.
    x : {"share", "threshold"}
        The horizontal axis: the share of rows predicted positive, or the threshold itself.
    at : float, optional
        Position of a vertical line, such as that of the deployed threshold.
    ax : matplotlib Axes, optional
        The axes to draw on. By default, those of a new figure.
    legend : bool
        Whether to show a legend of the curves of a mapping.

    Returns
    -------
    Axes
        The axes that were drawn on, with a line per table.

    Raises
    ------
    ValueError
        If ``x`` is unknown, or the tables differ in their thresholds.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Fig. 6 ([W21]).

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> metric = bam.DirectionalBiasAmplification(direction="A->T")
    >>> curve = bam.threshold_sweep(
    ...     metric, [1, 1, 1, 0], [0.9, 0.6, 0.4, 0.2], sensitive_features=[1, 1, 2, 2]
    ... )
    >>> bam.plot.sweep(curve).get_xlabel()
    'share predicted positive'
    """
    check_choice("x", x, _OVER)
    tables = dict(curve) if isinstance(curve, Mapping) else {"": curve}
    if not tables:
        raise ValueError("curve must hold at least one table; received none")
    for name, table in tables.items():
        if missing := [column for column in (x, "value") if column not in table]:
            raise ValueError(
                f"a sweep needs the columns {x} and value; {listing(missing)} is not in {name!r}"
            )
    points = [table[x].to_numpy(dtype=float) for table in tables.values()]
    if any(not np.array_equal(other, points[0]) for other in points):
        raise ValueError(f"curves of one picture must have the same {x}; received others")
    # At the threshold of infinity, no row is predicted positive.
    finite = np.isfinite(points[0])
    ax = axes_of(ax, _HEIGHT)
    ax.set_xlabel(_OVER[x])
    return curves(
        points[0][finite],
        {name: table[finite] for name, table in tables.items()},
        at=at,
        ax=ax,
        legend=legend and isinstance(curve, Mapping),
    )


_OVER = {"share": "share predicted positive", "threshold": "threshold"}


def behaviour(values: pd.DataFrame, *, ax: Axes | None = None, colorbar: bool = True) -> Axes:
    """Plot a metric over two varied quantities as colours centred on 0, as in [T25] Fig. 6.

    Parameters
    ----------
    values : DataFrame of shape (rows, columns)
        Values of the metric. The columns are the quantity that varies from left to right, such as
        the bias of the dataset; the index is the one that varies upwards, such as the bias of the
        model. The names of index and columns label the axes. NaN stays empty.
    ax : matplotlib Axes, optional
        The axes to draw on. By default, those of a new figure.
    colorbar : bool
        Whether to draw a colour bar.

    Returns
    -------
    Axes
        The axes that were drawn on. A colour bar has axes of its own in the same figure.

    Raises
    ------
    ValueError
        If ``values`` is no DataFrame of numbers with at least one cell, or its columns or index
        are not in increasing order.

    References
    ----------
    Tokas, Nair and Kerner, "DPA", 2025, Appendix J, Fig. 6 ([T25]).

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> import numpy as np, pandas as pd
    >>> alpha = np.linspace(-0.25, 0.25, 5)
    >>> values = pd.DataFrame(np.subtract.outer(alpha, alpha), alpha, alpha)
    >>> ax = bam.plot.behaviour(values.rename_axis(index="model", columns="dataset"))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('dataset', 'model')
    """
    if not (isinstance(values, pd.DataFrame) and values.size):
        raise ValueError(f"values must be a DataFrame with cells; received {values!r}")
    try:
        numbers = values.to_numpy(dtype=float)
        across, up = values.columns.to_numpy(dtype=float), values.index.to_numpy(dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"values, index and columns must be numbers: {error}") from None
    for name, places in (("columns", across), ("index", up)):
        if not (np.isfinite(places).all() and (np.diff(places) > 0).all()):
            raise ValueError(
                f"the {name} must be finite and in increasing order; received {places.tolist()}"
            )
    ax = axes_of(ax, 4.6)
    # Without rasterization, every cell would be a path in a vector file.
    mesh = heat_map(ax, across, up, numbers, rasterized=True)
    ax.set_aspect(float(np.ptp(across) / np.ptp(up)) if min(values.shape) > 1 else "auto")
    for write, axis in ((ax.set_xlabel, values.columns), (ax.set_ylabel, values.index)):
        write("" if axis.name is None else shown(axis.name), parse_math=False)
    if colorbar:
        ax.figure.colorbar(mesh, ax=ax)
    return ax
