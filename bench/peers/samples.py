# SPDX-License-Identifier: Apache-2.0
"""How many samples a measurement takes, and what is kept of them: as src/measure/samples.hpp has it."""

import math
import time
from dataclasses import dataclass
from typing import Callable, List, Sequence

# Of the clock's steps in a sample: what they leave uncertain is half a percent then.
STEPS_WANTED = 200


@dataclass(frozen=True)
class Limits:
    """At least `at_least` samples; then more, until there are `at_most` or `seconds` have passed."""

    at_least: int
    at_most: int
    seconds: float


def smallest_step(values_us: Sequence[float]) -> float:
    """The smallest difference between values that are not the same to a clock; 0 if there is none."""
    ordered = sorted(values_us)
    return min((b - a for a, b in zip(ordered, ordered[1:]) if b - a > 0.5e-3), default=0.0)


def collect(limits: Limits, step_us: float, most_runs: int,
            take: Callable[[int], List[float]]) -> List[float]:
    """Times of single runs, as `take(count)` gives them; of runs too short for the clock, means of a few."""
    start = time.monotonic()
    first = take(1)[0]
    runs = most_runs if first <= 0 else math.ceil(STEPS_WANTED * step_us / first)
    runs = min(max(runs, 1), most_runs)
    samples = [first] if runs == 1 else []
    while len(samples) < limits.at_least or (len(samples) < limits.at_most and
                                             time.monotonic() - start < limits.seconds):
        most = limits.at_least if len(samples) < limits.at_least else limits.at_most
        wanted = max(min(most - len(samples), most_runs // runs), 1)
        if len(samples) >= limits.at_least:
            wanted = min(wanted, 4)  # So that a slow call overruns its time by little.
        times = take(wanted * runs)
        samples += [sum(times[i:i + runs]) / runs for i in range(0, len(times), runs)]
    return samples
