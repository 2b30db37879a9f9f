"""
How many rows does it take to see which inputs matter?
======================================================

One width per input gives each input a relevance. Three of twenty inputs matter here. We raise the number of rows and
watch when the three stand out.
"""

# %%
# Step 1: fit on 50, 100, 200 and 400 rows
# ----------------------------------------

import matplotlib.pyplot as plt
import numpy as np

from kernelect import LSSVC
from kernelect.datasets import sparse_inputs
from kernelect.plots import RelevanceDisplay

X, y = sparse_inputs(400, random_state=0)
sizes = [50, 100, 200, 400]
models = {n: LSSVC().fit(X[:n], y[:n]) for n in sizes}

# %%
# Step 2: relevance against rows
# ------------------------------

shares = np.array([models[n].feature_importances_ for n in sizes])
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(sizes, 100 * shares[:, 3:], color="lightgrey")
for j in range(3):
    ax.plot(sizes, 100 * shares[:, j], "o-", label=f"input {j}, which matters")
ax.set(xscale="log", xlabel="training rows", ylabel="relevance, %", xticks=sizes, xticklabels=sizes)
ax.legend()

# %%
# Step 3: the relevance at 400 rows
# ---------------------------------

RelevanceDisplay.from_estimator(models[400])

# %%
# Answer
# ------

X_new, y_new = sparse_inputs(3000, random_state=1)
for n in sizes:
    three = 100 * models[n].feature_importances_[:3].sum()
    error = 100 * (1 - models[n].score(X_new, y_new))
    print(f"{n} rows: the three share {three:.0f} % of the relevance, error {error:.1f} %")

# %%
# About ten rows per input here. With fewer rows, the prior keeps the widths together and spreads the relevance. That is
# the honest answer, because so few rows do not tell the inputs apart. Relevance says how strongly the model uses a
# column. Of two columns that say the same, each may get half of the share.
