#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C interface from Python: bench/peers/fastnorm_ctypes.py against the header, and calls through it.

usage: ctypes_test.py <shared library with layout.c> <fastnorm.h> <folder of fastnorm_ctypes.py>
"""

import ctypes
import math
import re
import sys
import threading
import unittest
from pathlib import Path

LIBRARY, HEADER, MODULE_FOLDER = sys.argv[1:4]
sys.path.insert(0, MODULE_FOLDER)
import fastnorm_ctypes as fastnorm  # noqa: E402: where it lies is an argument

STRUCTS = {
    "fastnorm_epilogue": fastnorm.Epilogue,
    "fastnorm_norm_desc": fastnorm.NormDesc,
    "fastnorm_norm_args": fastnorm.NormArgs,
    "fastnorm_plan_options": fastnorm.PlanOptions,
    "fastnorm_norm_options": fastnorm.NormOptions,
    "fastnorm_backend_info": fastnorm.BackendInfo,
}
ENUMS = {
    "OP": fastnorm.Op,
    "DTYPE": fastnorm.DType,
    "LAYOUT": fastnorm.Layout,
    "ACTIVATION": fastnorm.Activation,
    "RESIDUAL": fastnorm.Residual,
    "GAMMA_FORM": fastnorm.GammaForm,
    "NORMALISED_ROUNDING": fastnorm.NormalisedRounding,
    "MODULATION": fastnorm.Modulation,
    "MEMORY": fastnorm.Memory,
    "TUNING": fastnorm.Tuning,
    "LAUNCHES": fastnorm.Launches,
}


class Member(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("offset", ctypes.c_size_t), ("bytes", ctypes.c_size_t)]


class DeclarationsTest(unittest.TestCase):
    """What the module declares is what the header declares."""

    header = Path(HEADER).read_text()

    def test_functions(self):
        declared = re.findall(r"^FASTNORM_API [^;(]*?(fastnorm_\w+)\(", self.header, re.MULTILINE)
        self.assertGreater(len(declared), 30)
        self.assertEqual(sorted(declared), sorted(fastnorm.PROTOTYPES))

    def test_values(self):
        found = {name: int(value) for name, value in
                 re.findall(r"\bFASTNORM_([A-Z0-9_]+) = (\d+)", self.header)}
        del found["MAX_RANK"]
        declared = {status.name: status.value for status in fastnorm.Status}
        for prefix, values in ENUMS.items():
            declared.update({f"{prefix}_{value.name}": value.value for value in values})
        self.assertEqual(found, declared)

    def test_members_lie_where_a_c_compiler_has_them(self):
        layout_member = ctypes.CDLL(LIBRARY).layout_member
        layout_member.restype = ctypes.POINTER(Member)
        layout_member.argtypes = [ctypes.c_size_t]
        in_c = {}
        while member := layout_member(len(in_c)):
            in_c[member.contents.name.decode()] = (member.contents.offset, member.contents.bytes)
        in_python = {
            f"{struct}.{name}": (getattr(kind, name).offset, getattr(kind, name).size)
            for struct, kind in STRUCTS.items() for name, _ in kind._fields_
        }
        self.assertEqual(in_c, in_python)


def group_norm(x, n, c, s, groups, gamma, beta, eps):
    """From the definition."""
    y = [math.nan] * len(x)
    per_group = c // groups
    for row in range(n * groups):
        first = row * per_group * s
        values = x[first:first + per_group * s]
        mean = math.fsum(values) / len(values)
        variance = math.fsum((value - mean) ** 2 for value in values) / len(values)
        for i, value in enumerate(values):
            channel = row % groups * per_group + i // s
            y[first + i] = (value - mean) / math.sqrt(variance + eps) * gamma[channel] + beta[channel]
    return y


class Buffer:
    """fp32 values between canaries; NaN where there are none."""

    GUARD = 16
    CANARY = -1234.5

    def __init__(self, count, values=None):
        self.count = count
        guard = [self.CANARY] * self.GUARD
        contents = guard + list(values if values is not None else [math.nan] * count) + guard
        self._block = (ctypes.c_float * len(contents))(*contents)
        self.address = ctypes.addressof(self._block) + self.GUARD * ctypes.sizeof(ctypes.c_float)

    def values(self):
        return list(self._block)[self.GUARD:self.GUARD + self.count]

    def canaries_intact(self):
        around = list(self._block)
        return all(value == self.CANARY for value in around[:self.GUARD] + around[-self.GUARD:])


class CallsTest(unittest.TestCase):
    N, C, S, GROUPS = 2, 6, 35, 3
    EXTENTS = (2, 6, 5, 7)

    @classmethod
    def setUpClass(cls):
        cls.library = fastnorm.Library(LIBRARY)
        cls.options = cls.library.plan_options(memory=fastnorm.Memory.HOST)
        try:
            cls.library.plan(cls.library.norm_desc(extents=(1, 1), groups=1), cls.options).close()
        except fastnorm.FastnormError as error:
            if error.status != fastnorm.Status.UNAVAILABLE:
                raise
            raise unittest.SkipTest(error.message) from error

    def setUp(self):
        count = self.N * self.C * self.S
        self.x = Buffer(count, [((i * 7919 + 13) % 1009) / 252.25 - 2 for i in range(count)])
        self.gamma = Buffer(self.C, [0.5 + i / 4 for i in range(self.C)])
        self.beta = Buffer(self.C, [i - 2.5 for i in range(self.C)])
        self.y = Buffer(count)
        self.desc = self.library.norm_desc(extents=self.EXTENTS, groups=self.GROUPS, eps=0.25)
        self.args = self.library.norm_args(x=self.x.address, y=self.y.address,
                                           gamma=self.gamma.address, beta=self.beta.address)

    def check_y(self, activation=lambda value: value):
        expected = group_norm(self.x.values(), self.N, self.C, self.S, self.GROUPS,
                              self.gamma.values(), self.beta.values(), 0.25)
        for got, value in zip(self.y.values(), map(activation, expected)):
            self.assertAlmostEqual(got, value, delta=5e-5 * max(1, abs(value)))
        for buffer in (self.x, self.gamma, self.beta, self.y):
            self.assertTrue(buffer.canaries_intact())

    def check_nothing_is_written(self):
        self.assertTrue(all(math.isnan(value) for value in self.y.values()))
        self.assertTrue(self.y.canaries_intact())

    def test_plan(self):
        with self.library.plan(self.desc, self.options) as plan:
            workspace = ctypes.create_string_buffer(plan.workspace_bytes + 16)
            aligned = ctypes.addressof(workspace) + -ctypes.addressof(workspace) % 16
            plan.execute(self.args, aligned, plan.workspace_bytes)
            self.assertEqual(plan.memory, fastnorm.Memory.HOST)
            self.assertIn(plan.backend, plan.describe())
            self.assertIn(f"{plan.strategy} {plan.config} [", plan.describe())
        self.check_y()

    def test_plan_by_names(self):
        with self.library.plan(self.desc, self.options) as chosen:
            names = {"backend": chosen.backend, "strategy": chosen.strategy, "config": chosen.config}
        options = self.library.plan_options(memory=fastnorm.Memory.HOST, **names)
        with self.library.plan(self.desc, options) as plan:
            self.assertIn("[forced: ", plan.describe())

    def test_descriptor(self):
        epilogue = self.library.epilogue(activation=fastnorm.Activation.LEAKY_RELU, slope=0.5)
        desc = self.library.norm_desc(extents=self.EXTENTS, groups=self.GROUPS, eps=0.25,
                                      epilogue=epilogue)
        self.library.normalize(desc, self.args, options=self.options)
        self.check_y(lambda value: value if value >= 0 else 0.5 * value)

    def test_group_norm(self):
        options = self.library.norm_options(eps=0.25, plan=self.options)
        self.library.group_norm(self.EXTENTS, self.GROUPS, self.x.address, self.y.address,
                                self.gamma.address, self.beta.address, options)
        self.check_y()

    def test_other_operations(self):
        values = (1.0, 2.0, 3.0, 6.0)
        x, y = Buffer(4, values), Buffer(4)
        options = self.library.norm_options(eps=0, plan=self.options)
        self.library.instance_norm((2, 1, 2), x.address, y.address, options=options)
        for got, expected in zip(y.values(), (-1, 1, -1, 1)):
            self.assertAlmostEqual(got, expected, places=5)
        self.library.layer_norm((4,), 1, x.address, y.address, options=options)
        for got, value in zip(y.values(), values):
            self.assertAlmostEqual(got, (value - 3) / math.sqrt(3.5), places=5)
        self.library.rms_norm((4,), 1, x.address, y.address, options=options)
        for got, value in zip(y.values(), values):
            self.assertAlmostEqual(got, value / math.sqrt(12.5), places=5)

    def test_errors_have_status_and_message(self):
        with self.assertRaises(fastnorm.FastnormError) as caught:
            self.library.plan(self.library.norm_desc(extents=self.EXTENTS, groups=4), self.options)
        self.assertEqual(caught.exception.status, fastnorm.Status.INVALID_ARGUMENT)
        self.assertEqual(caught.exception.message, "groups=4 must be at least 1 and divide C=6")
        self.args.y = None
        with self.assertRaises(fastnorm.FastnormError) as caught:
            self.library.normalize(self.desc, self.args, options=self.options)
        self.assertEqual(caught.exception.message, "y is null; it must point to 1680 bytes")
        self.check_nothing_is_written()

    def test_members_that_there_are_not_are_refused(self):
        with self.assertRaisesRegex(TypeError, "NormArgs has no member z"):
            self.library.norm_args(z=self.x.address)

    def test_structs_of_a_later_version(self):
        class Later(fastnorm.NormDesc):
            _fields_ = [("later", ctypes.c_int64)]

        desc = Later.from_buffer_copy(bytes(self.desc) + bytes(8))
        desc.struct_size = ctypes.sizeof(Later)
        self.library.normalize(desc, self.args, options=self.options)
        self.check_y()
        desc.later = 1
        with self.assertRaises(fastnorm.FastnormError) as caught:
            self.library.normalize(desc, self.args, options=self.options)
        self.assertEqual(caught.exception.status, fastnorm.Status.UNSUPPORTED)
        desc.struct_size = 8
        with self.assertRaises(fastnorm.FastnormError) as caught:
            self.library.normalize(desc, self.args, options=self.options)
        self.assertEqual(caught.exception.status, fastnorm.Status.INVALID_ARGUMENT)

    def test_each_thread_has_its_own_message(self):
        self.library.c.fastnorm_plan_create(None, None, None)
        message = self.library.c.fastnorm_last_error()
        others = []
        thread = threading.Thread(
            target=lambda: others.append(self.library.c.fastnorm_last_error()))
        thread.start()
        thread.join()
        self.assertEqual(others, [b""])
        self.assertEqual(self.library.c.fastnorm_last_error(), message)
        self.assertNotEqual(message, b"")

    def test_untuned_cases(self):
        before = self.library.untuned_cases()
        self.library.plan(self.library.norm_desc(extents=(3, 10, 143), groups=5),
                          self.options).close()
        added = self.library.untuned_cases()[len(before):]
        self.assertEqual(len(added), 1)
        self.assertRegex(added[0], "^{name: group_norm_3x10x143")

    def test_selection_digest(self):
        small, large = (self.library.norm_desc(extents=(2, 8, extent), groups=4) for extent in (9, 900))
        digest = self.library.selection_digest([small, large], self.options)
        self.assertRegex(digest, "^[0-9a-f]{64}$")
        self.assertEqual(self.library.selection_digest([large, small, small], self.options), digest)
        self.assertNotEqual(self.library.selection_digest([small], self.options), digest)
        self.assertIn(f"#define FASTNORM_SELECTION_DIGEST_SIZE {fastnorm.SELECTION_DIGEST_SIZE}\n",
                      Path(HEADER).read_text())

    def test_backend_info(self):
        with self.library.plan(self.desc, self.options) as plan:
            info = self.library.backend_info(plan.backend, plan.device)
        self.assertEqual(info.memory, fastnorm.Memory.HOST)
        self.assertGreaterEqual(info.processors, 1)
        self.assertIn(info.host_space, (b"Serial", b"OpenMP", b"Threads", b"HPX"))
        self.assertRegex(info.kokkos_version, rb"^\d+\.\d+\.\d\d$")
        self.assertTrue(info.device_name and info.instruction_set)
        self.assertEqual(info.cuda_version, b"")
        with self.assertRaises(fastnorm.FastnormError) as caught:
            self.library.backend_info("nowhere")
        self.assertEqual(caught.exception.status, fastnorm.Status.INVALID_ARGUMENT)

    def test_version(self):
        self.assertRegex(self.library.version, r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
