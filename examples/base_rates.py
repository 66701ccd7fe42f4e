"""[W21] Table 2: BA of one language model against four sources of base rates.

The model's outputs were not published. Rates with the same signs shift a value by the same amount
whatever a model predicts, so the shift from uniform rates to those of the labour force can be
computed for any predictions. The jobs and rates are those of the authors' script.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _study import Tables, number, run, verdict

import biasamp_adapters as bam

PRONOUNS = ("he", "she")


def base_rates(jobs: pd.DataFrame, direction: str, source: str) -> bam.BaseRates:
    """Return rates of a source, with the signs of WinoBias."""
    is_counted = source == "labor force"
    women = jobs["percent_women"] / 100 if is_counted else pd.Series(0.5, jobs.index)
    shares = pd.DataFrame({"he": 1 - women, "she": women})
    lean = jobs["leaning"].map({"men": 1, "women": -1})
    signs = pd.DataFrame({"he": lean, "she": -lean})
    if direction == "T->A":
        return bam.BaseRates(shares, direction=direction, signs=signs)
    workers = shares.mul(jobs["workers"], axis=0) if is_counted else shares
    return bam.BaseRates((workers / workers.sum()).T, direction=direction, signs=signs.T)


def shift(direction: str) -> float:
    """Return how far BA falls from uniform rates to those of the labour force."""
    jobs, rng = bam.studies.load_published("w21_jobs").set_index("job"), np.random.default_rng(0)
    pronouns = np.resize(PRONOUNS, 640)
    if direction == "A->T":
        data = None, rng.choice(jobs.index, 640)
        options = {"sensitive_features": pronouns}
    else:
        data = np.resize(jobs.index, 640), None
        options = {"sensitive_features_pred": rng.permutation(pronouns)}
    values = [
        bam.DirectionalBiasAmplification(
            direction=direction, reference=base_rates(jobs, direction, source)
        )(*data, **options)
        for source in ("uniform", "labor force")
    ]
    return values[0] - values[1]


def find() -> Tables:
    """Return Table 2 next to what follows from its first two rows."""
    table = bam.studies.load_published("w21_table_2")
    two = table[(table["source"] == "uniform") & (table["pronouns"] == 2)]
    two = two.set_index("direction")
    rows = []
    for row in table.itertuples():
        name = f"{row.source} ({row.pronouns})", row.direction.replace("->", "→")
        printed = number(row.value, 4, row.half_width)
        ours, how = np.nan, "not computable: outputs were not published"
        if row.source == "labor force":
            ours, how = (
                two["value"][row.direction] - shift(row.direction),
                ", uniform (2) minus the shift",
            )
        elif row.pronouns == 3:
            ours, how = two["value"][row.direction] * 2 / 3, ", two thirds of uniform (2)"
        found = "" if np.isnan(ours) else verdict(row.value, 4, ours, row.half_width)
        if row.source == "labor force" and row.half_width != two["half_width"][row.direction]:
            how += f"; ± refuted, a shift keeps {two['half_width'][row.direction]:.4f}"
        rows.append((*name, printed, number(ours), found + how))
    columns = ["source (pronouns)", "direction", "paper", "ours", "verdict"]
    return {"table_2": pd.DataFrame(rows, columns=columns)}


if __name__ == "__main__":
    run(find)
