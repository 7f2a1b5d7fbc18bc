# SPDX-License-Identifier: Apache-2.0
"""The portable back end on a GPU beside the hand-written kernels, for bench/report.py."""

from typing import Dict

from measurements import CLASSES, Row, geometric_mean, table, times


def portable_table(portable: Dict[str, Row], cuda: Dict[str, Row]) -> str:
    """How much longer than the hand-written kernels it takes; of the cases that both were measured on. Empty where
    there are none."""
    lines = []
    for title, belongs in CLASSES:
        ratios = {case: row.us / cuda[case].us for case, row in portable.items() if case in cuda and belongs(row)}
        if not ratios:
            continue
        least = min(ratios, key=lambda case: ratios[case])
        most = max(ratios, key=lambda case: ratios[case])
        lines.append([title, str(len(ratios)), times(geometric_mean(list(ratios.values()))),
                      f"{times(ratios[least])} (`{least}`)", f"{times(ratios[most])} (`{most}`)"])
    if not lines:
        return ""
    return table(["tensors (in + out)", "cases", "its time over cuda's, geometric mean", "least", "most"], lines)
