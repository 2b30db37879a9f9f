"""A table with everything that can go wrong in names: markup, formulas, mathematics, length, other scripts."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from kernelect import LSSVC
from kernelect.facts import GatherOptions, gather
from oracles.assessments import assess_classifier

MARKUP = "<script>document.title='taken'</script>"
LONG = "a column whose name goes on and on, as it was exported from a database in the year 2019"
IMAGE = "<img src=x onerror=document.title='taken'>"


def hostile_table():
    """Return inputs and targets."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            MARKUP: rng.normal(size=80),
            LONG: rng.normal(size=80),
            "$\\frac{a}{$": rng.normal(size=80),
            "=1+1": rng.normal(size=80),
            "line\nbreak \x07": rng.normal(size=80),
            "名前": rng.choice(["<b>bold</b>", "a & b", '"quoted"'], size=80),
        }
    )
    bold = 2.0 * (X["名前"] == "<b>bold</b>")
    y = np.where(X[MARKUP] + X[LONG] + bold + 0.3 * rng.normal(size=80) > 0.7, IMAGE, "no & nothing")
    X.loc[::7, LONG] = np.nan
    return X, pd.Series(y)


@cache
def hostile_model():
    """Return a pipeline that was fitted on the table."""
    X, y = hostile_table()
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = ColumnTransformer([("numbers", numbers, list(X.columns[:5])), ("words", words, ["名前"])])
    return Pipeline([("columns", columns), ("machine", LSSVC(kernel="rbf"))]).fit(X, y)


def hostile_facts():
    """Return the facts of that pipeline."""
    pipeline, (X, y) = hostile_model(), hostile_table()
    return gather(
        pipeline,
        X,
        y,
        GatherOptions(
            title=f"{MARKUP}.csv",
            target="</title><script>document.title='taken'</script>",
            assessment=assess_classifier(pipeline, X, y),
            remarks=[f"Column {MARKUP} was read as numbers.", "half a letter: \ud800"],
            seconds=1.5,
            random_state=0,
        ),
    )
