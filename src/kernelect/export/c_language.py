"""C99 as a dialect of loops: numbers, helper functions and tables, with names that begin with the model's."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kernelect.export.dialect import Dialect
from kernelect.typing import Array, Indices

_WIDTH = 100

#: Helper functions for the type REAL; NAME is the model's, SUFFIX tells float from double. A NaN in the first place
#: stays one.
_HELPERS = {
    "min": "static inline REAL NAME_minSUFFIX(REAL a, REAL b) { return b < a ? b : a; }",
    "max": "static inline REAL NAME_maxSUFFIX(REAL a, REAL b) { return b > a ? b : a; }",
    "abs": "static inline REAL NAME_absSUFFIX(REAL a) { return a < 0 ? -a : a; }",
    "square": "static inline REAL NAME_squareSUFFIX(REAL a) { return a * a; }",
    "exp": "static inline REAL NAME_expSUFFIX(REAL a) { return EXP(a); }",
    "horner": """static inline REAL NAME_hornerSUFFIX(const REAL *c, int n, REAL a) {
  REAL total = 0;
  for (int k = 0; k < n; k++) total = total * a + c[k];
  return total;
}""",
    "floor": """static inline REAL NAME_floorSUFFIX(REAL a) {
  REAL whole;
  if (!(a > (REAL)-9e15 && a < (REAL)9e15)) return a;
  whole = (REAL)(long long)a;
  return whole > a ? whole - 1 : whole;
}""",
    "log": """static inline REAL NAME_logSUFFIX(REAL a) {
  REAL twos = 0, s, z, total = 0;
  if (!(a > 0)) return a == 0 ? -HUGE : (REAL)NAN;
  if (a >= HUGE) return a;
  for (; a > (REAL)4294967296.0; a *= (REAL)(1.0 / 4294967296.0)) twos += 32;
  for (; a < (REAL)(1.0 / 4294967296.0); a *= (REAL)4294967296.0) twos -= 32;
  for (; a > (REAL)1.4142135623730951; a *= (REAL)0.5) twos += 1;
  for (; a < (REAL)0.70710678118654752; a *= 2) twos -= 1;
  s = (a - 1) / (a + 1); /* ln a = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172 */
  z = s * s;
  for (int odd = 23; odd > 0; odd -= 2) total = total * z + 1 / (REAL)odd;
  return twos * (REAL)0.69314718055994531 + 2 * s * total;
}""",
    "sqrt": """static inline REAL NAME_sqrtSUFFIX(REAL a) {
  REAL root;
  if (!(a > 0)) return 0;
  if (a >= HUGE) return a;
  root = NAME_expSUFFIX((REAL)0.5 * NAME_logSUFFIX(a));
  return (REAL)0.5 * (root + a / root); /* a step of Newton's */
}""",
    "sin": """static inline REAL NAME_sinSUFFIX(REAL a) { /* from -pi to pi */
  REAL z = a * a, total = 1;
  for (int k = 28; k > 0; k -= 2) total = 1 - total * z / (REAL)(k * (k + 1));
  return a * total;
}""",
}

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
    tables: list[str] = field(default_factory=list)
    helpers: dict[str, str] = field(default_factory=dict)
    stack: int = 0

    def __post_init__(self) -> None:
        self._known: dict[tuple[object, ...], str] = {}

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
        if name not in self.helpers:
            text = _HELPERS[op].replace("NAME", self.name).replace("SUFFIX", suffix).replace("REAL", real)
            text = text.replace("HUGE", "HUGE_VALF" if suffix else "HUGE_VAL")
            self.helpers[name] = text.replace("EXP", "expf" if suffix else "exp")
        return name

    def is_missing(self, value: str) -> str:
        return f"isnan({value})"

    def narrow(self, value: str) -> str:
        if self.real == "double":
            return f"({value})" if " " in value else value
        name = f"{self.name}_narrow"
        self.helpers[name] = (
            f"static inline float {name}(double a) {{\n  return a > 3e38 ? 3e38f : a < -3e38 ? -3e38f : (float)a;\n}}"
        )
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
        return self._table("int", [str(value) for value in values.tolist()], ("places", values.tobytes()))

    def numbers(self, values: Array, wide: bool, bits: int | None = None) -> str:
        flat = np.ascontiguousarray(values).ravel()
        if bits is not None:
            return self._table(f"int{bits}_t", [str(int(value)) for value in flat], (bits, flat.tobytes()))
        texts = [self.number(value, wide).strip("()") for value in flat.tolist()]
        return self._table(self.type_of(wide), texts, (self.type_of(wide), flat.tobytes()))

    def _table(self, kind: str, texts: list[str], key: tuple[object, ...]) -> str:
        if key not in self._known:
            name = self._known[key] = f"{self.name}_t{len(self._known)}"
            self.tables.append(f"static const {kind} {name}[{len(texts)}] = {{\n{wrapped(texts)}\n}};")
        return self._known[key]


def wrapped(texts: Sequence[str]) -> str:
    """Return entries of a table in lines of bounded width."""
    lines, line = [], "  "
    for place, text in enumerate(texts):
        piece = text + ("," if place < len(texts) - 1 else "")
        if len(line) + len(piece) > _WIDTH and line.strip():
            lines.append(line.rstrip())
            line = "  "
        line += piece + " "
    return "\n".join([*lines, line.rstrip()])
