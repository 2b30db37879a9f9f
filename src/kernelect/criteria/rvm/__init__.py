"""Criteria of relevance vector machines."""
