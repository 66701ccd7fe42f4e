"""Every sentence of the product, so that an editor can read them in one sitting."""

from __future__ import annotations

# Codes, statuses and directions in words.

#: The code of a model, as a tag and after "shows".
VERDICTS = {
    "amplifies": "larger gaps",
    "reduces": "smaller gaps",
    "reverses": "reversed gaps",
    "mixed": "mixed changes",
    "no_clear_change": "no clear change",
    "cannot_say": "no verdict",
}
SHOWS, CANNOT_BE_JUDGED = ("shows {words}", "show {words}"), "cannot be judged"
#: What models show of whose several gaps not all change.
IN_PART = {code: f"some {VERDICTS[code]}" for code in ("amplifies", "reduces", "reverses")}
#: What models show of which no single gap clearly changes.
IN_MEAN = {kind: f"{VERDICTS[kind]} on average" for kind in ("amplifies", "reduces")}
#: What happens to one gap and to several, in the order in which they are counted.
STATUSES = {x: (x, x.removesuffix("s")) for x in ("grows", "appears", "shrinks", "reverses")}
NOT_CLEAR, SIZE_NOT_CLEAR = "not clear", "size not clear"
THE_GAP, SOME_GAPS, SOME = "the gap {verb}", "some gaps {verb}", "some {verb}"
GAPS_ON_AVERAGE = "the gaps {verb} on average"
DIRECTIONS = {"A->T": "A→T", "T->A": "T→A", "undirected": "undirected"}
LABELS, GIVEN_RATES = "labels", "given rates"
LARGER, SMALLER, REVERSED, ABOVE, BELOW = "larger", "smaller", "reversed", "above", "below"
OF_DIRECTION, OF_MODEL = "{direction}: {sentence}", "{model}: {sentence}"

# Groups, classes and tasks.

CLASS, AFTER_NOUN = "{label} = {value}", "{noun} {value}"
WITH, WITHOUT, OTHER_THAN = "with {value}", "without {value}", "other than {value}"
THE_FEATURE = "the sensitive feature"
BOTH, ALL = "both {members}", "all {members}"
FAVOURABLE, UNFAVOURABLE = "favourable", "unfavourable"
MARKED = "{class_} is marked as {favourable}"

# Facts lines. Parts are joined by " · ".

TITLE = "{subject} by {feature}"
TITLE_PREDICTED = "{title}, and {feature} predicted"
GROUPS_LEFT_OUT = "{n:,} of {members} compared: {names} {are} too small"
NAME_AND_SIZE = "{name} ({size})"
KIND, PROBABILITIES_KIND = "predictions are classes", "predictions are probabilities"
KINDS = "predictions are classes, those of {models} probabilities"
COMPARED_WITH_LABELS = "compared with the labels of these rows"
COMPARED_WITH_RATES = "compared with given rates"
WITHOUT_LABELS = f"{COMPARED_WITH_RATES}, without labels"
SIGNS_FROM = "signs of BA from {rows}"
WEIGHTED_BY = "weighted by {column}"
CLUSTERS_OF = "{clusters} of {column}"
MISSING_PREDICTIONS = "{predictions} missing"
LEFT_OUT = "{rows} with missing values left out"
LEFT_OUT_WITHOUT_GROUP = f"{LEFT_OUT}, {{n:,}} of them without a group"
IN_NO_GROUP = "{n:,} of {rows} {are} in none of these groups"
IN_SEVERAL_GROUPS = "{n:,} of {rows} {are} in several of these groups"
LEVEL = "{level} intervals"
HEAD_OF_DIRECTION = "{subject} by {by} ({direction})"
TWO_DIRECTIONS = (
    "By {feature} (A→T), groups are compared in the share of a {class_}; by {task} (T→A), "
    "{classes} are compared in the share of a group. The numbers of the two are not comparable."
)

# The verdict on one gap. {gap} is GAP, GAP_IN_SHARE, or shorter.

