"""Every name that a report shows is explained."""

from __future__ import annotations

import re

import pytest

import biasamp_adapters as bam
from biasamp_adapters.auditing.page import to_html
from biasamp_adapters.auditing.terms import TERMS, parts
from biasamp_adapters.metrics import METRICS

GROUP = ["a"] * 50 + ["b"] * 50
TRUTH = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
SAID = [1] * 35 + [0] * 15 + [1] * 15 + [0] * 35


def explained(text: str) -> list[str]:
    return [part.text for part in parts(text) if part.title]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.__name__)
def test_every_metric_is_explained(metric: type) -> None:
    short = metric.about.short  # type: ignore[attr-defined]
    assert explained(f"{short} A→T, points") == [short, "points"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("First: BA A→T, DPA(U) T→A.", ["BA", "DPA(U)"]),
        ("false positive rate difference", ["false positive rate"]),
        ("FPR difference", ["FPR"]),
        # A model may have the name of a metric; names of models are in brackets.
        ("Leave aside: MALS (LA).", ["MALS"]),
        ("LAX, BAR, pairs", []),
    ],
)
def test_terms_of_a_text(text: str, terms: list[str]) -> None:
    assert explained(text) == terms
    assert "".join(part.text for part in parts(text)) == text


def test_page_explains_all_terms_and_those_that_it_lists() -> None:
    report = bam.audit(TRUTH, SAID, sensitive_features=GROUP, n_boot=50)
    page = to_html([report.summary])
    how = page.partition('id="r1-how"')[2].partition("</details>")[0]
    assert re.findall("<dt>(.*?)</dt>", how) == list(TERMS)
    read = page.partition("What to read")[2].partition("</div>")[0]
    assert f'First: <abbr title="{TERMS["BA"]}">BA</abbr> A→T.' in read
    assert 'href="#r1-how"' in page
