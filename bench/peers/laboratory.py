# SPDX-License-Identifier: Apache-2.0
"""A device's tensors, reference and clock: what a session needs of PyTorch."""

from typing import Callable, Dict

from .contenders import Call, Contender
from .problem import Problem, Unsupported
from .reference import Verdict, bytes_held, compare
from .tensors import Tensors, make_tensors


class Laboratory:
    """Of a clock (HostClock, WarmHostClock, DeviceClock), whose functions are its own. `copies` are microseconds
    of cases whose copies have been measured by others."""

    def __init__(self, clock, copies: Dict[str, float]) -> None:
        self.ceiling = clock.suffix.strip("-") + "_copy_gb_s" if clock.suffix else "copy_gb_s"
        self.free_bytes = clock.free_bytes
        self.release = clock.release
        self.samples = clock.samples
        self._clock = clock
        self._copies = copies
        self._wakers: Dict[str, Callable[[], object]] = {}

    def bytes_needed(self, problem: Problem) -> int:
        """The tensors, a result that a contender allocates, and what the reference holds at a time."""
        return 2 * problem.moved_bytes + bytes_held(problem)

    def copy_us(self, problem: Problem) -> float:
        known = self._copies.get(problem.case.name)
        return known if known is not None else self._clock.copy_us(problem.moved_bytes)

    def tensors(self, problem: Problem) -> Tensors:
        return make_tensors(problem, self._clock.device)

    def verify(self, problem: Problem, tensors: Tensors, call: Call) -> Verdict:
        tensors.y.fill_(float("nan"))
        return compare(problem, tensors, call.run())

    def ready(self, contender: Contender, call: Call):
        """What samples() times."""
        if self._clock.waking is None:
            return self._clock.ready(call.run)
        if contender.name not in self._wakers:
            self._wakers[contender.name] = self._waker(contender)
        return self._clock.ready(call.run, self._wakers[contender.name])

    def _waker(self, contender: Contender) -> Callable[[], object]:
        """A call of the contender's own on other tensors: it has its threads at work."""
        problem = Problem(self._clock.waking)
        try:
            return contender.prepare(problem, self.tensors(problem)).run
        except Unsupported:
            return lambda: None
