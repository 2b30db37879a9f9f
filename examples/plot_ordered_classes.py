"""
Does the order of classes help?
===============================

Grades from 0 to 4 are classes with an order. A classifier does not know it, a regressor takes the steps for equal.
"""

# %%
# Step 1: grades of a latent function
# -----------------------------------

import matplotlib.pyplot as plt
import numpy as np

from kernelect import GPC, OrdinalGPC


def graded(rows, seed):
    """Return inputs and grades; the steps between grades differ."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    return X, np.digitize(X[:, 0] + np.sin(2.0 * X[:, 1]) + 0.3 * rng.normal(size=rows), [-1.5, -0.2, 0.1, 1.2])


def ranked_probability_score(y, probability):
    """Return the mean squared distance of cumulative probabilities from the truth."""
    return np.mean(np.sum((np.cumsum(probability, axis=1) - (y[:, None] <= np.arange(5))) ** 2, axis=1))


# %%
# Step 2: with and without order, for growing tables
# --------------------------------------------------

Z, truth = graded(2000, 99)
sizes = [40, 80, 160]
scores = {"OrdinalGPC": [], "GPC": []}
for size in sizes:
    X, y = graded(size, 0)
    scores["OrdinalGPC"].append(ranked_probability_score(truth, OrdinalGPC("rbf").fit(X, y).predict_proba(Z)))
    scores["GPC"].append(ranked_probability_score(truth, GPC("rbf").fit(X, y).predict_proba(Z)))

figure, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
for name, found in scores.items():
    ax.plot(sizes, found, "o-", label=name)
ax.set(xlabel="rows", ylabel="ranked probability score (smaller is better)", xscale="log", xticks=sizes)
ax.minorticks_off()
ax.set_xticklabels(sizes)
ax.legend()

# %%
# Answer
# ------

for name, found in scores.items():
    print(name, np.round(found, 3).tolist())

# %%
# Yes. One latent function serves all grades, and the thresholds tell which steps are small. ``KernelOrdinal`` mixes
# several such machines with a forest.
