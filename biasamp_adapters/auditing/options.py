"""Messages of the core in the words of the command line, which has options and no arguments."""

from __future__ import annotations

import re

from biasamp_adapters._text import renamed

_OPTIONS = {
    "sensitive_features_pred": "--attribute-prediction",
    "sensitive_features": "--attribute",
    "y_true": "--task",
    "y_pred": "--prediction",
    "y_score": "--score",
    "sample_weight": "--weight",
    "pos_label": "--pos-label",
    "n_boot": "--n-boot",
    "confidence": "--confidence",
    "random_state (seed)": "--seed",
    "missing='drop'": "--missing drop",
    "missing='abstain'": "--missing abstain",
    "in the frame": "in the file",
}

#: Ways out that only a call has, and what is said in their place.
_OF_CALLS = {
    r" \([^()]*\b(labels|groups)=[^()]*\)": "",
    r", reference or (labels|groups)=": " or reference",
    r"\. To get a value for each group, use .*": "",
}


def in_options(message: str) -> str:
    """A message that names options where the core names arguments.

    Parameters
    ----------
    message : str

    Returns
    -------
    str
    """
    for way_out, instead in _OF_CALLS.items():
        message = re.sub(way_out, instead, message)
    return renamed(message, _OPTIONS)
