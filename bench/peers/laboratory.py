# SPDX-License-Identifier: Apache-2.0
"""A device's tensors, reference and clock: what a session needs of PyTorch."""

from .contenders import Call
from .problem import Problem
from .reference import Verdict, bytes_held, compare
from .tensors import Tensors, make_tensors


class Laboratory:
    """Of a HostClock or a DeviceClock, whose functions are its own."""

    def __init__(self, clock) -> None:
        self.ceiling = clock.suffix.strip("-") + "_copy_gb_s" if clock.suffix else "copy_gb_s"
        self.free_bytes = clock.free_bytes
        self.release = clock.release
        self.ready = clock.ready
        self.samples = clock.samples
        self.copy_us = clock.copy_us
        self._device = clock.device

    def bytes_needed(self, problem: Problem) -> int:
        """The tensors, a result that a contender allocates, and what the reference holds at a time."""
        return 2 * problem.moved_bytes + bytes_held(problem)

    def tensors(self, problem: Problem) -> Tensors:
        return make_tensors(problem, self._device)

    def verify(self, problem: Problem, tensors: Tensors, call: Call) -> Verdict:
        tensors.y.fill_(float("nan"))
        return compare(problem, tensors, call.run())
