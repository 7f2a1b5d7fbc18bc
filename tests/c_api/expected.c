// SPDX-License-Identifier: Apache-2.0
#include "expected.h"

#include <math.h>

static size_t place(const case_of_norm* of, size_t sample, size_t channel, size_t position) {
  return of->channels_last ? (sample * of->s + position) * of->c + channel
                           : (sample * of->c + channel) * of->s + position;
}

static double summed(const case_of_norm* of, size_t at) {
  const double x = of->x[at];
  return of->residual == NULL ? x : x + (double)of->residual[at];
}

static double value_or(const float* values, size_t at, double otherwise) {
  return values == NULL ? otherwise : (double)values[at];
}

static double output(const case_of_norm* of, double normalised, size_t sample, size_t channel,
                     size_t position) {
  const size_t of_affine = of->each_element ? position : channel;
  const size_t of_sample = sample * of->c + channel;
  const double gamma =
      value_or(of->gamma, of_affine, 1) + (of->gamma_minus_one && of->gamma != NULL ? 1 : 0);
  const double affine = normalised * gamma + value_or(of->beta, of_affine, 0);
  const double modulated =
      affine * (1 + value_or(of->scale, of_sample, 0)) + value_or(of->shift, of_sample, 0);
  return of->activation == NULL ? modulated : of->activation(modulated);
}

void expect_norm(const case_of_norm* of, double* y, double* mean, double* rstd, double* sum) {
  const size_t per_group = of->c / of->groups;
  const double count = (double)(per_group * of->s);
  for (size_t row = 0; row < of->n * of->groups; ++row) {
    const size_t sample = row / of->groups;
    const size_t first = row % of->groups * per_group;
    double total = 0;
    for (size_t c = first; c < first + per_group; ++c) {
      for (size_t s = 0; s < of->s; ++s) total += summed(of, place(of, sample, c, s));
    }
    const double centre = of->without_mean ? 0 : total / count;
    double squares = 0;
    for (size_t c = first; c < first + per_group; ++c) {
      for (size_t s = 0; s < of->s; ++s) {
        const double deviation = summed(of, place(of, sample, c, s)) - centre;
        squares += deviation * deviation;
      }
    }
    const double factor = 1 / sqrt(squares / count + of->eps);
    if (mean != NULL) mean[row] = centre;
    if (rstd != NULL) rstd[row] = factor;
    for (size_t c = first; c < first + per_group; ++c) {
      for (size_t s = 0; s < of->s; ++s) {
        const size_t at = place(of, sample, c, s);
        if (y != NULL) y[at] = output(of, (summed(of, at) - centre) * factor, sample, c, s);
        if (sum != NULL) sum[at] = summed(of, at);
      }
    }
  }
}
