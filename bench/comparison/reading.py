# SPDX-License-Identifier: Apache-2.0
"""Reads sources, and collects what is wrong with them.

Nothing here ends the program: what cannot be used is left out, and a message says where, what and why.
"""

import json
import reprlib
from collections import Counter
from pathlib import Path
from typing import Dict, List, Optional

from measurements import (MOST, ReportError, Row, benchmark_list, fault_of_time, is_of_call, microseconds_of, named,
                          peers_context, peers_of, read_json, read_row)

from .machine import Machine, are_same, machine_in
from .sources import File, Series, Source

COUNTERS = ("real_time", "copy_fraction", "spread", "bytes_per_second")
NONE_NAMED = "no measurement is named forward/<case>/<back end>"
SCHEMA = 1  # Of Google Benchmark's JSON, where it says one at all.


def count_of(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def lacks(benchmark: dict) -> tuple:
    return tuple(key for key in COUNTERS if key not in benchmark)


def failure_of(benchmark: dict) -> Optional[str]:
    return str(benchmark.get("error_message", "no message")) if benchmark.get("error_occurred") else None


def row_of(case: str, benchmark: dict) -> Row:
    row = read_row(case, benchmark, None)
    if not 1 <= row.bytes <= MOST:
        raise ReportError(f"{row.file}: {benchmark['name']}: moves {row.bytes:g} bytes")
    return row


def check_text(path: Path, document: object) -> None:
    """JSON can hold half of a surrogate pair, which is no text that could be written anywhere."""
    try:
        json.dumps(document, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        before = error.object[max(0, error.start - 30):error.start + 1]
        raise ReportError(f"{path}: not text: half of a surrogate pair ends {ascii(before)}") from error


class Reader:
    def __init__(self) -> None:
        self.messages: List[str] = []
        self.damaged: Dict[Path, None] = {}  # What could not be read, wholly or in part, in order.

    def refuse(self, path: Path, message: str) -> None:
        self.messages.append(message)
        self.damaged[path] = None

    def read(self, source: Source) -> None:
        paths = source.paths()
        if not paths:
            self.refuse(source.path, f"{source.path}: no *.json in this folder")
        names: Dict[str, Path] = {}
        for path in paths:
            try:
                self.read_file(source, path, names)
            except ReportError as error:
                self.refuse(path, str(error))
            except OSError as error:
                self.refuse(path, f"{path}: {error.strerror}")
            except Exception as error:  # One file, whatever is in it, is not the end of the others.
                self.refuse(path, f"{path}: cannot be read: {type(error).__name__}: {error}")
        if source.path.is_dir() and paths and not source.files and not self.damaged.keys() & set(paths):
            self.refuse(source.path, f"{source.path}: {NONE_NAMED} in any file of this folder")

    def read_file(self, source: Source, path: Path, names: Dict[str, Path]) -> None:
        document = read_json(path)
        check_text(path, document)
        if isinstance(document, dict) and "results" in document and "benchmarks" not in document:
            self.read_others(source, path, document)
            return
        context, benchmarks = benchmark_list(path, document)
        schema = context.get("json_schema_version", SCHEMA)
        if schema != SCHEMA:
            raise ReportError(f"{path}: json_schema_version is {reprlib.repr(schema)}; what is read here is {SCHEMA}")
        measured = self.once_each(path, benchmarks, names)
        of_calls = any(is_of_call(name) for name in measured)
        if not of_calls and not source.path.is_dir():  # A folder holds other benchmarks, too.
            raise ReportError(f"{path}: {NONE_NAMED}")
        if of_calls:
            self.add(source, File(path, context), measured)

    def once_each(self, path: Path, benchmarks: list, names: Dict[str, Path]) -> Dict[str, dict]:
        """The forward benchmark's measurements by name. `names` is of all files of the source."""
        found: Dict[str, dict] = {}
        for number, unnamed in enumerate(benchmarks, start=1):
            try:
                benchmark = named(path, unnamed, number)
            except ReportError as error:
                self.refuse(path, f"{error}; it is left out")
                continue
            name = benchmark["name"]
            if not name.startswith("forward/") or benchmark.get("run_type") == "aggregate":
                continue
            if name in names:
                where = "twice" if names[name] == path else f"and in {names[name]}"
                self.messages.append(f"{path}: {name} is here {where}; the first counts")
                continue
            names[name] = path
            found[name] = benchmark
        return found

    def add(self, source: Source, file: File, measured: Dict[str, dict]) -> None:
        source.files.append(file)
        backends = self.of_its_machine(source, file, measured)
        lacking: Counter = Counter()
        for name, benchmark in measured.items():
            if not is_of_call(name):
                continue
            _, case, backend = name.split("/")
            if backend not in backends:
                continue
            failure = failure_of(benchmark)
            if failure is not None:
                source.of(backend).failures[case] = failure
                self.messages.append(f"{file.path}: {name} failed: {failure}")
            elif lacks(benchmark):
                lacking[lacks(benchmark)] += 1
            else:
                try:
                    row = row_of(case, benchmark)
                except ReportError as error:
                    self.refuse(file.path, str(error))
                    continue
                source.of(backend).rows[case] = row
                self.add_default(file, row, measured.get(f"{name}/default"), lacking)
        for missing, count in lacking.items():
            self.refuse(file.path, f"{file.path}: {count_of(count, 'measurement')} without "
                                   f"{', '.join(missing)} left out: the result of another version?")

    def add_default(self, file: File, row: Row, default: Optional[dict], lacking: Counter) -> None:
        """Whatever is wrong with it, the case keeps its own measurement."""
        if default is None:
            return
        failure = failure_of(default)
        if failure is not None:
            self.messages.append(f"{file.path}: {default['name']} failed: {failure}")
        elif lacks(default):
            lacking[lacks(default)] += 1
        else:
            try:
                row.default_us = microseconds_of(default)
            except ReportError as error:
                self.refuse(file.path, str(error))

    def of_its_machine(self, source: Source, file: File, measured: Dict[str, dict]) -> List[str]:
        """The back ends of a file that ran on what those of the source's files before it ran on."""
        found = []
        for backend in dict.fromkeys(name.split("/")[2] for name in measured if is_of_call(name)):
            series, machine = source.of(backend), machine_in(file.context, backend)
            if not (series.rows or series.failures):
                series.machine = machine
            if are_same(series.machine, machine):
                found.append(backend)
            else:
                self.refuse(file.path, f"{file.path}: {backend} left out, it ran on {machine or 'who knows what'} "
                                       f"and in the files before it on {series.machine or 'who knows what'}")
        return found

    def read_others(self, source: Source, path: Path, document: dict) -> None:
        """Other libraries' times; `held_against_ours` makes series of them."""
        others_us: Dict[str, Dict[str, float]] = {}
        for case, us in peers_of(path, document).items():
            for library, time in us.items():
                fault = fault_of_time(path, case, library, time)
                if fault is None:
                    others_us.setdefault(case, {})[library] = time
                else:
                    self.refuse(path, fault)
        if not others_us:
            raise ReportError(f"{path}: no library's time in its results")
        source.files.append(File(path, peers_context(document), others_us))

    def held_against_ours(self, sources: List[Source]) -> None:
        """Series of other libraries' times. Such a file has neither sizes nor a copy's time: they are
        those of our measurements on the same machine."""
        ours = [series for source in sources for series in source.series.values()]
        for source in sources:
            for file in source.files:
                if file.others_us:
                    self.add_others(source, file, ours)

    def add_others(self, source: Source, file: File, ours: List[Series]) -> None:
        machine = file.context.get("device")
        known: Dict[str, Row] = {}
        for series in ours:
            if machine is None or (series.machine and series.machine.name == machine):
                known = {**series.rows, **known}
        lacking = [case for case in file.others_us if case not in known]
        if lacking:
            self.messages.append(f"{file.path}: {count_of(len(lacking), 'case')} left out that no other "
                                 f"file has on {machine or 'any machine'}")
        for case, us in file.others_us.items():
            if case not in known:
                continue
            copy_us = known[case].us * known[case].copy_fraction
            for library, time in us.items():
                series = source.of(library)
                series.is_ours = False
                series.machine = Machine(machine) if machine else None
                series.rows[case] = Row(case, time, copy_us / time, None, known[case].bytes, file.path)
