# SPDX-License-Identifier: Apache-2.0
"""Result files as fastnorm-bench writes them, made up for tests."""

import json
from pathlib import Path
from typing import List

MIB = 2**20


def measurement(case: str, us: float, backend: str = "cuda", mib: float = 64.0,
                copy_fraction: float = 0.5, spread: float = 0.004,
                runs: str = "block_row threads=256,unroll=4", **more) -> dict:
    label = (f"group_norm 2x{case} groups=8 f32 on Some GPU: {backend} {runs} "
             "[exact: exact entry of db.yaml]")
    return {"name": f"forward/{case}/{backend}", "run_type": "iteration", "real_time": us,
            "time_unit": "us", "copy_fraction": copy_fraction, "spread": spread,
            "bytes_per_second": mib * MIB / (us * 1e-6), "label": label, **more}


def write(file: Path, benchmarks: List[dict], **context) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"context": context, "benchmarks": benchmarks}), encoding="utf-8")
    return file


def many(backend: str, cases: int, factor: float) -> List[dict]:
    """Of all sizes and classes, with defaults, and with labels as long as real ones."""
    found = []
    for at in range(cases):
        mib = 0.25 * 1.12 ** at
        us = factor * (4 + mib * 0.3)
        case = f"{('random', 'model_with_a_long_name', 'fused_ln8')[at % 3]}_{at:03d}_c320_64"
        fraction = min(1.0, mib * 0.25 / us)
        runs = "stream_row " + ",".join(f"knob_{knob}={at % (knob + 2)}" for knob in range(9))
        found.append(measurement(case, us, backend, mib, fraction, 0.001 * (at % 9), runs))
        found.append({**measurement(case, us * 1.1, backend, mib, fraction),
                      "name": f"forward/{case}/{backend}/default"})
    return found
