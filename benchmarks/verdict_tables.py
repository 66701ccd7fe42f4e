"""The tables of the documentation on verdicts, from the simulated results."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.coverage_tables import arrows, per_cent
from biasamp_adapters.metrics.verdict import WORDS

_DATA = ["direction", "groups", "tasks", "design"]


def write_tables(folder: Path) -> None:
    """One table per family of designs, from ``results.csv``."""
    results = pd.read_csv(folder / "results.csv")
    makers = {
        "nothing": nothing,
        "amplifies": amplifiers,
        "other": others,
        "apart": apart,
        "kinds": kinds,
    }
    for family, table in makers.items():
        some = results[results["family"] == family]
        if len(some):
            pd.DataFrame(table(some)).to_csv(folder / f"{family}.csv", index=False)


def nothing(results: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Wrong "amplifies", and the verdict that is right."""
    for _, lines in results.groupby(_DATA, sort=False):
        own, other = (lines[lines["reference"] == name] for name in ("own", "training"))
        first = lines.iloc[0]
        row = head(first)
        row |= {f"amplifies, {rows(line)}": per_cent(line["amplifies"]) for line in each(own)}
        row["amplifies, other sample"] = "".join(map(per_cent, other["amplifies"]))
        row["right"] = WORDS[first["right"]]
        yield row | {f"right, {rows(line)}": per_cent(line["given_right"]) for line in each(own)}


def amplifiers(results: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """How often "amplifies" is given, by how many standard errors BA-> is from 0."""
    for _, lines in results.groupby(_DATA, sort=False):
        own, other = (lines[lines["reference"] == name] for name in ("own", "training"))
        row = head(lines.iloc[0])
        for line in each(own[own["rows"] < 5_000]):
            row[f"3.5, {rows(line)}"] = per_cent(line["amplifies"])
            row[f"weakest, {rows(line)}"] = f"{line['least_z']:.1f}"
        row["3.5, other sample"] = "".join(map(per_cent, other["amplifies"]))
        most = own[own["rows"] == 5_000].sort_values("amplification_se")
        row["weakest, 5,000"] = f"{most['least_z'].iloc[0]:.1f}"
        for line in each(most):
            row[f"{line['amplification_se']:.2g}, 5,000"] = per_cent(line["amplifies"])
        yield row


def others(results: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """The verdict that is right, and what else is said most often of 1,000 rows."""
    for _, lines in results.groupby(_DATA, sort=False):
        first = lines.iloc[0]
        row = {"model": first["design"], "right": WORDS[first["right"]]}
        row |= {f"{rows(line)} rows": per_cent(line["given_right"]) for line in each(lines)}
        yield row | {"else": instead(lines[lines["rows"] == 1_000].iloc[0])}


def apart(results: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """One line for each population and model."""
    for line in each(results):
        yield head(line) | {
            "BA, in standard errors": f"{line['amplification_se']:.1f}".replace("-", "−"),
            "amplifies": per_cent(line["amplifies"]),
            "cannot say": per_cent(line["cannot_say"]),
            "right": WORDS[line["right"]],
            "given": per_cent(line["given_right"]),
        }


def kinds(results: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Wrong or right "amplifies", and the verdict that is right, of fewer and of more rows."""
    for _, lines in results.groupby(_DATA, sort=False):
        first, last = each(lines.sort_values("rows"))
        kind, model = first["design"].split(": ")
        row = {"data": f"{kind}, {head(first)['data']}", "model": model}
        sizes = {"fewer": first, "3,000": last}
        row |= {f"amplifies, {size}": per_cent(sizes[size]["amplifies"]) for size in sizes}
        row["right"] = WORDS[first["right"]]
        row |= {f"right, {size}": per_cent(sizes[size]["given_right"]) for size in sizes}
        yield row | {f"weakest, {size}": f"{sizes[size]['least_z']:.1f}" for size in sizes}


def head(line: pd.Series[Any]) -> dict[str, str]:
    """What the data are and what the model does."""
    kind = "columns" if line["tasks"] == 8 else "classes"
    data = f"{arrows(line['direction'])}, {line['groups']} groups, {line['tasks']} {kind}"
    return {"data": data, "model": line["design"]}


def instead(line: pd.Series[Any]) -> str:
    """The most common verdict that is not the right one."""
    wrong = line[[*WORDS]].drop(line["right"])
    share, code = max((share, code) for code, share in wrong.items())
    return f"{WORDS[code]} ({per_cent(share)})" if share else ""


def rows(line: pd.Series[Any]) -> str:
    """The number of rows in words; what label matrices have instead of the largest one."""
    return f"{20_000 if line['family'] == 'nothing' and line['rows'] > 1_000 else line['rows']:,}"


def each(lines: pd.DataFrame) -> Iterable[pd.Series[Any]]:
    """The lines of a table, one by one."""
    return (line for _, line in lines.iterrows())
