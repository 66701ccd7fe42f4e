"""The COMPAS example runs, and gives the figures that come with the definitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def test_the_figures_of_the_tree(example: Any, shared_data: Path) -> None:
    report = example.compas_report(str(shared_data), n_boot=0)
    frame = report.to_frame().set_index(["model", "metric", "direction"]).loc["tree"]
    row = frame.loc[("DirectionalBiasAmplification", "A->T")]
    # The tree scores +.023; mistakes as frequent as its own, blind to race, would score -.036.
    assert row["value"] == pytest.approx(0.023, abs=5e-4)
    assert row["blind_errors"] == pytest.approx(-0.036, abs=5e-4)
    dpa = frame.loc["DirectionalPredictabilityAmplification"]["value"]
    assert dpa["A->T"] == pytest.approx(0.0218, abs=5e-5)
    assert dpa["T->A"] == pytest.approx(0.0478, abs=5e-5)


def test_the_page_is_written(
    example: Any,
    shared_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = tmp_path / "compas.html"
    arguments = ["compas_audit.py", "--data-home", str(shared_data), "--html", str(page)]
    monkeypatch.setattr("sys.argv", arguments)
    example.main()
    assert "COMPAS" in page.read_text(encoding="utf-8")
    assert "Both models amplify bias." in capsys.readouterr().out
