"""The cost of showing a report: its page, and its card in a notebook."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

import biasamp_adapters as bam
from benchmarks.table import Scale, Table

#: Most seconds of process time and most kB: of one task, and of six models and 66 objects.
_ONE, _MANY = (0.3, 100), (1.5, 300)


def _cost(table: Table, what: str, report: bam.AuditReport, most: tuple[float, int]) -> None:
    for name, show in {"page": report.to_html, "card": report._repr_html_}.items():
        start = time.process_time()
        html = show() or ""
        taken, size = time.process_time() - start, len(html.encode()) / 1000
        table.ratio(f"{name}, {what}", taken, f"<= {most[0]}", f"{size:.0f} kB", " s")
        table.check(f"  at most {most[1]} kB", size <= most[1], f"{size:.0f} kB")
    start = time.process_time()
    report._repr_html_()
    table.ratio("  the card again", time.process_time() - start, "<= 0.001", "", " s")


def pages(table: Table, scale: Scale) -> None:
    """Process time and size of a page and of a card, the first ones with the templates."""
    rng = np.random.default_rng(0)
    n, n_tasks, n_boot = (2_000, 66, 20) if scale.quick else (10_840, 66, 200)
    group = rng.integers(0, 2, n)
    truth = (rng.random((n, n_tasks)) < 0.1 + 0.1 * group[:, None]).astype(int)
    names = [f"object {i}" for i in range(n_tasks)]

    def said(share: float) -> pd.DataFrame:
        keep = rng.random(truth.shape) < share
        drawn = rng.random(truth.shape) < 0.15
        return pd.DataFrame(np.where(keep, truth, drawn).astype(int), columns=names)

    one = bam.audit(truth[:, 0], said(0.8)["object 0"], sensitive_features=group, n_boot=n_boot)
    _cost(table, "one task", one, _ONE)
    models = {f"model {i}": said(0.6 + 0.05 * i) for i in range(6)}
    many = bam.audit(
        pd.DataFrame(truth, columns=names), models, sensitive_features=group, n_boot=n_boot
    )
    _cost(table, "six models of 66 objects", many, _MANY)
