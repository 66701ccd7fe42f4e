"""What an environment without Fairlearn says, simulated by hiding it from the imports."""

from __future__ import annotations

import pytest
from forks import Ended, forked

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")


def run(statements: str, *, hidden: tuple[str, ...] = ()) -> Ended:
    """The statements in an interpreter that does not find the packages ``hidden``."""
    return forked(statements, hidden=hidden)


def test_the_error_names_the_extra() -> None:
    found = run("import biasamp_adapters.fairlearn", hidden=("fairlearn",))
    assert found.code == 1
    assert found.err.splitlines()[-1] == (
        "ImportError: biasamp_adapters.fairlearn needs Fairlearn: "
        "pip install 'biasamp-adapters[fairlearn]'"
    )


def test_the_rest_of_the_package_does_without() -> None:
    found = run(
        "import biasamp_adapters as bam\n"
        "print(bam.MALS()([0, 1, 1], [0, 1, 1], sensitive_features=['a', 'a', 'b']))",
        hidden=("fairlearn",),
    )
    assert (found.out, found.err) == ("0.0\n", "")


def test_what_fairlearn_itself_lacks_is_named() -> None:
    found = run("import biasamp_adapters.fairlearn", hidden=("sklearn",))
    assert found.code == 1
    assert found.err.splitlines()[-1] == "ModuleNotFoundError: No module named 'sklearn'"


@pytest.mark.parametrize(
    ("statement", "imported"),
    [
        ("import biasamp_adapters as bam; bam.MALS; bam.audit", False),
        ("import biasamp_adapters.fairlearn", True),
    ],
)
def test_only_the_adapter_imports_fairlearn(statement: str, imported: bool) -> None:
    found = run(f"{statement}\nimport sys\nprint('fairlearn' in sys.modules)")
    assert (found.out, found.err) == (f"{imported}\n", "")


def test_the_name_of_the_adapter_hides_no_library() -> None:
    found = run(
        "import fairlearn, biasamp_adapters.fairlearn as baf\n"
        "print(fairlearn.__name__, baf.__name__, issubclass(baf.AmplificationFrame, "
        "fairlearn.metrics.MetricFrame))"
    )
    assert (found.out, found.err) == ("fairlearn biasamp_adapters.fairlearn True\n", "")
