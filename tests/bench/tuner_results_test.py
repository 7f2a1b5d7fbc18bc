#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of bench/tuner_results.py and of the table that report.py makes of its file."""

import io
import json
import os
import sys
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path

sys.dont_write_bytecode = True  # No __pycache__ in the source tree.
BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import report
import tuner_results

COMPARISON = {"shapes": [{}, {}], "geometric_mean": 1.0016, "largest": 1.0103}


class TunerResultsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        device = self.root / "bench" / "results" / "a-gpu"
        device.mkdir(parents=True)
        self.out = device / "tuner.json"

    def file(self, name, text):
        path = self.root / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def join(self, *arguments):
        errors = io.StringIO()
        with redirect_stderr(errors):
            return tuner_results.main(["--out", str(self.out), *arguments]), errors.getvalue()

    def table(self):
        return tuner_results.tuner_table(json.loads(self.out.read_text(encoding="utf-8")))

    def test_parts_are_joined_one_after_the_other(self):
        around = "Running\n" + json.dumps(COMPARISON, indent=1) + "\nreal 0m1s\n"
        self.assertEqual(self.join("--regret", self.file("regret.json", around)), (0, ""))
        self.assertRegex(self.table(), r"\| .*2 shapes.* \| 0\.16%; 1\.03% \|")
        log = "117 tuned, 1.051x the default's\nspent 3m56s: loading 9.8s\n"
        self.assertEqual(self.join("--whole-run", self.file("run.log", log))[0], 0)
        lookups = {"benchmarks": [
            {"name": "tuning/parse/10000", "real_time": 27.9, "time_unit": "ms"},
            {"name": "tuning/lookup/tuned/10000", "real_time": 1381, "time_unit": "ns"},
            {"name": "tuning/lookup/untuned/10000", "real_time": 1.413, "time_unit": "us"}]}
        self.assertEqual(self.join("--lookup", self.file("lookup.json", json.dumps(lookups)))[0], 0)
        text = self.table()
        self.assertIn("2 shapes", text, "what is not given again stays")
        self.assertRegex(text, r"all 117 cases .* \| 236 s \|")
        self.assertRegex(text, r"1\.38 µs; 1\.41 µs")
        self.assertRegex(text, r"\| 28 ms \|")

    def test_the_file_is_replaced_in_one_step(self):
        self.join("--regret", self.file("regret.json", json.dumps(COMPARISON)))
        before = self.out.read_text(encoding="utf-8")
        held = self.root / "held"
        os.link(self.out, held)
        self.assertEqual(self.join("--untuned", self.file("untuned.json", json.dumps(COMPARISON)))[0], 0)
        self.assertEqual(held.read_text(encoding="utf-8"), before, "whoever has it open sees the old one whole")
        self.assertIn("untuned", json.loads(self.out.read_text(encoding="utf-8")))

    def test_the_library_that_measured_is_named_where_its_programs_name_it(self):
        self.join("--regret", self.file("regret.json", json.dumps(COMPARISON)))
        self.assertNotIn("kernel version", self.table())
        self.assertNotIn("fastnorm", self.out.read_text(encoding="utf-8"))
        measured = {"fastnorm": "0.2.0", "kernel_version": 7, **COMPARISON}
        self.join("--untuned", self.file("untuned.json", json.dumps(measured)))
        lookups = {"context": {"fastnorm": "0.1.0", "kernel_version": "6"}, "benchmarks": [
            {"name": f"tuning/{name}/10000", "real_time": 1, "time_unit": "us"}
            for name in ("parse", "lookup/tuned", "lookup/untuned")]}
        self.assertEqual(self.join("--lookup", self.file("lookup.json", json.dumps(lookups))), (0, ""))
        self.assertIn("| fastnorm 0.1.0, kernel version 6; fastnorm 0.2.0, kernel version 7 |", self.table())
        joined = json.loads(self.out.read_text(encoding="utf-8"))
        self.assertEqual(joined["lookup"]["kernel_version"], 6)
        self.assertNotIn("fastnorm", joined["regret"])

    def test_of_two_runs_the_one_that_is_slower_counts(self):
        runs = {**COMPARISON, "geometric_mean": 0.9984, "largest": 1.0019, "smallest": 0.98}
        self.assertEqual(self.join("--two-runs", self.file("runs.json", json.dumps(runs)))[0], 0)
        self.assertRegex(self.table(), r"-0\.16%; 2\.04%")

    def test_what_is_no_result_is_named_and_leaves_the_file_alone(self):
        self.assertEqual(self.join("--untuned", self.file("good.json", json.dumps(COMPARISON)))[0], 0)
        before = self.out.read_text(encoding="utf-8")
        for option, text, words in (("--regret", "no JSON", "holds no JSON object"),
                                    ("--regret", '{"cut off', "Expecting"),
                                    ("--regret", "{}", "geometric_mean"),
                                    ("--whole-run", "nothing", "does not say how many"),
                                    ("--regret", None, "No such file")):
            path = str(self.root / "not there") if text is None else self.file("bad", text)
            if text is not None and option == "--regret" and text.startswith('{"'):
                words = "bad"
            status, errors = self.join(option, path)
            self.assertEqual(status, 1, text)
            self.assertIn(words, errors)
            self.assertEqual(self.out.read_text(encoding="utf-8"), before)

    def test_the_report_has_it_and_takes_it_for_no_measurement(self):
        self.join("--regret", self.file("regret.json", json.dumps(COMPARISON)))
        (self.root / "docs").mkdir()
        (self.root / "cases").mkdir()
        (self.root / "cases" / "workloads.yaml").write_text("", encoding="utf-8")
        page = self.root / "docs" / "tuning.md"
        for document, view in ((self.root / "README.md", "summary"), (page, "tuner"),
                               (page.with_name("performance.md"), "machines"), (page.with_name("results.md"), "cases")):
            document.write_text(f"<!-- results:begin {view} -->\n<!-- results:end -->\n", encoding="utf-8")
        benchmark = {"name": "forward/a/cuda", "real_time": 10.0, "time_unit": "us", "copy_fraction": 0.5,
                     "spread": 0.004, "bytes_per_second": 1e12, "label": "a plan"}
        (self.out.parent / "forward.json").write_text(json.dumps({"context": {}, "benchmarks": [benchmark]}))
        self.assertEqual(report.main(["--root", str(self.root)]), 0)
        self.assertIn("0.16%; 1.03%", page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
