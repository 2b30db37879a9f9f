"""Words that not every reader knows, each with what it means: the page shows it where the word is pointed at."""

from __future__ import annotations

import html
import re
from collections.abc import Collection

#: Term as it is written -> what it means, in one sentence or two.
TERMS = {
    "leave-one-out": "Every row is predicted by the model that is fitted to all other rows.",
    "outer folds": "The rows are cut into parts. Each part is predicted by a model that was selected and fitted on the "
    "other parts.",
    "forward folds": "The rows are cut into parts by time. Each part is predicted by a model that was fitted on "
    "earlier rows only.",
    "standard error": "How far a figure moves from one sample of rows to another. Two of them to each side cover about "
    "95 %.",
    "accuracy": "The share of rows that are predicted right.",
    "log-loss": "Mean of minus the logarithm of the probability of what came true. Smaller is better; errors that were "
    "called certain cost most.",
    "Brier score": "Mean squared difference between the probabilities and what came true. Smaller is better.",
    "mean distance": "How many classes a prediction is away from the truth, on average.",
    "ranked probability score": "Squared difference between the probabilities of being at most in each class and what "
    "came true, added up. Smaller is better; a class next to the truth costs less than one far away.",
    "concordance": "How often, of two rows, the one predicted to come earlier comes earlier: 0.5 is guessing, 1 is "
    "perfect. Pairs whose order is not known do not count.",
    "concordance (Uno)": "The same, with weights for rows that were lost early, up to the time by which most events "
    "came.",
    "integrated Brier score": "Squared difference between predicted survival and what came of the rows, averaged over "
    "time, with weights for rows that were lost. Smaller is better.",
    "calibration at the median time": "How far predicted survival at the median time of events is from what came of "
    "the rows, in thirds of them.",
    "AUC": "How often a row of the class is ranked above a row of the other class: 0.5 is guessing, 1 is perfect.",
    "F1": "Harmonic mean of precision and recall: near 1 only if both are.",
    "average precision": "Precision, averaged over all thresholds. Guessing has the share of the class.",
    "recall": "The share of a class that is found.",
    "precision": "The share of rows with a label that belong to the class.",
    "RMSE": "Root mean square error: the typical size of a mistake in the unit of the target. Large mistakes count "
    "most.",
    "MAE": "Mean absolute error: the mean size of a mistake in the unit of the target.",
    "R²": "The share of the target's variance that predictions explain: 1 is perfect, 0 is no better than the mean.",
    "unexplained variance": "The mean squared error over the variance of the target: 0 is perfect, 1 is no better than "
    "the mean.",
    "calibration error": "By how much probabilities differ from how often they come true, on average.",
    "kernel": "Measures how alike two rows are. A row is predicted from the rows that it resembles.",
    "criterion": "What the search makes as small as possible to choose the parameters.",
    "prior": "Prefers plain models unless the data favour another one, which prevents over-fitting.",
    "evaluations": "How often the criterion was calculated during the search.",
    "nats": "Unit of a logarithm of probabilities: 1 nat is a factor of 2.7.",
    "gamma": "The inverse of a squared width: a larger gamma lets the prediction change faster along this input.",
    "length scale": "How far an input has to move until the prediction changes much.",
    "regularization": "How much the model is smoothed: a larger value gives a smoother function.",
    "ridge": "How much the model is smoothed: a larger value gives a smoother function.",
    "vectors": "Training rows that the model keeps, and compares new rows with.",
    "landmarks": "Training rows that stand for all rows, if there are many.",
    "warped": "The inputs after a change of scale that spreads skewed columns evenly.",
    "as it is": "The inputs on the scale that the table has.",
    "lssvm": "Least-squares support vector machine: a smooth function of the inputs, fitted by least squares.",
    "gp": "Gaussian process: a smooth function of the inputs with its uncertainty.",
    "rvm": "Relevance vector machine: a sum of few functions, each around one training row.",
    "forest": "Random forest: the mean of many decision trees.",
    "boosting": "Boosted trees: each decision tree corrects the sum of those before it.",
    "partitions": "Boxes into which trees cut the inputs: rows in the same box are alike.",
    "ard": "Gaussian kernel with a width for every input, so that inputs that do not matter fade out.",
    "matern32-ard": "A kernel with a width for every input that allows for rougher functions than the Gaussian one.",
    "product-laplace": "A kernel for rough functions, with bends and steps along single inputs.",
    "product-matern32": "A kernel for functions between smooth and rough, along single inputs.",
    "rational-quadratic-ard": "A kernel with a width for every input that sees near and far at the same time.",
    "linear": "A weighted sum of the inputs.",
    "balanced accuracy": "The mean over the classes of the share that is predicted right.",
    "Shapley values": "A column's average share in the difference to usual rows, over all orders in which the columns "
    "can become known. The shares of all columns add up.",
    "log-odds": "What the model adds up before it becomes a probability: 0 is undecided, and about 2 more or less is "
    "a clear difference.",
    "decision value": "What the model adds up before it becomes a probability: 0 is undecided.",
    "random state": "The seed of everything random: the same seed gives the same model.",
}

_LONGEST_FIRST = sorted(TERMS, key=len, reverse=True)
_TERM = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, _LONGEST_FIRST))})(?![\w-])", re.IGNORECASE)
#: An option of the command line: no line may end behind its dashes.
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_BY_LOWER = {term.lower(): words for term, words in TERMS.items()}


def explained(text: str, names: Collection[str] = ()) -> str:
    """Return text as HTML, with an explanation behind the first occurrence of every term in it.

    ``names`` are words in small letters that mean something else.
    """
    out, last, seen = [], 0, set(names)
    for found in _TERM.finditer(text):
        term = found[0].lower()
        if term in seen:
            continue
        seen.add(term)
        title = html.escape(_BY_LOWER[term])
        out += [unbroken(text[last : found.start()]), f'<abbr title="{title}">{html.escape(found[0])}</abbr>']
        last = found.end()
    return "".join([*out, unbroken(text[last:])])


def unbroken(text: str) -> str:
    """Return text as HTML in which options, and figures with their errors and units, stay on one line."""
    text = re.sub(r"(?<=±) | (?=%)|(?<=\d) (?=(s|min)\b)", "\N{NO-BREAK SPACE}", text)
    return _OPTION.sub(lambda found: f'<span class="option">{found[0]}</span>', html.escape(text))
