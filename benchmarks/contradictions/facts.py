"""Facts, notes and the parts that explain a report."""

from __future__ import annotations

import math
import re
from typing import Any
from unicodedata import normalize

from contradictions.boxes import small, the_feature, told
from contradictions.directions import Direction, Parts, family
from contradictions.printed import are_ends, is_near, is_rate, shown, value
from contradictions.verdicts import is_level

BOTH = {"A->T", "T->A"}


# Facts.


@family(
    r"By (?P<f>.+) \(A→T\), groups are compared in the share of a (?P<noun>class|task); by "
    r"(?P<label>.+) \(T→A\), (?P<nouns>classes|tasks) are compared in the share of a group\. The "
    r"numbers of the two are not comparable\."
)
def _(d: Direction, m: Parts) -> Any:
    label = d.data["label"]
    by = d.class_noun if d.data["kind"] == "tasks" or label is None else shown(label)
    feature = "group" if d.data["feature"] is None else shown(d.data["feature"])
    return {*d.data["directions"]} == BOTH and (m["f"], m["noun"], m["label"]) == (
        feature,
        d.class_noun,
        by,
    )


@family(r"(?P<facts>[\d,]+ rows? · .*)")
def _(d: Direction, m: Parts) -> Any:
    return all(any(check(d, part) for check in FACTS) for part in m["facts"].split(" · "))


def fact(pattern: str, check: Any) -> Any:
    def holds(d: Direction, text: str) -> bool:
        match = re.fullmatch(pattern, text)
        return bool(match) and bool(check(d, match))

    return holds


def is_left_out(d: Direction, match: re.Match[str]) -> bool:
    for name in d.data["directions"]:
        of = Direction(d.summary, name)
        few = small(of)
        n, total = len(of.members) - len(few), len(of.members)
        head = f"{n:,} of {total:,} {of.nouns if total > 1 else of.noun} compared"
        first = few and match[2].startswith(f"{of.member(few[0]['name'])} (")
        listed = match[2].count(" (") + int((re.search(r"and (\d+) more", match[2]) or [0, 0])[1])
        sizes = [
            float(x)
            for x in re.findall(r"\(([\d.]+) (?:effective )?(?:rows?|clusters?)\)", match[2])
        ]
        near = all(0 <= row["size"] - x < 0.1 + 1e-6 for row, x in zip(few, sizes, strict=False))
        if match[1] == head and first and listed >= len(few) and near and few:
            return True
    return False


def n_of(match: re.Match[str]) -> float:
    return value(match[1])


FACTS = [
    fact(r"([\d,]+) rows?", lambda d, x: n_of(x) == d.data["rows"]),
    fact(
        r"([\d,]+) of [\d,]+ rows? (?:is|are) in (none|several) of these groups",
        lambda d, x: n_of(x) == d.data["in_no_group" if x[2] == "none" else "in_several_groups"],
    ),
    fact(r"([\d,]+) models", lambda d, x: n_of(x) == len(d.data["models"])),
    fact(r"(.+ compared): (.+) (?:is|are) too small", is_left_out),
    fact(
        r"predictions are (?:classes|classes, those of (.+) probabilities|(probabilities))",
        lambda d, x: is_kind(d, x[1], x[2] is not None),
    ),
    fact(r"(.+) is marked as (favourable|unfavourable)", lambda d, x: is_marked(d, x[1], x[2])),
    fact(r"compared with the labels of these rows", lambda d, x: d.true == "labels"),
    fact(
        r"compared with given rates(, without labels)?",
        lambda d, x: d.true == "given rates" and (x[1] is None) == d.is_reversed,
    ),
    fact(r"signs of BA from ([\d,]+) reference rows?", lambda d, x: n_of(x) == d.data["reference"]),
    fact(r"weighted by (.+)", lambda d, x: x[1] == shown(d.data["weights"])),
    fact(r"([\d,]+) clusters?(?: of .+)?", lambda d, x: n_of(x) == d.data["n_clusters"]),
    fact(r"([\d,]+) predictions? missing", lambda d, x: n_of(x) == sum(d.data["missing"].values())),
    fact(
        r"([\d,]+) predicted groups? missing",
        lambda d, x: n_of(x) == sum(d.data["missing_groups"].values()),
    ),
    fact(
        r"([\d,]+) rows? with missing values left out(?:, ([\d,]+) of them without a group)?",
        lambda d, x: (
            n_of(x) == d.data["left_out"] and value(x[2] or "0") == (d.data["left_out_groups"] or 0)
        ),
    ),
    fact(r"(.+) intervals", lambda d, x: is_level(d, x[1])),
]


