"""A report as a page, as the card of a notebook and as Markdown: one folder of templates."""

from __future__ import annotations

import re
from functools import cache
from uuid import uuid4

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from biasamp_adapters import words
from biasamp_adapters.figures import clean
from biasamp_adapters.report.document import Document


def to_html(document: Document) -> str:
    """Return one page without scripts and without other files."""
    return _templates().get_template("page.html.j2").render(document=document)


def to_card(document: Document, name: str = "") -> str:
    """Return a card for a notebook: the answer, and the rest folded.

    Parameters
    ----------
    document : Document
    name : str
        The id of the card, to which its styles are bound; a random one if empty.
    """
    name = name or f"biasamp-{uuid4().hex[:8]}"
    return _templates().get_template("card.html.j2").render(document=document, name=name)


def to_markdown(document: Document) -> str:
    """Return Markdown, with tables as GitHub reads them."""
    text = _templates().get_template("report.md.j2").render(document=document)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@cache
def _templates() -> Environment:
    """Return the templates, which escape all text."""
    environment = Environment(
        loader=PackageLoader("biasamp_adapters.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finish,
    )
    environment.filters["md"] = escape_markdown
    environment.globals |= {"terms": words.GLOSSARY}
    return environment


def _finish(value: object) -> object:
    """Remove control characters, and keep "column = value" on one line."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return clean(value).replace(" = ", "\u00a0=\u00a0")
    return value


def escape_markdown(text: str) -> Markup:
    """Return text that Markdown and HTML print as it stands.

    Examples
    --------
    >>> print(escape_markdown("a|b <i> *c*"))
    a\\|b &lt;i&gt; \\*c\\*
    """
    text = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([\\`*_{}\[\]|#~!@$])|(?<=:)(?=//)|(?<=www)(?=\.)", r"\\\1", text)
    return Markup(re.sub(r"^(\s*\d*)([-+.)])(?=\s|$)", r"\1\\\2", text))
