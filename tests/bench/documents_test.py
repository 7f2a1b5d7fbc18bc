#!/usr/bin/env python3
"""Tests that the documents show what is there: the program is the example, and links lead somewhere."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


class DocumentsTest(unittest.TestCase):
    def test_the_program_shown_is_the_example(self):
        shown = re.search(r"```cpp\n(.*?)```", README, re.DOTALL)
        self.assertIsNotNone(shown, "README.md shows no program")
        example = (ROOT / "examples" / "group_norm.cpp").read_text(encoding="utf-8")
        self.assertEqual(shown.group(1), example)

    def test_links_lead_somewhere(self):
        for document in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
            text = document.read_text(encoding="utf-8")
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
                if "://" in target:
                    continue
                with self.subTest(document=document.name, target=target):
                    self.assertTrue((document.parent / target).exists())


if __name__ == "__main__":
    unittest.main()
