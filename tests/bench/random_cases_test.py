#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of bench/random_cases.py: what it draws, and that it draws it again."""

import importlib.util
import io
import math
import re
import sys
import unittest
from contextlib import redirect_stdout
from pathlib import Path

sys.dont_write_bytecode = True  # No __pycache__ in the source tree.
SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "random_cases.py"
spec = importlib.util.spec_from_file_location("random_cases", SCRIPT)
random_cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(random_cases)


def written(*arguments):
    output = io.StringIO()
    with redirect_stdout(output):
        random_cases.main([str(argument) for argument in arguments])
    return output.getvalue()


def cases(text):
    """Of each line its fields, the numbers among them as such."""
    def value(word):
        if word.startswith("["):
            return [int(extent) for extent in re.findall(r"\d+", word)]
        return int(word) if word.isdigit() else word

    return [{key: value(word) for key, word in re.findall(r"(\w+): (\[.*?\]|\w+)", line)}
            for line in text.splitlines()]


class RandomCasesTest(unittest.TestCase):
    def test_the_same_seed_gives_the_same_cases(self):
        self.assertEqual(written("--seed", 1), written("--seed", 1))
        self.assertNotEqual(written("--seed", 1), written("--seed", 2))

    def test_more_cases_begin_with_the_fewer(self):
        self.assertTrue(written("--count", 80).startswith(written("--count", 50)))

    def test_every_kind_has_its_share_of_the_fifty(self):
        for seed in range(1, 6):
            drawn = cases(written("--seed", seed))
            self.assertEqual(len(drawn), 50)
            last = sum(case["layout"] in ("nhwc", "ndhwc") for case in drawn)
            over_channels = sum(case["op"].endswith("_channels") for case in drawn)
            self.assertGreaterEqual(last, 8, f"seed {seed}")
            self.assertGreaterEqual(over_channels, 2, f"seed {seed}")
            self.assertGreaterEqual(len(drawn) - last - over_channels, 15, f"seed {seed}")

    def test_cases_are_what_the_reader_takes(self):
        for case in cases(written("--count", 500)):
            rank = len(case["spatial"])
            is_row = case["op"] in ("layer_norm", "rms_norm")
            self.assertEqual(case["layout"] == "rows", is_row, case)
            self.assertEqual(rank == 0, is_row, case)
            if not is_row:
                self.assertEqual(case["layout"] in ("ncdhw", "ndhwc"), rank == 3, case)
            if case["op"].endswith("_channels"):
                self.assertIn(case["layout"], ("nchw", "ncdhw"), case)
            self.assertEqual(case["c"] % case["groups"], 0, case)
            elements = case["n"] * case["c"] * math.prod(case["spatial"])
            size = elements * random_cases.ELEMENT_BYTES[case["dtype"]]
            self.assertGreater(size, random_cases.LEAST_BYTES / 2, case)
            self.assertLess(size, random_cases.MOST_BYTES * 2, case)


if __name__ == "__main__":
    unittest.main()
