"""Sentences and tables of a report, read back and compared with its own summary."""