HEADLINE = "In these rows, {headline}."
NO_ERRORS = "{model} makes no errors, so no gap changes"
ONE_PREDICTION = "{model} predicts {what} for every row, so all predicted gaps are 0"
SAME_TASKS = "the same tasks"
GAP_ALONE, GAP_BETWEEN = "gap", "gap between {a} and {b}"
GAP, GAP_IN_SHARE = f"{GAP_BETWEEN} in {{of}}", f"{GAP_BETWEEN} in the share of {{of}}"
CHANGES = "the {gap} {verb} from {dp} in the {true} to {dq} in the predictions"
APPEARS = "a {gap} appears in the predictions: the {true} show no clear gap"
SHRINKS_AWAY = "the {gap} shrinks: it is {dp} in the {true}, and the predictions show no clear gap"
SHRINKS_UNCLEAR = "the {gap} shrinks from {dp}{first_higher} to {dq}{then_higher}"
HIGHER_FOR = " (higher for {name})"
REVERSES = "the {gap} reverses: the {given} is higher for {a}, the predicted {rate} for {b}"
RATE, SHARE_OF = "rate", "share of {of}"
IN_THE_LABELS, GIVEN = "{rate} in the labels", "given {rate}"
UNCLEAR = "the {gap} does not clearly {verb}"
#: What gaps that are not clear do not do. A rate may move clearly though it is not clear which
#: side has the higher one, and so whether the gap grows.
CHANGE_AT_ALL, GROW_OR_SHRINK = ("change", "changes"), ("grow or shrink", "grows or shrinks")
RATES = "Compared with the {true}, {of} is predicted {first} and {second}."
RATES_SHARE = "Compared with the {true}, the share of {of} is {first} and {second}."
RATES_PROBABILITY = RATES_SHARE.replace("share", "mean probability")
RATE_OF = "{how}for {name} ({rates}; {rows})"
#: Words for a rate that rises, falls or stays.
OFTEN = ("more often ", "less often ", "equally often ")
HIGH = ("higher ", "lower ", "equally high ")
LARGE = ("larger ", "smaller ", "the same ")
FROM_TO = "{p} to {q}"
CHANGE = "The gap changes by {change}."
CHANGE_APPEARS = "The gap in the predictions is larger than in the {true} by at least {low}."
CHANGE_REVERSES = "The gap goes from {dp} for {a} to {dq} for {b}, a change of {change}."
CHANGE_SIGNED = "As {a} minus {b}, the gap goes from {dp} to {dq}, a change of {change}."
EXCLUDED = "change of more than {bound} is excluded at the {level} level; a smaller one is possible"
BOUND_ONE, BOUND_SEVERAL = f"A {EXCLUDED}.", f"For every gap, a {EXCLUDED}."
ERRORS = "Among rows labelled {kind}, {shares}{mark}"
ERRORS_SHARES = "{first} of {a} and {second} of {b} are predicted {pos}"
ERRORS_PROBABILITY = "the mean probability of {pos} is {first} for {a} and {second} for {b}"
ERRORS_OTHER = "; among rows labelled {kind}, {first} and {second}{mark}"
NO_CLEAR_DIFFERENCE = " (no clear difference)"
NO_CLEAR_DIFFERENCE_IN_EITHER = " (no clear difference in either)"
IS_EXCHANGED = "is exchanged; the size of the gap alone does not show it."
CLOSING = {
    "amplifies": (
        "Larger means further apart than in the {true}; whether the {true} are right is not tested."
    ),
    "reduces": "Smaller is not better by itself: random predictions also shrink gaps.",
    "reverses": f"The order of the {{members}} {IS_EXCHANGED}",
    "mixed": (
        "Mixed does not mean balanced: a gap that shrinks or reverses does not make up for another "
        "that grows."
    ),
    "no_clear_change": "Not clear is not the same as no change.",
}
CLOSING_SEVERAL_REVERSE = f"Where a gap reverses, the order of the two {{members}} {IS_EXCHANGED}"

# The verdict on several gaps.

BETWEEN_MEMBERS, BETWEEN = "between {members}", "between {a} and {b}"
COUNT, COUNT_NEXT = "{n:,} of {gaps} {scope} clearly {verb}", "{n:,} clearly {verb}"
COUNT_UNCLEAR = "{n:,} {do} not clearly {verb}"
ON_AVERAGE = "{counts}, but the {gaps} {verb} on average: {mean}"
MEAN_ONLY = "no single gap {scope} clearly {changes}, but the {gaps} {verb} on average: {mean}"
ALL_GAPS, GAPS_IN_MEAN = "gaps", "{gaps} with a certain direction"
NONE_CHANGES = "no gap {scope} clearly {changes}"
MEAN = "The mean change of the {gaps} with a certain direction is {mean}."
NO_MEAN = "No gap has a certain direction, so there is no mean change."
MOST_CERTAIN = "Most certain change{model}: {headline}."
MOST_CERTAIN_TO = "Most certain change to a {kind} gap{model}: {headline}."
BOUND_OTHERS = (
    "For the {unclear} that {do} not clearly {verb}, a change of more than {bound} is excluded."
)

# The verdict on several models, or on none.

MODELS = "Compared with the {true}, {models}."
LABELS_OF_THESE_ROWS = "labels of these rows"
MODELS_ACCURACY = "{models}; accuracy is {low} for {low_model} and {high} for {high_model}"
MODELS_COUNTED = "{n:,} of {models} {verdict}"
DIFFERENCE = (
    "BA of {model} differs from that of {first} by {size} ({ends}, a band for {models}){others}."
)
AND_ACCURACIES = "; the accuracies are {a} and {b}"
NO_DIFFERENCE = "BA of no model clearly differs from that of {first}."
NO_GAP_JUDGED = "No gap can be judged in these {rows}"
NEEDS_TWO_SUCH = "a gap needs two such {members}"
#: By the reason; the second sentence on too few rows is for one {member} that has enough.
NO_VERDICT = {
    "one_group": "There is no gap to judge: these rows hold one {member} only ({name}).",
    "too_few_rows": f"{NO_GAP_JUDGED}: no {{member}} has {{least}} {{unit}}, and {NEEDS_TWO_SUCH}.",
    "too_few_rows_but_one": (
        f"{NO_GAP_JUDGED}: only {{name}} has {{least}} {{unit}} or more, and {NEEDS_TWO_SUCH}."
    ),
    "too_many_gaps": (
        "The gaps cannot be judged: even where each {member} is compared with all rows together "
        "there are {n:,}, and at most {most:,} are judged."
    ),
    "no_interval": "The gaps cannot be judged without intervals: {reason}.",
}

