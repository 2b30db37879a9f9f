"""kernelect as TabArena runs methods: experiments for its runner, one of which is run on a table of scikit-learn.

pip install 'autogluon.tabular[lightgbm,catboost]' tabarena
python benchmarks/tabarena_adapter.py
"""

from __future__ import annotations

import numpy as np
from autogluon_model import Kernelect
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from tabarena.benchmark.task.user_task import UserTask
from tabarena.utils.config_utils import CustomAGConfigGenerator

#: The default, then the other efforts: there is nothing else to tune.
EFFORTS = ("balanced", "fast", "best")


def efforts(count: int) -> list[dict[str, str]]:
    """Return so many settings beside the default, where TabArena draws random ones."""
    return [{"effort": effort} for effort in EFFORTS[1:]][:count]


gen_kernelect = CustomAGConfigGenerator(model_cls=Kernelect, search_space_func=efforts, manual_configs=[{}])


def tried() -> dict[str, float]:
    """Return the test error of the default on diabetes, as TabArena reports it."""
    frame = load_diabetes(as_frame=True).frame
    train, test = train_test_split(np.arange(len(frame)), test_size=1 / 3, random_state=0)
    task = UserTask(task_name="diabetes").create_task(
        target_feature="target",
        problem_type="regression",
        dataset=frame,
        splits={0: {0: (train.tolist(), test.tolist())}},
    )
    default, *_ = gen_kernelect.generate_all_outer_experiments(num_random_configs=0)
    found = default.run(task=task, fold=0, task_name="diabetes", cache_task_key="diabetes")
    return {name: found[name] for name in ("metric_error", "time_train_s", "time_infer_s")}


if __name__ == "__main__":
    print(tried())
