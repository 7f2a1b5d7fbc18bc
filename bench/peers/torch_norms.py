# SPDX-License-Identifier: Apache-2.0
"""PyTorch: its own functions as they stand, and the same compiled."""

import functools
from typing import Callable, Dict, Optional

import torch

from . import fastnorm_ctypes as fastnorm
from .contenders import Call, Contender
from .problem import Problem
from .reference import activated
from .tensors import DTYPES, Tensors

Function = Callable[..., torch.Tensor]


def over_channels_of_images(problem: Problem, x: torch.Tensor) -> torch.Tensor:
    """As the models write it that have such norms (SAM, ConvNeXt, Wan): PyTorch has no function for it."""
    eps = problem.case.eps
    wide = x if x.dtype == torch.float64 else x.float()
    if problem.has_mean:
        wide = wide - wide.mean(1, keepdim=True)
    return (wide * torch.rsqrt(wide.square().mean(1, keepdim=True) + eps)).to(x.dtype)


def normalized(problem: Problem, x: torch.Tensor, gamma: Optional[torch.Tensor],
               beta: Optional[torch.Tensor]) -> torch.Tensor:
    functional = torch.nn.functional
    case = problem.case
    if problem.op == fastnorm.Op.GROUP_NORM:
        return functional.group_norm(x, case.groups, gamma, beta, case.eps)
    if problem.op == fastnorm.Op.INSTANCE_NORM:
        return functional.instance_norm(x, weight=gamma, bias=beta, eps=case.eps)
    rows = x.movedim(1, -1) if problem.over_channels else x
    if problem.has_mean:
        y = functional.layer_norm(rows, problem.affine_shape, gamma, beta, case.eps)
    else:
        y = functional.rms_norm(rows, problem.affine_shape, gamma, case.eps)
    return y.movedim(-1, 1) if problem.over_channels else y


def call_of(problem: Problem) -> Function:
    """What the case does, in PyTorch's own words: f(x, gamma, beta, residual, scale, shift)."""
    case = problem.case
    ones = (1,) * len(case.spatial)
    images = problem.over_channels and not case.channels_last
    apart = images or case.affine_dtype != case.dtype or "rounded_normalised" in case.fused

    def per_channel(tensor: torch.Tensor, samples: int) -> torch.Tensor:
        if problem.by_group or problem.over_channels:
            return tensor.reshape(samples, case.c, *ones)
        return tensor.reshape(samples, *problem.affine_shape)

    def function(x, gamma, beta, residual, scale, shift):
        if residual is not None:
            wide = "exact_residual" in case.fused and case.dtype != "f64"
            x = x.float() + residual.float() if wide else x + residual
        if gamma is not None and "centred_gamma" in case.fused:
            gamma = 1 + gamma
        if not apart:
            v = normalized(problem, x, gamma, beta)
        else:
            v = over_channels_of_images(problem, x) if images else normalized(problem, x, None, None)
            if gamma is not None:
                v = v * per_channel(gamma, 1)
            if beta is not None:
                v = v + per_channel(beta, 1)
        if scale is not None:
            v = v * (1 + per_channel(scale, case.n)) + per_channel(shift, case.n)
        return activated(case.activation, v).to(DTYPES[case.y_dtype])

    return function


def arguments_of(tensors: Tensors):
    return (tensors.x, tensors.gamma, tensors.beta, tensors.residual, tensors.scale, tensors.shift)


class Eager(Contender):
    def __init__(self, suffix: str) -> None:
        self.name = "torch-eager" + suffix

    def versions(self) -> Dict[str, str]:
        return {"torch": torch.__version__}

    def prepare(self, problem: Problem, tensors: Tensors) -> Call:
        return Call(functools.partial(call_of(problem), *arguments_of(tensors)),
                    f"PyTorch {torch.__version__} eager")


def inductor_options(x: torch.Tensor) -> Optional[Dict[str, int]]:
    """On a host, the number of threads. It is part of the code that is compiled, which the compiler keeps in a folder
    for later processes; and unless it is told, not of what that code is found again by."""
    return {"cpp.threads": torch.get_num_threads()} if x.device.type == "cpu" else None


class Compiled(Contender):
    def __init__(self, suffix: str) -> None:
        self.name = "torch-compile" + suffix

    def prepare(self, problem: Problem, tensors: Tensors) -> Call:
        torch.compiler.reset()  # Each case is its first, and none is generalised to be another's.
        compiled = torch.compile(call_of(problem), dynamic=False, fullgraph=True,
                                 options=inductor_options(tensors.x))
        return Call(functools.partial(compiled, *arguments_of(tensors)),
                    f"torch.compile of PyTorch {torch.__version__}")
