"""The pictures of `biasamp_adapters.plot` for audits of data that come with the package.

Run it: `python examples/pictures.py --out FOLDER`. The papers' figures are drawn by the studies.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from _study import folder, picture

import biasamp_adapters as bam
from biasamp_adapters.datasets import load_compas_counts, load_diabetes_audit

A_TO_T = bam.DirectionalBiasAmplification(direction="A->T")
THRESHOLDS = ("score >= 3", "score >= 5", "score >= 8")


def draw(out: Path) -> None:
    """Write all pictures to a folder."""
    report = bam.audit_counts(load_compas_counts(threshold=(3, 5, 8)))
    name = "DirectionalBiasAmplification A->T"
    with picture(out / "intervals.svg", "pictures"):
        bam.plot.intervals({model: report.results[model, name] for model in THRESHOLDS})
    crossed = bam.audit_counts(load_compas_counts(attribute=("race", "sex")))
    with picture(out / "rates.svg", "pictures"):
        bam.plot.rates(crossed)
    ages = bam.audit_counts(load_compas_counts(attribute=("sex", "age_cat")))
    with picture(out / "pairs.svg", "pictures"):
        bam.plot.pairs(ages.to_frame("pairs"), kind="map")
    seeds = [load_diabetes_audit(random_state=seed) for seed in range(5)]
    results = [
        A_TO_T.result(run.y_true, run.y_pred, sensitive_features=run.sensitive_features)
        for run in seeds
    ]
    with picture(out / "runs.svg", "pictures"):
        bam.plot.runs(results)


def main() -> None:
    """Read the options, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=folder, default=Path(), help="folder to write to")
    options = parser.parse_args()
    draw(options.out)


if __name__ == "__main__":
    main()
