"""Experiments: data sets x splits x methods, run anywhere, kept in one file, shown as tables."""
