"""Criteria of support vector machines."""
