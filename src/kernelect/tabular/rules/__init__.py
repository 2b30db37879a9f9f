"""Rules of doubt about a table, one family per file; every file here is found by itself."""

from kernelect.facts.doubts import load_rules

load_rules(__name__, __path__)
