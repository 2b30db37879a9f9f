"""
What does it cost to replace a detection limit?
===============================================

A third of the measurements of a falling concentration are below the detection limit. We compare three ways to treat
them.
"""

# %%
# Step 1: measurements with a limit
# ---------------------------------

import matplotlib.pyplot as plt
import numpy as np

from kernelect import GPR

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 4, size=90))[:, None]
truth = 3.0 - 1.2 * x[:, 0] + 0.5 * np.sin(3.0 * x[:, 0])
y = truth + 0.3 * rng.normal(size=90)
limit = np.quantile(y, 1 / 3)
below = y < limit

# %%
# Step 2: three models
# --------------------
# ``GPR`` takes lower and upper limits. They are equal where the number itself is known.

models = {
    "limits kept": GPR("rbf").fit(x, (np.where(below, -np.inf, y), np.where(below, limit, y))),
    "replaced by the limit": GPR("rbf").fit(x, np.maximum(y, limit)),
    "left out": GPR("rbf").fit(x[~below], y[~below]),
}
grid = np.linspace(0, 4, 200)[:, None]
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(x[~below, 0], y[~below], ".", color="black", label="measured")
ax.plot(x[below, 0], np.full(below.sum(), limit), "v", color="grey", ms=4, label="below the limit")
ax.plot(x[:, 0], truth, "--", color="grey", label="truth")
for name, model in models.items():
    ax.plot(grid[:, 0], model.predict(grid), label=name)
ax.legend()

# %%
# Answer
# ------

for name, model in models.items():
    error = np.sqrt(np.mean((model.predict(x) - truth)[below] ** 2))
    print(f"{name}: off by {error:.2f} where the limit hides the number")

# %%
# Kept limits say that the truth is lower, and how much lower follows from the measured rows nearby and from how many
# rows in a row are below.
