#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes cases of random shapes, which no file lists: what a heuristic makes of them shows whether
it knows the device or the workloads.

The same seed gives the same cases. Tensors have about 128 KiB to 512 MiB, extents any number, prime
ones among them. Half of the group_norm and instance_norm are channels-last, and a third of the
layer_norm and rms_norm are over the channels of channels-first images.
"""

import argparse
import math
import random
import sys

ELEMENT_BYTES = {"f32": 4, "f16": 2, "bf16": 2}
ACTIVATIONS = ("relu", "leaky_relu", "elu", "silu", "gelu", "tanh", "hardswish")
LEAST_BYTES, MOST_BYTES = 2**17, 2**29


def log_uniform(draw, low, high):
    return round(math.exp(draw.uniform(math.log(low), math.log(high))))


def divisors(number):
    return [d for d in range(1, number + 1) if number % d == 0]


def split(draw, number, parts):
    """Extents whose product is close to `number`."""
    extents = []
    for left in range(parts, 1, -1):
        extent = max(1, round(number ** (1 / left) * draw.uniform(0.5, 2)))
        extents.append(extent)
        number = max(1, number // extent)
    return extents + [number]


def case(draw, memory, number):
    """`memory` draws what the elements' places depend on, and nothing that their number does."""
    dtype = draw.choice(list(ELEMENT_BYTES))
    op = draw.choice(("group_norm", "group_norm", "instance_norm", "layer_norm", "rms_norm"))
    elements = log_uniform(draw, LEAST_BYTES, MOST_BYTES) // ELEMENT_BYTES[dtype]
    activation = draw.choice(ACTIVATIONS) if draw.random() < 0.5 else "none"
    if op in ("layer_norm", "rms_norm"):
        c = min(elements, log_uniform(draw, 32, 32768))
        n, spatial, groups, layout = max(1, elements // c), [], 1, "rows"
        if memory.random() < 1 / 3:
            op += "_channels"
            rank = memory.choice((1, 2, 2, 2, 3))
            positions = n
            n = log_uniform(memory, 1, min(64, positions))
            spatial = split(memory, positions // n, rank)
            layout = "ncdhw" if rank == 3 else "nchw"
    else:
        c = min(elements, log_uniform(draw, 3, 2048))
        n = log_uniform(draw, 1, min(256, max(2, elements // c)))
        rank = draw.choice((1, 2, 2, 2, 3))
        spatial = split(draw, max(1, elements // (n * c)), rank)
        groups = c if op == "instance_norm" else draw.choice(divisors(c))
        layout = "ncdhw" if rank == 3 else "nchw"
        if memory.random() < 1 / 2:
            layout = "ndhwc" if rank == 3 else "nhwc"
    return (f"- {{name: random_{number:02}, op: {op}, n: {n}, c: {c}, spatial: {spatial}, "
            f"groups: {groups}, dtype: {dtype}, layout: {layout}, activation: {activation}}}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    draw, memory = random.Random(options.seed), random.Random(f"memory {options.seed}")
    for number in range(options.count):
        print(case(draw, memory, number))
    return 0


if __name__ == "__main__":
    sys.exit(main())
