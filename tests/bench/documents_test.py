#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that the documents show what is there: the program, links, files that are named, the version, the licence."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "bench").glob("*.md")]
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
SOURCE_FOLDERS = (".ci", "bench", "cases", "cmake", "examples", "include", "scripts", "src", "tests")
SOURCE_ENDINGS = {".c", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".py", ".sh", ".cmake", ".in", ".map", ".js", ".css",
                  ".yaml", ".yml"}  # Not of tuning_db: what autotune writes is data.
README = (ROOT / "README.md").read_text(encoding="utf-8")


class DocumentsTest(unittest.TestCase):
    def test_the_program_shown_is_the_example(self):
        shown = re.search(r"```cpp\n(.*?)```", README, re.DOTALL)
        self.assertIsNotNone(shown, "README.md shows no program")
        example = (ROOT / "examples" / "group_norm.cpp").read_text(encoding="utf-8")
        self.assertEqual(shown.group(1), example.removeprefix(LICENCE))

    def test_links_lead_somewhere(self):
        for document in DOCUMENTS:
            text = document.read_text(encoding="utf-8")
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
                if "://" in target:
                    continue
                with self.subTest(document=document.name, target=target):
                    self.assertTrue((document.parent / target).exists())

    def test_files_that_contributors_are_sent_to_are_there(self):
        text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        paths = re.findall(r"`((?:bench|cases|cmake|include|scripts|src|tests)/[\w./]+)`", text)
        self.assertGreater(len(paths), 30)
        for path in paths:
            with self.subTest(path=path):
                self.assertTrue((ROOT / path).exists())

    def test_names_that_contributors_look_for_are_in_those_files(self):
        """A name in backticks with its file behind it in brackets."""
        text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        pairs = re.findall(r"`(\w+)(?:\(\))?`(?: call)?\s+\(`([\w./]+)`\)", text)
        self.assertGreater(len(pairs), 6)
        for name, path in pairs:
            with self.subTest(name=name, path=path):
                self.assertRegex((ROOT / path).read_text(encoding="utf-8"), rf"\b{name}\b")

    def test_source_files_begin_with_the_licence(self):
        files = [ROOT / name for name in ("CMakeLists.txt", ".clang-format", ".clang-tidy")]
        files += [path for folder in SOURCE_FOLDERS for path in (ROOT / folder).rglob("*")
                  if path.is_file() and (path.suffix in SOURCE_ENDINGS or path.name == "CMakeLists.txt" or
                                         (not path.suffix and path.read_bytes().startswith(b"#!")))]
        self.assertGreater(len(files), 700)
        for path in files:
            lines = path.read_text(encoding="utf-8").splitlines()[:2]
            first = lines[1:] if lines and lines[0].startswith("#!") else lines
            with self.subTest(path=str(path.relative_to(ROOT))):
                self.assertTrue(first, "an empty file")
                self.assertRegex(first[0], r"^(//|#|/\*) SPDX-License-Identifier: Apache-2\.0( \*/)?$")

    def test_one_version_everywhere(self):
        header = (ROOT / "include" / "fastnorm" / "version.h").read_text(encoding="utf-8")
        version = ".".join(re.search(rf"FASTNORM_VERSION_{part} (\d+)", header).group(1)
                           for part in ("MAJOR", "MINOR", "PATCH"))
        project = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"project\(fastnorm VERSION ([\d.]+)", project).group(1), version)
        released = re.findall(r"^## \[(\d[\d.]*)\] - \d{4}-\d\d-\d\d$",
                              (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(released[0], version)


if __name__ == "__main__":
    unittest.main()
