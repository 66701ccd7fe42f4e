"""The templates of pages and cards."""

from __future__ import annotations

import base64
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

#: Templates that pages share with cards.
SHARED = "biasamp_adapters.cards"


def rendered(package: str, template: str, **variables: Any) -> str:
    """Text from a template of a package, which may use those of cards too."""
    return _environment(package).get_template(template).render(**variables)


def template_file(package: str, name: str) -> str:
    """A file beside the templates of a package, such as a style sheet."""
    return (files(package) / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment(package: str) -> Environment:
    # Imported late, as most of the package renders nothing.
    from jinja2 import ChoiceLoader, Environment, PackageLoader

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, SHARED))]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["data_uri"] = _data_uri
    return environment


def _data_uri(svg: str) -> str:
    """A picture as an address; hosts that remove SVG keep images."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
