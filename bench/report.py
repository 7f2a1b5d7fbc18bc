#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of measured results from bench/results/<device>/*.json into the documentation.

A table stands between `<!-- results:begin VIEW -->` and `<!-- results:end -->`; VIEW is one of
`summary` (class means and the reference workloads), `cases` (every case), `fused` (fused forms beside
plain ones), `machines` (what was measured where), `sizes` (plots, which are written into docs/plots/),
`libraries` (others beside ours), `portable` (the portable back end beside the CUDA one), `hosts` (more
threads, and tensors that grow) and `tuner` (how good its winners are, and how fast it finds them). With
--check nothing is written and the exit status is 1 if a table or a plot is not what the results say.
"""

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional

sys.dont_write_bytecode = True  # No __pycache__ in the source tree.
sys.path.insert(0, str(Path(__file__).resolve().parent))
from measurements import (CLASSES, TUNER_FILE, ReportError, Row, benchmarks_of, ceiling_of, counter, geometric_mean,
                          is_of_call, is_workload, machine_of, measurement_files, microseconds, microseconds_of,
                          one_line, read_json, read_row, table, times, versions_of)
import size_plot
from host_tables import growth_table, scaling_table
from portable_table import portable_table
from tuner_results import tuner_table
from beside import TIE, Recording, SideBySide, read_peers, recorded_text, recording_facts, run_text

REFERENCE_CASES = ("kb1_35_groupnorm", "kb1_34_instancenorm")

# A case of cases/workloads.yaml, which has one a line.
WORKLOAD = re.compile(r"- \{name: (\w+),")

MARKED = re.compile(r"(<!-- results:begin (\w+) -->\n).*?(<!-- results:end -->)", re.DOTALL)

NO_RESULTS = "No results are recorded yet.\n"


@dataclass
class Device:
    """What one folder of results holds."""

    folder: str
    contexts: Dict[Path, Dict[str, str]] = field(default_factory=dict)  # By file.
    backends: Dict[str, Dict[str, Row]] = field(default_factory=dict)
    failures: List[str] = field(default_factory=list)
    overheads: List[dict] = field(default_factory=list)
    follows: List[dict] = field(default_factory=list)
    scalings: List[dict] = field(default_factory=list)
    side_by_side: List[SideBySide] = field(default_factory=list)
    recordings: List[Recording] = field(default_factory=list)
    tuner: Optional[dict] = None


def read_benchmarks(folder: Path, device: Device) -> Dict[str, dict]:
    """All measurements of the folder's files by name, each with the file that it is in; collects
    contexts and failures on the way."""
    found: Dict[str, dict] = {}
    for path in measurement_files(folder):
        device.contexts[path], benchmarks = benchmarks_of(path, read_json(path))
        for benchmark in benchmarks:
            name = benchmark["name"]
            if name in found:
                raise ReportError(f"{path}: {name} is in another file of {folder} as well")
            found[name] = benchmark
            if benchmark.get("error_occurred"):
                message = benchmark.get("error_message", "no message")
                device.failures.append(f"`{name}`: {message}")
    return {name: b for name, b in found.items() if not b.get("error_occurred")}


def parts_of_name(benchmark: dict, form: str, least: int, most: int) -> List[str]:
    parts = benchmark["name"].split("/")
    if not least <= len(parts) <= most:
        raise ReportError(f"{benchmark['file']}: {benchmark['name']} is not named {form}")
    return parts


def read_device(folder: Path) -> Device:
    device = Device(folder.name)
    measured = read_benchmarks(folder, device)
    device.recordings, device.side_by_side = read_peers(folder / "peers")
    peers: Dict[str, Dict[str, float]] = {}
    for recording in device.recordings:
        for case, us in recording.us.items():
            peers.setdefault(case, {}).update(us)
    if (folder / TUNER_FILE).exists():
        device.tuner = read_json(folder / TUNER_FILE)
    for name, benchmark in measured.items():
        parts = name.split("/")
        if parts[0] == "overhead":
            device.overheads.append(benchmark)
        if parts[0] == "follow":
            device.follows.append(benchmark)
        if parts[0] == "scaling":
            device.scalings.append(benchmark)
        if not is_of_call(name):
            continue
        row = read_row(parts[1], benchmark, measured.get(f"{name}/default"))
        if parts[2] == "cuda":
            row.others_us = peers.get(row.case, {})
        device.backends.setdefault(parts[2], {})[row.case] = row
    return device


def read_results(root: Path) -> List[Device]:
    folders = sorted(path for path in root.iterdir() if path.is_dir()) if root.is_dir() else []
    devices = [read_device(folder) for folder in folders]
    return [device for device in devices
            if device.backends or device.failures or device.overheads or device.follows or device.scalings
            or device.side_by_side or device.tuner]


def read_workloads(path: Path) -> List[str]:
    """The names of the shipped cases, in their order."""
    names = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.startswith("-"):
            continue
        case = WORKLOAD.match(line)
        if case is None:
            raise ReportError(f"{path}:{number}: a case that does not begin with its name")
        names.append(case.group(1))
    return names


def place(device: Device, backend: str, file: Path) -> str:
    """Where a back end's numbers were measured, from the context of the run that wrote the file."""
    context = device.contexts[file]
    facts = versions_of(context, backend)
    copy = ceiling_of(context, backend)
    if copy is not None:
        facts.append(f"copy ceiling {copy} GB/s for large tensors")
    name = machine_of(context, backend) or device.folder
    return name + (f" ({', '.join(facts)})" if facts else "")


