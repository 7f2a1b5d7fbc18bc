# SPDX-License-Identifier: Apache-2.0
"""The tables of a comparison, as text and sort keys: what Markdown and HTML both show."""

import re
from dataclasses import dataclass, field
from typing import List, Optional

from beside import is_peer, others_versions
from measurements import ceiling_of, geometric_mean, microseconds, times, versions_of

from .model import Comparison
from .sources import Series
from .verdicts import Change, Verdict

# Plan::describe(): problem, device, back end, what runs there, and who chose it.
LABEL = re.compile(r"(?P<problem>.*?) on .*?: (?P<backend>\S+) (?P<runs>.*?)(?: \[(?P<why>.*)\])?")


@dataclass
class Cell:
    text: str
    key: Optional[float] = None  # What numbers are sorted by; None for a text, and for none.
    note: str = ""  # Beside the text, and less important.
    tone: str = ""  # better, worse or best.
    share: Optional[float] = None  # Of a whole: shown as a bar where bars can be.


@dataclass
class Column:
    heading: str
    group: str = ""  # Columns of one group stand under one heading.
    number: bool = True
    code: bool = False
    series: Optional[Series] = None  # Whose it is.


@dataclass
class Table:
    name: str
    columns: List[Column]
    rows: List[List[Cell]] = field(default_factory=list)


NONE = Cell("-")


def time_cell(us: float, spread: Optional[float] = None) -> Cell:
    return Cell(microseconds(us), us, "" if spread is None else f"±{100 * spread:.1f}%")


def ratio_cell(ratio: Optional[float]) -> Cell:
    return NONE if ratio is None else Cell(times(ratio), ratio)


def fraction_cell(fraction: float, digits: int) -> Cell:
    return Cell(f"{fraction:.{digits}f}", fraction, share=fraction)


def size_cell(size: int) -> Cell:
    return Cell(f"{size / 2**20:.1f}", size)


def summary(comparison: Comparison) -> Table:
    reference = comparison.reference
    columns = [Column("series", number=False), Column("tensors (in + out)", number=False),
               Column("cases"), Column("of copy"), Column("least")]
    several = len(comparison.series) > 1
    if several:
        columns += [Column(f"speed-up over {reference.name}"), Column("on cases")]
    table = Table("summary", columns)
    for of_class in comparison.classes:
        for series in comparison.series:
            rows = comparison.rows(series, of_class)
            if not rows:
                continue
            fractions = [row.copy_fraction for row in rows]
            line = [Cell(series.name), Cell(of_class), Cell(str(len(rows)), len(rows)),
                    fraction_cell(geometric_mean(fractions), 2),
                    Cell(f"{min(fractions):.2f}", min(fractions))]
            if several:
                ratios = comparison.speedups(series, reference, of_class)
                there = series is not reference and ratios is not None
                line += [ratio_cell(ratios.mean) if there else NONE,
                         Cell(str(len(ratios.by_case)), len(ratios.by_case)) if there else NONE]
            table.rows.append(line)
    return table


def pairs(comparison: Comparison) -> Table:
    table = Table("speed-ups", [
        Column("series", number=False), Column("over", number=False),
        Column("tensors (in + out)", number=False), Column("cases"), Column("speed-up"),
        Column("least"), Column("most"), Column("least on", number=False, code=True),
        Column("most on", number=False, code=True)])
    for series, over in comparison.pairs():
        for of_class in comparison.classes:
            ratios = comparison.speedups(series, over, of_class)
            if ratios is None:
                continue
            least, most = ratios.least, ratios.most
            table.rows.append([
                Cell(series.name), Cell(over.name), Cell(of_class),
                Cell(str(len(ratios.by_case)), len(ratios.by_case)), ratio_cell(ratios.mean),
                ratio_cell(ratios.by_case[least]), ratio_cell(ratios.by_case[most]),
                Cell(least), Cell(most)])
    return table


