"""Audits: what is computed, what is said of it, and the gate."""
