"""Names in AIF360 metadata that would like to be code: in every rendering they are text."""

from __future__ import annotations

import json
from functools import cache
from html.parser import HTMLParser

import pytest

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

from dataset_cases import BinaryLabelDataset, classified, fixed_frame

import biasamp_adapters as bam
from biasamp_adapters.aif360 import BiasAmplificationMetric, audit_report

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "attribute": '"><img src=x onerror=alert(1)>',
    "style": "</style></title></table><style>*{display:none}",
    "comment": "<!-- --><!DOCTYPE",
    "template": "{{ 7 * 7 }}{% raw %}",
    "format": "{0} {name!r} %s %(x)d",
    "link": "[x](javascript:alert(1)) ![x](http://e.test/x.png) <http://e.test>",
    "pipe": r"a|b\|c\\|d",
    "newlines": "one\ntwo\r\n\n# three\u2028four",
    "escape code": "\x1b[31mred\x1b]0;title\x07",
    "right to left": "\u05e9\u05dc\u202eabc",
}


@cache
def report_of(name: str) -> bam.AuditReport:
    """A report in which label, attribute, code and title are all called ``name``."""
    frame = fixed_frame().rename(columns={"sex": name, "T": f"{name} label"})
    maps = [{0.0: name, 1.0: f"not {name}"}]
    truth = BinaryLabelDataset(
        df=frame[[name, f"{name} label"]],
        label_names=[f"{name} label"],
        protected_attribute_names=[name],
        metadata={"label_maps": maps, "protected_attribute_maps": maps},
    )
    metric = BiasAmplificationMetric(truth, classified(truth, fixed_frame()["T_pred"]))
    return audit_report(metric, n_boot=0, title=name)


class Page(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.other: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))

    def handle_comment(self, data: str) -> None:
        self.other.append(data)

    def handle_decl(self, decl: str) -> None:
        self.other.append(decl)


def parsed(report: bam.AuditReport) -> Page:
    """The page of a report, parsed."""
    page = Page()
    page.feed(report.to_html() or "")
    page.close()
    return page


hostile = pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)


def test_html_has_the_same_elements() -> None:
    # All of them in one name. Pictures show how a name begins; the audit's own tests have those.
    page, plain = parsed(report_of(" ".join(HOSTILE.values()))), parsed(report_of("plain"))
    assert page.elements == plain.elements
    assert page.other == plain.other == ["DOCTYPE html"]


@hostile
def test_markdown_and_text_are_harmless(name: str) -> None:
    report, plain = report_of(name), report_of("plain")
    assert len(report.to_markdown().splitlines()) == len(plain.to_markdown().splitlines())
    for text in (report.to_markdown(), report.to_text(full=True)):
        assert "\x1b" not in text
        assert "\u202e" not in text


@hostile
def test_markdown_has_no_element_and_no_link(name: str) -> None:
    text = report_of(name).to_markdown() or ""
    assert "<script" not in text.replace(r"\<", "")
    assert "](javascript" not in text.replace(r"\]", "")


@hostile
def test_json_holds_the_name(name: str) -> None:
    data = json.loads(report_of(name).to_json() or "", parse_constant=pytest.fail)
    assert any(name in note for note in data["notes"])
