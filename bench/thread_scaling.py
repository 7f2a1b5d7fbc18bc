#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs fastnorm-bench on the host with 1, 2, 4, ... threads, and joins what it measures in one file.

For a library whose Kokkos has OpenMP. Measurements are `scaling/<case>/<threads>`, with the counters of
fastnorm-bench; bench/report.py makes the table of speed-ups beside the copy's own of it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List, Optional

BACKEND = "kokkos-host"


def powers_of_two(most: int) -> List[int]:
    return sorted({most, *(1 << power for power in range(most.bit_length()) if 1 << power < most)})


def measured_with(threads: int, program: List[str]) -> dict:
    """A thread stays on its core: one that moves leaves its cache behind."""
    bound = {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        run = subprocess.run([*program, f"--benchmark_filter=/{BACKEND}$", f"--benchmark_out={out}"],
                             env={**os.environ, **bound}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"{program[0]} with {threads} threads exited with {run.returncode}: "
                               f"{run.stderr.strip()}")
        return result_of(out, program[0])


def result_of(out: Path, program: str) -> dict:
    """Whatever is wrong with the file, it is the program that the user knows."""
    try:
        document = json.loads(out.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RuntimeError(f"{program} wrote no result: is it fastnorm-bench?") from error
    except ValueError as error:
        raise RuntimeError(f"{program} wrote a result that is not JSON: {error}") from error
    try:
        named = all(benchmark["name"].count("/") for benchmark in document["benchmarks"])
        if named and document["benchmarks"] and isinstance(document["context"], dict):
            return document
    except (KeyError, TypeError, AttributeError) as error:
        raise RuntimeError(f"{program} wrote no result of fastnorm-bench") from error
    raise RuntimeError(f"{program} wrote a result without measurements of a case")


def joined(documents: List[dict], threads: List[int]) -> dict:
    """Of the last run's context, that which is of all runs."""
    used = [document["context"].get("host_threads") for document in documents]
    if used != [str(count) for count in threads]:
        raise RuntimeError(f"asked for {threads} threads, ran with {used}: does its Kokkos have OpenMP?")
    context = {key: value for key, value in documents[-1]["context"].items()
               if key not in ("host_name", "host_threads", "host_copy_gb_s", "executable")}
    benchmarks = []
    for count, document in zip(threads, documents):
        for benchmark in document["benchmarks"]:
            name = f"scaling/{benchmark['name'].split('/')[1]}/{count}"
            benchmarks.append({**benchmark, "name": name, "run_name": name})
    return {"context": context, "benchmarks": benchmarks}


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="build/bench/fastnorm-bench")
    parser.add_argument("--out", type=Path, required=True, help="the result file (JSON)")
    parser.add_argument("--most", type=int, default=len(os.sched_getaffinity(0)), metavar="N",
                        help="threads at most (default: one for each core)")
    options, passed_on = parser.parse_known_args(arguments)
    if options.most < 1:
        parser.error(f"--most is {options.most}; at least 1")
    if not options.out.parent.is_dir() or options.out.is_dir():
        parser.error(f"--out {options.out}: no file in a folder that there is")
    if not os.access(options.out.parent, os.W_OK):
        parser.error(f"--out {options.out}: nothing can be written in that folder")
    program = [options.program, "--backend", BACKEND, *passed_on]
    threads = powers_of_two(options.most)
    try:
        document = joined([measured_with(count, program) for count in threads], threads)
        options.out.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    except (RuntimeError, OSError) as error:
        print(f"thread_scaling.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
