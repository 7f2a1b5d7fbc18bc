// SPDX-License-Identifier: Apache-2.0
/// Results, by every way through the interface.
#include "call.h"
#include "checks.h"
#include "tests.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { n = 2, c = 6, height = 5, width = 7, s = height * width, groups = 3 };

static const int64_t extents[] = {n, c, height, width};
enum { rank = sizeof extents / sizeof *extents };

static double silu(double v) { return v / (1 + exp(-v)); }
static double clamped(double v) { return fmin(fmax(v, -0.25), 0.5); }

static fastnorm_norm_options call_options_for(const test_space* space,
                                              const fastnorm_plan_options* plan) {
  fastnorm_norm_options options;
  fastnorm_norm_options_init(&options, sizeof options);
  options.stream = space->stream;
  options.plan = plan;
  return options;
}

static fastnorm_norm_args no_args(void) {
  fastnorm_norm_args args;
  fastnorm_norm_args_init(&args, sizeof args);
  return args;
}

static fastnorm_norm_desc plain_desc(void) {
  fastnorm_norm_desc desc;
  fastnorm_norm_desc_init(&desc, sizeof desc);
  desc.rank = rank;
  desc.extents = extents;
  desc.groups = groups;
  return desc;
}

/// Through a plan of its own.
static bool make_and_run(const test_space* space, const fastnorm_norm_desc* desc,
                         const fastnorm_norm_args* args) {
  const fastnorm_plan_options options = options_for(space);
  fastnorm_plan* plan = NULL;
  const bool ran = CHECK_OK(fastnorm_plan_create(desc, &options, &plan)) &&
                   CHECK_OK(run_plan(space, plan, args));
  fastnorm_plan_destroy(plan);
  return ran;
}

/// The case of a dense call without anything but x.
static case_of_norm plain_case(const call* made) {
  case_of_norm of;
  memset(&of, 0, sizeof of);
  of.n = made->n;
  of.c = made->c;
  of.s = made->s;
  of.groups = made->rows / made->n;
  of.eps = 1e-5;
  of.x = made->x.values;
  return of;
}

/// With gamma and beta.
static case_of_norm affine_case(const call* made) {
  case_of_norm of = plain_case(made);
  of.gamma = made->gamma.values;
  of.beta = made->beta.values;
  return of;
}

static void check_y_and_release(call* made, const case_of_norm* of) {
  const fastnorm_norm_args y_alone = no_args();
  call_has_results(made, of, &y_alone);
  call_release(made);
}

void group_norm_without_a_plan(const test_space* space) {
  call made = call_make(space, n, c, s, n * groups, false);
  const fastnorm_plan_options plan = options_for(space);
  const fastnorm_norm_options options = call_options_for(space, &plan);
  const case_of_norm of = affine_case(&made);
  CHECK_OK(fastnorm_group_norm(extents, rank, groups, made.x.tensor.data, made.y.tensor.data,
                               made.gamma.tensor.data, made.beta.tensor.data, &options));
  check_y_and_release(&made, &of);
}

static void instance_norm(const test_space* space, const fastnorm_norm_options* options) {
  call made = call_make(space, n, c, s, n * c, false);
  const case_of_norm of = affine_case(&made);
  CHECK_OK(fastnorm_instance_norm(extents, rank, made.x.tensor.data, made.y.tensor.data,
                                  made.gamma.tensor.data, made.beta.tensor.data, options));
  check_y_and_release(&made, &of);
}

static void layer_norm(const test_space* space, const fastnorm_norm_options* options) {
  call made = call_make(space, n * c, 1, s, n * c, true);
  case_of_norm of = affine_case(&made);
  of.each_element = true;
  CHECK_OK(fastnorm_layer_norm(extents, rank, 2, made.x.tensor.data, made.y.tensor.data,
                               made.gamma.tensor.data, made.beta.tensor.data, options));
  check_y_and_release(&made, &of);
}

