# SPDX-License-Identifier: Apache-2.0
"""What report.py and compare.py share: result files and their measurements, the classes of cases, the
mean of ratios, and how numbers are written."""

import json
import math
import re
import reprlib
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


# What may be left of a word or number that a file's end has cut.
LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
CUT_NUMBER = re.compile(r"\.|[eE][+-]?")


def is_cut_off(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the text ends before its JSON does."""
    rest = text[error.pos:].strip()
    return (not rest or error.msg.startswith("Unterminated") or CUT_NUMBER.fullmatch(rest) is not None or
            (error.msg == "Expecting value" and any(literal.startswith(rest) for literal in LITERALS)) or
            (error.msg.startswith("Invalid \\uXXXX") and len(rest) < len("\\uXXXX")))


def read_json(path: Path) -> object:
    """Says where a text ends being JSON: a file that was cut off is the usual case."""
    text = ""
    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise ReportError(f"{path}: empty") from error
        if is_cut_off(text, error):
            lines = len(text.splitlines())
            raise ReportError(f"{path}: truncated: ends in line {lines} before its JSON does") from error
        raise ReportError(f"{path}: not JSON: {error}") from error
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            raise ReportError(f"{path}: truncated: ends within a character") from error
        raise ReportError(f"{path}: not JSON: {error}") from error
    except (ValueError, RecursionError) as error:
        raise ReportError(f"{path}: not JSON: {error}") from error


def list_of(path: Path, document: object, what: str, member: str) -> list:
    """A member of the document, which is `what`."""
    if not isinstance(document, dict):
        raise ReportError(f"{path}: not {what}: not an object with a list `{member}`")
    if not isinstance(document.get(member), list):
        raise ReportError(f"{path}: not {what}: has no list `{member}`")
    return document[member]


def benchmark_list(path: Path, document: object) -> Tuple[dict, list]:
    """The context of a Google Benchmark result, and its benchmarks as they stand there."""
    benchmarks = list_of(path, document, "a Google Benchmark result", "benchmarks")
    context = document.get("context", {})
    if not isinstance(context, dict):
        raise ReportError(f"{path}: its context is not an object")
    return context, benchmarks


def named(path: Path, benchmark: object, number: int) -> dict:
    """A benchmark of a file, the number-th, with the file that it is in."""
    if not isinstance(benchmark, dict):
        raise ReportError(f"{path}: benchmark {number} is {reprlib.repr(benchmark)}, not an object")
    if "name" not in benchmark:
        raise ReportError(f"{path}: benchmark {number} has no name")
    if not isinstance(benchmark["name"], str):
        raise ReportError(f"{path}: the name of benchmark {number} is {reprlib.repr(benchmark['name'])}, not a text")
    return {**benchmark, "file": path}


def benchmarks_of(path: Path, document: object) -> Tuple[dict, List[dict]]:
    """The context of a Google Benchmark result and its benchmarks, each with the file that it is in."""
    context, benchmarks = benchmark_list(path, document)
    return context, [named(path, benchmark, number) for number, benchmark in enumerate(benchmarks, start=1)]


def peers_of(path: Path, document: object) -> Dict[str, Dict[str, float]]:
    """Other libraries' times by case, from a file of peers/, which says how they were measured."""
    what = "other libraries' results"
    found: Dict[str, Dict[str, float]] = {}
    for number, result in enumerate(list_of(path, document, what, "results"), start=1):
        case, us = (result.get("case"), result.get("us")) if isinstance(result, dict) else (None, None)
        if not isinstance(case, str) or not isinstance(us, dict):
            raise ReportError(f"{path}: not {what}: result {number} has no text `case` and object `us`")
        found.setdefault(case, {}).update(us)
    return found


def fault_of_time(path: Path, case: str, library: str, us: object) -> Optional[str]:
    """What is wrong with another library's time."""
    return None if is_measure(us) and us > 0 else f"{path}: {case}: {library} is {reprlib.repr(us)}"


def peers_context(document: dict) -> Dict[str, str]:
    """What a file of other libraries' times says of its run: driver, method, device and versions, where it does."""
    context = {key: str(document[key]) for key in ("driver", "method") if key in document}
    if "device" in document:
        context["device"] = str(document["device"]).split(" (")[0]
    if isinstance(document.get("versions"), dict):
        context["versions"] = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    return context


MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
# Beyond these no counter is a measurement, and products and ratios of what lies between are numbers.
LEAST, MOST = 1e-18, 1e18


def is_measure(value: object) -> bool:
    """No spread is good luck, so 0 is one; the others mean nothing with it."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and (value == 0 or LEAST <= value <= MOST)


def counter(benchmark: dict, name: str) -> float:
    where = f"{benchmark['file']}: {benchmark['name']}"
    if name not in benchmark:
        raise ReportError(f"{where} has no counter '{name}'")
    if not is_measure(benchmark[name]):
        raise ReportError(f"{where}: {name} is {reprlib.repr(benchmark[name])}")
    return benchmark[name]


def positive(benchmark: dict, name: str) -> float:
    value = counter(benchmark, name)
    if value == 0:
        raise ReportError(f"{benchmark['file']}: {benchmark['name']}: {name} is 0")
    return value


def microseconds_of(benchmark: dict) -> float:
    unit = benchmark.get("time_unit", "us")
    if not isinstance(unit, str) or unit not in MICROSECONDS:
        raise ReportError(f"{benchmark['file']}: {benchmark['name']}: time_unit is {reprlib.repr(unit)}")
    return positive(benchmark, "real_time") * MICROSECONDS[unit]


def read_row(case: str, benchmark: dict, default: Optional[dict]) -> Row:
    us = microseconds_of(benchmark)
    return Row(case=case,
               us=us,
               copy_fraction=positive(benchmark, "copy_fraction"),
               spread=counter(benchmark, "spread"),
               bytes=round(positive(benchmark, "bytes_per_second") * us * 1e-6),
               file=benchmark["file"],
               label=str(benchmark.get("label", "")),
               default_us=None if default is None else microseconds_of(default))


def is_of_call(name: str) -> bool:
    """forward/<case>/<back end>: what a caller gets, neither a default nor a forced strategy."""
    parts = name.split("/")
    return len(parts) == 3 and parts[0] == "forward" and all(parts)


def one_line(message: str) -> str:
    """For a terminal: what a file holds neither ends the line nor moves the cursor."""
    return "".join(character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
                   for character in message)


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
