"""What two decision trees predict for the 5,278 people of COMPAS."""

#: Counts by T (is_recid), A (1 is African-American), T^ and A^: decision trees on the five features
#: of [T25] Appendix E, read on the rows that they were fitted to. The truth is that of Table 6(a).
#: ``metrics/test_published.py`` fits the trees and gets these counts.
COMPAS_TREES = [
    [[[677, 388], [39, 125]], [[321, 800], [31, 250]]],
    [[[235, 166], [245, 228]], [[128, 363], [83, 1199]]],
]
