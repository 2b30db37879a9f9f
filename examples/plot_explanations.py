"""
Why did the model predict this?
===============================

Shapley values split a prediction into one part per column. For kernels that are products over the inputs they can be
computed exactly, so the parts add up to the prediction.
"""

# %%
# Step 1: a model of disease progression
# --------------------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from kernelect import LSSVR
from kernelect.explain import shapley_values
from kernelect.plots import BeeswarmDisplay, ShapleyDependenceDisplay, WaterfallDisplay

X, y = load_diabetes(return_X_y=True, as_frame=True)
model = LSSVR().fit(X[:300], y[:300])
found = shapley_values(model, X[300:])

# %%
# Step 2: one patient
# -------------------
# The bars lead from the average prediction to the one of this patient.

_ = WaterfallDisplay.from_explanation(found, 0)

# %%
# Step 3: all patients
# --------------------
# One dot per patient and column.

_ = BeeswarmDisplay.from_explanation(found)

# %%
# Step 4: one column
# ------------------

_ = ShapleyDependenceDisplay.from_explanation(found, "bmi")
plt.show()

# %%
# Answer
# ------

strength = np.abs(found.values).mean(axis=0)
order = np.argsort(-strength)
gap = np.abs(found.totals - model.predict(X[300:])).max()
print(f"method: {found.method}; base value and parts add up to the prediction within {gap:.0e}")
for place in order[:3]:
    print(f"{found.feature_names[place]} moves a prediction by {strength[place]:.1f} on average")

# %%
# Because of the columns at the top of its waterfall. The parts are exact for the model. They describe what the model
# does with a column, not what would happen to a patient whose value were changed.
