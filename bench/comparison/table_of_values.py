# SPDX-License-Identifier: Apache-2.0
"""A comparison as CSV: a line for each measurement, numbers as they were measured."""

import csv
import io

from .model import Comparison

COLUMNS = ("series", "source", "backend", "machine", "case", "class", "bytes", "us", "spread",
           "us_least", "us_most", "copy_fraction", "default_us", "speedup_over_reference", "before_us",
           "after_over_before", "verdict", "label")


def number(value) -> str:
    return "" if value is None else f"{value:.6g}"


def comma_separated(comparison: Comparison) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    changes = comparison.judgement.changes if comparison.judgement else []
    judged = {(change.after.name, change.case): change for change in changes}
    for case in comparison.cases:
        reference = comparison.reference.rows.get(case.name)
        for series in comparison.series:
            row = series.rows.get(case.name)
            if row is None:
                continue
            change = judged.get((series.name, case.name))
            spread = row.spread
            writer.writerow([
                series.name, series.source.label, series.backend, series.machine or "", case.name,
                case.of_class, row.bytes, number(row.us), number(spread),
                number(None if spread is None else row.us * (1 - spread)),
                number(None if spread is None else row.us * (1 + spread)),
                number(row.copy_fraction), number(row.default_us),
                number(reference.us / row.us if reference else None),
                number(change.old.us if change else None), number(change.ratio if change else None),
                change.verdict.value if change else "", row.label])
    return out.getvalue()
