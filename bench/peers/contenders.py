# SPDX-License-Identifier: Apache-2.0
"""What is timed: each contender turns a problem and its tensors into a call."""

from dataclasses import dataclass
from typing import Callable, Dict

from .problem import Problem


@dataclass
class Call:
    run: Callable[[], object]  # Enqueues the work (on a host: does it) and gives y.
    label: str  # What runs.


class Contender:
    """`name` is the last part of a measurement's name; `versions` what the result's context says of it."""

    name = ""

    def versions(self) -> Dict[str, str]:
        return {}

    def prepare(self, problem: Problem, tensors) -> Call:
        """Raises Unsupported, with the reason, for what it does not offer."""
        raise NotImplementedError
