#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of bench/against_kernel_tuner.py: how a recording becomes what Kernel Tuner replays. Without Kernel Tuner."""

import importlib.util
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # No __pycache__ in the source tree.
SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "against_kernel_tuner.py"
spec = importlib.util.spec_from_file_location("against_kernel_tuner", SCRIPT)
against_kernel_tuner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(against_kernel_tuner)

LINES = ["fastnorm recording 1",
         "case\tfirst\tgroup_norm\tcuda\tA device\t5\t1\t0\t0",
         "block_row threads=128,load=normal\t10\t" + "\t9" * 20,
         "block_row threads=64,load=evict_first\t10\t" + "\t8" * 20,
         "warp_row lanes=16\t10\t\t7\t1\t7",
         "warp_row lanes=8\t10\twrong result\t1",
         "case\tsecond\trms_norm\tcuda\tA device\t5\t1\t0\t0",
         "warp_row lanes=32\t10\t" + "\t3" * 20]


class AgainstKernelTunerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        path = self.folder / "some.rec"
        path.write_text("\n".join(LINES) + "\n")
        self.cases = against_kernel_tuner.read_recording(path)

    def test_cases_have_the_medians_of_what_went_right(self):
        self.assertEqual([case.name for case in self.cases], ["first", "second"])
        self.assertEqual(self.cases[0].times, [9, 8, 7])

    def test_the_optimum_is_one_of_many_samples(self):
        self.assertEqual([case.optimum for case in self.cases], [8, 3])

    def test_the_strategy_is_a_parameter_and_fields_that_it_lacks_have_a_value_of_their_own(self):
        self.assertEqual(self.cases[0].parameters(), {
            "strategy": ["block_row", "warp_row"],
            "threads": [0, 64, 128],
            "load": [0, "evict_first", "normal"],
            "lanes": [0, 16],
        })

    def test_the_cache_has_each_configuration_once_by_its_values(self):
        replay = against_kernel_tuner.Replay(self.cases[0], self.folder)
        cache = json.loads(replay.path.read_text())
        self.assertEqual(cache["tune_params_keys"], ["strategy", "threads", "load", "lanes"])
        self.assertEqual({key: entry["time"] for key, entry in cache["cache"].items()}, {
            "block_row,128,normal,0": 9,
            "block_row,64,evict_first,0": 8,
            "warp_row,0,0,16": 7,
        })


if __name__ == "__main__":
    unittest.main()
