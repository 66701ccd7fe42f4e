"""Random calls of the five metrics, made from seeds: plain dicts of arrays and settings.

A case has ``id``, ``family``, ``metric`` (the short name), ``settings`` of the metric, ``arrays``
(the arguments of ``result``), ``reference`` (None, a dict of arrays or a dict of rates) and
``twin``: the id of the case whose values it has, where the old package refuses it. Names are those
of this package.
"""

from __future__ import annotations

from oracle import attack_cases, further_cases, rate_cases
from oracle.drawing import Draws
from oracle.parts import Case

SEED = 20

#: The functions that make cases, and how many each makes.
FAMILIES = {
    "labels": (rate_cases.labels, 520),
    "ties": (rate_cases.ties, 100),
    "matrix": (rate_cases.matrix, 260),
    "overlap": (rate_cases.overlap, 150),
    "soft": (rate_cases.soft, 150),
    "sets": (rate_cases.sets, 150),
    "group_sets": (rate_cases.group_sets, 40),
    "reference": (rate_cases.reference, 240),
    "matrix_reference": (rate_cases.matrix_reference, 100),
    "base_rates": (rate_cases.base_rates, 180),
    "attack": (attack_cases.attack, 420),
    "attack_matrix": (attack_cases.attack_matrix, 90),
    "attack_overlap": (attack_cases.attack_overlap, 90),
    "attack_soft": (attack_cases.attack_soft, 70),
    "attack_abstain": (attack_cases.attack_abstain, 60),
    "missing": (further_cases.missing, 140),
    "matrix_missing": (further_cases.matrix_missing, 60),
    "unseen": (further_cases.unseen, 30),
    "other_groups": (further_cases.other_groups, 20),
    "signed": (further_cases.signed, 10),
    "refused": (further_cases.refused, 28),
}


def make_cases() -> list[Case]:
    """Return all cases, the same in every environment."""
    cases = []
    for number, (family, (make, size)) in enumerate(FAMILIES.items()):
        for i in range(size):
            made = make(Draws(SEED, number, i))
            several = made if isinstance(made, list) else [made]
            for j, case in enumerate(several):
                case["id"] = f"{family}-{i:03d}" + "b" * j
                case["family"] = family
                case["twin"] = f"{family}-{i:03d}" if j else None
                cases.append(case)
    return cases
