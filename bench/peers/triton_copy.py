# SPDX-License-Identifier: Apache-2.0
"""Copies in Triton, each program of which has one part of the tensor: src/measure/cuda_copies.cu's shapes."""

from functools import partial
from typing import Callable, List

import torch
import triton
import triton.language as tl

# 32-bit words of a program, and its warps.
SHAPES = ((1024, 8), (2048, 8), (4096, 8), (2048, 16), (4096, 16), (8192, 16))


@triton.jit
def copy_part(target, source, count, PART: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * PART + tl.arange(0, PART)
    tl.store(target + at, tl.load(source + at, mask=at < count), mask=at < count)


def ways(source: torch.Tensor, target: torch.Tensor) -> List[Callable[[], object]]:
    count = source.numel()
    return [partial(copy_part[(triton.cdiv(count, part),)], target, source, count, PART=part, num_warps=warps)
            for part, warps in SHAPES]
