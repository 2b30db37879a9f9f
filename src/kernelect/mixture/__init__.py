"""The one door: several views, kernels and machines, mixed by exact leave-one-out."""
