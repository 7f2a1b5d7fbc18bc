# SPDX-License-Identifier: Apache-2.0
"""What a case asks for: shapes as PyTorch has them, and the descriptor of the C interface."""

from math import prod
from typing import List, Optional, Tuple

from . import fastnorm_ctypes as fastnorm
from .cases import Case

ITEM_BYTES = {"f32": 4, "f16": 2, "bf16": 2, "f64": 8}
OPS = {
    "group_norm": fastnorm.Op.GROUP_NORM,
    "instance_norm": fastnorm.Op.INSTANCE_NORM,
    "layer_norm": fastnorm.Op.LAYER_NORM,
    "rms_norm": fastnorm.Op.RMS_NORM,
    "layer_norm_channels": fastnorm.Op.LAYER_NORM,
    "rms_norm_channels": fastnorm.Op.RMS_NORM,
}


class Unsupported(Exception):
    """A sensible case that a contender does not offer; the message says why."""


class Problem:
    """A case's normalization. x is [N, C, spatial...] for whoever looks at it, wherever its elements lie."""

    def __init__(self, case: Case) -> None:
        if case.op not in OPS:
            raise Unsupported(f"op {case.op} is not offered")
        self.case = case
        self.op = OPS[case.op]
        self.over_channels = case.op.endswith("_channels")  # At each position.
        self.has_mean = self.op != fastnorm.Op.RMS_NORM
        self.has_beta = case.affine and self.has_mean
        self.shape = (case.n, case.c, *case.spatial)
        self.positions = prod(case.spatial)
        self.count = case.n * case.c * self.positions
        self.residual = any(word in case.fused for word in ("residual", "exact_residual"))
        self.modulation = "modulation" in case.fused

    @property
    def by_group(self) -> bool:
        """gamma and beta are of C; otherwise each element of a row has its own."""
        return self.op in (fastnorm.Op.GROUP_NORM, fastnorm.Op.INSTANCE_NORM)

    @property
    def groups(self) -> int:
        return self.case.groups if self.by_group else 1

    @property
    def affine_shape(self) -> Tuple[int, ...]:
        return (self.case.c,) if self.by_group or self.over_channels else self.shape[1:]

    @property
    def moved_bytes(self) -> int:
        """x, a residual, scale and shift read once, and y written once."""
        case = self.case
        tensors = self.count * (ITEM_BYTES[case.dtype] * (2 if self.residual else 1) +
                                ITEM_BYTES[case.y_dtype])
        modulation = 2 * case.n * prod(self.affine_shape) * ITEM_BYTES[case.affine_dtype]
        return tensors + (modulation if self.modulation else 0)

    def desc(self, library: fastnorm.Library) -> fastnorm.NormDesc:
        case = self.case
        extents, strides = self._extents_and_strides()
        epilogue = library.epilogue(
            activation=fastnorm.Activation[case.activation.upper()],
            gamma=(fastnorm.GammaForm.CENTRED_ZERO if "centred_gamma" in case.fused
                   else fastnorm.GammaForm.FACTOR),
            normalised=(fastnorm.NormalisedRounding.AFFINE_TYPE if "rounded_normalised" in case.fused
                        else fastnorm.NormalisedRounding.NONE),
            modulation=(fastnorm.Modulation.SCALE_SHIFT if self.modulation
                        else fastnorm.Modulation.NONE))
        members = {} if strides is None else {"x_strides": strides, "y_strides": strides}
        return library.norm_desc(
            op=self.op, extents=extents, groups=self.case.groups if self.by_group else 1, eps=case.eps,
            normalized_rank=1 if self.over_channels else len(self.shape) - 1,
            x_type=fastnorm.DType[case.dtype.upper()], y_type=fastnorm.DType[case.y_dtype.upper()],
            affine_type=fastnorm.DType[case.affine_dtype.upper()],
            layout=(fastnorm.Layout.CHANNELS_LAST if case.channels_last and self.by_group
                    else fastnorm.Layout.CHANNELS_FIRST),
            residual=(fastnorm.Residual.EXACT_SUM if "exact_residual" in case.fused else
                      fastnorm.Residual.ROUNDED_SUM if self.residual else fastnorm.Residual.NONE),
            epilogue=epilogue, **members)

    def _extents_and_strides(self) -> Tuple[Tuple[int, ...], Optional[List[int]]]:
        """A norm over channels has C for its last extent, wherever memory has it."""
        if not self.over_channels:
            return self.shape, None
        case = self.case
        extents = (case.n, *case.spatial, case.c)
        if case.channels_last:
            return extents, None
        of_spatial = [prod(case.spatial[axis + 1:]) for axis in range(len(case.spatial))]
        return extents, [case.c * self.positions, *of_spatial, self.positions]
