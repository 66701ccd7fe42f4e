"""What a report gives: its surfaces, frames, files and verdicts, and the sample reports."""

import hashlib
import re
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from whole_audits import text_of

import biasamp_adapters as bam

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from sample_reports import compas_reports, other_reports

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")

FOLDER = Path(__file__).parents[2] / "docs" / "sample_reports"
SAMPLES = {name: (data, options) for name, data, options in [*compas_reports(), *other_reports()]}


@pytest.mark.parametrize("name", SAMPLES)
def test_report_says_what_its_sample_says_but_for_numbers_that_are_drawn(name) -> None:
    data, options = SAMPLES[name]
    sample = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    texts = [sample.split("\n\n", 1)[1], bam.audit(data, **options).to_text(full=True)]
    versions = r"(?:biasamp-adapters|numpy): \S+"
    drawn = re.compile(rf"\([^()]* to [^()]*\)|[+−]?[\d.]+ to [+−]?[\d.]+|[─━]+|{versions}|\s+")
    expected, found = (drawn.sub(" ", text).split() for text in texts)
    assert found == expected


def test_report_surfaces_hold_the_headline(compas_report, tmp_path) -> None:
    headline = "grows from 12 points in the labels to 24 points in the predictions."
    page = compas_report.to_html(tmp_path / "audit.html", date="2026-11-26")
    markdown = compas_report.to_markdown(tmp_path / "audit.md")
    assert (tmp_path / "audit.html").read_text() == page
    assert (tmp_path / "audit.md").read_text() == markdown
    assert "2026-11-26" in page
    for text in (page, markdown, compas_report._repr_html_(), text_of(compas_report, full=False)):
        assert headline in text
    assert repr(compas_report) == compas_report.to_text().rstrip()


def test_report_counts_the_signs_of_one_of_two_classes_once() -> None:
    # The rates of the groups are .50 and .52 in the labels, of 100 rows each.
    truth, groups = [1] * 50 + [0] * 50 + [1] * 52 + [0] * 48, ["a"] * 100 + ["b"] * 100
    text = text_of(bam.audit(truth, truth[::-1], sensitive_features=groups))
    assert "The sign of 2 of 2 rates in BA is not clear, so BA may have" in text
    assert "|z| below" not in text


def test_report_of_models_whose_names_hold_braces_has_their_tables() -> None:
    truth, groups, predicted = [0, 1] * 40, ["a"] * 40 + ["b"] * 40, [0, 1, 1, 0] * 20
    models = {"{x": predicted, "{{ 7 }}{%": truth}
    text = bam.audit(truth, models, sensitive_features=groups, n_boot=0).to_text(full=True)
    for model in models:
        assert f"Rates by group, class 1, {model}\n" in text


def test_report_parts_are_frames(compas_report) -> None:
    # One model, two groups, two classes; no score, no strata; four differences and their ratios.
    n_rows = {"metrics": 9 + 2 * 4, "gaps": 1, "rates": 4, "differences": 0, "pairs": 4}
    n_rows |= {"levels": 3, "equal_errors": 2, "frequency": 2, "thresholds": 0, "largest": 4}
    for part, n in {**n_rows, "strata": 0, "verdicts": 1}.items():
        assert len(compas_report.to_frame(part)) == n, part
    with pytest.raises(ValueError, match="part must be one of metrics, gaps"):
        compas_report.to_frame("all")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"confidence": 95}, "confidence must be a float between 0 and 1; received 95"),
        ({"n_boot": -1}, "n_boot must be a whole number from 0 on; received -1"),
        ({"pos_label": "yes"}, "pos_label must be 0 or 1; received 'yes'"),
        ({"favorable_label": 2}, "favorable_label must be 0 or 1; received 2"),
    ],
)
def test_audit_bad_argument_raises(arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        bam.audit([0, 1] * 20, [0, 1] * 20, sensitive_features=["a", "b"] * 20, **arguments)


def test_audit_of_files_gives_their_names_and_digests(tmp_path) -> None:
    rows = pd.DataFrame({"y": ["no", "yes"] * 20, "p": ["yes"] * 40, "g": ["a", "b"] * 20})
    names: Any = {"y_true": "y", "y_pred": "p", "sensitive_features": "g"}
    path, counts = tmp_path / "rows.csv", tmp_path / "counts.json"
    rows.to_csv(path, index=False)
    with pytest.warns(bam.AmplificationWarning, match="may identify people"):
        bam.Counts.from_frame(rows.head(3), **names).save(counts)
    report = bam.audit(path, **names, n_boot=0)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert report.summary["method"]["files"] == {"rows.csv": digest}
    assert f"SHA-256 {digest}" in report.to_html()
    assert [*bam.audit([counts], n_boot=0).summary["method"]["files"]] == ["counts.json"]
    arrays = (rows["y"].tolist(), rows["p"].tolist())
    for data in ((rows,), arrays):
        given = names if len(data) == 1 else {"sensitive_features": rows["g"]}
        assert bam.audit(*data, **given, n_boot=0).summary["method"]["files"] == {}
