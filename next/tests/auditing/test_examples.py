"""Blocks of the guide that need no host: what people write, and the numbers that they see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")

NAMES: dict[str, Any] = {"y_true": "two_year_recid", "sensitive_features": "race"}


@pytest.fixture(scope="module")
def compas() -> pd.DataFrame:
    table = bam.datasets.load_compas().query("race in ['African-American', 'Caucasian']")
    return table.assign(high=(table["decile_score"] >= 5).astype(int))


def facts(report: bam.AuditReport) -> str:
    return " ".join(report.to_text().split("\n\n")[0].split())


def value(report: bam.AuditReport, key: str) -> float:
    return float(report.to_frame().set_index("key").loc[key, "value"])


def test_example_gate_prints_the_sentence_of_its_failure(compas: pd.DataFrame) -> None:
    report = bam.audit(compas["two_year_recid"], compas["high"], sensitive_features=compas["race"])
    failures = report.check(fail_above={"BA": "2pt"})
    assert str(failures).startswith("[model: BA A→T is +0.060 or +6.0 points (+4.5 to")


def test_example_counts_of_partitions_are_audited_elsewhere(
    compas: pd.DataFrame, tmp_path: Path
) -> None:
    parts = [compas[compas["sex"] == sex] for sex in ("Male", "Female")]
    counts = sum(bam.Counts.from_frame(part, y_pred="high", **NAMES) for part in parts)
    counts.save(tmp_path / "counts.json")
    report = bam.audit(tmp_path / "counts.json")
    whole = bam.audit(compas, "high", **NAMES)
    assert "6,150 rows" in facts(report)
    assert report.to_frame("gaps").equals(whole.to_frame("gaps").assign(model="high"))


def test_example_gate_for_pytest_on_a_file(compas: pd.DataFrame, tmp_path: Path) -> None:
    compas.to_csv(tmp_path / "predictions.csv", index=False)
    report = bam.audit(tmp_path / "predictions.csv", y_pred="high", **NAMES)
    failures = report.check(
        fail_above={"BA": "2pt"}, require_within={"gaps": "5pt"}, forbid=["amplifies", "mixed"]
    )
    assert len(failures) == 3


def test_example_numbers_by_keys_are_those_that_trackers_accept(compas: pd.DataFrame) -> None:
    report = bam.audit(compas, "high", **NAMES)
    numbers = report.to_frame().set_index("key")["value"].dropna()
    assert all(key.isidentifier() for key in numbers.index)
    assert numbers["mals"] == pytest.approx(0.0549, abs=5e-5)
    assert numbers["accuracy"] == pytest.approx(0.651, abs=5e-4)


def test_example_epochs_are_integer_keys_and_arrays(compas: pd.DataFrame) -> None:
    rng, truth = np.random.default_rng(1), compas["two_year_recid"].to_numpy()
    epochs = {
        epoch: np.where(rng.random(len(truth)) < noise, 1 - truth, truth)
        for epoch, noise in ((1, 0.4), (5, 0.3), (20, 0.1))
    }
    report = bam.audit(truth, epochs, sensitive_features=compas["race"])
    steps = bam.track(report)
    assert steps.query("metric == 'accuracy'")["clear"].tolist() == [False, True, True]


def test_example_reference_gives_the_ba_of_the_metric(compas: pd.DataFrame) -> None:
    train, test = compas[:3075], compas[3075:]
    report = bam.audit(test, "high", reference=train, **NAMES)
    metric = bam.DirectionalBiasAmplification(reference=(train["two_year_recid"], train["race"]))
    expected = metric(test["two_year_recid"], test["high"], sensitive_features=test["race"])
    assert value(report, "ba_a_to_t") == expected
    assert "signs of BA from 3,075 reference rows" in facts(report)


def test_example_given_rates_are_no_labels() -> None:
    said = pd.DataFrame(
        {
            "gender": ["woman"] * 50 + ["man"] * 50,
            "job": ["nurse"] * 40 + ["engineer"] * 10 + ["nurse"] * 5 + ["engineer"] * 45,
        }
    )
    labor = bam.BaseRates(
        {"woman": {"nurse": 0.6, "engineer": 0.4}, "man": {"nurse": 0.2, "engineer": 0.8}}
    )
    report = bam.audit(
        said, y_pred="job", sensitive_features="gender", reference=labor, pos_label="nurse"
    )
    text = " ".join(report.to_text().split())
    assert "compared with given rates, without labels" in text
    assert "from 40 points in the given rates to 70 points in the predictions" in text
    assert value(report, "ba_a_to_t") == pytest.approx(0.15)


def test_example_crossed_groups(compas: pd.DataFrame) -> None:
    report = bam.audit(compas, "high", y_true="two_year_recid", sensitive_features=["race", "sex"])
    assert len(report.to_frame("gaps")) == 6
    assert value(report, "ba_a_to_t") == pytest.approx(-0.0124, abs=5e-5)
    assert "African-American × Female" in report.to_text(full=True)


def test_example_weights_and_clusters_stand_in_the_facts(compas: pd.DataFrame) -> None:
    people = compas.assign(w=compas["sex"].map({"Male": 1.0, "Female": 2.0}))
    people["person"] = np.arange(len(people)) // 2
    report = bam.audit(people, "high", sample_weight="w", clusters="person", **NAMES)
    assert "weighted by w · 3,075 clusters of person" in facts(report)


def test_example_prevalence_threshold_by_group_keeps_the_gap(compas: pd.DataFrame) -> None:
    valid, test = compas[:3075], compas[3075:]
    rule = bam.PrevalenceThreshold().fit(
        valid["decile_score"], valid["two_year_recid"], sensitive_features=valid["race"]
    )
    fair = rule.predict(test["decile_score"], sensitive_features=test["race"])
    report = bam.audit(
        test["two_year_recid"],
        {"at 5": test["high"], "by group": fair},
        sensitive_features=test["race"],
    )
    ba = report.to_frame().query("key == 'ba_a_to_t'").set_index("model")["value"].astype(float)
    assert abs(ba["by group"]) < 0.05 < ba["at 5"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"data": "frame", "y_true": "two_year_recid", "y_pred": np.ones(6150)},
            "With data, arguments are names of columns, and y_pred holds values.",
        ),
        ({"y_true": "recid", "y_pred": "pred"}, "so data must come first"),
        (
            {"y_true": "two_year_recid", "y_pred": "decile_score", "data": "frame"},
            "If these are scores: y_score=..., threshold=....",
        ),
    ],
)
def test_example_first_tries_get_the_line_that_works(
    compas: pd.DataFrame, arguments: dict[str, Any], message: str
) -> None:
    if arguments.get("data") == "frame":
        arguments = arguments | {"data": compas}
    with pytest.raises(ValueError, match=r".*") as error:
        bam.audit(**arguments, sensitive_features="race")
    assert message in str(error.value)
