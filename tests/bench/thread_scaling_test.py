#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of bench/thread_scaling.py with a program that writes what it was told instead of measuring."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "thread_scaling.py"

# Halves the time with twice the threads. `{deaf}` is the number of threads of one that is told nothing.
PROGRAM = """#!{python}
import json, os, sys
threads = {deaf} or int(os.environ["OMP_NUM_THREADS"])
assert os.environ["OMP_PROC_BIND"] == "close", os.environ
assert sys.argv[1:3] == ["--backend", "kokkos-host"], sys.argv
out = [word.split("=", 1)[1] for word in sys.argv if word.startswith("--benchmark_out=")]
cases = [word for before, word in zip(sys.argv, sys.argv[1:]) if before == "--case"]
context = {{"host": "Some CPU", "host_threads": str(threads), "host_copy_gb_s": str(threads), "date": "today"}}
json.dump({{"context": context, "benchmarks": [
    {{"name": f"forward/{{case}}/kokkos-host", "real_time": 100 / threads, "copy_fraction": 0.5}} for case in cases]}},
    open(out[0], "w"))
sys.exit("broke" if "breaks" in cases else 0)
"""


class ThreadScalingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "scaling.json"

    def run_script(self, *arguments, deaf=0):
        program = self.folder / "bench"
        program.write_text(PROGRAM.format(python=sys.executable, deaf=deaf), encoding="utf-8")
        program.chmod(0o755)
        return subprocess.run([sys.executable, str(SCRIPT), str(program), "--out", str(self.out), *arguments],
                              capture_output=True, text=True, check=False)

    def test_each_number_of_threads_is_a_run(self):
        run = self.run_script("--most", "6", "--case", "a", "--case", "b")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        document = json.loads(self.out.read_text(encoding="utf-8"))
        self.assertEqual({b["name"]: b["real_time"] for b in document["benchmarks"]},
                         {f"scaling/{case}/{threads}": 100 / threads for threads in (1, 2, 4, 6) for case in "ab"})
        self.assertEqual(document["context"], {"host": "Some CPU", "date": "today"})

    def test_one_thread_is_one_run(self):
        self.assertEqual(self.run_script("--most", "1", "--case", "a").returncode, 0)
        self.assertEqual(len(json.loads(self.out.read_text(encoding="utf-8"))["benchmarks"]), 1)

    def test_threads_that_were_not_given_are_no_measurement(self):
        run = self.run_script("--most", "2", "--case", "a", deaf=1)
        self.assertEqual(run.returncode, 1)
        self.assertIn("asked for [1, 2] threads, ran with ['1', '1']", run.stderr)
        self.assertFalse(self.out.exists())

    def test_a_run_that_fails_says_why(self):
        run = self.run_script("--most", "2", "--case", "breaks")
        self.assertEqual(run.returncode, 1)
        self.assertIn("with 1 threads exited with 1: broke", run.stderr)
        self.assertFalse(self.out.exists())

    def test_where_to_write_is_checked_before_anything_is_measured(self):
        for out in (self.folder / "absent" / "scaling.json", self.folder):
            with self.subTest(out=out):
                run = self.run_script("--most", "1", "--case", "breaks", "--out", str(out))
                self.assertEqual(run.returncode, 2)
                self.assertIn(f"--out {out}: no file in a folder that there is", run.stderr)
                self.assertNotIn("broke", run.stderr)

    def test_a_program_that_writes_no_result_is_named(self):
        program = self.folder / "other"
        for body, said in (("true", "wrote no result: is it fastnorm-bench?"),
                           ("echo '{' > $out", "wrote a result that is not JSON"),
                           ("echo '[]' > $out", "wrote no result of fastnorm-bench"),
                           ("""echo '{"context": {}, "benchmarks": [{"name": 1}]}' > $out""",
                            "wrote no result of fastnorm-bench"),
                           ("""echo '{"context": {}, "benchmarks": []}' > $out""",
                            "wrote a result without measurements of a case")):
            with self.subTest(body=body):
                program.write_text('#!/bin/sh\nfor word; do case $word in --benchmark_out=*) out=${word#*=};; esac; '
                                   f"done\n{body}\n", encoding="utf-8")
                program.chmod(0o755)
                run = subprocess.run([sys.executable, str(SCRIPT), str(program), "--out", str(self.out), "--most", "1"],
                                     capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 1)
                self.assertIn(f"thread_scaling.py: {program} {said}", run.stderr)
                self.assertNotIn("out.json", run.stderr)
                self.assertFalse(self.out.exists())

    def test_no_threads_is_no_number(self):
        run = self.run_script("--most", "0")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--most is 0", run.stderr)


if __name__ == "__main__":
    unittest.main()