def is_kind(d: Direction, models: str | None, are_all: bool) -> bool:
    """Return whether some models, all or none predict probabilities."""
    soft = d.data["probabilities"]
    if models is None:
        return len(soft) == (len(d.data["models"]) if are_all else 0)
    return 0 < len(soft) < len(d.data["models"]) and models.startswith(shown(soft[0]))


def is_marked(d: Direction, name: str, mark: str) -> bool:
    labels = {d.class_(row["name"]): row["name"] for row in d.data["classes"]}
    is_favorable = labels[name] == d.data["favorable"]
    return d.data["favorable"] is not None and is_favorable == (mark == "favourable")


@family(r"<c:class> is marked as (?P<mark>favourable|unfavourable)\.")
def _(d: Direction, m: Parts) -> Any:
    return is_marked(d, m["c"], m["mark"])


@family(
    r"This report compares the predictions with the <t:true>(?: of the same rows)?\. A gap is the "
    r"difference between two groups in one rate, in percentage points\. .* whether the "
    r"<u:true> are "
    r"right, or whether the model is fair\."
)
def _(d: Direction, m: Parts) -> Any:
    return m["t"] == m["u"] == d.true


TERMS = r"accuracy|A→T, T→A|certain direction|BA|band|bias amplification|DPA|equal error rates"
TERMS += r"|FPR, TPR|gap|interval|LA|MALS|Multi|point|reference"


@family(rf"(?:{TERMS}): (?:The|A|An|A→T|Of|Directional|Larger|False|Leakage) .*")
def _(d: Direction, m: Parts) -> Any:
    return True


@family(r"(?P<key>replicates|seed|biasamp-adapters|numpy): (?P<text>\S+)")
def _(d: Direction, m: Parts) -> Any:
    method = d.summary["method"]
    known = {"replicates": f"{method['n_boot']:,}", "seed": str(method["random_state"])}
    return m["text"] == (known | method["versions"])[m["key"]]


# Notes.


@family(r"<n:n> rows? with missing values (?:was|were) left out\.")
def _(d: Direction, m: Parts) -> Any:
    return value(m["n"]) == d.data["left_out"]


@family(
    r"<n:n> predict(?:ions?|ed (?P<g>group)s?) of <m:model> (?:is|are) missing; these rows count "
    r"as (?P<what>wrong|not having any \w+) and stay in every rate\."
)
def _(d: Direction, m: Parts) -> Any:
    counts = d.data["missing_groups" if m["g"] else "missing"]
    counts = {shown(model): n for model, n in counts.items()}
    noun = m["g"] or d.class_noun
    is_wrong = d.true == "labels" and noun != "task"
    what = "wrong" if is_wrong else f"not having any {noun}"
    return value(m["n"]) == counts.get(m["m"]) and m["what"] == what


@family(r"Rates are weighted by (?P<w>.+); numbers of rows are not\.")
def _(d: Direction, m: Parts) -> Any:
    return m["w"] == shown(d.data["weights"])


@family(
    r"<n:n> (?P<noun>\w+) with fewer than 15 (?P<unit>rows|clusters|effective rows) (?:is|are) not "
    r"compared in the verdict; BA and accuracy include (?:it|them)\."
)
def _(d: Direction, m: Parts) -> Any:
    few = len(small(d))
    noun = d.noun if few == 1 else d.nouns
    return value(m["n"]) == few and (m["noun"], m["unit"]) == (noun, d.data["unit"])


@family(
    r"<n:n> gaps between pairs are too many, so each (?P<noun>\w+) is compared with all rows "
    r"together\."
)
def _(d: Direction, m: Parts) -> Any:
    pairs = math.comb(len(d.members) - len(small(d)), 2)
    n = pairs * len({gap["of_class"] for gap in d.gaps})
    sides = all("all rows" in (gap["first"], gap["second"]) for gap in d.gaps)
    return value(m["n"]) == n > 5000 and sides


