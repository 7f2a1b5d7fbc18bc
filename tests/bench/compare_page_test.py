#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the page that bench/compare.py writes, in a headless Chromium.

The exit status is 77 where there is no matplotlib or no browser: CTest shows that as skipped. CHROMIUM
names another browser than the one on PATH.
"""

import importlib.util
import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

sys.dont_write_bytecode = True  # No __pycache__ in the source tree.
import browser
from result_files import many, measurement, write

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "compare.py"
SKIPPED = 77
LOOKS = [(width, height, scheme) for width, height in ((1280, 900), (390, 844))
         for scheme in ("light", "dark")]
LUMINANCE = """(selector, property) => {
  const rgb = getComputedStyle(document.querySelector(selector))[property].match(/[\\d.]+/g);
  const [r, g, b] = rgb.slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}"""


def compare(*arguments, **environment) -> int:
    run = subprocess.run([sys.executable, str(SCRIPT), *map(str, arguments)], capture_output=True,
                         text=True, check=False, env={**os.environ, **environment})
    if run.returncode not in (0, 1):
        raise AssertionError(run.stderr)
    return run.returncode


def four_back_ends(folder: Path):
    """132 cases on each, before and after: the after has one case that is much slower."""
    gpu = {"device": "Some GPU", "fastnorm": "0.1.0", "copy_gb_s": "4000", "method": "made up"}
    after = many("cuda", 132, 1.0)
    after[20]["real_time"] *= 1.5
    after[20]["bytes_per_second"] /= 1.5
    return [write(folder / "before.json", many("cuda", 132, 1.0), **gpu),
            write(folder / "after.json", after, **gpu),
            write(folder / "kokkos.json", many("kokkos-cuda", 132, 1.3), **gpu),
            write(folder / "cpu.json", many("kokkos-host", 132, 9.0), host="Some CPU", fastnorm="0.1.0")]


class Outline(HTMLParser):
    """What a page refers to, and the ids that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.ids, self.references, self.tags = [], [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "srcset", "action", "data", "xlink:href", "clip-path"):
                self.references.append(re.sub(r"^url\((.*)\)$", r"\1", value))


