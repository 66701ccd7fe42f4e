"""AIF360, imported without its messages.

It logs a warning for each optional library that is not installed, by functions that give the root
logger a handler if it has none. Python warns of escapes in its texts where it compiles them.
"""

import logging
import warnings
from importlib import import_module

_root, _handler = logging.getLogger(), logging.NullHandler()
_root.disabled = True
_root.addHandler(_handler)
try:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "invalid escape sequence")
        for _name in ("metrics", "explainers", "algorithms"):
            import_module(f"aif360.{_name}")
except ModuleNotFoundError as _error:
    if not str(_error.name).startswith("aif360"):
        raise
    raise ImportError('AIF360 is missing: pip install "biasamp-adapters[aif360]"') from None
finally:
    _root.removeHandler(_handler)
    _root.disabled = False
