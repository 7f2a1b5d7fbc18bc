# SPDX-License-Identifier: Apache-2.0
"""The result file: what fastnorm-bench writes, which is Google Benchmark's JSON."""

import json
import os
import sys
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Dict, List

from whole_file import write_whole


@dataclass
class Measurement:
    us: float
    spread: float
    copy_us: float
    bytes: int
    label: str


@dataclass
class Results:
    context: Dict[str, str]
    benchmarks: List[dict] = field(default_factory=list)
    # What a contender does not offer, by name: no failure, and no measurement.
    unsupported: Dict[str, str] = field(default_factory=dict)

    @property
    def failures(self) -> List[str]:
        return [one["name"] for one in self.benchmarks if one.get("error_occurred")]

    def add(self, name: str, measured: Measurement) -> None:
        self.benchmarks.append({
            "name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
            "threads": 1, "iterations": 1, "real_time": measured.us, "cpu_time": measured.us,
            "time_unit": "us", "bytes_per_second": measured.bytes / (measured.us * 1e-6),
            "copy_fraction": measured.copy_us / measured.us, "spread": measured.spread,
            "label": measured.label})

    def add_failure(self, name: str, message: str) -> None:
        self.benchmarks.append({"name": name, "run_name": name, "run_type": "iteration",
                                "error_occurred": True, "error_message": message})

    def write(self, path: Path) -> None:
        context = {"date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
                   "executable": sys.argv[0], "num_cpus": os.cpu_count(), **self.context}
        document = {"context": context, "benchmarks": self.benchmarks, "unsupported": self.unsupported}
        write_whole(path, (json.dumps(document, indent=2) + "\n").encode("utf-8"))
