# SPDX-License-Identifier: Apache-2.0
"""A comparison as one HTML page that needs nothing else: style, script and drawings are in it."""

from html import escape
from pathlib import Path
from typing import List

from measurements import geometric_mean, times

from . import colours, plots, tables, words
from .model import Comparison
from .reading import count_of
from .sources import Series
from .verdicts import Judgement, Verdict

# A reader's browser asks nobody for anything, whatever a file has put into a name.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

HERE = Path(__file__).resolve().parent

# The colours' names are hidden from a reader that speaks: the series' name stands beside each.
SHAPES = {"o": '<circle cx="6" cy="6" r="4"/>', "s": '<path d="M2.5 2.5h7v7h-7z"/>',
          "^": '<path d="M6 1.5 10.5 10h-9z"/>', "D": '<path d="M6 1 11 6 6 11 1 6z"/>',
          "v": '<path d="M6 10.5 1.5 2h9z"/>',
          "P": '<path d="M4.4 1.5h3.2v2.9h2.9v3.2H7.6v2.9H4.4V7.6H1.5V4.4h2.9z"/>',
          "X": '<path d="M2 4l2-2 2 2 2-2 2 2-2 2 2 2-2 2-2-2-2 2-2-2 2-2z"/>',
          "p": '<path d="M6 1.3 10.8 4.8 9 10.3H3L1.2 4.8z"/>'}


def chip(index: int) -> str:
    return (f'<svg class="chip" viewBox="0 0 12 12" aria-hidden="true" '
            f'style="fill:var({colours.series_variable(index)})">{SHAPES[colours.marker(index)]}</svg>')


