"""A study as a command: its options, and the files that it writes."""

from __future__ import annotations

import importlib.util
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest
from documented import STUDIES

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Runs a study as a script."""

    def run(name: str, *options: str) -> None:
        path = str(EXAMPLES / f"{name}.py")
        monkeypatch.setattr("sys.argv", [path, *options])
        runpy.run_path(path, run_name="__main__")

    return run


def test_a_study_prints_and_writes_its_tables(
    study: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study("relative_change", "--out", str(tmp_path))
    out, err = capsys.readouterr()
    assert "example" in out
    assert err == ""
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"relative_change.svg", "relative_change_example.csv"}
    for name in written - {"relative_change.svg"}:
        assert (tmp_path / name).read_bytes() == (STUDIES / name).read_bytes()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("mals_constraints", [], "the following arguments are required: --data-home"),
        ("mals_constraints", ["--data-home", "nowhere"], "nowhere/mals_coco_dev_ratios.csv"),
        ("replication", ["--write", "nowhere"], "--write must be the page; received 'nowhere'"),
        ("pictures", ["--out", "nowhere"], "--out: must be a folder; received 'nowhere'"),
        ("metric_pictures", ["--out", "nowhere"], "--out: must be a folder; received 'nowhere'"),
        ("relative_change", ["--out", "nowhere"], "--out: must be a folder; received 'nowhere'"),
    ],
)
def test_what_is_missing_is_said(
    study: Callable[..., None],
    name: str,
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as stopped:
        study(name, *options)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("compas_aif360", "aif360"),
        ("compas_fairlearn", "fairlearn"),
        ("gridsearch_compas", "sklearn"),
    ],
)
def test_a_folder_without_compas_is_an_error(
    study: Callable[..., None],
    name: str,
    library: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"the {library} extra is not installed")
    with pytest.raises(SystemExit):
        study(name, "--data-home", str(tmp_path))
    assert "compas-scores-two-years.csv" in capsys.readouterr().err
