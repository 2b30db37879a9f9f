"""Slow definitions, written to be obviously right: loops, no cleverness."""
