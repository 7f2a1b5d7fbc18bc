#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of bench/compare.py on result files made up for the purpose; its page is compare_page_test.py's."""

import csv
import io
import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

sys.dont_write_bytecode = True  # No __pycache__ in the source tree.
from result_files import measurement, write

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "compare.py"
sys.path.insert(0, str(SCRIPT.parent))
from comparison import command, reading, sources
from comparison.command import main

GPU = {"device": "Some GPU", "fastnorm": "0.1.0", "copy_gb_s": "4000"}


class CompareTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, benchmarks, **context):
        return write(self.folder / name, benchmarks, **(context or GPU))

    def run_compare(self, *arguments):
        """Exit status, what was printed, and what was said on standard error."""
        printed, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(printed), redirect_stderr(errors):
            try:
                status = main([str(argument) for argument in arguments])
            except SystemExit as end:  # Of wrong usage.
                status = end.code
        return status, printed.getvalue(), errors.getvalue()

    def judged(self, before, after, *arguments):
        """Of one case a, before and after."""
        old = self.file("old.json", [before])
        new = self.file("new.json", [after])
        return self.run_compare("--baseline", old, new, *arguments)

    # Series.

    def test_back_ends_stand_side_by_side(self):
        file = self.file("forward.json", [measurement("a", 10.0), measurement("a", 40.0, "kokkos-host"),
                                          measurement("b", 30.0)])
        status, text, errors = self.run_compare(file)
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("| `a` | 32 MiB and more | 64.0 | **10.0 ±0.4%** | 40.0 ±0.4% | 0.500 | 0.500 | 0.25x |",
                      text)
        self.assertIn("| `b` | 32 MiB and more | 64.0 | 30.0 ±0.4% | - | 0.500 | - | - |", text)

    def test_speedups_of_pairs_are_geometric_means_of_common_cases_by_class(self):
        one = self.file("one.json", [measurement("a", 10.0), measurement("b", 10.0), measurement("c", 1.0),
                                     measurement("s", 10.0, mib=1)])
        two = self.file("two.json", [measurement("a", 20.0), measurement("b", 5.0 / 4),
                                     measurement("s", 5.0, mib=1)])
        _, text, _ = self.run_compare(one, two)
        self.assertIn("| two | one | 32 MiB and more | 2 | 2.00x | 0.50x | 8.00x | `a` | `b` |", text)
        self.assertIn("| two | one | smaller | 1 | 2.00x | 2.00x | 2.00x | `s` | `s` |", text)

    def test_of_copy_is_a_geometric_mean_by_class_with_the_least(self):
        file = self.file("f.json", [measurement("a", 10.0, copy_fraction=0.4),
                                    measurement("b", 10.0, copy_fraction=0.9),
                                    measurement("fused_a_plain", 10.0, copy_fraction=0.3),
                                    measurement("random_00", 10.0, copy_fraction=0.2)])
        _, text, _ = self.run_compare(file)
        self.assertIn("| cuda | 32 MiB and more | 2 | 0.60 | 0.40 |", text)
        self.assertIn("| cuda | random shapes | 1 | 0.20 | 0.20 |", text)
        self.assertIn("| cuda | fused forms | 1 | 0.30 | 0.30 |", text)

    def test_one_back_end_of_several_files_is_named_by_file_or_by_the_label_given(self):
        one = self.file("h200/forward.json", [measurement("a", 10.0)])
        two = self.file("b200/forward.json", [measurement("a", 5.0)])
        self.assertIn("| b200/forward | h200/forward |", self.run_compare(one, two)[1])
        self.assertIn("| new | old |", self.run_compare(f"old={one}", f"new={two}")[1])

    def test_a_folder_is_named_as_a_whole_also_where_its_argument_has_no_name(self):
        for version, us in (("v0.1.0", 10.0), ("v0.2.0", 5.0), ("v0.3.json", 2.5)):
            self.file(f"{version}/forward.json", [measurement("a", us)])
        text = self.run_compare(*(self.folder / version for version in ("v0.1.0", "v0.2.0", "v0.3.json")))[1]
        self.assertIn("| v0.2.0 | v0.1.0 |", text)
        self.assertIn("| v0.3.json | v0.1.0 |", text)
        (self.folder / "v0.1.0" / "d").mkdir()
        for here, other in ((".", "../v0.2.0"), ("", "../v0.2.0"), ("d/..", "../v0.2.0"), ("a=.", "b=../v0.2.0")):
            with self.subTest(here=here):
                run = subprocess.run([sys.executable, str(SCRIPT), here, other], capture_output=True, text=True,
                                     check=False, cwd=self.folder / "v0.1.0")
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertIn("| b | a |" if "=" in here else "| v0.2.0 | v0.1.0 |", run.stdout)
        self.assertEqual(sources.short_labels([Path("/"), Path("x.json")]), ["/", "x"])

    def test_back_ends_of_several_files_have_both_names(self):
        both = [measurement("a", 10.0), measurement("a", 10.0, "kokkos-host")]
        one, two = self.file("one.json", both), self.file("two.json", both)
        self.assertIn("| two: kokkos-host | one: cuda |", self.run_compare(one, two)[1])

    def test_a_back_end_of_one_file_alone_needs_no_other_name(self):
        one = self.file("one.json", [measurement("a", 10.0), measurement("a", 10.0, "kokkos-host")])
        two = self.file("two.json", [measurement("a", 10.0)])
        self.assertIn("| two: cuda | kokkos-host |", self.run_compare(one, two)[1])

    def test_a_label_given_is_the_name(self):
        one = self.file("one.json", [measurement("a", 10.0)])
        two = self.file("two.json", [measurement("a", 10.0, "kokkos-host"), measurement("a", 9.0, "kokkos-cuda")])
        _, text, _ = self.run_compare(f"ours={one}", f"b={two}")
        self.assertIn("| b: kokkos-host | ours |", text)

    def test_a_folder_is_one_source(self):
        self.file("h200/forward.json", [measurement("a", 10.0)])
        self.file("h200/random.json", [measurement("random_00", 10.0)])
        self.file("h200/overhead.json", [{"name": "overhead/launch/cuda", "real_time": 2.0}])
        status, text, errors = self.run_compare(self.folder / "h200")
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("1 series, 2 cases, on Some GPU.", text)

    def test_a_host_back_end_ran_on_the_host(self):
        file = self.file("f.json", [measurement("a", 10.0, "kokkos-host")], host="Some CPU", **GPU)
        self.assertIn("on Some CPU.", self.run_compare(file)[1])

    def test_only_the_back_ends_asked_for(self):
        file = self.file("f.json", [measurement("a", 10.0), measurement("a", 20.0, "kokkos-host")])
        status, text, errors = self.run_compare(file, "--backend", "cuda", "--backend", "cudo")
        self.assertEqual(status, 0)
        self.assertNotIn("kokkos-host", text)
        self.assertIn("--backend cudo: in no file", errors)

    def test_times_are_microseconds_whatever_the_files_unit(self):
        file = self.file("f.json", [{**measurement("a", 10.0), "real_time": 0.01, "time_unit": "ms"}])
        self.assertIn("| 64.0 | 10.0 ±0.4% |", self.run_compare(file)[1])

    def test_configurations_are_taken_apart_and_foreign_labels_stay_whole(self):
        file = self.file("f.json", [measurement("a", 10.0), {**measurement("b", 10.0), "label": "as|it is"},
                                    {**measurement("a", 15.0), "name": "forward/a/cuda/default"}])
        _, text, _ = self.run_compare(file)
        self.assertIn("| `a` | cuda | 10.0 | 1.50x | group\\_norm 2xa groups=8 f32 "
                      "| `block_row threads=256,unroll=4` | exact: exact entry of db.yaml |", text)
        self.assertIn("| `b` | cuda | 10.0 | - | - | `as\\|it is` | - |", text)

    def test_other_libraries_are_held_against_the_copy_of_our_run_on_that_machine(self):
        file = self.file("f.json", [measurement("a", 10.0, copy_fraction=0.8)])
        peers = self.folder / "libraries.json"
        peers.write_text(json.dumps({"device": "Some GPU (132 SMs)", "results": [
            {"case": "a", "us": {"PyTorch": 40.0}}, {"case": "z", "us": {"PyTorch": 1.0}}]}))
        status, text, errors = self.run_compare(file, peers)
        self.assertEqual(status, 0)
        self.assertIn("| **10.0 ±0.4%** | 40.0 | 0.800 | 0.200 | 0.25x |", text)
        self.assertIn("1 case left out that no other file has on Some GPU", errors)

    # Before and after.

    def test_slower_beyond_both_noises_and_the_floor_is_a_regression(self):
        status, text, errors = self.judged(measurement("a", 100.0), measurement("a", 110.0))
        self.assertEqual(status, 1)
        self.assertIn("1 regression, no improvement", errors)
        self.assertIn("### Regressions", text)
        self.assertIn("| `a` | new | 100.0 ±0.4% | 110.0 ±0.4% | 1.100 | `the same` |", text)

    def test_slower_within_the_noise_of_either_is_none(self):
        noisy, quiet = {"spread": 0.12}, {"spread": 0.0}
        for before, after in ((noisy, quiet), (quiet, noisy), ({"spread": 0.06}, {"spread": 0.06})):
            with self.subTest(before=before, after=after):
                status, _, errors = self.judged(measurement("a", 100.0, **before),
                                                measurement("a", 110.0, **after))
                self.assertEqual(status, 0)
                self.assertIn("no regression, no improvement, 1 unchanged", errors)

    def test_slower_by_less_than_the_floor_is_none(self):
        before, after = measurement("a", 100.0, spread=0), measurement("a", 104.0, spread=0)
        self.assertEqual(self.judged(before, after)[0], 0)
        self.assertEqual(self.judged(before, after, "--floor", "0.03")[0], 1)

    def test_faster_is_an_improvement_and_what_changed_is_shown(self):
        status, text, _ = self.judged(measurement("a", 110.0),
                                      measurement("a", 100.0, runs="block_row threads=512,unroll=4"))
        self.assertEqual(status, 0)
        self.assertIn("### Improvements", text)
        self.assertIn("| 0.909 | `block_row threads=256→512` |", text)

    def test_a_case_that_fails_now_is_a_regression(self):
        status, text, errors = self.judged(measurement("a", 100.0), {
            "name": "forward/a/cuda", "error_occurred": True, "error_message": "wrong y"})
        self.assertEqual(status, 1)
        self.assertIn("1 newly failed", errors)
        self.assertIn("- `a`, new: wrong y", text)

    def test_a_case_that_is_not_measured_any_more_is_said(self):
        old = self.file("old.json", [measurement("a", 100.0), measurement("b", 100.0)])
        new = self.file("new.json", [measurement("a", 100.0)])
        status, text, errors = self.run_compare("--baseline", old, new)
        self.assertEqual(status, 0)
        self.assertIn("Not measured any more: new: b.", text)
        self.assertIn("1 unchanged, 1 case of the baseline missing (1 of new), speed-up", errors)
        self.assertEqual(self.run_compare("--baseline", old, new, "--strict")[0], 1)
        self.assertEqual(self.run_compare("--baseline", new, old, "--strict")[0], 0)  # One more is no harm.

    def test_a_back_end_that_is_not_measured_any_more_is_said(self):
        old = self.file("old.json", [measurement("a", 100.0), measurement("a", 9.0, "kokkos-cuda")])
        new = self.file("new.json", [measurement("a", 100.0)])
        other = self.file("other.json", [measurement("a", 9.0, "kokkos-cuda")])
        status, _, errors = self.run_compare("--baseline", old, new)
        self.assertEqual(status, 0)
        self.assertIn("1 unchanged, 1 back end of the baseline missing (kokkos-cuda), speed-up", errors)
        self.assertEqual(self.run_compare("--baseline", old, new, "--strict")[0], 1)
        for arguments in ((new, other), (new, "--backend", "cuda")):
            status, _, errors = self.run_compare("--baseline", old, *arguments, "--strict")
            self.assertEqual(status, 0)
            self.assertNotIn("missing", errors)

    def test_a_series_of_another_machine_is_in_the_verdict_and_fails_where_all_must_be_judged(self):
        both = [measurement("a", 100.0), measurement("a", 100.0, "kokkos-host")]
        old = self.file("old.json", both, host="Some CPU", host_threads="16", **GPU)
        new = self.file("new.json", both, host="Some CPU", host_threads="1", **GPU)
        status, _, errors = self.run_compare("--baseline", old, new)
        self.assertEqual(status, 0)
        self.assertIn("1 unchanged, not judged for their machine: new: kokkos-host, speed-up", errors)
        self.assertEqual(self.run_compare("--baseline", old, new, "--strict")[0], 1)

    def test_a_file_that_cannot_be_read_wholly_fails_where_all_must_be(self):
        good = self.file("good.json", [measurement("a", 100.0)])
        part = self.file("part.json", [measurement("a", 100.0), measurement("b", -1.0)])
        (self.folder / "cut.json").write_text("{")
        for bad in (part, self.folder / "cut.json", self.folder / "absent.json"):
            with self.subTest(bad=bad):
                self.assertEqual(self.run_compare(good, bad)[0], 0)
                status, _, errors = self.run_compare(good, bad, "--strict")
                self.assertEqual(status, 1)
                self.assertIn(f"--strict: not read, or not wholly: {bad}\n", errors)
        self.assertEqual(self.run_compare("--baseline", good, part)[0], 0)
        self.assertEqual(self.run_compare("--baseline", good, part, "--strict")[0], 1)
        self.assertEqual(self.run_compare("--baseline", good, self.folder / "cut.json")[0], 2)
        self.assertEqual(self.run_compare(good, "--strict")[0], 0)

    def test_noise_that_hides_everything_is_said(self):
        for before, after in (({"spread": 0.51}, {"spread": 0.0}), ({"spread": 0.0}, {"spread": 2.0})):
            with self.subTest(before=before, after=after):
                status, _, errors = self.judged(measurement("a", 100.0, **before), measurement("a", 140.0, **after))
                self.assertEqual(status, 2)  # Nothing else could be judged.
                self.assertIn("0 unchanged, 1 too noisy, speed-up", errors)
        self.assertIn("1 unchanged, speed-up", self.judged(measurement("a", 100.0, spread=0.5),
                                                           measurement("a", 140.0, spread=0.5))[2])
        status, _, errors = self.judged(measurement("a", 100.0, spread=0.6), measurement("a", 900.0, spread=0.6))
        self.assertEqual(status, 1)  # Stands out of any noise.
        self.assertIn("1 regression", errors)

    def test_another_machine_is_not_judged(self):
        old = self.file("old.json", [measurement("a", 100.0)])
        new = self.file("new.json", [measurement("a", 200.0)], device="Other GPU")
        status, _, errors = self.run_compare("--baseline", old, new)
        self.assertEqual(status, 2)
        self.assertIn("Some GPU is not Other GPU", errors)

    def test_a_host_with_other_threads_or_another_space_is_another_machine(self):
        ours = {"host": "Some CPU", "host_threads": "16", "host_space": "OpenMP"}
        peers = {"host": "Some CPU", "threads": "16"}
        for before, after, said in (
                (ours, {**ours, "host_threads": "1"},
                 r"Some CPU \(16 threads of OpenMP\) is not Some CPU \(1 thread of OpenMP\)"),
                (ours, {**ours, "host_space": "Serial"}, r"of OpenMP\) is not Some CPU \(16 threads of Serial\)"),
                (ours, {"host": "Some CPU"}, r"of OpenMP\) is not Some CPU$"),
                (peers, {**peers, "threads": 1}, r"Some CPU \(16 threads\) is not Some CPU \(1 thread\)"),
                (ours, {**peers, "threads": "1"}, r"is not Some CPU \(1 thread\)"),
                (ours, ours, None), (ours, peers, None), (peers, {**peers, "threads": 16}, None)):
            with self.subTest(before=before, after=after):
                old = self.file("old.json", [measurement("a", 100.0, "kokkos-host")], **before)
                new = self.file("new.json", [measurement("a", 200.0, "kokkos-host")], **after)
                status, text, errors = self.run_compare("--baseline", old, new)
                self.assertEqual(status, 1 if said is None else 2)
                if said is None:
                    self.assertNotIn("not judged", errors)
                else:
                    self.assertRegex(errors, rf"(?m)new\.json: kokkos-host: not judged, other machines: .*{said}")
                    self.assertIn("| `a` | 32 MiB and more | 64.0 | **100.0", text)

    def test_other_caches_or_another_allocator_are_another_machine(self):
        cold = {"host": "Some CPU", "threads": "16"}
        warm, keeping = {**cold, "caches": "warm"}, {**cold, "MALLOC_TRIM_THRESHOLD_": "9", "MALLOC_MMAP_MAX_": "0"}
        for before, after, said in (
                (warm, cold, r"\(16 threads, caches warm\) is not Some CPU \(16 threads\)$"),
                (cold, {**warm, **keeping},
                 r"\(16 threads, caches warm, MALLOC_MMAP_MAX_=0, MALLOC_TRIM_THRESHOLD_=9\)$"),
                (keeping, {**keeping, "MALLOC_MMAP_MAX_": "1"}, r"MALLOC_MMAP_MAX_=1, MALLOC_TRIM_THRESHOLD_=9\)$"),
                (cold, {**cold, "caches": "flushed", "method": "said otherwise"}, None),
                (cold, {**cold, "caches": [{"level": 1}]}, None), (warm, warm, None), (keeping, keeping, None)):
            with self.subTest(before=before, after=after):
                old = self.file("old.json", [measurement("a", 100.0, "kokkos-host")], **before)
                new = self.file("new.json", [measurement("a", 200.0, "kokkos-host")], **after)
                status, _, errors = self.run_compare("--baseline", old, new)
                self.assertEqual(status, 1 if said is None else 2)
                if said is None:
                    self.assertNotIn("not judged", errors)
                else:
                    self.assertRegex(errors, rf"(?m)not judged, other machines: .*{said}")
        old = self.file("old.json", [measurement("a", 100.0)], **GPU)
        new = self.file("new.json", [measurement("a", 200.0)], **GPU, MALLOC_MMAP_MAX_="0")
        self.assertEqual(self.run_compare("--baseline", old, new)[0], 1)

    def test_other_libraries_on_a_host_have_no_space_of_kokkos(self):
        ours = {"host": "Some CPU", "host_threads": "16", "threads": "16", "host_space": "OpenMP"}
        text = self.run_compare(self.file("f.json", [measurement("a", 100.0, "torch-eager-host")], **ours))[1]
        self.assertIn("| Some CPU (16 threads) |", text)

    def test_other_libraries_are_shown_and_not_judged(self):
        """Neither those that measure_peers.py measured, with a spread, nor those of a file of theirs alone."""
        def both(name, ours_us, *theirs):
            return self.file(name, [measurement("a", ours_us), *theirs])

        old = both("old.json", 10.0, measurement("a", 20.0, "torch-eager"), measurement("b", 20.0, "torch-eager"),
                   measurement("a", 20.0, "liger"), measurement("a", 20.0, "quack"))
        failed = {"name": "forward/a/liger", "error_occurred": True, "error_message": "wrong y"}
        new = both("new.json", 10.0, measurement("a", 90.0, "torch-eager"), failed)
        status, text, errors = self.run_compare("--baseline", old, new, "--strict")
        self.assertEqual(status, 0)
        self.assertIn("no regression, no improvement, 1 unchanged, speed-up 1.00x in the mean\n", errors)
        self.assertRegex(text, r"\| `a` \|.* 20\.0 ±0\.4% .* 90\.0 ±0\.4% \|")
        self.assertEqual(self.run_compare("--baseline", old, both("slow.json", 20.0))[0], 1)
        self.assertEqual(self.run_compare("--baseline", old, new, "--backend", "torch-eager")[0], 2)
        for name in ("before", "after"):
            (self.folder / f"{name}.json").write_text(json.dumps(
                {"device": "Some GPU (132 SMs)", "results": [{"case": "a", "us": {"PyTorch": 40.0}}]}))
        status, _, errors = self.run_compare("--baseline", self.folder / "before.json", self.folder / "after.json", old)
        self.assertEqual(status, 2)
        self.assertIn("nothing could be held against the baseline", errors)
        self.assertNotIn("PyTorch", errors)

    def test_a_file_says_what_the_kernels_lie_on_where_it_knows(self):
        ours = {"host": "Some CPU", "host_threads": "16", "host_space": "OpenMP", "kokkos": "4.4.01",
                "instruction_set": "x86-64-v4", "fastnorm": "0.1.0"}
        file = self.file("one.json", [measurement("a", 100.0, backend) for backend in
                                      ("torch-eager-host", "kokkos-host", "cuda")],
                         **{**ours, **GPU}, cuda="13.0", torch="2.11.0")
        text = self.run_compare(file)[1]
        self.assertIn("16 threads of OpenMP, Kokkos 4.4.01, instruction set x86-64-v4, fastnorm 0.1.0", text)
        self.assertIn("| CUDA 13.0, fastnorm 0.1.0 |", text)
        self.assertIn("| torch 2.11.0 |", text)
        self.assertIn("3 series, 1 case, on Some CPU (16 threads of OpenMP) and Some GPU.", text)

    def test_a_file_that_does_not_say_its_machine_is_not_judged(self):
        known = self.file("known.json", [measurement("a", 100.0)])
        unknown = self.file("unknown.json", [measurement("a", 200.0)], fastnorm="0.1.0")
        for before, after in ((known, unknown), (unknown, known)):
            with self.subTest(before=before):
                status, _, errors = self.run_compare("--baseline", before, after)
                self.assertEqual(status, 2)
                self.assertRegex(errors, r"cuda: not judged, \S*unknown\.json without the device that it ran on")
        host = self.file("host.json", [measurement("a", 100.0, "kokkos-host")])  # Of a device alone.
        _, _, errors = self.run_compare("--baseline", host, self.file("h.json", [measurement("a", 1, "kokkos-host")]))
        self.assertRegex(errors, r"not judged, \S*host\.json and \S*h\.json without the host that it ran on")

    def test_a_folders_series_is_of_one_machine(self):
        self.file("d/one.json", [measurement("a", 10.0, "kokkos-host")], host="Some CPU", host_threads="16")
        self.file("d/two.json", [measurement("b", 90.0, "kokkos-host")], host="Some CPU", host_threads="1")
        status, text, errors = self.run_compare(self.folder / "d")
        self.assertEqual(status, 0)
        self.assertIn("two.json: kokkos-host left out, it ran on Some CPU (1 thread) and in the files before it on "
                      "Some CPU (16 threads)", errors)
        self.assertNotIn("| `b` |", text)
        self.assertIn("1 series, 1 case, on Some CPU (16 threads).", text)

    def test_back_ends_are_judged_against_themselves(self):
        old = self.file("old.json", [measurement("a", 100.0), measurement("a", 10.0, "kokkos-cuda")])
        new = self.file("new.json", [measurement("a", 100.0), measurement("b", 1.0, "kokkos-host")])
        status, _, errors = self.run_compare("--baseline", old, new)
        self.assertEqual(status, 0)
        self.assertIn("new.json: kokkos-host is not in the baseline", errors)

    def test_nothing_to_hold_against_the_baseline_is_not_well(self):
        old = self.file("old.json", [measurement("a", 100.0)])
        new = self.file("new.json", [measurement("b", 100.0)])
        status, text, errors = self.run_compare("--baseline", old, new)
        self.assertEqual(status, 2)
        self.assertRegex(errors, r"old\.json and .*new\.json: cuda: no case in common")
        self.assertIn("| `b` |", text)
        status, text, errors = self.run_compare("--baseline", self.folder / "absent.json", new)
        self.assertEqual(status, 2)
        self.assertIn("absent.json: No such file or directory", errors)
        self.assertIn("| `b` |", text)

    # Files that are not as they should be.

    def test_a_bad_file_is_named_with_what_is_wrong_and_the_rest_is_reported(self):
        good = self.file("good.json", [measurement("a", 10.0)])
        whole = good.read_text()
        bad = self.folder / "bad.json"
        for content, said in (
                ("", "empty"), ("no JSON", "not JSON"), (whole[:-40], "truncated"),
                (whole[:whole.index("Some")], "truncated"),
                ("[]", "not a Google Benchmark result: not an object with a list `benchmarks`$"),
                ("{}", "not a Google Benchmark result: has no list `benchmarks`$"),
                ('{"benchmarks": [{}]}', "benchmark 1 has no name; it is left out"),
                ('{"benchmarks": [1]}', "benchmark 1 is 1, not an object; it is left out"),
                ('{"benchmarks": null}', "has no list `benchmarks`$"),
                ('{"benchmarks": [{"name": 1}]}', "the name of benchmark 1 is 1, not a text; it is left out"),
                (whole.replace("forward/a/cuda", "forward/a/"), "no measurement is named"),
                (whole.replace("forward/a/cuda", "forward//cuda"), "no measurement is named"),
                ('{"benchmarks": []}', "no measurement is named forward/<case>/<back end>"),
                ('{"context": [], "benchmarks": []}', "context"), ('{"results": 1}', "not other libraries'"),
                ("[" * 100000, "not JSON|truncated"), ("\udcff", "not JSON"),
                (whole.replace('{"context": {', '{"context": {"json_schema_version": 2, '),
                 "json_schema_version is 2"),
                (whole.replace('"spread"', '"noise"'), "1 measurement without spread left out"),
                (whole.replace('"spread"', '"noise"').replace("copy_fraction", "fraction"),
                 "without copy_fraction, spread left out: the result of another version"),
                (whole.replace("10.0", "NaN", 1), "forward/a/cuda: real_time is nan"),
                (whole.replace("10.0", '"ten"', 1), "real_time is 'ten'"),
                (whole.replace("10.0", "0", 1), "real_time is 0"),
                (whole.replace("10.0", "1e308", 1), r"real_time is 1e\+308"),
                (whole.replace("10.0", "1e-300", 1), "real_time is 1e-300"),
                (whole.replace("10.0", "1" + 400 * "0", 1), r"real_time is 10+\.\.\.0+$"),
                (whole.replace("10.0", "1" + 5000 * "0", 1), "not JSON"),
                (whole.replace("10.0", "1e-9", 1), "moves 0 bytes"),
                (whole.replace("10.0", "[10.0]", 1), r"real_time is \[10.0\]"),
                (whole.replace('"us"', '"fortnights"'), "time_unit is 'fortnights'"),
                (whole.replace('"us"', '["us"]'), r"time_unit is \['us'\]"),
                (whole.replace('"us"', "null"), "time_unit is None"),
                (whole.replace("forward/a", "forward/a\\ud800"), r"not text: .*forward/a\\ud800"),
                (whole.replace("Some GPU", "GPU \\udfff"), r"not text: .*GPU \\udfff"),
                (whole.replace("forward/a/cuda", "forward/a/cuda/default"), "no measurement is named"),
                ('{"results": []}', "no library's time in its results"),
                ('{"results": {}}', "has no list `results`$"),
                ('{"results": [{"case": "a", "us": {}}]}', "no library's"),
                ("null", "not an object with a list"), ("1", "not a Google"), ('"text"', "not a Google"),
                ('{"results": [{"case": 1, "us": {}}]}', "result 1 has no text `case` and object `us`"),
                ('{"results": [{"case": "a", "us": [["b", 1]]}]}', "result 1 has no text"),
                ('{"results": [{"case": "a", "us": {"b": 1e999}}]}', "a: b is inf")):
            with self.subTest(content=content[:60], said=said):
                bad.write_bytes(content.encode("utf-8", "surrogateescape"))
                status, text, errors = self.run_compare(bad, good)
                self.assertEqual(status, 0)
                self.assertRegex(errors, rf"compare\.py: .*bad\.json: .*({said})")
                self.assertIn("| `a` | 32 MiB and more | 64.0 | 10.0 ±0.4% |", text)
                self.assertIn("bad.json", text)
                status, _, errors = self.run_compare(bad)
                self.assertEqual(status, 2)
                self.assertIn("nothing to compare", errors)

    def test_a_file_that_is_cut_anywhere_is_truncated(self):
        whole = ('{"context": {"a": true, "b": false}, "c": [null, -1.5e-3, 2E+9, NaN, Infinity, -Infinity, '
                 '"\\u00b5s \\ud83d\\ude00 \u00b5"]}').encode()
        bad = self.folder / "bad.json"
        for length in range(1, len(whole)):
            bad.write_bytes(whole[:length])
            self.assertIn("bad.json: truncated: ends ", self.run_compare(bad)[2], whole[:length])

    def test_a_bad_default_is_said_and_costs_its_case_nothing(self):
        good = self.file("good.json", [measurement("a", 10.0)])
        default = {**measurement("a", 15.0), "name": "forward/a/cuda/default"}
        whole = self.file("whole.json", [measurement("a", 10.0), default])
        self.assertIn("| `a` | cuda | 10.0 | 1.50x |", self.run_compare(whole)[1])
        without_spread = {key: value for key, value in default.items() if key != "spread"}
        for bad, said, strict in (
                ({**default, "real_time": float("inf")}, "forward/a/cuda/default: real_time is inf", 1),
                ({**default, "real_time": 0}, "forward/a/cuda/default: real_time is 0", 1),
                ({**default, "time_unit": "weeks"}, "forward/a/cuda/default: time_unit is 'weeks'", 1),
                (without_spread, "1 measurement without spread left out: the result of another version?", 1),
                ({**default, "error_occurred": True, "error_message": "wrong y"},
                 "forward/a/cuda/default failed: wrong y", 0)):
            with self.subTest(said=said):
                file = self.file("f.json", [measurement("a", 10.0), bad])
                status, text, errors = self.run_compare(file)
                self.assertEqual((status, errors), (0, f"compare.py: {file}: {said}\n"))
                self.assertIn("| `a` | cuda | 10.0 | - |", text)
                status, _, errors = self.run_compare("--baseline", good, file)
                self.assertEqual(status, 0)
                self.assertIn("1 unchanged, speed-up", errors)
                self.assertEqual(self.run_compare(file, "--strict")[0], strict)

    def test_a_benchmark_without_a_name_leaves_the_others_alone(self):
        file = self.file("f.json", [{"real_time": 1.0}, measurement("a", 10.0), measurement("", 1.0)])
        status, text, errors = self.run_compare(file)
        self.assertEqual(status, 0)
        self.assertEqual(errors, f"compare.py: {file}: benchmark 1 has no name; it is left out\n")
        self.assertIn("| `a` | 32 MiB and more | 64.0 | 10.0 ±0.4% |", text)
        self.assertEqual(self.run_compare(file, "--strict")[0], 1)

    def test_what_a_file_holds_neither_ends_a_line_nor_moves_the_cursor(self):
        evil = "a\x1b[2J\nb\r\u2028\x85"
        file = self.file("f.json", [measurement("a", 10.0), measurement(evil, 10.0), measurement("c", 1.0, evil),
                                    {"name": "forward/b/cuda", "error_occurred": True, "error_message": evil}])
        _, text, errors = self.run_compare(file, f"x\ny={self.folder / 'absent'}")
        self.assertIn("failed: a\\x1b[2J\\nb\\r\\u2028\\x85\n", errors)
        for said in (text, errors):
            self.assertEqual([symbol for symbol in said if not symbol.isprintable() and symbol != "\n"], [])
        file = self.file("f.json", [{"name": "forward/b/cuda", "error_occurred": True, "error_message": "x\ny"}])
        self.assertEqual(self.run_compare(file), (2, "", f"compare.py: {file}: forward/b/cuda failed: x\\ny\n"
                                                         "compare.py: nothing to compare\n"))

    def test_an_error_that_nobody_thought_of_leaves_out_one_file_or_is_no_regression(self):
        good, bad = self.file("good.json", [measurement("a", 10.0)]), self.file("bad.json", [measurement("b", 1.0)])
        read = reading.benchmark_list

        def broken(path, document):
            return read(path, document) if path == good else [][1]

        with unittest.mock.patch.object(reading, "benchmark_list", broken):
            status, text, errors = self.run_compare(bad, good)
        self.assertEqual(status, 0)
        self.assertRegex(errors, r"bad\.json: cannot be read: IndexError: list index")
        self.assertIn("| `a` |", text)
        with unittest.mock.patch.object(command, "compare", lambda *_: {}["key"]):
            self.assertEqual(self.run_compare(good), (2, "", "compare.py: unexpected error: KeyError: 'key'\n"))

    def test_a_folder_without_a_measurement_is_said(self):
        good = self.file("good.json", [measurement("a", 10.0)])
        self.file("d/overhead.json", [{"name": "overhead/launch/cuda", "real_time": 2.0}])
        (self.folder / "empty").mkdir()
        for folder, said in (("d", "no measurement is named forward/<case>/<back end> in any file of this folder"),
                             ("empty", "no *.json in this folder")):
            status, _, errors = self.run_compare(good, self.folder / folder)
            self.assertEqual((status, errors), (0, f"compare.py: {self.folder / folder}: {said}\n"))

    def test_the_baseline_against_itself_is_said(self):
        file, other = self.file("f.json", [measurement("a", 10.0)]), self.file("g.json", [measurement("a", 10.0)])
        link = self.folder / "link.json"
        link.symlink_to(file)
        for same in (file, link, f"label={file}"):
            with self.subTest(same=same):
                said = f"compare.py: {same}: is the baseline itself: one file, and nothing to hold against it\n"
                self.assertEqual(self.run_compare("--baseline", file, same), (2, "", said))
                status, _, errors = self.run_compare("--baseline", file, same, other)
                self.assertEqual(status, 0)
                self.assertIn(said, errors)
                self.assertIn("1 unchanged", errors)

    def test_a_name_that_is_there_twice_counts_once_and_is_said(self):
        file = self.file("f.json", [measurement("a", 10.0), measurement("a", 99.0)])
        status, text, errors = self.run_compare(file)
        self.assertEqual(status, 0)
        self.assertIn("f.json: forward/a/cuda is here twice; the first counts", errors)
        self.assertIn("| 10.0 ±0.4% |", text)
        self.file("d/one.json", [measurement("a", 10.0)])
        self.file("d/two.json", [measurement("a", 99.0)])
        _, text, errors = self.run_compare(self.folder / "d")
        self.assertRegex(errors, r"two\.json: forward/a/cuda is here and in .*one\.json; the first counts")
        self.assertIn("| 10.0 ±0.4% |", text)

    def test_a_case_of_another_size_is_another_problem(self):
        one = self.file("one.json", [measurement("a", 10.0), measurement("b", 10.0)])
        two = self.file("two.json", [measurement("a", 10.0, mib=32), measurement("b", 10.0)])
        status, text, errors = self.run_compare(one, two)
        self.assertEqual(status, 0)
        self.assertRegex(errors, r"two\.json: a moves \d+ bytes, .*: another problem, left out")
        self.assertIn("| `a` | 32 MiB and more | 64.0 | 10.0 ±0.4% | - |", text)

    def test_a_file_without_a_common_case_is_said_and_reported(self):
        one = self.file("one.json", [measurement("a", 10.0)])
        two = self.file("two.json", [measurement("b", 10.0)])
        status, text, errors = self.run_compare(one, two)
        self.assertEqual(status, 0)
        self.assertIn("two.json: no case in common with any other file", errors)
        self.assertIn("| `b` |", text)

    def test_a_failed_case_is_said(self):
        file = self.file("f.json", [measurement("a", 10.0), {
            "name": "forward/b/cuda", "error_occurred": True, "error_message": "wrong y"}])
        self.assertIn("f.json: forward/b/cuda failed: wrong y", self.run_compare(file)[2])

    def test_wrong_usage(self):
        good = self.file("good.json", [measurement("a", 10.0)])
        for arguments in ([], ["--baseline", good], [good, "--floor", "2"], [good, "--nonsense"],
                          [good, "--csv", self.folder / "absent" / "x.csv"]):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.run_compare(*arguments)[0], 2)

    def test_no_output_takes_the_place_of_an_input_or_of_another_output(self):
        good, old = self.file("good.json", [measurement("a", 10.0)]), self.file("old.json", [measurement("a", 10.0)])
        inside, out = self.file("d/in.json", [measurement("a", 10.0)]), self.folder / "out"
        link = self.folder / "link"
        link.symlink_to(good)
        for arguments, said in (
                ([good, "--csv", good], f"--csv {good} is one of the files to compare"),
                ([f"label={good}", "--markdown", link], f"--markdown {link} is one of the files to compare"),
                ([good, "--baseline", old, "--html", f"{self.folder}/d/../old.json"], "old.json is one of the files"),
                ([self.folder / "d", "--csv", inside], f"--csv {inside} is one of the files to compare"),
                ([good, "--markdown", out, "--csv", f"{self.folder}/d/../out"], "out is the file of --markdown, too")):
            with self.subTest(said=said):
                before = [path.read_text() for path in (good, old, inside)]
                status, text, errors = self.run_compare(*arguments)
                self.assertEqual((status, text), (2, ""))
                self.assertIn(said, errors)
                self.assertEqual([path.read_text() for path in (good, old, inside)], before)
                self.assertFalse(out.exists())
        self.assertEqual(self.run_compare(self.folder / "d", "--csv", self.folder / "d" / "new.csv")[0], 0)

    # What is written.

    def test_csv_has_every_measurement_with_its_interval_and_verdict(self):
        out = self.folder / "out.csv"
        self.assertEqual(self.judged(measurement("a", 100.0, spread=0.01),
                                     measurement('a', 150.0, spread=0.02), "--csv", out)[0], 1)
        old, new = csv.DictReader(io.StringIO(out.read_text(encoding="utf-8")))
        self.assertEqual((old["series"], old["us"], old["us_least"], old["us_most"], old["verdict"]),
                         ("old", "100", "99", "101", ""))
        self.assertEqual((new["before_us"], new["after_over_before"], new["verdict"], new["bytes"]),
                         ("100", "1.5", "slower", str(64 * 2**20)))
        self.assertEqual((new["speedup_over_reference"], new["machine"], new["class"]),
                         ("0.666667", "Some GPU", "32 MiB and more"))
        self.assertTrue(new["label"].startswith("group_norm 2xa"))

    def test_what_was_there_stays_where_writing_fails_and_nothing_half_written_does(self):
        file = self.file("f.json", [measurement("a", 10.0)])
        out, page = self.folder / "out.md", self.folder / "absent" / "x.csv"
        out.write_text("before")
        with unittest.mock.patch.object(Path, "write_bytes", side_effect=OSError(28, "No space left on device")):
            status, _, errors = self.run_compare(file, "--markdown", out)
        self.assertEqual((status, errors), (2, f"compare.py: {out}: No space left on device\n"))
        self.assertEqual(out.read_text(), "before")
        with unittest.mock.patch.object(command, "comma_separated", lambda comparison: [][1]):
            self.assertEqual(self.run_compare(file, "--markdown", out, "--csv", self.folder / "x.csv")[0], 2)
        self.assertEqual(out.read_text(), "before")
        self.assertEqual(self.run_compare(file, "--csv", page)[2], f"compare.py: {page}: No such file or directory\n")
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"f.json", "out.md"})

    def test_a_link_and_a_pipe_stay_what_they_are(self):
        file = self.file("f.json", [measurement("a", 10.0)])
        link, kept = self.folder / "link.csv", self.folder / "kept.csv"
        kept.write_text("before")
        link.symlink_to(kept)
        self.assertEqual(self.run_compare(file, "--csv", link)[0], 0)
        self.assertTrue(link.is_symlink())
        self.assertTrue(kept.read_text().startswith("series,"))
        run = subprocess.run([sys.executable, str(SCRIPT), str(file), "--csv", "/dev/stdout"],
                             capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (0, kept.read_text()))

    def test_standard_output_may_have_another_encoding_or_nobody_who_reads(self):
        file = self.file("f\udcff.json", [measurement("a", 10.0)])
        run = subprocess.run([sys.executable, str(SCRIPT), str(file)], capture_output=True, text=True, check=False,
                             env={"PYTHONIOENCODING": "ascii"})
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("10.0 \\xb10.4%", run.stdout)
        reader, writer = os.pipe()
        os.close(reader)
        run = subprocess.run([sys.executable, str(SCRIPT), str(file)], stdout=writer, stderr=subprocess.PIPE,
                             text=True, check=False)
        os.close(writer)
        self.assertEqual((run.returncode, run.stderr),
                         (2, "compare.py: whoever read standard output has left\n"))

    def test_standard_error_that_takes_nothing_changes_no_status(self):
        old, new = self.file("old.json", [measurement("a", 10.0)]), self.file("new.json", [measurement("a", 10.0)])
        slow = self.file("slow.json", [measurement("a", 20.0), *[{"no": "name"}] * 99])
        absent, out = self.folder / "absent.json", self.folder / "out.md"
        for arguments, expected in (
                (["--baseline", old, new, absent], 0), (["--baseline", old, slow], 1), ([absent], 2), ([], 2),
                ([old, "--floor", "2"], 2), ([old, "--nonsense"], 2)):
            command_line = shlex.join([sys.executable, str(SCRIPT), *map(str, arguments), "--markdown", str(out)])
            for gone in ("2>/dev/full", "2>&-", "2>&1 | true"):
                with self.subTest(arguments=arguments, gone=gone):
                    script = f"set -o pipefail; {command_line} {gone}"
                    run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
                    self.assertEqual((run.returncode, run.stdout, run.stderr), (expected, "", ""))

    def test_markdown_goes_to_its_file_and_holds_in_a_table_whatever_a_name_is(self):
        out = self.folder / "out.md"
        file = self.file("f.json", [measurement("a|b`c", 10.0)], device="<b>|x", fastnorm="1")
        status, printed, _ = self.run_compare(file, "--markdown", out)
        self.assertEqual((status, printed), (0, ""))
        text = out.read_text(encoding="utf-8")
        self.assertIn("| `a\\|b'c` |", text)
        self.assertIn("\\<b>\\|x", text)

    def test_a_page_without_matplotlib_is_refused_with_the_packages_name(self):
        file = self.file("f.json", [measurement("a", 10.0)])
        (self.folder / "matplotlib.py").write_text("raise ImportError('made up')")
        run = subprocess.run([sys.executable, str(SCRIPT), str(file), "--html", str(self.folder / "x.html")],
                             capture_output=True, text=True, check=False,
                             env={"PYTHONPATH": str(self.folder)})
        self.assertEqual(run.returncode, 2)
        self.assertIn("needs matplotlib (Debian: python3-matplotlib): made up", run.stderr)


if __name__ == "__main__":
    unittest.main()
