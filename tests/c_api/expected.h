// SPDX-License-Identifier: Apache-2.0
/// What a normalization comes to, in double precision and from its definition.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Dense tensors of n samples, c channels and s positions: [n][c][s] or, channels-last, [n][s][c].
/// Rows are groups of channels; with c = groups = 1 and n rows, those of layer_norm. All but x may
/// be null. gamma and beta are of a channel, or with `each_element` of an element of the row; scale
/// and shift are of a channel of a sample.
typedef struct case_of_norm {
  size_t n, c, s, groups;
  double eps;
  bool channels_last;
  bool each_element;
  bool without_mean;
  bool gamma_minus_one;
  double (*activation)(double value);
  const float *x, *residual, *gamma, *beta, *scale, *shift;
} case_of_norm;

/// Outputs that nobody wants may be null: y and sum like x, mean and rstd [n][groups].
void expect_norm(const case_of_norm* of, double* y, double* mean, double* rstd, double* sum);