static void rms_norm(const test_space* space, const fastnorm_norm_options* options) {
  call made = call_make(space, n * c, 1, s, n * c, true);
  case_of_norm of = plain_case(&made);
  of.each_element = true;
  of.without_mean = true;
  of.gamma = made.gamma.values;
  CHECK_OK(fastnorm_rms_norm(extents, rank, 2, made.x.tensor.data, made.y.tensor.data,
                             made.gamma.tensor.data, options));
  check_y_and_release(&made, &of);
}

void every_operation_without_a_plan(const test_space* space) {
  const fastnorm_plan_options plan = options_for(space);
  const fastnorm_norm_options options = call_options_for(space, &plan);
  instance_norm(space, &options);
  layer_norm(space, &options);
  rms_norm(space, &options);
}

void options_of_calls_without_a_plan(const test_space* space) {
  call made = call_make(space, n, c, s, n * groups, false);
  fastnorm_epilogue epilogue;
  fastnorm_epilogue_init(&epilogue, sizeof epilogue);
  epilogue.activation = FASTNORM_ACTIVATION_SILU;
  epilogue.gamma = FASTNORM_GAMMA_FORM_CENTRED_ZERO;
  const fastnorm_plan_options plan = options_for(space);
  fastnorm_norm_options options = call_options_for(space, &plan);
  options.eps = 0.125;
  options.layout = FASTNORM_LAYOUT_CHANNELS_LAST;
  options.residual_sum = FASTNORM_RESIDUAL_EXACT_SUM;
  options.mean = made.mean.tensor.data;
  options.rstd = made.rstd.tensor.data;
  options.residual = made.residual.tensor.data;
  options.sum = made.sum.tensor.data;
  options.scale = made.scale.tensor.data;
  options.shift = made.shift.tensor.data;
  options.epilogue = &epilogue;
  case_of_norm of = plain_case(&made);
  of.eps = 0.125;
  of.channels_last = true;
  of.gamma_minus_one = true;
  of.activation = silu;
  of.residual = made.residual.values;
  of.gamma = made.gamma.values;
  of.beta = made.beta.values;
  of.scale = made.scale.values;
  of.shift = made.shift.values;
  CHECK_OK(fastnorm_group_norm(extents, rank, groups, made.x.tensor.data, made.y.tensor.data,
                               made.gamma.tensor.data, made.beta.tensor.data, &options));
  fastnorm_norm_args args = no_args();
  args.sum = options.sum;
  args.mean = options.mean;
  args.rstd = options.rstd;
  call_has_results(&made, &of, &args);
  call_release(&made);
}

/// x in bf16, y in fp32: each type is taken from its own member.
void half_types_without_a_plan(const test_space* space) {
  call made = call_make(space, n, c, s, n * groups, false);
  uint16_t x[n * c * s];
  for (size_t i = 0; i < n * c * s; ++i) {
    // A bf16 is the upper half of an fp32; the lower one is cut off for both.
    uint32_t bits;
    memcpy(&bits, &made.x.values[i], sizeof bits);
    x[i] = (uint16_t)(bits >> 16);
    bits &= 0xFFFF0000U;
    memcpy(&made.x.values[i], &bits, sizeof bits);
  }
  tensor halves = tensor_of(space, x, sizeof x);
  const fastnorm_plan_options plan = options_for(space);
  fastnorm_norm_options options = call_options_for(space, &plan);
  options.x_type = FASTNORM_DTYPE_BF16;
  const case_of_norm of = plain_case(&made);
  double y[n * c * s];
  expect_norm(&of, y, NULL, NULL, NULL);
  CHECK_OK(fastnorm_group_norm(extents, rank, groups, halves.data, made.y.tensor.data, NULL, NULL,
                               &options));
  CHECK(output_is(&made.y, y));
  CHECK(tensor_holds(&halves, x) && tensor_canaries_intact(&halves));
  tensor_release(&halves);
  call_release(&made);
}

