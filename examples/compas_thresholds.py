"""[W21] Fig. 6: COMPAS amplifies little, and yet errs to the disadvantage of one race.

The score of COMPAS goes from 1 to 10; whoever reaches the threshold is called likely to reoffend.
Over all thresholds BA A->T lies between -.07 and .06, while the difference of false positive rates
reaches .2. No amplification is not fairness. The paper prints no numbers and calls BA close to 0
for almost all thresholds. Beside the FPR difference it is; but of the nine thresholds that divide
people, six have an interval above 0, and at both ends, where all are called alike, BA is negative.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
from _study import Tables, run

import biasamp_adapters as bam
from biasamp_adapters.datasets import load_compas_counts

#: Names of the two curves, and where the audit has their points.
CURVES = {"BA A->T": "amplification", "FPR difference": "fpr_difference"}


def find(n_boot: int = 2000) -> Tables:
    """BA A->T and the FPR difference at each threshold, with intervals."""
    # "medium" and "high" begin at 5, as ProPublica reads the score.
    counts, scores = (
        load_compas_counts(threshold=threshold, within_30_days=True) for threshold in (5, None)
    )
    report = bam.audit_counts(counts, y_score=scores, n_boot=n_boot)
    (curve,) = report.summary["sweeps"]
    rows = [
        {"threshold": point["threshold"], "share": point["share"]}
        | {
            f"{name} {part}": point[of][part]
            for name, of in CURVES.items()
            for part in ("value", "low", "high")
        }
        for point in curve["points"]
    ]
    return {"sweep": pd.DataFrame(rows)}


def draw(tables: Tables) -> Any:
    """Both curves with their bands; the line marks the threshold of 5."""
    table = tables["sweep"]
    curves = {
        name: table[["share"]].assign(
            **{part: table[f"{name} {part}"] for part in ("value", "low", "high")}
        )
        for name in CURVES
    }
    return bam.plot.sweep(curves, at=table.loc[table["threshold"] == 5, "share"].item())


if __name__ == "__main__":
    run(find, draw)