def by_file(rows: List[Row]) -> Dict[Path, List[Row]]:
    found: Dict[Path, List[Row]] = {}
    for row in rows:
        found.setdefault(row.file, []).append(row)
    return found


def against_others(rows: List[Row]) -> str:
    leads = [row.lead for row in rows if row.lead is not None]
    if not leads:
        return "-"
    behind = sum(lead < 1 / TIE for lead in leads)
    mean = times(geometric_mean(leads))
    return mean if len(leads) == 1 else f"{mean}, behind on {behind} of {len(leads)}"


def summary_table(device: Device, backend: str, rows: List[Row]) -> str:
    """Names the ceiling of the workloads' run; a class of another run with another ceiling, its own."""
    named = next((row for row in rows if is_workload(row)), rows[0]).file
    lines = []
    for title, belongs in CLASSES:
        members = [row for row in rows if belongs(row)]
        if not members:
            continue
        gains = [row.gain for row in members if row.gain is not None]
        others = {ceiling_of(device.contexts[row.file], backend) for row in members}
        others -= {ceiling_of(device.contexts[named], backend), None}
        lines.append([title + "".join(f" (ceiling {copy} GB/s)" for copy in sorted(others)),
                      str(len(members)),
                      "-",
                      f"{geometric_mean([row.copy_fraction for row in members]):.2f}",
                      times(geometric_mean(gains) if gains else None),
                      against_others(members)])
    lines += [[f"`{row.case}`", "1", microseconds(row.us), f"{row.copy_fraction:.3f}",
               times(row.gain), against_others([row])]
              for row in rows if row.case in REFERENCE_CASES]
    return (f"`{backend}` on {place(device, backend, named)}:\n\n" +
            table(["tensors (in + out)", "cases", "µs", "of copy", "gain over default",
                   "against the best other"], lines))


def summary_view(devices: List[Device], _: List[str]) -> str:
    parts = [summary_table(device, backend, list(rows.values()))
             for device in devices
             for backend, rows in sorted(device.backends.items())]
    if not parts:
        return NO_RESULTS
    return ("\n".join(parts) + "\nLines of several cases are geometric means. The best other is, for each "
            "case, the fastest other library\nwith a right result; behind is more than 2% slower.\n")


def case_table(device: Device, backend: str, rows: List[Row]) -> str:
    """Cases of one back end, beside the CUDA back end's time where both were measured."""
    peers = device.backends.get("cuda", {}) if backend != "cuda" else {}
    header = ["case", "MiB in + out", "µs", "of copy", "default µs", "gain", "spread"]
    if peers:
        header.append("cuda µs")
    others = any(row.others_us for row in rows)
    if others:
        header += ["copy µs", "PyTorch µs", "torch.compile µs", "best other µs", "against it"]
    lines = []
    for row in rows:
        line = [f"`{row.case}`", f"{row.bytes / 2**20:.1f}", microseconds(row.us),
                f"{row.copy_fraction:.3f}",
                "-" if row.default_us is None else microseconds(row.default_us),
                times(row.gain), f"{100 * row.spread:.1f}%"]
        if peers:
            line.append(microseconds(peers[row.case].us) if row.case in peers else "-")
        if others:
            of = row.others_us
            line.append(microseconds(row.us * row.copy_fraction))
            line += [microseconds(of[name]) if name in of else "-"
                     for name in ("PyTorch", "torch.compile")]
            best = row.best_other
            line.append("-" if best is None else f"{microseconds(of[best])} ({best})")
            line.append(times(row.lead))
        lines.append(line)
    return table(header, lines)


