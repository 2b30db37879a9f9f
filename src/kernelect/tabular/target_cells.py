"""The cells of a target as they are written: numbers in texts, codes for targets that are missing."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from kernelect.inputs import Wishes, as_frame, describe
from kernelect.inputs.notes import sentences
from kernelect.tabular.columns import values_of

#: Different numbers up to which a target may be classes, and no number is put down as a code.
FEW_NUMBERS = 10


def typed_target(
    target: pd.Series, decimal: str | None = None, codes: tuple[str, ...] = ()
) -> tuple[pd.Series, list[str]]:
    """Return the target as numbers where all of its texts are numbers, codes for missing cells as missing; and remarks.

    Labels stay as they are. Whether a number far from all others stands for a missing target is judged only where
    there are too many numbers for classes.
    """
    if pd.api.types.is_bool_dtype(target.dropna().infer_objects()):  # objects where some cells are missing
        return target.astype("boolean"), []
    wishes = Wishes(missing_codes={"": codes}, decimal=decimal)
    (role,) = describe(as_frame(target.rename("target").to_frame()), wishes)
    if role.kind == "category" and codes:
        return values_of(target, "category", role.reading), []
    if role.kind != "number":
        return target, []
    numeric = pd.api.types.is_numeric_dtype(target)
    few = target.nunique() <= FEW_NUMBERS
    reading = replace(role.reading, missing_codes=codes) if few else role.reading
    if few and reading.unit:
        return target, []  # labels such as "2 doors"
    if numeric and not reading.missing_codes:
        return target, []
    values = values_of(target, "number", reading)
    coded = values_of(target, "category", reading).isna()
    if (values.isna() & ~coded).any():
        return target, []  # labels, of which most are numbers
    return values, sentences((str(target.name), note) for note in role.notes)
