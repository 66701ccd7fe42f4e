"""[T25] Tables 3, 4, 10 and 11: which metrics order nine models as their sensitivity does.

The paper compares ranks by eye. Here the agreement is Kendall's tau of the printed values, with an
interval that takes the nine models as a sample of models.
"""

from __future__ import annotations

import pandas as pd
from _study import Tables, number, run, with_interval

import biasamp_adapters as bam

TABLES = {3: "unbalanced, A→T", 4: "balanced, A→T", 10: "unbalanced, T→A", 11: "balanced, T→A"}
METRICS = ["DPA", "BA", "Multi", "MALS", "LA"]


def agreement(printed: pd.DataFrame) -> list[str]:
    """Return the tau of each metric with the sensitivity."""
    values = printed.pivot(index="model", columns="metric", values="value")
    found = bam.studies.rank_agreement(values[METRICS], values["Sen"]).set_index("metric")
    texts = []
    for metric in METRICS:
        row = found.loc[metric]
        ends = [row["low"], row["high"]]
        texts.append("all equal" if pd.isna(row["tau"]) else with_interval(row["tau"], ends))
    return texts


def misprints(printed: pd.DataFrame) -> int:
    """Return how many printed ranks are not those of the values, of which equal ones tie."""
    by_metric = printed.groupby("metric")["value"]
    low, high = by_metric.rank(method="min"), by_metric.rank(method="max")
    return int(((printed["rank"] < low) | (printed["rank"] > high)).sum())


def find() -> Tables:
    """Return the agreement in each table, and checks of what is printed."""
    rows, checks = [], []
    for table, about in TABLES.items():
        printed = bam.studies.load_published(f"t25_table_{table}")
        rows.append((f"{table}, {about}", *agreement(printed)))
        wrong = misprints(printed)
        checks.append(
            (f"Table {table}, ranks", len(printed), wrong, "refuted" if wrong else "exact")
        )
        multi = printed.query("metric == 'Multi'")["value"]
        if "A→T" in about:
            # The sizes of a gender's changes sum to at most 2, over 205 verbs, times 100.
            bound = 200 / 205
            words = f"refuted: at most {number(bound, 3)}"
            checks.append((f"Table {table}, Multi", 9, int((multi > bound).sum()), words))
        if about.startswith("balanced"):
            zero = printed.query("metric in ('BA', 'MALS')")["value"]
            checks.append(
                (f"Table {table}, BA and MALS", len(zero), int((zero != 0).sum()), "exact")
            )
    mals = [
        bam.studies.load_published(f"t25_table_{table}").query("metric == 'MALS'")
        for table in (3, 10)
    ]
    first, second = (part.set_index("model")["value"] for part in mals)
    apart = int((first != second.loc[first.index]).sum())
    checks.append(("Tables 3 and 10, MALS", 9, apart, "refuted: it has no direction"))
    columns = ["numbers", "printed", "impossible", "verdict"]
    return {
        "tau": pd.DataFrame(rows, columns=["table", *METRICS]).map(str),
        "checks": pd.DataFrame(checks, columns=columns),
    }


if __name__ == "__main__":
    run(find)
