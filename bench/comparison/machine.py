# SPDX-License-Identifier: Apache-2.0
"""What a run had a back end's kernels run on. Times of one machine alone can be held against each other."""

from dataclasses import dataclass, replace
from typing import Iterable, List, Optional, Tuple

from beside import is_peer
from measurements import machine_of, on_host, threads_text

FLUSHED = "flushed"  # What caches are where nothing is said of them.


@dataclass(frozen=True)
class Machine:
    """A host with 16 threads is another machine than the same host with one, and so is one with warm caches, or whose
    allocator keeps memory."""

    name: str
    threads: Optional[str] = None  # Of a host, as all that follows.
    space: Optional[str] = None  # Kokkos', where that is said. Other libraries have none.
    caches: str = FLUSHED
    allocator: Tuple[str, ...] = ()  # What it was told: MALLOC_...=...

    def __str__(self) -> str:
        threads = None if self.threads is None else threads_text(self.threads)
        of_space = " of ".join(fact for fact in (threads, self.space) if fact is not None)
        caches = "" if self.caches == FLUSHED else f"caches {self.caches}"
        facts = [fact for fact in (of_space, caches, *self.allocator) if fact]
        return f"{self.name} ({', '.join(facts)})" if facts else self.name

    def is_same_as(self, other: "Machine") -> bool:
        spaces = {self.space, other.space} - {None}
        return replace(self, space=None) == replace(other, space=None) and len(spaces) < 2


def machine_in(context: dict, backend: str) -> Optional[Machine]:
    """None where the context does not say it."""
    name = machine_of(context, backend)
    if name is None:
        return None
    if not on_host(backend):
        return Machine(str(name))
    threads = context.get("host_threads", context.get("threads"))
    space = None if is_peer(backend) else context.get("host_space")
    caches = context.get("caches")
    if not isinstance(caches, str):  # Google Benchmark's list says how large they are.
        caches = FLUSHED
    allocator = tuple(sorted(f"{key}={value}" for key, value in context.items() if key.startswith("MALLOC_")))
    return Machine(str(name), None if threads is None else str(threads), None if space is None else str(space), caches,
                   allocator)


def are_same(one: Optional[Machine], other: Optional[Machine]) -> bool:
    """Of an unknown machine nothing can be said but that it is unknown."""
    if one is None or other is None:
        return one is other
    return one.is_same_as(other)


def each_once(machines: Iterable[Optional[Machine]]) -> List[Machine]:
    """Those that are known, in order. One without a space is that of the same host with one."""
    found: List[Machine] = []
    for machine in machines:
        if machine is None:
            continue
        at = next((at for at, other in enumerate(found) if machine.is_same_as(other)), None)
        if at is None:
            found.append(machine)
        elif found[at].space is None:
            found[at] = machine
    return found
