# SPDX-License-Identifier: Apache-2.0
"""The sentences of a comparison, the same in HTML and Markdown."""

from collections import Counter
from typing import Dict, List

from measurements import geometric_mean, times

from .machine import each_once
from .model import Comparison
from .reading import count_of
from .verdicts import TOO_NOISY, Judgement, Verdict

OF_COPY = ("The time of the fastest known copy of as many bytes, over the kernel's. A kernel that reads x "
           "once may come near 1; one that reads it twice from memory ends near 2/3.")
SPEEDUPS = ("The other's time over the series' own, so that above 1 is faster; a class's is the geometric "
            "mean over the cases that both have.")
NOISE = ("± is the spread of three repetitions' medians, as a share of the time: the three lie within it. "
         "The fastest is emphasized.")
CONFIGURATIONS = "What ran, and who chose it; the gain is the time of the heuristic's choice over this one's."


def rule(judgement: Judgement) -> str:
    return (f"Slower is: the noise intervals (time ± spread) before and after do not meet, and the time "
            f"grew by more than {100 * judgement.floor:g}%. Faster is the same the other way round. Too noisy "
            f"is: neither, with a spread of more than {100 * TOO_NOISY:g}% before or after.")


def left_out(judgement: Judgement) -> List[str]:
    """What the baseline has, and could not be judged."""
    parts = []
    if judgement.missing:
        of_series = Counter(missing.after.name for missing in judgement.missing)
        named = ", ".join(f"{count} of {name}" for name, count in of_series.items())
        parts.append(f"{count_of(len(judgement.missing), 'case')} of the baseline missing ({named})")
    if judgement.missing_backends:
        count = count_of(len(judgement.missing_backends), "back end")
        parts.append(f"{count} of the baseline missing ({', '.join(judgement.missing_backends)})")
    if judgement.other_machines:
        parts.append(f"not judged for their machine: {', '.join(judgement.other_machines)}")
    return parts


def verdict(judgement: Judgement) -> str:
    """In one line, what a reader wants to know first."""
    slower, faster, same, noisy = (
        len(judgement.of(which)) for which in (Verdict.SLOWER, Verdict.FASTER, Verdict.SAME, Verdict.NOISY))
    parts = [count_of(slower, "regression") if slower else "no regression"]
    if judgement.failures:
        parts.append(f"{len(judgement.failures)} newly failed")
    parts += [count_of(faster, "improvement") if faster else "no improvement", f"{same} unchanged"]
    if noisy:
        parts.append(f"{noisy} too noisy")
    parts += left_out(judgement)
    if judgement.changes:
        mean = geometric_mean([1 / change.ratio for change in judgement.changes])
        parts.append(f"speed-up {times(mean)} in the mean")
    return ", ".join(parts)


def scope(comparison: Comparison) -> str:
    machines = [str(machine) for machine in each_once(series.machine for series in comparison.series)]
    text = f"{len(comparison.series)} series, {count_of(len(comparison.cases), 'case')}"
    return text + (f", on {' and '.join(machines)}" if machines else "")


def methods(comparison: Comparison) -> List[str]:
    """How each file says that its times were measured; once where several say the same."""
    labels: Dict[str, List[str]] = {}
    for source in comparison.sources:
        for file in source.files:
            if "method" in file.context:
                labels.setdefault(str(file.context["method"]), []).append(str(file.path))
    return [f"{', '.join(paths)}: {method}" for method, paths in labels.items()]