def overhead_table(device: Device) -> str:
    """What each kind of call costs the host beside a bare launch of the same kernels."""
    named = [(parts_of_name(benchmark, "overhead/<call>/<back end>", 3, 3), benchmark)
             for benchmark in device.overheads]
    launch = {backend: microseconds_of(benchmark)
              for (_, what, backend), benchmark in named if what == "launch"}
    lines = []
    for (_, what, backend), benchmark in named:
        us = microseconds_of(benchmark)
        over = f"{us - launch[backend]:.3f}" if backend in launch and what != "launch" else "-"
        lines.append([f"`{what}`", f"`{backend}`", f"{us:.3f}", over,
                      f"{counter(benchmark, 'allocations_per_call'):g}"])
    return table(["call", "back end", "host µs", "over launch", "allocations"], lines)


def follow_table(device: Device) -> str:
    """Passes over memory behind each normalization, and the same ones behind a copy."""
    us: Dict[tuple, Dict[tuple, float]] = {}  # By strategy and what ran before, then by size and pass.
    for benchmark in device.follows:
        form = "follow/<strategy>/<what ran before>/<size>/<pass>"  # Priorities are two parts.
        _, strategy, *before, size, which = parts_of_name(benchmark, form, 5, 6)
        us.setdefault((strategy, ", ".join(before)), {})[size, which] = microseconds_of(benchmark)
    columns = list(dict.fromkeys(column for of in us.values() for column in of))

    def cell(times_us: Dict[tuple, float], column: tuple) -> str:
        return microseconds(times_us[column]) if column in times_us else "-"

    lines = []
    for (strategy, before), of in us.items():
        if before == "copy":
            continue
        copied = us.get((strategy, "copy"), {})
        lines.append([f"`{strategy}`", f"`{before}`"] +
                     [f"{cell(of, column)} ({cell(copied, column)})" for column in columns])
    return table(["strategy", "priorities"] +
                 [f"{size.replace('MiB', ' MiB')} {which}" for size, which in columns], lines)


def lacking(rows: List[Row], workloads: List[str]) -> str:
    """Which shipped cases a table of such cases does not have."""
    there = {row.case for row in rows}
    if there.isdisjoint(workloads):
        return ""
    absent = [f"`{name}`" for name in workloads if name not in there]
    if not absent:
        return ""
    return f"\n{len(absent)} of the {len(workloads)} shipped cases have no row here: {', '.join(absent)}.\n"


def cases_view(devices: List[Device], workloads: List[str]) -> str:
    parts = []
    for device in devices:
        for backend, rows in sorted(device.backends.items()):
            for file, of_file in by_file(list(rows.values())).items():
                title = backend if file.stem == "forward" else f"{backend}, {file.stem}"
                parts.append(f"### {title}: {place(device, backend, file)}\n\n" +
                             case_table(device, backend, of_file) + lacking(of_file, workloads))
        if device.overheads:
            parts.append(f"### Cost of a call: {device.folder}\n\n" + overhead_table(device))
        if device.follows:
            parts.append(f"### What a following kernel pays: {device.folder}\n\n" +
                         follow_table(device) +
                         "\nµs of a pass that reads so much memory behind the normalization, and of a "
                         "second one; in brackets,\nafter a copy of as many bytes.\n")
        if device.failures:
            parts.append(f"Failed on {device.folder}:\n\n" +
                         "".join(f"- {failure}\n" for failure in device.failures))
    return "\n".join(parts) if parts else NO_RESULTS


