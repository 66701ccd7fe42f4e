"""The tables of the documentation on coverage, from the simulated results."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

#: Coverage is not shown if fewer than this share of samples have an interval.
_FEW = 0.2

#: Below this share it is marked.
_SOME = 0.9

SIZES = (200, 1_000, 10_000)


def write_tables(folder: Path) -> None:
    """One table per kind of data, and three on signs, bias and width, from ``results.csv``."""
    results = pd.read_csv(folder / "results.csv")
    for data in results["data"].unique():
        name = data.replace(",", "").replace(" ", "_")
        by_method(results[results["data"] == data]).to_csv(folder / f"{name}.csv", index=False)
    by_signs(results).to_csv(folder / "signs.csv", index=False)
    deviations = 3.92 * results["deviation"]
    for name, ratio in (
        ("bias", results["bias"] / results["deviation"]),
        ("width", results["width"] / deviations),
    ):
        by_data(results.assign(ratio=ratio), sign=name == "bias").to_csv(folder / f"{name}.csv")


def by_method(results: pd.DataFrame) -> pd.DataFrame:
    """Coverage of each metric by method and size, the sample its own reference; in per cent."""
    usual = results.query("reference == 'own' and signs == 'reference'")
    rows = []
    for (metric, draws), some in usual.groupby(["metric", "draws"], sort=False):
        row = {"metric": arrows(metric) + (", no rows" if draws == "moments" else "")}
        for method, lines in some.groupby("method", sort=False):
            found = lines.set_index("rows")
            for size in SIZES:
                row[f"{method}, {size:,}"] = share(found, size)
        rows.append(row)
    return pd.DataFrame(rows)


def by_signs(results: pd.DataFrame) -> pd.DataFrame:
    """Coverage of percentile intervals of MALS and BA by the signs that they are for."""
    chosen = results.query("metric.str.match('MALS|BA') and draws == 'rows' and rows == 1000")
    chosen = chosen[~chosen["data"].str.startswith("two models")]
    rows = []
    for (data, metric), some in chosen.query("method == 'percentile'").groupby(
        ["data", "metric"], sort=False
    ):
        found = some.set_index(["reference", "signs"])
        row = {"data": data, "metric": arrows(metric)}
        row["same signs"] = f"{100 * found.loc[('own', 'reference'), 'same_signs']:.0f}"
        for reference, title in (("own", "own truth"), ("training", "training sample")):
            held = found.loc[(reference, "reference")]
            row[f"{title}: its signs"] = per_cent(held["coverage"])
            row[f"{title}: true signs"] = per_cent(held["own_coverage"])
            again = found.loc[(reference, "reestimated")]
            row[f"{title}: re-estimated"] = per_cent(again["coverage"])
        rows.append(row)
    return pd.DataFrame(rows)


def by_data(results: pd.DataFrame, sign: bool) -> pd.DataFrame:
    """A ratio for each metric and kind of data: percentile intervals of samples of 1,000 rows."""
    usual = results.query(
        "reference == 'own' and signs == 'reference' and draws == 'rows'"
        " and method == 'percentile' and rows == 1000"
    )
    usual = usual.assign(
        metric=usual["metric"].map(arrows),
        ratio=[_number(ratio, sign) for ratio in usual["ratio"]],
    )
    order = usual["metric"].unique(), usual["data"].unique()
    table = usual.pivot(index="metric", columns="data", values="ratio")
    return table.loc[list(order[0]), list(order[1])].fillna("")


def _number(value: float, sign: bool) -> str:
    return "" if pd.isna(value) else f"{value:{'+' if sign else '-'}z.2f}".replace("-", "−")


def share(found: pd.DataFrame, size: int) -> str:
    """Coverage at one size, with a mark where not all samples have an interval."""
    if size not in found.index:
        return ""
    given = found.loc[size, "given"]
    if given < _FEW:
        return f"({100 * given:.0f})"
    text = per_cent(found.loc[size, "coverage"])
    return text if given >= _SOME else f"{text} ({100 * given:.0f})"


def per_cent(value: float) -> str:
    """A share in per cent."""
    return "" if pd.isna(value) else f"{100 * value:.0f}"


def arrows(metric: str) -> str:
    """The name of a metric as the guide writes it."""
    return metric.replace("->", "→").replace("BA ", "BA→ ").replace("1/CE", "1/cross-entropy")
