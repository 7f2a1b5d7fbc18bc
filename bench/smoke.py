#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if the host back end has become clearly slower, by fastnorm-bench-smoke's ratios to a copy.

bench/smoke_bounds.json has the ratios that were measured, by machine and instruction set. A case has become slower
where its ratio exceeds that by more than the slack, measured again and again in vain. Exit status: 0, 1 (slower),
2 (no measurement), 77 (none was recorded for this machine; --renew records it).
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, Optional, Tuple

FOLDER = Path(__file__).resolve().parent

# The fastest of many times repeats within some 6%, also where others keep the cores busy. What a compiler's next
# version moves stays within a third, too.
SLACK = 1.35
ATTEMPTS = 4
RENEWALS = 3  # A bound is of what is seen on a good day.

DONE, SLOWER, UNUSABLE, UNKNOWN_MACHINE = 0, 1, 2, 77


def measure(program: List[str]) -> Tuple[str, Dict[str, float]]:
    run = subprocess.run(program, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"{program[0]} exited with {run.returncode}: {run.stderr.strip()}")
    document = json.loads(run.stdout)
    return document["machine"], document["ratios"]


def best_of(program: List[str], attempts: int, enough) -> Tuple[str, Dict[str, float]]:
    """The least ratios of up to so many runs; no more once they are enough."""
    machine, best = measure(program)
    for _ in range(attempts - 1):
        if enough(machine, best):
            break
        _, again = measure(program)
        best = {name: min(ratio, best[name]) for name, ratio in again.items()}
    return machine, best


def slower(ratios: Dict[str, float], recorded: Dict[str, float], slack: float) -> List[str]:
    return [f"{name} takes {ratio:.2f} times a copy, and took {recorded[name]:.2f}" if name in recorded else
            f"{name} has no bound" for name, ratio in ratios.items()
            if name not in recorded or ratio > slack * recorded[name]]


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="build/bench/fastnorm-bench-smoke")
    parser.add_argument("--bounds", type=Path, default=FOLDER / "smoke_bounds.json")
    parser.add_argument("--slack", type=float, default=SLACK)
    parser.add_argument("--renew", action="store_true", help="record what this machine measures")
    options, passed_on = parser.parse_known_args(arguments)
    program = [options.program, "--cases", str(FOLDER / "smoke_cases.yaml"), *passed_on]

    try:
        bounds = json.loads(options.bounds.read_text(encoding="utf-8")) if options.bounds.exists() else {}
        if options.renew:
            machine, ratios = best_of(program, RENEWALS, lambda *_: False)
            bounds[machine] = ratios
            options.bounds.write_text(json.dumps(bounds, indent=2, sort_keys=True) + "\n", encoding="utf-8")
            print(f"{options.bounds}: recorded {machine}")
            return DONE

        def enough(machine: str, ratios: Dict[str, float]) -> bool:
            return machine not in bounds or not slower(ratios, bounds[machine], options.slack)

        machine, ratios = best_of(program, ATTEMPTS, enough)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        print(f"smoke.py: {error}", file=sys.stderr)
        return UNUSABLE
    if machine not in bounds:
        print(f"smoke.py: skipped: nothing is recorded for {machine}; bench/smoke.py {options.program} --renew")
        return UNKNOWN_MACHINE
    for name, ratio in ratios.items():
        print(f"{name:20} {ratio:7.2f} of a copy's time, recorded {bounds[machine].get(name, float('nan')):7.2f}")
    found = slower(ratios, bounds[machine], options.slack)
    for line in found:
        print(f"smoke.py: slower: {line}", file=sys.stderr)
    return SLOWER if found else DONE


if __name__ == "__main__":
    sys.exit(main())
