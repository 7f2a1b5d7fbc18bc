# SPDX-License-Identifier: Apache-2.0
"""Reads files of cases (cases/workloads.yaml says what the fields mean), which have one case a line.

The product's own reader is stricter and takes any YAML; this one serves where there is no YAML library.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Collection, Dict, List, Optional, Tuple, Union

from . import fastnorm_ctypes as fastnorm

FIELD = re.compile(r'\s*(\w+):\s*(\[[^\]]*\]|"[^"]*"|[^,}]*)\s*(?:,|$)')

NAME = re.compile(r"[^/]+")
INTEGER = re.compile(r"-?[0-9]{1,18}")
LIST = re.compile(r"\[[^\[\]]*\]")

OPS = ("group_norm", "instance_norm", "layer_norm", "rms_norm", "layer_norm_channels", "rms_norm_channels",
       "batch_norm", "frobenius_norm", "l1_normalize", "l2_normalize")
FUSED = ("residual", "exact_residual", "centred_gamma", "rounded_normalised", "modulation")
LAYOUTS = ("nchw", "ncdhw", "nhwc", "ndhwc", "rows")
DTYPES = tuple(name.lower() for name in fastnorm.DType.__members__)

# hardtanh is the clamp to [-1, 1].
ACTIVATION_OF = {"hardtanh": "clamp"}
ACTIVATIONS = (*(name.lower() for name in fastnorm.Activation.__members__), *ACTIVATION_OF)


class CaseError(Exception):
    """A file of cases that cannot be read; the message says where."""


@dataclass(frozen=True)
class Case:
    name: str
    op: str
    n: int
    c: int
    spatial: Tuple[int, ...]
    groups: int
    dtype: str
    y_dtype: str
    affine_dtype: str
    channels_last: bool
    affine: bool
    eps: float
    activation: str
    fused: Tuple[str, ...]  # Words of the tuning database's key.


def fields_of(line: str, where: str) -> Dict[str, str]:
    body = re.fullmatch(r"-\s*\{(.*)\}\s*", line)
    if body is None:
        raise CaseError(f"{where}: not a case on one line, - {{name: ..., ...}}")
    fields: Dict[str, str] = {}
    at = 0
    while at < len(body.group(1)):
        field = FIELD.match(body.group(1), at)
        if field is None:
            raise CaseError(f"{where}: not a field: {body.group(1)[at:at + 40]!r}")
        if field.group(1) in fields:
            raise CaseError(f"{where}: {field.group(1)} is there twice")
        fields[field.group(1)] = field.group(2).strip().strip('"')
        at = field.end()
    return fields


def required(fields: Dict[str, str], name: str) -> str:
    if name not in fields:
        raise ValueError(f"{name} is missing")
    return fields[name]


def word(fields: Dict[str, str], name: str, allowed: Collection[str], absent: Optional[str] = None) -> str:
    text = required(fields, name) if absent is None else fields.get(name, absent)
    if text not in allowed:
        raise ValueError(f"{name} is {text!r}; allowed: one of {', '.join(allowed)}")
    return text


def integer(name: str, text: str, least: int) -> int:
    if not INTEGER.fullmatch(text) or int(text) < least:
        raise ValueError(f"{name} is {text!r}; allowed: an integer from {least}")
    return int(text)


def extents(text: str) -> Tuple[int, ...]:
    if not LIST.fullmatch(text):
        raise ValueError(f"spatial is {text!r}; allowed: a list of integers from 1")
    return tuple(integer("spatial", extent.strip(), 1) for extent in text[1:-1].split(",") if extent.strip())


def fused_words(text: str) -> Tuple[str, ...]:
    words = () if text == "none" else tuple(text.split())
    for unknown in set(words) - set(FUSED):
        raise ValueError(f"fused has {unknown!r}; allowed: none, or of {', '.join(FUSED)}")
    return words


def epsilon(text: str) -> float:
    try:
        eps = float(text)
    except ValueError:
        eps = math.nan
    if not 0 <= eps < math.inf:
        raise ValueError(f"eps is {text!r}; allowed: a number from 0")
    return eps


def case_of(fields: Dict[str, str], where: str) -> Case:
    try:
        name = required(fields, "name")
        if not NAME.fullmatch(name):
            raise ValueError(f"name is {name!r}; allowed: a text without /")
        op = word(fields, "op", OPS)
        activation = word(fields, "activation", ACTIVATIONS, absent="none")
        dtype = word(fields, "dtype", DTYPES)
        return Case(name=name, op=op,
                    n=integer("n", required(fields, "n"), 1), c=integer("c", required(fields, "c"), 1),
                    spatial=extents(required(fields, "spatial")),
                    groups=integer("groups", required(fields, "groups"), 0),
                    dtype=dtype,
                    y_dtype=word(fields, "y_dtype", DTYPES, absent=dtype),
                    affine_dtype=word(fields, "affine_dtype", DTYPES, absent=dtype),
                    channels_last=word(fields, "layout", LAYOUTS) in ("nhwc", "ndhwc"),
                    affine=word(fields, "affine", ("true", "false"),
                                absent="false" if op == "instance_norm" else "true") == "true",
                    eps=epsilon(fields.get("eps", "1e-5")),
                    activation=ACTIVATION_OF.get(activation, activation),
                    fused=fused_words(fields.get("fused", "none")))
    except ValueError as error:
        raise CaseError(f"{where}: {error}") from error


def read_cases(path: Union[str, Path]) -> List[Case]:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise CaseError(f"{path}: not text in UTF-8: {error}") from error
    cases: Dict[str, Case] = {}
    line_of: Dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        case = case_of(fields_of(line, f"{path}:{number}"), f"{path}:{number}")
        if case.name in cases:
            raise CaseError(f"{path}:{number}: case {case.name} is in line {line_of[case.name]}, too")
        cases[case.name], line_of[case.name] = case, number
    if not cases:
        raise CaseError(f"{path}: no cases")
    return list(cases.values())
