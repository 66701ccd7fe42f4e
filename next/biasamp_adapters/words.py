"""Every sentence of the product, so that an editor can read them in one sitting."""

from __future__ import annotations

# Notes: caveats on values.

ROWS_DROPPED = "{n:,} rows with missing values were left out."
REFERENCE_LACKS = "The reference has no rows of {names}, so their rates count 0 in BA."
REFERENCE_OF_ONE = "The reference holds one {kind} only, so BA is 0 for every model."
ONLY_IN_REFERENCE = "The data have no rows of {names}, which the reference has."
ONLY_PREDICTED = "{role} holds {names}, which {truth} never holds; rates of them count in means."
PROBABILITIES = "Predictions are probabilities, so predicted rates are mean probabilities."
CONSTANT_PREDICTIONS = (
    "Predictions that do not vary are guessed without an error, so DPA by 1/cross-entropy is 1 "
    "whatever the labels are; read DPA(U)."
)
RATES_UNDEFINED = (
    "{k} of {m} rates are undefined and left out of the mean: there are no rows of {names}."
)
UNCERTAIN_SIGNS = (
    "For {k} of {m} rates the sign in BA is not clear in the reference (|z| below 1.96)."
)
UNCERTAIN_SHARES = (
    "For {k} of {m} shares it is not clear whether MALS counts the group as over-represented."
)
BELOW_CHANCE = (
    "The accuracy of {model} is below chance (1/{k}), so LA and DPA have no fair baseline."
)
NO_DEPENDENCE = (
    "Neither labels nor predictions clearly depend on the group, so DPA(U) is a difference of U, "
    "not a ratio."
)
NO_RELATIVE_CHANGE = "{quality} is below 0, so no relative change is defined; read the levels."
TRIALS = "Mean of {k} trials; flips and folds leave a standard error of {error:.2g} in the value."
NUMBERS_NOT_FLIPPED = (
    "The labels were not made as inaccurate as the predictions, as numbers have no accuracy."
)
BLOCKS_DRAWN = (
    "Intervals draw {n:,} random blocks of {what}, because there are more than {most:,} "
    "distinct {what}."
)
REPLICATES_UNDEFINED = "{k:,} of {n:,} replicates are undefined and left out of the interval."
FEW_CLUSTERS = "{names} have rows in fewer than 60 clusters, so their intervals may be too narrow."

# Reasons for a missing interval. Each follows "No interval: " and ends without a full stop.

NOT_REQUESTED = "no intervals were requested (n_boot=0)"
TOO_FEW_REPLICATES = "a level of {level:.6g}% needs at least {n:,} replicates"
UNDEFINED = "the value is undefined"
UNBOUNDED = "the value is unbounded, because the loss is 0"
SMALL_GROUPS = "{names} have fewer than 15 rows each and carry {share:.0%} of its variance"
TOO_FEW_ROWS = "LA and DPA need at least 20 rows"
NO_VARIATION = "every replicate gives the same value"
RARE = "{k:,} of {n:,} replicates are undefined, because a group or class is too rare"
ALONE = "{share:.0%} of the rows have a group and class that no other row has; at most 3% may"
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
NO_RATIO = "a ratio needs values of at least 0, and one above 0"
FEW_OF_A_KIND = "{have} fewer than {n} {unit}"
NOT_ABOVE_0 = "a value is not above 0 in every replicate"
NO_DIRECTION = "no gap has a certain direction"
NOT_JUDGED = "no gap can be judged"
MODEL_HAS_NONE = "{model} has no interval ({reason})"
FEW_CLUSTERS_IN_ALL = "intervals need at least {fewest} clusters, and there are {n}"
ONE_SUM = "the saved counts hold one sum of {names}"
