#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of bench/report.py on small repositories made up for the purpose."""

import importlib.util
import io
import json
import re
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

sys.dont_write_bytecode = True  # No __pycache__ in the source tree.
SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "report.py"
spec = importlib.util.spec_from_file_location("report", SCRIPT)
report = importlib.util.module_from_spec(spec)
sys.modules["report"] = report
spec.loader.exec_module(report)

README = "before\n<!-- results:begin summary -->\nold\n<!-- results:end -->\nafter\n"
CASES = "<!-- results:begin cases -->\n<!-- results:end -->\n"
MACHINES = "<!-- results:begin machines -->\n<!-- results:end -->\n"
TUNER = "<!-- results:begin tuner -->\n<!-- results:end -->\n"


def benchmark(name, us, mib=64.0, copy_fraction=0.5, spread=0.004):
    return {"name": name, "real_time": us, "time_unit": "us", "copy_fraction": copy_fraction,
            "spread": spread, "bytes_per_second": mib * 2**20 / (us * 1e-6), "label": "a plan"}


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "docs").mkdir()
        (self.root / "README.md").write_text(README, encoding="utf-8")
        for name, view in (("results", CASES), ("performance", MACHINES), ("tuning", TUNER)):
            (self.root / "docs" / f"{name}.md").write_text(view, encoding="utf-8")
        self.ship()

    def add(self, benchmarks, device="nvidia-h200", file="forward.json", **context):
        folder = self.root / "bench" / "results" / device
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(json.dumps({"context": context, "benchmarks": benchmarks}))

    def ship(self, *cases, more=""):
        (self.root / "cases").mkdir(exist_ok=True)
        lines = ["# Cases.", *(f"- {{name: {case}, op: layer_norm}}" for case in cases), more]
        (self.root / "cases" / "workloads.yaml").write_text("\n".join(lines), encoding="utf-8")

    def run_report(self, *arguments):
        """Exit status and what was written to standard error."""
        errors = io.StringIO()
        with redirect_stderr(errors), redirect_stdout(io.StringIO()):
            status = report.main(["--root", str(self.root), *arguments])
        return status, errors.getvalue()

    def readme(self):
        return (self.root / "README.md").read_text(encoding="utf-8")

    def cases(self):
        return (self.root / "docs" / "results.md").read_text(encoding="utf-8")

    def test_random_shapes_are_a_class_of_their_own(self):
        self.add([benchmark("forward/a/cuda", 10.0, copy_fraction=0.9)])
        self.add([benchmark("forward/random_00/cuda", 10.0, copy_fraction=0.4),
                  benchmark("forward/random_00/cuda/default", 11.0)], file="random.json")
        self.assertEqual(self.run_report()[0], 0)
        self.assertRegex(self.readme(), r"\| 32 MiB and more \| 1 \| - \| 0\.90 \|")
        self.assertRegex(self.readme(), r"\| random shapes \| 1 \| - \| 0\.40 \| 1\.10x \|")

    def test_fused_forms_are_compared_with_the_plain_one(self):
        (self.root / "docs" / "fused.md").write_text(
            "<!-- results:begin fused -->\n<!-- results:end -->\n", encoding="utf-8")
        # Of copy does not count: a copy of fewer bytes is not as fast.
        self.add([benchmark("forward/fused_ln8_plain/cuda", 10.0, mib=64, copy_fraction=0.8),
                  benchmark("forward/fused_ln8_to_bf16/cuda", 9.0, mib=48, copy_fraction=0.7),
                  benchmark("forward/fused_ln8_residual/cuda", 12.0, mib=96, copy_fraction=0.9),
                  benchmark("forward/fused_rms8_residual/cuda", 12.0)], file="fused.json")
        self.assertEqual(self.run_report()[0], 0)
        text = (self.root / "docs" / "fused.md").read_text(encoding="utf-8")
        self.assertRegex(text, r"`ln8` \| `plain` .* 1\.00x")
        self.assertRegex(text, r"`ln8` \| `to_bf16` \| 48\.0 .* 1\.20x")
        self.assertRegex(text, r"`ln8` \| `residual` \| 96\.0 .* 0\.80x")
        self.assertRegex(text, r"`rms8` \| `residual` .* - \|")
        self.assertNotIn("smaller", self.readme())
        self.assertIn("### cuda, fused: nvidia-h200\n", self.cases())

    def test_a_fused_case_without_a_form_is_named_with_its_file(self):
        (self.root / "docs" / "fused.md").write_text(
            "<!-- results:begin fused -->\n<!-- results:end -->\n", encoding="utf-8")
        self.add([benchmark("forward/fused_ln8/cuda", 10.0)], file="fused.json")
        status, errors = self.run_report()
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"fused\.json: case fused_ln8 ")

    def test_each_table_has_the_context_of_its_own_file(self):
        (self.root / "docs" / "fused.md").write_text(
            "<!-- results:begin fused -->\n<!-- results:end -->\n", encoding="utf-8")
        self.add([benchmark("forward/a/cuda", 10.0)], copy_gb_s="4282")
        self.add([benchmark("forward/fused_ln8_plain/cuda", 10.0)], file="fused.json")
        self.add([benchmark("forward/random_00/cuda", 10.0)], file="random.json",
                 copy_gb_s="4166")
        self.assertEqual(self.run_report()[0], 0)
        ceiling = "(copy ceiling {} GB/s for large tensors)\n"
        self.assertIn("### cuda: nvidia-h200 " + ceiling.format(4282), self.cases())
        self.assertIn("### cuda, random: nvidia-h200 " + ceiling.format(4166), self.cases())
        fused = (self.root / "docs" / "fused.md").read_text(encoding="utf-8")
        self.assertIn("### cuda: nvidia-h200\n", fused)
        self.assertIn("`cuda` on nvidia-h200 (copy ceiling 4282 GB/s for large tensors):", self.readme())
        self.assertIn("| random shapes (ceiling 4166 GB/s) | 1 |", self.readme())

    def test_no_results_is_said_and_is_no_error(self):
        self.assertEqual(self.run_report()[0], 0)
        self.assertIn("No results are recorded yet.", self.readme())
        self.assertEqual(self.run_report("--check")[0], 0)

    def test_text_around_the_markers_stays(self):
        self.run_report()
        self.assertTrue(self.readme().startswith("before\n<!-- results:begin summary -->\n"))
        self.assertTrue(self.readme().endswith("<!-- results:end -->\nafter\n"))

    def test_a_case_shows_tuned_default_and_gain(self):
        self.add([benchmark("forward/a/cuda", 100.0, copy_fraction=0.64),
                  benchmark("forward/a/cuda/default", 150.0),
                  benchmark("forward/a/cuda/forced:block_row", 120.0)])
        self.run_report()
        self.assertIn("| `a` | 64.0 | 100.0 | 0.640 | 150.0 | 1.50x | 0.4% |", self.cases())
        self.assertNotIn("120.0", self.cases())

    def test_a_case_without_default_has_no_gain(self):
        self.add([benchmark("forward/a/cuda", 1234.4)])
        self.run_report()
        self.assertIn("| `a` | 64.0 | 1234 | 0.500 | - | - | 0.4% |", self.cases())

    def test_classes_are_geometric_means_by_size(self):
        self.add([benchmark("forward/a/cuda", 10.0, mib=32, copy_fraction=0.4),
                  benchmark("forward/b/cuda", 10.0, mib=640, copy_fraction=0.9),
                  benchmark("forward/c/cuda", 10.0, mib=31.9, copy_fraction=0.7),
                  benchmark("forward/c/cuda/default", 20.0, mib=31.9)])
        self.run_report()
        self.assertIn("| 32 MiB and more | 2 | - | 0.60 | - |", self.readme())
        self.assertIn("| smaller | 1 | - | 0.70 | 2.00x |", self.readme())

    def test_bytes_are_a_whole_number_however_rate_and_time_multiply(self):
        us, rate = 17.023999243974682, 1971007606328.222  # Of a case of 32 MiB.
        self.assertLess(rate * us * 1e-6, 32 * 2**20)
        self.add([{**benchmark("forward/a/cuda", us), "bytes_per_second": rate}])
        self.run_report()
        self.assertIn("| 32 MiB and more | 1 |", self.readme())

    def test_reference_workloads_have_lines_of_their_own(self):
        self.add([benchmark("forward/kb1_35_groupnorm/cuda", 5500.2, copy_fraction=0.641)])
        self.run_report()
        self.assertIn("| `kb1_35_groupnorm` | 1 | 5500 | 0.641 | - |", self.readme())

    def test_back_ends_are_told_apart_and_compared_with_cuda(self):
        self.add([benchmark("forward/a/cuda", 100.0), benchmark("forward/a/kokkos-cuda", 125.0),
                  benchmark("forward/b/kokkos-cuda", 7.0)],
                 device="NVIDIA H200", driver="580.1", cuda="13.0", copy_gb_s="4270")
        self.run_report()
        self.assertIn("### cuda: NVIDIA H200 (driver 580.1, CUDA 13.0, copy ceiling 4270 GB/s",
                      self.cases())
        self.assertIn("| `a` | 64.0 | 125.0 | 0.500 | - | - | 0.4% | 100.0 |", self.cases())
        self.assertIn("| `b` | 64.0 | 7.0 | 0.500 | - | - | 0.4% | - |", self.cases())

    def add_peers(self, results, device="nvidia-h200", **more):
        folder = self.root / "bench" / "results" / device / "peers"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "libraries.json").write_text(json.dumps({"results": results, **more}))

    def test_the_portable_back_end_is_held_against_cuda_by_class(self):
        page = self.root / "docs" / "performance.md"
        page.write_text("<!-- results:begin portable -->\n<!-- results:end -->\n", encoding="utf-8")
        self.add([benchmark("forward/a/cuda", 10.0), benchmark("forward/b/cuda", 10.0),
                  benchmark("forward/c/cuda", 10.0, mib=1)])
        self.assertEqual(self.run_report()[0], 0)
        self.assertIn("No results are recorded yet.", page.read_text(encoding="utf-8"))
        self.add([benchmark("forward/a/kokkos-cuda", 20.0), benchmark("forward/b/kokkos-cuda", 45.0),
                  benchmark("forward/d/kokkos-cuda", 99.0)], file="kokkos.json")
        self.assertEqual(self.run_report()[0], 0)
        self.assertIn("| 32 MiB and more | 2 | 3.00x | 2.00x (`a`) | 4.50x (`b`) |", page.read_text(encoding="utf-8"))
        self.assertNotIn("smaller", page.read_text(encoding="utf-8"))

    def test_other_libraries_stand_beside_cuda_and_the_fastest_is_compared(self):
        self.add([benchmark("forward/a/cuda", 100.0), benchmark("forward/b/cuda", 7.0),
                  benchmark("forward/a/kokkos-cuda", 125.0)])
        self.add_peers([{"case": "a", "us": {"PyTorch": 300.0, "Liger": 150.0}}])
        self.run_report()
        self.assertIn("| 0.4% | 50.0 | 300.0 | - | 150.0 (Liger) | 1.50x |", self.cases())
        self.assertIn("| `b` | 64.0 | 7.0 | 0.500 | - | - | 0.4% | 3.5 | - | - | - | - |", self.cases())
        self.assertIn("| `a` | 64.0 | 125.0 | 0.500 | - | - | 0.4% | 100.0 |\n", self.cases())
        self.assertIn("| 32 MiB and more | 2 | - | 0.50 | - | 1.50x |", self.readme())

    def test_other_libraries_times_say_what_they_were_measured_with_and_how(self):
        self.add([benchmark("forward/a/cuda", 100.0)])
        for more, facts, method in (({}, "", ""), ({"driver": "580.1", "versions": {"Liger": "0.8", "cuDNN": "9"}},
                                                   "driver 580.1, Liger 0.8, cuDNN 9", ""),
                                    ({"versions": {"Liger": "1"}, "method": "By hand."}, "Liger 1", "By hand.")):
            with self.subTest(more=more):
                self.add_peers([{"case": "a", "us": {"Liger": 300.0}}], device="nvidia-h200", **more)
                said = (f" ({facts})" if facts else "") + (f": {method}" if method else "")
                self.assertIn(f"- `peers/libraries`{said}\n\n| library |", self.performance("libraries"))
                self.assertIn(f"| `nvidia-h200/peers/libraries` | nvidia-h200 | {facts or '-'} | - | - |",
                              self.performance("machines"))

    def test_cases_where_another_library_leads_are_counted_beyond_a_tie(self):
        self.add([benchmark(f"forward/{case}/cuda", 100.0) for case in "abc"])
        self.add_peers([{"case": "a", "us": {"PyTorch": 99.0}}, {"case": "b", "us": {"PyTorch": 50.0}},
                        {"case": "c", "us": {"PyTorch": 200.0}}])
        self.run_report()
        self.assertIn("| 0.50 | - | 1.00x, behind on 1 of 3 |", self.readme())

    def test_bad_results_of_other_libraries_name_the_file(self):
        self.add([benchmark("forward/a/cuda", 100.0)])
        for results in (None, [1], [{"case": "a"}], [{"us": {}}], [{"case": "a", "us": {"PyTorch": "1"}}],
                        [{"case": "a", "us": {"PyTorch": 0}}]):
            with self.subTest(results=results):
                self.add_peers(results)
                status, errors = self.run_report()
                self.assertEqual(status, 1)
                self.assertIn("libraries.json", errors)

    def test_what_is_no_measurement_is_said_with_its_file(self):
        good = benchmark("forward/a/cuda", 100.0)
        for bad, said in (({**good, "real_time": "100"}, "forward/a/cuda: real_time is '100'"),
                          ({**good, "real_time": 0}, "forward/a/cuda: real_time is 0"),
                          ({**good, "copy_fraction": None}, "copy_fraction is None"),
                          ({**good, "bytes_per_second": float("inf")}, "bytes_per_second is inf"),
                          ({**good, "time_unit": "days"}, "time_unit is 'days'"),
                          ({"name": "overhead/launch/cuda", "real_time": [1]}, r"real_time is [1]"),
                          ({"name": 5}, "the name of benchmark 1 is 5, not a text"), ({}, "benchmark 1 has no name"),
                          ("a", "benchmark 1 is 'a', not an object")):
            with self.subTest(said=said):
                self.add([bad])
                status, errors = self.run_report()
                self.assertEqual(status, 1)
                self.assertRegex(errors, rf"^report\.py: \S+\.json: .*{re.escape(said)}\n$")

    def test_a_context_is_an_object_and_a_root_is_there(self):
        self.add([benchmark("forward/a/cuda", 100.0)])
        for path in (self.root / "bench" / "results").rglob("*.json"):
            path.write_text('{"context": [], "benchmarks": []}', encoding="utf-8")
        status, errors = self.run_report()
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"^report\.py: \S+\.json: its context is not an object\n$")
        self.root = self.root / "absent"
        status, errors = self.run_report()
        self.assertEqual((status, errors),
                         (1, f"report.py: {self.root}/cases/workloads.yaml: No such file or directory\n"))

    def test_a_run_beside_others_has_names_of_calls_alone(self):
        self.add([benchmark("forward/a/cuda", 100.0)])
        self.add_run([benchmark("forward/a", 100.0)])
        self.assertRegex(self.run_report()[1], "forward/a is not named forward/<case>/<library>")

    def test_shipped_cases_without_a_row_are_named_where_there_are_rows_of_such(self):
        self.ship("a", "b", "c", "d")
        self.add([benchmark("forward/b/cuda", 100.0), benchmark("forward/c/kokkos-cuda", 100.0),
                  {"name": "forward/d/cuda", "error_occurred": True, "error_message": "wrong y"}])
        self.add([benchmark("forward/random_00/cuda", 10.0)], file="random.json")
        self.assertEqual(self.run_report()[0], 0)
        self.assertIn("3 of the 4 shipped cases have no row here: `a`, `c`, `d`.\n", self.cases())
        self.assertIn("3 of the 4 shipped cases have no row here: `a`, `b`, `d`.\n", self.cases())
        self.assertEqual(self.cases().count("shipped cases"), 2)
        self.assertNotIn("shipped cases", self.readme())
        self.assertEqual(self.run_report("--check"), (0, ""))
        self.ship("a", "b", "c", "d", "e")
        self.assertEqual(self.run_report("--check")[0], 1)

    def test_where_every_shipped_case_has_a_row_none_is_named(self):
        self.ship("a")
        self.add([benchmark("forward/a/cuda", 100.0)])
        self.assertEqual(self.run_report()[0], 0)
        self.assertNotIn("shipped cases", self.cases())

    def test_a_shipped_case_that_does_not_begin_with_its_name_is_an_error(self):
        self.ship("a", more="- {op: layer_norm, name: b}")
        status, errors = self.run_report()
        self.assertEqual(status, 1)
        self.assertIn("workloads.yaml:3: ", errors)

    def test_a_host_back_end_names_the_host(self):
        self.add([benchmark("forward/a/kokkos-host", 9.0)], host="Some CPU", device="Some GPU")
        self.run_report()
        self.assertIn("### kokkos-host: Some CPU\n", self.cases())

    def test_a_failed_benchmark_is_listed_and_not_tabled(self):
        self.add([{"name": "forward/a/cuda", "error_occurred": True, "error_message": "wrong y"}])
        self.run_report()
        self.assertIn("- `forward/a/cuda`: wrong y", self.cases())
        self.assertNotIn("| `a`", self.cases())

    def test_overheads_are_shown_beside_the_bare_launch(self):
        self.add([{"name": "overhead/launch/cuda", "real_time": 2.0, "allocations_per_call": 0},
                  {"name": "overhead/execute/cuda", "real_time": 2.5, "allocations_per_call": 0}],
                 file="overhead.json")
        self.run_report()
        self.assertIn("| `launch` | `cuda` | 2.000 | - | 0 |", self.cases())
        self.assertIn("| `execute` | `cuda` | 2.500 | 0.500 | 0 |", self.cases())

    def add_follow(self, **us):
        self.add([{"name": f"follow/{name}", "real_time": time} for name, time in us.items()],
                 file="follow.json")

    def test_what_follows_stands_beside_the_same_after_a_copy(self):
        self.add_follow(**{"stream_row/copy/8MiB/first": 5.0,
                           "stream_row/copy/8MiB/second": 3.0,
                           "stream_row/copy/16MiB/first": 7.0,
                           "stream_row/load=evict_last/store=normal/8MiB/first": 5.25,
                           "stream_row/load=evict_last/store=normal/8MiB/second": 4.5,
                           "stream_row/load=evict_last/store=normal/16MiB/first": 1234.0})
        self.assertEqual(self.run_report()[0], 0)
        self.assertIn("### What a following kernel pays: nvidia-h200\n\n"
                      "| strategy | priorities | 8 MiB first | 8 MiB second | 16 MiB first |\n",
                      self.cases())
        self.assertIn("| `stream_row` | `load=evict_last, store=normal` "
                      "| 5.2 (5.0) | 4.5 (3.0) | 1234 (7.0) |\n", self.cases())
        self.assertNotIn("`copy`", self.cases())

    def test_what_follows_is_compared_with_its_own_strategys_copy_or_none(self):
        self.add_follow(**{"block_row/copy/8MiB/first": 5.0,
                           "stream_row/load=normal/store=normal/8MiB/first": 6.0,
                           "stream_row/load=normal/store=normal/8MiB/second": 4.0,
                           "block_row/load=normal/store=normal/8MiB/first": 5.5})
        self.assertEqual(self.run_report()[0], 0)
        self.assertIn("| `stream_row` | `load=normal, store=normal` | 6.0 (-) | 4.0 (-) |",
                      self.cases())
        self.assertIn("| `block_row` | `load=normal, store=normal` | 5.5 (5.0) | - (-) |",
                      self.cases())

    def test_a_name_of_other_parts_is_an_error_that_names_the_file(self):
        for name in ("follow/stream_row/8MiB/first", "follow/stream_row", "follow",
                     "follow/a/b/c/d/8MiB/first", "overhead/launch", "overhead/launch/cuda/more"):
            with self.subTest(name=name):
                self.add([{"name": name, "real_time": 5.0, "allocations_per_call": 0}],
                         file="other.json")
                status, errors = self.run_report()
                self.assertEqual(status, 1)
                self.assertRegex(errors, rf"other\.json: {name} is not named ")

    def test_without_its_results_there_is_no_table_of_what_follows(self):
        self.add([benchmark("forward/a/cuda", 100.0)])
        self.run_report()
        self.assertNotIn("following kernel", self.cases())

    def test_a_normalization_that_failed_is_not_among_what_follows(self):
        self.add([{"name": "follow/stream_row/load=normal/store=normal", "error_occurred": True,
                   "error_message": "wrong y"}], file="follow.json")
        self.assertEqual(self.run_report()[0], 0)
        self.assertIn("- `follow/stream_row/load=normal/store=normal`: wrong y", self.cases())
        self.assertNotIn("following kernel", self.cases())

    def performance(self, *views):
        path = self.root / "docs" / "performance.md"
        path.write_text("\n".join(f"<!-- results:begin {view} -->\n<!-- results:end -->" for view in views))
        self.assertEqual(self.run_report()[0], 0)
        return path.read_text(encoding="utf-8")

    def add_run(self, benchmarks, **context):
        folder = self.root / "bench" / "results" / "nvidia-h200" / "peers"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "torch.json").write_text(json.dumps({"context": context, "benchmarks": benchmarks}))

    def test_machines_are_those_of_each_file(self):
        folder = self.root / "bench" / "results" / "x"
        folder.mkdir(parents=True)
        context = {"device": "X 200", "date": "2026-12-02T01:00:00+00:00", "copy_gb_s": "4000", "driver": "580"}
        (folder / "forward.json").write_text(json.dumps({"context": context, "benchmarks":
                                                         [benchmark("forward/a/cuda", 1.0)]}))
        self.assertIn("| `x/forward` | X 200 | driver 580 | 4000 | 2026-12-02 |", self.performance("machines"))

    def test_libraries_in_one_run_are_held_against_that_runs_times(self):
        self.add([benchmark("forward/a/cuda", 1.0)])
        self.add_run([benchmark("forward/a/cuda", 10.0), benchmark("forward/a/torch-eager", 40.0),
                      benchmark("forward/b/cuda", 10.0), benchmark("forward/b/torch-eager", 9.0),
                      benchmark("forward/b/torch-eager-host", 1.0),
                      {"name": "forward/b/liger", "error_occurred": True, "error_message": "wrong result"}],
                     torch="2.11.0")
        text = self.performance("libraries")
        self.assertIn("| PyTorch | 2 | 1.90x | 0.90x (`b`) | 4.00x | 1 |", text)
        self.assertIn("in one run with them (torch 2.11.0)", text)
        self.assertIn("- `forward/b/liger`: wrong result", text)
        self.assertNotIn("PyTorch", self.readme())

    def test_a_run_on_a_host_says_its_threads_once(self):
        older = {"threads": "16", "caches": "warm", "fastnorm": "0.1.0", "torch": "2.11.0"}
        newer = {**older, "host_threads": "16", "host_space": "OpenMP", "kokkos": "4.4.01",
                 "instruction_set": "x86-64-v4"}
        for context, said in (
                (older, "fastnorm 0.1.0, torch 2.11.0, 16 threads, caches warm"),
                (newer, "16 threads of OpenMP, Kokkos 4.4.01, instruction set x86-64-v4, fastnorm 0.1.0, torch 2.11.0, "
                        "caches warm")):
            self.add_run([benchmark("forward/a/kokkos-host", 10.0), benchmark("forward/a/torch-eager-host", 40.0)],
                         **context)
            self.assertIn(f"`kokkos-host` in one run with them ({said})", self.performance("libraries"))

    def scaled(self, threads, us, copy_fraction, case="a"):
        return benchmark(f"scaling/{case}/{threads}", us, copy_fraction=copy_fraction)

    def test_more_threads_stand_beside_what_they_gain_a_copy(self):
        self.add([self.scaled(16, 200.0, 0.75), self.scaled(1, 1000.0, 0.5)], device="cpu", file="scaling.json")
        text = self.performance("hosts")
        self.assertIn("### More threads: cpu\n", text)
        self.assertIn("| `a` | 1 | 1000 | 0.50 | 1.00x | 1.00x |\n| `a` | 16 | 200.0 | 0.75 | 5.00x | 3.33x |\n", text)

    def test_more_threads_than_one_need_one_to_be_held_against(self):
        for of, message in ((self.scaled(2, 5.0, 0.5), "a was not measured with one thread"),
                            (self.scaled("two", 5.0, 0.5), "scaling/a/two is not named "),
                            (self.scaled("2/3", 5.0, 0.5), "scaling/a/2/3 is not named ")):
            with self.subTest(message=message):
                self.add([of], file="scaling.json")
                (self.root / "docs" / "performance.md").write_text(
                    "<!-- results:begin hosts -->\n<!-- results:end -->")
                status, errors = self.run_report()
                self.assertEqual(status, 1)
                self.assertRegex(errors, rf"scaling\.json: {message}")

    def test_growing_tensors_are_listed_by_size_and_in_no_other_class(self):
        self.add([benchmark("forward/grow_64/kokkos-host", 400.0, mib=128.0, copy_fraction=0.5),
                  benchmark("forward/grow_1/kokkos-host", 5.0, mib=2.0, copy_fraction=0.8)],
                 device="cpu", host="Some CPU", host_threads="16", host_space="OpenMP")
        text = self.performance("hosts")
        self.assertIn("### Growing tensors: kokkos-host, Some CPU (16 threads of OpenMP)\n", text)
        self.assertIn("| 2 | 5.0 | 2.50 | 2.00 | 0.80 |\n| 128 | 400.0 | 3.12 | 1.56 | 0.50 |\n", text)
        self.assertIn("| growing shapes | 2 |", self.readme())
        self.assertNotIn("| smaller |", self.readme())

    def test_plots_are_kept_up_to_date_and_checked(self):
        plot = self.root / "docs" / "plots" / "nvidia-h200-cuda.svg"
        self.add([benchmark("forward/a/cuda", 10.0), benchmark("forward/b/cuda", 20.0, mib=640, copy_fraction=0.9),
                  benchmark("forward/random_00/cuda", 20.0)])
        self.assertIn("plots/nvidia-h200-cuda.svg", self.performance("sizes"))
        self.assertEqual(plot.read_text(encoding="utf-8").count("<circle"), 2)
        self.assertEqual(self.run_report("--check")[0], 0)
        for stale in (plot, plot.with_name("gone.svg")):
            stale.write_text("<svg/>", encoding="utf-8")
            status, errors = self.run_report("--check")
            self.assertEqual(status, 1)
            self.assertIn(stale.name, errors)
            self.assertEqual(self.run_report()[0], 0)
            self.assertEqual(self.run_report("--check")[0], 0)
        self.assertFalse(plot.with_name("gone.svg").exists())

    def test_check_fails_on_a_stale_table_and_writes_nothing(self):
        self.run_report()
        self.add([benchmark("forward/a/cuda", 100.0)])
        before = self.cases()
        status, errors = self.run_report("--check")
        self.assertEqual(status, 1)
        self.assertIn("results.md", errors)
        self.assertEqual(self.cases(), before)
        self.run_report()
        self.assertEqual(self.run_report("--check"), (0, ""))

    def test_a_document_or_its_tables_that_are_gone_are_said(self):
        self.add([benchmark("forward/a/cuda", 100.0)])
        self.run_report()
        for name in ("README.md", "docs/performance.md", "docs/results.md", "docs/tuning.md"):
            path = self.root / name
            text = path.read_text(encoding="utf-8")
            for arguments in ((), ("--check",)):
                with self.subTest(name=name, arguments=arguments):
                    path.unlink()
                    self.assertEqual(self.run_report(*arguments),
                                     (1, f"report.py: {path}: No such file or directory\n"))
                    path.write_text("no table", encoding="utf-8")
                    self.assertEqual(self.run_report(*arguments), (1, f"report.py: {path}: no <!-- results:begin "
                                                                      "VIEW -->, and tables are written there\n"))
                    path.write_text(text, encoding="utf-8")
                    self.assertEqual(self.run_report(*arguments), (0, ""))

    def test_bad_input_is_an_error_that_names_the_file(self):
        folder = self.root / "bench" / "results" / "x"
        folder.mkdir(parents=True)
        for text in ("", "[]", "{}", '{"benchmarks": [{"na', '{"benchmarks": null}',
                     '{"benchmarks": [{}]}', '{"benchmarks": [1]}'):
            with self.subTest(text=text):
                (folder / "bad.json").write_text(text)
                status, errors = self.run_report()
                self.assertEqual(status, 1)
                self.assertIn("bad.json", errors)

    def test_a_missing_counter_is_named(self):
        self.add([{"name": "forward/a/cuda", "real_time": 1.0}])
        status, errors = self.run_report()
        self.assertEqual(status, 1)
        self.assertIn("forward.json: forward/a/cuda has no counter 'copy_fraction'", errors)

    def test_one_name_in_two_files_is_ambiguous(self):
        self.add([benchmark("forward/a/cuda", 1.0)], file="one.json")
        self.add([benchmark("forward/a/cuda", 2.0)], file="two.json")
        status, errors = self.run_report()
        self.assertEqual(status, 1)
        self.assertIn("forward/a/cuda", errors)

    def test_unpaired_markers_and_unknown_views_are_errors(self):
        for text in ("<!-- results:begin cases -->\n", "<!-- results:end -->\n",
                     "<!-- results:begin -->\n<!-- results:end -->\n",
                     "<!-- results:begin other -->\n<!-- results:end -->\n"):
            with self.subTest(text=text):
                (self.root / "README.md").write_text("<!-- results:begin cases -->\n"
                                                     "<!-- results:end -->\n" + text)
                status, errors = self.run_report()
                self.assertEqual(status, 1)
                self.assertIn("README.md", errors)


if __name__ == "__main__":
    unittest.main()