/// With all of an element's tensors, channels-last, clamped.
static fastnorm_norm_desc full_desc(const fastnorm_epilogue* epilogue) {
  fastnorm_norm_desc desc = plain_desc();
  desc.layout = FASTNORM_LAYOUT_CHANNELS_LAST;
  desc.residual = FASTNORM_RESIDUAL_ROUNDED_SUM;
  desc.epilogue = epilogue;
  return desc;
}

static fastnorm_epilogue full_epilogue(void) {
  fastnorm_epilogue epilogue;
  fastnorm_epilogue_init(&epilogue, sizeof epilogue);
  epilogue.activation = FASTNORM_ACTIVATION_CLAMP;
  epilogue.lower = -0.25F;
  epilogue.upper = 0.5F;
  epilogue.modulation = FASTNORM_MODULATION_SCALE_SHIFT;
  return epilogue;
}

static fastnorm_norm_args full_args(const call* made) {
  fastnorm_norm_args args = no_args();
  args.x = made->x.tensor.data;
  args.y = made->y.tensor.data;
  args.gamma = made->gamma.tensor.data;
  args.beta = made->beta.tensor.data;
  args.mean = made->mean.tensor.data;
  args.rstd = made->rstd.tensor.data;
  args.residual = made->residual.tensor.data;
  args.sum = made->sum.tensor.data;
  args.scale = made->scale.tensor.data;
  args.shift = made->shift.tensor.data;
  return args;
}

static case_of_norm full_case(const call* made) {
  case_of_norm of = plain_case(made);
  of.channels_last = true;
  of.activation = clamped;
  of.residual = made->residual.values;
  of.gamma = made->gamma.values;
  of.beta = made->beta.values;
  of.scale = made->scale.values;
  of.shift = made->shift.values;
  return of;
}

void descriptor_without_a_plan(const test_space* space) {
  call made = call_make(space, n, c, s, n * groups, false);
  const fastnorm_epilogue epilogue = full_epilogue();
  const fastnorm_norm_desc desc = full_desc(&epilogue);
  const fastnorm_norm_args args = full_args(&made);
  const fastnorm_plan_options options = options_for(space);
  const case_of_norm of = full_case(&made);
  CHECK_OK(fastnorm_normalize(&desc, &args, space->stream, &options));
  call_has_results(&made, &of, &args);
  call_release(&made);
}

void plan_with_every_tensor(const test_space* space) {
  call made = call_make(space, n, c, s, n * groups, false);
  const fastnorm_epilogue epilogue = full_epilogue();
  const fastnorm_norm_desc desc = full_desc(&epilogue);
  const fastnorm_norm_args args = full_args(&made);
  const case_of_norm of = full_case(&made);
  if (make_and_run(space, &desc, &args)) call_has_results(&made, &of, &args);
  call_release(&made);
}

void plan_in_place(const test_space* space) {
  call made = call_make(space, n, c, s, n * groups, false);
  const fastnorm_norm_desc desc = plain_desc();
  fastnorm_norm_args args = no_args();
  args.x = made.x.tensor.data;
  args.y = made.x.tensor.data;
  const case_of_norm of = plain_case(&made);
  double y[n * c * s];
  expect_norm(&of, y, NULL, NULL, NULL);
  if (make_and_run(space, &desc, &args)) {
    const output overwritten = {made.x.count, made.x.tensor};
    CHECK(output_is(&overwritten, y));
    CHECK(tensor_is_poisoned(&made.y.tensor));
  }
  call_release(&made);
}

