#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark programs on a small case: names, counters, skipped cases, exit status.

usage: programs_test.py ProgramsTest <fastnorm-bench> <fastnorm-bench-overhead>   on the host back end
       programs_test.py FollowTest <fastnorm-bench-follow>                        without a device
       programs_test.py TuningTest <fastnorm-bench-tuning>                        anywhere
       programs_test.py SearchTest <fastnorm-bench-search> <fastnorm-bench-winners> <fastnorm-bench-untuned>
                                   <autotune>                                  with the host back end
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CASES = """\
- {name: small, op: group_norm, n: 2, c: 8, spatial: [16, 16], groups: 4, dtype: f32, layout: nchw, activation: none}
- {name: other, op: instance_norm, n: 1, c: 4, spatial: [9], groups: 4, dtype: f32, layout: nchw, activation: none}
- {name: half, op: group_norm, n: 2, c: 8, spatial: [16], groups: 4, dtype: f16, layout: nchw, activation: none}
- {name: later, op: batch_norm, n: 2, c: 8, spatial: [16], groups: 0, dtype: f32, layout: nchw, activation: none}
- {name: fused, op: group_norm, n: 2, c: 8, spatial: [16], groups: 4, dtype: f32, layout: nchw, activation: silu}
- {name: last, op: group_norm, n: 2, c: 8, spatial: [16], groups: 4, dtype: f32, layout: nhwc, activation: none}
- {name: columns, op: rms_norm_channels, n: 2, c: 8, spatial: [16], groups: 1, dtype: f32, layout: nchw, activation: none}
"""


