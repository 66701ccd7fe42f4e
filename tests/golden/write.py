"""Write the outputs that ``test_golden.py`` compares with: ``python tests/golden/write.py``.

``--texts`` writes only what is said, for a change of words that leaves all numbers as they are;
names of sections write only those. What then has changed, ``git diff`` shows line by line.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import golden_outputs as golden
from golden_compare import Draw, held

FOLDER = Path(__file__).parent / "data"

#: Seeds whose texts, and whether they give an interval, are compared. What is another one with a
#: share p of seeds goes unnoticed, and then differs, with a chance of p (1 - p)^40: under 1 %.
SEEDS = range(1, 41)


def outputs(section: golden.Section) -> dict[str, Any]:
    """The outputs of a section, with the ranges of what is drawn."""
    found = section.outputs(Draw())
    if not section.drawn:
        return held(found, found, found, [])
    inner, outer = (section.outputs(Draw(shift=shift)) for shift in (-1, 1))
    return held(found, inner, outer, [section.outputs(Draw(seed)) for seed in SEEDS])


def lines(tree: dict[str, Any], depth: int = 2) -> Iterator[str]:
    """JSON with a line for each entry of the second level."""
    yield "{"
    for i, (name, value) in enumerate(tree.items()):
        comma = "," if i < len(tree) - 1 else ""
        nested = list(lines(value, depth - 1)) if depth > 1 and isinstance(value, dict) else []
        text = "\n".join(nested) or json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        yield f"{json.dumps(name, ensure_ascii=False)}:{text}{comma}"
    yield "}"


def main() -> None:
    """Write what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*golden.SECTIONS, "files", []])
    parser.add_argument("--texts", action="store_true", help="write only what is said")
    asked = parser.parse_args()
    for name in asked.sections or golden.SECTIONS:
        if name == "files":
            continue
        tree = outputs(golden.SECTIONS[name])
        parts = {"texts": golden.texts_of(tree)}
        if not asked.texts:
            parts["numbers"] = golden.numbers_of(tree)
        for part, written in parts.items():
            path = FOLDER / f"{name}-{part}.json"
            if written:
                path.write_text("\n".join(lines(written)) + "\n", encoding="utf-8")
    if "files" in asked.sections:
        # Only on request: files of a format are to be read by all later versions.
        for name, counts in golden.quietly(golden.saved).items():
            for ending in ("json", "parquet"):
                golden.quietly(counts.save, golden.FILES / f"{name}.{ending}")


if __name__ == "__main__":
    main()
