"""Tables with a known answer."""

import numpy as np
import pandas as pd


def mixed_frame(n=60, seed=3):
    """Numbers, text categories, missing cells; two classes that can be told apart."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.normal(10.0, 3.0, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "weight": rng.normal(size=n),
        }
    )
    frame["label"] = np.where(frame["size"] + 3.0 * (frame["colour"] == "red") > 11.0, "big", "small")
    frame["value"] = frame["size"] + 3.0 * (frame["colour"] == "red") + 0.1 * rng.normal(size=n)
    frame.loc[::9, "size"] = np.nan
    frame.loc[::11, "colour"] = None
    return frame
