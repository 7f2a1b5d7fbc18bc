# SPDX-License-Identifier: Apache-2.0
"""Compares a result with the formula of include/fastnorm/norm_desc.hpp in fp64.

The tolerances are those by which fastnorm-bench verifies (src/measure/reference.hpp).
"""

from dataclasses import dataclass
from typing import Iterator, Tuple

import torch

from .problem import Problem
from .tensors import DTYPES, Tensors

# Elements in fp64 at a time, or a row where that has more; and how many tensors of them there are.
PIECE = 1 << 24
HELD = 12

SHARES = {"f32": 2e-5, "f16": 2e-3, "bf16": 1.6e-2, "f64": 1e-11}
HALF_ULP = {"f32": 2.0**-24, "f64": 2.0**-53}
# The largest slopes: how much an activation can stretch an error.
STRETCHES = {"silu": 1.1, "gelu": 1.2, "gelu_tanh": 1.2, "hardswish": 1.5}


@dataclass
class Verdict:
    wrong: int  # Elements beyond the tolerance; NaN always is.
    worst: float  # The largest error over the tolerance.


def activated(name: str, v: torch.Tensor) -> torch.Tensor:
    functional = torch.nn.functional
    return {
        "none": lambda: v,
        "relu": lambda: functional.relu(v),
        "leaky_relu": lambda: functional.leaky_relu(v, 0.01),
        "elu": lambda: functional.elu(v),
        "silu": lambda: functional.silu(v),
        "gelu": lambda: functional.gelu(v),
        "gelu_tanh": lambda: functional.gelu(v, approximate="tanh"),
        "tanh": lambda: torch.tanh(v),
        "hardswish": lambda: functional.hardswish(v),
        "clamp": lambda: torch.clamp(v, -1, 1),
    }[name]()


def pieces(problem: Problem) -> Iterator[Tuple[slice, ...]]:
    """Parts of [N, groups, C / groups, spatial...] that have whole rows."""
    case = problem.case
    of_sample = problem.count // case.n
    step = max(1, PIECE // of_sample)
    # Within a sample, groups are apart from each other, and so are positions in a norm over channels.
    axis, extent = (3, case.spatial[0]) if problem.over_channels and case.spatial else (1, problem.groups)
    part = max(1, PIECE // max(1, of_sample // extent))
    for n in range(0, case.n, step):
        for start in range(0, extent, part):
            index = [slice(n, n + step), slice(None), slice(None), slice(None)][:max(axis + 1, 3)]
            index[axis] = slice(start, start + part)
            yield tuple(index)


def bytes_held(problem: Problem) -> int:
    """By a comparison, beside the tensors."""
    row = problem.case.c if problem.over_channels else problem.count // (problem.case.n * problem.groups)
    return HELD * 8 * max(PIECE, row)


def by_group(problem: Problem, tensor: torch.Tensor) -> torch.Tensor:
    return tensor.unflatten(1, (problem.groups, problem.case.c // problem.groups))


def affine_views(problem: Problem, tensors: Tensors):
    """gamma, beta, scale and shift, so that they broadcast against by_group(x)."""
    ones = (1,) * len(problem.case.spatial)
    per_group = (problem.groups, problem.case.c // problem.groups)
    whole = not (problem.by_group or problem.over_channels)
    inner = problem.case.spatial if whole else ones

    def view(tensor, samples):
        return None if tensor is None else tensor.reshape(samples, *per_group, *inner)

    n = problem.case.n
    return (view(tensors.gamma, 1), view(tensors.beta, 1), view(tensors.scale, n), view(tensors.shift, n))


def part_of(tensor, index):
    """The piece's part of a tensor that may have one element where x has many."""
    if tensor is None:
        return None
    return tensor[tuple(slice(None) if tensor.shape[axis] == 1 else of for axis, of in enumerate(index))]


def compare(problem: Problem, tensors: Tensors, y: torch.Tensor) -> Verdict:
    if tuple(y.shape) != problem.shape or y.dtype != DTYPES[problem.case.y_dtype]:
        return Verdict(problem.count, float("inf"))
    views = affine_views(problem, tensors)
    total = Verdict(0, 0.0)
    for index in pieces(problem):
        error, allowed = _errors(problem, tensors, views, y, index)
        beyond = ~(error <= allowed)
        total.wrong += int(beyond.sum())
        total.worst = max(total.worst, float(torch.nan_to_num(error / allowed, nan=float("inf")).max()))
    return total


def _errors(problem: Problem, tensors: Tensors, views, y: torch.Tensor, index):
    case = problem.case
    h = by_group(problem, tensors.x)[index].double()
    if problem.residual:
        h = h + by_group(problem, tensors.residual)[index].double()
        rounds = "residual" in case.fused or case.dtype == "f64"
        h = h.to(DTYPES[case.dtype] if rounds else torch.float32).double()
    axes = (2,) if problem.over_channels else tuple(range(2, h.dim()))
    mean = h.mean(axes, keepdim=True) if problem.has_mean else torch.zeros((), dtype=h.dtype, device=h.device)
    rstd = ((h - mean).square().mean(axes, keepdim=True) + case.eps).rsqrt()
    z = (h - mean) * rstd
    deviations = mean.abs() * rstd

    gamma, beta, scale, shift = (part_of(view, index) for view in views)
    factor = torch.ones((), dtype=h.dtype, device=h.device) if gamma is None else gamma.double()
    if "centred_gamma" in case.fused:
        factor = (1 + factor).to(torch.float64 if case.dtype == "f64" else torch.float32).double()
    offset = 0 if beta is None else beta.double()
    if scale is not None:
        factor = factor * (1 + scale.double())
        offset = offset * (1 + scale.double()) + shift.double()

    def tolerance(dtype: str, value, factor):
        least = torch.clamp(factor.abs(), min=1)
        allowed = SHARES[dtype] * torch.maximum(least, value.abs())
        return allowed + 2 * HALF_ULP.get(dtype, 0.0) * deviations * least

    # Where a boundary of the rounding lies as near as a result may be off, it may be rounded either way.
    either_way = 0
    if "rounded_normalised" in case.fused and case.affine_dtype in ("f16", "bf16"):
        near = tolerance("f32", z, torch.ones_like(mean))
        kept = DTYPES[case.affine_dtype]
        either_way = factor.abs() * ((z + near).to(kept).double() - (z - near).to(kept).double())
        z = z.to(kept).double()
    v = z * factor + offset
    allowed = STRETCHES.get(case.activation, 1.0) * (tolerance(case.y_dtype, v, factor) + either_way)
    if case.dtype == "f64":
        allowed = allowed + (problem.count // case.n / 256 + 1024) * (1 + deviations) * HALF_ULP["f64"]
    return (by_group(problem, y)[index].double() - activated(case.activation, v)).abs(), allowed
