"""Importing AIF360 without what it does to the user's log."""

from __future__ import annotations

import logging
import threading
import warnings
from importlib import import_module


def quietly_imported(*modules: str) -> None:
    """Import modules of the host; the root logger is then as it was.

    AIF360 logs a warning for each optional library that is not installed, through functions of
    ``logging`` that give the root logger a handler when it has none. What other threads log
    meanwhile is not lost.
    """
    root, here = logging.getLogger(), threading.get_ident()
    # With a handler in place AIF360 adds none. Logging's last resort shows what others log.
    handler = logging.lastResort or logging.NullHandler()
    alone = not root.handlers

    def by_others(record: logging.LogRecord) -> bool:
        return record.thread != here

    root.addFilter(by_others)
    if alone:
        root.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for module in modules:
                import_module(module)
    finally:
        root.removeFilter(by_others)
        if alone:
            root.removeHandler(handler)
