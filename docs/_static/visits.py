"""A table of visits: 40 patients, five visits each, every patient with a level of their own."""

import numpy as np

rng = np.random.default_rng(0)
habits, level = rng.normal(size=(40, 3)), rng.normal(size=40)
print("patient,sleep,weight,pulse,result")
for patient in range(40):
    for _ in range(5):
        sleep, weight, pulse = habits[patient] + 0.05 * rng.normal(size=3)
        result = sleep + level[patient] + 0.1 * rng.normal()
        print(f"P{patient:02d},{sleep:.3f},{weight:.3f},{pulse:.3f},{result:.3f}")
