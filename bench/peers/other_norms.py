# SPDX-License-Identifier: Apache-2.0
"""Libraries that know some of the norms. What they leave over of a case, PyTorch does after them."""

import importlib
from importlib import metadata
from typing import Callable, Dict, Optional

import torch

from . import fastnorm_ctypes as fastnorm
from .contenders import Call, Contender
from .problem import Problem, Unsupported
from .reference import activated
from .tensors import DTYPES, Tensors


def refuse_other_forms(problem: Problem) -> None:
    """For those that take one type and none of the other forms of a call."""
    case = problem.case
    if case.fused:
        raise Unsupported("no " + ", ".join(case.fused))
    if not case.dtype == case.y_dtype == case.affine_dtype:
        raise Unsupported("one type for all tensors alone")


def as_rows(problem: Problem, x: torch.Tensor) -> torch.Tensor:
    """[rows, elements], without moving anything."""
    if problem.by_group:
        raise Unsupported(f"no {problem.case.op}")
    rows = x.movedim(1, -1) if problem.over_channels else x
    if not rows.is_contiguous():
        raise Unsupported("rows that are not contiguous")
    return rows.reshape(-1, rows.shape[-1] if problem.over_channels else problem.count // problem.case.n)


def from_rows(problem: Problem, y: torch.Tensor) -> torch.Tensor:
    if not problem.over_channels:
        return y.reshape(problem.shape)
    case = problem.case
    return y.reshape(case.n, *case.spatial, case.c).movedim(-1, 1)


class Installed(Contender):
    """Of a package that may be there."""

    package = ""

    def __init__(self) -> None:
        """Raises ImportError."""
        self._module = importlib.import_module(self.module)

    module = ""

    def versions(self) -> Dict[str, str]:
        return {self.name: metadata.version(self.package)}

    def prepare(self, problem: Problem, tensors: Tensors) -> Call:
        refuse_other_forms(problem)
        norm = self.norm_of(problem, tensors)
        activation = problem.case.activation
        label = self.name + ("" if activation == "none" else f", and {activation} by PyTorch")
        return Call(lambda: activated(activation, norm()), label)

    def norm_of(self, problem: Problem, tensors: Tensors) -> Callable[[], torch.Tensor]:
        raise NotImplementedError


class Liger(Installed):
    name = "liger"
    package = "liger-kernel"
    module = "liger_kernel.transformers.functional"

    def norm_of(self, problem: Problem, tensors: Tensors) -> Callable[[], torch.Tensor]:
        case = problem.case
        if tensors.gamma is None:
            raise Unsupported("no norm without gamma")
        if problem.op == fastnorm.Op.GROUP_NORM:
            if not tensors.x.is_contiguous():
                raise Unsupported("no channels-last group_norm")
            return lambda: self._module.liger_group_norm(tensors.x, tensors.gamma, tensors.beta, case.c,
                                                         case.groups, case.eps)
        rows = as_rows(problem, tensors.x)
        gamma = tensors.gamma.reshape(-1)
        if problem.has_mean:
            beta = tensors.beta.reshape(-1)
            return lambda: from_rows(problem, self._module.liger_layer_norm(rows, gamma, beta, case.eps))
        return lambda: from_rows(problem, self._module.liger_rms_norm(rows, gamma, case.eps, in_place=False))


class Quack(Installed):
    name = "quack"
    package = "quack-kernels"
    module = "quack.rmsnorm"

    def norm_of(self, problem: Problem, tensors: Tensors) -> Callable[[], torch.Tensor]:
        rows = as_rows(problem, tensors.x)
        eps = problem.case.eps
        gamma = None if tensors.gamma is None else tensors.gamma.reshape(-1)
        if not problem.has_mean:
            return lambda: from_rows(problem, self._module.rmsnorm(rows, gamma, eps=eps))
        if gamma is None:
            raise Unsupported("no layer_norm without gamma")
        # It takes them in fp32 alone.
        gamma, beta = gamma.float(), tensors.beta.reshape(-1).float()
        return lambda: from_rows(problem, self._module.layernorm_fwd(rows, gamma, beta, eps=eps))


class Cudnn(Installed):
    """Its graph interface, with a plan built once."""

    name = "cudnn"
    package = "nvidia-cudnn-frontend"
    module = "cudnn"

    def __init__(self) -> None:
        super().__init__()
        self._handle = self._module.create_handle()

    def versions(self) -> Dict[str, str]:
        return {**super().versions(), "cudnn-backend": self._module.backend_version_string()}

    def norm_of(self, problem: Problem, tensors: Tensors) -> Callable[[], torch.Tensor]:
        if problem.op == fastnorm.Op.GROUP_NORM:
            raise Unsupported("no group_norm")
        if problem.op == fastnorm.Op.INSTANCE_NORM:
            x, broadcast = tensors.x, (1, problem.case.c, *(1,) * len(problem.case.spatial))
        else:
            x = as_rows(problem, tensors.x)[:, :, None, None]
            broadcast = (1, x.shape[1], 1, 1)
        y = torch.empty_like(x)
        execute = self._plan(problem, x, self._affine(tensors.gamma, x, broadcast, 1),
                             self._affine(tensors.beta, x, broadcast, 0) if problem.has_mean else None, y)
        if problem.op == fastnorm.Op.INSTANCE_NORM:
            return lambda: execute() or y
        return lambda: execute() or from_rows(problem, y.reshape(x.shape[:2]))

    @staticmethod
    def _affine(tensor: Optional[torch.Tensor], x: torch.Tensor, shape, value: float) -> torch.Tensor:
        """It cannot do without."""
        if tensor is not None:
            return tensor.reshape(shape)
        return torch.full(shape, value, dtype=x.dtype, device=x.device)

    def _plan(self, problem: Problem, x, gamma, beta, y) -> Callable[[], None]:
        cudnn = self._module
        eps = torch.full((1,) * x.dim(), problem.case.eps, dtype=torch.float32)
        graph = cudnn.pygraph(intermediate_data_type=cudnn.data_type.FLOAT,
                              compute_data_type=cudnn.data_type.FLOAT, handle=self._handle)
        inputs = {graph.tensor_like(tensor): tensor for tensor in (x, gamma) + ((beta,) if problem.has_mean else ())}
        of = list(inputs)
        epsilon = graph.tensor(name="epsilon", dim=eps.size(), stride=eps.stride(), is_pass_by_value=True,
                               data_type=eps.dtype)
        members = {"norm_forward_phase": cudnn.norm_forward_phase.INFERENCE, "input": of[0], "scale": of[1],
                   "epsilon": epsilon}
        if problem.has_mean:
            members["bias"] = of[2]
        norm = {fastnorm.Op.INSTANCE_NORM: graph.instancenorm, fastnorm.Op.LAYER_NORM: graph.layernorm,
                fastnorm.Op.RMS_NORM: graph.rmsnorm}[problem.op]
        result = norm(**members)[0]
        result.set_output(True).set_data_type(DTYPES[problem.case.dtype])
        try:
            graph.validate()
            graph.build_operation_graph()
            graph.create_execution_plans([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
            graph.check_support()
            graph.build_plans()
        except cudnn.cudnnGraphNotSupportedError as error:
            raise Unsupported(str(error)) from error
        workspace = torch.empty(graph.get_workspace_size(), dtype=torch.uint8, device=x.device)
        pack = {**inputs, epsilon: eps, result: y}

        def execute() -> None:
            cudnn.set_stream(handle=self._handle, stream=torch.cuda.current_stream().cuda_stream)
            graph.execute(pack, workspace, handle=self._handle)

        return execute


ON_DEVICE = {"cudnn": Cudnn, "liger": Liger, "quack": Quack}
