"""Blocks of the guide that need no host: what people write, and the numbers that they see."""

from __future__ import annotations

import re
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


#: The words of the first block of the README, in their order; ends of intervals are those of draws.
AUDIT_IN_THREE_LINES = [
    "two_year_recid = 1 by race · 6,150 rows · predictions are classes · compared with the labels "
    "of these rows · 95% intervals",
    "LARGER GAPS In these rows, the gap between African-American and Caucasian in two_year_recid = "
    "1 grows from 12 points in the labels to 24 points in the predictions.",
    "Compared with the labels, two_year_recid = 1 is predicted more often for African-American "
    "(51% to 59%; 3,696 rows) and less often for Caucasian (39% to 35%; 2,454 rows). The gap "
    "changes by +12 points (+9 to +15).",
    "Among rows labelled 0, 45% of African-American and 23% of Caucasian are predicted 1; among "
    "rows labelled 1, 72% and 52%. The gap clearly grows from the scores to the decisions, and not "
    "clearly from the labels to the scores. In the decisions at 5 or more, the gap is 13.8 points "
    "larger (# to #) than the scores imply.",
    "Larger means further apart than in the labels; whether the labels are right is not tested.",
    "decile_score larger gaps 65.1% 12 → 24 +12 (+9 to +15)",
    "+6.0 # to #",
    "BA is the mean change of the rates along the correlations of the labels; with two groups and "
    "two classes it is half of the change of the gap. It is not balanced accuracy, and 0 is not a "
    "pass.",
    "Rates of two_year_recid = 1 by group",
    "rate in the labels, rate in the predictions; the dashed line is the predicted rate of all "
    "rows. Bars: the gap between African-American and Caucasian.",
    "African-American 3,696 rows 51 → 59% 45% 72%",
    "Caucasian 2,454 rows 39 → 35% 23% 52%",
    "gap in the labels 12 points",
    "gap that the scores imply 10 points",
    "gap in the predictions 24 points",
    "with equal error rates 4 points",
    "How sure.",
    "What to read. Read the gap first, then FPR and TPR by group.",
    "What to do. Compare FPR and TPR by group: they show which errors differ, if any do. No other "
    "threshold for all rows undoes at least half of the change of the gap without a clear fall in "
    "accuracy; the Thresholds table has the gap at each. A threshold for each group reads race to "
    "decide, which may be unlawful.",
    "--full, or to_text(full=True).",
    "Verdict: larger gaps (amplifies). In these rows, the gap between African-American and "
    "Caucasian in two_year_recid = 1 grows from 12 points in the labels to 24 points in the "
    "predictions.",
]


def test_example_audit_in_three_lines_has_its_words() -> None:
    table = bam.datasets.load_compas().query("race in ['African-American', 'Caucasian']")
    report = bam.audit(table, y_score="decile_score", threshold=5, **NAMES)
    text = " ".join(re.sub("[○●─━┆░█]", " ", report.to_text(width=130)).split())
    text = re.sub(r"[+−]?\d+\.\d to [+−]?\d+\.\d", "# to #", text)
    place = 0
    for words in AUDIT_IN_THREE_LINES:
        assert words in text[place:], words
        place = text.index(words, place) + len(words)
    assert "No other threshold" in repr(report)


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
        y_score={"at 5": test["decile_score"], "by group": test["decile_score"]},
        sensitive_features=test["race"],
    )
    text = " ".join(report.to_text().split())
    assert "A threshold for each group reads race to decide, which may be unlawful." in text
    assert "No threshold of the scores gives the predictions of by group." in report.to_text(True)
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