# BA.

BA_HALF = "BA is {ba}, half the change of the gap{its_own}."
BA_ITS_OWN = "; its own interval differs a little from half of the gap's"
BA_LINE = "BA is the mean change of the rates along the correlations of {signs}{half}. {ba_is_not}"
BA_LINE_HALF = "; with two groups and two classes it is half of the change of the gap"
BA_IS_NOT = "It is not balanced accuracy, and 0 is not a pass."
BA = "BA is {ba}: the mean change of rates, with the signs of {signs}."
BA_ALONE_CLEAR = "BA is clearly {side} 0, but no gap clearly {changes}. {why}"
MOVE_TOGETHER = "Rates can move together without a change in any gap."
MEAN_IS_CLEAR = "A mean can be clear where none of its parts is."
BA_AGAINST = (
    "BA is clearly {side} 0, but {gaps}. BA averages changes of rates with the signs of {signs}; "
    "the verdict compares sizes of gaps."
)
BA_SIDE_UNCLEAR = (
    "BA is clearly {side} 0, but the gap does not clearly grow or shrink, "
    "as it is not clear which group has the higher rate."
)
BA_BARELY = "BA is barely {side} 0; by the wider band of the gap this is not clear."
BA_UNCLEAR = "BA is not clearly different from 0, but {gaps}. A mean can hide opposite changes."
BA_SIGNS = (
    "The sign of {k:,} of {m:,} rates in BA is not clear, so BA may have the wrong sign there."
)
THE_LABELS, THE_REFERENCE, THE_GIVEN_RATES = "the labels", "the reference", "the given rates"

# Equal error rates.

EQUAL_ERRORS = "With the same {error} rates in {both}, the {gap} would be {size}."
EQUAL_ERRORS_BY = (
    "The gap in the predictions is {size} {word} ({ends}) than with equal {error} rates."
)
EQUAL_ERRORS_UNCLEAR = (
    "The gap in the predictions does not clearly differ from that with equal {error} rates "
    "(difference {difference}, {limits})."
)
EQUAL_ERRORS_SIGNED = (
    "As {a} minus {b}, the gap in the predictions differs from that with equal {error} rates by "
    "{change}."
)
EQUAL_ERRORS_BA = (
    "With the same {error} rates in {both}, BA would be {equal}. The excess of BA is {excess}."
)
ERROR, ERROR_AND_MISSING = "error", "error and missing"
OTHER_WAY_ROUND = "{size} the other way round"

# Score or threshold.

SCORE_CLEAR = "The gap that the scores imply is {gap}: the change from the {true} is {change}."
SCORE_UNCLEAR = (
    "The gap that the scores imply, {gap}, does not clearly differ from that of the {true}: "
    "the change is {change}."
)
THRESHOLD_CLEAR = (
    "In the decisions at {rule}, the gap is {size} {word} ({ends}) than the scores imply."
)
THRESHOLD_UNCLEAR = (
    "In the decisions at {rule}, the gap does not clearly differ from what the scores imply: "
    "the change is {change}."
)
THRESHOLD_SIGNED = (
    "As {a} minus {b}, the gap in the decisions at {rule} differs from what the scores imply by "
    "{change}."
)
TO_SCORES, TO_DECISIONS = "the {true} to the scores", "the scores to the decisions"
#: By whether the first step is clear, and whether the second one is.
LEADS = {
    (False, True): f"The gap clearly grows from {TO_DECISIONS}, and not clearly from {TO_SCORES}.",
    (True, False): f"The gap clearly grows from {TO_SCORES}, and not clearly from {TO_DECISIONS}.",
    (True, True): (
        f"The gap clearly grows in both steps: from {TO_SCORES}, and on to the decisions."
    ),
    (False, False): (
        f"The gap clearly grows in neither step alone, from {TO_SCORES} or on to the decisions."
    ),
}
SCORES_IMPLY = (
    "In the gap that the scores imply, each row counts with the share of {of} among all rows of "
    "the same or a similar score."
)
OR_MORE, MORE_THAN = "{threshold} or more", "more than {threshold}"
NOT_SEPARATED = "Score and threshold are not separated: {reason}."
NEEDS_TWO_CLASSES, NEEDS_SCORE = "it needs two classes", "it needs y_score"
FEW_ROWS_OF_SCORE = "there are fewer than {n} rows"
TWO_VALUES = "the score has two values only"
NO_GAP_NAMED, UNCLEAR_IN_LABELS = "no gap is named", "the gap is not clear in the labels"
NO_ONE_THRESHOLD = "the decisions do not follow one threshold of the score"

# Largest differences between groups.

