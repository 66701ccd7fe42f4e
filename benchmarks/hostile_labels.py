"""Labels that would like to be code, in a browser: in none of 24 something is executed.

    python benchmarks/hostile_labels.py

Each label is the name of a group, a class, a column, a model and the title at once. The page with
and without the policy that stops scripts, the card within a page that lets them run, and the
Markdown as markdown-it renders it with HTML are opened by Chromium (``--chromium`` names another
path). A label fails if it changes the elements of the page, those of pictures included, has an
effect or keeps a control character, which text must not have either.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
from markdown_it import MarkdownIt

import biasamp_adapters as bam

EFFECT = "document.documentElement.dataset.hit=1"
LABELS = {
    "script": f"<script>{EFFECT}</script>",
    "upper case": f"<SCRIPT>{EFFECT}</SCRIPT>",
    "split script": f"<scr<script>ipt>{EFFECT}</script>",
    "image": f'"><img src=x onerror={EFFECT}>',
    "vector": f"<svg onload={EFFECT}>",
    "single quote": f"' onmouseover='{EFFECT}",
    "double quote": f'" autofocus onfocus="{EFFECT}',
    "entities": f"&lt;script&gt;{EFFECT}&lt;/script&gt;&#x3C;b&#x3E;",
    "style": "</style></title></table><style>*{display:none}",
    "title": f"</title><script>{EFFECT}</script>",
    "text area": f"</textarea><script>{EFFECT}</script>",
    "frame": f"<iframe srcdoc='<script>parent.{EFFECT}</script>'>",
    "comment": f"<!-- --><script>{EFFECT}</script><!DOCTYPE",
    "template": "{{ 7 * 7 }}{% raw %}",
    "link": f"[x](javascript:{EFFECT}) ![x](http://e.test/x.png) <http://e.test>",
    "table": r"a|b\|c\\|d",
    "code": f"```\n</code><script>{EFFECT}</script>",
    "heading": f"one\n\n# two\r\n<script>{EFFECT}</script>\u2028three\x0b\x0cfour\x85five",
    "escape code": "\x1b[31mred\x1b]0;title\x07\x9b1mbold\x08\x7f\x00",
    "right to left": "\u05e9\u05dc\u05d5\u05dd\u202eabc\u2067d\u2066",
    "no width": "e\u0301\u200b\u2060\ufeff",
    "console": "[bold red]x[/] [link=http://e.test]y[/link]",
    "formula": '=cmd()|"/c calc"!A1',
    "long": "x" * 10_000,
}
#: What stays a control character on a surface: all but line ends.
CONTROL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
POLICY = 'http-equiv="Content-Security-Policy"'
AROUND = "<!DOCTYPE html><html><head><title>x</title></head><body>{}</body></html>"


class Elements(HTMLParser):
    """The elements of a page, and the names of the attributes of each."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


def report_of(label: str) -> bam.AuditReport:
    """Return a report in which all names are the label."""
    rng = np.random.default_rng(1)
    group, truth = rng.integers(0, 2, (2, 400))
    kept = rng.random(400) < 0.8
    named = np.array(["other", label], dtype=object)
    predicted = {label: np.where(kept, truth, group), "old": np.where(kept, truth, 1 - group)}
    return bam.audit(
        pd.Series(named[truth], name=label),
        {model: named[x] for model, x in predicted.items()},
        sensitive_features=pd.Series(named[group], name=label),
        pos_label=label,
        title=label,
        n_boot=200,
    )


def surfaces(report: bam.AuditReport) -> Iterator[tuple[str, str]]:
    """Yield the pages that a browser opens."""
    page = report.to_html()
    assert POLICY in page
    yield "page", page
    yield "page without its policy", page.replace(POLICY, "name")
    yield "card", AROUND.format(report._repr_html_())
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table").render(report.to_markdown())
    yield "Markdown", AROUND.format(markdown)


def in_browser(chromium: str, page: str, folder: Path) -> str:
    """Return the document after scripts and handlers have run."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}"]
    command = [chromium, *options, "--virtual-time-budget=500", "--dump-dom", path.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def faults(name: str, label: str, chromium: str, folder: Path, plain: dict[str, list]) -> list[str]:
    """Return what a label does to any surface."""
    report, found = report_of(label), []
    for surface, page in surfaces(report):
        document = in_browser(chromium, page, folder)
        if "data-hit" in document.partition(">")[2][:200] or "data-hit" in document[:200]:
            found.append(f"{name}: executed on {surface}")
        if Elements(document).found != plain[surface]:
            found.append(f"{name}: other elements on {surface}")
    texts = {"text": report.to_text(full=True), "repr": repr(report)}
    texts |= {"page": report.to_html(), "card": report._repr_html_()}
    texts["Markdown"] = report.to_markdown()
    found += [f"{name}: control character in {x}" for x, t in texts.items() if CONTROL.search(t)]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chromium", default="chromium")
    chromium = parser.parse_args().chromium
    warnings.simplefilter("ignore", bam.AmplificationWarning)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = {
            surface: Elements(in_browser(chromium, page, folder)).found
            for surface, page in surfaces(report_of("plain"))
        }
        failing = 0
        for label in LABELS:
            found = faults(label, LABELS[label], chromium, folder, plain)
            failing += bool(found)
            print("\n".join(found) or f"{label}: text on every surface", flush=True)
    print(f"{failing} of {len(LABELS)} labels do something")
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main())
