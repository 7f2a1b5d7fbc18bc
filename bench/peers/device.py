# SPDX-License-Identifier: Apache-2.0
"""A GPU's clock: calls captured into a graph, its replays between two events, L2 flushed before each."""

import ctypes
from statistics import median
from typing import Callable, Dict, List

import torch

from .samples import Limits, collect, smallest_step

MOST_RUNS = 16  # Enqueued before the first wait: enough to keep the device busy meanwhile.
LIMITS = Limits(at_least=11, at_most=101, seconds=0.1)
FLUSHED = 512 << 20
WARM_UPS = 3  # Before a capture: what a library compiles, tunes or allocates at first is done then.


class DeviceClock:
    suffix = ""
    waking = None  # A device that has just flushed is awake.
    method = ("median of single runs, a CUDA graph between events, L2 flushed before each by a memset, random "
              "data, verified before; of three repetitions, taken in turn, the median, their range is the spread")

    def __init__(self, ordinal: int) -> None:
        self.device = torch.device("cuda", ordinal)
        torch.cuda.set_device(self.device)
        self._flush = torch.empty(FLUSHED, dtype=torch.uint8, device=self.device)
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
                        for _ in range(MOST_RUNS)]
        memsets = iter(range(1, 65))
        self._step_us = smallest_step([us for _ in range(4)
                                       for us in self._runs(lambda: self._flush[:next(memsets) << 16].zero_(),
                                                            MOST_RUNS)])

    def context(self) -> Dict[str, str]:
        return {"device": torch.cuda.get_device_name(self.device), "torch_cuda": str(torch.version.cuda)}

    def free_bytes(self) -> int:
        return torch.cuda.mem_get_info(self.device)[0]

    def release(self) -> None:
        torch.cuda.empty_cache()

    def ready(self, run: Callable[[], object]) -> Callable[[], object]:
        """A replay of the call. What it allocates is the graph's, and costs a replay nothing; what it owns
        (a plan, a workspace) lives as long as the replay, which uses it."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(WARM_UPS):
                run()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            run()

        def replay(_owner: Callable[[], object] = run) -> None:
            graph.replay()

        return replay

    def _runs(self, enqueue: Callable[[], object], count: int) -> List[float]:
        for start, end in self._events[:count]:
            # Lines that a kernel has asked the L2 to keep (evict_last) would outlast the memset. Where the device
            # refuses (MIG), they do.
            torch.cuda.synchronize()
            self._driver.cuCtxResetPersistingL2Cache()
            # Keeps the device busy until the host has enqueued the rest.
            self._flush.zero_()
            start.record()
            enqueue()
            end.record()
        torch.cuda.synchronize()
        return [1e3 * start.elapsed_time(end) for start, end in self._events[:count]]

    def samples(self, run: Callable[[], object], limits: Limits = LIMITS) -> List[float]:
        def take(count: int) -> List[float]:
            times: List[float] = []
            while len(times) < count:
                times += self._runs(run, min(count - len(times), MOST_RUNS))
            return times

        return collect(limits, self._step_us, MOST_RUNS, take)

    def copy_us(self, moved_bytes: int) -> float:
        """The fastest of the runtime's copy, outside a graph where it is faster, and of a copying kernel."""
        words = max(moved_bytes // 8, 1)
        source = torch.randint(1 << 30, (words,), dtype=torch.int32, device=self.device)
        target = torch.empty_like(source)
        ways = [lambda: target.copy_(source),
                self.ready(lambda: torch.bitwise_not(source, out=target))]
        try:
            from . import triton_copy
            ways += [self.ready(way) for way in triton_copy.ways(source, target)]
        except ImportError:
            pass  # PyTorch's own kernel serves.
        return min(median(self.samples(way, Limits(9, 51, 0.05))) for way in ways)
