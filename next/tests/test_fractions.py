"""Random cases of all metrics against loops in exact fractions."""

from __future__ import annotations

import pytest
from fraction_values import label_numbers, matrix_numbers
from package_values import differing_numbers
from random_rows import METRICS, draw_case

#: Seeds of each metric, in batches that run side by side.
N_BATCHES, BATCH_SIZE = 3, 17


def seeds_of(metric: str, batch: int) -> range:
    """Return the seeds of a metric that belong to a batch."""
    first = METRICS.index(metric) + batch * BATCH_SIZE * len(METRICS)
    return range(first, first + BATCH_SIZE * len(METRICS), len(METRICS))


@pytest.mark.parametrize("batch", range(N_BATCHES))
@pytest.mark.parametrize("metric", METRICS)
def test_metrics_random_cases_equal_exact_fractions(metric: str, batch: int) -> None:
    differing = [line for seed in seeds_of(metric, batch) for line in differing_numbers(seed)]
    assert differing == []


@pytest.mark.parametrize("metric", ["BA A->T", "BA T->A", "MALS", "Multi A->T", "Multi undirected"])
def test_oracles_labels_as_columns_give_the_same(metric: str) -> None:
    # Two readings of the definitions: the one of labels, and that of matrices for one-hot columns.
    compared = 0
    for seed in (seed for batch in range(N_BATCHES) for seed in seeds_of(metric, batch)):
        case = draw_case(seed).kept()
        if case.has_matrix or case.base_rates is not None or case.y_true is None:
            continue
        of_labels, of_columns = label_numbers(case), matrix_numbers(case)
        assert list(of_labels.values()) == [of_columns[name] for name in of_labels]
        compared += 1
    assert compared >= 5
