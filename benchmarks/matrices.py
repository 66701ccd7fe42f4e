"""Label matrices: one product for all pairs, against the formulas of the papers in loops."""

from __future__ import annotations

from functools import partial
from typing import Any

import biasamp_adapters as bam
from benchmarks import formulas
from benchmarks.data import TASKS, images
from benchmarks.measure import median, processor_time, side_by_side
from benchmarks.released import coco, w21
from benchmarks.table import Scale, Table, seconds

#: Of both directions of 66 tasks: seconds that the released code took when it was measured, in
#: another run on the same kind of machine, and the ratio to reach.
_RELEASED = {10_000: (0.19, ">= 30"), 1_000_000: (23.0, ">= 60")}

_BOTH = ("A->T", "T->A")


def by_counts(truth: Any, predicted: Any, group: Any, guess: Any) -> tuple[float, float]:
    """BA-> of both directions from one count of the rows."""
    counts = bam.CooccurrenceCounts.from_arrays(truth, predicted, group, guess)
    first, second = (
        bam.DirectionalBiasAmplification(direction=each).from_counts(counts).value for each in _BOTH
    )
    return first, second


def directional(table: Table, scale: Scale) -> None:
    """BA-> of 66 tasks in both directions, and its bootstrap."""
    code = w21()
    for n_rows, (released, goal) in _RELEASED.items():
        if scale.quick and n_rows > 10_000:
            table.text(f"  n = {n_rows:.0e} is left out of a short run")
            continue
        data = images(n_rows)
        ours, loops = partial(by_counts, *data), partial(formulas.directional, *data)
        table.close(f"BA-> of 66 tasks equals masks, n = {n_rows:.0e}", ours(), loops())
        mine, theirs = side_by_side(ours, loops, times=15 if n_rows < 100_000 else 3)
        what = f"BA-> both ways, {TASKS} tasks, n = {n_rows:.0e}"
        table.ratio(f"{what}, our own masks / counts", theirs / mine, "", seconds(theirs, mine))
        if code is not None:
            table.close("the released code gives the same", ours(), code(*data))
            mine, theirs = side_by_side(ours, partial(code, *data), times=7, limit=120)
            table.ratio(f"{what}, released / counts", theirs / mine, goal, seconds(theirs, mine))
        # Only what is measured in this run is judged, where it can be.
        table.ratio(
            "  the released code as measured in another run / counts",
            released / mine,
            "" if code else goal,
            seconds(released, mine),
        )
    _real(table, code)
    data = images(10_000)
    metric = bam.DirectionalBiasAmplification()
    drawn = median(
        partial(metric.result, *data[:2], sensitive_features=data[2], n_boot=1_000), times=3
    )
    once = median(partial(formulas.directional, *data), 3)
    what = f"a replicate by masks / by products, {TASKS} tasks, n = 1e+04"
    table.ratio(what, once / (drawn / 1_000), "", seconds(once, drawn / 1_000))


def _real(table: Table, code: Any) -> None:
    """The same on the labels and captions of COCO, which have far fewer ones."""
    if code is None:
        table.text("  COCO is left out: BIASAMP_W21 names no file")
        return
    try:
        data = coco()
    except FileNotFoundError as error:
        table.text(f"  COCO is left out: {error}")
        return
    ours, theirs = partial(by_counts, *data), partial(code, *data)
    table.close("the released code gives the same on COCO", ours(), theirs())
    mine, released = processor_time(ours, theirs)
    what = (
        f"BA-> both ways, COCO, {data[0].shape[1]} tasks, n = {len(data[0]):,}, released / counts"
    )
    table.ratio(what, released / mine, ">= 30", seconds(released, mine))


def loops(table: Table, scale: Scale) -> None:
    """MALS and Multi of a few rows, against loops over the rows."""
    del scale
    data = images(2_000, 12)
    truth, predicted, group, guess = data
    sensitive = {"sensitive_features": group, "sensitive_features_pred": guess}
    mals = partial(bam.MALS(), truth, predicted, **sensitive)
    table.close("MALS equals a loop over rows", mals(), formulas.mals(*data))
    mine, theirs = side_by_side(mals, partial(formulas.mals, *data), times=3)
    what = "MALS, 12 tasks, loop over rows / counts, n = 2e+03"
    table.ratio(what, theirs / mine, "", seconds(theirs, mine))
    metrics = [bam.MultiAttributeBiasAmplification(direction=each) for each in _BOTH]

    def multi() -> list[float]:
        return [metric(truth, predicted, **sensitive) for metric in metrics]

    table.close("Multi equals a loop over rows", multi(), formulas.multi(*data))
    mine, theirs = side_by_side(multi, partial(formulas.multi, *data), times=3)
    what = "Multi both ways, 12 tasks, loop over rows / counts, n = 2e+03"
    table.ratio(what, theirs / mine, "", seconds(theirs, mine))
