"""Recipes with MLflow and PyTorch, which pages do not run."""

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam

TABLE = bam.datasets.load_compas().query("race in ['African-American', 'Caucasian']")
TABLE = TABLE.assign(high=(TABLE["decile_score"] >= 5).astype(int))
Y, PRED, RACE = TABLE["two_year_recid"], TABLE["high"], TABLE["race"]
X = TABLE[["race", "sex", "age_cat"]]


def test_numbers_and_pages_go_to_mlflow(tmp_path, monkeypatch) -> None:
    mlflow = pytest.importorskip("mlflow", reason='pip install "biasamp-adapters[recipes]"')
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # A database needs the whole of MLflow.
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    mlflow.set_experiment("audits")
    report = bam.audit(Y, PRED, sensitive_features=RACE)
    numbers = report.to_frame().set_index("key")["value"].dropna()
    with mlflow.start_run() as run:
        mlflow.log_metrics(numbers.to_dict())
        mlflow.log_dict(report.summary, "audit.json")
        mlflow.log_text(report.to_html(), "audit.html")
    logged = mlflow.get_run(run.info.run_id)
    assert logged.data.metrics == numbers.to_dict()
    assert round(logged.data.metrics["ba_a_to_t"], 4) == 0.0598
    read = mlflow.artifacts.load_dict(f"{logged.info.artifact_uri}/audit.json")
    assert read["data"]["rows"] == 6150


def test_epochs_of_a_torch_loop_are_followed() -> None:
    torch = pytest.importorskip("torch", reason='pip install "biasamp-adapters[recipes]"')
    torch.manual_seed(0)
    inputs = torch.tensor(pd.get_dummies(X).to_numpy(np.float32))
    labels = torch.tensor(Y.to_numpy(np.float32))
    model = torch.nn.Sequential(torch.nn.Linear(inputs.shape[1], 1), torch.nn.Flatten(0))
    adam, epochs = torch.optim.Adam(model.parameters(), lr=0.02), {}
    for epoch in range(1, 21):
        adam.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(model(inputs), labels).backward()
        adam.step()
        if epoch in (1, 5, 20):
            with torch.no_grad():
                epochs[epoch] = (model(inputs) > 0).int().cpu()
    report = bam.audit(labels.int(), epochs, sensitive_features=RACE, n_boot=200)
    steps = bam.track(report)
    assert steps["model"].unique().tolist() == [1, 5, 20]
    last = bam.directional_bias_amplification(Y, epochs[20].numpy(), sensitive_features=RACE)
    ba = steps.query("metric == 'BA'").set_index("model")["value"]
    assert ba[20] == pytest.approx(last, abs=1e-12)
    assert bam.plot.curves(steps).get_ylabel() == "points"
