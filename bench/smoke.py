#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if the host back end has become clearly slower, by fastnorm-bench-smoke's ratios to a copy.

bench/smoke_bounds.json has the ratios that were measured, by machine and instruction set. A case has become slower
where its ratio exceeds that by more than the slack, measured again and again in vain. A machine of which nothing is
recorded is held against others with the same instruction set, with more slack. Exit status: 0, 1 (slower, or a case is
not measured any more), 2 (no measurement), 77 (nothing is recorded for the instruction set; --renew records it).
"""

import argparse
import json
import math
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Tuple

FOLDER = Path(__file__).resolve().parent

# The fastest of many times repeats within some 6%, also where others keep the cores busy. What a compiler's next
# version moves stays within a third, too.
SLACK = 1.35
# One processor's ratios are up to 1.6 times another's (a copy in its caches differs, too), and down to 0.8 times. This
# is well above, and still finds each case that takes three times as long as before.
OTHERS_SLACK = 2.25
ATTEMPTS = 4
RENEWALS = 3  # A bound is of what is seen on a good day.

DONE, SLOWER, UNUSABLE, NOT_RECORDED = 0, 1, 2, 77


Times = Dict[str, Dict[str, float]]  # By case: microseconds of a call, and of a copy.


def measure(program: List[str]) -> Tuple[str, Times]:
    run = subprocess.run(program, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"{program[0]} exited with {run.returncode}: {run.stderr.strip()}")
    document = json.loads(run.stdout)
    return document["machine"], document["us"]


def fastest(one: Times, other: Times) -> Times:
    """Calls and copies apart: a slow copy would make a call look fast."""
    return {name: {what: min(us, other.get(name, us_of)[what]) for what, us in us_of.items()}
            for name, us_of in one.items()}


def is_ratio(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf


def read_bounds(path: Path) -> Dict[str, Dict[str, float]]:
    """What is recorded, by machine and case; nothing where there is no file yet."""
    if not path.exists():
        return {}
    try:
        recorded = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON: {error}") from error
    if isinstance(recorded, dict) and all(
            isinstance(ratios, dict) and all(map(is_ratio, ratios.values())) for ratios in recorded.values()):
        return recorded
    raise ValueError(f'{path}: not bounds, which are an object of objects of positive numbers: '
                     '{"<machine>": {"<case>": <times a copy>}}')


def best_of(program: List[str], attempts: int, enough) -> Tuple[str, Dict[str, float]]:
    """The ratios of the fastest times of up to so many runs; no more once they are enough."""
    machine, best = measure(program)
    for _ in range(attempts - 1):
        if enough(machine, ratios_of(best)):
            break
        best = fastest(measure(program)[1], best)
    return machine, ratios_of(best)


def ratios_of(times: Times) -> Dict[str, float]:
    return {name: round(us["call"] / us["copy"], 3) for name, us in times.items()}


# What such a build was recorded on has AVX-512. Where that is lacking, it is the same as the other.
WITH_AVX512 = ("-march=native", "instruction set chosen at run time")
WITH_AVX2 = "-march=x86-64-v3"


@dataclass(frozen=True)
class Bounds:
    """Of each case the ratio that `machines` had, and what is slower than that."""

    machines: str
    ratios: Dict[str, float]
    slack: float


def cpu_flags() -> List[str]:
    """Of this machine's first x86 processor."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="ascii", errors="replace").splitlines() if path.exists() else []
    return next((line.split() for line in lines if line.startswith("flags")), [])


def build_of(machine: str) -> Tuple[str, str]:
    """Its instruction set and threads; a processor's name may have commas, too."""
    _, instruction_set, threads = ("", "", *machine.rsplit(", ", 2))[-3:]
    return instruction_set, threads


def comparable_build(machine: str, flags: List[str]) -> Optional[Tuple[str, str]]:
    """The recorded build whose loops are those that this machine runs; None where no machine's are."""
    instruction_set, threads = build_of(machine)
    if instruction_set not in WITH_AVX512 or "avx512f" in flags:
        return instruction_set, threads
    return (WITH_AVX2, threads) if "avx2" in flags else None


def bounds_for(machine: str, recorded: Dict[str, Dict[str, float]], flags: List[str]) -> Optional[Bounds]:
    """The machine's own, else the largest of all comparable ones."""
    if machine in recorded:
        return Bounds(machine, recorded[machine], SLACK)
    build = comparable_build(machine, flags)
    largest: Dict[str, float] = {}
    for other, ratios in recorded.items():
        if build_of(other) == build:
            largest.update({name: max(ratio, largest.get(name, 0)) for name, ratio in ratios.items()})
    return Bounds(f"other machines with {', '.join(build)}", largest, OTHERS_SLACK) if build and largest else None


def verdict_on(name: str, ratios: Dict[str, float], bounds: Bounds) -> Optional[str]:
    """What is wrong with a case."""
    if name not in bounds.ratios:
        return f"{name} has no bound"
    if name not in ratios:
        return f"{name} is recorded, and not measured any more"
    if ratios[name] > bounds.slack * bounds.ratios[name]:
        return f"slower: {name} takes {ratios[name]:.2f} times a copy, and took {bounds.ratios[name]:.2f}"
    return None


def faults(ratios: Dict[str, float], bounds: Bounds) -> List[str]:
    verdicts = [verdict_on(name, ratios, bounds) for name in {**bounds.ratios, **ratios}]
    return [verdict for verdict in verdicts if verdict is not None]


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="build/bench/fastnorm-bench-smoke")
    parser.add_argument("--bounds", type=Path, default=FOLDER / "smoke_bounds.json")
    parser.add_argument("--renew", action="store_true", help="record what this machine measures")
    options, passed_on = parser.parse_known_args(arguments)
    program = [options.program, "--cases", str(FOLDER / "smoke_cases.yaml"), *passed_on]

    try:
        recorded = read_bounds(options.bounds)
        if options.renew:
            machine, ratios = best_of(program, RENEWALS, lambda *_: False)
            recorded[machine] = ratios
            options.bounds.write_text(json.dumps(recorded, indent=2, sort_keys=True) + "\n", encoding="utf-8")
            print(f"{options.bounds}: recorded {machine}")
            return DONE

        def enough(machine: str, ratios: Dict[str, float]) -> bool:
            bounds = bounds_for(machine, recorded, cpu_flags())
            return bounds is None or not faults(ratios, bounds)

        machine, ratios = best_of(program, ATTEMPTS, enough)
        bounds = bounds_for(machine, recorded, cpu_flags())
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError, RuntimeError) as error:
        print(f"smoke.py: {error}", file=sys.stderr)
        return UNUSABLE
    if bounds is None:
        print(f"smoke.py: skipped: nothing is recorded for {machine}, nor for others like it; "
              f"bench/smoke.py {options.program} --renew")
        return NOT_RECORDED
    if bounds.machines != machine:
        print(f"smoke.py: nothing is recorded for {machine}: held against {bounds.machines}, "
              f"up to {bounds.slack:g} times theirs")
    for name, ratio in ratios.items():
        print(f"{name:20} {ratio:7.2f} of a copy's time, recorded {bounds.ratios.get(name, float('nan')):7.2f}")
    found = faults(ratios, bounds)
    for line in found:
        print(f"smoke.py: {line}", file=sys.stderr)
    return SLOWER if found else DONE


if __name__ == "__main__":
    sys.exit(main())
