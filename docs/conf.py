"""Configuration of the documentation site."""

from __future__ import annotations

import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

sys.path.insert(0, str(Path(__file__).parent))  # for sample_reports

project = "biasamp-adapters"
author = "the biasamp-adapters developers"
project_copyright = author
release = version_of("biasamp-adapters")
version = release

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
]
templates_path = ["_templates"]
exclude_patterns = ["_build"]
nitpicky = True

# What a reader copies is what can be run: no prompts, no output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autosummary_generate = True
# The docstrings state the types, so signatures need not repeat them.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["_static"]
html_css_files = ["formulas.css", "pages.css"]
html_theme_options = {
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
}
#: Pages without a section of their own to navigate in.
html_sidebars: dict[str, list[str]] = {page: [] for page in ("gallery", "getting_started")}
html_show_sourcelink = False


def _inline_math(translator: Any, node: Any) -> None:
    translator.body.append(tex2mathml(node.astext()))
    raise SkipNode


def _block_math(translator: Any, node: Any) -> None:
    formula = tex2mathml(node.astext(), as_block=True)
    translator.body.append(f'<div class="formula">{formula}</div>\n')
    raise SkipNode


def _skip_hosts_members(
    app: Any, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave what a host documents to the host."""
    module = getattr(member, "__module__", None) or ""
    return True if module.split(".")[0] in ("aif360", "fairlearn", "sklearn") else None


def _write_samples(app: Any) -> None:
    """Write the reports that the pages show into the folder of the pages."""
    if app.builder.format == "html":
        from sample_reports import write

        write(Path(app.outdir) / "samples")


def setup(app: Any) -> None:
    """Render formulas as MathML, which browsers show without a script from elsewhere."""
    app.connect("builder-inited", _write_samples)
    app.add_html_math_renderer("mathml", (_inline_math, None), (_block_math, None))
    app.connect("autodoc-skip-member", _skip_hosts_members)
