# SPDX-License-Identifier: Apache-2.0
"""The command line of bench/measure_peers.py."""

import argparse
import math
import os
import sys
import time
from pathlib import Path
from typing import Dict, List, Optional, Set

import measurements
from comparison.machine import Machine, machine_in

DESCRIPTION = """\
Times PyTorch (eager and compiled) and, where they are installed, cuDNN's graphs, Liger and quack beside fastnorm:
the same cases, tensors, clock and run. Each result is verified against fp64 before it is timed. The result file is
of fastnorm-bench's format, with measurements named forward/<case>/<contender>, and bench/compare.py reads it.
"""

ROOT = Path(__file__).resolve().parents[2]
PEERS = ("torch-eager", "torch-compile", "cudnn", "liger", "quack")
DONE, FAILED, USAGE = 0, 1, 2

# What tells Kokkos how many threads to have, by its space; Serial has one.
THREADS_FROM = {"OpenMP": "OMP_NUM_THREADS", "Threads": "KOKKOS_NUM_THREADS"}


def parse(arguments: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=DESCRIPTION, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--library", required=True, type=Path, metavar="FILE",
                        help="libfastnorm.so, of a build with -DBUILD_SHARED_LIBS=ON")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="the result file (JSON)")
    parser.add_argument("--device", default="cuda", metavar="cuda|cuda:N|cpu", help="default: cuda")
    parser.add_argument("--cases", type=Path, default=ROOT / "cases" / "workloads.yaml", metavar="FILE",
                        help="default: cases/workloads.yaml")
    parser.add_argument("--case", action="append", default=[], metavar="NAME",
                        help="this case alone; may be repeated")
    parser.add_argument("--peer", action="append", default=[], choices=PEERS,
                        help="this one beside fastnorm; may be repeated (default: all)")
    parser.add_argument("--threads", type=int, metavar="N",
                        help="on a CPU: of PyTorch, and of fastnorm where its Kokkos has OpenMP; both need as many")
    parser.add_argument("--seconds", type=float, metavar="S",
                        help="begin no case after so long; those that are left out are listed")
    parser.add_argument("--copies", type=Path, metavar="FILE",
                        help="what fastnorm-bench has measured on this machine, whose copies are the ceiling:\n"
                             "they know ways past a CPU's caches that PyTorch has not")
    parser.add_argument("--warm", action="store_true",
                        help="on a CPU: leave in the caches what the run before has left there")
    options = parser.parse_args(arguments)
    if options.threads is not None and options.threads < 1:
        parser.error(f"--threads {options.threads} must be at least 1")
    if not options.out.parent.is_dir():
        parser.error(f"--out {options.out}: there is no folder {options.out.parent}")
    if options.out.is_dir():
        parser.error(f"--out {options.out} is a folder; it is the file to write")
    if options.seconds is not None and not 0 <= options.seconds < math.inf:
        parser.error(f"--seconds {options.seconds:g} must be a number from 0")
    if options.warm and not options.device.startswith("cpu"):
        parser.error("--warm goes with --device cpu")
    return options


def complain(message: str, status: int) -> int:
    print(f"measure_peers.py: {measurements.one_line(message)}", file=sys.stderr)
    return status


def copied_on(context: dict, backend: str) -> Optional[Machine]:
    """What makes a copy comparable: fastnorm-bench flushes caches and keeps its tensors, whatever a run here does."""
    machine = machine_in(context, backend)
    return Machine(machine.name, machine.threads) if machine is not None else None


def copies_of(path: Path, backend: str, context: dict) -> Dict[str, float]:
    """Microseconds by case, from a result file of fastnorm-bench on what `backend` runs on by this run's context."""
    of_file, benchmarks = measurements.benchmarks_of(path, measurements.read_json(path))
    theirs, ours = copied_on(of_file, backend), copied_on(context, backend)
    if theirs is None:
        raise measurements.ReportError(f"{path}: does not say the {measurements.machine_key(backend)} that its copies "
                                       f"ran on; this run is on {ours}")
    if theirs != ours:
        raise measurements.ReportError(f"{path}: its copies ran on {theirs}, and this run is on {ours}")
    found = {}
    for benchmark in benchmarks:
        if not measurements.is_of_call(benchmark["name"]) or "copy_fraction" not in benchmark:
            continue
        _, case, of_backend = benchmark["name"].split("/")
        if measurements.on_host(of_backend) == measurements.on_host(backend):
            found[case] = measurements.microseconds_of(benchmark) * measurements.positive(benchmark, "copy_fraction")
    return found


