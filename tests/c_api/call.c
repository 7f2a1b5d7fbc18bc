// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include "checks.h"

#include <math.h>
#include <stdlib.h>

static void* checked_malloc(size_t bytes) {
  void* memory = malloc(bytes);
  if (memory == NULL) abort();
  return memory;
}

input input_make(const test_space* space, size_t count, unsigned seed) {
  input in;
  in.count = count;
  in.values = checked_malloc(count * sizeof *in.values);
  for (size_t i = 0; i < count; ++i) {
    in.values[i] = (float)((i * 7919 + seed * 104729 + 13) % 1009) / 252.25F - 2;
  }
  in.tensor = tensor_of(space, in.values, count * sizeof *in.values);
  return in;
}

void input_release(input* in) {
  tensor_release(&in->tensor);
  free(in->values);
}

output output_make(const test_space* space, size_t count) {
  const output out = {count, tensor_poisoned(space, count * sizeof(float))};
  return out;
}

void output_release(output* out) { tensor_release(&out->tensor); }

bool output_is(const output* out, const double* expected) {
  float* values = checked_malloc(out->tensor.bytes);
  tensor_read(&out->tensor, values);
  bool close = true;
  for (size_t i = 0; i < out->count; ++i) {
    const double tolerance = 5e-5 * fmax(1, fabs(expected[i]));
    close = close && fabs((double)values[i] - expected[i]) <= tolerance;
  }
  free(values);
  return close && tensor_canaries_intact(&out->tensor);
}

call call_make(const test_space* space, size_t n, size_t c, size_t s, size_t rows,
               bool each_element) {
  const size_t channels = each_element ? s : c;
  call made;
  made.space = space;
  made.n = n;
  made.c = c;
  made.s = s;
  made.rows = rows;
  made.x = input_make(space, n * c * s, 1);
  made.residual = input_make(space, n * c * s, 2);
  made.gamma = input_make(space, channels, 3);
  made.beta = input_make(space, channels, 4);
  made.scale = input_make(space, n * c, 5);
  made.shift = input_make(space, n * c, 6);
  made.y = output_make(space, n * c * s);
  made.sum = output_make(space, n * c * s);
  made.mean = output_make(space, rows);
  made.rstd = output_make(space, rows);
  return made;
}

void call_release(call* made) {
  input* const inputs[] = {&made->x,    &made->residual, &made->gamma,
                           &made->beta, &made->scale,    &made->shift};
  output* const outputs[] = {&made->y, &made->sum, &made->mean, &made->rstd};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; ++i) input_release(inputs[i]);
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; ++i) output_release(outputs[i]);
}

static bool inputs_are_as_before(const call* made) {
  const input* const inputs[] = {&made->x,    &made->residual, &made->gamma,
                                 &made->beta, &made->scale,    &made->shift};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; ++i) {
    if (!tensor_holds(&inputs[i]->tensor, inputs[i]->values)) return false;
    if (!tensor_canaries_intact(&inputs[i]->tensor)) return false;
  }
  return true;
}

bool call_has_results(const call* made, const case_of_norm* of, const fastnorm_norm_args* args) {
  const size_t elements = made->n * made->c * made->s;
  double* y = checked_malloc(elements * sizeof *y);
  double* sum = checked_malloc(elements * sizeof *sum);
  double* mean = checked_malloc(made->rows * sizeof *mean);
  double* rstd = checked_malloc(made->rows * sizeof *rstd);
  expect_norm(of, y, mean, rstd, sum);
  const bool right = CHECK(output_is(&made->y, y)) &&
                     (args->sum == NULL || CHECK(output_is(&made->sum, sum))) &&
                     (args->mean == NULL || CHECK(output_is(&made->mean, mean))) &&
                     (args->rstd == NULL || CHECK(output_is(&made->rstd, rstd))) &&
                     CHECK(inputs_are_as_before(made));
  free(y);
  free(sum);
  free(mean);
  free(rstd);
  return right;
}

bool call_is_untouched(const call* made) {
  const output* const outputs[] = {&made->y, &made->sum, &made->mean, &made->rstd};
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; ++i) {
    if (!tensor_is_poisoned(&outputs[i]->tensor)) return false;
    if (!tensor_canaries_intact(&outputs[i]->tensor)) return false;
  }
  return inputs_are_as_before(made);
}

fastnorm_plan_options options_for(const test_space* space) {
  fastnorm_plan_options options;
  fastnorm_plan_options_init(&options, sizeof options);
  options.memory = space->memory;
  return options;
}

fastnorm_status run_plan(const test_space* space, const fastnorm_plan* plan,
                         const fastnorm_norm_args* args) {
  const size_t bytes = fastnorm_plan_workspace_bytes(plan);
  tensor workspace = tensor_poisoned(space, bytes);
  const fastnorm_status status =
      fastnorm_plan_execute(plan, args, workspace.data, bytes, space->stream);
  CHECK(tensor_canaries_intact(&workspace));
  tensor_release(&workspace);
  return status;
}
