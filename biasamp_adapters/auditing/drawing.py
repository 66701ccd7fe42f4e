"""The small pictures of a report, as positions in per cent of their width.

Templates write them as SVG. Labels and numbers stand beside the pictures as text, so pictures are
as wide as there is room for, and nobody depends on them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from biasamp_adapters._text import arrows, clean, number, rates_in_per_cent, shortened
from biasamp_adapters._typing import Row
from biasamp_adapters.auditing.answer import number_of_pairs, pairs_of
from biasamp_adapters.auditing.summary import Summary, grouped
from biasamp_adapters.cards.rounded import rounded
from biasamp_adapters.cards.strips import TONES, Scale, Strip, strip_of
from biasamp_adapters.inference import estimates
from biasamp_adapters.metrics.result import about

#: Most groups that are all shown; of more, the clearest pairs are.
MOST_GROUPS = 12

#: Pairs that are shown of a model with many of them.
FEW_PAIRS = 10

#: Most characters of a label beside a picture.
_LABEL = 48

#: The steps between ticks, most of them, and how many numbers there is room for.
_STEPS, _MOST_TICKS, _ROOM = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25), 5, 4


class Dumbbell(NamedTuple):
    """A rate that moves from the truth to the predictions, and its text."""

    label: str
    full: str
    rows: int | None
    tone: str
    true: float
    predicted: float
    overall: float | None
    text: tuple[str, str]


class Panel(NamedTuple):
    """The dumbbells of one model, on a scale with ticks, each a position and a text.

    There may be more ``pairs`` than there is room for.
    """

    model: str
    dumbbells: list[Dumbbell]
    ticks: list[tuple[float, str]]
    pairs: int


def panels(summary: Summary, direction: str, models: Sequence[str]) -> list[Panel]:
    """How the rates of groups move, for some models on one scale.

    All groups are shown where one class of a few groups is evaluated, and else the clearest pairs.
    """
    chosen = {model: _chosen(summary, direction, model) for model in models}
    rates = [
        pair[name]
        for pairs, _ in chosen.values()
        for pair in pairs
        for name in ("true", "predicted", "overall")
        if pair[name] is not None
    ]
    if not rates:
        return []
    scale, ticks = _of_rates(max(rates))
    return [
        Panel(model, [_dumbbell(summary, pair, scale) for pair in pairs], ticks, n)
        for model, (pairs, n) in chosen.items()
        if pairs
    ]


def _chosen(summary: Summary, direction: str, model: str) -> tuple[list[Row], int]:
    """The pairs of a model to show, and of how many they are."""
    pairs = [
        pair
        for pair in pairs_of(summary, direction, model)
        if None not in (pair["true"], pair["predicted"])
    ]
    order = {group["label"]: i for i, group in enumerate(summary["data"]["groups"])}
    if len({pair["task"] for pair in pairs}) == 1 and len(pairs) <= MOST_GROUPS:
        return sorted(pairs, key=lambda pair: order.get(pair["attribute"], len(order))), len(pairs)
    n_pairs = max(len(pairs), number_of_pairs(summary, direction, model))
    return sorted(pairs, key=clearness)[:FEW_PAIRS], n_pairs


def clearness(pair: Row) -> tuple[bool, float]:
    """Sorts pairs by how surely they move."""
    low, high = pair["band_low"], pair["band_high"]
    band = None if low is None or high is None else (low, high)
    return estimates.clearness(pair["value"], band, pair["clear"])


def _dumbbell(summary: Summary, pair: Row, scale: Scale) -> Dumbbell:
    data = summary["data"]
    sizes = {group["label"]: group["rows"] for group in data["groups"]}
    one_task = data["positive"] is not None or len(data["classes"]) == 1
    label = pair["attribute"] if one_task else f"{pair['task']}, {pair['attribute']}"
    moved = 1 if pair["value"] > 0 else -1 if pair["value"] < 0 else 0
    return Dumbbell(
        _shown(label),
        clean(label),
        sizes.get(pair["attribute"]) if one_task else None,
        TONES[moved if pair["clear"] else 0],
        scale.at(pair["true"]),
        scale.at(pair["predicted"]),
        scale.place(pair["overall"]),
        rates_in_per_cent(pair["true"], pair["predicted"]),
    )


def _of_rates(largest: float) -> tuple[Scale, list[tuple[float, str]]]:
    """A scale from 0 to a round share, and its ticks in per cent."""
    step = next((step for step in _STEPS if largest <= step * _MOST_TICKS), _STEPS[-1])
    n = max(1, math.ceil(largest / step - 1e-9))
    scale = Scale(0.0, n * step)
    # Where three panels are side by side, there is room for four numbers.
    ticks = [i * step for i in range(0, n + 1, 1 if n < _ROOM else 2)]
    return scale, [(scale.at(tick), number(100 * tick, 0, "") + "%") for tick in ticks]


class Curve(NamedTuple):
    """A line over shares predicted positive, with the band of its intervals.

    ``line`` and ``band`` are the points of SVG shapes, in units of a picture of 100 x 100.
    """

    name: str
    line: str
    band: str


class Sweep(NamedTuple):
    """The curves of a model, with the places of 0, of what was audited and of ticks.

    ``positive`` says what is predicted from a threshold on; ``audited`` is None if nothing was.
    """

    model: str
    run: str
    positive: str
    curves: list[Curve]
    zero: float
    audited: float | None
    ticks: list[tuple[float, str]]


#: The names of the curves that are beside that of BA->, in the order of their colours.
_BESIDE = {"blind_errors": "blind errors", "fpr_difference": "FPR difference", "mals": "MALS"}


def sweeps(summary: Summary) -> Iterator[Sweep]:
    """What each threshold would give, for each model that has scores."""
    for curve in summary["sweeps"]:
        points, name, audited = curve["points"], curve["name"], curve["audited_share"]
        beside = {label: key for key, label in _BESIDE.items() if points[0].get(key)}
        lines = {arrows(name): "amplification", **beside}
        numbers = [
            value
            for point in points
            for key in lines.values()
            for value in (point[key]["value"], point[key]["low"], point[key]["high"])
            if value is not None
        ]
        scale = Scale(min([0.0, *numbers]), max([0.0, *numbers]))
        yield Sweep(
            clean(curve["model"]),
            clean(curve.get("run", "")),
            f"to be {_shown(curve['attribute'])}" if "attribute" in curve else "positive",
            [_curve(points, label, key, scale) for label, key in lines.items()],
            _up(scale, 0.0),
            None if audited is None else round(100 * audited, 2),
            [
                (_up(scale, end), number(100 * end, 0))
                for end in dict.fromkeys((scale.high, 0.0, scale.low))
            ],
        )


def _shown(label: str) -> str:
    return shortened(clean(label), _LABEL)


def _up(scale: Scale, value: float) -> float:
    """The height of a number, from the top."""
    return round(100 - scale.at(value), 2)


def _curve(points: Sequence[Row], label: str, key: str, scale: Scale) -> Curve:
    known = [
        (100 * point["share"], point[key]) for point in points if point[key]["value"] is not None
    ]
    line = ((x, row["value"]) for x, row in known)
    bounded = [(x, row) for x, row in known if row["low"] is not None]
    # Along the lower ends and back along the upper ones.
    around = [(x, row["low"]) for x, row in bounded] + [
        (x, row["high"]) for x, row in bounded[::-1]
    ]
    return Curve(label, _points(line, scale), _points(around, scale))


def _points(points: Iterable[tuple[float, float]], scale: Scale) -> str:
    return " ".join(f"{x:.4g},{_up(scale, y):.4g}" for x, y in points)


class Runs(NamedTuple):
    """A metric of a model over several runs: their values, and the mean with its interval."""

    name: str
    model: str
    runs: list[float]
    strip: Strip
    mean: str


def runs(summary: Summary) -> Iterator[Runs]:
    """The runs of each metric; models share the scale of a metric."""
    rows = grouped(summary["runs"], "name")
    for (name,), of_metric in rows.items():
        means = [
            row for row in summary["metrics"] if row["name"] == name and row["value"] is not None
        ]
        values = [row["value"] for row in of_metric if row["value"] is not None]
        numbers = values + [
            end for row in means for end in (row["low"], row["high"]) if end is not None
        ]
        reach = max(map(abs, numbers), default=0.0) or 1.0
        scale = Scale(-reach, reach)
        for row in means:
            yield Runs(
                arrows(name),
                row["model"],
                [
                    scale.at(run["value"])
                    for run in of_metric
                    if run["model"] == row["model"] and run["value"] is not None
                ],
                strip_of(row, scale),
                rounded(row, about(row["metric"]).scale).both,
            )
