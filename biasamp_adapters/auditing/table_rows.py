"""The rows of tables: lists of a summary, and further ones that are made for tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biasamp_adapters._text import arrows
from biasamp_adapters._typing import Row
from biasamp_adapters.auditing.drawing import clearness
from biasamp_adapters.auditing.reading import number_in_words
from biasamp_adapters.auditing.summary import Summary

#: The names of what is integrated over thresholds, where it is not the metric of the sweep.
_INTEGRATED = {"mals": "MALS"}


def lists_of(summary: Summary) -> dict[str, Any]:
    """The lists of a summary, and further ones that are made for tables."""
    data = summary["data"]
    classes = "tasks" if data["tasks_are_columns"] else "classes"
    # Of two classes, one tells all of the other.
    pairs = [row for row in summary["pairs"] if data["positive"] in (None, row["task"])]
    return summary | {
        "advice": list(_advice(summary)),
        **_sweeps(summary),
        "with blind errors": [row for row in summary["metrics"] if row["blind_errors"]],
        "with levels": [row | row["levels"] for row in summary["metrics"] if row["levels"]],
        "with variance": [row for row in summary["metrics"] if row["spread"]],
        "pairs": sorted(
            pairs,
            key=lambda row: (data["models"].index(row["model"]), row["direction"], clearness(row)),
        ),
        "hidden": [row for row in summary["trends"] if _hides(summary, row)],
        classes: data["classes"],
        "groups": data["groups"],
    }


def _hides(summary: Summary, row: Row) -> bool:
    """Whether a mean over pairs can hide anything: a trend of one pair is that pair."""
    return any(other["pairs"] > 1 for other in summary["trends"] if other["name"] == row["name"])


def _sweeps(summary: Summary) -> dict[str, list[Row]]:
    """The points of sweeps of the task and of the attribute, and what needs no threshold."""
    rows: dict[str, list[Row]] = {"points": [], "attribute points": [], "threshold-free": []}
    for curve in summary["sweeps"]:
        whose = {"model": curve["model"], "run": curve.get("run", "")}
        kind = "points"
        if "attribute" in curve:
            kind, whose["attribute"] = "attribute points", curve["attribute"]
        rows[kind] += [whose | point for point in curve["points"]]
        rows["threshold-free"] += [
            {**whose, "integrated": _INTEGRATED.get(name, curve["name"]), **number}
            for name, number in curve["threshold_free"].items()
            if number is not None
        ]
    return rows


def _advice(summary: Summary) -> Iterator[Row]:
    """What to read, with the numbers of one reason in one row, and models if there are several."""
    models = summary["data"]["models"]
    merged: dict[tuple[str, str, str], list[str]] = {}
    for row in summary["reading"]:
        names = ", ".join(row["models"]) if len(models) > 1 else ""
        shown = arrows(number_in_words(row["metric"]))
        merged.setdefault((row["place"], names, row["reason"]), []).append(shown)
    for (place, names, reason), numbers in merged.items():
        yield {"place": place, "models": names, "reason": reason, "numbers": ", ".join(numbers)}
