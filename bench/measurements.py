# SPDX-License-Identifier: Apache-2.0
"""What report.py and compare.py share: result files and their measurements, the classes of cases, the
mean of ratios, and how numbers are written."""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional, Tuple


class ReportError(Exception):
    """The results or the documents are not as they should be; the message says where."""


@dataclass
class Row:
    """One case on one back end: the tuned measurement, and the default where there is one."""

    case: str
    us: float
    copy_fraction: float
    spread: Optional[float]  # None where a program other than ours measured, and recorded none.
    bytes: int
    file: Path  # Whose context the numbers belong to: each file is of a run of its own.
    label: str = ""  # What ran: Plan::describe().
    default_us: Optional[float] = None
    others_us: Dict[str, float] = field(default_factory=dict)  # Other libraries' times, by name.

    @property
    def gain(self) -> Optional[float]:
        return None if self.default_us is None else self.default_us / self.us

    @property
    def best_other(self) -> Optional[str]:
        return min(self.others_us, key=lambda name: self.others_us[name], default=None)

    @property
    def lead(self) -> Optional[float]:
        """The best other library's time over ours."""
        return None if self.best_other is None else self.others_us[self.best_other] / self.us

    @property
    def us_per_byte(self) -> float:
        return self.us / self.bytes


# What tuner_results.py has joined: no measurements of kernels.
TUNER_FILE = "tuner.json"


def measurement_files(folder: Path) -> List[Path]:
    """A device's files of measurements."""
    return sorted(path for path in folder.glob("*.json") if path.name != TUNER_FILE)


def is_workload(row) -> bool:
    return not row.case.startswith(("random_", "fused_", "grow_"))


# A tensor above this does not stay in a cache between two reads, so bandwidth decides; below it
# launches and latency do. A mean over both would say nothing about either.
# Random shapes (random_cases.py) are there for the heuristic, and a class of their own; fused forms
# (cases/fused.yaml) are compared with their plain ones alone, and a shape that grows (cases/host.yaml) with
# itself.
LARGE_BYTES = 32 * 2**20
CLASSES = (("32 MiB and more", lambda row: row.bytes >= LARGE_BYTES and is_workload(row)),
           ("smaller", lambda row: row.bytes < LARGE_BYTES and is_workload(row)),
           ("random shapes", lambda row: row.case.startswith("random_")),
           ("growing shapes", lambda row: row.case.startswith("grow_")))


def read_json(path: Path) -> object:
    """Says where a text ends being JSON: a file that was cut off is the usual case."""
    text = ""
    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise ReportError(f"{path}: empty") from error
        if not text[error.pos:].strip() or error.msg.startswith("Unterminated"):
            lines = len(text.splitlines())
            raise ReportError(f"{path}: truncated: ends in line {lines} before its JSON does") from error
        raise ReportError(f"{path}: not JSON: {error}") from error
    except (ValueError, RecursionError) as error:
        raise ReportError(f"{path}: not JSON: {error}") from error


def benchmarks_of(path: Path, document: object) -> Tuple[dict, List[dict]]:
    """The context of a Google Benchmark result and its benchmarks, each with the file that it is in."""
    try:
        benchmarks = [{**benchmark, "name": benchmark["name"], "file": path}
                      for benchmark in document["benchmarks"]]
        return document.get("context", {}), benchmarks
    except (KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"{path}: not a Google Benchmark result: {error}") from error


def peers_of(path: Path, document: object) -> Dict[str, Dict[str, float]]:
    """Other libraries' times by case, from a file of peers/, which says how they were measured."""
    found: Dict[str, Dict[str, float]] = {}
    try:
        for result in document["results"]:
            case, us = result["case"], result["us"]
            if not isinstance(case, str) or not isinstance(us, dict):
                raise ReportError(f"{path}: not other libraries' results: a case is a text, and its us an object")
            found.setdefault(case, {}).update(us)
    except (KeyError, TypeError) as error:
        raise ReportError(f"{path}: not other libraries' results: {error}") from error
    return found


def peers_context(document: dict) -> Dict[str, str]:
    """What a file of other libraries' times says of its run: driver, method, device and versions, where it does."""
    context = {key: str(document[key]) for key in ("driver", "method") if key in document}
    if "device" in document:
        context["device"] = str(document["device"]).split(" (")[0]
    if isinstance(document.get("versions"), dict):
        context["versions"] = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    return context


def counter(benchmark: dict, name: str) -> float:
    try:
        return benchmark[name]
    except KeyError as error:
        raise ReportError(f"{benchmark['file']}: {benchmark['name']} has no counter {error}") from error


def read_row(case: str, benchmark: dict, default: Optional[dict]) -> Row:
    us = counter(benchmark, "real_time")
    return Row(case=case,
               us=us,
               copy_fraction=counter(benchmark, "copy_fraction"),
               spread=counter(benchmark, "spread"),
               bytes=round(counter(benchmark, "bytes_per_second") * us * 1e-6),
               file=benchmark["file"],
               label=benchmark.get("label", ""),
               default_us=None if default is None else counter(default, "real_time"))


def is_of_call(name: str) -> bool:
    """forward/<case>/<back end>: what a caller gets, neither a default nor a forced strategy."""
    return name.startswith("forward/") and name.count("/") == 2


def on_host(backend: str) -> bool:
    return backend.endswith("-host")


def machine_key(backend: str) -> str:
    return "host" if on_host(backend) else "device"


def machine_of(context: dict, backend: str) -> Optional[str]:
    """What the run that a context is of had a back end's kernels run on."""
    return context.get(machine_key(backend))


def ceiling_of(context: dict, backend: str) -> Optional[str]:
    """The copy ceiling for large tensors in GB/s, as that run measured it."""
    return context.get("host_copy_gb_s" if on_host(backend) else "copy_gb_s")


def threads_text(threads: object) -> str:
    return f"{threads} thread" + ("" if str(threads) == "1" else "s")


def versions_of(context: dict, backend: str) -> List[str]:
    facts = []
    if not on_host(backend) and "driver" in context:
        facts.append(f"driver {context['driver']}")
    if not on_host(backend) and "cuda" in context:
        facts.append(f"CUDA {context['cuda']}")
    if on_host(backend) and "host_threads" in context:
        facts.append(f"{threads_text(context['host_threads'])} of {context.get('host_space', 'Kokkos')}")
    if backend.startswith("kokkos") and "kokkos" in context:
        facts.append(f"Kokkos {context['kokkos']}")
    if on_host(backend) and "instruction_set" in context:
        facts.append(f"instruction set {context['instruction_set']}")
    if "fastnorm" in context:
        facts.append(f"fastnorm {context['fastnorm']}")
    return facts


def geometric_mean(values: List[float]) -> float:
    return math.exp(sum(math.log(value) for value in values) / len(values))


def microseconds(us: float) -> str:
    return f"{us:.1f}" if us < 1000 else f"{us:.0f}"


def times(factor: Optional[float]) -> str:
    return "-" if factor is None else f"{factor:.2f}x"


def table(header: List[str], rows: List[List[str]]) -> str:
    # The first column is a name; numbers stand to the right.
    lines = ["| " + " | ".join(header) + " |",
             "|---|" + "---:|" * (len(header) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
