# SPDX-License-Identifier: Apache-2.0
"""Tables of other libraries beside fastnorm, for bench/report.py."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Tuple

from measurements import (ReportError, Row, benchmarks_of, fault_of_time, geometric_mean, is_of_call, on_host,
                          peers_context, peers_of, read_json, read_row, table, threads_text, times, versions_of)

# What measure_peers.py names them; on a host with "-host" behind.
NAMES = {"torch-eager": "PyTorch", "torch-compile": "torch.compile", "cudnn": "cuDNN", "liger": "Liger",
         "quack": "quack"}

# Who is less than this behind has the same speed.
TIE = 1.02


def name_of(backend: str) -> str:
    return NAMES.get(backend.removesuffix("-host"), backend)


def is_peer(backend: str) -> bool:
    return backend.removesuffix("-host") in NAMES


@dataclass
class SideBySide:
    """A run of measure_peers.py: rows by back end, then by case."""

    path: Path
    context: dict
    rows: Dict[str, Dict[str, Row]] = field(default_factory=dict)
    failures: List[str] = field(default_factory=list)


@dataclass
class Recording:
    """A file of other libraries' times alone, which are of a run of its own on the same machine."""

    path: Path
    context: Dict[str, str]
    us: Dict[str, Dict[str, float]]  # By case, then by library.


def read_side_by_side(path: Path, document: object) -> SideBySide:
    context, benchmarks = benchmarks_of(path, document)
    run = SideBySide(path, context)
    for benchmark in benchmarks:
        if not is_of_call(benchmark["name"]):
            raise ReportError(f"{path}: {benchmark['name']} is not named forward/<case>/<library>")
        _, case, backend = benchmark["name"].split("/")
        if benchmark.get("error_occurred"):
            run.failures.append(f"`{benchmark['name']}`: {benchmark.get('error_message', 'no message')}")
        else:
            run.rows.setdefault(backend, {})[case] = read_row(case, benchmark, None)
    return run


def is_side_by_side(document: object) -> bool:
    return isinstance(document, dict) and "benchmarks" in document


def check_times(path: Path, us: Dict[str, Dict[str, float]]) -> None:
    for case, of_case in us.items():
        for library, time in of_case.items():
            fault = fault_of_time(path, case, library, time)
            if fault is not None:
                raise ReportError(fault)


def read_peers(folder: Path) -> Tuple[List[Recording], List[SideBySide]]:
    """The files that have other libraries' times alone, and the runs that have ours, too."""
    recordings: List[Recording] = []
    runs: List[SideBySide] = []
    for path in sorted(folder.glob("*.json")):
        document = read_json(path)
        if is_side_by_side(document):
            runs.append(read_side_by_side(path, document))
        else:
            us = peers_of(path, document)
            check_times(path, us)
            recordings.append(Recording(path, peers_context(document), us))
    return recordings, runs


def leads_table(ours: Dict[str, Row], others: Dict[str, Dict[str, float]]) -> str:
    """`others` has each library's times by case."""
    lines = []
    for library, us in sorted(others.items()):
        leads = {case: us[case] / ours[case].us for case in us if case in ours}
        if not leads:
            continue
        least = min(leads, key=lambda case: leads[case])
        lines.append([library, str(len(leads)), times(geometric_mean(list(leads.values()))),
                      f"{times(leads[least])} (`{least}`)", times(max(leads.values())),
                      str(sum(lead < 1 / TIE for lead in leads.values()))])
    return table(["library", "cases", "its time over ours, geometric mean", "least", "most", "ours is behind on"],
                 lines)


def circumstances(context: dict) -> List[str]:
    """Of a run on a host, beside the versions: threads, caches, and what its allocator was told."""
    said = []
    if "threads" in context and "host_threads" not in context:  # Else they are those of the back end.
        said.append(threads_text(context["threads"]))
    if "caches" in context:
        said.append(f"caches {context['caches']}")
    return said + [f"`{key}={value}`" for key, value in context.items() if key.startswith("MALLOC_")]


def others_versions(context: dict) -> List[str]:
    return [f"{name_of(key)} {context[key]}" for key in ("torch", *NAMES) if key in context]


def run_text(run: SideBySide) -> str:
    """Of one run, all of whose times are comparable."""
    parts = []
    for backend, ours in run.rows.items():
        if is_peer(backend):
            continue
        others = {name_of(peer): {case: row.us for case, row in rows.items()}
                  for peer, rows in run.rows.items() if is_peer(peer) and on_host(peer) == on_host(backend)}
        facts = versions_of(run.context, backend) + others_versions(run.context)
        parts.append(f"`{backend}` in one run with them ({', '.join(facts + circumstances(run.context))}):\n\n" +
                     leads_table(ours, others))
    if run.failures:
        parts.append("Failed or wrong in that run:\n\n" + "".join(f"- {failure}\n" for failure in run.failures))
    return "\n".join(parts)


def recording_facts(context: Dict[str, str]) -> List[str]:
    return ([f"driver {context['driver']}"] if "driver" in context else []) + (
        [context["versions"]] if "versions" in context else [])


def recordings_text(recordings: List[Recording]) -> str:
    """With what each was measured, and how."""
    parts = []
    for recording in recordings:
        facts = recording_facts(recording.context)
        parts.append(f"- `{recording.path.parent.name}/{recording.path.stem}`" +
                     (f" ({', '.join(facts)})" if facts else "") +
                     (f": {recording.context['method']}" if "method" in recording.context else "") + "\n")
    return "".join(parts)


def recorded_text(backend: str, rows: Dict[str, Row], recordings: List[Recording]) -> str:
    """Of files with other libraries' times, which are of other runs on the same machine."""
    others: Dict[str, Dict[str, float]] = {}
    for case, row in rows.items():
        for library, us in row.others_us.items():
            others.setdefault(library, {})[case] = us
    if not others:
        return ""
    return (f"`{backend}` in a run of its own; who has not a case's activation was timed without it. The others' runs:"
            f"\n\n{recordings_text(recordings)}\n{leads_table(rows, others)}")
