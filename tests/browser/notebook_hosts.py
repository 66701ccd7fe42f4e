"""Where notebooks show an output: their markup and style sheets, and what they remove from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Host(NamedTuple):
    """A program that shows notebooks, light or dark, and whether it trusts their output."""

    name: str
    dark: bool
    trusted: bool = True

    def __str__(self) -> str:
        shade = "dark" if self.dark else "light"
        return f"{self.name}, {shade}{'' if self.trusted else ', untrusted'}"

    def page(self, cards: Iterable[str]) -> str:
        """A whole page in which this program shows outputs, each of its own cell."""
        if self.name == "JupyterLab":
            return _exported(cards if self.trusted else map(sanitized, cards), self.dark)
        return _framed(cards, self)


HOSTS = [
    Host("JupyterLab", dark=False),
    Host("JupyterLab", dark=True),
    Host("JupyterLab", dark=False, trusted=False),
    Host("JupyterLab", dark=True, trusted=False),
    Host("VS Code", dark=False),
    Host("VS Code", dark=True),
    Host("Colab", dark=False),
    Host("Colab", dark=True),
]


@cache
def _exporter(**options: Any) -> Any:
    """nbconvert, which ships the style sheets of JupyterLab and of the classic notebook.

    Its templates take much longer to compile than to fill, so exporters are kept.
    """
    nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    # Nothing is fetched from elsewhere.
    names = "require_js", "jquery", "mathjax", "mermaid_js", "mermaid_layout_elk_js"
    return nbconvert.HTMLExporter(**{f"{name}_url": "" for name in names}, **options)


def _exported(outputs: Iterable[str], dark: bool) -> str:
    """A notebook, as ``nbconvert --to html`` writes it with JupyterLab's styles."""
    exporter = _exporter(theme="dark" if dark else "light")
    nbformat = pytest.importorskip("nbformat").v4

    def cell(output: str) -> Any:
        shown = nbformat.new_output("execute_result", data={"text/html": output}, execution_count=1)
        return nbformat.new_code_cell("report", outputs=[shown], execution_count=1)

    html: str = exporter.from_notebook_node(nbformat.new_notebook(cells=[*map(cell, outputs)]))[0]
    return html


def _framed(outputs: Iterable[str], host: Host) -> str:
    """The frame in which VS Code or Colab shows outputs."""
    style, surface, ink = _VSCODE, *(("#1f1f1f", "#cccccc") if host.dark else ("#fff", "#3b3b3b"))
    if host.name == "Colab":
        style = _classic() + _COLAB
        surface, ink = ("#383838", "#e3e3e3") if host.dark else ("#fff", "#1f1f1f")
    theme = ' theme="dark"' if host.dark else ""
    variables = "".join(f"--{name}: {surface}; " for name in _SURFACES)
    variables += "".join(f"--{name}: {ink}; " for name in _INKS)
    shown = "".join(f'<div class="output_html rendered_html">{output}</div>' for output in outputs)
    return (
        f'<!DOCTYPE html><html lang="en"{theme} style="{variables}"><head><meta charset="utf-8">'
        f"<title>Output</title><style>{style}</style></head>"
        f'<body class="vscode-{"dark" if host.dark else "light"}">'
        f'<main class="output_area"><h1>Output</h1>{shown}</main></body></html>'
    )


#: The variables of VS Code and of Colab for what is behind the text, and for the text.
_SURFACES = "vscode-editor-background", "colab-primary-surface-color"
_INKS = "vscode-editor-foreground", "vscode-foreground", "colab-primary-text-color"

#: What the web view of VS Code's notebooks sets for all outputs.
_VSCODE = """
  body { background: var(--vscode-editor-background); color: var(--vscode-foreground);
    font: 13px system-ui, sans-serif; margin: 0; padding: 0 8px; }
  img { max-width: 100%; max-height: 100%; }
  table, thead, tr, th, td, tbody { border: none !important; border-color: transparent;
    border-spacing: 0; border-collapse: collapse; }
  table, th, tr { vertical-align: middle; text-align: right; }
  thead { font-weight: bold; background-color: rgba(130, 130, 130, 0.16); }
  th, td { padding: 4px 8px; }
  tr:nth-child(even) { background-color: rgba(130, 130, 130, 0.08); }
  tbody th { font-weight: normal; }
"""

#: Colab's surface, under the styles of the classic notebook, whose classes its outputs have.
_COLAB = """
  html body { background: var(--colab-primary-surface-color);
    color: var(--colab-primary-text-color); font: 14px/1.4 Roboto, sans-serif; margin: 0; }
  html .rendered_html { color: inherit; }
"""


