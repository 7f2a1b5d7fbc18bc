# SPDX-License-Identifier: Apache-2.0
"""Reads files of cases (cases/workloads.yaml says what the fields mean), which have one case a line.

The product's own reader is stricter and takes any YAML; this one serves where there is no YAML library.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Tuple, Union

FIELD = re.compile(r'\s*(\w+):\s*(\[[^\]]*\]|"[^"]*"|[^,}]*)\s*(?:,|$)')

# hardtanh is the clamp to [-1, 1].
ACTIVATIONS = {"hardtanh": "clamp"}


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
        fields[field.group(1)] = field.group(2).strip().strip('"')
        at = field.end()
    return fields


def case_of(fields: Dict[str, str], where: str) -> Case:
    try:
        activation = fields.get("activation", "none")
        affine = fields.get("affine", "false" if fields["op"] == "instance_norm" else "true")
        return Case(name=fields["name"], op=fields["op"], n=int(fields["n"]), c=int(fields["c"]),
                    spatial=tuple(int(extent) for extent in re.findall(r"\d+", fields["spatial"])),
                    groups=int(fields["groups"]),
                    dtype=fields["dtype"],
                    y_dtype=fields.get("y_dtype", fields["dtype"]),
                    affine_dtype=fields.get("affine_dtype", fields["dtype"]),
                    channels_last=fields["layout"] in ("nhwc", "ndhwc"),
                    affine=affine == "true",
                    eps=float(fields.get("eps", "1e-5")),
                    activation=ACTIVATIONS.get(activation, activation),
                    fused=tuple(word for word in fields.get("fused", "none").split() if word != "none"))
    except (KeyError, ValueError) as error:
        raise CaseError(f"{where}: {type(error).__name__}: {error}") from error


def read_cases(path: Union[str, Path]) -> List[Case]:
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    cases = [case_of(fields_of(line, f"{path}:{number}"), f"{path}:{number}")
             for number, line in enumerate(lines, start=1)
             if line.strip() and not line.startswith("#")]
    if not cases:
        raise CaseError(f"{path}: no cases")
    return cases
