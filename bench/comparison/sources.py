# SPDX-License-Identifier: Apache-2.0
"""What is compared: each argument is a source, and each back end in it a series of cases."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from beside import is_peer
from measurements import Row, measurement_files

from .machine import Machine


@dataclass
class File:
    path: Path
    context: dict
    others_us: Dict[str, Dict[str, float]] = field(default_factory=dict)  # By case, then by library.


@dataclass(eq=False)
class Series:
    """One back end of one source: what stands in a column."""

    source: "Source"
    backend: str
    rows: Dict[str, Row] = field(default_factory=dict)  # By case.
    failures: Dict[str, str] = field(default_factory=dict)  # Messages by case.
    machine: Optional[Machine] = None
    name: str = ""  # Its own among all that are compared.
    is_ours: bool = True  # Else another library's, which is shown and not judged.


@dataclass(eq=False)
class Source:
    """One argument: a file, or all files of a folder."""

    path: Path
    label: str
    given: Optional[str] = None  # The label, where the user named one.
    files: List[File] = field(default_factory=list)
    series: Dict[str, Series] = field(default_factory=dict)  # By back end.

    def of(self, backend: str) -> Series:
        return self.series.setdefault(backend, Series(self, backend, is_ours=not is_peer(backend)))

    def paths(self) -> List[Path]:
        return measurement_files(self.path) if self.path.is_dir() else [self.path]


def split_label(argument: str) -> Tuple[Optional[str], Path]:
    """`LABEL=PATH` or `PATH`; a path that there is may hold a `=`."""
    label, separator, path = argument.partition("=")
    if not separator or not label or Path(argument).exists():
        return None, Path(argument)
    return label, Path(path)


def named_parts(path: Path) -> Tuple[str, ...]:
    """What a label is made of. `.` and `..` say nothing; what they lead to does."""
    of = path if path.name not in ("", "..") else path.resolve()
    return (of.with_suffix("") if of.suffix == ".json" and not of.is_dir() else of).parts


def short_labels(paths: List[Path]) -> List[str]:
    """The shortest ends of the paths that tell them apart."""
    parts = [named_parts(path) for path in paths]
    for length in range(1, max(map(len, parts), default=0) + 1):
        labels = ["/".join(of[-length:]) for of in parts]
        if len(set(labels)) == len(labels):
            return labels
    return [str(path) for path in paths]


def is_same_path(argument: str, other: str) -> bool:
    return split_label(argument)[1].resolve() == split_label(other)[1].resolve()


def sources_of(arguments: List[str]) -> List[Source]:
    """Not read yet. What is named twice is there once."""
    given: Dict[Path, Tuple[Optional[str], Path]] = {}
    for argument in arguments:
        label, path = split_label(argument)
        given.setdefault(path.resolve(), (label, path))
    named = list(given.values())
    short = short_labels([path for _, path in named])
    return [Source(path, label or default, label) for (label, path), default in zip(named, short)]


def name_series(series: List[Series]) -> None:
    """As the user says. Otherwise by back end where that says which, by source where there is one back
    end, and by both where neither does."""
    backends = [of.backend for of in series]
    for of in series:
        alone = sum(other.source is of.source for other in series) == 1
        if backends.count(of.backend) == 1 and not of.source.given:
            of.name = of.backend
        elif len(set(backends)) == 1 or (of.source.given and alone):
            of.name = of.source.label
        else:
            of.name = f"{of.source.label}: {of.backend}"
