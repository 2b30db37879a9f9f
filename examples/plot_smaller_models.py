"""
How small can an exported model be?
===================================

A least-squares machine keeps every training row. ``export.reduce`` keeps fewer rows and measures by leave-one-out
what that costs. ``export.to_c`` writes one header for any C compiler.
"""

# %%
# Step 1: loss against size
# -------------------------

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from kernelect import LSSVC
from kernelect.export import reduce, size_curve, to_c

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
model = LSSVC("rbf").fit(X[:350], y[:350])
curve = size_curve(model)

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.errorbar(curve.vectors, curve.loss, curve.standard_error, fmt="o-")
ax.set(xscale="log", xlabel="vectors", ylabel=f"leave-one-out {curve.score}")

# %%
# Step 2: the size of the file
# ----------------------------

sizes = [20, 50, 100, 350]
kept = {size: reduce(model, size) for size in sizes}
bytes_of = {size: len(to_c(found.model)) for size, found in kept.items()}
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.bar([str(size) for size in sizes], [count / 1000 for count in bytes_of.values()])
ax.set(xlabel="vectors", ylabel="header of C, kB")

# %%
# Answer
# ------

for size, found in kept.items():
    accuracy = found.model.score(X[350:], y[350:])
    print(f"{size} vectors: accuracy on new rows {accuracy:.3f}, {bytes_of[size] / 1000:.0f} kB of source")
print(kept[50].in_words())

# %%
# It can be much smaller than the table it was trained on. The leave-one-out curve shows where to stop: take the
# left-most point whose loss is within a standard error of the whole model's.
