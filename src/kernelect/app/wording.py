"""Sentences of the commands in the words of the pages: an option is called what its control is called.

Sentences name options as they are typed, always ``--option`` and, if they name columns, these in quotes behind it.
"""

from __future__ import annotations

import re
from typing import Any

from kernelect.app.settings import ROLES

#: What has another name on the page than only its option.
_PHRASES = {
    "give the form with --date": "give the form under “Forms of dates”",
    "give their form (--date ": "give their form under “Forms of dates” (",
    "--class-weight balanced; class_weight='balanced' in Python": "“Errors count”",
    "kernelect predict --interval 0.99": "“Intervals” in “Predict”",
    "kernelect predict --interval": "“Predict” with “Intervals”",
    "kernelect predict MODEL TABLE": "“Predict”",
    "kernelect evaluate MODEL TABLE": "“Evaluate”",
    "To get them, call: kernelect report MODEL TABLE": "To get them, fit with more “Seconds at most”.",
    "(--folds 5)": "(leave “Seconds at most” empty)",
    "--machine gp": "Gaussian processes",
    "write it with --private, which leaves all rows out": "take home the report without rows",
}

#: Options that have another name on the page.
_ON_PAGE = {
    "--target": "“Predict”",
    "--task": "“Kind of answer”",
    "--time-limit": "“Seconds at most”",
    "--effort": "“Effort”",
    "--metric": "“Figure that counts”",
    "--cost": "“Costs of errors”",
    "--class-weight": "“Errors count”",
    "--ordered": "“Order of the classes”",
    "--missing-code": "“Cells that mean missing”",
    "--sheet": "“Sheet”",
    "--interval": "“Intervals”",
    "--by": "“Scores for each value of”",
    "--fill-missing": "“Columns that the rows lack count as missing cells”",
    **{option: f"the role “{role}”" for role, (option, _) in ROLES.items()},
}

_ROLES = {option for option, _ in ROLES.values()}

#: An option, and the quote in which the names of its columns begin. What stands in a quote itself is a name.
_OPTION = re.compile(r"""(?<!['"“])(?P<option>--[a-z]+(?:-[a-z]+)*)(?P<named> (?=['"]))?""")


def in_page_words(sentence: str) -> str:
    """Return a sentence about options as one about the controls of the page.

    >>> in_page_words("fit with --time 'day', or give more --time-limit")
    "fit with the role “time” for 'day', or give more “Seconds at most”"
    >>> in_page_words("Column '--time' is read as dates.")
    "Column '--time' is read as dates."
    """
    for phrase, words in _PHRASES.items():
        sentence = sentence.replace(phrase, words)
    return _OPTION.sub(_called, sentence)


def _called(found: re.Match[str]) -> str:
    option, named = found["option"], found["named"] or ""
    return _ON_PAGE.get(option, option) + (" for " if named and option in _ROLES else named)


def facts_in_page_words(facts: Any) -> Any:
    """Return facts, in which all sentences are in the words of the page; a word alone is a name or a cell."""
    if isinstance(facts, str):
        return in_page_words(facts) if " " in facts.strip() else facts
    if isinstance(facts, dict):
        return {name: part if name == "script" else facts_in_page_words(part) for name, part in facts.items()}
    return [facts_in_page_words(part) for part in facts] if isinstance(facts, list) else facts
