# SPDX-License-Identifier: Apache-2.0
"""fastnorm through its C interface."""

from typing import Dict

import torch

from . import fastnorm_ctypes as fastnorm
from .contenders import Call, Contender
from .problem import Problem, Unsupported
from .tensors import Tensors


def address(tensor):
    return None if tensor is None else tensor.data_ptr()


class Fastnorm(Contender):
    """Named after the plan's back end, as fastnorm-bench does."""

    def __init__(self, path: str, device: torch.device) -> None:
        self._library = fastnorm.Library(path)
        self._device = device
        on_host = device.type == "cpu"
        self._options = self._library.plan_options(
            memory=fastnorm.Memory.HOST if on_host else fastnorm.Memory.DEVICE,
            device=0 if on_host else device.index)
        with self._plan(self._library.norm_desc(op=fastnorm.Op.LAYER_NORM, extents=(2, 64))) as plan:
            self.name = plan.backend
            self._info = self._library.backend_info(plan.backend, plan.device)

    @property
    def threads(self) -> int:
        """On a host."""
        return self._info.processors

    @property
    def host_space(self) -> str:
        return self._info.host_space.decode()

    def _plan(self, desc: fastnorm.NormDesc) -> fastnorm.Plan:
        try:
            return self._library.plan(desc, self._options)
        except fastnorm.FastnormError as error:
            if error.status == fastnorm.Status.UNSUPPORTED:
                raise Unsupported(error.message) from error
            raise

    def versions(self) -> Dict[str, str]:
        """By the names that fastnorm-bench gives them."""
        info = self._info
        said = {"fastnorm": self._library.version, "cuda": info.cuda_version.decode(),
                "kokkos": info.kokkos_version.decode(), "host_space": self.host_space,
                "host_threads": str(self.threads) if self.host_space else "",
                "instruction_set": info.instruction_set.decode()}
        return {name: text for name, text in said.items() if text}

    def prepare(self, problem: Problem, tensors: Tensors) -> Call:
        plan = self._plan(problem.desc(self._library))
        size = plan.workspace_bytes
        workspace = torch.empty(size, dtype=torch.uint8, device=self._device)
        args = self._library.norm_args(
            x=address(tensors.x), y=address(tensors.y), gamma=address(tensors.gamma),
            beta=address(tensors.beta), residual=address(tensors.residual), scale=address(tensors.scale),
            shift=address(tensors.shift))

        def run() -> torch.Tensor:
            plan.execute(args, workspace.data_ptr() if size else None, size, self._stream())
            return tensors.y

        return Call(run, plan.describe())

    def _stream(self):
        return None if self._device.type == "cpu" else torch.cuda.current_stream().cuda_stream