class Page:
    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.chips = {id(series): chip(index) for index, series in enumerate(comparison.series)}
        self.named = {series.name: self.chips[id(series)] for series in comparison.series}

    def series(self, series: Series) -> str:
        return self.chips.get(id(series), "") + escape(series.name)

    # Tables.

    def head(self, table: tables.Table) -> str:
        rows = []
        if any(column.group for column in table.columns):
            cells, at = [], 0
            while at < len(table.columns):
                group = table.columns[at].group
                width = 1
                while group and at + width < len(table.columns) and table.columns[at + width].group == group:
                    width += 1
                cells.append(f'<th colspan="{width}" scope="colgroup">{escape(group)}</th>' if group
                             else "<td></td>")
                at += width
            rows.append(f'<tr class="groups">{"".join(cells)}</tr>')
        cells = []
        previous = ""
        for column in table.columns:
            classes = ["number"] if column.number else []
            if column.group != previous:
                classes.append("first")
                previous = column.group
            mark = f' class="{" ".join(classes)}"' if classes else ""
            name = self.series(column.series) if column.series else escape(column.heading)
            cells.append(f'<th scope="col"{mark}><button type="button">{name}</button></th>')
        rows.append(f'<tr>{"".join(cells)}</tr>')
        return f'<thead>{"".join(rows)}</thead>'

    def cell(self, column: tables.Column, cell: tables.Cell, first: bool) -> str:
        attributes = ""
        if column.number:
            attributes += f' data-key="{"" if cell.key is None else f"{cell.key:.6g}"}"'
        classes = [cell.tone] if cell.tone else []
        if cell.share is not None:
            classes.append("bar")
            attributes += f' style="--share:{min(cell.share, 1):.3f}"'
        if classes:
            attributes += f' class="{" ".join(classes)}"'
        text = escape(cell.text)
        if column.code and cell.text != "-":
            text = f"<code>{text}</code>"
        elif not column.number and cell.text in self.named:
            text = self.named[cell.text] + text
        if cell.note:
            text += f" <small>{escape(cell.note)}</small>"
        return f'<th scope="row"{attributes}>{text}</th>' if first else f"<td{attributes}>{text}</td>"

    def table(self, table: tables.Table, title: str) -> str:
        body = "\n".join("<tr>" + "".join(self.cell(column, cell, at == 0) for at, (column, cell) in
                                          enumerate(zip(table.columns, row))) + "</tr>"
                         for row in table.rows)
        # Numbers stand to the right by their column, which costs no bytes in each cell.
        right = ",".join(f"#table-{table.name} tr>:nth-child({at})" for at, column in
                         enumerate(table.columns, start=1) if column.number)
        style = f"<style>{right}{{text-align:right}}</style>" if right else ""
        return (f'{style}<div class="scroll" role="region" tabindex="0" aria-label="{escape(title)}">'
                f'<table id="table-{table.name}" class="sortable">{self.head(table)}<tbody>{body}</tbody>'
                "</table></div>")

    def filtered(self, table: tables.Table, title: str) -> str:
        return (f'<p class="filter"><label>Filter <input type="search" data-filters="table-{table.name}" '
                f'placeholder="case, class, type ..."></label> <output>{len(table.rows)} rows</output></p>'
                + self.table(table, title))

    # Sections.

    def legend(self, series: List[Series]) -> str:
        items = "".join(f"<li>{self.series(of)}</li>" for of in series)
        return f'<ul class="legend">{items}</ul>'

    def figure(self, plot: plots.Plot, legend: str) -> str:
        return f"<figure>{legend}{plots.render(plot)}</figure>"

    def tile(self, series: Series) -> str:
        lines = []
        for of_class in self.comparison.classes:
            rows = self.comparison.rows(series, of_class)
            if not rows:
                continue
            mean = geometric_mean([row.copy_fraction for row in rows])
            over = self.comparison.speedups(series, self.comparison.reference, of_class)
            against = ("" if series is self.comparison.reference or over is None else
                       f" · {times(over.mean)} over {escape(self.comparison.reference.name)}")
            lines.append((f"{mean:.2f}", escape(of_class),
                          f"{count_of(len(rows), 'case')}{against}"))
        (value, title, detail), *more = lines
        rest = "".join(f"<div><dt>{title}</dt><dd>{value}</dd><dd><small>{detail}</small></dd></div>"
                       for value, title, detail in more)
        machine = f"<small>{escape(str(series.machine))}</small>" if series.machine else ""
        return (f'<article class="tile"><h3>{self.series(series)}{machine}</h3>'
                f'<p class="value">{value} <span>of copy</span></p>'
                f"<p>{title}<br><small>{detail}</small></p><dl>{rest}</dl></article>")

    def banner(self, judgement: Judgement) -> str:
        tone = "worse" if judgement.regressed else "good"
        return f'<p class="banner {tone}"><strong>{escape(words.verdict(judgement))}.</strong></p>'

    def messages(self) -> str:
        if not self.comparison.messages:
            return ""
        items = "".join(f"<li>{escape(message)}</li>" for message in self.comparison.messages)
        count = count_of(len(self.comparison.messages), "thing")
        return (f'<details class="messages" open><summary>{count} to be known</summary>'
                f"<ul>{items}</ul></details>")

    def summary(self) -> str:
        comparison = self.comparison
        tiles = "".join(self.tile(series) for series in comparison.series)
        banner = self.banner(comparison.judgement) if comparison.judgement else ""
        return (f'{banner}{self.messages()}<div class="tiles">{tiles}</div>'
                f"<p>{words.OF_COPY} Of several cases, geometric means.</p>" +
                self.table(tables.summary(comparison), "Summary by class"))

    def change_table(self, verdict: Verdict, title: str) -> str:
        table = tables.changes(self.comparison, verdict)
        if not table.rows:
            return ""
        table.name = title.lower()
        return f"<h3>{title}</h3>{self.table(table, title)}"

    def before_and_after(self, judgement: Judgement) -> str:
        parts = [f"<p>{words.rule(judgement)}</p>"]
        if any(change.verdict is not Verdict.NOISY for change in judgement.changes):
            parts.append(self.figure(plots.changed(self.comparison), ""))
        if judgement.failures:
            parts.append("<h3>Newly failed</h3><ul>" + "".join(
                f"<li><code>{escape(failure.case)}</code>, {escape(failure.after.name)}: "
                f"{escape(failure.message)}</li>" for failure in judgement.failures) + "</ul>")
        parts.append(self.change_table(Verdict.SLOWER, "Regressions"))
        parts.append(self.change_table(Verdict.FASTER, "Improvements"))
        if judgement.missing:
            missing = ", ".join(f"<code>{escape(f'{of.after.name}: {of.case}')}</code>" for of in judgement.missing)
            parts.append(f"<h3>Not measured any more</h3><p>{missing}</p>")
        return "".join(parts)

    def speedups(self) -> str:
        comparison = self.comparison
        reached = [series for series in comparison.series[1:]
                   if comparison.speedups(series, comparison.reference)]
        figure = self.figure(plots.speedups(comparison), self.legend(reached)) if reached else ""
        table = tables.pairs(comparison)
        return f"<p>{words.SPEEDUPS}</p>{figure}" + (self.table(table, "Speed-ups") if table.rows else "")

    def sections(self) -> List[tuple]:
        comparison = self.comparison
        found = [("summary", "Summary", self.summary())]
        if comparison.judgement:
            found.append(("before-and-after", "Before and after",
                          self.before_and_after(comparison.judgement)))
        found.append(("copy", "Of copy, by size", self.figure(plots.of_copy(comparison),
                                                             self.legend(comparison.series))))
        if comparison.pairs():
            found.append(("faster", "Speed-ups", self.speedups()))
        found.append(("every-case", "Every case", f"<p>{words.NOISE}</p>" +
                      self.filtered(tables.cases(comparison), "Every case")))
        configured = tables.configurations(comparison)
        if configured.rows:
            found.append(("what-ran", "Configurations", f"<p>{words.CONFIGURATIONS}</p>" +
                          self.filtered(configured, "Configurations")))
        methods = "".join(f"<li>{escape(method)}</li>" for method in words.methods(comparison))
        found.append(("sources", "Files", self.table(tables.files(comparison), "Files") +
                      f'<ul class="methods">{methods}</ul>'))
        return found

    def html(self) -> str:
        sections = self.sections()
        links = "".join(f'<a href="#{name}">{title}</a>' for name, title, _ in sections)
        body = "\n".join(f'<section id="{name}"><h2>{title}</h2>{text}</section>'
                         for name, title, text in sections)
        style = (HERE / "page.css").read_text(encoding="utf-8")
        script = (HERE / "page.js").read_text(encoding="utf-8")
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>fastnorm: measured results compared</title>
<style>
{style}</style>
</head>
<body>
<header><h1><span>fastnorm</span> Measured results compared</h1>
<p>{escape(words.scope(self.comparison))}</p>
<nav aria-label="Sections">{links}</nav></header>
<main>
{body}
</main>
<script>
{script}</script>
</body>
</html>
"""


def page(comparison: Comparison) -> str:
    return Page(comparison).html()
