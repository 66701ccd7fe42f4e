"""Intervals of a Fairlearn frame: ours from drawn tables, the host's from resampled rows.

Both compute every metric of this package on the same rows, for all rows and for the slices of a
feature. The ends of the intervals are shown side by side, with their distance in Monte Carlo
standard errors, which repeated runs with other seeds give.

    python -m benchmarks.fairlearn_frames [--n-boot 1000]
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame, false_positive_rate, selection_rate
from sklearn.metrics import accuracy_score

import biasamp_adapters as bam
from benchmarks.table import Table
from biasamp_adapters.fairlearn import amplification_frame
from biasamp_adapters.inference.replicates import replicate
from biasamp_adapters.reference import align

#: Rows of the COMPAS table that the papers read.
N_ROWS = 5_278

QUANTILES = [0.025, 0.975]

ATTRIBUTES = ("sensitive_features", "sensitive_features_pred")

#: Number of our runs from which the Monte Carlo error of an end is estimated.
_SEEDS = 20


def rows(n_rows: int = N_ROWS) -> dict[str, Any]:
    """Two groups, two classes, and a model that exaggerates what joins them."""
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=n_rows)
    truth = (rng.random(n_rows) < 0.4 + 0.15 * group).astype(int)
    predicted = np.where(rng.random(n_rows) < 0.75, truth, group)
    guessed = np.where(rng.random(n_rows) < 0.7, group, predicted)
    return {
        "y_true": truth,
        "y_pred": predicted,
        "sensitive_features": group,
        "sensitive_features_pred": guessed,
        "region": pd.Series(rng.choice(["north", "south"], n_rows), name="region"),
    }


def metrics(n_trials: int = 100) -> dict[str, Any]:
    """Every metric; ``n_trials`` draws of flips to a value."""
    sampled = {"equalize": "sampled", "n_trials": n_trials}
    lists = {"labels": [0, 1], "groups": [0, 1]}
    both = ("A->T", "T->A")
    dpa = bam.DirectionalPredictabilityAmplification
    chosen = [
        bam.MALS(**lists),
        *(bam.DirectionalBiasAmplification(direction=d, **lists) for d in both),
        *(bam.MultiAttributeBiasAmplification(direction=d, **lists) for d in both),
        bam.MultiAttributeBiasAmplification(direction="undirected", **lists),
        bam.LeakageAmplification(**sampled, **lists),
        *(dpa(direction=d, **sampled, **lists) for d in both),
    ]
    functions = (accuracy_score, selection_rate, false_positive_rate)
    return {metric.__name__: metric for metric in (*chosen, *functions)}


def ours(data: dict[str, Any], n_boot: int, seed: int) -> Any:
    """Ends of the intervals, from drawn tables."""
    arguments = {name: values for name, values in data.items() if name != "region"}
    frame = amplification_frame(
        **arguments,
        group_features=data["region"],
        metrics=metrics(),
        n_boot=n_boot,
        ci_quantiles=QUANTILES,
        random_state=seed,
    )
    return frame.overall_ci, frame.by_group_ci


def theirs(data: dict[str, Any], n_boot: int) -> Any:
    """The same from Fairlearn's bootstrap of rows; one draw of flips a replicate, as in ours."""
    chosen = metrics(n_trials=1)
    frame = MetricFrame(
        metrics={
            name: flipping_anew(metric) if hasattr(metric, "quality") else metric
            for name, metric in chosen.items()
        },
        y_true=data["y_true"],
        y_pred=data["y_pred"],
        sensitive_features=data["region"],
        sample_params={
            name: {each: data[each] for each in ATTRIBUTES}
            for name, metric in chosen.items()
            if hasattr(metric, "from_counts")
        },
        n_boot=n_boot,
        ci_quantiles=QUANTILES,
        random_state=0,
    )
    return frame.overall_ci, frame.by_group_ci


def flipping_anew(metric: Any) -> Any:
    """The same metric with other flips in every call, as every replicate of ours has."""
    seeds = count()

    def call(y_true: Any, y_pred: Any, **columns: Any) -> float:
        return replace(metric, random_state=next(seeds))(y_true, y_pred, **columns)

    return call


def unmoved(data: dict[str, Any], n_boot: int, seed: int) -> pd.DataFrame:
    """Quantiles of the replicates of LA and DPA before they are moved to where the value lies."""
    arguments = (data[name] for name in ("y_true", "y_pred", *ATTRIBUTES))
    evaluation = align(bam.JointCounts.from_arrays(*arguments), None)
    measurements = {
        name: metric.measure(evaluation, evaluation.counts.first_model)
        for name, metric in metrics().items()
        if hasattr(metric, "quality")
    }
    drawn = replicate(measurements, evaluation, n_boot, seed)
    quantiles = {name: np.quantile(scores["value"], QUANTILES) for name, scores in drawn.items()}
    return pd.DataFrame(quantiles, index=["low", "high"]).T


def ends(found: Any) -> pd.DataFrame:
    """Low and high end of each metric in each place."""
    overall, by_group = found
    low, high = (
        pd.concat([overall[i].rename("overall").to_frame().T, by_group[i]]).T.stack()
        for i in range(2)
    )
    return pd.DataFrame({"low": low, "high": high})


def frames(n_boot: int = 1_000) -> None:
    """Print the ratio, and with many replicates the ends of both."""
    data = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        ours(data, 100, 0)
        start = time.perf_counter()
        of_tables = ends(ours(data, n_boot, 0))
        seconds = time.perf_counter() - start
        start = time.perf_counter()
        of_rows = ends(theirs(data, n_boot))
        slow = time.perf_counter() - start
        again = [ends(ours(data, n_boot, seed)) for seed in range(1, 1 + _SEEDS)]
    Table().ratio(
        f"MetricFrame's n_boot / ours, {n_boot} replicates",
        slow / seconds,
        ">= 500",
        f"{seconds:.3f} s",
    )
    compare(of_tables, of_rows, [each.to_numpy() for each in again])
    sys.stdout.write(
        "LA and DPA differ by design: their replicates are moved to where the value lies, and "
        "reach further where ties may have added to it. Before that, in all rows:\n"
    )
    runs = [unmoved(data, n_boot, seed) for seed in range(1 + _SEEDS)]
    of_rows = of_rows.xs("overall", level=1).loc[runs[0].index]
    compare(runs[0], of_rows, [each.to_numpy() for each in runs[1:]])


def compare(ours: pd.DataFrame, theirs: pd.DataFrame, runs: list[Any]) -> None:
    """Both ends side by side, and how many standard errors of Monte Carlo they are apart."""
    error = np.std(runs, axis=0, ddof=1)
    # The error of the difference of two independent runs.
    apart = (ours - theirs).abs() / np.maximum(error * np.sqrt(2), 1e-12)
    table = ours.join(theirs.add_suffix(" n_boot"))
    table["apart"] = apart.max(axis=1)
    sys.stdout.write(table.to_string(float_format="{:.4f}".format) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n-boot", type=int, default=1_000)
    frames(parser.parse_args().n_boot)
