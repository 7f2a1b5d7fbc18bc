#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins what the programs that judge the tuner have said into bench/results/<device>/tuner.json, of which
report.py makes the table in docs/tuning.md.

    bench/tuner_results.py --out bench/results/nvidia-h200/tuner.json --regret regret.json --two-runs two_runs.json \\
        --search search.json --share search10.json --kernel-tuner compared.json --untuned untuned.json \\
        --whole-run autotune.log --lookup tuning.json

bench/README.md has the commands that these files are the output of; a file may hold other lines around its JSON.
Parts that are not given stay as they are in --out. A part names the library that measured it, where its program does.
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Iterator, List, Optional

sys.dont_write_bytecode = True  # No __pycache__ in the source tree.
sys.path.insert(0, str(Path(__file__).resolve().parent))
from measurements import ReportError, table
from whole_file import write_whole

SPENT = re.compile(r"^spent (?:(\d+)h)?(?:(\d+)m)?(?:([\d.]+)s)?:", re.MULTILINE)
TUNED = re.compile(r"^(\d+) tuned", re.MULTILINE)


def json_in(path: Path) -> dict:
    """The first JSON object that begins a line of the file."""
    text = path.read_text(encoding="utf-8")
    begin = re.search(r"^\{", text, re.MULTILINE)
    if begin is None:
        raise ReportError(f"{path}: holds no JSON object")
    try:
        return json.JSONDecoder().raw_decode(text[begin.start():])[0]
    except json.JSONDecodeError as error:
        raise ReportError(f"{path}: {error}") from error


def whole_run(path: Path) -> dict:
    """From what autotune prints at the end."""
    text = path.read_text(encoding="utf-8")
    spent, tuned = SPENT.search(text), TUNED.search(text)
    if spent is None or tuned is None:
        raise ReportError(f"{path}: does not say how many were tuned and what was spent")
    hours, minutes, seconds = (float(part or 0) for part in spent.groups())
    return {"cases": int(tuned.group(1)), "seconds": 3600 * hours + 60 * minutes + seconds}


def lookup(path: Path) -> dict:
    """Of fastnorm-bench-tuning, its times in microseconds, and the versions that it names."""
    us = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}
    results = json_in(path)
    context = results.get("context", {})
    versions = {}
    if "fastnorm" in context:
        versions = {"fastnorm": context["fastnorm"], "kernel_version": int(context["kernel_version"])}
    return {**versions, **{benchmark["name"]: benchmark["real_time"] * us[benchmark["time_unit"]]
                           for benchmark in results["benchmarks"]}}


PARTS = {"regret": json_in, "two_runs": json_in, "search": json_in, "share": json_in, "kernel_tuner": json_in,
         "untuned": json_in, "whole_run": whole_run, "lookup": lookup}


def percent(share: float) -> str:
    return f"{100 * share:.2f}%"


def slowdown(comparison: dict) -> str:
    """Of the first beside the second, which is the better one."""
    return f"{percent(comparison['geometric_mean'] - 1)}; {percent(comparison['largest'] - 1)}"


def difference(comparison: dict) -> str:
    """Where neither is the better one: whichever is slower, that counts."""
    farthest = max(comparison["largest"], 1 / comparison["smallest"])
    return f"{percent(comparison['geometric_mean'] - 1)}; {percent(farthest - 1)}"


def compared(words: str, comparison: dict, value: str) -> List[str]:
    return [words.format(len(comparison["shapes"])), value]


def versions(tuner: dict) -> List[str]:
    """Of the library that measured the parts whose programs say so, each once."""
    return sorted({f"fastnorm {part['fastnorm']}, kernel version {part['kernel_version']}"
                   for part in tuner.values() if {"fastnorm", "kernel_version"} <= part.keys()})


def figures(tuner: dict) -> Iterator[List[str]]:
    """What there is, each in words, with its value."""
    if (of := tuner.get("regret")) is not None:
        yield compared("a guided run's winners against an exhaustive run's, {} shapes, side by side: mean; worst",
                       of, slowdown(of))
    if (of := tuner.get("two_runs")) is not None:
        yield compared("winners of two guided runs, {} shapes, side by side: mean; farthest apart", of,
                       difference(of))
    if (of := tuner.get("search")) is not None:
        yield ["guided search on the exhaustive run's measurements: mean regret", percent(of["regret"])]
    if (of := tuner.get("share")) is not None:
        yield [f"the same with {percent(of['share'])} of the evaluations, {of['seeds']} seeds", percent(of["regret"])]
    if (of := tuner.get("kernel_tuner")) is not None:
        best = of["best_strategy"]
        yield ["Kernel Tuner with as many, its best strategy", f"{percent(best['regret'])} (`{best['name']}`)"]
    if (of := tuner.get("untuned")) is not None:
        yield compared("shapes left out of the database, {}, against their own winners: mean; worst", of,
                       slowdown(of))
    if (of := tuner.get("whole_run")) is not None:
        yield [f"all {of['cases']} cases tuned into an empty database", f"{of['seconds']:.0f} s"]
    if (of := tuner.get("lookup")) is not None:
        yield ["lookup in a database of 10,000 entries: tuned; not tuned",
               f"{of['tuning/lookup/tuned/10000']:.2f} µs; {of['tuning/lookup/untuned/10000']:.2f} µs"]
        yield ["parsing it", f"{of['tuning/parse/10000'] / 1000:.0f} ms"]
    if (measured_by := versions(tuner)):
        yield ["the library that measured", "; ".join(measured_by)]


def tuner_table(tuner: dict) -> str:
    return table(["what", "measured"], list(figures(tuner)))


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", type=Path, required=True)
    for part in PARTS:
        parser.add_argument("--" + part.replace("_", "-"), type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    try:
        joined = json_in(options.out) if options.out.exists() else {}
        for part, read in PARTS.items():
            path = getattr(options, part)
            if path is not None:
                joined[part] = read(path)
        tuner_table(joined)
        write_whole(options.out, (json.dumps(joined, indent=1) + "\n").encode())
    except (KeyError, TypeError) as error:
        print(f"tuner_results.py: not what the program prints: {error!r}", file=sys.stderr)
        return 1
    except (OSError, ReportError) as error:
        print(f"tuner_results.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