@family(r"<m:model> makes no errors in these rows, so no gap changes\.")
def _(d: Direction, m: Parts) -> Any:
    models = {shown(x["model"]): x["model"] for x in d.verdicts}
    accuracy = d.metric("accuracy", models[m["m"]])
    return accuracy["value"] > 1 - 1e-9  # Sums of weights round.


@family(
    r"<m:model> predicts <c:counted> for <q:rate> of the rows, against <p:rate> in the labels "
    r"\(<r:n>% as many(?:, <low:x> to <high:x>)?\)\.",
    r"The share of <c:counted> is <q:rate> in the predictions of <m:model> and <p:rate> in the "
    r"(?P<true>labels|given rates) \(<r:n>% as much(?:, <low:x> to <high:x>)?\)\.",
)
def _(d: Direction, m: Parts) -> Any:
    is_counted = d.true == "labels" and m["m"] not in map(shown, d.data["probabilities"])
    if (m["true"] is None) != is_counted or m["true"] not in (None, d.true):
        return False
    for row in d.summary["frequency"]:
        if (shown(row["model"]), d.counted(row["of_class"])) == (m["m"], m["c"]):
            q, p = row["predicted"], row["true"]
            ends = {"low": row["ratio_low"], "high": row["ratio_high"]}
            is_right = is_near(m["r"], q / p) and not 0.8 <= q / p <= 1.25
            is_right = is_right and (m["low"] is None) == (ends["low"] is None)
            is_right = is_right and (m["low"] is None or are_ends([m["low"], m["high"]], ends))
            return is_right and is_rate(m["q"], q) and is_rate(m["p"], p)
    return False


@family(
    r"(?:Groups|Classes|Tasks) '(?P<a>.*?)' and '(?P<b>.*?)' differ only in case(?: or spaces|, "
    r"spaces or (?P<form>Unicode form))\."
)
def _(d: Direction, m: Parts) -> Any:
    a, b = (" ".join(m[name].casefold().split()) for name in "ab")
    return (a == b) == (m["form"] is None) and normalize("NFC", a) == normalize("NFC", b)


@family(r"The groups of (?P<f>.+?) are numbers: (?P<names>.+)\.")
def _(d: Direction, m: Parts) -> Any:
    groups = [row["name"] for row in d.data["groups"]]
    return m["f"] == the_feature(d) and not any(isinstance(group, str) for group in groups)


@family(
    r"The accuracy of <m:model> is clearly below that of one constant prediction \(<a:rate> and "
    r"<c:rate>\); the labels may be coded the other way round\."
)
def _(d: Direction, m: Parts) -> Any:
    models = {shown(model): model for model in d.data["models"]}
    accuracy = d.metric("accuracy", models[m["m"]])
    shares = [x["true"] for x in d.summary["frequency"] if x["direction"] == "A->T"]
    constant = max(shares)  # With weights, as accuracy is.
    is_right = is_rate(m["a"], accuracy["value"]) and is_rate(m["c"], constant)
    return is_right and accuracy["high"] < constant


@family(
    r"<k:n> of <n:n> rates in BA (?:is|are) 0 in (?P<true>labels|given rates) and predictions, "
    r"which draws BA towards 0\."
)
def _(d: Direction, m: Parts) -> Any:
    if m["true"] != d.true:
        return False
    rates = [x for x in d.summary["rates"] if (x["model"], x["direction"]) == told(d)]
    zero = sum(x["true"] == 0 == x["predicted"] for x in rates)
    return value(m["k"]) == zero and value(m["n"]) == len(rates)


@family(
    r"The signs of BA come from <n:n> reference rows?; only MALS and undirected Multi also compare "
    r"with their rates\."
)
def _(d: Direction, m: Parts) -> Any:
    return value(m["n"]) == d.data["reference"]


@family(
    r"No reference was given, so the labels of these rows decide the signs of BA\.",
    r"(?P<given>The given rates are a choice; say where they come from, because BA and the gaps "
    r"depend on them\.)",
    r"The labels are taken as they are; where they record arrests or forecasts, agreement with "
    r"them "
    r"may not be the goal\.",
)
def _(d: Direction, m: Parts) -> Any:
    is_right = (d.true == "given rates") == bool(m["given"])
    return is_right and ("No reference" not in m.text or d.data["reference"] is None)


