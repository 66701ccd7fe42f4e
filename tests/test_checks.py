"""The checks are named once, in ``.ci/run``; what else runs or shows them says the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
TEMPLATES = sorted((REPOSITORY / ".github" / "ISSUE_TEMPLATE").glob("*.md"))


def text(path: str) -> str:
    return (REPOSITORY / path).read_text(encoding="utf-8")


@pytest.fixture
def checks() -> list[str]:
    """What ``.ci/run`` does between the installation of the new root and its tests."""
    _, installed = text(".ci/run").split('python -m pip install --quiet -e ".[test]"\n')
    return [line.strip() for line in installed.split("  python -m pytest ")[0].splitlines()]


def test_the_workflow_only_calls_the_checks() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    jobs = yaml.safe_load(text(".github/workflows/ci.yml"))["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    assert [step["run"] for step in steps if "run" in step] == ["BIASAMP_DATA= .ci/run"]
    assert [step["uses"].split("@")[0] for step in steps if "uses" in step] == ["actions/checkout"]


def test_hooks_are_the_checks(checks: list[str]) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    (local,) = yaml.safe_load(text(".pre-commit-config.yaml"))["repos"]
    # From elsewhere, hooks would be fetched and have versions of their own.
    assert local["repo"] == "local"
    hooks = local["hooks"]
    assert [hook["entry"] for hook in hooks] == checks
    assert {(hook["language"], hook["pass_filenames"]) for hook in hooks} == {("system", False)}


def test_contributors_are_shown_the_checks(checks: list[str]) -> None:
    shown = re.findall(r"^\$ (.*?)(?: +#.*)?$", text("CONTRIBUTING.md"), flags=re.MULTILINE)
    assert {*checks} <= {*shown}


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_issues_ask_for_counts(template: Path) -> None:
    asked = template.read_text(encoding="utf-8")
    assert {"biasamp --version", "biasamp count"} <= {*re.findall(r"biasamp -*\w+", asked)}
    assert "not rows" in asked or "do not send rows" in asked


def test_there_are_templates() -> None:
    assert [path.stem for path in TEMPLATES] == ["bug", "number"]
