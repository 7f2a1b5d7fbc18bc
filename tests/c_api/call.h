// SPDX-License-Identifier: Apache-2.0
/// A call of some operation with every tensor that it may have, in the memory under test.
#pragma once

#include "expected.h"
#include "space.h"
#include "tensor.h"

#include <stdbool.h>

/// fp32 values on the host, with what the library has of them.
typedef struct input {
  float* values;
  size_t count;
  tensor tensor;
} input;

/// Different ones for each seed, between -2 and 2.
input input_make(const test_space* space, size_t count, unsigned seed);
void input_release(input* in);

/// An output of fp32.
typedef struct output {
  size_t count;
  tensor tensor;
} output;

output output_make(const test_space* space, size_t count);
void output_release(output* out);

/// Whether all elements are within a tolerance of the expected ones, and what is around them is as
/// it was. NaN never is.
bool output_is(const output* out, const double* expected);

/// Inputs and outputs of n samples, c channels and s positions; statistics are one a row.
typedef struct call {
  const test_space* space;
  size_t n, c, s, rows;
  input x, residual, gamma, beta, scale, shift;
  output y, sum, mean, rstd;
} call;

/// Affine inputs are of c channels, with `each_element` of s elements of a row.
call call_make(const test_space* space, size_t n, size_t c, size_t s, size_t rows,
               bool each_element);
void call_release(call* made);

/// The outputs are as `of` says: y always, the others where they are in `args`.
bool call_has_results(const call* made, const case_of_norm* of, const fastnorm_norm_args* args);

/// Nothing has been written.
bool call_is_untouched(const call* made);

/// The defaults, for plans in the memory under test.
fastnorm_plan_options options_for(const test_space* space);

/// Runs a plan with a workspace of its own, full of NaN, whose canaries are looked at, too.
fastnorm_status run_plan(const test_space* space, const fastnorm_plan* plan,
                         const fastnorm_norm_args* args);
