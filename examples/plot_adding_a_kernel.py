"""
How do I add a kernel of my own?
================================

A stationary kernel needs two formulas: its profile and the slope of the profile. The base class adds bounds, starts,
logarithms, gradients and one width per input.
"""

# %%
# Step 1: write it
# ----------------
# The Cauchy kernel is 1 / (1 + D), with D the scaled squared distance. Its slope is minus its square.

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np

from kernelect import LSSVR, register
from kernelect.kernels import Stationary


@dataclass(frozen=True, eq=False)
class Cauchy(Stationary):
    """Cauchy kernel 1 / (1 + D): long tails, smooth at the origin."""

    gamma: object = "auto"
    elliptical: bool = False

    def profile(self, D):
        return 1.0 / (1.0 + D)

    def slope(self, D):
        return -1.0 / (1.0 + D) ** 2


register(Cauchy, "cauchy")

# %%
# Step 2: check the slope by differences
# --------------------------------------

D = np.linspace(0.01, 6, 200)
step = 1e-6
measured = (Cauchy().profile(D + step) - Cauchy().profile(D - step)) / (2 * step)
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(D, Cauchy().profile(D), label="profile")
ax.plot(D, Cauchy().slope(D), label="slope")
ax.plot(D[::10], measured[::10], "k.", label="slope by differences")
ax.set_xlabel("scaled squared distance")
ax.legend()

# %%
# Step 3: use it by name
# ----------------------

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(-6, 6, size=60))[:, None]
y = np.sinc(X[:, 0]) + rng.normal(scale=0.08, size=60)
grid = np.linspace(-6, 6, 300)[:, None]
figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.plot(X[:, 0], y, "k.", ms=4)
for name in ("rbf", "cauchy"):
    model = LSSVR(name).fit(X, y)
    ax.plot(grid[:, 0], model.predict(grid), label=f"{name}: {model.kernel_}")
ax.legend()

# %%
# Answer
# ------

print(f"largest difference of the slope: {np.abs(measured - Cauchy().slope(D)).max():.0e}")
print(f"leave-one-out error with 'cauchy': {np.sqrt(np.mean((model.loo_prediction_ - y) ** 2)):.3f}")

# %%
# You write two methods and register the class once. The name then works in every estimator, in sums and products of
# kernels and in saved models. :doc:`/extending/kernel` shows the same steps for a kernel that is to become part of the
# library.
