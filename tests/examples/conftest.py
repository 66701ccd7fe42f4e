"""The example that a test module is about, by its name."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def example(request: pytest.FixtureRequest) -> Any:
    """The module ``examples/NAME.py`` for the tests of ``test_NAME.py``."""
    name = request.path.stem.removeprefix("test_")
    spec = importlib.util.spec_from_file_location(name, _EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
