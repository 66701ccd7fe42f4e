"""What a user hands over, read once: arrays and frames in, coded columns out.

No other part of the package looks at the type of an input.
"""
