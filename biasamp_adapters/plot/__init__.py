"""Pictures of results: functions that take and return matplotlib axes.

Orange is above 0 or a gap that grows, blue below 0 or a gap that shrinks, purple a gap that
reverses, and grey is not clear, as in reports. Shares are in percentage points, and DPA, a ratio
of levels, is times 100. Without ``ax`` a picture has a pyplot figure of its own, as high as its
rows need; with ``ax`` nothing else changes. Names and legends stand outside of the axes: a figure
of yours that has ``layout="constrained"`` leaves room for them.
"""

from biasamp_adapters.plot.reports import frontier, pairs, rates
from biasamp_adapters.plot.values import curves, intervals

__all__ = ["curves", "frontier", "intervals", "pairs", "rates"]