MEAN_PROBABILITIES = "mean probabilities"
LARGEST_TWO = "The {measure} differ by {by}: {high} for {a} and {low} for {b}."
LARGEST_SEVERAL = (
    "The {measure} range from {low} for {b} to {high} for {a}; "
    "the largest difference is between {least} and {most}."
)
LARGEST_UNCLEAR = (
    "The {measure} do not clearly differ between groups; "
    "a difference of more than {bound} is excluded."
)
LARGEST_NO_INTERVAL = "The {measure} have no interval: {reason}."
LARGEST_ERRORS = "Among rows labelled {kind}, {shares} ({short}; {difference})."
DIFFER_BY = "they differ by {least} to {most}"
DIFFER_UNCLEAR = "no clear difference, at most {bound}"
IMPACT = (
    "The lowest selection rate, that of {b}, is {ratio} times the highest, that of {a} "
    "({ratio_low} to {ratio_high})."
)
FOUR_FIFTHS = "The interval {place} 0.8, the bound of the four-fifths screening rule{marked}."
FOUR_FIFTHS_CHECK = " The rule is about favourable outcomes; check that {of} is one."
LIES_BELOW, INCLUDES, LIES_ABOVE = "lies below", "includes", "lies above"
IMPACT_UNDEFINED = "The impact ratio is undefined, as no row is predicted positive."

# How sure.

HOW_SURE, WHAT_TO_READ, WHAT_TO_DO = "How sure", "What to read", "What to do"
SURE_ONE = "The verdict uses the {level} band of one change."
BANDS = "The verdict uses {level} bands that "
SURE_ONE_UNCLEAR = BANDS + "allow for either direction of the gap in the {true}."
SURE_SEVERAL = BANDS + "hold at once for all {gaps}{mean}."
SURE_MODELS = BANDS + "hold at once for the gaps of {models}."
SURE_SEVERAL_MODELS = BANDS + "hold at once for the {gaps} of each of {models}{mean}."
AND_THEIR_MEAN, AND_THEIR_MEANS = " and their mean", " and their means"
SURE_DIRECTION = "In the {true} it is clear which {member} has the higher rate{every}."
FOR_EVERY_GAP = ", for every gap"
SURE_UNCLEAR = "{k:,} of {gaps} {are} not clear in the {true}."
UNMARKED = (
    "The report does not know whether {of} is good or bad for a person; favorable_label= says so."
)
UNMARKED_CLASSES = UNMARKED.replace("whether {of} is", "which classes are")
SAMPLING_ONLY = "Intervals cover sampling variation, not wrong {true} or missing rows."
SURE_NOTHING = "No number here has an interval, so no change is called clear."

# What to read.

READ_NO_VERDICT = (
    "Read the rates as a description of these rows; no difference between {members} can be judged."
)
READ_GIVEN_RATES = (
    "Read the {gap} first, then BA: both compare the predictions with the given rates. "
    "Other given rates give other numbers."
)
NOT_WITHOUT_LABELS = "LA and DPA need labels and are not computed."
BA_TO_COMPARE = "BA is for comparison with published results"
READ_PREDICTED = f"Read the {{gap}} first. {BA_TO_COMPARE} of the same direction."
READ_BALANCED = (
    "The rates of the groups in the labels are {close}, so BA {is_}. "
    "Read the gaps and selection rates first{then}. Ignore {ignored} here."
)
EQUAL, CLOSE = "equal", "so close that their order is not clear"
BA_0_FOR_ALL, BA_WRONG_SIGN = "is 0 for every model", "may have the wrong sign"
READ_THEN = ", then {metrics}"
READ_TASKS = (
    "Read the count of gaps first, then the most certain changes by task, with FPR and TPR by "
    f"group. {BA_TO_COMPARE}. A mean over tasks can hide opposite changes."
)
READ_FIRST = f"Read the {{gap}} first, then FPR and TPR by group. {BA_TO_COMPARE}."
ALSO_READ = "Also read {metrics}, which {give} no credit for guessing the largest group or class."
IGNORE_DPA = "Ignore DPA here: 1/cross-entropy gives such credit."
IGNORE_MALS = "Ignore MALS here: it mixes both directions."
READ_RISK = (
    "If the label stands in for something else, such as an arrest for a crime, "
    "agreement with it is not the goal by itself."
)
READ_ACCURACIES = (
    "The accuracies differ ({low_model} {low}, {high_model} {high}). With equal error rates, more "
    'errors usually mean smaller gaps: compare the column "gap beyond equal error rates".'
)

# What to do.

READ_SMALLER = "Read FPR and TPR by group before calling a smaller gap an improvement."
READ_ERRORS = {"reduces": READ_SMALLER, "mixed": READ_SMALLER} | {
    "amplifies": "Compare FPR and TPR by group: they show which errors differ, if any do.",
    "reverses": "Read FPR and TPR by group: they show which errors turn a gap round.",
}
ONE_THRESHOLD = (
    "With a threshold of {threshold} for all rows, {outcome}; {predicted} of the rows would be "
    "predicted {pos}, and {labelled} are labelled {pos}."
)
THRESHOLD_OUTCOME = "the {gap} would be {size}, BA {ba} and the accuracy {accuracy}"
NO_THRESHOLD = (
    "No other threshold for all rows undoes at least half of the change of the {gap} without a "
    "clear fall in accuracy; the Thresholds table has the gap at each."
)
PASS_SCORES = "Pass y_score= to see whether the change is in the scores or in the decisions."
THRESHOLD_EACH = (
    "A threshold for each group reads {feature} to decide, which may be unlawful. It aims at the "
    "rate of each group in the labels, and so at their gap; that is not fairness. With it "
    "(PrevalenceThreshold), {outcome} in the rows that set the thresholds."
)
SMALL_MEMBERS = (
    "Collect more {unit}, or merge {members} where that makes sense; a {member} that is left out "
    "is not checked."
)
START_WITH = "Start with the {gaps} that grow or appear; to_frame('gaps') lists them."
PREDICT_FEATURE = (
    "Ask whether the model has to predict {feature}. If it does not, leaving that out also ends "
    "T→A amplification."
)
MORE_ROWS = "With about {rows} of the same kind, a BA of {ba} would be clear in 80% of samples."
WITHIN_LABELLED, WITHIN_GROUP = ", within rows labelled {kind}, ", ", within rows of {group}, "
PREDICTIONS, PREDICTED_GROUPS = "predictions", "predicted groups"
MISSING_IN_BOTH = (
    "{within}{predictions}{of_model} are missing for {first} of {a} and {second} of {b}"
)
WHY_MISSING = f"Find out why{MISSING_IN_BOTH}."
SECOND_MEMBER = "Add rows of a second {member}."
SET_N_BOOT = "Set n_boot={n_boot} to get intervals and a verdict."

