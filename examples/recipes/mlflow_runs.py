"""Log an audit with MLflow: each model is a run with numbers, verdicts and the report.

MLflow refuses names such as "BA A->T", so every number has its slug as its name.
"""

from __future__ import annotations

import mlflow

import biasamp_adapters as bam


def numbers(report: bam.AuditReport, model: str) -> dict[str, float]:
    """The numbers of a model and the ends of their intervals, by slug."""
    rows = {}
    for row in report.summary["metrics"]:
        if row["model"] == model:
            rows[row["slug"]] = row
            if row["excess"] is not None:
                rows[f"excess_{row['slug']}"] = row["excess"]
    for row in report.summary["fairness"]:
        if row["model"] == model:
            # Of several tasks, the one with the largest gap comes first.
            rows.setdefault(row["measure"], row)
    ends = {"value": "", "low": ".low", "high": ".high"}
    return {
        name + suffix: row[end]
        for name, row in rows.items()
        for end, suffix in ends.items()
        if row[end] is not None
    }


def log_audit(report: bam.AuditReport) -> None:
    """Log the models of a report as runs, nested if there is an active run."""
    nested = mlflow.active_run() is not None
    for model in report.summary["data"]["models"]:
        with mlflow.start_run(run_name=model, nested=nested):
            mlflow.log_metrics(numbers(report, model))
            for row in report.summary["verdicts"]:
                if row["model"] == model:
                    direction = row["direction"].replace("->", "_to_").lower()
                    mlflow.set_tag(f"verdict_{direction}", row["verdict"])
            mlflow.log_dict(report.summary, "audit.json")
            mlflow.log_text(report.to_html(), "audit.html")
