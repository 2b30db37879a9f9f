"""What a table of values leaves of a target, by leaving out one row after the other."""

import numpy as np


def left_by_table(values, y, classes, least=5):
    missed, judged = [], []
    for row in range(len(y)):
        alike = [k for k in range(len(y)) if values[k] == values[row]]
        if len(alike) < least:
            continue
        others = [y[k] for k in alike if k != row]
        judged.append(y[row])
        if classes:
            labels = sorted(set(y))
            said = max(labels, key=lambda label: (others.count(label), -labels.index(label)))
            missed.append(float(said != y[row]))
        else:
            missed.append((np.mean(others) - y[row]) ** 2)
    judged = np.array(judged)
    guess = 1.0 - max(np.mean(judged == label) for label in set(judged.tolist())) if classes else np.var(judged)
    return np.mean(missed) / guess