# The last line.

LAST = "Verdict{direction}: {words} ({code}). {headline}"
LAST_OF_MODELS = "Verdict{direction}: {headline}"

# Notes on rows and models.

ARE_MISSING = "{predictions} of {model} {are} missing"
PREDICTIONS_MISSING = f"{ARE_MISSING}; these rows count as {{what}} and stay in every rate."
WRONG, NOT_HAVING = "wrong", "not having any {noun}"
MISSING_BY_GROUP = MISSING_IN_BOTH + "; BA of the answered rows is {ba}."
ROWS_LEFT_OUT = (
    "{within}{first} of {a} and {second} of {b} are left out, as values are missing; this alone "
    "can change a gap."
)
SHARES_NOT_COMPARED = "Shares of missing values are not compared between groups, as {reason}."
MANY_GROUPS = "there are more than {n}"
ONLY_NUMBER = "saved or added counts keep only the number of rows left out"
WEIGHTED = "Rates are weighted by {column}; numbers of rows are not."
NOT_COMPARED = (
    "{members} with fewer than {least} {unit} {are} not compared in the verdict; "
    "BA and accuracy include {them}."
)
VERY_MANY_GAPS = (
    "{n:,} gaps between pairs are too many, so each {member} is compared with all rows together."
)
MAKES_NO_ERRORS = "{model} makes no errors in these rows, so no gap changes."
PREVALENCE = (
    "{model} predicts {of} for {predicted} of the rows, against {true} in the {given} "
    "({ratio} as many{ends})."
)
PREVALENCE_OF_RATES = (
    "The share of {of} is {predicted} in the predictions of {model} and {true} in the {given} "
    "({ratio} as much{ends})."
)
OR_SPACES, OR_FORM = "in case or spaces.", "in case, spaces or Unicode form."
SPELLING = f"{{members}} '{{a}}' and '{{b}}' differ only {OR_SPACES}"
UNICODE_FORM = SPELLING.replace(OR_SPACES, OR_FORM)
NUMBERS = "The groups of {feature} are numbers: {names}."
CODING = (
    "The accuracy of {model} is clearly below that of one constant prediction ({accuracy} and "
    "{constant}); the labels may be coded the other way round."
)
#: How the notes end that say that a column may be the wrong one.
IN_REVERSE_ORDER, ARE_THE_SAME = "in reverse order.", "are the same column."
IN_EVERY_ROW = "in every row."
OFTEN_MISSING = "which often means a missing value; missing_values= names such labels."
COUNT_0_IN_BA = ", so their rates count 0 in BA"
THEY_COUNT = "they count, and LA and DPA may change much, as labels are flipped to them too."
ENDINGS_OF_DOUBT = (
    *(IN_REVERSE_ORDER, ARE_THE_SAME, IN_EVERY_ROW, OFTEN_MISSING, OR_SPACES, OR_FORM),
    *(f"{COUNT_0_IN_BA}.", THEY_COUNT),
)
SCORES_REVERSED = f"The scores of {{model}} rank the classes {IN_REVERSE_ORDER}"
NO_THRESHOLD_GIVES = "No threshold of the scores gives the predictions of {model}."
LOOKS_MISSING = f"{{rows}} of {{column}} {{hold}} {{label}}, {OFTEN_MISSING}"
EQUAL_PREDICTIONS = f"The models {{models}} have the same predictions {IN_EVERY_ROW}"
SAME_COLUMN = f"y_true and y_pred {ARE_THE_SAME}"
SAME_COLUMN_OF = f"y_true and y_pred of {{model}} {ARE_THE_SAME}"
MAY_BE_COUNTS = "If {column} counts rows, use Counts.from_frame(frame, ..., count={column!r})."
NO_RATE = "{names} {have} no {kind}, so the difference of {measure} has no value."
RATES_OF_0 = (
    "{k:,} of {m:,} rates in BA {are} 0 in {true} and predictions, which draws BA towards 0."
)
SIGNS_FROM_REFERENCE = (
    "The signs of BA come from {rows}; only MALS and undirected Multi also compare with their "
    "rates."
)
NO_REFERENCE = "No reference was given, so the labels of these rows decide the signs of BA."
RATES_ARE_A_CHOICE = (
    "The given rates are a choice; say where they come from, because BA and the gaps depend on "
    "them."
)
MULTI_HAS_NO_SIGN = "Multi has no sign: sampling variation alone makes it positive."
MEANING_OF_PREDICTED = (
    "T→A means that the model predicts {feature}; a model that does not predict it has no T→A "
    "amplification."
)
COMPARE_LIKE = "Compare values of one metric, one direction and one data set only."
NEED_NOT_BE_FAIR = (
    "A model without larger gaps need not be fair: one that repeats the gaps of its labels has "
    "BA 0."
)
LABELS_AS_THEY_ARE = (
    "The labels are taken as they are; where they record arrests or forecasts, agreement with them "
    "may not be the goal."
)