def cases(comparison: Comparison) -> Table:
    columns = [Column("case", number=False, code=True), Column("class", number=False),
               Column("MiB")]
    for group, of in (("µs", comparison.series), ("of copy", comparison.series),
                      (f"speed-up over {comparison.reference.name}", comparison.series[1:])):
        columns += [Column(series.name, group, series=series) for series in of]
    table = Table("cases", columns)
    for case in comparison.cases:
        rows = [series.rows.get(case.name) for series in comparison.series]
        fastest = min((row.us for row in rows if row), default=None)
        line = [Cell(case.name), Cell(case.of_class), size_cell(case.bytes)]
        for row in rows:
            cell = NONE if row is None else time_cell(row.us, row.spread)
            if row and row.us == fastest and sum(map(bool, rows)) > 1:
                cell.tone = "best"
            line.append(cell)
        line += [NONE if row is None else fraction_cell(row.copy_fraction, 3) for row in rows]
        line += [ratio_cell(rows[0].us / row.us if row and rows[0] else None) for row in rows[1:]]
        table.rows.append(line)
    return table


def configurations(comparison: Comparison) -> Table:
    """Where a label is not as we write it, it stands there whole."""
    table = Table("configurations", [
        Column("case", number=False, code=True), Column("series", number=False),
        Column("µs"), Column("gain over default"), Column("problem", number=False),
        Column("configuration", number=False, code=True), Column("chosen by", number=False)])
    for case in comparison.cases:
        for series in comparison.series:
            row = series.rows.get(case.name)
            if row is None or not row.label:
                continue
            label = LABEL.fullmatch(row.label)
            problem, runs, why = (label.group("problem", "runs", "why") if label else
                                  ("-", row.label, None))
            table.rows.append([Cell(case.name), Cell(series.name), time_cell(row.us),
                               ratio_cell(row.gain), Cell(problem), Cell(runs), Cell(why or "-")])
    return table


def configuration(label: str) -> str:
    found = LABEL.fullmatch(label)
    return found.group("runs") if found else label or "-"


def what_changed(old: str, new: str) -> str:
    """Between two configurations `strategy knob=value,...`: of one strategy, the knobs that differ."""
    if old == new:
        return "the same"
    (old_strategy, _, old_knobs), (new_strategy, _, new_knobs) = old.partition(" "), new.partition(" ")
    before, after = ([knob.partition("=") for knob in knobs.split(",")]
                     for knobs in (old_knobs, new_knobs))
    if old_strategy != new_strategy or [knob[0] for knob in before] != [knob[0] for knob in after]:
        return f"{old} → {new}"
    differing = [f"{knob}={was}→{is_now}" for (knob, _, was), (_, _, is_now) in zip(before, after)
                 if was != is_now]
    return f"{old_strategy} {','.join(differing)}"


def change_cells(change: Change) -> List[Cell]:
    old, new = configuration(change.old.label), configuration(change.new.label)
    tone = {Verdict.SLOWER: "worse", Verdict.FASTER: "better"}.get(change.verdict, "")
    ratio = Cell(f"{change.ratio:.3f}", change.ratio, tone=tone)
    return [Cell(change.case), Cell(change.after.name),
            time_cell(change.old.us, change.old.spread), time_cell(change.new.us, change.new.spread),
            ratio, Cell(what_changed(old, new))]


def changes(comparison: Comparison, verdict: Verdict) -> Table:
    table = Table(verdict.value, [
        Column("case", number=False, code=True), Column("series", number=False),
        Column("before µs"), Column("after µs"), Column("after / before"),
        Column("configuration", number=False, code=True)])
    table.rows = [change_cells(change) for change in comparison.judgement.of(verdict)]
    return table


def files(comparison: Comparison) -> Table:
    table = Table("files", [
        Column("file", number=False, code=True), Column("series", number=False),
        Column("machine", number=False), Column("cases"), Column("copy GB/s"),
        Column("run", number=False)])
    for series in comparison.series:
        for file in series.source.files:
            count = sum(row.file == file.path for row in series.rows.values())
            if not count:
                continue
            copy = ceiling_of(file.context, series.backend)
            facts = (others_versions(file.context) if is_peer(series.backend)
                     else versions_of(file.context, series.backend))
            facts += [str(file.context[key]) for key in ("versions", "date") if key in file.context]
            table.rows.append([
                Cell(str(file.path)), Cell(series.name), Cell(str(series.machine or "-")),
                Cell(str(count), count), Cell(str(copy)) if copy else NONE, Cell(", ".join(facts) or "-")])
    return table
