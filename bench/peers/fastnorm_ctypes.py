# SPDX-License-Identifier: Apache-2.0
"""The C interface of fastnorm (include/fastnorm/fastnorm.h) in Python, by ctypes alone.

Names, defaults and meanings are those of the header. Tensors are addresses: a ctypes buffer's
ctypes.addressof(), numpy's array.ctypes.data, torch's tensor.data_ptr().

    library = Library("libfastnorm.so")
    desc = library.norm_desc(op=Op.GROUP_NORM, extents=(2, 32, 64, 64), groups=8)
    with library.plan(desc) as plan:
        plan.execute(library.norm_args(x=x, y=y), workspace, workspace_bytes, stream)

Processes that are forked after the first call have one thread on the host, and no device that was used before:
multiprocessing.get_context("spawn") gives each all of them.
"""

import ctypes
import enum
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_float, c_int32, c_int64
from ctypes import c_size_t, c_void_p, pointer, sizeof


class Status(enum.IntEnum):
    OK = 0
    INVALID_ARGUMENT = 1
    UNSUPPORTED = 2
    UNAVAILABLE = 3
    OUT_OF_MEMORY = 4
    DEVICE_ERROR = 5


class Op(enum.IntEnum):
    GROUP_NORM = 0
    INSTANCE_NORM = 1
    LAYER_NORM = 2
    RMS_NORM = 3


class DType(enum.IntEnum):
    F32 = 0
    F16 = 1
    BF16 = 2
    F64 = 3


class Layout(enum.IntEnum):
    CHANNELS_FIRST = 0
    CHANNELS_LAST = 1


class Activation(enum.IntEnum):
    NONE = 0
    RELU = 1
    LEAKY_RELU = 2
    ELU = 3
    SILU = 4
    GELU = 5
    GELU_TANH = 6
    TANH = 7
    HARDSWISH = 8
    CLAMP = 9


class Residual(enum.IntEnum):
    NONE = 0
    ROUNDED_SUM = 1
    EXACT_SUM = 2


class GammaForm(enum.IntEnum):
    FACTOR = 0
    CENTRED_ZERO = 1


class NormalisedRounding(enum.IntEnum):
    NONE = 0
    AFFINE_TYPE = 1


class Modulation(enum.IntEnum):
    NONE = 0
    SCALE_SHIFT = 1


class Memory(enum.IntEnum):
    AUTOMATIC = 0
    HOST = 1
    DEVICE = 2


class Tuning(enum.IntEnum):
    DATABASE = 0
    HEURISTIC = 1


class Launches(enum.IntEnum):
    ALL = 0
    INDEPENDENT_BLOCKS = 1


class Epilogue(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("activation", c_int32),
        ("slope", c_float),
        ("alpha", c_float),
        ("lower", c_float),
        ("upper", c_float),
        ("gamma", c_int32),
        ("normalised", c_int32),
        ("modulation", c_int32),
    ]


class NormDesc(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("op", c_int32),
        ("rank", c_int32),
        ("extents", POINTER(c_int64)),
        ("groups", c_int64),
        ("eps", c_double),
        ("normalized_rank", c_int32),
        ("x_type", c_int32),
        ("y_type", c_int32),
        ("affine_type", c_int32),
        ("layout", c_int32),
        ("residual", c_int32),
        ("x_strides", POINTER(c_int64)),
        ("y_strides", POINTER(c_int64)),
        ("epilogue", POINTER(Epilogue)),
    ]


class NormArgs(Structure):
    _fields_ = [("struct_size", c_size_t)] + [
        (name, c_void_p)
        for name in ("x", "y", "gamma", "beta", "mean", "rstd", "residual", "sum", "scale", "shift")
    ]


class PlanOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("memory", c_int32),
        ("device", c_int32),
        ("deterministic", c_int32),
        ("tuning", c_int32),
        ("launches", c_int32),
        ("backend", c_char_p),
        ("strategy", c_char_p),
        ("config", c_char_p),
    ]


class NormOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("eps", c_double),
        ("x_type", c_int32),
        ("y_type", c_int32),
        ("affine_type", c_int32),
        ("layout", c_int32),
        ("residual_sum", c_int32),
        ("x_strides", POINTER(c_int64)),
        ("y_strides", POINTER(c_int64)),
        ("mean", c_void_p),
        ("rstd", c_void_p),
        ("residual", c_void_p),
        ("sum", c_void_p),
        ("scale", c_void_p),
        ("shift", c_void_p),
        ("epilogue", POINTER(Epilogue)),
        ("stream", c_void_p),
        ("plan", POINTER(PlanOptions)),
    ]


class BackendInfo(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("memory", c_int32),
        ("processors", c_int32),
    ] + [
        (name, c_char_p)
        for name in ("device_name", "host_space", "instruction_set", "cuda_version", "kokkos_version")
    ]


