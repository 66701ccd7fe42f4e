"""Names of the variables of the rows: those that are read, and those that follow from them."""

TASK, PREDICTION = "y_true", "y_pred"
ATTRIBUTE, ATTRIBUTE_PREDICTION = "sensitive_features", "sensitive_features_pred"

#: The true variable whose labels a variable shares.
TRUTH = {TASK: TASK, PREDICTION: TASK, ATTRIBUTE: ATTRIBUTE, ATTRIBUTE_PREDICTION: ATTRIBUTE}

#: The prediction of each true variable.
PREDICTED = {TASK: PREDICTION, ATTRIBUTE: ATTRIBUTE_PREDICTION}

#: One label for all rows, and one for the rows that have a group or a class.
ALL, LABELLED = "all rows", "labelled rows"

#: Variables that are the same for all models.
SHARED = (TASK, ATTRIBUTE, ALL, LABELLED)

#: The label of a true variable where it is predicted right, missing elsewhere.
RIGHT = {TASK: "right y_pred", ATTRIBUTE: "right sensitive_features_pred"}

#: One label where a prediction is missing.
MISSING = {TASK: "missing y_pred", ATTRIBUTE: "missing sensitive_features_pred"}

#: The argument that lists the labels of a true variable.
LISTS = {TASK: "class_labels", ATTRIBUTE: "group_labels"}