# Notes: caveats on values.

ROWS_DROPPED = "{rows} with missing values {were} left out."
REFERENCE_LACKS = "The reference has no rows of {names}{so}."
REFERENCE_OF_ONE = "The reference holds one {kind} only{so}."
IS_0_IN_BA = ", so BA is 0 for every model"
NO_CLASS_COMPARED = "There is nothing to compare: no class has {n} rows in labels and reference."
ONLY_IN_REFERENCE = "The data have no rows of {names}, which the reference has."
LABELS_DROPPED = (
    "All rows with {truth} {names} are left out, but in {rows} {role} holds {names}: " + THEY_COUNT
)
ONLY_PREDICTED = (
    "In {rows}, {role} holds {names}, which {truth} never holds; unless missing_values= names "
    f"them, {THEY_COUNT}"
)
NOT_COMPUTED = "{name} is not computed: {reason}."
NEEDS_FITTING = "its attacker must be fitted, which the metric does and an audit does not"
NEEDS_LABELS = "it needs labels"
NOT_READ = "y_true is not read, because given rates take its place."
PROBABILITIES = "Predictions are probabilities, so predicted rates are mean probabilities."
CONSTANT_PREDICTIONS = (
    "Predictions that do not vary are guessed without an error, so DPA by 1/cross-entropy is 1 "
    "whatever the labels are; read DPA(U)."
)
ARE_UNDEFINED = " in {metric} {are} undefined and left out of the mean: there are no "
RATES_UNDEFINED = "{k} of {m} rates" + ARE_UNDEFINED + "rows of {names}."
SHARES_UNDEFINED = (
    "{k} of {m} shares of groups" + ARE_UNDEFINED + "predictions or reference rows of {names}."
)
UNCERTAIN_SIGNS = (
    "For {k} of {m} rates the sign in BA is not clear in {decided_by} (|z| below 1.96)."
)
UNCERTAIN_SHARES = (
    "For {k} of {m} shares it is not clear whether MALS counts the group as over-represented."
)
IS_BELOW_CHANCE = "is below chance (1/{k}), so"
BELOW_CHANCE = f"The accuracy of {{model}} {IS_BELOW_CHANCE} LA and DPA have no fair baseline."
BELOW_CHANCE_OF_GROUPS = (
    f"The accuracy of the groups that {{model}} predicts {IS_BELOW_CHANCE} DPA T→A has no fair "
    "baseline."
)
NO_DEPENDENCE = (
    "DPA(U) of {model} is a difference of its two levels, not a ratio, where neither predictions "
    "nor {labels} clearly depend on the group."
)
AS_INACCURATE = "equally inaccurate labels"
NO_RELATIVE_CHANGE = "{quality} is below 0, so no relative change is defined; read the levels."
TRIALS = "Mean of {k} trials; flips and folds leave a standard error of {error:.2g} in the value."
FAR_FROM_EXACT = (
    "attacker='exact' gives {exact:+.3f}, more than .02 away: {attacker} may miss what can be seen."
)
NUMBERS_NOT_FLIPPED = (
    "The labels were not made as inaccurate as the predictions, as numbers have no accuracy."
)
BLOCKS_DRAWN = (
    "Intervals draw {n:,} random blocks of {what}, because there are more than {most:,} "
    "distinct {what}."
)
FEWER_REPLICATES = (
    "{n:,} replicates were drawn instead of {usual:,}; set n_boot={usual} to draw all."
)
REPLICATES_UNDEFINED = (
    "{k:,} of {n:,} replicates of {metric} {are} undefined and left out of its interval."
)
FEW_CLUSTERS = (
    "{names} has rows in fewer than 60 clusters, so its intervals may be too narrow.",
    "{names} have rows in fewer than 60 clusters, so their intervals may be too narrow.",
)

# Reasons for a missing interval. Each follows "No interval: " and ends without a full stop.

