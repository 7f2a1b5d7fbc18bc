# SPDX-License-Identifier: Apache-2.0
"""The command line of compare.py."""

import argparse
import sys
from pathlib import Path
from typing import Callable, List, Optional, Tuple

from . import words
from .markdown import markdown
from .model import Comparison, NothingUsable, compare
from .table_of_values import comma_separated
from .verdicts import FLOOR

FINE, REGRESSION, UNUSABLE = 0, 1, 2

ABOUT = """Puts measured results beside each other: files of fastnorm-bench from one machine or several,
from different builds or commits."""
STATUSES = """exit status: 0 all is well; 1 a case got slower than in the baseline, beyond noise, or fails now;
2 wrong usage, or nothing usable: no measurement at all, or none to hold against the baseline. What is wrong
with a file is said on standard error, and the rest is still reported."""


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="compare.py", description=ABOUT, epilog=STATUSES)
    found.add_argument("results", nargs="*", metavar="[LABEL=]FILE",
                       help="a result file, a folder of them, or a file of other libraries' times")
    found.add_argument("--baseline", metavar="[LABEL=]FILE",
                       help="what was before: every other file is judged against it")
    found.add_argument("--backend", action="append", default=[], metavar="NAME",
                       help="only this back end or library; may be repeated")
    found.add_argument("--floor", type=float, default=FLOOR, metavar="SHARE",
                       help="a change of less is never one (default: %(default)s)")
    found.add_argument("--html", type=Path, metavar="FILE", help="one page; needs matplotlib")
    found.add_argument("--markdown", type=Path, metavar="FILE",
                       help="also what is printed where no file is asked for")
    found.add_argument("--csv", type=Path, metavar="FILE", help="a line for each measurement")
    return found


def page(comparison: Comparison) -> str:
    from .page import page as written  # Only a page needs matplotlib.
    return written(comparison)


def write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def status_of(comparison: Comparison) -> int:
    if comparison.judgement is None:
        return FINE
    if comparison.judgement.regressed:
        return REGRESSION
    return FINE if comparison.judgement.judged else UNUSABLE


def main(arguments: Optional[List[str]] = None) -> int:
    options = parser().parse_args(arguments)
    if not options.results:
        parser().error("no result file")
    if not 0 <= options.floor < 1:
        parser().error(f"--floor is {options.floor:g}; it is a share from 0 to 1")
    outputs: List[Tuple[Path, Callable[[Comparison], str]]] = [
        (path, written) for path, written in ((options.html, page), (options.markdown, markdown),
                                              (options.csv, comma_separated)) if path]
    try:
        comparison = compare(options.baseline, options.results, options.backend, options.floor)
        for message in comparison.messages:
            print(f"compare.py: {message}", file=sys.stderr)
        for path, written in outputs:
            write(path, written(comparison))
    except NothingUsable as error:
        for message in str(error).splitlines():
            print(f"compare.py: {message}", file=sys.stderr)
        return UNUSABLE
    except ImportError as error:
        print(f"compare.py: --html needs matplotlib (Debian: python3-matplotlib): {error}", file=sys.stderr)
        return UNUSABLE
    except OSError as error:
        print(f"compare.py: {error.filename}: {error.strerror}", file=sys.stderr)
        return UNUSABLE
    if not outputs:
        print(markdown(comparison), end="")
    if comparison.judgement:
        print(f"compare.py: {words.verdict(comparison.judgement)}", file=sys.stderr)
        if not comparison.judgement.judged:
            print("compare.py: nothing could be held against the baseline", file=sys.stderr)
    return status_of(comparison)