@family(r"Multi has no sign: sampling variation alone makes it positive\.")
def _(d: Direction, m: Parts) -> Any:
    return any(row["key"].startswith("multi") for row in d.summary["metrics"])


@family(
    r"Compare values of one metric, one direction and one data set only\.",
    r"A model without larger gaps need not be fair: one that repeats the gaps of its labels has BA "
    r"0\.",
)
def _(d: Direction, m: Parts) -> Any:
    return True


@family(r"(?P<name>\S+(?: [AT]→[AT]| undirected)?) is not computed: (?P<reason>.+)\.")
def _(d: Direction, m: Parts) -> Any:
    keys = {row["name"]: row["value"] for row in d.summary["metrics"]}
    return keys.get(m["name"].replace("→", "->")) is None


@family(r"y_true is not read, because given rates take its place\.")
def _(d: Direction, m: Parts) -> Any:
    return d.true == "given rates" and not any(x["key"] == "la" for x in d.summary["metrics"])


@family(r"Predictions are probabilities, so predicted rates are mean probabilities\.")
def _(d: Direction, m: Parts) -> Any:
    return bool(d.data["probabilities"])


@family(
    r"For <k:n> of <n:n> shares it is not clear whether MALS counts the group as over-represented\."
)
def _(d: Direction, m: Parts) -> Any:
    return 0 < value(m["k"]) <= value(m["n"])


@family(
    r"<k:n> of <n:n> rates in (?P<metric>BA|Multi) [TA]→[TA] (?:is|are) undefined and left out "
    r"of the mean: there are no rows of (?P<names>.+)\.",
    r"<k:n> of <n:n> shares of groups in (?P<shares>MALS|Multi undirected) (?:is|are) undefined "
    r"and left out of the mean: there are no predictions or reference rows of (?P<names>.+)\.",
)
def _(d: Direction, m: Parts) -> Any:
    rates = [x for x in d.summary["rates"] if x["direction"] == d.name]
    undefined = sum(x["true"] is None or x["predicted"] is None for x in rates)
    return (
        m["shares"] is not None
        or m["metric"] == "Multi"
        or value(m["k"]) == undefined / len(d.verdicts)
    )


@family(
    r"The accuracy of <m:model> is below chance \(1/<k:n>\), so LA and DPA have no fair baseline\.",
    r"The accuracy of the groups that <g:model> predicts is below chance \(1/<k:n>\), so DPA "
    r"T→A has "
    r"no fair baseline\.",
)
def _(d: Direction, m: Parts) -> Any:
    if m["g"] is not None:
        return value(m["k"]) == len(d.data["groups"]) and "T->A" in d.data["directions"]
    models = {shown(model): model for model in d.data["models"]}
    return d.metric("accuracy", models[m["m"]])["value"] < 1 / value(m["k"])


@family(
    r"DPA\(U\) of <m:model> is a difference of its two levels, not a ratio, where neither "
    r"predictions nor equally inaccurate labels clearly depend on the group\.",
    r"Predictions that do not vary are guessed without an error, so DPA by 1/cross-entropy is 1 "
    r"whatever the labels are; read DPA\(U\)\.",
    r"(?P<names>.+?) ha(?:s|ve) rows in fewer than 60 clusters, so (?:its|their) intervals may be "
    r"too narrow\.",
    r"y_true and y_pred(?: of <m:model>)? are the same column\.",
    r"The models (?P<names>.+?) have the same predictions in every row\.",
    r"If .+ counts rows, use Counts\.from_frame\(frame, \.\.\., count=.+\)\.",
    r"<n:n> replicates were drawn instead of <k:n>; set n_boot=<x:n> to draw all\.",
    r"Intervals draw <k:n> random blocks of (?:rows|clusters), because there are more than <n:n> "
    r"distinct (?:rows|clusters)\.",
    r"<k:n> of <n:n> replicates of [\w()→ ]+ (?:is|are) undefined and left out of its interval\.",
    r"The reference has no rows of (?P<names>.+?), so their rates count 0 in BA\.",
    r"The reference holds one \w+ only, so BA is 0 for every model\.",
    r"The data have no rows of (?P<names>.+?), which the reference has\.",
    r"In <n:n> rows?, \w+(?: of <m:model>)? holds (?P<names>.+?), which \w+ never holds; "
    r"unless missing_values= names them, they count, and LA and DPA may change much, as labels are "
    r"flipped to them too\.",
    r"All rows with \w+ (?P<names>.+?) are left out, but in <n:n> rows? \w+(?: of <m:model>)? "
    r"holds .+?: they count, and LA and DPA may change much, as labels are flipped to them too\.",
    r"<n:n> rows? of y_pred(?: of <m:model>)? holds? (?P<label>.+?), which often means a missing "
    r"value; missing_values= names such labels\.",
)
def _(d: Direction, m: Parts) -> Any:
    return True


