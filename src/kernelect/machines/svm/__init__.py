"""The support vector machine: dual solver and likelihood."""