NOT_REQUESTED = "no intervals were requested (n_boot=0)"
TOO_FEW_REPLICATES = "a level of {level:.6g}% needs at least {n:,} replicates"
UNDEFINED = "the value is undefined"
UNBOUNDED = "the value is unbounded, because the loss is 0"
NO_SIGNS = "no rate differs between groups in {decided_by}, so it is 0 for every model"
ONE_GROUP_ONLY = "there is only one group"
IS_0_FOR_ONE_GROUP = f"{ONE_GROUP_ONLY}, so it is 0 for every model"
NONE_FREQUENT = "no group is over-represented in {decided_by}, so it is 0 for every model"
SMALL_GROUPS = (
    "{names} has fewer than 15 {unit} and carries {share:.0%} of its variance",
    "{names} have fewer than 15 {unit} each and carry {share:.0%} of its variance",
)
TOO_FEW_ROWS = "LA and DPA need at least 20 {unit}"
NO_VARIATION = "every replicate gives the same value"
RARE = "{k:,} of {n:,} replicates are undefined, because a group or class is too rare"
ALONE = "more than 3% of the rows have a group and class that no other row has"
NO_DEPENDENCE_SHOWN = "no dependence can be told from chance, so its strength has no interval"
SHIFTED = (
    "resampling shifts the value by more than its standard error; "
    "more rows or fewer classes are needed"
)
RATIO_OF_CHANCE = "chance explains more than 3% of both levels, too much for a ratio"
FITTED = "the attacker is a fitted {attacker}, which is not fitted again for each replicate"
LEAVE_ONE_OUT = "bootstrap samples hold duplicates, so leave-one-out is not valid"
SETS_OF_ONE_ROW = "{share:.0%} of the label sets occur in one row only"
DIFFERENCE_AND_RATIO = "one value is a difference and the other a ratio"
NO_VALUE = "{have} no value"
NONE_SELECTED = "predictions are probabilities, which select no row"
NO_RATIO = "a ratio needs values of at least 0, and one above 0"
NO_RATIO_TO_OVERALL = "ratios to overall have no interval; those between groups have one"
FEW_OF_A_KIND = "{have} fewer than {n} {unit}"
COUNTED_ROWS = "rows that the rate counts"
NOT_ABOVE_0 = "a value is not above 0 in every replicate"
NO_DIRECTION = "no gap has a certain direction"
ONE_AUDIT_OF_SEEDS = (
    "Runs on the same rows are one audit: over_runs(audit(y_true, {1: pred_1, 2: pred_2}, ...))"
)
ONE_RUN = "an interval over runs needs at least 2 runs"
EQUAL_RUNS = "all runs give the same value"
NOT_JUDGED = "no gap can be judged"
MODEL_HAS_NONE = "{model} has no interval ({reason})"
TOO_MANY_RATES = "there are too many groups and classes to draw all rates"
STRATA_WITHOUT = "strata without an interval hold {share} of the rows"
FEW_CLUSTERS_IN_ALL = "intervals need at least {fewest} clusters, and there are {n}"
ONE_SUM = "the saved counts hold one sum of {names}"

# Gates. A number is printed as a fraction and in points, because bounds may be written either way.

CHECK = {
    "fail_above": "and its whole interval lies above {bound}",
    "require_below": "and its interval does not lie wholly below {bound}",
    "fail_below": "and its whole interval lies below {bound}",
    "require_above": "and its interval does not lie wholly above {bound}",
    "require_within": "and its interval does not lie wholly within ±{bound}",
}
FAILED = "{model}: {name} is {value} ({ends}), {what}."
FORBIDDEN = "{model}: the {name} is {words} ({code}), which is forbidden."
FORBIDDEN_STATUS = "{model}: {gap} {status}, which is forbidden."
CANNOT_BE_CHECKED = "{model}: {name} cannot be judged: {reason}."
CHANGE_OF_GAP, GAPS_OF = "the change of {gap}", "gaps of {names}"
NEEDS_TWO = "a gap needs two {members} with {n} {unit} or more"
CHECKS_PASSED = "Checks: all {n} passed."
CHECKS_FAILED = "Checks: {failed} of {n} failed."
CHECKS_NOT_JUDGED = "Checks: {failed} of {n} failed and {unknown} cannot be judged."

# The command.

SELECTED = "{title} Only rows where {where}"
WRITTEN = "Written: {path}"
COUNTED = "{counts}, written to {path}"
EXIT_CODES = (
    "Exit codes: 0 all checks passed; 1 a check failed; 2 bad input; 3 no check failed, and one "
    "cannot be judged; 4 internal error."
)
DEFECT = (
    "internal error, a defect of this program: {error}. With the environment variable {variable}=1 "
    "it shows the traceback."
)

# Tables and pictures.

LEGEND_RATES = (
    "○ {rate}, ● rate in the predictions; the dashed line is the predicted rate of all rows."
)
RATE_IN_LABELS, GIVEN_RATE = "rate in the labels", "given rate"
LEGEND_BARS = "Bars: the gap between {a} and {b}."
LEGEND_GAPS = "○ gap in the {true}, ● gap in the predictions."
#: By colour. The first that occurs speaks of "the gap", the others of "it".
LEGEND_COLOURS = {
    "up": "Orange: {gap} grows or appears.",
    "down": "Blue: {gap} shrinks.",
    "turned": "Purple: {gap} reverses.",
    "unclear": "Grey: {gap} does not clearly {verb}.",
}
LEGEND_BAND = "Pale band: where the predicted gap would lie at the ends of its band."
RATES_MOVED = (
    "{up:,} of {m:,} predicted rates {are} clearly above the rates in the {true}, "
    "and {down:,} {are_down} clearly below."
)
ROUNDED = "Changes are rounded after subtraction, so {before} → {after} can be {change}."
NO_INTERVAL_OF = "No interval of {names}: {reason}."
SHORTENED = "{k:,} of {m:,} rows are shown; to_frame({part!r}) has all."
SHORTENED_ALONE = "{k:,} of {m:,} rows are shown."
ALTERNATIVE = "{headline} Label rates and predicted rates by group."
MEAN_OF_STRATA, ALL_STRATA = "mean over strata weighted by rows", "all rows together"
WEIGHTED_MEAN_OF_STRATA = "mean over strata by their weights"
STRATA = "The signs of BA are those of {rows}."
RATIO_OF = "the ratio of {measure}"
MORE = "All tables and {notes}: --full, or to_text(full=True)."