@family(
    r"<n:n> rows? of (?P<column>.+?) holds? (?P<label>.+?), which often means a missing value; "
    r"missing_values= names such labels\."
)
def _(d: Direction, m: Parts) -> Any:
    members = [*d.data["groups"], *d.data["classes"]]
    return any((repr(x["name"]), x["rows"]) == (m["label"], value(m["n"])) for x in members)


@family(
    r"(?P<names>.+?) ha(?:s|ve) no (?P<kind>positives|negatives), so the difference of "
    r"(?P<measure>true|false) positive rates has no value\."
)
def _(d: Direction, m: Parts) -> Any:
    name = f"{m['measure']}_positive_rate"
    missing = [
        d.group(group)
        for row in d.summary["largest"]
        if row["measure"] == name
        for group, rate in zip(row["groups"], row["rates"], strict=True)
        if rate is None
    ]
    has_kind = (m["kind"] == "positives") == (m["measure"] == "true")
    names = re.sub(r" and \d+ more$", "", m["names"])
    return has_kind and all(name in missing for name in re.findall(d.patterns["group"], names))


@family(
    r"(?:Find out why,? )?(?:[Ww]ithin rows (?:labelled|of) (?P<k><l:kind>|<g:group>), )?"
    r"[Pp]redict(?:ion|ed group)s(?: of <m:model>)? are missing for <f:rate> of <a:member> and "
    r"<s:rate> of <b:member>(?:; BA of the answered rows is <x:x> points?)?\."
)
def _(d: Direction, m: Parts) -> Any:
    for row in d.summary["missing"]:
        if row["direction"] != d.name:
            continue
        kind, names = row["labelled"], [d.member(row["first"]), d.member(row["second"])]
        is_same = m["m"] in (None, shown(row["model"]))
        if kind is not None:
            kind = d.group(kind) if d.is_reversed else d.kind(kind)
        is_same &= m["k"] == kind
        if is_same and names == [m["a"], m["b"]]:
            shares = is_rate(m["f"], row["first_rate"]) and is_rate(m["s"], row["second_rate"])
            return shares and (m["x"] is None or is_near(m["x"], row["ba"]["value"]))
    return False


@family(
    r"(?:Within rows labelled <k:kind>, )?<f:rate> of <a:group> and <s:rate> of <b:group> are left "
    r"out, as values are missing; this alone can change a gap\."
)
def _(d: Direction, m: Parts) -> Any:
    for row in d.summary["left_out"]:
        names = [d.group(row["first"]), d.group(row["second"])]
        kind = None if row["labelled"] is None else d.kind(row["labelled"])
        if kind == m["k"] and names == [m["a"], m["b"]]:
            return is_rate(m["f"], row["first_rate"]) and is_rate(m["s"], row["second_rate"])
    return False


@family(
    r"Shares of missing values are not compared between groups, as (?:there are more than 100|"
    r"(?P<saved>saved or added counts keep only the number of rows left out))\."
)
def _(d: Direction, m: Parts) -> Any:
    n_large = sum(row["size"] >= 15 for row in d.data["groups"])
    return d.data["left_out_groups"] is None if m["saved"] else n_large > 100


@family(r"The signs of BA are those of (?P<rows>all rows|the reference)\.")
def _(d: Direction, m: Parts) -> Any:
    has_reference = d.data["reference"] is not None
    return bool(d.summary["strata"]) and has_reference == (m["rows"] == "the reference")
