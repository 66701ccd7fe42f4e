"""Configuration of the documentation site."""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util.logging import getLogger

from biasamp_adapters.metrics.base import Metric

LOG = getLogger(__name__)
DOCS = Path(__file__).parent
EXAMPLES = DOCS.parent / "examples"
#: What users call of a metric; the rest is its formula, which is internal.
METRIC_MEMBERS = ("__call__", "result", "name", "key")
_EACH = re.MULTILINE | re.DOTALL

project = "biasamp-adapters"
author = "the biasamp-adapters developers"
project_copyright = author
release = version = version_of("biasamp-adapters")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_copybutton",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "sample_reports"]
nitpicky = True

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_update_mathjax = False

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_output_stderr = "remove"  # Where AIF360 lists what is not installed.
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # They would come from elsewhere.

# What a reader copies is what can be run: no prompts, no output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

autosummary_generate = True
toc_object_entries_show_parents = "hide"
# The docstrings state the types, so signatures need not repeat them.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_sourcelink = False
html_sidebars = {"index": [], "**": ["site_contents"]}
html_theme_options = {
    "navbar_center": [],
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
}


def _copy_notebooks(app: Any, config: Any) -> None:
    """Copy the notebooks into the pages, each with a link to the file itself."""
    folder = DOCS / "notebooks"
    folder.mkdir(exist_ok=True)
    for path in EXAMPLES.glob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        link = f"{{download}}`Download this notebook <../../examples/{path.name}>`"
        title = notebook["cells"][0]
        title["source"] = ["".join(title["source"]), "\n\n", link]
        (folder / path.name).write_text(json.dumps(notebook), encoding="utf-8")


def _write_sample(app: Any) -> None:
    """Write the report that the page "Start" shows."""
    import biasamp_adapters as bam

    names: Any = {"y_true": "two_year_recid", "y_score": "decile_score", "threshold": 5}
    table = bam.datasets.load_compas()
    report = bam.audit(table, **names, sensitive_features="race", favorable_label=0)
    folder = Path(app.outdir) / "samples"
    folder.mkdir(parents=True, exist_ok=True)
    report.to_html(folder / "compas.html")


def _trim_examples(app: Any, docname: str, source: list[str]) -> None:
    """Drop the blank line with which a doctest ends before the fence."""
    source[0] = re.sub(r"(^```python\n>>> .*?)\n\n```$", r"\1\n```", source[0], flags=_EACH)


def _inline_math(translator: Any, node: Any) -> None:
    translator.body.append(_mathml(node))
    raise SkipNode


def _block_math(translator: Any, node: Any) -> None:
    translator.body.append(f'<div class="formula">{_mathml(node, as_block=True)}</div>\n')
    raise SkipNode


def _mathml(node: Any, as_block: bool = False) -> str:
    """Return a formula as MathML, or warn of a command that docutils does not know."""
    try:
        return str(tex2mathml(node.astext(), as_block=as_block))
    except MathError as error:
        LOG.warning("formula: %s", error, location=node)
        return node.astext()


def _skip_members(
    app: Any, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave what a host documents to the host, and the formulas of metrics to the code."""
    function = getattr(member, "fget", member)
    module = getattr(function, "__module__", None) or ""
    if module.split(".")[0] in ("aif360", "fairlearn", "sklearn"):
        return True
    owner = getattr(function, "__qualname__", "").split(".")[0]
    owner = getattr(sys.modules.get(module), owner, None)
    is_of_metric = isinstance(owner, type) and issubclass(owner, Metric)
    return True if is_of_metric and name not in METRIC_MEMBERS else None


def setup(app: Any) -> None:
    """Register the notebooks, and formulas as MathML, which browsers show without a script."""
    app.connect("config-inited", _copy_notebooks)
    app.connect("builder-inited", _write_sample)
    app.connect("source-read", _trim_examples)
    app.connect("autodoc-skip-member", _skip_members)
    app.add_html_math_renderer("mathml", (_inline_math, None), (_block_math, None))
