# SPDX-License-Identifier: Apache-2.0
"""The command line of compare.py."""

import argparse
import os
import sys
from pathlib import Path
from typing import Callable, Dict, List, NoReturn, Optional

from measurements import one_line
from whole_file import write_whole

from . import words
from .markdown import markdown
from .model import Comparison, NothingUsable, compare
from .sources import sources_of
from .table_of_values import comma_separated
from .verdicts import FLOOR

FINE, FAILURE, UNUSABLE = 0, 1, 2

ABOUT = """Puts measured results beside each other: files of fastnorm-bench from one machine or several,
from different builds or commits."""
STATUSES = """exit status: 0 all is well; 1 a case got slower than in the baseline, beyond noise, or fails now,
or with --strict something could not be compared; 2 wrong usage, an unexpected error, or nothing usable: no
measurement at all, or none to hold against the baseline. What is wrong with a file is said on standard error,
and the rest is still reported."""


def write_error(text: str) -> None:
    """On standard error, where it is open and somebody takes it. Otherwise the status has to do, and is not
    Python's for an error of its own: that one would look like a regression."""
    if sys.stderr is None:
        return
    try:
        print(text, end="", file=sys.stderr, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())  # Or Python's last flush fails, too.


def say(message: str) -> None:
    write_error(f"compare.py: {one_line(message)}\n")


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        write_error(f"{self.format_usage()}{self.prog}: error: {message}\n")
        sys.exit(UNUSABLE)


def parser() -> Parser:
    found = Parser(prog="compare.py", description=ABOUT, epilog=STATUSES)
    found.add_argument("results", nargs="*", metavar="[LABEL=]FILE",
                       help="a result file, a folder of them, or a file of other libraries' times")
    found.add_argument("--baseline", metavar="[LABEL=]FILE",
                       help="what was before: every other file is judged against it")
    found.add_argument("--backend", action="append", default=[], metavar="NAME",
                       help="only this back end or library; may be repeated")
    found.add_argument("--floor", type=float, default=FLOOR, metavar="SHARE",
                       help="a change of less is never one (default: %(default)s)")
    found.add_argument("--strict", action="store_true",
                       help="fail, with status 1, also where a file could not be read (wholly), and where a case or "
                       "a back end of the baseline is missing or could not be judged for its machine")
    found.add_argument("--html", type=Path, metavar="FILE", help="one page; needs matplotlib")
    found.add_argument("--markdown", type=Path, metavar="FILE",
                       help="also what is printed where no file is asked for")
    found.add_argument("--csv", type=Path, metavar="FILE", help="a line for each measurement")
    return found


def page(comparison: Comparison) -> str:
    from .page import page as written  # Only a page needs matplotlib.
    return written(comparison)


def show(text: str) -> None:
    """On standard output, in whatever encoding that has."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), end="", flush=True)


def status_of(comparison: Comparison) -> int:
    judgement = comparison.judgement
    if judgement and judgement.regressed:
        return FAILURE
    return FINE if judgement is None or judgement.judged else UNUSABLE


def strict_status_of(comparison: Comparison) -> int:
    """What could not be compared might have got slower."""
    judgement = comparison.judgement
    if comparison.damaged or (judgement and not judgement.complete):
        return FAILURE
    return status_of(comparison)


def report(options: argparse.Namespace) -> int:
    comparison = compare(options.baseline, options.results, options.backend, options.floor)
    for message in comparison.messages:
        say(message)
    writers: Dict[str, Callable[[Comparison], str]] = {"--html": page, "--markdown": markdown,
                                                       "--csv": comma_separated}
    texts = [(path, writers[option](comparison)) for option, path in outputs_of(options).items()]
    for path, text in texts:
        write_whole(path, text.encode("utf-8", "backslashreplace"))  # A file's name need not be text.
    if not texts:
        show(markdown(comparison))
    if comparison.judgement:
        say(words.verdict(comparison.judgement))
        if not comparison.judgement.judged:
            say("nothing could be held against the baseline")
    if options.strict and comparison.damaged:
        say(f"--strict: not read, or not wholly: {', '.join(map(str, comparison.damaged))}")
    return strict_status_of(comparison) if options.strict else status_of(comparison)


def outputs_of(options: argparse.Namespace) -> Dict[str, Path]:
    """By option."""
    given = {"--html": options.html, "--markdown": options.markdown, "--csv": options.csv}
    return {option: path for option, path in given.items() if path}


def lost_by_writing(options: argparse.Namespace) -> Optional[str]:
    """What an output would replace that is read, or written by another option."""
    arguments = [*filter(None, [options.baseline]), *options.results]
    read = {path.resolve() for source in sources_of(arguments) for path in source.paths()}
    written: Dict[Path, str] = {}
    for option, path in outputs_of(options).items():
        target = path.resolve()
        if target in read:
            return f"{option} {path} is one of the files to compare; give it another name"
        if target in written:
            return f"{option} {path} is the file of {written[target]}, too; give each its own"
        written[target] = option
    return None


def main(arguments: Optional[List[str]] = None) -> int:
    """An error that nobody thought of must not look like a regression, as Python's own status would."""
    options = parser().parse_args(arguments)
    if not options.results:
        parser().error("no result file")
    if not 0 <= options.floor < 1:
        parser().error(f"--floor is {options.floor:g}; it is a share from 0 to 1")
    try:
        lost = lost_by_writing(options)
        if lost is not None:
            parser().error(one_line(lost))
        return report(options)
    except NothingUsable as error:
        for message in error.args:
            say(message)
    except ImportError as error:
        say(f"--html needs matplotlib (Debian: python3-matplotlib): {error}")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Or Python's last flush fails, too.
        say("whoever read standard output has left")
    except OSError as error:
        say(f"{error.filename or 'standard output'}: {error.strerror}")
    except Exception as error:
        say(f"unexpected error: {type(error).__name__}: {error}")
    return UNUSABLE
