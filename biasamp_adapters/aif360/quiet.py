"""Import AIF360 without changing the root logger."""

from __future__ import annotations

import logging
import threading
import warnings
from importlib import import_module


def import_quietly(*modules: str) -> None:
    """Import modules of the host, and leave the root logger unchanged.

    AIF360 logs a warning for each optional library that is not installed, through functions of
    ``logging`` that give the root logger a handler when it has none. Messages of other threads are
    not lost.
    """
    root, this_thread = logging.getLogger(), threading.get_ident()
    # With this handler, AIF360 adds none. The last resort shows the messages of other threads.
    handler = logging.lastResort or logging.NullHandler()
    lacks_handler = not root.handlers

    def is_of_other_thread(record: logging.LogRecord) -> bool:
        return record.thread != this_thread

    root.addFilter(is_of_other_thread)
    if lacks_handler:
        root.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for module in modules:
                import_module(module)
    finally:
        root.removeFilter(is_of_other_thread)
        if lacks_handler:
            root.removeHandler(handler)