class FileTest(unittest.TestCase):
    """What can be seen of the page without a browser."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = Path(cls.folder.name)
        cls.files = four_back_ends(folder)
        cls.page = folder / "page.html"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        compare("--baseline", *cls.files, "--html", cls.page, "--markdown", folder / "page.md", "--csv",
                folder / "page.csv")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cls.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_four_back_ends_of_132_cases_are_small_and_quick(self):
        self.assertLessEqual(self.page.stat().st_size, 3 * 2**20)
        # Of its own: wall time would be that of the neighbours, too.
        self.assertLessEqual(self.seconds, 10)

    def test_the_same_input_makes_the_same_page(self):
        for seed in ("1", "2"):
            again = self.page.with_name("again.html")
            compare("--baseline", *self.files, "--html", again, PYTHONHASHSEED=seed)
            self.assertEqual(again.read_bytes(), self.page.read_bytes())

    def test_nothing_is_referred_to_that_is_not_in_the_page(self):
        text = self.page.read_text(encoding="utf-8")
        outline = Outline()
        outline.feed(text)
        self.assertEqual(len(outline.ids), len(set(outline.ids)), "an id twice")
        self.assertGreater(len(outline.references), 100)
        for reference in outline.references:
            self.assertIn(reference[1:], outline.ids, reference)
            self.assertEqual(reference[0], "#")
        self.assertFalse(outline.tags & {"link", "img", "iframe", "image", "object", "embed"})
        self.assertNotRegex(text, r"@import|url\((?!#)")

    def test_plots_leave_colours_fonts_and_style_to_the_page(self):
        text = self.page.read_text(encoding="utf-8")
        drawings = re.findall(r'<svg [^>]*class="plot.*?</svg>', text, re.DOTALL)
        self.assertEqual(len(drawings), 6)
        for drawing in drawings:
            self.assertNotRegex(drawing, r"(fill|stroke): ?#|font-family|DejaVu|<style")

    def test_what_files_say_is_text_and_never_markup(self):
        file = write(self.page.with_name("f.json"), [
            measurement("<script>alert(1)</script>", 10.0),
            {**measurement("b", 1.0), "label": '"><img src=x>'}], device="<i>GPU</i> & co")
        page = self.page.with_name("f.html")
        compare(file, "--html", page)
        outline = Outline()
        outline.feed(page.read_text(encoding="utf-8"))
        self.assertFalse(outline.tags & {"img", "i"})
        self.assertIn("&lt;i&gt;GPU&lt;/i&gt; &amp; co", page.read_text(encoding="utf-8"))
        self.assertEqual(page.read_text(encoding="utf-8").count("<script"), 1)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = Path(cls.folder.name)
        cls.page = folder / "page.html"
        assert compare("--baseline", *four_back_ends(folder), "--html", cls.page) == 1
        cls.browser = browser.Browser(browser.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def open(self, width=1280, height=900, scheme="light", page=None):
        self.browser.look(width, height, scheme)
        self.browser.open(page or self.page)

    def js(self, expression):
        return self.browser.evaluate(expression)

    def column(self, at, table="cases"):
        return self.js(f"Array.from(document.getElementById('table-{table}').tBodies[0].rows, "
                       f"row => row.cells[{at}].textContent)")

    @staticmethod
    def headers(table):
        return f"Array.from(document.getElementById('table-{table}').tHead.rows).at(-1).cells"

    def header(self, text, table="cases"):
        return self.js(f"Array.from({self.headers(table)}).findIndex(cell => cell.textContent === '{text}')")

    def click(self, at, table="cases"):
        self.js(f"{self.headers(table)}[{at}].querySelector('button').click()")

    def test_loads_in_every_look_without_errors_and_without_the_network(self):
        for look in LOOKS:
            with self.subTest(look=look):
                self.open(*look)
                self.assertEqual(self.browser.problems, [])
                self.assertEqual(self.js("document.querySelectorAll('h1').length"), 1)

    def test_an_error_on_a_page_would_be_seen(self):
        for text, seen in (("<script>nonsense()</script>", "nonsense"),
                           ("<img src='http://127.0.0.1:9/x.png'>", "asked for")):
            page = self.page.with_name("bad.html")
            page.write_text(f"<!DOCTYPE html><body>{text}")
            self.open(page=page)
            self.assertIn(seen, " ".join(self.browser.problems))

    def test_plots_are_there_with_a_mark_for_each_measurement(self):
        for width, shown, marks in ((1280, "wide", 132 * 4), (390, "narrow", 132 * 4)):
            self.open(width)
            sizes = self.js("Array.from(document.querySelectorAll('svg.plot'), plot => ({"
                            "name: plot.getAttribute('class'), width: plot.getBoundingClientRect().width, "
                            "height: plot.getBoundingClientRect().height}))")
            self.assertEqual(len(sizes), 6)
            for size in sizes:
                if shown in size["name"]:
                    self.assertGreater(size["width"], 0.7 * min(width, 1100))
                    self.assertGreater(size["height"], 200)
                else:
                    self.assertEqual(size["width"], 0)
            drawn = self.js(f"document.querySelectorAll('#copy svg.{shown} [id*=\"points-\"] use').length")
            self.assertEqual(drawn, marks)

    def test_a_click_sorts_by_number_then_the_other_way_with_blanks_last(self):
        self.open()
        at = self.header("MiB")
        self.click(at)
        sizes = [float(text) for text in self.column(at)]
        self.assertEqual(sizes, sorted(sizes))
        self.assertEqual(len(sizes), 132)
        self.click(at)
        self.assertEqual([float(text) for text in self.column(at)], sorted(sizes, reverse=True))
        self.assertEqual(self.js("document.querySelectorAll('#table-cases [aria-sort]').length"), 1)
        self.assertEqual(self.js("document.querySelector('#table-cases [aria-sort]').ariaSort"), "descending")

        over = self.header("speed-up over before: cuda", "summary")
        for _ in range(2):
            self.click(over, "summary")
            column = self.column(over, "summary")
            blanks = column.count("-")
            self.assertGreater(blanks, 0)
            self.assertEqual(column[-blanks:], ["-"] * blanks)

    def test_names_sort_as_texts_and_by_keyboard(self):
        self.open()
        before = self.column(0)
        self.js("document.querySelector('#table-cases thead button').focus()")
        self.browser.press("Enter", 13, "\r")
        self.assertNotEqual(self.column(0), before)
        self.assertEqual(self.column(0), sorted(before))
        self.browser.press(" ", 32, " ")
        self.assertEqual(self.column(0), sorted(before, reverse=True))

    def test_the_filter_hides_rows_and_counts_them(self):
        self.open()
        self.js("(() => { const input = document.querySelector('input[data-filters=table-cases]');"
                "input.value = 'RANDOM _00'; input.dispatchEvent(new Event('input')); })()")
        shown = self.js("Array.from(document.getElementById('table-cases').tBodies[0].rows)"
                        ".filter(row => row.offsetHeight > 0).map(row => row.cells[0].textContent)")
        self.assertGreater(len(shown), 1)
        self.assertTrue(all("random_00" in name for name in shown), shown)
        self.assertEqual(self.js("document.querySelector('input[data-filters=table-cases]').closest('p')"
                                 ".querySelector('output').textContent"), f"{len(shown)} of 132 rows")

    def test_text_and_marks_stand_out_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            self.open(scheme=scheme)
            page = self.js(f"({LUMINANCE})('body', 'backgroundColor')")
            self.assertEqual(page > 0.5, scheme == "light")
            for selector, of, least in (("body", "color", 7), ("small", "color", 4.5), ("nav a", "color", 4.5),
                                        ("#copy svg.wide text", "fill", 4.5),
                                        ("#copy svg.wide [id*='points-0'] use", "fill", 3),
                                        ("#copy svg.wide [id*='points-1'] use", "fill", 3),
                                        ("#copy svg.wide [id*='points-2'] use", "fill", 3),
                                        ("#copy svg.wide [id*='points-3'] use", "fill", 3),
                                        (".worse", "color", 4.5)):
                with self.subTest(scheme=scheme, selector=selector):
                    mark = self.js(f"({LUMINANCE})({selector!r}, {of!r})")
                    high, low = max(mark, page), min(mark, page)
                    self.assertGreaterEqual((high + 0.05) / (low + 0.05), least)

    def test_on_a_phone_tables_scroll_in_themselves_and_the_page_does_not(self):
        self.open(390, 844)
        self.assertEqual(self.js("document.documentElement.scrollWidth"), 390)
        self.assertTrue(self.js("Array.from(document.querySelectorAll('.scroll'))"
                                ".some(region => region.scrollWidth > region.clientWidth)"))
        for look in LOOKS:
            self.open(*look)
            self.assertTrue(self.js("Array.from(document.querySelectorAll('.scroll')).every("
                                    "region => region.tabIndex === 0 && region.ariaLabel)"))

    def test_the_regression_is_listed_first_of_all(self):
        self.open()
        self.assertIn("1 regression,", self.js("document.querySelector('.banner').textContent"))
        self.assertEqual(self.js("document.getElementById('table-regressions').tBodies[0].rows.length"), 1)


if __name__ == "__main__":
    if importlib.util.find_spec("matplotlib") is None:
        print(f"skipped: {sys.executable} has no matplotlib (Debian: python3-matplotlib)")
        sys.exit(SKIPPED)
    if browser.find() is None:
        print("without a browser (Debian: chromium) only the file is looked at")
        result = unittest.main(defaultTest="FileTest", exit=False).result
        sys.exit(SKIPPED if result.wasSuccessful() else 1)
    unittest.main()
