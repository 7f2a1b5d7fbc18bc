# SPDX-License-Identifier: Apache-2.0
"""A comparison as Markdown."""

from typing import List

from measurements import one_line

from . import tables, words
from .model import Comparison
from .verdicts import Judgement, Verdict


def escaped(text: str) -> str:
    text = one_line(" ".join(text.split()))
    for character in "\\|*_<[":
        text = text.replace(character, "\\" + character)
    return text


def code(text: str) -> str:
    """A pipe ends a table's cell even in code, and a backtick the code."""
    return "`" + one_line(" ".join(text.split())).replace("`", "'").replace("|", "\\|") + "`"


def cell_text(column: tables.Column, cell: tables.Cell) -> str:
    if column.code and cell.text != "-":
        return code(cell.text)
    text = escaped(cell.text) + (f" {cell.note}" if cell.note else "")
    return f"**{text}**" if cell.tone == "best" else text


def written(table: tables.Table) -> str:
    headings = [escaped(column.heading if not column.group else f"{column.heading}, {column.group}")
                for column in table.columns]
    lines = ["| " + " | ".join(headings) + " |",
             "|" + "|".join("---:" if column.number else "---" for column in table.columns) + "|"]
    lines += ["| " + " | ".join(map(cell_text, table.columns, row)) + " |" for row in table.rows]
    return "\n".join(lines) + "\n"


def judgement_parts(comparison: Comparison, judgement: Judgement) -> List[str]:
    parts = [f"## Before and after\n\n{words.verdict(judgement)}. {words.rule(judgement)}\n"]
    if judgement.failures:
        parts.append("Newly failed:\n\n" + "".join(
            f"- {code(failure.case)}, {escaped(failure.after.name)}: {escaped(failure.message)}\n"
            for failure in judgement.failures))
    for title, verdict in (("Regressions", Verdict.SLOWER), ("Improvements", Verdict.FASTER)):
        table = tables.changes(comparison, verdict)
        if table.rows:
            parts.append(f"### {title}\n\n{written(table)}")
    if judgement.missing:
        parts.append("Not measured any more: " + ", ".join(
            escaped(f"{missing.after.name}: {missing.case}") for missing in judgement.missing) + ".\n")
    return parts


def markdown(comparison: Comparison) -> str:
    parts = [f"# Measured results compared\n\n{escaped(words.scope(comparison))}.\n"]
    if comparison.messages:
        parts.append("To be known:\n\n" + "".join(f"- {escaped(message)}\n"
                                                  for message in comparison.messages))
    parts.append(f"## Summary\n\n{words.OF_COPY}\n\n{written(tables.summary(comparison))}")
    if comparison.judgement:
        parts += judgement_parts(comparison, comparison.judgement)
    if comparison.pairs():
        parts.append(f"## Speed-ups\n\n{words.SPEEDUPS}\n\n{written(tables.pairs(comparison))}")
    parts.append(f"## Every case\n\n{words.NOISE}\n\n{written(tables.cases(comparison))}")
    parts.append(f"## Configurations\n\n{words.CONFIGURATIONS}\n\n"
                 f"{written(tables.configurations(comparison))}")
    parts.append(f"## Files\n\n{written(tables.files(comparison))}")
    parts.append("How it was measured, as the files say:\n\n" +
                 "".join(f"- {escaped(method)}\n" for method in words.methods(comparison)))
    return "\n".join(parts)
