"""Text, Markdown, JSON and HTML of a report: complete, whole, and written at once."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from report_cases import AMPLIFIED, ERRORS, GROUP, TRUTH, numbers, row_of

import biasamp_adapters as bam
from biasamp_adapters._text import arrows
from biasamp_adapters.auditing.runs import summarize_reports
from biasamp_adapters.cards.rounded import rounded

FORMS = ["text", "markdown", "html", "json"]


class Text(HTMLParser):
    """The text of a page, a line each."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def handle_data(self, data: str) -> None:
        self.lines += [data.strip()] if data.strip() else []


def html_text(page: str) -> str:
    """The text of a page."""
    parser = Text()
    parser.feed(page)
    return "\n".join(parser.lines)


def whole(report: bam.AuditReport, form: str) -> str:
    """Everything that a rendering says, without what wraps or escapes it."""
    if form == "json":
        return report.to_json()
    if form == "html":
        return html_text(report.to_html())
    text = report.to_text(full=True) if form == "text" else report.to_markdown()
    plain = re.sub(r"\\(.)", r"\1", text) if form == "markdown" else text
    return " ".join(unescape(plain).split())


@pytest.fixture(scope="module")
def compas_report(compas: pd.DataFrame) -> bam.AuditReport:
    """The audit of the COMPAS rows."""
    return bam.audit(
        compas["T"],
        compas["T_pred"],
        sensitive_features=compas["A"],
        sensitive_features_pred=compas["A_pred"],
        n_boot=200,
    )


@pytest.fixture(scope="module")
def two_models() -> bam.AuditReport:
    """The audit of two models of three groups, the third of which has no positive rows."""
    group = [*GROUP, *["c"] * 20]
    models = {"first": [*AMPLIFIED, *[0] * 20], "second": [*ERRORS, *[0] * 20]}
    return bam.audit([*TRUTH, *[0] * 20], models, sensitive_features=group, n_boot=100)


def sparse(**options: Any) -> bam.AuditReport:
    """A report some of whose numbers allow no interval: group b is often not drawn."""
    group = ["a"] * 28 + ["b"] * 2
    return bam.audit(
        [1, 0] * 15, [1, 0, 0] * 10, sensitive_features=group, **{"n_boot": 100, **options}
    )


@pytest.mark.parametrize("form", FORMS)
def test_says_what_was_audited(compas_report: bam.AuditReport, form: str) -> None:
    text = whole(compas_report, form)
    row = row_of(compas_report, "BA A->T")
    assert compas_report.summary["title"] == "T = 1 by A"
    assert "T = 1 by A" in text
    assert ("5278" if form == "json" else "5,278") in text
    shown = [*rounded(row)]
    if form == "json":
        shown = [json.dumps(row[name]) for name in ("value", "low", "high")]
    assert all(number in text for number in shown)
    for note in compas_report.summary["notes"]:
        assert (json.dumps(note) if form == "json" else arrows(note)) in text


def test_json_is_strict_and_whole(compas_report: bam.AuditReport) -> None:
    text = compas_report.to_json()
    assert text is not None
    assert json.loads(text, parse_constant=pytest.fail) == compas_report.summary


@pytest.mark.parametrize(
    "report",
    [sparse(), sparse(n_boot=0), bam.audit(TRUTH, [0] * 100, sensitive_features=GROUP, n_boot=20)],
    ids=["sparse", "no bootstrap", "nothing called positive"],
)
def test_json_has_null_for_what_is_undefined(report: bam.AuditReport) -> None:
    text = report.to_json()
    assert text is not None
    found = json.loads(text, parse_constant=pytest.fail)
    assert found == report.summary
    assert any(row["low"] is None for _, row in numbers(found))


def test_summary_of_runs_is_strict_json_too(compas_report: bam.AuditReport) -> None:
    both = summarize_reports({"1": compas_report, "2": compas_report})
    text = both.to_json()
    assert text is not None
    assert json.loads(text, parse_constant=pytest.fail) == both.summary


def test_every_number_of_real_data_has_an_interval(compas_report: bam.AuditReport) -> None:
    found = [*numbers(compas_report.summary)]
    # 11 metrics, 8 pairs, 4 measures and their 8 rates.
    assert len(found) == 11 + 8 + 4 + 8
    for where, row in found:
        assert row["low"] is not None, where
        assert row["low"] <= row["value"] <= row["high"], where
    # No number stands without its interval.
    assert "no interval" not in whole(compas_report, "text")


@pytest.mark.parametrize("report", [sparse(), "two_models"], ids=["sparse", "two models"])
def test_every_number_has_an_interval_or_the_reason_why_not(
    report: bam.AuditReport | str, request: pytest.FixtureRequest
) -> None:
    if isinstance(report, str):
        report = request.getfixturevalue(report)
    without = [(where, row) for where, row in numbers(report.summary) if row["low"] is None]
    assert without
    silent = [where for where, row in without if not row.get("note")]
    assert silent == []


