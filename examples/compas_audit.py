"""Audit a decision tree on COMPAS, and see what directional bias amplification adds.

The tree is trained and read on the same 5,278 people, as in [T25] Appendix E, and predicts both
the recidivism label and race. Needs ProPublica's table: it is downloaded into scikit-learn's data
folder unless it is there, or read from the folder given with ``--data-home``.

    python examples/compas_audit.py --html compas.html
"""

from __future__ import annotations

import argparse

from sklearn.tree import DecisionTreeClassifier

import biasamp_adapters as bam
from biasamp_adapters.datasets import fetch_compas


def compas_report(data_home: str | None = None, n_boot: int = 2000) -> bam.AuditReport:
    """The audit of the tree beside that of COMPAS's own score, cut at "medium"."""
    compas = fetch_compas(data_home=data_home, label="is_recid")
    # Race as a number: a tree gives the rows of tied leaves to the first label.
    race = (compas.sensitive_features == "African-American").astype(int).rename("race")
    recidivism = DecisionTreeClassifier(random_state=0).fit(compas.data, compas.target)
    group = DecisionTreeClassifier(random_state=0).fit(compas.data, race)
    guessed = group.predict(compas.data)
    return bam.audit(
        compas.target,
        {
            "tree": recidivism.predict(compas.data),
            "score": (compas.frame["decile_score"] >= 5).astype(int),
        },
        sensitive_features=race,
        sensitive_features_pred={"tree": guessed, "score": guessed},
        n_boot=n_boot,
        title="COMPAS: a decision tree and the score, race 1 = African-American",
    )


def main() -> None:
    """Print the report, and write it if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-home", help="folder of compas-scores-two-years.csv(.gz)")
    parser.add_argument("--html", help="write the report as one page")
    options = parser.parse_args()
    report = compas_report(options.data_home)
    if options.html:
        report.to_html(options.html)
    print(report)


if __name__ == "__main__":
    main()