class ProgramsTest(unittest.TestCase):
    bench = ""
    overhead = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cases = self.folder / "cases.yaml"
        self.cases.write_text(CASES)

    def run_bench(self, *arguments):
        return subprocess.run([self.bench, "--backend", "kokkos-host", "--db", "none",
                               "--cases", str(self.cases), *arguments],
                              capture_output=True, text=True, check=False)

    def results(self, *arguments):
        out = self.folder / "out.json"
        run = self.run_bench(f"--benchmark_out={out}", *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        document = json.loads(out.read_text())
        return document["context"], {b["name"]: b for b in document["benchmarks"]}, run.stderr

    def test_every_case_tuned_default_and_forced(self):
        context, results, errors = self.results()
        self.assertIn("forward/small/kokkos-host", results)
        self.assertIn("forward/small/kokkos-host/default", results)
        self.assertTrue(any(name.startswith("forward/other/kokkos-host/forced:")
                            for name in results), results.keys())
        self.assertTrue(context["host"])
        self.assertTrue(context["fastnorm"])
        self.assertRegex(context["kokkos"], r"^\d+\.\d+\.\d\d$")
        self.assertTrue(context["instruction_set"])
        self.assertIn(" f16 ", results["forward/half/kokkos-host"]["label"])
        self.assertIn(" silu ", results["forward/fused/kokkos-host"]["label"])
        self.assertNotIn("forward/later/kokkos-host", results)
        self.assertRegex(errors, "skipped: .*batch_norm.*: later\n")
        self.assertIn(" channels_last ", results["forward/last/kokkos-host"]["label"])
        self.assertIn("forward/columns/kokkos-host", results)

    def test_counters_and_label(self):
        _, results, _ = self.results("--case", "small")
        for name, result in results.items():
            with self.subTest(name=name):
                self.assertFalse(result.get("error_occurred"))
                self.assertEqual(result["time_unit"], "us")
                self.assertGreater(result["real_time"], 0)
                self.assertGreater(result["copy_fraction"], 0)
                self.assertGreaterEqual(result["spread"], 0)
                # x and y of 2x8x16x16 fp32.
                bytes_moved = result["bytes_per_second"] * result["real_time"] * 1e-6
                self.assertAlmostEqual(bytes_moved, 2 * 4 * 2 * 8 * 16 * 16, places=3)
                self.assertIn("group_norm 2x8x16x16", result["label"])
                if "/forced:" in name:
                    self.assertIn(f" {name.split('forced:')[1]} ", result["label"])

    def test_case_and_filter_choose(self):
        _, results, _ = self.results("--case", "other", "--benchmark_filter=/kokkos-host$")
        self.assertEqual(list(results), ["forward/other/kokkos-host"])

    def test_configs_adds_some_of_each_strategy(self):
        _, results, _ = self.results("--case", "small", "--configs", "2")
        added = [name for name in results if "/config:" in name]
        self.assertTrue(added)
        strategies = {name.split("/forced:")[1] for name in results if "/forced:" in name}
        self.assertEqual({name.split("/config:")[1].split(":")[0] for name in added}, strategies)
        self.assertLessEqual(len(added), 2 * len(strategies))
        self.assertFalse(any("/config:" in name for name in self.results("--case", "small")[1]))

    def test_random_cases_are_the_seeds_and_all_readable(self):
        script = Path(__file__).resolve().parents[2] / "bench" / "random_cases.py"

        def cases_of(seed):
            return subprocess.run([sys.executable, str(script), "--seed", str(seed)],
                                  capture_output=True, text=True, check=True).stdout

        self.assertEqual(cases_of(3), cases_of(3))
        self.assertNotEqual(cases_of(3), cases_of(4))
        self.cases.write_text(cases_of(3))
        out = self.folder / "out.json"
        run = self.run_bench("--benchmark_filter=random_4./.*/default$", f"--benchmark_out={out}",
                             "--benchmark_list_tests=true")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("random_4", run.stdout)

    def test_the_fused_cases_are_readable_and_each_has_its_plain_form(self):
        path = Path(__file__).resolve().parents[2] / "cases" / "fused.yaml"
        self.cases.write_text(path.read_text(encoding="utf-8"))
        run = self.run_bench("--benchmark_list_tests=true")
        self.assertEqual(run.returncode, 0, run.stderr)
        names = re.findall(r"name: (fused_\w+),", self.cases.read_text())
        for name in names:
            self.assertIn("_".join(name.split("_", 2)[:2]) + "_plain", names)

    def test_the_hosts_cases_are_readable_and_the_result_says_with_how_many_threads(self):
        path = Path(__file__).resolve().parents[2] / "cases" / "host.yaml"
        out = self.folder / "out.json"
        run = subprocess.run([self.bench, "--backend", "kokkos-host", "--db", "none", "--cases", str(path),
                              "--case", "grow_1", "--benchmark_filter=/kokkos-host$", f"--benchmark_out={out}"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        context = json.loads(out.read_text(encoding="utf-8"))["context"]
        self.assertIn(context["host_space"], ("Serial", "OpenMP", "Threads"))
        self.assertGreaterEqual(int(context["host_threads"]), 1)
        names = re.findall(r"name: grow_(\d+), .* n: (\d+), c: 32, spatial: \[32, 32\]", path.read_text())
        self.assertEqual([int(n) * 32 * 32 * 32 * 4 for _, n in names], [int(mib) << 20 for mib, _ in names])

    def test_none_is_no_folder_of_databases(self):
        broken = self.folder / "none" / "broken.yaml"
        broken.parent.mkdir()
        broken.write_text("no database")
        for db, warns in (("./none", True), ("none", False)):
            with self.subTest(db=db):
                run = subprocess.run([self.bench, "--backend", "kokkos-host", "--db", db,
                                      "--case", "small", "--cases", str(self.cases),
                                      "--benchmark_filter=/kokkos-host$"], cwd=self.folder,
                                     capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(broken.name in run.stderr, warns, run.stderr)

    def test_usage_errors(self):
        for arguments in (["--case", "nosuch"], ["--backend", "nosuch"], ["--nosuch"],
                          ["--benchmark_filter=["]):
            with self.subTest(arguments=arguments):
                run = subprocess.run([self.bench, "--cases", str(self.cases), *arguments],
                                     capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertNotEqual(run.stderr, "")

    def test_help_names_what_compares_results(self):
        run = subprocess.run([self.bench, "--help"], text=True, capture_output=True, check=False)
        self.assertEqual(run.returncode, 0)
        self.assertIn("bench/compare.py puts such files beside each other", run.stdout)
        run = subprocess.run([self.bench, "compare", "a.json"], text=True, capture_output=True, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn('unknown argument "compare"; --help lists them', run.stderr)

    def test_a_cached_call_allocates_nothing(self):
        out = self.folder / "overhead.json"
        run = subprocess.run([self.overhead, f"--benchmark_out={out}"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        results = {b["name"]: b for b in json.loads(out.read_text())["benchmarks"]}
        for what in ("launch", "execute", "group_norm"):
            result = results[f"overhead/{what}/kokkos-host"]
            self.assertEqual(result["allocations_per_call"], 0)
            self.assertGreater(result["real_time"], 0)


class FollowTest(unittest.TestCase):
    follow = ""

    def test_without_a_device_it_says_so_and_fails(self):
        run = subprocess.run([self.follow], env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stdout, "")
        self.assertRegex(run.stderr, r"\Afastnorm-bench-follow: unavailable: [^\n]*\n\Z")


class TuningTest(unittest.TestCase):
    tuning = ""

    def test_a_large_database_answers(self):
        run = subprocess.run([self.tuning, "--benchmark_min_time=0.0001", "--benchmark_format=json"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        output = json.loads(run.stdout)
        self.assertRegex(output["context"]["fastnorm"], r"\A\d+\.\d+\.\d+")
        self.assertGreater(int(output["context"]["kernel_version"]), 0)
        results = {b["name"]: b for b in output["benchmarks"]}
        self.assertGreater(results["tuning/parse/10000"]["bytes"], 1 << 20)
        for asked in ("tuned", "untuned"):
            self.assertGreater(results[f"tuning/lookup/{asked}/10000"]["found"], 1)


def recording(name, times, samples=20):
    """A case of the host back end with these times, or failures, by the configurations' `lanes`."""
    lines = [f"case\t{name}\tgroup_norm 2x8x16 groups=4 f32\tkokkos-host\tA host\t50\t1\t0\t0\n"]
    for lanes, time in times.items():
        answer = f"\t{time}" if isinstance(time, str) else "\t" + f"\t{time}" * samples
        lines.append(f"rows lanes={lanes},block=1024,threads=1,store=cached\t100{answer}\n")
    return "".join(lines)


class SearchTest(unittest.TestCase):
    search = ""
    winners = ""
    untuned = ""
    autotune = ""

    def run_search(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "some.rec"
            path.write_text(text)
            return subprocess.run([self.search, str(path), *arguments], capture_output=True, text=True,
                                  check=False)

    def outcome_of(self, text, *arguments):
        run = self.run_search(text, *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_a_search_of_all_finds_the_fastest_right_one(self):
        text = "fastnorm recording 1\n" + recording("a", {1: 100, 2: 80, 4: 90, 8: "wrong"})
        for method in ("guided", "random", "exhaustive"):
            outcome = self.outcome_of(text, "--search", method, "--seeds", "3")
            self.assertEqual(outcome["regret"], 0)
            case, = outcome["cases"]
            self.assertEqual((case["contenders"], case["evaluated"]), (4, 4))
            self.assertAlmostEqual(case["regret_of_default"], 0.25)

    def test_a_part_of_the_space_is_searched_and_judged_by_all_of_it(self):
        times = {lanes: 100 for lanes in range(1, 10)} | {10: 50}
        outcome = self.outcome_of("fastnorm recording 1\n" + recording("a", times), "--share", "0.1")
        self.assertEqual(outcome["cases"][0]["allowed"], 1)
        self.assertEqual(outcome["cases"][0]["evaluated"], 1)
        self.assertAlmostEqual(outcome["regret"], 1)

    def test_regrets_are_joined_by_the_geometric_mean(self):
        text = ("fastnorm recording 1\n" + recording("a", {1: 121, 2: 100}) + recording("b", {1: 100, 2: 200}))
        outcome = self.outcome_of(text, "--share", "0.5")
        self.assertAlmostEqual(outcome["regret"], 0.1)
        self.assertAlmostEqual(outcome["worst_regret"], 0.21)

    def test_a_time_of_few_samples_is_no_optimum(self):
        lucky = recording("a", {3: 10}, samples=3).splitlines(keepends=True)[1]
        outcome = self.outcome_of("fastnorm recording 1\n" + recording("a", {1: 100, 2: 80}) + lucky, "--share", "0.3")
        self.assertAlmostEqual(outcome["cases"][0]["regret_of_default"], 0.25)

    def test_what_is_no_recording_is_refused(self):
        for text in ("", "something else\n", "fastnorm recording 1\n"):
            run = self.run_search(text)
            self.assertEqual(run.returncode, 1)
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertEqual(self.run_search(text, "--search", "best").returncode, 2)

    def test_databases_without_a_common_shape_cannot_be_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([self.winners, folder, folder], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("in common", run.stderr)

    def test_a_database_of_nothing_has_no_shape_to_leave_out(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([self.untuned, folder], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("no shape of this device", run.stderr)

    def test_winners_are_held_against_others_and_against_what_runs_without_them(self):
        with tempfile.TemporaryDirectory() as folder:
            cases = Path(folder) / "cases.yaml"
            cases.write_text("".join(line + "\n" for line in CASES.splitlines() if "other" in line or "last" in line))
            databases = [str(Path(folder) / name) for name in ("a.yaml", "b.yaml")]
            for database in databases:
                subprocess.run([self.autotune, "--backend", "kokkos", "--cases", str(cases), "--budget", "12",
                                "--db", database], capture_output=True, check=True)
            against = subprocess.run([self.winners, *databases], capture_output=True, text=True, check=True)
            left_out = subprocess.run([self.untuned, databases[0]], capture_output=True, text=True, check=True)
        for output in (against.stdout, left_out.stdout):
            outcome = json.loads(output)
            self.assertEqual(len(outcome["shapes"]), 2)
            self.assertRegex(outcome["fastnorm"], r"\A\d+\.\d+\.\d+")
            self.assertGreater(outcome["kernel_version"], 0)
            for shape in outcome["shapes"]:
                self.assertGreater(shape["first_us"], 0)
                self.assertAlmostEqual(shape["ratio"], shape["first_us"] / shape["second_us"])
                if shape["first"] == shape["second"]:
                    self.assertEqual(shape["ratio"], 1)
            self.assertLessEqual(outcome["smallest"], outcome["geometric_mean"])
            self.assertLessEqual(outcome["geometric_mean"], outcome["largest"])


if __name__ == "__main__":
    programs = [str(Path(program).resolve()) for program in sys.argv[2:]]
    if sys.argv[1] == "FollowTest":
        FollowTest.follow, = programs
    elif sys.argv[1] == "TuningTest":
        TuningTest.tuning, = programs
    elif sys.argv[1] == "SearchTest":
        SearchTest.search, SearchTest.winners, SearchTest.untuned, SearchTest.autotune = programs
    else:
        ProgramsTest.bench, ProgramsTest.overhead = programs
    unittest.main(argv=sys.argv[:2])
