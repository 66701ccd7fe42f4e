"""Whatever a summary holds, every surface shows it."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from report.reader import Reader
from rich.cells import cell_len
from whole_summaries import HOSTILE, summary

from biasamp_adapters.report.compose import compose
from biasamp_adapters.report.markup import to_card, to_html, to_markdown
from biasamp_adapters.report.terminal import to_text

NAMES = ["A", HOSTILE, "a, b", "x" * 60, "<b>", 7, True, "{{ x }}", "", "w|x", "東京", "[red]", 0.5]
RATES = st.tuples(*[st.floats(0, 1) for _ in range(2)], *[st.none() | st.floats(0, 1)] * 2)


@st.composite
def summaries(draw: st.DrawFn) -> dict[str, Any]:
    groups = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=13, unique_by=repr))
    classes = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique_by=repr))
    models = ["old", "new <model>", "a much longer name of a model"][: draw(st.integers(1, 3))]
    rows = {name: draw(st.integers(1, 5000)) for name in groups}
    sizes = {name: draw(st.integers(1, 5000)) for name in classes}

    def rates(of: list[Any], members: list[Any]) -> dict[str, Any]:
        tables = {model: {name: {} for name in of} for model in models}
        for table in tables.values():
            for name in of:
                table[name] = {member: draw(RATES) for member in members}
        return tables

    compared = classes[1:] if len(classes) == 2 else classes
    by_class = rates(groups[-1:], classes) if draw(st.booleans()) else None
    return summary(
        rows,
        rates(compared, groups),
        sizes,
        by_class,
        kind=draw(st.sampled_from(["classes", "tasks"])),
        label=draw(st.sampled_from([None, "label", HOSTILE])),
        feature=draw(st.sampled_from([None, "group", "</title>"])),
        positive=compared[0] if len(compared) == 1 else None,
        compared_with=draw(st.sampled_from(["labels", "given rates"])),
    )


@settings(max_examples=12)
@given(summaries(), st.integers(60, 160))
def test_report_of_any_summary_is_shown_on_every_surface(made, width):
    document = compose(made)
    for page in (to_html(document), to_card(document, "report")):
        reader = Reader(page)
        assert reader.open == []
        assert {"script", "img"}.isdisjoint(tag for tag, _ in reader.elements)
        assert "nan" not in re.findall(r"\w+", reader.text)
    for full in (False, True):
        text = to_text(document, full, width)
        assert max(map(cell_len, text.splitlines())) <= min(width, 120)
        assert "\x1b" not in text
    assert "<" not in to_markdown(document)