def fused_table(rows: List[Row]) -> str:
    """A form's time over that of its own bytes at the bandwidth of the plain form."""
    lines = []
    cases = {row.case: row for row in rows}
    for row in rows:
        _, shape, *form = row.case.split("_", 2)
        if not form:
            raise ReportError(f"{row.file}: case {row.case} is not named fused_<shape>_<form>")
        plain = cases.get(f"fused_{shape}_plain")
        over = None if plain is None else row.us_per_byte / plain.us_per_byte
        lines.append([f"`{shape}`", f"`{form[0]}`", f"{row.bytes / 2**20:.1f}",
                      microseconds(row.us), f"{row.copy_fraction:.3f}", times(over)])
    return table(["shape", "form", "MiB moved", "µs", "of copy",
                  "time over its bytes' at the plain bandwidth"], lines)


def fused_view(devices: List[Device], _: List[str]) -> str:
    """Each fused form beside the plain one of its shape, at the bandwidth that that reaches."""
    parts = []
    for device in devices:
        for backend, rows in sorted(device.backends.items()):
            fused = [row for row in rows.values() if row.case.startswith("fused_")]
            for file, of_file in by_file(fused).items():
                parts.append(f"### {backend}: {place(device, backend, file)}\n\n" +
                             fused_table(of_file))
    return "\n".join(parts) if parts else NO_RESULTS


def host_or_device(context: dict) -> str:
    """The end of the names of a file's back ends."""
    return "" if "device" in context else "-host"


def machines_view(devices: List[Device], _: List[str]) -> str:
    """Each recorded file: what it was measured on, with what, and when."""
    lines = []
    for device in devices:
        files = [*device.contexts.items(), *((run.path, run.context) for run in device.side_by_side)]
        with_what = {path: versions_of(context, host_or_device(context)) for path, context in files}
        files += [(recording.path, recording.context) for recording in device.recordings]
        with_what.update({recording.path: recording_facts(recording.context) for recording in device.recordings})
        for path, context in files:
            backend = host_or_device(context)
            machine = machine_of(context, backend) or device.folder
            date = str(context.get("date", ""))[:10]
            name = path.stem if path.parent.name == device.folder else f"{path.parent.name}/{path.stem}"
            lines.append([f"`{device.folder}/{name}`", machine, ", ".join(with_what[path]) or "-",
                          ceiling_of(context, backend) or "-", date or "-"])
    return table(["results", "machine", "with", "copy GB/s", "date"], lines) if lines else NO_RESULTS


def plotted(device: Device, backend: str) -> List[Row]:
    return [row for row in device.backends[backend].values() if is_workload(row)]


def plot_name(device: Device, backend: str) -> str:
    return f"{device.folder}-{backend}.svg"


def plots(devices: List[Device]) -> Dict[str, str]:
    """By file name: each back end's cases, and PyTorch's where they are recorded."""
    drawn = {}
    for device in devices:
        for backend in sorted(device.backends):
            rows = plotted(device, backend)
            points = {backend: [(row.bytes / 2**20, row.copy_fraction) for row in rows]}
            for library in ("torch.compile", "PyTorch"):
                of = [(row.bytes / 2**20, row.us * row.copy_fraction / row.others_us[library])
                      for row in rows if library in row.others_us]
                if of:
                    points[library] = of
            if rows:
                title = f"Fraction of the copy ceiling by size: {backend} on {device.folder}"
                drawn[plot_name(device, backend)] = size_plot.draw(title, points)
    return drawn


def sizes_view(devices: List[Device], _: List[str]) -> str:
    parts = [f"`{backend}` on {device.folder}, {len(plotted(device, backend))} cases:\n\n"
             f"![Fraction of the copy ceiling by size](plots/{plot_name(device, backend)})\n"
             for device in devices for backend in sorted(device.backends) if plotted(device, backend)]
    return "\n".join(parts) if parts else NO_RESULTS


def libraries_view(devices: List[Device], _: List[str]) -> str:
    parts = []
    for device in devices:
        texts = [run_text(run) for run in device.side_by_side]
        texts += [recorded_text(backend, rows, device.recordings)
                  for backend, rows in sorted(device.backends.items())]
        parts += [f"### {device.folder}\n\n" + "\n".join(filter(None, texts))] if any(texts) else []
    return "\n".join(parts) if parts else NO_RESULTS


