"""The relevance vector machine."""