def differing_threads(ours: int, space: str, theirs: int) -> Optional[str]:
    """What is wrong where fastnorm, on Kokkos' space, and PyTorch have not as many threads, and what to do."""
    if ours == theirs:
        return None
    of_ours = f"; {THREADS_FROM[space]} sets fastnorm's" if space in THREADS_FROM else ""
    return (f"fastnorm has {measurements.threads_text(ours)} of {space} and PyTorch {theirs}, so that their times "
            f"could not be compared: --threads {ours} gives PyTorch as many{of_ours}")


def open_clock(options: argparse.Namespace, cores: Set[int]):
    import torch

    from .device import DeviceClock
    from .host import HostClock, WarmHostClock

    parsed = torch.device(options.device)
    if parsed.type == "cpu":
        return WarmHostClock() if options.warm else HostClock(cores)
    if not torch.cuda.is_available():
        raise RuntimeError("PyTorch finds no CUDA device here; --device cpu measures on the host")
    return DeviceClock(parsed.index or 0)


def open_peers(wanted: List[str], clock) -> list:
    """Those that are there; a message for each other."""
    from .other_norms import ON_DEVICE
    from .torch_norms import Compiled, Eager

    peers = [kind(clock.suffix) for name, kind in (("torch-eager", Eager), ("torch-compile", Compiled))
             if name in wanted]
    for name, kind in ON_DEVICE.items():
        if name not in wanted:
            continue
        if clock.device.type == "cpu":
            print(f"left out: {name} runs on a GPU alone", file=sys.stderr)
            continue
        try:
            peers.append(kind())
        except Exception as error:  # Not installed, or for another version of PyTorch or CUDA.
            print(f"left out: {name}: {type(error).__name__}: {error} (pip install {kind.package})",
                  file=sys.stderr)
    return peers


def main(arguments: Optional[List[str]] = None) -> int:
    options = parse(arguments)
    cores = os.sched_getaffinity(0)
    if options.threads:
        os.environ["OMP_NUM_THREADS"] = str(options.threads)  # Before anyone reads it.
    try:
        import torch
    except ImportError as error:
        return complain(f"PyTorch is needed, and cannot be imported: {error} (pip install torch)", USAGE)

    from .cases import CaseError, read_cases
    from .fastnorm_norms import Fastnorm
    from .laboratory import Laboratory
    from .results import Results
    from .session import Session

    if options.threads:
        torch.set_num_threads(options.threads)
    torch.set_grad_enabled(False)
    try:
        cases = read_cases(options.cases)
    except (CaseError, OSError, ValueError) as error:
        return complain(str(error), USAGE)
    unknown = [name for name in options.case if name not in {case.name for case in cases}]
    if unknown:
        return complain(f"--case {unknown[0]} is no case of {options.cases}", USAGE)
    if options.case:  # In the order in which they are named: the time may not suffice for all.
        by_name = {case.name: case for case in cases}
        cases = [by_name[name] for name in dict.fromkeys(options.case)]
    try:
        clock = open_clock(options, cores)
        ours = Fastnorm(str(options.library), clock.device)
    except Exception as error:  # A library that does not load, or has no back end for the device.
        return complain(str(error), FAILED)
    if clock.device.type == "cpu":
        # The two may share OpenMP's runtime, where Kokkos has the last word: what was asked for counts.
        theirs = options.threads or torch.get_num_threads()
        wrong = differing_threads(ours.threads, ours.host_space, theirs)
        if wrong is not None:
            return complain(wrong, USAGE)
    context = {"method": clock.method, **clock.context(), **ours.versions()}
    try:
        copies = copies_of(options.copies, ours.name, context) if options.copies else {}
    except (measurements.ReportError, OSError) as error:
        return complain(str(error), USAGE)
    contenders = [ours]
    contenders += open_peers(options.peer or list(PEERS), clock)

    # What an allocator is told decides whether a result's memory is new to the system each time.
    context.update({name: value for name, value in os.environ.items() if name.startswith("MALLOC_")})
    for contender in contenders:
        context.update(contender.versions())
    results = Results(context)
    session = Session(Laboratory(clock, copies), contenders, results)
    start = time.monotonic()
    late = []
    for case in cases:
        if options.seconds is not None and time.monotonic() - start >= options.seconds:
            late.append(case.name)
            continue
        session.measure(case)
        results.write(options.out)
    report(results, late)
    if not any("real_time" in one for one in results.benchmarks):
        return complain("nothing was measured", FAILED)
    return FAILED if results.failures else DONE


def report(results, late: List[str]) -> None:
    by_reason = {}
    for name, reason in results.unsupported.items():
        by_reason.setdefault(reason, []).append(name)
    for reason, names in by_reason.items():
        print(f"not supported: {reason}: {', '.join(names)}", file=sys.stderr)
    for one in results.benchmarks:
        if one.get("error_occurred"):
            print(f"failed: {one['name']}: {one['error_message']}", file=sys.stderr)
    if late:
        print(f"no time left for {', '.join(late)}", file=sys.stderr)