def test_reason_is_printed() -> None:
    # Two of 30 rows are called positive, and MALS has a rate of two rows.
    group = ["a"] * 15 + ["b"] * 15
    report = bam.audit([1, 0] * 15, [1, 1, *[0] * 28], sensitive_features=group)
    row = row_of(report, "MALS")
    # Both are of group a, and 8 of the 15 positives.
    assert row["value"] == pytest.approx(2 / 2 - 8 / 15)
    assert row["low"] is None
    assert "due to class 1, of which there are fewer than 15 rows" in row["note"]
    assert row["note"] in whole(report, "text")


def test_no_level_is_beyond_belief() -> None:
    # The predictions follow from the group, so the cross-entropy is 0 and its inverse infinite.
    said = [1] * 50 + [0] * 50
    text = whole(bam.audit(TRUTH, said, sensitive_features=GROUP, n_boot=20), "text")
    assert "unbounded" in text
    assert not re.search(r"\d{7,}\.", text)


def test_zero_has_no_minus() -> None:
    text = whole(bam.audit(TRUTH, TRUTH, sensitive_features=GROUP, n_boot=100), "text")
    assert "no errors 0 0 to 0" in text
    assert not re.search(r"[-\u2212+]0(\.0*)?\b(?![.\d])", text)


@pytest.mark.parametrize("form", FORMS)
def test_file_holds_the_text(compas_report: bam.AuditReport, form: str, tmp_path: Path) -> None:
    write = getattr(compas_report, f"to_{form}")
    assert write(tmp_path / "report") is None
    assert (tmp_path / "report").read_text(encoding="utf-8") == write()
    assert write(str(tmp_path / "report")) is None
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_failure_leaves_the_old_file(form: str, tmp_path: Path) -> None:
    # Half of a surrogate pair, which broken decoding leaves behind, cannot be written as UTF-8.
    report = bam.audit(TRUTH, AMPLIFIED, sensitive_features=GROUP, n_boot=0)
    report = replace(report, summary=report.summary | {"title": "\ud800"})
    (tmp_path / "report").write_text("old")
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        getattr(report, f"to_{form}")(tmp_path / "report")
    assert (tmp_path / "report").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_folder_must_be_there(compas_report: bam.AuditReport, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the folder of an output file must exist; received"):
        compas_report.to_html(tmp_path / "absent" / "report.html")
    assert [*tmp_path.iterdir()] == []


def test_folder_is_no_file(compas_report: bam.AuditReport, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ValueError, match="an output must be a file; received the folder"):
        compas_report.to_json(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_links_are_followed_and_pipes_written_to(
    compas_report: bam.AuditReport, tmp_path: Path
) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)
    compas_report.to_json(link)
    assert link.is_symlink()
    assert json.loads(real.read_text(encoding="utf-8")) == compas_report.summary
    # What is no regular file stays what it is.
    compas_report.to_json("/dev/null")
    assert not Path("/dev/null").is_file()


def test_model_is_named_in_every_table_with_several(two_models: bam.AuditReport) -> None:
    text = two_models.to_text(full=True)
    tables = [part for part in text.split("\n\n") if "\n" in part]
    for caption in ("Predictability", "Pairs of BA", "Fairness"):
        table = next(part for part in tables if part.startswith(caption))
        heads = [line for line in table.splitlines() if line.startswith("model ")]
        assert heads, table
    (table,) = (part for part in tables if part.startswith("All metrics"))
    assert table.splitlines()[1].split() == ["metric", "first", "second"]
    (table,) = (part for part in tables if part.startswith("Differences between models (paired)"))
    assert "second \u2212 first" in table
    assert "first \u2212 second" not in table


def test_headlines_give_the_sign_in_words() -> None:
    models = {
        "along": [1] * 50 + [0] * 50,
        "against": [1, 0] * 50,
        "even": TRUTH,
    }
    many = {name: said * 5 for name, said in models.items()}
    report = bam.audit(TRUTH * 5, many, sensitive_features=GROUP * 5, n_boot=400)
    along, against, even = report.summary["headlines"]
    # +.4 of each pair; rates of .5 where the truth has .6 and .4; nothing.
    assert along.startswith("along A->T: amplifies. The gap between a and b in class 1 grows from ")
    assert "20 points (60% against 40%) to 100 points (100% against 0%)" in along
    assert "BA A->T is +0.4000 (95% interval +0." in along
    assert against.startswith("against A->T: mistakes only. ")
    assert "BA A->T is -0.1000" in against
    assert even.startswith("even A->T: no errors. ")
    assert row_of(report, "BA A->T", "along")["reading"] == "amplifies"


def test_repr_is_the_text(compas_report: bam.AuditReport) -> None:
    assert repr(compas_report) == compas_report.to_text()
    assert compas_report.to_text() != compas_report.to_text(full=True)
    assert compas_report._repr_markdown_() == compas_report.to_markdown()
