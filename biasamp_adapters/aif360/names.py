"""What AIF360 calls the arguments that errors of the metrics name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from biasamp_adapters._text import renamed

#: In the functions, which are in the way of ``aif360.sklearn``.
OF_FUNCTIONS = "prot_attr", "prot_attr_pred"

#: Of the datasets, and of the metric class.
OF_DATASETS = "protected_attributes", "predicted_protected_attributes"


@contextmanager
def called(attribute: str, predicted: str) -> Iterator[None]:
    """Errors of what is inside name the attribute and the predicted one as AIF360 does."""
    try:
        yield
    except ValueError as error:
        names = {"sensitive_features": attribute, "sensitive_features_pred": predicted}
        text = renamed(str(error), names)
        if text == str(error):
            raise
        raise ValueError(text) from None