@cache
def _classic() -> str:
    """The style sheet of the classic notebook."""
    folder = next(
        path
        for path in map(Path, _exporter(template_name="classic").template_paths)
        if path.name == "classic"
    )
    return (folder / "static" / "style.css").read_text(encoding="utf-8")


#: What JupyterLab 4 lets through of an output that it does not trust, of what a card may use: its
#: elements and attributes, and the values of styles (packages/apputils/src/sanitizer.ts).
_ELEMENTS = (
    r"a|abbr|b|br|caption|code|col|colgroup|dd|details|div|dl|dt|em|fig(caption|ure)|h[1-6r]|i|img"
    r"|li|ol|p|pre|section|small|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|u|ul"
)
_EVERYWHERE = {"class", "dir", "hidden", "id", "lang", "style", "title"}
_ATTRIBUTES = {
    "a": {"href"},
    "details": {"open"},
    "img": {"align", "alt", "height", "src", "width"},
    "td": {"abbr", "colspan", "headers", "rowspan", "scope", "width"},
    "th": {"abbr", "colspan", "headers", "rowspan", "scope", "width"},
}
_NUMBER = r"[+-]?(\d*\.)?\d+"
_LENGTH = rf"({_NUMBER}(px|em|rem|ex|in|cm|mm|pt|pc)|0)"
_SIZE = rf"({_LENGTH}|{_NUMBER}%)"
_SHARE = r"(1(\.0+)?|0(\.\d+)?)"
_COLOUR = (
    r"(#[0-9a-f]+|rgb\(\s*\d{1,3}\s*(,\s*\d{1,3}\s*){2}\)|"
    rf"rgba\(\s*\d{{1,3}}\s*(,\s*\d{{1,3}}\s*){{2}},\s*{_SHARE}\s*\)|black|white|transparent)"
)
_BORDER = rf"(({_LENGTH}|none|solid|dotted|dashed|{_COLOUR})\s*){{1,3}}"
_STYLES = {
    **dict.fromkeys(("border", "border-left", "border-bottom", "border-top"), _BORDER),
    **dict.fromkeys(("color", "background", "background-color", "border-color"), _COLOUR),
    **dict.fromkeys(("padding", "margin"), rf"(({_SIZE}|auto)\s*){{1,4}}"),
    **dict.fromkeys(("padding-left", "padding-right", "margin-left", "margin-top"), _SIZE),
    **dict.fromkeys(("width", "height", "min-width", "max-width", "font-size"), rf"{_SIZE}|auto"),
    "border-radius": _SIZE,
    "border-collapse": "collapse|separate",
    "display": "inline|block|inline-block|flex|grid|none|table|table-cell",
    "float": "left|right|none",
    "font-weight": "normal|bold|[1-9]00",
    "overflow-wrap": "normal|break-word",
    "overflow-x": "visible|hidden|scroll|auto",
    "line-height": rf"normal|{_NUMBER}|{_SIZE}",
    "opacity": _SHARE,
    "table-layout": "auto|fixed",
    "text-align": "left|right|center|justify",
    "vertical-align": "baseline|top|middle|bottom",
    "white-space": "normal|pre|nowrap|pre-wrap|pre-line",
}


def sanitized(html: str) -> str:
    """What JupyterLab shows of an output of a notebook that it does not trust."""
    cleaner = _Sanitizer()
    cleaner.feed(html)
    cleaner.close()
    return "".join(cleaner.kept)


class _Sanitizer(HTMLParser):
    """Keeps allowed elements; of others the text, but for that of scripts and style sheets."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in ("script", "style")
        if re.fullmatch(_ELEMENTS, tag):
            allowed = _EVERYWHERE | _ATTRIBUTES.get(tag, set())
            named = [(name, value or "") for name, value in attrs if name in allowed]
            texts = [(name, _style(value) if name == "style" else value) for name, value in named]
            shown = "".join(f' {name}="{escape(text)}"' for name, text in texts)
            self.kept.append(f"<{tag}{shown}>")

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in ("script", "style")
        if re.fullmatch(_ELEMENTS, tag):
            self.kept.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.kept.append(escape(data))


def _style(text: str) -> str:
    """The declarations of a style attribute that are allowed."""
    found = (part.partition(":") for part in text.split(";") if part.strip())
    pairs = ((name.strip(), value.strip()) for name, _, value in found)
    return "; ".join(
        f"{name}: {value}"
        for name, value in pairs
        if name in _STYLES and re.fullmatch(_STYLES[name], value, re.IGNORECASE)
    )
