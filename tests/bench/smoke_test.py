#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of bench/smoke.py: of its verdicts, and that it finds a slowdown of the real program.

usage: smoke_test.py <fastnorm-bench-smoke>
"""

import contextlib
import importlib.util
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # No __pycache__ in the source tree.
ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("smoke", ROOT / "bench" / "smoke.py")
smoke = importlib.util.module_from_spec(spec)
sys.modules["smoke"] = smoke  # Where dataclasses look for it.
spec.loader.exec_module(smoke)

# Prints one document a run, the last one again and again.
FAKE = """\
#!{python}
import pathlib
runs = pathlib.Path({folder!r}) / "runs"
done = len(runs.read_text()) if runs.exists() else 0
runs.write_text("x" * (done + 1))
print({documents!r}[min(done, {last})])
"""


class SmokeTest(unittest.TestCase):
    program = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bounds = self.folder / "bounds.json"

    def fake(self, *ratios, machine="a machine", copies=(1.0,)):
        """The last of `copies` is of all later documents, too."""
        us = [{name: {"call": ratio * copy, "copy": copy} for name, ratio in of.items()}
              for of, copy in zip(ratios, [*copies, *copies[-1:] * len(ratios)])]
        documents = [json.dumps({"machine": machine, "us": of}) for of in us]
        program = self.folder / "fake"
        program.write_text(FAKE.format(python=sys.executable, folder=str(self.folder), documents=documents,
                                       last=len(documents) - 1), encoding="utf-8")
        program.chmod(0o755)
        return program

    def runs(self):
        return len((self.folder / "runs").read_text())

    def check(self, program, *arguments):
        """Exit status, and all that was said."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = smoke.main([str(program), "--bounds", str(self.bounds), *arguments])
        return status, said.getvalue()

    def record(self, **ratios):
        self.bounds.write_text(json.dumps({"a machine": ratios}), encoding="utf-8")

    def test_within_the_slack(self):
        self.record(a=2.0, b=3.0)
        status, said = self.check(self.fake({"a": 2.6, "b": 1.0}))
        self.assertEqual((status, self.runs()), (0, 1), said)

    def test_slower_however_often(self):
        self.record(a=2.0, b=3.0)
        status, said = self.check(self.fake({"a": 2.9, "b": 3.0}))
        self.assertEqual((status, self.runs()), (1, smoke.ATTEMPTS))
        self.assertRegex(said, "slower: a takes 2.90 times a copy, and took 2.00")
        self.assertNotIn("slower: b", said)

    def test_a_disturbed_run_is_repeated_and_the_least_counts(self):
        self.record(a=2.0, b=3.0)
        status, said = self.check(self.fake({"a": 5.0, "b": 3.0}, {"a": 2.0, "b": 9.0}))
        self.assertEqual((status, self.runs()), (0, 2), said)

    def test_a_disturbed_copy_makes_no_call_faster(self):
        ratios = ({"a": 9.0}, {"a": 5.0}, {"a": 10.0})
        self.assertEqual(self.check(self.fake(*ratios, copies=(1.0, 2.0, 1.0)), "--renew")[0], 0)
        self.assertEqual(json.loads(self.bounds.read_text()), {"a machine": {"a": 9.0}})

    def test_a_case_without_a_bound_fails(self):
        self.record(a=2.0)
        status, said = self.check(self.fake({"a": 2.0, "new": 1.0}))
        self.assertEqual(status, 1)
        self.assertIn("new has no bound", said)

    def test_a_recorded_case_that_is_not_measured_any_more_fails(self):
        self.record(a=2.0, b=3.0)
        status, said = self.check(self.fake({"a": 2.0}))
        self.assertEqual(status, 1)
        self.assertIn("b is recorded, and not measured any more", said)

    def test_another_machine_is_held_against_the_largest_with_more_slack(self):
        self.bounds.write_text(json.dumps({
            "X, Inc., isa, 1 thread": {"a": 1.0, "b": 3.0}, "Y, isa, 1 thread": {"a": 2.0},
            "Z, isa, 2 threads": {"a": 9.0}, "Z, other isa, 1 thread": {"a": 9.0}}), encoding="utf-8")
        machine = "N, isa, 1 thread"
        status, said = self.check(self.fake({"a": 4.4, "b": 6.7}, machine=machine))
        self.assertEqual(status, 0, said)
        self.assertIn(f"nothing is recorded for {machine}: held against other machines with isa, 1 thread, "
                      "up to 2.25 times theirs", said)
        status, said = self.check(self.fake({"a": 4.6, "b": 6.7}, machine=machine))
        self.assertEqual(status, 1)
        self.assertIn("slower: a takes 4.60 times a copy, and took 2.00", said)
        self.assertNotIn("slower: b", said)
        status, said = self.check(self.fake({"a": 4.4}, machine=machine))
        self.assertEqual(status, 1)
        self.assertIn("b is recorded, and not measured any more", said)

    def test_without_avx512_the_builds_that_follow_the_machine_are_those_for_avx2(self):
        recorded = {"X, -march=native, 1 thread": {"a": 1.0}, "X, -march=x86-64-v3, 1 thread": {"a": 2.0}}
        for flags, bound in ((["avx2", "avx512f"], 1.0), (["avx2"], 2.0)):
            self.assertEqual(smoke.bounds_for("N, -march=native, 1 thread", recorded, flags).ratios, {"a": bound})
        self.assertIsNone(smoke.bounds_for("N, -march=native, 1 thread", recorded, []))
        self.assertEqual(smoke.bounds_for("N, -march=x86-64-v3, 1 thread", recorded, []).ratios, {"a": 2.0})

    def test_a_build_of_which_nothing_is_recorded_is_skipped_visibly(self):
        self.record(a=2.0)
        for machine in ("another", "a machine, isa, 1 thread"):
            status, said = self.check(self.fake({"a": 9.0}, machine=machine))
            self.assertEqual(status, 77)
            self.assertRegex(said, f"skipped: nothing is recorded for {machine}.*--renew")

    def test_renewing_keeps_the_other_machines(self):
        self.record(a=2.0)
        status, _ = self.check(self.fake({"a": 9.0}, {"a": 7.0}, {"a": 8.0}, machine="another"), "--renew")
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(self.bounds.read_text()), {"a machine": {"a": 2.0}, "another": {"a": 7.0}})

    def test_bounds_of_another_form_are_no_verdict_and_stay_as_they_are(self):
        form = ("not bounds, which are an object of objects of positive numbers: "
                '{"<machine>": {"<case>": <times a copy>}}')
        for content, said in (
                ("[]", form), ("null", form), ("1", form), ('{"a machine": [1]}', form), ('{"a machine": 1}', form),
                ('{"X, isa, 1 thread": [1]}', form), ('{"a machine": {"a": "2"}}', form),
                ('{"a machine": {"a": null}}', form), ('{"a machine": {"a": true}}', form),
                ('{"a machine": {"a": NaN}}', form), ('{"a machine": {"a": 0}}', form),
                ("", "not JSON: "), ('{"a machine": ', "not JSON: "), ("[" * 100000, "not JSON: "),
                ("\udcff", "not JSON: ")):
            for arguments in ((), ("--renew",)):
                with self.subTest(content=content[:40], arguments=arguments):
                    self.bounds.write_bytes(content.encode("utf-8", "surrogateescape"))
                    status, text = self.check(self.fake({"a": 2.0}, machine="N, isa, 1 thread"), *arguments)
                    self.assertEqual(status, 2)
                    self.assertIn(f"smoke.py: {self.bounds}: {said}", text)
                    self.assertEqual(self.bounds.read_bytes(), content.encode("utf-8", "surrogateescape"))

    def test_a_program_that_fails_is_no_verdict(self):
        status, said = self.check("/bin/false")
        self.assertEqual(status, 2)
        self.assertIn("/bin/false exited with 1", said)

    def test_a_back_end_of_half_the_speed_is_found(self):
        quick = ("--seconds", "0.1")
        self.assertEqual(self.check(self.program, "--renew", *quick)[0], 0)
        status, said = self.check(self.program, *quick)
        self.assertEqual(status, 0, said)
        status, said = self.check(self.program, "--calls", "2", *quick)
        self.assertEqual(status, 1, said)
        cases = json.loads(self.bounds.read_text()).popitem()[1]
        self.assertGreater(len(cases), 5)
        for case in cases:
            self.assertIn(f"slower: {case} ", said)

    def test_on_a_machine_of_which_nothing_is_recorded_a_third_of_the_speed_is_found(self):
        shipped = json.loads((ROOT / "bench" / "smoke_bounds.json").read_text(encoding="utf-8"))
        self.bounds.write_text(json.dumps({f"Not this, {', '.join(smoke.build_of(machine))}": ratios
                                           for machine, ratios in shipped.items()}), encoding="utf-8")
        quick = ("--seconds", "0.1")
        status, said = self.check(self.program, *quick)
        if status == smoke.NOT_RECORDED:
            self.skipTest(said)
        self.assertEqual(status, 0, said)
        self.assertIn("held against other machines", said)
        status, said = self.check(self.program, "--calls", "3", *quick)
        self.assertEqual(status, 1, said)
        self.assertIn("slower: ", said)


if __name__ == "__main__":
    SmokeTest.program = sys.argv.pop()
    unittest.main()
