"""Random cases of all metrics against loops in exact fractions."""

import pytest
from package_values import differing_numbers
from random_rows import METRICS

#: Seeds of each metric, in batches that run side by side.
N_BATCHES, BATCH_SIZE = 3, 17


def seeds_of(metric: str, batch: int) -> range:
    first = METRICS.index(metric) + batch * BATCH_SIZE * len(METRICS)
    return range(first, first + BATCH_SIZE * len(METRICS), len(METRICS))


@pytest.mark.parametrize("batch", range(N_BATCHES))
@pytest.mark.parametrize("metric", METRICS)
def test_metrics_random_cases_equal_exact_fractions(metric, batch) -> None:
    differing = [line for seed in seeds_of(metric, batch) for line in differing_numbers(seed)]
    assert differing == []