_NAME = (c_char_p, [c_int32])
_OF_HANDLE = (c_char_p, [c_void_p])
_OF_INDEX = (c_char_p, [c_void_p, c_size_t])
_EXTENTS = [POINTER(c_int64), c_int32]

# What each function returns and takes.
PROTOTYPES = {
    "fastnorm_version": (c_char_p, []),
    "fastnorm_last_error": (c_char_p, []),
    "fastnorm_status_name": _NAME,
    "fastnorm_op_name": _NAME,
    "fastnorm_dtype_name": _NAME,
    "fastnorm_dtype_size": (c_size_t, [c_int32]),
    "fastnorm_layout_name": _NAME,
    "fastnorm_activation_name": _NAME,
    "fastnorm_residual_name": _NAME,
    "fastnorm_gamma_form_name": _NAME,
    "fastnorm_normalised_rounding_name": _NAME,
    "fastnorm_modulation_name": _NAME,
    "fastnorm_memory_name": _NAME,
    "fastnorm_epilogue_init": (None, [POINTER(Epilogue), c_size_t]),
    "fastnorm_norm_desc_init": (None, [POINTER(NormDesc), c_size_t]),
    "fastnorm_norm_args_init": (None, [POINTER(NormArgs), c_size_t]),
    "fastnorm_plan_options_init": (None, [POINTER(PlanOptions), c_size_t]),
    "fastnorm_norm_options_init": (None, [POINTER(NormOptions), c_size_t]),
    "fastnorm_backend_info_init": (None, [POINTER(BackendInfo), c_size_t]),
    "fastnorm_backend_describe": (c_int32, [c_char_p, c_int32, POINTER(BackendInfo)]),
    "fastnorm_plan_create": (
        c_int32, [POINTER(NormDesc), POINTER(PlanOptions), POINTER(c_void_p)]),
    "fastnorm_plan_destroy": (None, [c_void_p]),
    "fastnorm_plan_workspace_bytes": (c_size_t, [c_void_p]),
    "fastnorm_plan_execute": (
        c_int32, [c_void_p, POINTER(NormArgs), c_void_p, c_size_t, c_void_p]),
    "fastnorm_plan_backend": _OF_HANDLE,
    "fastnorm_plan_strategy": _OF_HANDLE,
    "fastnorm_plan_config": _OF_HANDLE,
    "fastnorm_plan_describe": _OF_HANDLE,
    "fastnorm_plan_memory": (c_int32, [c_void_p]),
    "fastnorm_plan_device": (c_int32, [c_void_p]),
    "fastnorm_group_norm": (
        c_int32, _EXTENTS + [c_int64] + [c_void_p] * 4 + [POINTER(NormOptions)]),
    "fastnorm_instance_norm": (c_int32, _EXTENTS + [c_void_p] * 4 + [POINTER(NormOptions)]),
    "fastnorm_layer_norm": (
        c_int32, _EXTENTS + [c_int32] + [c_void_p] * 4 + [POINTER(NormOptions)]),
    "fastnorm_rms_norm": (
        c_int32, _EXTENTS + [c_int32] + [c_void_p] * 3 + [POINTER(NormOptions)]),
    "fastnorm_normalize": (
        c_int32, [POINTER(NormDesc), POINTER(NormArgs), c_void_p, POINTER(PlanOptions)]),
    "fastnorm_untuned_list_create": (c_int32, [POINTER(c_void_p)]),
    "fastnorm_untuned_list_destroy": (None, [c_void_p]),
    "fastnorm_untuned_list_size": (c_size_t, [c_void_p]),
    "fastnorm_untuned_list_desc": (c_int32, [c_void_p, c_size_t, POINTER(NormDesc)]),
    "fastnorm_untuned_list_backend": _OF_INDEX,
    "fastnorm_untuned_list_served_by": _OF_INDEX,
    "fastnorm_untuned_list_case_text": _OF_INDEX,
    "fastnorm_selection_digest": (
        c_int32, [POINTER(POINTER(NormDesc)), c_size_t, POINTER(PlanOptions), c_char_p]),
}

SELECTION_DIGEST_SIZE = 65


class FastnormError(Exception):
    """A call that failed, with its status and the library's message."""

    def __init__(self, status, message):
        super().__init__(f"{status.name.lower()}: {message}")
        self.status = status
        self.message = message


def _as_member(value):
    """What ctypes can assign to a member: numbers become arrays, texts bytes, structs pointers."""
    if isinstance(value, (tuple, list)):
        return (c_int64 * len(value))(*value)
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, Structure):
        return pointer(value)
    return value


def _optional(struct):
    return None if struct is None else byref(struct)


