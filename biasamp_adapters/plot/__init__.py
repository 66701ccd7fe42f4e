"""Drawings of results: functions that take and return matplotlib axes.

Colours are safe for the colour-blind, and 0 is in the middle of every scale that has a sign.
"""

from biasamp_adapters.plot.curves import behaviour, curves, sweep
from biasamp_adapters.plot.intervals import intervals, runs
from biasamp_adapters.plot.pairs import pairs

__all__ = ["behaviour", "curves", "intervals", "pairs", "runs", "sweep"]