# How to read this, and the glossary.

HOW_TO_READ = (
    "This report compares the predictions with the {true} of the same rows. A gap is the "
    "difference between two groups in one rate, in percentage points. A gap is said to grow or "
    "shrink only if the interval of its change excludes 0. Numbers are rounded at the end, so a "
    "difference can be off by one in its last digit. The report describes these rows. It does not "
    "say why a gap is as it is, whether the {true} are right, or whether the model is fair."
)
HOW_TO_READ_GIVEN_RATES = HOW_TO_READ.replace("the {true} of the same rows", "the {true}")
GLOSSARY = {
    "accuracy": (
        "The share of rows whose prediction equals the label; of probabilities, the mean "
        "probability of the label; of several tasks, the mean of their accuracies."
    ),
    "A→T, T→A": (
        "A→T compares predicted classes between groups, and T→A compares predicted groups between "
        "classes."
    ),
    "certain direction": (
        "Of a gap whose sum in labels and predictions is more than 3.5 standard errors from 0."
    ),
    "BA": (
        "Directional bias amplification, the mean change of rates from labels to predictions, "
        "counted positive along the correlations of the reference."
    ),
    "band": "An interval that holds for several numbers at once.",
    "bias amplification": (
        "Larger differences between groups in the predictions than in the labels."
    ),
    "DPA": (
        "The gain in how well one of group and class can be predicted from the other, from equally "
        "inaccurate labels to the predictions, as a share of the sum of both levels and not in "
        "points; DPA(U) uses the uncertainty coefficient."
    ),
    "equal error rates": (
        "The result if every group had the error rates of all rows together; BA minus that is the "
        "excess, the predicted gap minus that the gap beyond equal error rates."
    ),
    "FPR, TPR": (
        "False and true positive rate: the share predicted positive among rows labelled negative "
        "(FPR) or positive (TPR); of probabilities, the mean probability of the positive class."
    ),
    "gap": "The difference of one rate between two groups or, for T→A, two classes.",
    "interval": (
        "A range from resampling these rows; at the 95% level, about 95 of 100 such ranges hold "
        "the value of the population that the rows were sampled from."
    ),
    "LA": (
        "Leakage amplification, the gain in how well the group can be guessed from the predictions "
        "instead of from equally inaccurate labels."
    ),
    "MALS": (
        "The mean increase of the shares of over-represented groups, in which both directions are "
        "mixed."
    ),
    "Multi": "The mean size of the changes of rates, without sign.",
    "point": "A percentage point: from 12% to 24% is 12 points.",
    "reference": (
        "The data that decide the signs of BA: the training data or, if none were given, the "
        "labels of these rows."
    ),
}

# Legends of pictures.

#: What a picture of a report compares, by its part and by what predictions are compared with.
PICTURE_MARKS = {
    ("rates", LABELS): (RATE_IN_LABELS, "rate in the predictions", "predicted rate of all rows"),
    ("rates", GIVEN_RATES): (GIVEN_RATE, "rate in the predictions", "predicted rate of all rows"),
    ("gaps", LABELS): ("gap in the labels", "gap in the predictions", "no gap"),
    ("gaps", GIVEN_RATES): ("gap in the given rates", "gap in the predictions", "no gap"),
}
PICTURE_TONES = {
    "up": "the gap grows or appears",
    "down": "the gap shrinks",
    "turned": "the gap reverses",
}
PICTURE_SIDES = {"up": "clearly above 0", "down": "clearly below 0", "unclear": "not clear"}

# AIF360.

SAME_LABELS = (
    "classified_dataset has the very labels of dataset, so a change to one is a change to both: "
    "copy(deepcopy=True) copies them."
)
IN_NEITHER_GROUP = (
    "Rows in neither of the two groups are left out: {n:,}. AIF360's measures of all rows count "
    "them."
)
AIF360_CLASSES = "AIF360's measures compare the favourable labels ({}) with all the others."
AIF360_SIDES = "In AIF360's measures, the unprivileged group is {}, and the privileged one is {}."
OF_LABEL, IDEAL = " of label {label}", "The ideal value is 0, which alone is not a pass."

# Studies.

EQUAL_MODELS = "all models have the same value or score"
FEW_MODELS = "no interval of fewer than {n} models"
LACKING = "no row with {names} is kept, because a group has none"
NO_SUBSET = "no subset was found within {seconds:g} seconds: choose fewer labels or a larger ratio"
SUBSET_IS_SMALLER = "this subset has {n:g} rows, and the largest at most {most:g}"
IMPOSSIBLE_RATES = (
    "{k} of {n} rates lie outside 0 to 1: so many errors are unlikely, or rows are few"
)
