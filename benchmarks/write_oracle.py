"""Write the numbers that the package at commit 6d3b716 gives for random cases.

It needs an environment of that package, which the first two lines make at the root of the
repository:

    python3.11 -m venv old
    old/bin/pip install "git+file://$PWD@6d3b716af94fa3f5275a667539e5022b3c233d28"
    PYTHONPATH=tests old/bin/python benchmarks/write_oracle.py

A case is that of its seed (``random_rows.draw_large_case``). Numbers are those of
``package_values.package_numbers``; one that is a mean over drawn flips is stored as the mean over
1,000 others and their standard deviation. Cases that the package refuses have no numbers.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import biasamp_adapters as bam

if hasattr(bam, "Indicators"):  # The names of commit 6d3b716.
    bam.OverlappingGroups, bam.MALSBiasAmplification = bam.Indicators, bam.MALS

import package_values
from fraction_case import Case
from random_rows import draw_large_case

VALUES = Path(__file__).parents[1] / "tests" / "oracle" / "values.json.gz"

#: Of the names and contents of the package's files at commit 6d3b716.
_CHECKSUM = "aa6727cca611d464bf2da34fca20c2ddbfe6477d2f5cdb004b2a524c88674a86"

N_CASES, N_BOOT, N_TRIALS = 540, 400, 1000

#: Of a table of pairs, at most about so many numbers are stored.
_MOST_NUMBERS = 60

#: Names of that package.
_SETTINGS = {"class_labels": "labels", "group_labels": "groups"}
_COLUMNS = {"attribute": "group", "task": "class", "delta": "change"}


def check_package() -> None:
    """Stop unless the package is that of commit 6d3b716."""
    root, digest = Path(bam.__file__).parent, hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    if digest.hexdigest() != _CHECKSUM:
        sys.exit(f"the package in {root} is not that of commit 6d3b716. {__doc__}")


def numbers_of(case: Case) -> dict[str, Any]:
    """Return the numbers of a case, and the interval of its value."""
    case = case.kept()
    settings = {_SETTINGS.get(k, k): x for k, x in package_values.settings_of(case).items()}
    metric = package_values.CLASSES[case.name](**settings)
    result = metric.result(
        **{"y_true": None, **package_values.arguments(case)},
        clusters=case.clusters,
        n_boot=N_BOOT,
        random_state=0,
    )
    further = {"equal_errors": result.blind_errors, "excess": result.excess}
    further |= {"variance": result.spread, **result.levels}
    numbers: dict[str, Any] = {"value": result.value, "interval": result.interval}
    numbers |= {name: x.value for name, x in further.items() if x is not None}
    if case.options.get("equalize") == "sampled" and result.measurement.mode != "expected":
        drawn = replace(result.measurement, n_trials=N_TRIALS, random_state=1).drawn_scores
        return numbers | {name: [float(x.mean()), float(x.std())] for name, x in drawn.items()}
    table = result.by_pair.rename(columns=_COLUMNS)
    for name in ("group", "class"):
        table[name] = [" + ".join(x) if isinstance(x, tuple) else x for x in table[name]]
    if case.name == "Multi":  # Its pairs have no signs.
        table = table.drop(columns="sign")
    of_pairs = package_values.numbers_of_pairs(table)
    chosen = list(of_pairs)[:: len(of_pairs) // _MOST_NUMBERS + 1]
    return numbers | {name: of_pairs[name] for name in chosen}


def write() -> None:
    """Write the numbers of all cases, and print how many the package refuses."""
    check_package()
    records, errors = {}, {}
    for seed in range(N_CASES):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                records[seed] = numbers_of(draw_large_case(seed))
            except ValueError as error:
                errors[seed] = error
    with VALUES.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as archive:
        archive.write(json.dumps(records, separators=(",", ":")).encode())
    for seed, error in errors.items():
        print(f"refused: {seed}: {error}"[:150])
    print(f"{len(records)} cases in {VALUES}, {VALUES.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    write()
