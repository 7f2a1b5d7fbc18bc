# SPDX-License-Identifier: Apache-2.0
"""Measures cases one after the other, all contenders of a case side by side.

Nothing here knows PyTorch: the laboratory has the tensors, the reference and the clock.
"""

import sys
from dataclasses import dataclass
from statistics import median
from typing import Callable, Dict, List

from .cases import Case
from .contenders import Contender
from .problem import Problem, Unsupported
from .results import Measurement, Results

REPETITIONS = 3
# A copy of less stays in the caches, and its speed says nothing about memory.
LARGE_BYTES = 256 << 20


@dataclass
class Entry:
    """A contender that has a case ready, verified, to be timed."""

    name: str
    run: Callable[[], object]
    label: str
    medians: List[float]


def said(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"


class Session:
    def __init__(self, laboratory, contenders: List[Contender], results: Results) -> None:
        self._laboratory = laboratory
        self._contenders = contenders
        self._results = results
        self._largest = 0

    def measure(self, case: Case) -> None:
        names = {contender.name: f"forward/{case.name}/{contender.name}" for contender in self._contenders}
        try:
            problem = Problem(case)
            needed = self._laboratory.bytes_needed(problem)
            free = self._laboratory.free_bytes()
            if needed > free:
                raise Unsupported(f"needs {needed / 1e9:.1f} GB of memory, {free / 1e9:.1f} are free")
        except Unsupported as error:
            for name in names.values():
                self._results.unsupported[name] = str(error)
            return
        self._measure(problem, names)
        self._laboratory.release()

    def _measure(self, problem: Problem, names: Dict[str, str]) -> None:
        tensors = self._laboratory.tensors(problem)
        entries = []
        for contender in self._contenders:
            name = names[contender.name]
            try:
                call = contender.prepare(problem, tensors)
                verdict = self._laboratory.verify(problem, tensors, call)
                if verdict.wrong:
                    self._results.add_failure(name, f"wrong result: {verdict.wrong} of {problem.count} elements, "
                                                    f"by up to {verdict.worst:.3g} times the tolerance")
                    continue
                entries.append(Entry(name, self._laboratory.ready(contender, call), call.label, []))
            except Unsupported as error:
                self._results.unsupported[name] = str(error)
            except Exception as error:  # Of another's library: anything. The others go on.
                self._results.add_failure(name, said(error))
        if entries:
            self._time(problem, entries)

    def _time(self, problem: Problem, entries: List[Entry]) -> None:
        # In turn, so that what slows the machine for a while slows all of them.
        for _ in range(REPETITIONS):
            for entry in entries:
                entry.medians.append(median(self._laboratory.samples(entry.run)))
        copy_us = self._laboratory.copy_us(problem)
        if problem.moved_bytes >= max(LARGE_BYTES, self._largest + 1):
            self._largest = problem.moved_bytes
            self._results.context[self._laboratory.ceiling] = f"{problem.moved_bytes / copy_us * 1e-3:.0f}"
        for entry in entries:
            us = median(entry.medians)
            spread = (max(entry.medians) - min(entry.medians)) / us
            self._results.add(entry.name, Measurement(us, spread, copy_us, problem.moved_bytes, entry.label))
            print(f"{entry.name:60} {us:12.2f} us  {copy_us / us:.3f} of copy", file=sys.stderr, flush=True)
