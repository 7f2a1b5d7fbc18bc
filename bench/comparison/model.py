# SPDX-License-Identifier: Apache-2.0
"""What is reported, whatever it is written as: series beside each other, case by case and by class."""

from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

from measurements import CLASSES, Row, geometric_mean

from .reading import Reader
from .sources import Series, Source, is_same_path, name_series, sources_of
from .verdicts import Judgement, judge

FUSED = ("fused forms", lambda row: row.case.startswith("fused_"))
ALL_CLASSES: Tuple[Tuple[str, Callable[[Row], bool]], ...] = (*CLASSES, FUSED)
SAME_SIZE = 1e-3  # Bytes are a rate times a time, both rounded.


class NothingUsable(Exception):
    """There is nothing to report; the messages say why."""


@dataclass(frozen=True)
class Case:
    name: str
    bytes: int
    of_class: str


@dataclass
class Ratios:
    """One series' speed-up over another: the other's time over its own, case by case."""

    by_case: Dict[str, float]

    @property
    def mean(self) -> float:
        return geometric_mean(list(self.by_case.values()))

    @property
    def least(self) -> str:
        return min(self.by_case, key=lambda case: self.by_case[case])

    @property
    def most(self) -> str:
        return max(self.by_case, key=lambda case: self.by_case[case])


@dataclass
class Comparison:
    sources: List[Source]
    series: List[Series]
    cases: List[Case]
    messages: List[str]
    damaged: List[Path]  # Files that could not be read, wholly or in part.
    judgement: Optional[Judgement] = None
    classes: List[str] = field(default_factory=list)

    @property
    def reference(self) -> Series:
        """What speed-ups of single cases are over."""
        return self.series[0]

    def rows(self, series: Series, of_class: Optional[str] = None) -> List[Row]:
        return [series.rows[case.name] for case in self.cases
                if case.name in series.rows and of_class in (None, case.of_class)]

    def speedups(self, series: Series, over: Series, of_class: Optional[str] = None) -> Optional[Ratios]:
        """None where the two have no case in common."""
        ratios = {row.case: over.rows[row.case].us / row.us for row in self.rows(series, of_class)
                  if row.case in over.rows}
        return Ratios(ratios) if ratios else None

    def pairs(self) -> List[Tuple[Series, Series]]:
        return [(later, earlier) for earlier, later in combinations(self.series, 2)]


def class_of(row: Row) -> str:
    return next(title for title, belongs in ALL_CLASSES if belongs(row))


def cases_of(series: List[Series], messages: List[str]) -> List[Case]:
    """By class, then as they were met. A series whose case is of another size than the first one's
    measured something else under that name: its row is dropped."""
    found: Dict[str, Case] = {}
    for of in series:
        for name, row in list(of.rows.items()):
            case = found.setdefault(name, Case(name, row.bytes, class_of(row)))
            if abs(row.bytes - case.bytes) > SAME_SIZE * case.bytes:
                messages.append(f"{row.file}: {name} moves {row.bytes} bytes, and {case.bytes} where it "
                                "was met first: another problem, left out")
                del of.rows[name]
    order = [title for title, _ in ALL_CLASSES]
    return sorted(found.values(), key=lambda case: order.index(case.of_class))


def note_strangers(series: List[Series], messages: List[str]) -> None:
    """Sources that can be compared with no other one."""
    for source in dict.fromkeys(of.source for of in series):
        own = {case for of in source.series.values() for case in of.rows}
        others = {case for of in series if of.source is not source for case in of.rows}
        if others and own and not own & others:
            messages.append(f"{source.path}: no case in common with any other file")


def compare(baseline: Optional[str], arguments: List[str], backends: List[str],
            floor: float) -> Comparison:
    reader = Reader()
    sources = sources_of(([baseline] if baseline else []) + arguments)
    if baseline:
        reader.messages += [f"{argument}: is the baseline itself: one file, and nothing to hold against it"
                            for argument in arguments if is_same_path(argument, baseline)]
        if len(sources) == 1:
            raise NothingUsable(*reader.messages)
    for source in sources:
        reader.read(source)
    reader.held_against_ours(sources)
    series = [of for source in sources for of in source.series.values()
              if (of.rows or of.failures) and (not backends or of.backend in backends)]
    for backend in backends:
        if not any(of.backend == backend for of in series):
            reader.messages.append(f"--backend {backend}: in no file")
    name_series(series)
    cases = cases_of(series, reader.messages)
    note_strangers(series, reader.messages)

    judgement = None
    if baseline:
        before = [of for of in series if of.source is sources[0]]
        after = [of for of in series if of.source is not sources[0]]
        judgement = judge(before, after, floor, reader.messages)
    shown = [of for of in series if of.rows]
    if not shown:
        raise NothingUsable(*reader.messages, "nothing to compare")
    present = {case.of_class for case in cases}
    return Comparison([source for source in sources if source.files], shown, cases, reader.messages,
                      list(reader.damaged), judgement, [title for title, _ in ALL_CLASSES if title in present])
