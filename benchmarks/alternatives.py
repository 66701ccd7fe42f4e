"""Print what intervals by group cost here, and with what a user would pick instead.

`python -P alternatives.py` times bootstrap intervals of a gap and of rates by group: 50,000 rows,
four groups, 1,000 replicates. Seconds are those of the processor in the best of several calls, in
this process; those of slow ways are extrapolated from fewer replicates. Ways whose library is
missing are left out. Run it with one thread (OMP_NUM_THREADS=1). Without -P, numba would import
coverage.py of this folder. The exit code is 1 if a goal is missed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from scipy.stats import bootstrap

import biasamp_adapters as bam

N_ROWS, N_GROUPS, N_BOOT = 50_000, 4, 1000
QUANTILES = [0.025, 0.975]

#: The frame may take so many times the eight lines of numpy and a frame of the distinct rows, and a
#: result so many times the eight lines.
FRAME_GOAL, RESULT_GOAL = 5, 2

_RNG = np.random.default_rng(0)
GROUP = _RNG.integers(N_GROUPS, size=N_ROWS)
TRUE = (_RNG.random(N_ROWS) < 0.3 + 0.1 * GROUP).astype(int)
PREDICTED = np.where(_RNG.random(N_ROWS) < 0.2, 1 - TRUE, TRUE)
COLUMNS = {"y_true": TRUE, "y_pred": PREDICTED, "sensitive_features": GROUP}


def eight_lines() -> Any:
    """Return intervals of the largest gap of predicted rates, and of FPR by group."""
    cells = np.bincount(4 * GROUP + 2 * TRUE + PREDICTED, minlength=4 * N_GROUPS)
    draws = np.random.default_rng(0).multinomial(N_ROWS, cells / N_ROWS, size=N_BOOT)
    return intervals_of(draws)


def intervals_of(draws: Any) -> Any:
    """Return intervals of the largest gap and of FPR from drawn tables of counts."""
    draws = draws.reshape(-1, N_GROUPS, 2, 2)
    rates = draws[..., 1].sum(axis=2) / draws.sum(axis=(2, 3))
    fpr = draws[:, :, 0, 1] / draws[:, :, 0].sum(axis=2)
    gaps = np.ptp(rates, axis=1)
    return np.quantile(gaps, QUANTILES), np.quantile(fpr, QUANTILES, axis=0)


def host_metrics() -> dict[str, Callable[..., float]]:
    """Return the two metrics of Fairlearn."""
    from fairlearn.metrics import false_positive_rate, selection_rate

    return {"selected": selection_rate, "FPR": false_positive_rate}


def frame() -> Any:
    """Return intervals of our frame: BA and two metrics of Fairlearn."""
    from biasamp_adapters.fairlearn import amplification_frame

    metrics = {"BA": "BA", **host_metrics()}
    intervals = amplification_frame(
        metrics=metrics, **COLUMNS, n_boot=N_BOOT, ci_quantiles=QUANTILES
    )
    return intervals.by_group_ci, intervals.difference_ci()


def plain_frame() -> Any:
    """Return Fairlearn's frame of the distinct rows, without intervals."""
    from fairlearn.metrics import MetricFrame

    table = pd.DataFrame(COLUMNS).value_counts().reset_index()
    weight = {"sample_weight": table.pop("count")}
    metrics = host_metrics()
    params = dict.fromkeys(metrics, weight)
    return MetricFrame(metrics=metrics, **table, sample_params=params).by_group


def fairlearn_frame(n_boot: int) -> Any:
    """Return Fairlearn's own intervals."""
    from fairlearn.metrics import MetricFrame

    intervals = MetricFrame(
        metrics=host_metrics(), **COLUMNS, n_boot=n_boot, ci_quantiles=QUANTILES, random_state=0
    )
    return intervals.by_group_ci, intervals.difference_ci()


def result() -> Any:
    """Return BA with its interval."""
    return bam.DirectionalBiasAmplification().result(**COLUMNS, n_boot=N_BOOT).interval


def largest_gap(group: Any, predicted: Any) -> Any:
    """Return the largest gap of predicted rates."""
    n = np.bincount(group, minlength=N_GROUPS)
    return np.ptp(np.bincount(group, predicted, N_GROUPS) / n)


def scipy_rows(n_boot: int) -> Any:
    """Return the interval of the gap from rows that scipy draws."""
    options = {"paired": True, "vectorized": False, "n_resamples": n_boot, "method": "percentile"}
    return bootstrap((GROUP, PREDICTED), largest_gap, rng=0, **options).confidence_interval


