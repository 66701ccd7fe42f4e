"""The recipe for MLflow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from recipe_cases import ignoring_warnings, recipe

import biasamp_adapters as bam

pytestmark = ignoring_warnings

GROUP = ["a"] * 50 + ["b"] * 50
TRUTH = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
MODELS = {
    "extreme": [1] * 50 + [0] * 50,
    "more": [1] * 35 + [0] * 15 + [1] * 15 + [0] * 35,
}


@pytest.fixture(scope="module")
def report() -> bam.AuditReport:
    return bam.audit(TRUTH, MODELS, sensitive_features=GROUP, n_boot=100)


@pytest.fixture(scope="module")
def runs(report: bam.AuditReport, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The runs that the recipe logs, by name."""
    folder = tmp_path_factory.mktemp("mlflow")
    module = recipe("mlflow_runs", "mlflow")
    mlflow = module.mlflow
    mlflow.set_tracking_uri(f"sqlite:///{folder / 'runs.db'}")
    mlflow.set_experiment(
        experiment_id=mlflow.create_experiment("audit", artifact_location=folder.as_uri())
    )
    module.log_audit(report)
    return {run.info.run_name: run for run in mlflow.search_runs(output_format="list")}


def test_every_model_is_a_run(runs: dict[str, Any]) -> None:
    assert {*runs} == {*MODELS}


def test_numbers_have_their_slugs(runs: dict[str, Any], report: bam.AuditReport) -> None:
    logged = runs["extreme"].data.metrics
    # Group a moves from .6 to 1, group b from .4 to 0; 50 of 50 are selected, and 0 of 50.
    assert logged["ba_a_to_t"] == pytest.approx(0.4)
    assert logged["ba_a_to_t.low"] < 0.4 < logged["ba_a_to_t.high"]
    assert logged["selection_rate_difference"] == 1
    assert runs["more"].data.metrics["ba_a_to_t"] == pytest.approx(0.1)
    of_model = report.to_frame().query("model == 'extreme'")
    assert {*of_model["slug"]} <= {*logged}


def test_verdicts_are_tags(runs: dict[str, Any], report: bam.AuditReport) -> None:
    given = {row["model"]: row["verdict"] for row in report.summary["verdicts"]}
    assert {name: run.data.tags["verdict_a_to_t"] for name, run in runs.items()} == given


def test_mlflow_tries_metrics_on_one_row(runs: dict[str, Any]) -> None:
    """As docs/user_guide/recipes.rst says: a metric must be told of the groups beforehand."""
    import mlflow
    from mlflow.models import make_metric

    known = bam.DirectionalBiasAmplification(
        reference=(TRUTH, GROUP), groups=["a", "b"], labels=[0, 1]
    )

    def evaluated(metric: bam.DirectionalBiasAmplification) -> float:
        def of_rows(predictions: Any, targets: Any, metrics: Any) -> float:
            return metric(targets, predictions, sensitive_features=GROUP[: len(targets)])

        result = mlflow.models.evaluate(
            data=pd.DataFrame({"truth": TRUTH, "said": MODELS["more"]}),
            targets="truth",
            predictions="said",
            extra_metrics=[make_metric(eval_fn=of_rows, greater_is_better=False, name="ba")],
        )
        return result.metrics["ba"]

    assert evaluated(known) == pytest.approx(0.1)
    with pytest.raises(mlflow.exceptions.MlflowException, match="at least two groups"):
        evaluated(bam.DirectionalBiasAmplification())


def test_the_report_is_kept(runs: dict[str, Any], report: bam.AuditReport) -> None:
    folder = Path(runs["extreme"].info.artifact_uri.removeprefix("file://"))
    assert json.loads((folder / "audit.json").read_text())["title"] == report.summary["title"]
    assert "<html" in (folder / "audit.html").read_text()