/// x from the middle of rows of a wider image, y dense.
void plan_of_strided_tensors(const test_space* space) {
  enum { pitch = width + 4 };
  const int64_t wide[] = {c * height * pitch, height * pitch, pitch, 1};
  call made = call_make(space, n, c, s, n * groups, false);
  float x[n * c * height * pitch];
  for (size_t i = 0; i < sizeof x / sizeof *x; ++i) x[i] = NAN;
  for (size_t i = 0; i < n * c * s; ++i) x[i / width * pitch + i % width] = made.x.values[i];
  tensor image = tensor_of(space, x, sizeof x);
  fastnorm_norm_desc desc = plain_desc();
  desc.x_strides = wide;
  fastnorm_norm_args args = no_args();
  args.x = image.data;
  args.y = made.y.tensor.data;
  const case_of_norm of = plain_case(&made);
  if (make_and_run(space, &desc, &args)) call_has_results(&made, &of, &args);
  tensor_release(&image);
  call_release(&made);
}

void plan_of_nothing(const test_space* space) {
  const int64_t none[] = {0, c, height, width};
  fastnorm_norm_desc desc = plain_desc();
  desc.extents = none;
  const fastnorm_plan_options options = options_for(space);
  const fastnorm_norm_args args = no_args();
  fastnorm_plan* plan = NULL;
  if (CHECK_OK(fastnorm_plan_create(&desc, &options, &plan))) {
    CHECK(fastnorm_plan_workspace_bytes(plan) == 0);
    CHECK(strstr(fastnorm_plan_describe(plan), "nothing to do (no elements)") != NULL);
    CHECK_OK(fastnorm_plan_execute(plan, &args, NULL, 0, space->stream));
  }
  fastnorm_plan_destroy(plan);
}

static fastnorm_plan* plain_plan(const fastnorm_plan_options* options) {
  const fastnorm_norm_desc desc = plain_desc();
  fastnorm_plan* plan = NULL;
  CHECK_OK(fastnorm_plan_create(&desc, options, &plan));
  return plan;
}

void plan_says_what_runs(const test_space* space) {
  fastnorm_plan_options options = options_for(space);
  options.tuning = FASTNORM_TUNING_HEURISTIC;
  options.deterministic = 1;
  options.launches = FASTNORM_LAUNCHES_INDEPENDENT_BLOCKS;
  fastnorm_plan* plan = plain_plan(&options);
  if (plan == NULL) return;
  const char* description = fastnorm_plan_describe(plan);
  CHECK(strstr(description, "group_norm 2x6x5x7 groups=3 f32 on ") == description);
  CHECK(strstr(description, fastnorm_plan_backend(plan)) != NULL);
  CHECK(strstr(description, fastnorm_plan_strategy(plan)) != NULL);
  CHECK(strstr(description, fastnorm_plan_config(plan)) != NULL);
  CHECK(strstr(description, " [heuristic: ") != NULL);
  CHECK(strlen(fastnorm_plan_strategy(plan)) > 0);
  CHECK(fastnorm_plan_memory(plan) == space->memory);
  CHECK(fastnorm_plan_device(plan) >= 0 || space->memory == FASTNORM_MEMORY_HOST);
  fastnorm_plan_destroy(plan);
}

void plan_is_forced_by_names(const test_space* space) {
  fastnorm_plan_options options = options_for(space);
  fastnorm_plan* chosen = plain_plan(&options);
  if (chosen == NULL) return;
  // The names are the chosen plan's own, and are read during the call alone.
  options.backend = fastnorm_plan_backend(chosen);
  options.strategy = fastnorm_plan_strategy(chosen);
  options.config = fastnorm_plan_config(chosen);
  fastnorm_plan* forced = plain_plan(&options);
  if (forced != NULL) {
    CHECK_TEXT(fastnorm_plan_backend(forced), fastnorm_plan_backend(chosen));
    CHECK_TEXT(fastnorm_plan_strategy(forced), fastnorm_plan_strategy(chosen));
    CHECK_TEXT(fastnorm_plan_config(forced), fastnorm_plan_config(chosen));
    CHECK(strstr(fastnorm_plan_describe(forced), " [forced: ") != NULL);
  }
  fastnorm_plan_destroy(chosen);
  fastnorm_plan_destroy(forced);
}
