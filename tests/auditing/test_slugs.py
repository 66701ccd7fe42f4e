"""Names of metrics for programs that refuse signs and spaces."""

from __future__ import annotations

import re

import pytest
from schema_cases import REPORTS

import biasamp_adapters as bam
from biasamp_adapters.metrics import METRICS

#: What an audit of labels shows, in its order.
NAMES = {
    "MALS": "mals",
    "BA A->T": "ba_a_to_t",
    "BA T->A": "ba_t_to_a",
    "Multi A->T": "multi_a_to_t",
    "Multi T->A": "multi_t_to_a",
    "Multi undirected": "multi_undirected",
    "LA": "la",
    "DPA A->T": "dpa_a_to_t",
    "DPA T->A": "dpa_t_to_a",
    "DPA(U) A->T": "dpa_u_a_to_t",
    "DPA(U) T->A": "dpa_u_t_to_a",
}


def test_of_an_audit() -> None:
    report = REPORTS["several models"]()
    rows = [row for row in report.summary["metrics"] if row["model"] == "more"]
    assert {row["name"]: row["slug"] for row in rows} == NAMES
    frame = report.to_frame()
    assert [*frame["slug"][frame["model"] == "more"]] == [*NAMES.values()]
    assert [result.slug for (model, _), result in report.results.items() if model == "more"] == [
        *NAMES.values()
    ]


@pytest.mark.parametrize("part", ["metrics", "differences", "trends", "pairs", "runs"])
def test_wherever_a_row_has_a_name(part: str) -> None:
    rows = REPORTS["runs"]().summary[part]
    assert rows
    assert {row["slug"] for row in rows} <= set(NAMES.values())
    assert all(row["slug"] == NAMES[row["name"]] for row in rows)


def test_every_metric_direction_and_quality_has_its_own() -> None:
    titles = [
        (metric, quality)
        for metric in METRICS
        for quality in ["", *(bam.quality_names() if hasattr(metric, "quality") else [])]
    ]
    slugs = [
        bam.AmplificationResult(
            metric=metric.__name__ + f" ({quality})" * bool(quality),
            direction=direction,
            value=0.0,
            n=1,
        ).slug
        for metric, quality in titles
        for direction in metric.about.directions
    ]
    assert len(set(slugs)) == len(slugs)
    assert all(re.fullmatch("[a-z]+(_[a-z0-9]+)*", slug) for slug in slugs)


@pytest.mark.parametrize(
    ("metric", "slug"),
    [
        (bam.LeakageAmplification(quality="uncertainty_coefficient"), "la_u"),
        (
            bam.DirectionalPredictabilityAmplification(direction="T->A", quality="inverse_rmse"),
            "dpa_inverse_rmse_t_to_a",
        ),
    ],
    ids=str,
)
def test_of_another_quality(metric: bam.LeakageAmplification, slug: str) -> None:
    group = [0, 1] * 10
    result = metric.result(
        group, group, sensitive_features=group, sensitive_features_pred=group, n_boot=0
    )
    assert result.slug == slug
