"""C99 as a dialect of loops: numbers, helper functions and tables, with names that begin with the model's."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import Template

import numpy as np

from kernelect.export.dialect import Dialect, source_pieces, wrapped
from kernelect.typing import Array, Indices

_PIECES = {name: Template(text) for name, text in source_pieces("pieces.h").items()}

_NEEDS = {"sqrt": ("exp", "log")}


def identifier(text: str) -> str:
    """Return a text as a part of an identifier: letters, digits and underscores of ASCII."""
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_") or "_"


def comment(text: str) -> str:
    """Return a text in quotes that ends no comment, begins none and stays on its line."""
    return json.dumps(text).replace("*", "\\u002a").replace("?", "\\u003f")


def literal(text: str) -> str:
    """Return a text as a string of C: UTF-8, with everything but plain ASCII in octal."""
    octets = text.encode(errors="replace")
    plain = (chr(octet) if 32 <= octet < 127 and octet not in b'"\\?' else f"\\{octet:03o}" for octet in octets)
    return f'"{"".join(plain)}"'


@dataclass(kw_only=True)
class CDialect(Dialect):
    """C99.

    Attributes
    ----------
    name : str
        What all names begin with.
    real : "double" or "float"
    """

    name: str
    real: str = "double"
    stack: int = 0

    def piece(self, piece: str, **words: object) -> str:
        """Return a piece of the header with its words filled in."""
        return _PIECES[piece].substitute({"name": self.name, "real": self.real, **words})

    def type_of(self, wide: bool) -> str:
        """Return the type of a number."""
        return "double" if wide else self.real

    def number(self, value: float, wide: bool) -> str:
        is_float = not wide and self.real == "float"
        if not np.isfinite(value):
            word = "NAN" if np.isnan(value) else ("HUGE_VALF" if is_float else "HUGE_VAL")
            return f"(-{word})" if value < 0 else word
        text = str(np.float32(value)) if is_float else repr(float(value))
        text = text if any(letter in text for letter in ".e") else f"{text}.0"
        text += "f" if is_float else ""
        return f"({text})" if value < 0 else text

    def call(self, op: str, args: Sequence[str], wide: bool) -> str:
        return f"{self._helper(op, wide)}({', '.join(args)})"

    def _helper(self, op: str, wide: bool) -> str:
        real = self.type_of(wide)
        suffix = "f" if real == "float" else ""
        for needed in _NEEDS.get(op, ()):
            self._helper(needed, wide)
        name = f"{self.name}_{op}{suffix}"
        huge, exp = ("HUGE_VALF", "expf") if suffix else ("HUGE_VAL", "exp")
        self.helpers[name] = self.piece(op, real=real, suffix=suffix, huge=huge, exp=exp)
        return name

    def is_missing(self, value: str) -> str:
        return f"isnan({value})"

    def narrow(self, value: str) -> str:
        if self.real == "double":
            return f"({value})" if " " in value else value
        name = f"{self.name}_narrow"
        self.helpers[name] = self.piece("narrow")
        return f"{name}({value})"

    def loop(self, index: str, count: int) -> str:
        return f"for (int {index} = 0; {index} < {count}; {index}++)"

    def vector(self, name: str, size: int, wide: bool) -> str:
        self.stack += size * (8 if wide or self.real == "double" else 4)
        return f"{self.type_of(wide)} {name}[{size}];"

    def scalar(self, name: str, value: str, wide: bool, *, changes: bool = False) -> str:
        return f"{'' if changes else 'const '}{self.type_of(wide)} {name} = {value};"

    def whole(self, name: str, value: str) -> str:
        return f"int {name} = {value};"

    def code(self, name: str, position: int, n_levels: int) -> str:
        return f"const int {name} = {self.name}_code(row[{position}], {n_levels});"

    def cell(self, position: str) -> str:
        return f"row[{position}]"

    def places(self, values: Indices) -> str:
        return self.table("int", values, [str(value) for value in values.tolist()])

    def numbers(self, values: Array, wide: bool, bits: int | None = None) -> str:
        flat = np.ascontiguousarray(values).ravel()
        if bits is not None:
            return self.table(f"int{bits}_t", flat, [str(int(value)) for value in flat])
        return self.table(self.type_of(wide), flat, [self.number(value, wide).strip("()") for value in flat.tolist()])

    def table_name(self, number: int) -> str:
        return f"{self.name}_t{number}"

    def declared(self, kind: str, name: str, texts: Sequence[str]) -> str:
        return f"static const {kind} {name}[{len(texts)}] = {{\n{wrapped(texts)}\n}};"
