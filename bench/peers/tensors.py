# SPDX-License-Identifier: Apache-2.0
"""A problem's tensors in PyTorch, with random values."""

from dataclasses import dataclass
from typing import Optional

import torch

from .problem import Problem

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64}


@dataclass
class Tensors:
    """None is what the problem has not. y is for contenders that write where they are told."""

    x: torch.Tensor
    y: torch.Tensor
    gamma: Optional[torch.Tensor]
    beta: Optional[torch.Tensor]
    residual: Optional[torch.Tensor]
    scale: Optional[torch.Tensor]  # [N, *affine_shape], and so is shift.
    shift: Optional[torch.Tensor]


def empty_like_x(problem: Problem, dtype: str, device: torch.device) -> torch.Tensor:
    case = problem.case
    if not case.channels_last:
        return torch.empty(problem.shape, dtype=DTYPES[dtype], device=device)
    in_memory = (case.n, *case.spatial, case.c)
    return torch.empty(in_memory, dtype=DTYPES[dtype], device=device).movedim(-1, 1)


def make_tensors(problem: Problem, device: torch.device, seed: int = 1) -> Tensors:
    generator = torch.Generator(device).manual_seed(seed)
    case = problem.case

    def random(shape, dtype) -> torch.Tensor:
        values = torch.empty(shape, dtype=torch.float32, device=device)
        return values.uniform_(-0.5, 0.5, generator=generator).to(DTYPES[dtype])

    def like_x() -> torch.Tensor:
        # Samples and channels differ in their means: with identically distributed elements a neighbour's
        # statistics would be close to right, too.
        x = empty_like_x(problem, case.dtype, device).normal_(generator=generator)
        ones = (1,) * len(case.spatial)
        x.add_(random((case.n, 1, *ones), case.dtype))
        return x.add_(random((1, case.c, *ones), case.dtype))

    affine = problem.affine_shape
    centre = 0.0 if "centred_gamma" in case.fused else 1.0
    modulation = (case.n, *affine)
    return Tensors(
        x=like_x(),
        y=empty_like_x(problem, case.y_dtype, device),
        gamma=random(affine, case.affine_dtype) + centre if case.affine else None,
        beta=random(affine, case.affine_dtype) if problem.has_beta else None,
        residual=like_x() if problem.residual else None,
        scale=random(modulation, case.affine_dtype) if problem.modulation else None,
        shift=random(modulation, case.affine_dtype) if problem.modulation else None)
