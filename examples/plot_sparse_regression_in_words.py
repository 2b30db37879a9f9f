"""
Can a regression be written down in words?
==========================================

``BasisSearchRegressor`` chooses a few functions from a dictionary. The evidence weighs fit against size, so no rows
are set aside and no penalty is tuned. The result is a short formula.
"""

# %%
# Step 1: a problem with a known formula
# --------------------------------------
# Of five inputs, three take part: y = 2 x0 - 3 x1² + 4 x0 x3, with noise.

import re

import matplotlib.pyplot as plt
import numpy as np

from kernelect import BasisSearchRegressor
from kernelect.dictionaries import PolynomialTerms
from kernelect.plots import SizesDisplay

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(150, 5))
X -= X.mean(axis=0)
y = 2 * X[:, 0] - 3 * X[:, 1] ** 2 + 4 * X[:, 0] * X[:, 3] + rng.normal(scale=0.3, size=150)

# %%
# Step 2: search among all monomials up to degree three
# -----------------------------------------------------

model = BasisSearchRegressor(PolynomialTerms(degree=3)).fit(X, y)
SizesDisplay.from_selection(model.selection_).plot()

# %%
# Step 3: look at the weights
# ---------------------------

figure, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.barh(model.basis_, model.coef_)
ax.invert_yaxis()
ax.set_xlabel("coefficient")

# %%
# Answer
# ------
# The functions are of inputs scaled to deviation 1, so a coefficient is divided by the deviations of its inputs.


def unit(name):
    factors = re.findall(r"x(\d)(?:\^(\d))?", name)
    return np.prod([X[:, int(j)].std() ** int(power or 1) for j, power in factors])


terms = [f"{weight / unit(name):+.2f} {name}" for weight, name in zip(model.coef_, model.basis_, strict=True)]
print(f"y = {model.intercept_:.2f} {' '.join(terms)}, noise {model.noise_:.2f}")

# %%
# Yes. The evidence peaks at the functions that made the data, and both larger and smaller models are less probable.
# The estimate of the noise comes with it. :doc:`Barrio, Romero and Belanche </ideas/barrio>` describe the search.