def portable_view(devices: List[Device], _: List[str]) -> str:
    parts = []
    for device in devices:
        text = portable_table(device.backends.get("kokkos-cuda", {}), device.backends.get("cuda", {}))
        parts += [f"`kokkos-cuda` on {device.folder}:\n\n{text}"] if text else []
    return "\n".join(parts) if parts else NO_RESULTS


def hosts_view(devices: List[Device], _: List[str]) -> str:
    parts = []
    for device in devices:
        if device.scalings:
            parts.append(f"### More threads: {device.folder}\n\n" + scaling_table(device.scalings))
        for backend, rows in sorted(device.backends.items()):
            growing = [row for row in rows.values() if row.case.startswith("grow_")]
            if growing:
                parts.append(f"### Growing tensors: {backend}, {place(device, backend, growing[0].file)}\n\n" +
                             growth_table(growing))
    return "\n".join(parts) if parts else NO_RESULTS


def tuner_view(devices: List[Device], _: List[str]) -> str:
    parts = [f"### {device.folder}\n\n" + tuner_table(device.tuner) for device in devices if device.tuner]
    return "\n".join(parts) if parts else NO_RESULTS


VIEWS = {"summary": summary_view, "cases": cases_view, "fused": fused_view, "machines": machines_view,
         "sizes": sizes_view, "libraries": libraries_view, "portable": portable_view, "hosts": hosts_view,
         "tuner": tuner_view}


def updated(text: str, devices: List[Device], workloads: List[str], name: str) -> str:
    """`text` with every marked part written anew."""

    def replace(match):
        begin, view, end = match.groups()
        if view not in VIEWS:
            raise ReportError(f"{name}: no view {view!r}; there is {', '.join(sorted(VIEWS))}")
        return f"{begin}\n{VIEWS[view](devices, workloads)}\n{end}"

    # A marker that lost its partner would leave a stale table unnoticed.
    begins, ends = text.count(BEGIN), text.count("<!-- results:end -->")
    if not begins == ends == len(MARKED.findall(text)):
        raise ReportError(f"{name}: unpaired results:begin and results:end markers")
    return MARKED.sub(replace, text)


# What has tables; were one of these gone, or its markers, nobody would notice that they are.
DOCUMENTS = ("README.md", "docs/performance.md", "docs/results.md", "docs/tuning.md")
BEGIN = "<!-- results:begin"


def documents(root: Path) -> List[Path]:
    """Those, and whatever else has tables."""
    found = [root / name for name in DOCUMENTS]
    for path in found:
        if BEGIN not in path.read_text(encoding="utf-8"):
            raise ReportError(f"{path}: no {BEGIN} VIEW -->, and tables are written there")
    others = sorted({*(root / "docs").glob("*.md")} - {*found})
    return found + [path for path in others if BEGIN in path.read_text(encoding="utf-8")]


def settle_plots(folder: Path, drawn: Dict[str, str], check: bool) -> List[Path]:
    """Those that are not there as drawn, or that nothing draws any more; put right unless it is a check."""
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}
    stale = [folder / name for name in sorted({*there, *drawn}) if there.get(name) != drawn.get(name)]
    for path in stale if not check else []:
        if path.name not in drawn:
            path.unlink()
            continue
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(drawn[path.name], encoding="utf-8")
        print(f"wrote {path}")
    return stale


def complain(message: str) -> int:
    print(f"report.py: {one_line(message)}", file=sys.stderr)
    return 1


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent,
                        help="the repository (default: the one this script lies in)")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a table is stale")
    options = parser.parse_args(arguments)

    stale = []
    try:
        devices = read_results(options.root / "bench" / "results")
        workloads = read_workloads(options.root / "cases" / "workloads.yaml")
        for path in documents(options.root):
            text = path.read_text(encoding="utf-8")
            fresh = updated(text, devices, workloads, str(path))
            if fresh == text:
                continue
            stale.append(path)
            if not options.check:
                path.write_text(fresh, encoding="utf-8")
                print(f"wrote {path}")
        stale += settle_plots(options.root / "docs" / "plots", plots(devices), options.check)
    except ReportError as error:
        return complain(str(error))
    except OSError as error:
        return complain(f"{error.filename}: {error.strerror}")
    if options.check and stale:
        names = ", ".join(str(path) for path in stale)
        return complain(f"stale results in {names}; run bench/report.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
