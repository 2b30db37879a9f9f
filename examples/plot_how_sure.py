"""
How well do the rows determine what was selected?
=================================================

A selected value is the minimum of a criterion. Whether to believe it depends on how steep the criterion is around it.
We draw the surface for few and for many rows.
"""

# %%
# Step 1: the surface for 40 rows
# -------------------------------
# The numbers are nats above the lowest point: differences of about 1 are noise, differences of 10 or more are clear.

import matplotlib.pyplot as plt
from sklearn.datasets import make_friedman1

from kernelect import LSSVR
from kernelect.facts import gather
from kernelect.plots import SurfaceDisplay

X, y = make_friedman1(300, noise=1.0, random_state=0)
few, many = LSSVR("rbf").fit(X[:40], y[:40]), LSSVR("rbf").fit(X, y)
SurfaceDisplay.from_estimator(few, X[:40], y[:40])

# %%
# Step 2: the surface for 300 rows
# --------------------------------

SurfaceDisplay.from_estimator(many, X, y)
plt.show()

# %%
# Answer
# ------

for model, n in ((few, 40), (many, 300)):
    facts = gather(model, X[:n], y[:n])
    for entry in facts["influence"]:
        rise = min(abs(entry["below"]), abs(entry["above"]))
        print(f"{n} rows: a factor of 10 in {entry['name']} changes the criterion by at least {rise:.1f} nats")

# %%
# The valley narrows as rows are added. The report of ``kernelect fit`` draws this surface and warns where a factor of
# 10 changes almost nothing: the model may predict well all the same, but the selected number must not be interpreted.
