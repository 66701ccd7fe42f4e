"""The tables of the papers, as printed: numbers to check an implementation, or a paper, against.

[W21] is Wang and Russakovsky, "Directional Bias Amplification", ICML 2021; [T25] is Tokas, Nair and
Kerner, "DPA: A one-stop metric to measure bias amplification in classification datasets", 2025.
"""

from biasamp_adapters.datasets.published.t25 import (
    t25_table_2,
    t25_table_3,
    t25_table_4,
    t25_table_6,
    t25_table_7,
    t25_table_8,
    t25_table_9,
    t25_table_10,
    t25_table_11,
)
from biasamp_adapters.datasets.published.w21 import (
    w21_jobs,
    w21_shortcomings,
    w21_table_1,
    w21_table_2,
)

__all__ = [
    "t25_table_2",
    "t25_table_3",
    "t25_table_4",
    "t25_table_6",
    "t25_table_7",
    "t25_table_8",
    "t25_table_9",
    "t25_table_10",
    "t25_table_11",
    "w21_jobs",
    "w21_shortcomings",
    "w21_table_1",
    "w21_table_2",
]
