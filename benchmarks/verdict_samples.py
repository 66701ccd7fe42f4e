"""Samples of designs: data whose true gaps are known, with bootstrap replicates of their rates."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray

#: Chances that the Poisson bootstrap draws a row at most 0, 1, ... 8 times.
AT_MOST = [0.36787944, 0.73575888, 0.9196986, 0.98101184, 0.99634015, 0.99940582, 0.99991676]
AT_MOST += [0.99998975, 1]

#: These numbers of times, each as often as its chance; 65,536 in all.
POISSON = np.repeat(np.arange(9), np.round(65536 * np.diff([0, *AT_MOST])).astype(int))


class Sample(NamedTuple):
    """Rates of shape (1 + replicates, groups, classes), and the size of each group."""

    true: Array
    predicted: dict[str, Array]
    sizes: Array


class SampleRows(NamedTuple):
    """Rows; the labels, and then the predictions of each model, are indicators of classes."""

    group: Array
    labels: list[Array]
    weights: Array
    cluster: Array


@dataclass(frozen=True)
class Design:
    """Labels or, with `columns`, a label matrix, whose rates and those of a model are known.

    A prediction and its label share their uniform number with probability `common`: the model
    errs, and its rates are as given.

    Attributes
    ----------
    name : str
        Name and rows are the seed of the samples.
    true, predicted : array of shape (groups,) or (groups, classes or columns)
    rows : int
    truth : {"kept", "vanish", "change"}
        What happens to the gaps.
    code, power : str, float
        A code, and the share of samples in which it was measured before.
    shares : shares of the groups
    models : models with these rates on the same rows
    sigma, weight_tail : weights are lognormal, or Pareto with this index
    clusters, nested, cluster_tail : clusters that share part of their noise and are drawn whole;
        whether each belongs to one group; whether their sizes are Pareto with this index
    true_given : whether the rates in the labels are given by hand
    cells : chances of label and prediction by group, if these are not as `common` says
    """

    name: str
    true: Any
    predicted: Any
    rows: int
    common: float = 0.6
    shares: tuple[float, ...] = ()
    truth: str = "kept"
    code: str = ""
    power: float = 0.0
    columns: bool = False
    models: int = 1
    sigma: float = 0.0
    weight_tail: float = 0.0
    clusters: int = 0
    nested: bool = False
    cluster_tail: float = 0.0
    true_given: bool = False
    cells: Any = None
    n_boot: int = 500

    @property
    def rates(self) -> Array:
        """Rates in labels and predictions, of shape (2, groups, classes)."""
        both = np.array([self.true, self.predicted], dtype=float)
        return both if both.ndim == 3 else np.stack([1 - both, both], axis=2)

    @property
    def group_shares(self) -> Array:
        n_groups = len(self.true)
        return np.array(self.shares) if self.shares else np.full(n_groups, 1 / n_groups)

    @property
    def compared(self) -> list[int] | None:
        """The positive class of two exclusive classes; else all."""
        return None if self.columns or self.rates.shape[2] > 2 else [1]

    @property
    def needs_rows(self) -> bool:
        has_weights = self.sigma > 0 or self.weight_tail > 0
        return self.columns or self.models > 1 or has_weights or self.clusters > 0

    def generator(self) -> np.random.Generator:
        return np.random.default_rng(zlib.crc32(f"{self.name} {self.rows}".encode()))

    def draw(self, rng: np.random.Generator) -> Sample:
        """Return one sample with its replicates."""
        sample = sample_rows(self, rng) if self.needs_rows else sample_cells(self, rng)
        if self.true_given:
            return sample._replace(true=np.broadcast_to(self.rates[0], sample.true.shape))
        return sample


def sample_cells(design: Design, rng: np.random.Generator) -> Sample:
    """Count cells of group, label and prediction, with multinomial replicates, for one model."""
    true, _ = design.rates
    groups, classes = true.shape
    cells = chances_of_cells(design) if design.cells is None else np.asarray(design.cells)
    chances = (cells * design.group_shares[:, None, None]).ravel()
    data = rng.multinomial(design.rows, chances / chances.sum())
    replicates = rng.multinomial(design.rows, data / design.rows, size=design.n_boot)
    counts = np.concatenate([data[None], replicates]).reshape(-1, groups, classes, classes)
    rows = counts.sum(axis=(2, 3))
    of_group = np.maximum(rows, 1)[..., None]
    return Sample(counts.sum(axis=3) / of_group, {"model": counts.sum(axis=2) / of_group}, rows[0])


def chances_of_cells(design: Design) -> Array:
    """Return the chances of label and prediction by group, of shape (groups, classes, classes)."""
    true, predicted = design.rates
    below = np.zeros((len(true), 1))
    ends = np.concatenate([below, true.cumsum(axis=1)], axis=1)
    other = np.concatenate([below, predicted.cumsum(axis=1)], axis=1)
    lower = np.maximum(ends[:, :-1, None], other[:, None, :-1])
    upper = np.minimum(ends[:, 1:, None], other[:, None, 1:])
    alone = true[:, :, None] * predicted[:, None, :]
    return design.common * (upper - lower).clip(0) + (1 - design.common) * alone


def sample_rows(design: Design, rng: np.random.Generator) -> Sample:
    """Draw rows: matrices, several models, weights or clusters, by Poisson or by cluster."""
    rows = draw_rows(design, rng)
    times = draw_times(design, rng, rows.cluster)
    drawn = np.concatenate([np.ones((1, design.rows), np.float32), times])
    drawn *= rows.weights.astype(np.float32)
    return rates_of_draws(design, drawn, rows.labels, rows.group, sizes_of(design, rows))


def draw_rows(design: Design, rng: np.random.Generator) -> SampleRows:
    """Draw the rows of one sample."""
    true, predicted = design.rates
    columns = true.shape[1] if design.columns else 1
    cluster = clusters_of_rows(design, rng)
    if design.nested:
        group = cluster % len(true)
    else:
        group = rng.choice(len(true), design.rows, p=design.group_shares)
    uniform = shared_uniform(design, rng, cluster, columns)
    labels = [indicators(uniform, true, group, design)]
    for _ in range(design.models):
        shares_label = rng.random((design.rows, columns), np.float32) < design.common
        own = np.where(shares_label, uniform, shared_uniform(design, rng, cluster, columns))
        labels.append(indicators(own, predicted, group, design))
    return SampleRows(group, labels, weights_of_rows(design, rng), cluster)


def clusters_of_rows(design: Design, rng: np.random.Generator) -> Array:
    """Return the cluster of each row; without clusters each row is one."""
    if not design.cluster_tail:
        return np.arange(design.rows) % (design.clusters or design.rows)
    chances = rng.pareto(design.cluster_tail, design.clusters) + 1
    return rng.choice(design.clusters, design.rows, p=chances / chances.sum())


def shared_uniform(design: Design, rng: np.random.Generator, cluster: Array, columns: int) -> Array:
    """Return uniform numbers; a fifth of the rows of a cluster have the number of their cluster."""
    uniform = rng.random((design.rows, columns), np.float32)
    if not design.clusters:
        return uniform
    of_cluster = rng.random((design.clusters, columns))[cluster]
    return np.where(rng.random((design.rows, 1)) < 0.2, of_cluster, uniform)


def indicators(uniform: Array, rates: Array, group: Array, design: Design) -> Array:
    """Return the classes or columns of the rows as zeros and ones."""
    if design.columns:
        return (uniform < rates[group]).astype(np.float32)
    positive = (uniform < rates[group][:, 1:]).astype(np.float32)
    return np.concatenate([1 - positive, positive], axis=1)


def weights_of_rows(design: Design, rng: np.random.Generator) -> Array:
    if design.weight_tail:
        return rng.pareto(design.weight_tail, design.rows) + 1
    return rng.lognormal(0, design.sigma, design.rows)


def draw_times(design: Design, rng: np.random.Generator, cluster: Array) -> Array:
    """Return how often each row is drawn in each replicate."""
    if design.clusters:
        equal = np.full(design.clusters, 1 / design.clusters)
        times = rng.multinomial(design.clusters, equal, size=design.n_boot)[:, cluster]
    else:
        size = (design.n_boot, design.rows)
        times = POISSON.take(rng.integers(len(POISSON), size=size, dtype=np.uint16))
    return times.astype(np.float32)


def sizes_of(design: Design, rows: SampleRows) -> Array:
    """Return the clusters of each group or, without clusters, its effective rows."""
    sizes = np.empty(len(design.true))
    for place in range(len(sizes)):
        inside = rows.group == place
        if design.clusters:
            sizes[place] = np.unique(rows.cluster[inside]).size
        else:
            weights = rows.weights[inside]
            sizes[place] = weights.sum() ** 2 / (weights**2).sum()
    return sizes


def rates_of_draws(
    design: Design, drawn: Array, labels: list[Array], group: Array, sizes: Array
) -> Sample:
    """Return the rates of labels and predictions of each draw, group by group."""
    rates = np.empty((len(labels), len(drawn), *design.rates.shape[1:]))
    ones = np.ones((design.rows, 1), np.float32)
    for place in range(len(design.true)):
        inside = np.flatnonzero(group == place)
        sums = drawn[:, inside] @ np.concatenate([ones, *labels], axis=1)[inside]
        shares = sums[:, 1:] / np.maximum(sums[:, :1], 1e-9)
        rates[:, :, place] = shares.reshape(len(shares), len(labels), -1).swapaxes(0, 1)
    models = {f"model {place}": block for place, block in enumerate(rates[1:])}
    return Sample(rates[0], models, sizes)
