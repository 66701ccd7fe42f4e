"""Numbers, names and plurals, by the section of the design that lists them."""

import ast
import math
import re
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from biasamp_adapters import figures, words
from biasamp_adapters.figures import Digits


def number(value, low=None, high=None):
    return {"value": value, "low": low, "high": high}


@pytest.mark.parametrize(
    ("half_width", "decimals"),
    [(0.05, 0), (0.025, 0), (0.0249, 1), (0.0025, 1), (0.00249, 2), (0.00025, 2), (0.0, 1)],
)
def test_decimals_follow_the_half_width(half_width, decimals):
    assert Digits.of(number(0.1, 0.1 - half_width, 0.1 + half_width)).decimals == decimals


def test_several_numbers_have_the_decimals_of_the_finest():
    assert Digits.of(number(0, -0.1, 0.1), number(0, -0.01, 0.01), number(0)) == Digits(1)
    assert Digits.of(number(0)) == Digits(1)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (number(0.1163, 0.0864, 0.1462), "+12 (+9 to +15)"),
        (number(-0.0424, -0.0601, -0.0247), "−4.2 (−6.0 to −2.5)"),
        (number(0.03, -0.00047, 0.0605), "+3 (−0.05 to +6)"),
        (number(0.0, 0.0, 0.0), "0 (0 to 0)"),
        (number(-0.0001, -0.03, 0.03), "0 (−3 to +3)"),
        (number(0.06), "+6.0"),
        (number(-0.0, -0.0, 0.0), "0 (0 to 0)"),
        (number(0.05, 1e-9, 0.1), "+5 (+0.0000001 to +10)"),
        (number(0.05, 1e-17, 0.1), "+5 (0 to +10)"),
        (number(0.1, 0.1, 0.1 + 1e-16), "+10.0 (+10.0 to +10.0)"),
        (number(2.5e-9, 0.0, 5e-324), "0.0 (0 to 0)"),
        (number(-1.0, -1.0, -0.9), "−100 (−100 to −90)"),
    ],
)
def test_change_has_a_sign_and_its_interval(change, text):
    assert Digits.of(change).change(change) == text


def test_point_is_singular_after_exactly_1():
    sizes = [Digits(0).size(value) for value in (0.01, -0.01, 0.0, 0.24)]
    assert sizes == ["1 point", "1 point", "0 points", "24 points"]
    assert [Digits(1).size(value) for value in (0.01, 0.004)] == ["1.0 points", "0.4 points"]
    assert Digits(0).by(number(-0.24, -0.27, -0.21)) == "24 points (21 to 27)"


def test_end_that_is_not_its_bound_does_not_print_as_it():
    assert Digits(0).end(-0.0004, "+") == "−0.04"
    assert Digits(0).end(0.0204, bound=0.02) == "2.04"
    assert Digits(0).end(0.02, bound=0.02) == "2"
    assert Digits(0).end(0.0012, "+", bound=0.05) == "+0.1"
    assert figures.ratio(0.8004) == "0.8004"
    assert figures.ratio(0.8) == "0.80"
    assert figures.ratio(0.80000001) == "0.80000001"
    assert figures.ratio(0.7951) == "0.795"


@pytest.mark.parametrize(
    ("share", "decimals", "text"),
    [
        (0.514, 0, "51%"),
        (0.004, 1, "0.4%"),
        (0.0, 0, "0%"),
        (1.0, 2, "100%"),
        (0.001, 0, "under 1%"),
        (0.9996, 0, "over 99%"),
        (0.99999, 1, "over 99.9%"),
        (-0.0, 0, "0%"),
        (1 + 1e-16 * 3, 0, "100%"),
        (1e-9, 2, "under 0.01%"),
        (None, 0, "–"),
    ],
)
def test_only_rates_of_exactly_0_or_1_print_as_such(share, decimals, text):
    assert figures.percent(share, decimals) == text


def test_error_rate_below_1_per_cent_has_a_decimal():
    rates = (0.448, 0.0042, 0.0, 0.9994)
    assert [*map(figures.error_rate, rates)] == ["45%", "0.4%", "0%", "over 99%"]


@given(st.floats(-1, 1), st.integers(0, 3), st.sampled_from(["", "+"]))
def test_number_is_that_of_python_with_a_minus_sign(value, decimals, sign):
    text = Digits(decimals).number(value, sign)
    assert float(text.replace("−", "-")) == pytest.approx(100 * value, abs=0.51 * 10**-decimals)
    assert not re.fullmatch(r"[+−]0(\.0*)?", text)


@given(st.floats(-1, 1).filter(bool), st.integers(0, 2))
def test_end_has_the_side_of_0_that_it_lies_on(value, decimals):
    assume(abs(value) > 1e-7)
    text = Digits(decimals).end(value).replace("−", "-")
    assert math.copysign(1, float(text)) == math.copysign(1, value)
    assert float(text) != 0


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("Caucasian", "Caucasian"),
        (" Male", "' Male'"),
        ("", "''"),
        ("Male and Female", "'Male and Female'"),
        ("a, b", "'a, b'"),
        ("one to two", "'one to two'"),
        ("x" * 40, "x" * 40),
        ("x" * 41, "x" * 24 + "…" + "x" * 15),
        ("x" * 23 + " " + "y" * 40 + " unit 0", "x" * 23 + "…" + "y" * 8 + " unit 0"),
        ("x, " + "y" * 40, "'x, " + "y" * 21 + "…" + "y" * 15 + "'"),
        (("A and B", 1), "'A and B × 1'"),
        ("\x00", "' '"),
        (("Other", 1), "Other × 1"),
        ("a\nb\u202ec", "a b c"),
        (True, "True"),
    ],
)
def test_name_cannot_be_taken_for_two(label, text):
    assert figures.name(label) == text


def test_names_that_are_cut_stay_apart():
    names = tuple(f"{'x' * 30} {middle} {'y' * 30}" for middle in "ab")
    cut = [figures.name(name, among=(*names, "z" * 99)) for name in (*names, "z" * 99)]
    # 40 letters leave no middle; of 80, 49 and 30 remain.
    assert cut == [*names, "z" * 49 + "…" + "z" * 30]


def test_group_that_is_a_number_prints_with_its_feature():
    assert figures.name(1, "sex") == "sex = 1"
    assert figures.name((1, 0), "sex × old") == "sex × old = 1 × 0"
    assert figures.name("1", "sex") == "1"


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("", ""),
        ("A", "A"),
        ("AB", "A and B"),
        ("ABC", "A, B and C"),
        ("ABCD", "A, B, C and 1 more"),
        ("ABCDEFG", "A, B, C and 4 more"),
    ],
)
def test_list_names_at_most_three(names, text):
    assert figures.join(names) == text


def test_nouns_and_verbs_agree_with_their_number():
    assert figures.count(1, "class") == "1 class"
    assert figures.count(2145, "gap") == "2,145 gaps"
    assert figures.count(0, "class") == "0 classes"
    assert [figures.agree(n, "grows", "grow") for n in (0, 1, 3)] == ["grow", "grows", "grow"]


def test_words_each_name_is_given_once() -> None:
    tree = ast.parse(Path(words.__file__).read_text(encoding="utf-8"))
    names = [
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    assert len(names) == len(set(names))
