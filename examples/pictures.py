"""The pictures of `biasamp_adapters.plot` that an audit of the demonstration gives.

Run it: `python examples/pictures.py --out FOLDER`. The papers' figures are drawn by the studies.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from _study import folder, picture

import biasamp_adapters as bam
from biasamp_adapters.datasets import load_diabetes_audit

A_TO_T = bam.DirectionalBiasAmplification(direction="A->T")


def draw(out: Path) -> None:
    """Write all pictures to a folder."""
    demo = load_diabetes_audit()
    models = {"tree": demo.y_pred, "body mass": (demo.frame["bmi"] > 26).astype(int)}
    report = bam.audit(demo.y_true, models, sensitive_features=demo.sensitive_features)
    name = "DirectionalBiasAmplification A->T"
    with picture(out / "intervals.svg", "pictures"):
        bam.plot.intervals({model: report.results[model, name] for model in models})
    pairs = report.to_frame("pairs")
    with picture(out / "pairs.svg", "pictures"):
        bam.plot.pairs(pairs, model="tree", kind="map")
    with picture(out / "rates.svg", "pictures"):
        bam.plot.rates(report, model="tree")
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
