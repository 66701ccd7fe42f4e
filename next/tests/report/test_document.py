"""Scales and tables of documents."""

from __future__ import annotations

import pytest

from biasamp_adapters.report.document import Cell, Column, Scale, Table


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.12, 0.59], ["0%", "10%", "20%", "30%", "40%", "50%", "60%"]),
        ([0.004, 0.011], ["0%", "0.2%", "0.4%", "0.6%", "0.8%", "1%", "1.2%"]),
        ([0.0, None], ["0%", "0.2%"]),
        ([-0.05, 0.1], ["−5%", "0%", "5%", "10%"]),
        ([0.0, 1.0], ["0%", "20%", "40%", "60%", "80%", "100%"]),
    ],
)
def test_scale_values_has_round_ticks(values, ticks):
    assert [text for _, text in Scale.over(values, "%").ticks] == ticks


def test_scale_symmetric_has_0_in_the_middle():
    scale = Scale.over([0.09, 0.15], symmetric=True, most=4)
    assert [text for _, text in scale.ticks] == ["−20", "0", "20"]
    assert scale.share(0.0) == 0.5


def test_scale_value_outside_lies_at_the_end():
    assert Scale(0.0, 0.5).share(0.6) == 1.0


def test_table_first_rows_counts_all():
    table = Table("", [Column("a")], [[Cell(str(i))] for i in range(5)]).first(2)
    assert (len(table.rows), table.total, table.is_short) == (2, 5, True)


def test_table_without_pictures_keeps_text():
    columns = [Column("group"), Column("", "chart", Scale(0.0, 1.0)), Column("rate", "number")]
    table = Table("", columns, [[Cell("A"), Cell(), Cell("51 → 59%")]]).without_pictures()
    assert [column.head for column in table.columns] == ["group", "rate"]
    assert [cell.text for cell in table.rows[0]] == ["A", "51 → 59%"]
