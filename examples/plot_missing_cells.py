"""
How much does a table lose when cells are missing?
==================================================

``KernelClassifier`` takes tables as they come: numbers, texts, dates and empty cells. We empty more and more cells of
one table and watch the error.
"""

# %%
# Step 1: a table with texts and numbers
# --------------------------------------

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from kernelect import KernelClassifier

rng = np.random.default_rng(0)


def table(n):
    frame = pd.DataFrame(
        {
            "age": rng.normal(60, 12, n),
            "pressure": rng.normal(130, 15, n),
            "ward": rng.choice(["north", "south", "west"], n),
            "smoker": rng.choice(["yes", "no"], n, p=[0.3, 0.7]),
        }
    )
    risk = 0.2 * (frame["age"] - 60) + 0.1 * (frame["pressure"] - 130) + 3.0 * (frame["smoker"] == "yes") - 1.0
    return frame, np.where(risk + rng.logistic(size=n) > 0, "ill", "well")


X, y = table(200)
X_new, y_new = table(2000)


# %%
# Step 2: empty a share of the cells, in training and in new rows
# ---------------------------------------------------------------


def with_gaps(frame, share):
    return frame.mask(rng.uniform(size=frame.shape) < share)


shares, errors = [0.0, 0.1, 0.2, 0.4, 0.6], []
for share in shares:
    model = KernelClassifier("fast").fit(with_gaps(X, share), y)
    errors.append(100 * (1 - model.score(with_gaps(X_new, share), y_new)))

guess = 100 * min(np.mean(y_new == "ill"), np.mean(y_new == "well"))
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.plot([100 * share for share in shares], errors, "o-", label="KernelClassifier")
ax.axhline(guess, color="grey", ls="--", label="always the most frequent class")
ax.set(xlabel="empty cells, %", ylabel="error on new rows, %", ylim=0)
ax.legend()

# %%
# Answer
# ------

for share, error in zip(shares, errors, strict=True):
    print(f"{100 * share:.0f} % of the cells empty: error {error:.1f} %")
print(f"always the most frequent class: {guess:.1f} %")

# %%
# The error rises slowly as more cells are empty, and nothing breaks. The median replaces an empty number, and an extra
# input says that the cell was empty, because that alone may tell something. You do not have to fill in anything
# beforehand.
