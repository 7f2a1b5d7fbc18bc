# SPDX-License-Identifier: Apache-2.0
"""Whether a case got slower between two measurements, or only looks so.

A measurement's noise interval is its time -/+ its spread, which holds all three of its repetitions'
medians. A case is slower where the two intervals do not meet and the times differ by more than a floor
besides: repetitions lie within a second of each other, and know nothing of what differs between two
runs (clocks, where memory lies, neighbours).
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import List

from measurements import Row, machine_key

from .machine import are_same
from .sources import Series

FLOOR = 0.05
TOO_NOISY = 0.5  # A spread of more hides whatever does not stand out of it.


class Verdict(Enum):
    SLOWER = "slower"
    FASTER = "faster"
    SAME = "unchanged"
    NOISY = "too noisy"  # Nothing can be told.


@dataclass
class Change:
    before: Series
    after: Series
    case: str
    verdict: Verdict

    @property
    def old(self) -> Row:
        return self.before.rows[self.case]

    @property
    def new(self) -> Row:
        return self.after.rows[self.case]

    @property
    def ratio(self) -> float:
        return self.new.us / self.old.us


@dataclass
class Failure:
    """A case that was measured before, and now fails."""

    after: Series
    case: str
    message: str


@dataclass
class Missing:
    """A case that was measured before, and now is not."""

    after: Series
    case: str


@dataclass
class Judgement:
    floor: float
    changes: List[Change] = field(default_factory=list)
    failures: List[Failure] = field(default_factory=list)
    missing: List[Missing] = field(default_factory=list)
    missing_backends: List[str] = field(default_factory=list)  # In no file but the baseline.
    other_machines: List[str] = field(default_factory=list)  # Series that ran on another, or who knows where.

    def of(self, verdict: Verdict) -> List[Change]:
        """Those furthest from 1 first."""
        found = [change for change in self.changes if change.verdict is verdict]
        return sorted(found, key=lambda change: (-max(change.ratio, 1 / change.ratio), change.case))

    @property
    def judged(self) -> int:
        return sum(change.verdict is not Verdict.NOISY for change in self.changes) + len(self.failures)

    @property
    def regressed(self) -> bool:
        return bool(self.failures or self.of(Verdict.SLOWER))

    @property
    def complete(self) -> bool:
        """Whether all of the baseline could be judged, had it no noise."""
        return not (self.missing or self.missing_backends or self.other_machines)


def slower(old: Row, new: Row, floor: float) -> bool:
    return (new.us * (1 - new.spread) > old.us * (1 + old.spread) and
            new.us > old.us * (1 + floor))


def verdict_on(old: Row, new: Row, floor: float) -> Verdict:
    if slower(old, new, floor):
        return Verdict.SLOWER
    if slower(new, old, floor):
        return Verdict.FASTER
    return Verdict.NOISY if max(old.spread, new.spread) > TOO_NOISY else Verdict.SAME


def judge_series(before: Series, after: Series, judgement: Judgement, messages: List[str]) -> None:
    where = f"{before.source.path} and {after.source.path}: {after.backend}"
    unknown = [series for series in (before, after) if series.machine is None]
    if unknown:
        paths = " and ".join(dict.fromkeys(str(series.source.path) for series in unknown))
        messages.append(f"{where}: not judged, {paths} without the {machine_key(after.backend)} that it ran on")
        judgement.other_machines.append(after.name)
        return
    if not are_same(before.machine, after.machine):
        messages.append(f"{where}: not judged, other machines: {before.machine} is not {after.machine}")
        judgement.other_machines.append(after.name)
        return
    common = [case for case in before.rows if case in after.rows]
    failed = [case for case in before.rows if case in after.failures]
    if not common and not failed:
        messages.append(f"{where}: no case in common")
    for case in common:
        verdict = verdict_on(before.rows[case], after.rows[case], judgement.floor)
        judgement.changes.append(Change(before, after, case, verdict))
    judgement.failures += [Failure(after, case, after.failures[case]) for case in failed]
    judgement.missing += [Missing(after, case) for case in before.rows
                          if case not in after.rows and case not in after.failures]


def judge(before: List[Series], after: List[Series], floor: float, messages: List[str]) -> Judgement:
    """Each back end of ours against the same one of the baseline."""
    judgement = Judgement(floor)
    before, after = ([series for series in all_of if series.is_ours] for all_of in (before, after))
    for series in after:
        same = [old for old in before if old.backend == series.backend]
        for old in same:
            judge_series(old, series, judgement, messages)
        if not same:
            messages.append(f"{series.source.path}: {series.backend} is not in the baseline")
    measured = {series.backend for series in after}
    judgement.missing_backends = [old.backend for old in before if old.rows and old.backend not in measured]
    return judgement
