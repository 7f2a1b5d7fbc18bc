# SPDX-License-Identifier: Apache-2.0
"""The host's clock: single runs between two looks at it, caches flushed before each."""

import ctypes
import glob
import os
import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Callable, Dict, List, Optional, Set

import torch

from .cases import Case
from .samples import Limits, collect, smallest_step

MOST_RUNS = 8  # Of a sample of the shortest work: displacing a large cache takes long.
LIMITS = Limits(at_least=3, at_most=101, seconds=0.1)
LEAST_FLUSHED = 32 << 20
# Enough for as many threads as a machine has, and little beside its last cache.
WAKING = Case(name="waking", op="layer_norm", n=4096, c=256, spatial=(), groups=1, dtype="f32", y_dtype="f32",
              affine_dtype="f32", channels_last=False, affine=True, eps=1e-5, activation="none", fused=())


def last_cache_bytes() -> int:
    """Of the largest cache that the first CPU sees; 0 where that cannot be told."""
    sizes = [0]
    for path in glob.glob("/sys/devices/system/cpu/cpu0/cache/index*/size"):
        text = Path(path).read_text(encoding="ascii").strip()
        sizes.append(int(text[:-1]) << {"K": 10, "M": 20, "G": 30}[text[-1]])
    return max(sizes)


def cpu_name() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "CPU"


def nothing() -> None:
    """Where nobody has to be woken."""


@dataclass
class HostCall:
    """`wake` has the threads of whoever runs at work just before: in a program, the call before did."""

    run: Callable[[], object]
    wake: Callable[[], object] = nothing


class WarmHostClock:
    """Caches hold what the run before has left there, and threads are awake from it."""

    device = torch.device("cpu")
    suffix = "-host"  # Of names: result files tell machines apart by it.
    waking: Optional[Case] = None
    caches = "warm"
    method = ("median of single runs, one after the other, caches warm, random data, verified before; of three "
              "repetitions, taken in turn, the median, their range is the spread")

    def __init__(self) -> None:
        self._step_us = smallest_step([time.perf_counter_ns() * 1e-3 for _ in range(1000)])

    def context(self) -> Dict[str, str]:
        return {"host": cpu_name(), "threads": str(torch.get_num_threads()), "caches": self.caches}

    def free_bytes(self) -> int:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    def release(self) -> None:
        """Nothing is kept."""

    def ready(self, run: Callable[[], object], wake: Callable[[], object] = nothing) -> HostCall:
        run()
        return HostCall(run, wake)

    def samples(self, call: HostCall, limits: Limits = LIMITS) -> List[float]:
        def take(count: int) -> List[float]:
            times = []
            for _ in range(count):
                self._prepare(call)
                start = time.perf_counter_ns()
                call.run()
                times.append((time.perf_counter_ns() - start) * 1e-3)
            return times

        return collect(limits, self._step_us, MOST_RUNS, take)

    def _prepare(self, call: HostCall) -> None:
        """The run before has prepared everything."""

    def copy_us(self, moved_bytes: int) -> float:
        """The fastest of a copy by PyTorch's threads and one by memmove on this one."""
        size = max(moved_bytes // 2, 1)
        source = torch.full((size,), 3, dtype=torch.uint8)
        target = torch.zeros_like(source)
        few = [torch.zeros(WAKING.n * WAKING.c) for _ in range(2)]
        ways = [HostCall(lambda: target.copy_(source), lambda: few[0].copy_(few[1])),
                HostCall(lambda: ctypes.memmove(target.data_ptr(), source.data_ptr(), size))]
        return min(median(self.samples(way, Limits(9, 51, 0.05))) for way in ways)


class HostClock(WarmHostClock):
    """Caches are flushed before each run, and threads woken."""

    waking = WAKING
    caches = "flushed"
    method = ("median of single runs, caches flushed before each, its threads awake, random data, verified "
              "before; of three repetitions, taken in turn, the median, their range is the spread")

    def __init__(self, cores: Set[int]) -> None:
        """`cores` are those that the process had at its start: where OMP_PROC_BIND is set, importing PyTorch binds
        this thread to one of them."""
        super().__init__()
        # A quarter more than the last cache, whose replacement is not exactly least-recently-used.
        size = max(LEAST_FLUSHED, last_cache_bytes() * 5 // 4)
        threads = torch.get_num_threads()
        # Written by threads of their own, for the private caches of all; those of OpenMP, of which PyTorch
        # and fastnorm may each have a team, would be left spinning beside the other's call. They sleep
        # meanwhile, and to wake many takes longer than a short call.
        own = iter(sorted(cores) * threads)
        self._team = ThreadPoolExecutor(threads, initializer=lambda: os.sched_setaffinity(0, {next(own)}))
        self._flush = ctypes.create_string_buffer(size)
        start = ctypes.addressof(self._flush)
        self._parts = [(start + size * i // threads, size * (i + 1) // threads - size * i // threads)
                       for i in range(threads)]

    def _prepare(self, call: HostCall) -> None:
        wait([self._team.submit(ctypes.memset, at, 0, size) for at, size in self._parts])
        call.wake()
