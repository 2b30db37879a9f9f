"""Free memory: what the machine has, and what limits of the process, of a container or of a batch system leave."""

import subprocess
import sys

import pytest

from kernelect.numerics.memory import available_bytes

GB = 2**30


def made_up(tmp_path, cgroup, files):
    """Return a folder with the files of a machine that has 64 GiB free."""
    files = {
        "proc/meminfo": f"MemTotal: 1 kB\nMemAvailable: {64 * GB // 1024} kB\n",
        "proc/self/cgroup": cgroup,
    } | files
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_without_limits_it_is_what_the_machine_has_free(tmp_path):
    root = made_up(tmp_path, "0::/\n", {"sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.current": "5\n"})
    assert available_bytes(root) == 64 * GB


@pytest.mark.parametrize("folder", ["job/step", "job", ""])
def test_control_groups_of_version_2_and_those_around_them_count(tmp_path, folder):
    top = f"sys/fs/cgroup/{folder}"
    files = {
        f"{top}/memory.max": f"{4 * GB}\n",
        f"{top}/memory.current": f"{3 * GB}\n",
        f"{top}/memory.stat": f"anon {GB}\ninactive_file {2 * GB}\n",  # cache gives way
    }
    assert available_bytes(made_up(tmp_path, "0::/job/step\n", files)) == 3 * GB


@pytest.mark.parametrize("folder", ["docker/abc", ""])
def test_control_groups_of_version_1_count(tmp_path, folder):
    top = f"sys/fs/cgroup/memory/{folder}"
    files = {f"{top}/memory.limit_in_bytes": f"{2 * GB}\n", f"{top}/memory.usage_in_bytes": f"{GB}\n"}
    cgroup = "5:cpu,cpuacct:/docker/abc\n3:memory:/docker/abc\n"
    assert available_bytes(made_up(tmp_path, cgroup, files)) == GB


def test_no_less_than_nothing_is_free(tmp_path):
    files = {"sys/fs/cgroup/memory.max": "10\n", "sys/fs/cgroup/memory.current": "20\n"}
    assert available_bytes(made_up(tmp_path, "0::/\n", files)) == 0.0


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are those of Linux")
def test_a_limit_of_the_address_space_refuses_a_fit_that_would_not_end_well():
    script = """
import resource
import numpy as np
from kernelect import LSSVR
from kernelect.exceptions import NotEnoughMemory
from kernelect.numerics.memory import available_bytes

with open("/proc/self/status") as lines:
    used = 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmSize:"))
resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
assert 2**28 < available_bytes() <= 2**29
X = np.random.default_rng(0).normal(size=(6000, 3))
try:
    LSSVR("rbf", landmarks=None).fit(X, X[:, 0])
except NotEnoughMemory as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert "0.5 GiB are free" in run.stdout, run.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are those of Linux")
def test_products_have_their_buffers_before_addresses_are_used_up():
    """OpenBLAS asked for its buffer again and again: a fit under a limit of 700 MB worked for ever, deaf to signals."""
    script = """
import resource
import numpy as np
import scipy.linalg.blas

def used():
    with open("/proc/self/status") as lines:
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmSize:"))

resource.setrlimit(resource.RLIMIT_AS, (used() + 2**30, resource.RLIM_INFINITY))
import kernelect.numerics.memory
square = np.ones((200, 200), order="F")
resource.setrlimit(resource.RLIMIT_AS, (used() + 2**22, resource.RLIM_INFINITY))
assert scipy.linalg.blas.dgemm(1.0, square, square)[0, 0] == 200.0
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
