#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of bench/measure_peers.py.

usage: peers_test.py PartsTest <shared library>       without PyTorch
       peers_test.py MeasuredTest <shared library>    with it, on the host; exit status 77 where there is none
"""

import ctypes
import importlib
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True  # No __pycache__ in the source tree.
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import measurements  # noqa: E402
from peers import command  # noqa: E402
from peers import fastnorm_ctypes as fastnorm  # noqa: E402
from peers.cases import CaseError, read_cases  # noqa: E402
from peers.command import copies_of, differing_threads, parse  # noqa: E402
from peers.contenders import Call, Contender  # noqa: E402
from peers.problem import Problem, Unsupported  # noqa: E402
from peers.results import Results  # noqa: E402
from peers.samples import Limits, collect, smallest_step  # noqa: E402
from peers.session import Session, median  # noqa: E402

SCRIPT = ROOT / "bench" / "measure_peers.py"
SKIPPED = 77

CASES = """\
# One of each kind.
- {name: groups, op: group_norm, n: 2, c: 8, spatial: [5, 7], groups: 4, dtype: f32, layout: nchw, activation: silu}
- {name: last, op: group_norm, n: 2, c: 8, spatial: [6], groups: 4, dtype: f16, layout: nhwc, source: "a, b: c"}
- {name: instances, op: instance_norm, n: 2, c: 4, spatial: [9], groups: 4, dtype: bf16, layout: nchw, activation: leaky_relu}
- {name: rows, op: layer_norm, n: 5, c: 33, spatial: [], groups: 1, dtype: f32, layout: rows, activation: gelu}
- {name: double, op: layer_norm, n: 5, c: 3, spatial: [4], groups: 1, dtype: f64, layout: nchw}
- {name: columns, op: layer_norm_channels, n: 2, c: 8, spatial: [3, 4], groups: 1, dtype: f32, layout: nchw}
- {name: positions, op: rms_norm_channels, n: 2, c: 8, spatial: [3, 4], groups: 1, dtype: f32, layout: nhwc}
- {name: sum, op: rms_norm, n: 4, c: 64, spatial: [], groups: 1, dtype: bf16, layout: rows, fused: residual}
- {name: exact, op: rms_norm, n: 4, c: 64, spatial: [], groups: 1, dtype: bf16, layout: rows, fused: exact_residual}
- {name: centred, op: rms_norm, n: 4, c: 64, spatial: [], groups: 1, dtype: bf16, layout: rows, fused: centred_gamma}
- {name: rounded, op: rms_norm, n: 4, c: 64, spatial: [], groups: 1, dtype: bf16, layout: rows, fused: rounded_normalised}
- {name: mixed, op: rms_norm, n: 4, c: 64, spatial: [], groups: 1, dtype: bf16, layout: rows, affine_dtype: f32}
- {name: modulated, op: layer_norm, n: 4, c: 64, spatial: [], groups: 1, dtype: bf16, layout: rows, fused: modulation}
- {name: narrowed, op: group_norm, n: 2, c: 8, spatial: [9], groups: 4, dtype: f32, y_dtype: bf16, layout: nchw, fused: modulation}
- {name: clamped, op: group_norm, n: 2, c: 8, spatial: [9], groups: 4, dtype: f32, layout: nchw, activation: hardtanh}
- {name: batches, op: batch_norm, n: 2, c: 8, spatial: [16], groups: 0, dtype: f32, layout: nchw}
"""


def write_cases(folder, text=CASES):
    path = Path(folder) / "cases.yaml"
    path.write_text(text, encoding="utf-8")
    return path


class Steady(Contender):
    """Takes so long, and is wrong by so many elements."""

    def __init__(self, name, us=10.0, wrong=0, error=None):
        self.name, self.us, self.wrong, self.error = name, us, wrong, error

    def prepare(self, problem, tensors):
        if self.error is not None:
            raise self.error
        return Call(lambda: self, f"{self.name}'s kernel")


class FakeLaboratory:
    ceiling = "copy_gb_s"

    def __init__(self, needed=1):
        self.needed, self.timed, self.released = needed, [], 0

    def free_bytes(self):
        return 10

    def bytes_needed(self, _):
        return self.needed

    def release(self):
        self.released += 1

    def tensors(self, _):
        return None

    def verify(self, problem, tensors, call):
        class Verdict:
            wrong, worst = call.run().wrong, 7.0
        return Verdict

    def ready(self, contender, call):
        return call.run

    def samples(self, run):
        contender = run()
        self.timed.append(contender.name)
        # Each repetition is 1% slower than the one before.
        return [contender.us * (1 + 0.01 * self.timed.count(contender.name))]

    def copy_us(self, _):
        return 5.0


class PartsTest(unittest.TestCase):
    library = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def cases(self):
        return {case.name: case for case in read_cases(write_cases(self.folder))}

    def test_fields_and_what_is_absent(self):
        cases = self.cases()
        self.assertEqual(len(cases), CASES.count("name:"))
        self.assertEqual(cases["groups"].spatial, (5, 7))
        self.assertEqual((cases["last"].eps, cases["last"].activation), (1e-5, "none"))
        self.assertTrue(cases["last"].channels_last)
        self.assertFalse(cases["instances"].affine)
        self.assertEqual(cases["clamped"].activation, "clamp")
        self.assertEqual((cases["mixed"].affine_dtype, cases["mixed"].y_dtype), ("f32", "bf16"))
        self.assertEqual(cases["sum"].fused, ("residual",))

    def test_a_file_that_is_none_is_named_with_its_line(self):
        case = "- {name: a, op: layer_norm, n: 2, c: 3, spatial: [], groups: 1, dtype: f32, layout: rows}\n"
        self.assertEqual(len(read_cases(write_cases(self.folder, case))), 1)
        for text, said in (
                ("# only this\n", ": no cases"), ("- name: a\n", ":1: not a case on one line"),
                ("# c\n" + case.replace("n: 2", "n: x"), ":2: n is 'x'; allowed: an integer from 1"),
                (case.replace("n: 2", "n: -2"), ":1: n is '-2'"), (case.replace("c: 3", "c: 0"), ":1: c is '0'"),
                (case.replace("groups: 1", "groups: -1"), "groups is '-1'; allowed: an integer from 0"),
                (case.replace("[]", "[2, -3]"), "spatial is '-3'"), (case.replace("[]", "2"), "spatial is '2'"),
                (case.replace("layer_norm", "layernorm"), "op is 'layernorm'; allowed: one of group_norm, "),
                (case.replace("f32", "f8"), "dtype is 'f8'; allowed: one of f32, "),
                (case.replace("rows", "cols"), "layout is 'cols'"), (case.replace("n: 2, ", ""), "n is missing"),
                (case.replace("}", ", y_dtype: int}"), "y_dtype is 'int'"),
                (case.replace("}", ", activation: sine}"), "activation is 'sine'"),
                (case.replace("}", ", affine: yes}"), "affine is 'yes'"),
                (case.replace("}", ", fused: residual dropout}"), "fused has 'dropout'"),
                (case.replace("}", ", eps: nan}"), "eps is 'nan'"), (case.replace("}", ", eps: -1}"), "eps is '-1'"),
                (case.replace("name: a", "name: a/b"), "name is 'a/b'"),
                (case.replace("}", ", n: 3}"), "n is there twice"),
                (case + "\n" + case, ":3: case a is in line 1, too")):
            path = write_cases(self.folder, text)
            with self.subTest(said=said), self.assertRaises(CaseError) as raised:
                read_cases(path)
            self.assertRegex(str(raised.exception), f"^{path}.*{re.escape(said)}")
        path.write_bytes(case.encode("utf-16"))
        with self.assertRaisesRegex(CaseError, f"{path}: not text in UTF-8"):
            read_cases(path)

    def test_copies_that_others_have_measured_are_checked(self):
        path = self.folder / "copies.json"
        good = {"name": "forward/rows/kokkos-host", "real_time": 10.0, "copy_fraction": 0.5}

        def copies(benchmark):
            path.write_text(json.dumps({"context": {"host": "CPU"}, "benchmarks": [benchmark]}), encoding="utf-8")
            return copies_of(path, "kokkos-host", {"host": "CPU"})

        self.assertEqual(copies(good), {"rows": 5.0})
        self.assertEqual(copies({**good, "time_unit": "ms"}), {"rows": 5000.0})
        self.assertEqual(copies({**good, "name": "forward/rows/"}), {})
        for bad, said in (({"name": 5}, "the name of benchmark 1 is 5"), ({"real_time": "1"}, "real_time is '1'"),
                          ({"real_time": 0}, "real_time is 0"), ({"time_unit": "days"}, "time_unit is 'days'"),
                          ({"copy_fraction": None}, "copy_fraction is None")):
            with self.subTest(said=said), self.assertRaisesRegex(measurements.ReportError, f"copies.json: .*{said}"):
                copies({**good, **bad})

    def test_copies_are_of_the_same_machine(self):
        path = self.folder / "copies.json"

        def copies(backend, there, here):
            path.write_text(json.dumps({"context": there, "benchmarks": [
                {"name": "forward/rows/kokkos-host", "real_time": 10.0, "copy_fraction": 0.5},
                {"name": "forward/rows/cuda", "real_time": 1.0, "copy_fraction": 0.5}]}), encoding="utf-8")
            return copies_of(path, backend, here)

        host, gpu = {"host": "CPU", "host_threads": "16", "host_space": "OpenMP"}, {"device": "GPU"}
        warm = {"host": "CPU", "threads": "16", "caches": "warm", "MALLOC_MMAP_MAX_": "0"}
        self.assertEqual(copies("kokkos-host", {**host, **gpu}, host), {"rows": 5.0})
        self.assertEqual(copies("kokkos-host", {**host, "caches": [{"level": 1}]}, warm), {"rows": 5.0})
        self.assertEqual(copies("cuda", {**host, **gpu}, gpu), {"rows": 0.5})
        for backend, there, here, said in (
                ("kokkos-host", {**host, "host_threads": "1"}, host,
                 "its copies ran on CPU (1 thread), and this run is on CPU (16 threads)"),
                ("kokkos-host", {**host, "host": "Other"}, warm,
                 "its copies ran on Other (16 threads), and this run is on CPU (16 threads)"),
                ("cuda", {"device": "Other"}, gpu, "its copies ran on Other, and this run is on GPU"),
                ("cuda", host, gpu, "does not say the device that its copies ran on; this run is on GPU"),
                ("kokkos-host", {}, host,
                 "does not say the host that its copies ran on; this run is on CPU (16 threads)")):
            with self.subTest(said=said), self.assertRaises(measurements.ReportError) as raised:
                copies(backend, there, here)
            self.assertEqual(str(raised.exception), f"{path}: {said}")

    def test_copies_of_another_machine_end_the_run_before_anything_is_measured(self):
        clock = mock.MagicMock(method="a clock")
        clock.device.type = "cpu"
        clock.context.return_value = {"host": "CPU", "threads": "16"}
        ours = mock.MagicMock(threads=16, host_space="OpenMP")
        ours.name = "kokkos-host"
        ours.versions.return_value = {"host_threads": "16", "host_space": "OpenMP"}
        torch = mock.MagicMock()
        torch.get_num_threads.return_value = 16
        copies, out, said = self.folder / "copies.json", self.folder / "out.json", io.StringIO()
        copies.write_text('{"context": {"host": "CPU", "host_threads": "1"}, "benchmarks": []}', encoding="utf-8")
        with mock.patch.dict(sys.modules, {"torch": torch}), redirect_stderr(said), \
                mock.patch.object(command, "open_clock", lambda *_: clock), \
                mock.patch.object(importlib.import_module("peers.fastnorm_norms"), "Fastnorm", lambda *_: ours):
            status = command.main(["--library", "x", "--out", str(out), "--cases", str(write_cases(self.folder)),
                                   "--device", "cpu", "--copies", str(copies)])
        expected = f"{copies}: its copies ran on CPU (1 thread), and this run is on CPU (16 threads)"
        self.assertEqual((status, said.getvalue()), (2, f"measure_peers.py: {expected}\n"))
        self.assertFalse(out.exists())

    def test_what_cannot_be_written_and_what_bounds_nothing_is_refused(self):
        def parsed(*arguments):
            said = io.StringIO()
            with redirect_stderr(said):
                try:
                    return parse(["--library", "x", "--out", str(self.folder / "out.json"), *arguments])
                except SystemExit as end:
                    self.assertEqual(end.code, 2)
            return said.getvalue()

        self.assertEqual(parsed("--seconds", "0").seconds, 0)
        self.assertEqual(parsed("--seconds", "1.5").seconds, 1.5)
        for seconds in ("nan", "inf", "-inf", "-1"):
            self.assertIn(f"--seconds {seconds} must be a number from 0", parsed(f"--seconds={seconds}"))
        self.assertIn(f"--out {self.folder} is a folder; it is the file to write", parsed("--out", str(self.folder)))

    def test_every_shipped_case_has_a_plan(self):
        library = fastnorm.Library(self.library)
        options = library.plan_options(memory=fastnorm.Memory.HOST)
        refused = set()
        for file in ("workloads.yaml", "fused.yaml", "host.yaml"):
            for case in read_cases(ROOT / "cases" / file):
                try:
                    problem = Problem(case)
                except Unsupported:
                    refused.add(case.op)
                    continue
                with self.subTest(case=case.name), library.plan(problem.desc(library), options) as plan:
                    self.assertIn(case.op.removesuffix("_channels"), plan.describe())
        self.assertEqual(refused, {"batch_norm", "frobenius_norm", "l1_normalize", "l2_normalize"})

    def test_the_adapter_normalizes(self):
        library = fastnorm.Library(self.library)
        problem = Problem(self.cases()["columns"])
        x = (ctypes.c_float * problem.count)(*[(17 * i * i + i) % 23 for i in range(problem.count)])
        y = (ctypes.c_float * problem.count)()
        with library.plan(problem.desc(library), library.plan_options(memory=fastnorm.Memory.HOST)) as plan:
            workspace = (ctypes.c_char * (plan.workspace_bytes + 16))()
            start = -(-ctypes.addressof(workspace) // 16) * 16
            plan.execute(library.norm_args(x=ctypes.addressof(x), y=ctypes.addressof(y)), start,
                         plan.workspace_bytes)
        positions = problem.positions
        for n in range(2):
            for position in range(positions):
                places = [(n * 8 + c) * positions + position for c in range(8)]
                mean = sum(x[place] for place in places) / 8
                variance = sum((x[place] - mean) ** 2 for place in places) / 8
                for place in places:
                    expected = (x[place] - mean) / math.sqrt(variance + 1e-5)
                    self.assertAlmostEqual(y[place], expected, delta=1e-4)

    def test_bytes_are_what_has_to_move(self):
        cases = self.cases()
        self.assertEqual(Problem(cases["rows"]).moved_bytes, 5 * 33 * 8)
        self.assertEqual(Problem(cases["sum"]).moved_bytes, 4 * 64 * 6)
        self.assertEqual(Problem(cases["modulated"]).moved_bytes, 4 * 64 * 8)
        self.assertEqual(Problem(cases["narrowed"]).moved_bytes, 2 * 8 * 9 * 6 + 2 * 2 * 8 * 4)

    def test_samples(self):
        self.assertEqual(median([3, 1, 2]), 2)
        self.assertEqual(median([4, 1, 2, 3]), 2.5)
        self.assertAlmostEqual(smallest_step([5.0, 1.0, 1.0, 1.25]), 0.25)
        self.assertEqual(smallest_step([1.0, 1.0]), 0)
        taken = []

        def take(count):
            taken.append(count)
            return [10.0] * count

        self.assertEqual(collect(Limits(5, 5, 0), 0.01, 16, take), [10.0] * 5)
        taken.clear()
        # Steps of 0.1 us are 1% of 10 us: two runs a sample.
        self.assertEqual(collect(Limits(5, 5, 0), 0.1, 16, take), [10.0] * 5)
        self.assertEqual(sum(taken), 1 + 10)

    def run_session(self, contenders, laboratory, names=("rows",)):
        results = Results({"device": "a device"})
        session = Session(laboratory, contenders, results)
        with redirect_stderr(io.StringIO()):
            for name in names:
                session.measure(self.cases()[name])
        out = self.folder / "out.json"
        results.write(out)
        return results, measurements.benchmarks_of(out, measurements.read_json(out))

    def test_contenders_take_turns_and_the_file_is_what_the_reports_read(self):
        laboratory = FakeLaboratory()
        _, (context, benchmarks) = self.run_session([Steady("cuda", 10), Steady("torch-eager", 20)], laboratory)
        self.assertEqual(laboratory.timed, ["cuda", "torch-eager"] * 3)
        self.assertEqual(laboratory.released, 1)
        self.assertEqual(measurements.machine_of(context, "torch-eager"), "a device")
        rows = {benchmark["name"]: measurements.read_row("rows", benchmark, None) for benchmark in benchmarks}
        ours = rows["forward/rows/cuda"]
        self.assertAlmostEqual(ours.us, 10.2)
        self.assertAlmostEqual(ours.spread, 0.2 / 10.2)
        self.assertAlmostEqual(ours.copy_fraction, 5 / 10.2)
        self.assertEqual((ours.bytes, ours.label), (5 * 33 * 8, "cuda's kernel"))
        self.assertAlmostEqual(rows["forward/rows/torch-eager"].us, 20.4)

    def test_the_wrong_the_failing_and_the_unable_leave_the_rest_alone(self):
        contenders = [Steady("wrong", wrong=3), Steady("failing", error=RuntimeError("no such\nkernel")),
                      Steady("unable", error=Unsupported("no layer_norm")), Steady("right")]
        results, (_, benchmarks) = self.run_session(contenders, FakeLaboratory())
        of = {benchmark["name"].split("/")[2]: benchmark for benchmark in benchmarks}
        self.assertEqual(sorted(of), ["failing", "right", "wrong"])
        self.assertRegex(of["wrong"]["error_message"], "wrong result: 3 of 165 elements")
        self.assertEqual(of["failing"]["error_message"], "RuntimeError: no such")
        self.assertEqual(results.unsupported, {"forward/rows/unable": "no layer_norm"})
        self.assertEqual(results.failures, ["forward/rows/wrong", "forward/rows/failing"])

    def test_what_does_not_fit_or_is_not_offered_has_its_reason(self):
        results, _ = self.run_session([Steady("right")], FakeLaboratory(needed=11), ["rows", "batches"])
        self.assertEqual(results.benchmarks, [])
        self.assertRegex(results.unsupported["forward/rows/right"], "memory")
        self.assertRegex(results.unsupported["forward/batches/right"], "batch_norm is not offered")

    def test_threads_that_differ_are_said_with_what_sets_them(self):
        self.assertIsNone(differing_threads(16, "OpenMP", 16))
        self.assertRegex(differing_threads(1, "Serial", 16),
                         "fastnorm has 1 thread of Serial and PyTorch 16.*: --threads 1 gives PyTorch as many$")
        for space, variable in (("OpenMP", "OMP_NUM_THREADS"), ("Threads", "KOKKOS_NUM_THREADS")):
            self.assertRegex(differing_threads(8, space, 16),
                             f"8 threads of {space}.*--threads 8 .*; {variable} sets fastnorm's$")

    def test_code_compiled_for_a_host_is_kept_by_its_number_of_threads(self):
        """The code has that number in it, and later processes find it in the compiler's folder."""
        torch = mock.MagicMock(__version__="2")
        torch.get_num_threads.return_value = 3
        with mock.patch.dict(sys.modules, {"torch": torch}):
            torch_norms = importlib.import_module("peers.torch_norms")
        for device, options in (("cpu", {"cpp.threads": 3}), ("cuda", None)):
            tensors = mock.MagicMock()
            tensors.x.device.type = device
            torch_norms.Compiled("").prepare(Problem(self.cases()["rows"]), tensors)
            self.assertEqual(torch.compile.call_args.kwargs["options"], options)

    def test_without_torch_it_says_so(self):
        (self.folder / "torch.py").write_text("raise ImportError('none here')\n", encoding="utf-8")
        run = subprocess.run([sys.executable, str(SCRIPT), "--library", "x", "--out", "y"], text=True,
                             env={"PYTHONPATH": str(self.folder)}, capture_output=True, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, "PyTorch is needed.*none here.*pip install torch")