class Library:
    """A shared library of fastnorm. `c` has the functions of the header as they are."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        for name, (result, arguments) in PROTOTYPES.items():
            function = getattr(self.c, name)
            function.restype = result
            function.argtypes = arguments

    @property
    def version(self):
        return self.c.fastnorm_version().decode()

    def check(self, status):
        """Raises FastnormError for any status but OK."""
        if status != Status.OK:
            raise FastnormError(Status(status), self.c.fastnorm_last_error().decode())

    # Structs with their defaults, but for the members named.

    def epilogue(self, **members):
        return self._struct(Epilogue, self.c.fastnorm_epilogue_init, members)

    def norm_desc(self, extents=(), **members):
        members.update(rank=len(extents), extents=tuple(extents))
        return self._struct(NormDesc, self.c.fastnorm_norm_desc_init, members)

    def norm_args(self, **members):
        return self._struct(NormArgs, self.c.fastnorm_norm_args_init, members)

    def plan_options(self, **members):
        return self._struct(PlanOptions, self.c.fastnorm_plan_options_init, members)

    def norm_options(self, **members):
        return self._struct(NormOptions, self.c.fastnorm_norm_options_init, members)

    @staticmethod
    def _struct(kind, init, members):
        struct = kind()
        init(byref(struct), sizeof(struct))
        for name, value in members.items():
            if name not in dict(kind._fields_):
                raise TypeError(f"{kind.__name__} has no member {name}")
            setattr(struct, name, _as_member(value))
        return struct

    # Calls. Tensors are addresses, and None is null.

    def plan(self, desc, options=None):
        return Plan(self, desc, options)

    def normalize(self, desc, args, stream=None, options=None):
        self.check(self.c.fastnorm_normalize(byref(desc), byref(args), stream, _optional(options)))

    def group_norm(self, extents, groups, x, y, gamma=None, beta=None, options=None):
        self.check(self.c.fastnorm_group_norm(_as_member(list(extents)), len(extents), groups, x, y,
                                              gamma, beta, _optional(options)))

    def instance_norm(self, extents, x, y, gamma=None, beta=None, options=None):
        self.check(self.c.fastnorm_instance_norm(_as_member(list(extents)), len(extents), x, y,
                                                 gamma, beta, _optional(options)))

    def layer_norm(self, extents, normalized_rank, x, y, gamma=None, beta=None, options=None):
        self.check(self.c.fastnorm_layer_norm(_as_member(list(extents)), len(extents),
                                              normalized_rank, x, y, gamma, beta,
                                              _optional(options)))

    def rms_norm(self, extents, normalized_rank, x, y, gamma=None, options=None):
        self.check(self.c.fastnorm_rms_norm(_as_member(list(extents)), len(extents),
                                            normalized_rank, x, y, gamma, _optional(options)))

    def untuned_cases(self):
        """What autotune has to be told of the shapes met, each an item of a list in YAML."""
        handle = c_void_p()
        self.check(self.c.fastnorm_untuned_list_create(byref(handle)))
        try:
            return [
                self.c.fastnorm_untuned_list_case_text(handle, index).decode()
                for index in range(self.c.fastnorm_untuned_list_size(handle))
            ]
        finally:
            self.c.fastnorm_untuned_list_destroy(handle)

    def selection_digest(self, descs, options=None):
        """The same in every process that would run the same for them."""
        shapes = (POINTER(NormDesc) * len(descs))(*map(pointer, descs))
        digest = ctypes.create_string_buffer(SELECTION_DIGEST_SIZE)
        self.check(self.c.fastnorm_selection_digest(shapes, len(descs), _optional(options), digest))
        return digest.value.decode()

    def backend_info(self, backend, device=-1):
        """What a back end runs on."""
        info = self._struct(BackendInfo, self.c.fastnorm_backend_info_init, {})
        self.check(self.c.fastnorm_backend_describe(backend.encode(), device, byref(info)))
        return info


class Plan:
    """Owns the library's handle until close() or the end of its with block."""

    def __init__(self, library, desc, options=None):
        self._library = library
        self._handle = c_void_p()
        library.check(library.c.fastnorm_plan_create(byref(desc), _optional(options),
                                                     byref(self._handle)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._library.c.fastnorm_plan_destroy(self._handle)
        self._handle = c_void_p()

    def execute(self, args, workspace=None, workspace_bytes=0, stream=None):
        self._library.check(self._library.c.fastnorm_plan_execute(
            self._handle, byref(args), workspace, workspace_bytes, stream))

    @property
    def workspace_bytes(self):
        return self._library.c.fastnorm_plan_workspace_bytes(self._handle)

    @property
    def backend(self):
        return self._library.c.fastnorm_plan_backend(self._handle).decode()

    @property
    def strategy(self):
        return self._library.c.fastnorm_plan_strategy(self._handle).decode()

    @property
    def config(self):
        return self._library.c.fastnorm_plan_config(self._handle).decode()

    @property
    def memory(self):
        return Memory(self._library.c.fastnorm_plan_memory(self._handle))

    @property
    def device(self):
        return self._library.c.fastnorm_plan_device(self._handle)

    def describe(self):
        return self._library.c.fastnorm_plan_describe(self._handle).decode()
