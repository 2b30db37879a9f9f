"""The least-squares support vector machine."""