class MeasuredTest(unittest.TestCase):
    library = ""

    def measure(self, *arguments, cases=CASES, **environment):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out.json"
            run = subprocess.run([sys.executable, str(SCRIPT), "--library", self.library, "--out", str(out),
                                  "--cases", str(write_cases(folder, cases)), "--device", "cpu",
                                  "--threads", "1", *arguments], text=True, capture_output=True, check=False,
                                 env={**os.environ, **environment})
            return run, json.loads(out.read_text(encoding="utf-8")) if out.exists() else None

    def test_every_kind_is_right_in_fastnorm_and_in_pytorch(self):
        run, document = self.measure("--peer", "torch-eager", "--peer", "liger")
        self.assertEqual(run.returncode, 0, run.stderr)
        measured = {one["name"] for one in document["benchmarks"]}
        names = [case.split(",")[0] for case in CASES.split("name: ")[1:]]
        self.assertEqual(measured, {f"forward/{name}/{peer}" for name in names if name != "batches"
                                    for peer in ("kokkos-host", "torch-eager-host")})
        self.assertIn("forward/batches/kokkos-host", document["unsupported"])
        self.assertEqual(document["context"]["threads"], "1")
        self.assertEqual(document["context"]["caches"], "flushed")
        self.assertTrue(document["context"]["torch"] and document["context"]["host"])
        info = fastnorm.Library(self.library).backend_info("kokkos-host")
        for name, member in (("kokkos", info.kokkos_version), ("host_space", info.host_space),
                             ("instruction_set", info.instruction_set)):
            self.assertEqual(document["context"][name], member.decode())
        self.assertEqual(document["context"]["host_threads"], "1")
        self.assertNotIn("cuda", document["context"])
        self.assertIn("left out: liger runs on a GPU alone", run.stderr)

    def test_a_result_that_is_wrong_is_found(self):
        import torch
        from peers import reference, tensors

        for case in read_cases(write_cases(tempfile.mkdtemp())):
            if case.op == "batch_norm":
                continue
            problem = Problem(case)
            made = tensors.make_tensors(problem, torch.device("cpu"))
            from peers.torch_norms import arguments_of, call_of
            y = call_of(problem)(*arguments_of(made))
            with self.subTest(case=case.name):
                self.assertEqual(reference.compare(problem, made, y).wrong, 0)
                place = (1,) + (2,) * (y.dim() - 1)
                for damage in (0.25, float("nan")):
                    wrong = y.clone()
                    wrong[place] += damage
                    self.assertEqual(reference.compare(problem, made, wrong).wrong, 1)
                self.assertEqual(reference.compare(problem, made, y.flatten()).wrong, problem.count)

    def test_warm_caches_and_copies_that_others_have_measured(self):
        from peers.host import cpu_name

        with tempfile.TemporaryDirectory() as folder:
            copies = Path(folder) / "copies.json"
            benchmarks = [{"name": "forward/rows/kokkos-host", "real_time": 10.0, "copy_fraction": 0.5},
                          {"name": "forward/rows/kokkos-host/default", "real_time": 1e6, "copy_fraction": 0.5}]
            context = {"host": cpu_name(), "host_threads": "1"}
            copies.write_text(json.dumps({"context": context, "benchmarks": benchmarks}), encoding="utf-8")
            run, document = self.measure("--peer", "torch-eager", "--case", "rows", "--warm", "--copies",
                                         str(copies))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(document["context"]["caches"], "warm")
            for one in document["benchmarks"]:
                self.assertAlmostEqual(one["real_time"] * one["copy_fraction"], 5.0)
            copies.write_text(json.dumps({"context": {**context, "host_threads": "3"}, "benchmarks": benchmarks}),
                              encoding="utf-8")
            run, document = self.measure("--copies", str(copies))
            self.assertEqual((run.returncode, document), (2, None))
            self.assertRegex(run.stderr, r"copies.json: its copies ran on .* \(3 threads\), .* on .* \(1 thread\)")
            copies.write_text("{", encoding="utf-8")
            run, _ = self.measure("--copies", str(copies))
            self.assertEqual(run.returncode, 2)
            self.assertRegex(run.stderr, "copies.json: truncated")

    def test_arguments_that_mean_nothing_are_refused_before_anything_is_measured(self):
        for arguments, said in ((("--threads", "0"), "--threads 0 must be at least 1"),
                                (("--out", "/nowhere/out.json"), "there is no folder /nowhere"),
                                (("--device", "cuda", "--warm"), "--warm goes with --device cpu")):
            run, _ = self.measure(*arguments)
            self.assertEqual(run.returncode, 2)
            self.assertIn(said, run.stderr)

    def test_fastnorm_and_pytorch_have_as_many_threads(self):
        """The last --threads counts. It sets both where Kokkos has OpenMP."""
        space = fastnorm.Library(self.library).backend_info("kokkos-host").host_space.decode()
        arguments = ("--threads", "2", "--peer", "torch-eager", "--case", "rows")
        if space == "OpenMP":
            run, document = self.measure(*arguments)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual((document["context"]["host_threads"], document["context"]["threads"]), ("2", "2"))
        run, document = self.measure(*arguments, KOKKOS_NUM_THREADS="1")
        self.assertEqual(run.returncode, 2)
        self.assertIn(f"fastnorm has 1 thread of {space} and PyTorch 2", run.stderr)
        self.assertIsNone(document)

    def test_no_time_no_case_no_library(self):
        run, _ = self.measure("--case", "nobody")
        self.assertEqual(run.returncode, 2)
        run, _ = self.measure("--seconds", "0")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "no time left for groups, last")
        run, _ = self.measure("--library", "/nowhere.so")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "/nowhere.so")


if __name__ == "__main__":
    suite, library = sys.argv[1:3]
    if suite == "MeasuredTest":
        try:
            import torch  # noqa: F401
        except ImportError as missing:
            print(f"skipped: {missing}")
            sys.exit(SKIPPED)
    globals()[suite].library = library
    unittest.main(argv=[sys.argv[0], suite])