@cache
def compiled_draws() -> Callable[..., Any]:
    """Return a loop of numba that draws rows, and counts them by cell."""
    import numba

    @numba.njit  # type: ignore[untyped-decorator]
    def draw(rng: Any, cells: Any, n_boot: int) -> Any:
        counts = np.zeros((n_boot, 4 * N_GROUPS))
        for replicate in range(n_boot):
            for _ in range(len(cells)):
                counts[replicate, cells[rng.integers(0, len(cells))]] += 1
        return counts

    draw(np.random.default_rng(0), GROUP[:4], 1)  # Compiles it.
    return draw


def numba_rows(n_boot: int) -> Any:
    """Return intervals from rows that a compiled loop draws."""
    cells = 4 * GROUP + 2 * TRUE + PREDICTED
    return intervals_of(compiled_draws()(np.random.default_rng(0), cells, n_boot))


def tea_tasting_means() -> Any:
    """Return analytic intervals of the differences of rates and of FPR between all groups."""
    import tea_tasting

    columns = {"group": GROUP, "p": PREDICTED, "fp": PREDICTED * (1 - TRUE), "n": 1 - TRUE}
    rates = {"selected": tea_tasting.Mean("p"), "FPR": tea_tasting.RatioOfMeans("fp", "n")}
    experiment = tea_tasting.Experiment(rates, variant="group")
    return experiment.analyze(pd.DataFrame(columns), all_variants=True)


def duckdb_weights(n_boot: int) -> Any:
    """Return intervals from Poisson weights of rows, drawn in SQL."""
    rows = pd.DataFrame({"g": GROUP, "t": TRUE, "p": PREDICTED})
    weight = "CASE WHEN u<.368 THEN 0 WHEN u<.736 THEN 1 WHEN u<.92 THEN 2 WHEN u<.981 THEN 3 "
    sums = "sum(w * p) / sum(w) AS rate, sum(w * p * (1 - t)) / sum(w * (1 - t)) AS fpr"
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.register("data", rows)
    draws = connection.sql(
        f"SELECT b, g, {sums} FROM (SELECT *, {weight} ELSE 4 END AS w FROM (SELECT *, random() "
        f"AS u FROM data, range({n_boot}) AS draws(b))) GROUP BY ALL"
    ).df()
    gaps = draws.groupby("b")["rate"].agg(np.ptp)
    return gaps.quantile(QUANTILES), draws.groupby("g")["fpr"].quantile(QUANTILES)


def seconds(call: Callable[[], Any], times: int = 7) -> float:
    """Return the processor's seconds of the best of some calls."""
    best = np.inf
    for _ in range(times):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def main() -> int:
    """Print the table, and return whether a goal is missed."""
    has_host = find_spec("fairlearn") is not None
    eight, of_result = seconds(eight_lines), seconds(result)
    rows = [
        ("eight lines of numpy on the table of counts", eight, "a gap and FPR"),
        ("metric.result", of_result, "BA"),
    ]
    ratios = [("metric.result / eight lines", of_result / eight, RESULT_GOAL)]
    slow = [
        ("DuckDB, Poisson weights of rows", duckdb_weights, 20),
        ("scipy.stats.bootstrap", scipy_rows, 100),
    ]
    if find_spec("tea_tasting"):
        rows.append(("tea-tasting", seconds(tea_tasting_means), "analytic, all pairs of groups"))
    if find_spec("numba"):
        compiled_draws()
        slow.insert(0, ("numba, rows drawn in a loop", numba_rows, 100))
    if has_host:
        ours, plain = seconds(frame), seconds(plain_frame)
        rows.append(("amplification_frame", ours, "BA and two metrics of Fairlearn"))
        rows.append(("MetricFrame of the distinct rows", plain, "no intervals"))
        name = "amplification_frame / (eight lines + MetricFrame)"
        ratios.append((name, ours / (eight + plain), FRAME_GOAL))
        slow.append(("MetricFrame(n_boot=)", fairlearn_frame, 2))
    for name, call, n_boot in slow:
        taken = seconds(partial(call, n_boot), 1) * N_BOOT / n_boot
        rows.append((name, taken, f"from {n_boot} replicates"))
    for name, taken, note in rows:
        print(f"{name:<52}{taken:>10.4f} s  {note}")
    for name, ratio, goal in ratios:
        print(f"{name:<52}{ratio:>10.2f}    goal {goal}")
    return int(any(ratio > goal for _, ratio, goal in ratios))


if __name__ == "__main__":
    sys.exit(main())
