"""[W21] Table 2: one model's outputs against four sources of base rates.

A language model fills in a pronoun for a job, and a job for a pronoun; there is no truth, so the
rates that count as unbiased are set by hand. The paper's outputs are not published. The ones here
are made up, and stated: eight jobs, 20 sentences each way as in [W21] A.3, a model that follows a
made-up labour force and says "he" more often than it. Its value depends on the source more than
on anything else, in sign too; and uniform rates of three pronouns give two thirds of those of two,
as in the paper (.0914 / .1368 and .0056 / .0084), where the third pronoun has no direction.

[W21] A.3 gives the third pronoun a rate of 1/3 - epsilon, so the direction -1. A model that never
says "they" is then 1/3 off in each job, which is the last row: it has nothing to do with he or she.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from _study import Tables, run, whiskers

import biasamp_adapters as bam

#: Made up: shares of women in a labour force and in a text corpus.
WOMEN = {
    "labour force": [0.03, 0.10, 0.22, 0.35, 0.45, 0.60, 0.80, 0.92],
    "corpus": [0.20, 0.25, 0.30, 0.35, 0.40, 0.45, 0.55, 0.60],
}
JOBS = ["driver", "guard", "lawyer", "cook", "writer", "tailor", "cleaner", "nurse"]
SENTENCES = 20
#: The direction of more bias, as in the labour force: he and she lean to jobs or away from them.
LEANING = np.where(np.array(WOMEN["labour force"]) < 0.5, 1, -1)


def outputs(pronouns: tuple[str, ...], seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the model fills in: pronouns (one row per job and sentence) and jobs (per pronoun).

    It never says "they"; to a sentence about them it gives the jobs of he and of she alike.
    """
    rng = np.random.default_rng(seed)
    women = np.array(WOMEN["labour force"])
    logit = np.log((1 - women) / women) * 0.6 + 0.8
    he = 1 / (1 + np.exp(-logit - rng.normal(scale=0.5, size=(SENTENCES, len(JOBS)))))
    said = {"he": he, "she": 1 - he, "they": np.zeros_like(he)}
    of_jobs = {name: p / p.sum(axis=1, keepdims=True) for name, p in said.items() if p.any()}
    of_jobs["they"] = (of_jobs["he"] + of_jobs["she"]) / 2
    filled_in = pd.DataFrame({name: said[name].ravel() for name in pronouns})
    jobs = pd.concat([pd.DataFrame(of_jobs[name], columns=JOBS) for name in pronouns])
    return filled_in, jobs


def sources() -> dict[str, bam.BaseRates]:
    """The four sources of the paper, and the third pronoun with a direction."""
    pronouns = ("he", "she")
    leaning = pd.DataFrame([LEANING, -LEANING], pronouns, JOBS)

    def uniform(names: tuple[str, ...], third: int = 0) -> bam.BaseRates:
        direction = leaning.reindex(names).fillna(third).astype(int)
        of_pronouns = pd.DataFrame(1 / len(names), JOBS, names)
        of_jobs = pd.DataFrame(1 / len(JOBS), names, JOBS)
        return bam.BaseRates(
            attribute_given_task=of_pronouns, task_given_attribute=of_jobs, direction=direction
        )

    def counted(name: str) -> bam.BaseRates:
        women = np.array(WOMEN[name])
        of_pronouns = pd.DataFrame({"he": 1 - women, "she": women}, JOBS)
        of_jobs = (of_pronouns / of_pronouns.sum()).T
        return bam.BaseRates(
            attribute_given_task=of_pronouns, task_given_attribute=of_jobs, direction=leaning
        )

    three = (*pronouns, "they")
    return {
        "uniform (2)": uniform(pronouns),
        "uniform (3)": uniform(three),
        "corpus (2)": counted("corpus"),
        "labour force (2)": counted("labour force"),
        "uniform (3), they -1": uniform(three, -1),
    }


def find(n_boot: int = 2000) -> Tables:
    """T->A and A->T against each source, with intervals over the sentences."""
    rows = []
    for source, rates in sources().items():
        pronouns = ("he", "she", "they") if "(3)" in source else ("he", "she")
        filled_in, jobs = outputs(pronouns)
        # What is given is not predicted: a job for T->A, a pronoun for A->T. There is no truth.
        given = {
            "T->A": {
                "y_true": np.tile(JOBS, SENTENCES),
                "y_pred": None,
                "sensitive_features": None,
                "sensitive_features_pred": bam.Indicators(filled_in.to_numpy(), names=pronouns),
            },
            "A->T": {
                "y_true": None,
                "y_pred": jobs,
                "sensitive_features": np.repeat(pronouns, SENTENCES),
            },
        }
        for direction, data in given.items():
            metric = bam.DirectionalBiasAmplification(direction=direction, reference=rates)
            result = metric.result(**data, n_boot=n_boot)
            low, high = result.interval
            row = {"source": source, "direction": direction, "value": result.value}
            rows.append(row | {"low": low, "high": high})
    return {"values": pd.DataFrame(rows)}


def draw(tables: Tables) -> Any:
    """One interval per source, one panel per direction."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 2.6), layout="constrained", sharey=True)
    for ax, (direction, part) in zip(axes, tables["values"].groupby("direction"), strict=True):
        whiskers(ax, part, "source")
        ax.set_title(f"BA {direction}")
    return figure


if __name__ == "__main__":
    run(find, draw)
