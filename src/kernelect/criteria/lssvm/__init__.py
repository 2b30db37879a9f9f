"""Criteria of least-squares support vector machines."""
