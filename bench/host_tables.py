# SPDX-License-Identifier: Apache-2.0
"""Tables of what only hosts are measured for, for bench/report.py: more threads, and tensors that grow."""

from typing import Dict, List

from measurements import ReportError, Row, microseconds, microseconds_of, positive, table, times


def scaling_table(benchmarks: List[dict]) -> str:
    """How much faster more threads are than one, beside what a copy of the same bytes gains by them."""
    of_case: Dict[str, Dict[int, dict]] = {}
    for benchmark in benchmarks:
        parts = benchmark["name"].split("/")
        if len(parts) != 3 or not parts[2].isdigit():
            raise ReportError(f"{benchmark['file']}: {benchmark['name']} is not named scaling/<case>/<threads>")
        of_case.setdefault(parts[1], {})[int(parts[2])] = benchmark
    lines = []
    for case, measured in of_case.items():
        if 1 not in measured:
            raise ReportError(f"{measured.popitem()[1]['file']}: {case} was not measured with one thread")

        def us(threads: int) -> float:
            return microseconds_of(measured[threads])

        def copy_us(threads: int) -> float:
            return us(threads) * positive(measured[threads], "copy_fraction")

        lines += [[f"`{case}`", str(threads), microseconds(us(threads)),
                   f"{positive(measured[threads], 'copy_fraction'):.2f}",
                   times(us(1) / us(threads)), times(copy_us(1) / copy_us(threads))]
                  for threads in sorted(measured)]
    return table(["case", "threads", "µs", "of copy", "speed-up", "the copy's"], lines)


def growth_table(rows: List[Row]) -> str:
    """What a byte costs while one shape grows."""
    return table(["MiB in + out", "µs", "µs per MiB", "a copy's", "of copy"],
                 [[f"{row.bytes / 2**20:.0f}", microseconds(row.us), f"{row.us / (row.bytes / 2**20):.2f}",
                   f"{row.us * row.copy_fraction / (row.bytes / 2**20):.2f}", f"{row.copy_fraction:.2f}"]
                  for row in sorted(rows, key=lambda row: row.bytes)])
