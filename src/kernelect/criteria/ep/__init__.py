"""Evidences of a latent function."""
