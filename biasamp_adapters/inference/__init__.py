"""Intervals: replicates from drawn tables, and the rules for when an interval can be trusted."""
