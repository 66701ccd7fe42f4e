"""Sample reports, a notebook card and a terminal, made while the documentation is built.

``write(folder)`` writes them. Nothing is retouched: each report is the page that ``to_html``
writes, the card is what a notebook shows, and the picture of the terminal is the output of
``biasamp demo``. The COMPAS counts come with the package; the other data are drawn at random, with
fixed seeds.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

import biasamp_adapters as bam
from biasamp_adapters.auditing.runs import summarize_reports
from biasamp_adapters.datasets import load_compas_counts


def compas() -> bam.AuditReport:
    """The published COMPAS score, as ``biasamp demo`` audits it."""
    counts, scores = (load_compas_counts(threshold=threshold) for threshold in (5, None))
    return bam.audit_counts(counts, y_score=scores, title="COMPAS: recidivism and race")


def thresholds() -> bam.AuditReport:
    """Three thresholds of the COMPAS score as three models, for race and sex crossed."""
    counts = load_compas_counts(attribute=("race", "sex"), threshold=(3, 5, 8))
    return bam.audit_counts(counts, title="COMPAS: three thresholds, by race and sex")


def sex() -> bam.AuditReport:
    """The same score by sex: its mistakes alone would have narrowed the gap as far."""
    return bam.audit_counts(load_compas_counts(attribute="sex"), title="COMPAS: recidivism and sex")


OBJECTS = [
    "ball",
    "bench",
    "bicycle",
    "book",
    "bottle",
    "cake",
    "car",
    "chair",
    "cup",
    "dog",
    "handbag",
    "horse",
    "kite",
    "knife",
    "laptop",
    "oven",
    "racket",
    "skateboard",
    "tie",
    "umbrella",
]

#: Name, rate of errors, and how far errors lean the way in which the data lean.
MODELS = (
    ("baseline", 0.10, 0.6),
    ("larger", 0.06, 0.5),
    ("distilled", 0.16, 0.8),
    ("reweighted", 0.10, 0.2),
    ("balanced", 0.11, 0.0),
    ("adversarial", 0.14, -0.4),
)


def images() -> bam.AuditReport:
    """Six models that label 20 objects in synthetic images, and lean on the person's gender."""
    rng = np.random.default_rng(0)
    rows = 3000
    gender = np.where(rng.random(rows) < 0.55, "man", "woman")
    man = (gender == "man")[:, None]
    base, lean = rng.uniform(0.15, 0.5, len(OBJECTS)), rng.uniform(-0.12, 0.12, len(OBJECTS))
    rates = base + np.where(man, lean, -lean)
    truth = rng.random(rates.shape) < rates
    models = {}
    for name, errors, pull in MODELS:
        shift = pull * np.where(man, lean, -lean)
        added = ~truth & (rng.random(rates.shape) < np.clip(errors + shift, 0, 1))
        lost = truth & (rng.random(rates.shape) < np.clip(errors - shift, 0, 1))
        models[name] = _labels((truth & ~lost) | added)
    # Counts are enough, and need no attackers that are fitted to rows.
    counts = bam.CooccurrenceCounts.from_arrays(
        _labels(truth), models, pd.Series(gender, name="gender"), second_moments=True
    )
    return bam.audit_counts(counts, n_boot=500, title="Objects in images, by gender (synthetic)")


def _labels(matrix: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(matrix.astype(int), columns=OBJECTS)


def _applicants(rows: int, pull: float, seed: int) -> tuple[pd.Series, pd.Series, pd.Series]:
    """Two regions, of which one is hired more often, and a model that leans by ``pull``."""
    rng = np.random.default_rng(seed)
    north = rng.random(rows) < 0.5
    hired = rng.random(rows) < np.where(north, 0.6, 0.4)
    says = rng.random(rows) < np.where(hired, 0.8, 0.2) + np.where(north, pull, -pull)
    region = pd.Series(np.where(north, "north", "south"), name="region")
    return pd.Series(hired.astype(int), name="hired"), pd.Series(says.astype(int)), region


def runs() -> bam.AuditReport:
    """Five trainings of one model: intervals cover what training again would change."""
    reports = {}
    for seed in range(5):
        truth, says, region = _applicants(2000, 0.10 + 0.01 * seed, seed)
        reports[f"seed {seed}"] = bam.audit(
            truth,
            {"network": says},
            sensitive_features=region,
            title="Hiring: five training runs (synthetic)",
        )
    return summarize_reports(reports)


def few_rows() -> bam.AuditReport:
    """Forty rows: the report says what cannot be known."""
    truth, says, region = _applicants(40, 0.1, 3)
    return bam.audit(
        truth,
        says,
        sensitive_features=region,
        title="Hiring: forty applicants (synthetic)",
    )


REPORTS: Mapping[str, Callable[[], bam.AuditReport]] = {
    "compas": compas,
    "compas_thresholds": thresholds,
    "compas_sex": sex,
    "images": images,
    "runs": runs,
    "few_rows": few_rows,
}

#: A card stands in a page of the notebook's; here, in one with a background and nothing else.
CARD_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A report as a notebook shows it</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 0.5rem; font-family: system-ui, sans-serif; }}
</style>
</head>
<body>
{card}
</body>
</html>
"""


class _Terminal(io.StringIO):
    """Standard output that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def terminal(width: int = 100) -> str:
    """What ``biasamp demo`` prints, as SVG."""
    from rich.console import Console
    from rich.text import Text

    from biasamp_adapters.cli import run

    screen = _Terminal()
    settings = {"COLUMNS": str(width), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, settings),
        mock.patch.object(sys, "argv", ["biasamp", "demo"]),
        contextlib.redirect_stdout(screen),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        os.environ.pop("NO_COLOR", None)
        run()
    console = Console(record=True, width=width, file=io.StringIO())
    console.print(Text.from_ansi(screen.getvalue()))
    picture = console.export_svg(title="biasamp demo", unique_id="terminal")
    # Without fonts from elsewhere: any font of fixed width will do.
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    return picture.replace("Fira Code, monospace", "monospace")


def write(folder: Path) -> None:
    """Write all samples to a folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in REPORTS.items():
        report = make()
        report.to_html(folder / f"{name}.html")
        if name == "compas":
            card = CARD_PAGE.format(card=report._repr_html_())
            (folder / "card.html").write_text(card, encoding="utf-8")
    (folder / "terminal.svg").write_text(terminal(), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
