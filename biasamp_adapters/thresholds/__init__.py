"""Thresholds: decisions from scores, and what other thresholds would give."""
