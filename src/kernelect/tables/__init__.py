"""From a file with rows and named columns to a tuned pipeline, and back from disk."""
