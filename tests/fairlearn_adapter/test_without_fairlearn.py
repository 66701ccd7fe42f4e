"""What an environment without Fairlearn says, simulated by hiding it from the imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""


def run(statements: str, *, hidden: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """The statements in a fresh interpreter that does not find the packages ``hidden``."""
    code = HIDE.format(hidden=hidden) + statements
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_the_error_names_the_extra() -> None:
    found = run("import biasamp_adapters.fairlearn", hidden=("fairlearn",))
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1] == (
        "ImportError: biasamp_adapters.fairlearn needs Fairlearn: "
        "pip install 'biasamp-adapters[fairlearn]'"
    )


def test_the_rest_of_the_package_does_without() -> None:
    found = run(
        "import biasamp_adapters as bam\n"
        "print(bam.MALS()([0, 1, 1], [0, 1, 1], sensitive_features=['a', 'a', 'b']))",
        hidden=("fairlearn",),
    )
    assert (found.stdout, found.stderr) == ("0.0\n", "")


def test_what_fairlearn_itself_lacks_is_named() -> None:
    found = run("import biasamp_adapters.fairlearn", hidden=("sklearn",))
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'sklearn'"


@pytest.mark.parametrize(
    ("statement", "imported"),
    [
        ("import biasamp_adapters as bam; bam.MALS; bam.audit", False),
        ("import biasamp_adapters.fairlearn", True),
    ],
)
def test_only_the_adapter_imports_fairlearn(statement: str, imported: bool) -> None:
    found = run(f"{statement}\nprint('fairlearn' in sys.modules)")
    assert (found.stdout, found.stderr) == (f"{imported}\n", "")


def test_the_name_of_the_adapter_hides_no_library() -> None:
    found = run(
        "import fairlearn, biasamp_adapters.fairlearn as baf\n"
        "print(fairlearn.__name__, baf.__name__, issubclass(baf.AmplificationFrame, "
        "fairlearn.metrics.MetricFrame))"
    )
    assert (found.stdout, found.stderr) == ("fairlearn biasamp_adapters.fairlearn True\n", "")
