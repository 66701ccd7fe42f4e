"""Four reports in Chromium: nothing runs, no width overflows, and print opens what is folded."""

import html
import json
import os
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += [f"--disable-{x}" for x in ("background-networking", "component-update", "sync")]
RUNS = "top.document.documentElement.dataset.hit=1"
HOSTILE = [
    f"<script>{RUNS}</script>",
    f"\"><img src=x onerror='{RUNS}'>",
    f"' autofocus onfocus='{RUNS}",
    "\u202eright\u2067 to \u200fleft",
    "long" * 100,
]
MEASURE = """<script>onload = () => {
  document.body.dataset.seen = JSON.stringify([...document.querySelectorAll("iframe")].map(f => {
    const d = f.contentDocument, r = d.documentElement;
    const article = d.querySelector("h1").closest("article, main, div, body");
    const folded = [...d.querySelectorAll("details")];
    return {width: r.scrollWidth, room: r.clientWidth, text: d.body.innerText,
      cut: [...d.querySelectorAll(".scroll:has(.models)")].some(x => x.scrollWidth > x.clientWidth),
      paper: getComputedStyle(article).backgroundColor,
      bottom: d.querySelector(".picture").getBoundingClientRect().bottom,
      details: folded.length, shut: folded.filter(x => !x.lastElementChild.checkVisibility(
        {contentVisibilityAuto: true})).length};
  })) }</script>"""


def report_of(name: str, compas: pd.DataFrame) -> bam.AuditReport:
    rng = np.random.default_rng(3)
    if name == "scores":
        columns = {"y_true": "two_year_recid", "sensitive_features": "race"}
        return bam.audit(compas, "high", **columns, y_score="decile_score", n_boot=200)
    group = rng.integers(0, 2, 600)
    if name == "matrix":
        truth = pd.DataFrame(rng.integers(0, 2, (600, 4)), columns=["pan", "cup", "car", "tie"])
        predicted = truth.where(rng.random(truth.shape) < 0.8, 1 - truth)
        guessed = np.where(rng.random(600) < 0.9, group, 1 - group)
        groups = {"sensitive_features": group, "sensitive_features_pred": guessed}
        return bam.audit(truth, predicted, **groups, n_boot=200)
    names = np.array(HOSTILE if name == "hostile" else list("abcde"), dtype=object)
    truth, group = rng.integers(0, 5, (2, 600))
    models = {x: names[np.where(rng.random(600) < 0.7, truth, group)] for x in names[:3]}
    return bam.audit(names[truth], models, sensitive_features=names[group], title=names[0])


@pytest.mark.parametrize("name", ["scores", "matrix", "models", "hostile"])
def test_page_in_chromium_fits_and_is_safe(name, compas, tmp_path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("chromium is not installed")
    path = tmp_path / "report.html"
    report_of(name, compas).to_html(path)
    # Without the page's policy, which stops scripts: escaping has to do so alone.
    page = path.read_text(encoding="utf-8").replace("default-src 'none'; ", "")
    printed = page.replace("@media print", "@media all")
    style = "height:900px;border:0;color-scheme:"
    frame = f'<iframe {{}} width="{{}}" style="{style}{{}}" srcdoc="{{}}"></iframe>'
    no_script = 'sandbox="allow-same-origin"'
    both = [(scheme, wide) for scheme in ("light", "dark") for wide in (375, 1024, 1440)]
    frames = {f"{scheme} {wide}": ("", wide, scheme, page) for scheme, wide in both}
    frames |= {"still": (no_script, 1440, "light", page), "print": ("", 754, "light", printed)}
    body = "".join(frame.format(*x[:3], html.escape(x[3])) for x in frames.values())
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8>{body}{MEASURE}", encoding="utf-8")
    options = ["--virtual-time-budget=500", f"--user-data-dir={tmp_path}", "--dump-dom"]
    command = [chromium, *FLAGS, *options, path.as_uri()]
    document = subprocess.check_output(command, timeout=60).decode("utf-8")
    assert "data-hit" not in document.partition("<head")[0]
    measured = json.loads(html.unescape(re.search('data-seen="([^"]*)"', document)[1]))
    seen = dict(zip(frames, measured, strict=True))
    assert [x["width"] for x in measured] == [x["room"] for x in measured]
    assert name == "hostile" or not any(x["cut"] for x in measured)
    light, in_print = seen["light 1440"], seen["print"]
    assert seen["dark 1440"]["paper"] != light["paper"] == "rgb(255, 255, 255)"
    assert light["text"] == seen["still"]["text"] != ""
    assert name == "hostile" or in_print["bottom"] < 979  # The picture is on the first page.
    assert in_print["details"] == light["shut"] > 0 == in_print["shut"]
