"""Expectation propagation for latent functions, and samplers of the same posterior."""
