// SPDX-License-Identifier: Apache-2.0
/// Refusals: the status, the message to the letter, and nothing written.
#include "call.h"
#include "checks.h"
#include "tests.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { n = 2, c = 6, height = 5, width = 7, s = height * width, groups = 3 };

static const int64_t extents[] = {n, c, height, width};
enum { rank = sizeof extents / sizeof *extents };

static fastnorm_norm_desc right_desc(void) {
  fastnorm_norm_desc desc;
  fastnorm_norm_desc_init(&desc, sizeof desc);
  desc.rank = rank;
  desc.extents = extents;
  desc.groups = groups;
  return desc;
}

static fastnorm_norm_args right_args(const call* made) {
  fastnorm_norm_args args;
  fastnorm_norm_args_init(&args, sizeof args);
  args.x = made->x.tensor.data;
  args.y = made->y.tensor.data;
  return args;
}

/// Both ways to a plan refuse the descriptor or the options, and leave no handle.
static void refuse(const fastnorm_norm_desc* desc, const fastnorm_plan_options* options,
                   const fastnorm_norm_args* args, fastnorm_status status, const char* message) {
  fastnorm_plan* plan = (fastnorm_plan*)(uintptr_t)1;
  CHECK_FAILS(fastnorm_plan_create(desc, options, &plan), status, message);
  CHECK(plan == NULL);
  CHECK_FAILS(fastnorm_normalize(desc, args, NULL, options), status, message);
}

void null_pointers(const test_space* space) {
  call made = call_make(space, n, c, s, n * groups, false);
  const fastnorm_plan_options options = options_for(space);
  const fastnorm_norm_args args = right_args(&made);
  fastnorm_norm_desc desc = right_desc();
  refuse(NULL, &options, &args, FASTNORM_INVALID_ARGUMENT,
         "desc is null; it must point to a fastnorm_norm_desc");
  CHECK_FAILS(fastnorm_plan_create(&desc, &options, NULL), FASTNORM_INVALID_ARGUMENT,
              "plan is null; it must point to where the handle goes");
  CHECK_FAILS(fastnorm_normalize(&desc, NULL, NULL, &options), FASTNORM_INVALID_ARGUMENT,
              "args is null; it must point to a fastnorm_norm_args");
  CHECK_FAILS(fastnorm_plan_execute(NULL, &args, NULL, 0, NULL), FASTNORM_INVALID_ARGUMENT,
              "plan is null; it must point to what fastnorm_plan_create has made");
  fastnorm_plan* plan = NULL;
  if (CHECK_OK(fastnorm_plan_create(&desc, &options, &plan))) {
    CHECK_FAILS(fastnorm_plan_execute(plan, NULL, NULL, 0, NULL), FASTNORM_INVALID_ARGUMENT,
                "args is null; it must point to a fastnorm_norm_args");
  }
  fastnorm_plan_destroy(plan);
  desc.extents = NULL;
  refuse(&desc, &options, &args, FASTNORM_INVALID_ARGUMENT,
         "extents is null; it must point to 4 extents");
  CHECK_FAILS(fastnorm_group_norm(NULL, rank, groups, args.x, args.y, NULL, NULL, NULL),
              FASTNORM_INVALID_ARGUMENT, "extents is null; it must point to 4 extents");
  CHECK_FAILS(fastnorm_untuned_list_create(NULL), FASTNORM_INVALID_ARGUMENT,
              "list is null; it must point to where the handle goes");
  CHECK_FAILS(fastnorm_untuned_list_desc(NULL, 0, &desc), FASTNORM_INVALID_ARGUMENT,
              "list is null; it must point to what fastnorm_untuned_list_create has made");
  fastnorm_backend_info info;
  fastnorm_backend_info_init(&info, sizeof info);
  CHECK_FAILS(fastnorm_backend_describe(NULL, -1, &info), FASTNORM_INVALID_ARGUMENT,
              "backend is null; it must point to a back end's name");
  CHECK_FAILS(fastnorm_backend_describe("cuda", -1, NULL), FASTNORM_INVALID_ARGUMENT,
              "info is null; it must point to a fastnorm_backend_info");
  CHECK(call_is_untouched(&made));

  CHECK(fastnorm_plan_workspace_bytes(NULL) == 0);
  CHECK(fastnorm_plan_backend(NULL) == NULL);
  CHECK(fastnorm_plan_strategy(NULL) == NULL);
  CHECK(fastnorm_plan_config(NULL) == NULL);
  CHECK(fastnorm_plan_describe(NULL) == NULL);
  CHECK(fastnorm_plan_memory(NULL) == FASTNORM_MEMORY_AUTOMATIC);
  CHECK(fastnorm_plan_device(NULL) == -1);
  CHECK(fastnorm_untuned_list_size(NULL) == 0);
  CHECK(fastnorm_untuned_list_backend(NULL, 0) == NULL);
  CHECK(fastnorm_untuned_list_served_by(NULL, 0) == NULL);
  CHECK(fastnorm_untuned_list_case_text(NULL, 0) == NULL);
  fastnorm_plan_destroy(NULL);
  fastnorm_untuned_list_destroy(NULL);
  fastnorm_epilogue_init(NULL, sizeof(fastnorm_epilogue));
  fastnorm_norm_desc_init(NULL, sizeof(fastnorm_norm_desc));
  fastnorm_norm_args_init(NULL, sizeof(fastnorm_norm_args));
  fastnorm_plan_options_init(NULL, sizeof(fastnorm_plan_options));
  fastnorm_norm_options_init(NULL, sizeof(fastnorm_norm_options));
  fastnorm_backend_info_init(NULL, sizeof(fastnorm_backend_info));
  call_release(&made);
}

/// A number of 32 bits in a struct, and what is said of it.
typedef struct wrong_number {
  size_t offset;
  int32_t value;
  fastnorm_status status;
  const char* message;
} wrong_number;

static void set_number(void* in_struct, const wrong_number* wrong) {
  memcpy((char*)in_struct + wrong->offset, &wrong->value, sizeof wrong->value);
}

/// 256 is 0 in a byte, as wide as the enums of the library are.
static const wrong_number wrong_in_desc[] = {
    {offsetof(fastnorm_norm_desc, op), 77, FASTNORM_UNSUPPORTED,
     "op=77 is not offered; supported: group_norm, instance_norm, layer_norm, rms_norm"},
    {offsetof(fastnorm_norm_desc, op), 256, FASTNORM_UNSUPPORTED,
     "op=256 is not offered; supported: group_norm, instance_norm, layer_norm, rms_norm"},
    {offsetof(fastnorm_norm_desc, op), -1, FASTNORM_UNSUPPORTED,
     "op=-1 is not offered; supported: group_norm, instance_norm, layer_norm, rms_norm"},
    {offsetof(fastnorm_norm_desc, rank), -1, FASTNORM_INVALID_ARGUMENT,
     "rank=-1 must be from 0 to 16"},
    {offsetof(fastnorm_norm_desc, rank), 17, FASTNORM_INVALID_ARGUMENT,
     "rank=17 must be from 0 to 16"},
    {offsetof(fastnorm_norm_desc, rank), 0, FASTNORM_INVALID_ARGUMENT,
     "extents have rank 0; allowed are N, C and up to 14 spatial extents"},
    {offsetof(fastnorm_norm_desc, x_type), 4, FASTNORM_UNSUPPORTED,
     "x_type=4 is not offered; supported: f32, f16, bf16, f64"},
    {offsetof(fastnorm_norm_desc, y_type), 4, FASTNORM_UNSUPPORTED,
     "y_type=4 is not offered; supported: f32, f16, bf16, f64"},
    {offsetof(fastnorm_norm_desc, y_type), FASTNORM_DTYPE_F64, FASTNORM_UNSUPPORTED,
     "x_type=f32 with y_type=f64 is not offered; the two are equal, or one is f32 and the other "
     "f16 or bf16"},
    {offsetof(fastnorm_norm_desc, affine_type), 4, FASTNORM_UNSUPPORTED,
     "affine_type=4 is not offered; supported: f32, f16, bf16, f64"},
    {offsetof(fastnorm_norm_desc, affine_type), FASTNORM_DTYPE_F16, FASTNORM_UNSUPPORTED,
     "affine_type=f16 with x_type=f32 is not offered; affine_type is x_type or f32"},
    {offsetof(fastnorm_norm_desc, layout), 2, FASTNORM_UNSUPPORTED,
     "layout=2 is not offered; supported: channels_first, channels_last"},
    {offsetof(fastnorm_norm_desc, residual), 3, FASTNORM_UNSUPPORTED,
     "residual=3 is not offered; supported: none, rounded_sum, exact_sum"},
};

static const wrong_number wrong_in_epilogue[] = {
    {offsetof(fastnorm_epilogue, activation), 10, FASTNORM_UNSUPPORTED,
     "activation=10 is not offered; supported: none, relu, leaky_relu, elu, silu, gelu, gelu_tanh, "
     "tanh, hardswish, clamp"},
    {offsetof(fastnorm_epilogue, gamma), 2, FASTNORM_UNSUPPORTED,
     "gamma=2 is not offered; supported: factor, centred_zero"},
    {offsetof(fastnorm_epilogue, normalised), 2, FASTNORM_UNSUPPORTED,
     "normalised=2 is not offered; supported: none, affine_type"},
    {offsetof(fastnorm_epilogue, modulation), 256, FASTNORM_UNSUPPORTED,
     "modulation=256 is not offered; supported: none, scale_shift"},
};

static const wrong_number wrong_in_options[] = {
    {offsetof(fastnorm_plan_options, memory), 3, FASTNORM_INVALID_ARGUMENT,
     "memory=3 is none of automatic, host, device"},
    {offsetof(fastnorm_plan_options, memory), 257, FASTNORM_INVALID_ARGUMENT,
     "memory=257 is none of automatic, host, device"},
    {offsetof(fastnorm_plan_options, tuning), 2, FASTNORM_INVALID_ARGUMENT,
     "tuning=2 is none of database, heuristic"},
    {offsetof(fastnorm_plan_options, launches), -1, FASTNORM_INVALID_ARGUMENT,
     "launches=-1 is none of all, independent_blocks"},
    {offsetof(fastnorm_plan_options, deterministic), 2, FASTNORM_INVALID_ARGUMENT,
     "deterministic=2 must be 0 or 1"},
};

static void refuse_desc(const call* made, const fastnorm_norm_desc* desc, fastnorm_status status,
                        const char* message) {
  const fastnorm_plan_options options = options_for(made->space);
  const fastnorm_norm_args args = right_args(made);
  refuse(desc, &options, &args, status, message);
}

static void refuse_epilogue(const call* made, const fastnorm_epilogue* epilogue,
                            fastnorm_status status, const char* message) {
  fastnorm_norm_desc desc = right_desc();
  desc.epilogue = epilogue;
  refuse_desc(made, &desc, status, message);
}

static void numbers_of_epilogues(const call* made) {
  for (size_t i = 0; i < sizeof wrong_in_epilogue / sizeof *wrong_in_epilogue; ++i) {
    fastnorm_epilogue epilogue;
    fastnorm_epilogue_init(&epilogue, sizeof epilogue);
    set_number(&epilogue, &wrong_in_epilogue[i]);
    refuse_epilogue(made, &epilogue, wrong_in_epilogue[i].status, wrong_in_epilogue[i].message);
  }
  fastnorm_epilogue epilogue;
  fastnorm_epilogue_init(&epilogue, sizeof epilogue);
  epilogue.activation = FASTNORM_ACTIVATION_LEAKY_RELU;
  epilogue.slope = INFINITY;
  refuse_epilogue(made, &epilogue, FASTNORM_INVALID_ARGUMENT, "slope=inf must be finite");
  epilogue.activation = FASTNORM_ACTIVATION_ELU;
  epilogue.alpha = -INFINITY;
  refuse_epilogue(made, &epilogue, FASTNORM_INVALID_ARGUMENT, "alpha=-inf must be finite");
  epilogue.activation = FASTNORM_ACTIVATION_CLAMP;
  epilogue.lower = 2;
  refuse_epilogue(made, &epilogue, FASTNORM_INVALID_ARGUMENT,
                  "lower=2 must not exceed upper=1, and neither may be NaN");
}

void descriptors_that_are_refused(const test_space* space) {
  call made = call_make(space, n, c, s, n * groups, false);
  for (size_t i = 0; i < sizeof wrong_in_desc / sizeof *wrong_in_desc; ++i) {
    fastnorm_norm_desc desc = right_desc();
    set_number(&desc, &wrong_in_desc[i]);
    refuse_desc(&made, &desc, wrong_in_desc[i].status, wrong_in_desc[i].message);
  }
  fastnorm_norm_desc desc = right_desc();
  desc.groups = 4;
  refuse_desc(&made, &desc, FASTNORM_INVALID_ARGUMENT,
              "groups=4 must be at least 1 and divide C=6");
  desc = right_desc();
  desc.eps = -1;
  refuse_desc(&made, &desc, FASTNORM_INVALID_ARGUMENT, "eps=-1 must be finite and not negative");
  desc = right_desc();
  desc.op = FASTNORM_OP_LAYER_NORM;
  desc.normalized_rank = 5;
  refuse_desc(&made, &desc, FASTNORM_INVALID_ARGUMENT,
              "normalized_rank=5 must be from 1 to the rank of the extents, 4");
  const int64_t negative[] = {n, c, -3, width};
  desc = right_desc();
  desc.extents = negative;
  refuse_desc(&made, &desc, FASTNORM_INVALID_ARGUMENT, "spatial extent 0=-3 must be at least 0");
  const int64_t backwards[] = {c * s, s, width, -1};
  desc = right_desc();
  desc.y_strides = backwards;
  refuse_desc(&made, &desc, FASTNORM_INVALID_ARGUMENT,
              "y_strides=210x35x7x-1 for extents=2x6x5x7: the stride of extent 3 is -1, must be at "
              "least 1");
  numbers_of_epilogues(&made);
  CHECK(call_is_untouched(&made));
  call_release(&made);
}

/// The message begins with this; what follows is a list that depends on the build.
static void refuse_options(const call* made, const fastnorm_plan_options* options,
                           fastnorm_status status, const char* beginning) {
  const fastnorm_norm_desc desc = right_desc();
  const fastnorm_norm_args args = right_args(made);
  refuse(&desc, options, &args, status, NULL);
  if (!CHECK(strncmp(fastnorm_last_error(), beginning, strlen(beginning)) == 0)) {
    CHECK_TEXT(fastnorm_last_error(), beginning);
  }
}

void options_that_are_refused(const test_space* space) {
  call made = call_make(space, n, c, s, n * groups, false);
  for (size_t i = 0; i < sizeof wrong_in_options / sizeof *wrong_in_options; ++i) {
    fastnorm_plan_options options = options_for(space);
    set_number(&options, &wrong_in_options[i]);
    refuse_options(&made, &options, wrong_in_options[i].status, wrong_in_options[i].message);
    fastnorm_norm_options of_call;
    fastnorm_norm_options_init(&of_call, sizeof of_call);
    of_call.plan = &options;
    CHECK_FAILS(fastnorm_group_norm(extents, rank, groups, made.x.tensor.data, made.y.tensor.data,
                                    NULL, NULL, &of_call),
                wrong_in_options[i].status, wrong_in_options[i].message);
  }
  fastnorm_plan_options options = options_for(space);
  options.backend = "nowhere";
  refuse_options(&made, &options, FASTNORM_INVALID_ARGUMENT, "backend=\"nowhere\" ");
  options = options_for(space);
  options.strategy = "nohow";
  refuse_options(&made, &options, FASTNORM_INVALID_ARGUMENT,
                 "strategy=\"nohow\" is unknown; allowed: ");
  CHECK(call_is_untouched(&made));
  call_release(&made);
}

static void refuse_args(const fastnorm_norm_args* args, const test_space* space,
                        const char* message) {
  const fastnorm_norm_desc desc = right_desc();
  const fastnorm_plan_options options = options_for(space);
  fastnorm_plan* plan = NULL;
  if (CHECK_OK(fastnorm_plan_create(&desc, &options, &plan))) {
    CHECK_FAILS(run_plan(space, plan, args), FASTNORM_INVALID_ARGUMENT, message);
  }
  fastnorm_plan_destroy(plan);
  CHECK_FAILS(fastnorm_normalize(&desc, args, space->stream, &options), FASTNORM_INVALID_ARGUMENT,
              message);
}

void tensors_that_are_refused(const test_space* space) {
  call made = call_make(space, n, c, s, n * groups, false);
  char message[512];
  fastnorm_norm_args args = right_args(&made);
  args.x = NULL;
  refuse_args(&args, space, "x is null; it must point to 1680 bytes");
  args = right_args(&made);
  args.y = NULL;
  refuse_args(&args, space, "y is null; it must point to 1680 bytes");
  args = right_args(&made);
  args.gamma = (const char*)made.gamma.tensor.data + 2;
  snprintf(message, sizeof message, "gamma=%p must be aligned to its element size, 4 bytes",
           (void*)((char*)made.gamma.tensor.data + 2));
  refuse_args(&args, space, message);
  args = right_args(&made);
  args.y = (char*)made.x.tensor.data + 4;
  snprintf(message, sizeof message,
           "y=%p of 1680 bytes overlaps x=%p of 1680 bytes; an output may overlap nothing, but y "
           "and sum may each be x or residual itself, of the same type and strides",
           args.y, made.x.tensor.data);
  refuse_args(&args, space, message);
  args = right_args(&made);
  args.residual = made.residual.tensor.data;
  snprintf(
      message, sizeof message,
      "residual=%p must be null unless the descriptor's residual, or the options' residual_sum, "
      "is rounded_sum or exact_sum",
      made.residual.tensor.data);
  refuse_args(&args, space, message);
  fastnorm_norm_options of_call;
  fastnorm_norm_options_init(&of_call, sizeof of_call);
  const fastnorm_plan_options of_plan = options_for(space);
  of_call.plan = &of_plan;
  of_call.stream = space->stream;
  of_call.residual = made.residual.tensor.data;
  of_call.residual_sum = FASTNORM_RESIDUAL_NONE;
  CHECK_FAILS(fastnorm_group_norm(extents, rank, groups, made.x.tensor.data, made.y.tensor.data,
                                  NULL, NULL, &of_call),
              FASTNORM_INVALID_ARGUMENT, message);
  args = right_args(&made);
  args.scale = made.scale.tensor.data;
  snprintf(message, sizeof message,
           "scale=%p must be null unless the epilogue's modulation is scale_shift",
           made.scale.tensor.data);
  refuse_args(&args, space, message);
  CHECK(call_is_untouched(&made));
  call_release(&made);
}

/// A plan that needs a workspace: of the strategies that always do, one for each memory space.
static fastnorm_plan* plan_with_workspace(const test_space* space) {
  const int64_t long_rows[] = {1, 1, 1 << 16};
  fastnorm_norm_desc desc;
  fastnorm_norm_desc_init(&desc, sizeof desc);
  desc.op = FASTNORM_OP_INSTANCE_NORM;
  desc.rank = 3;
  desc.extents = long_rows;
  fastnorm_plan_options options = options_for(space);
  options.strategy = space->memory == FASTNORM_MEMORY_HOST ? "split_rows" : "split_two_kernel";
  fastnorm_plan* plan = NULL;
  CHECK_OK(fastnorm_plan_create(&desc, &options, &plan));
  return plan;
}

void workspaces_that_are_refused(const test_space* space) {
  fastnorm_plan* plan = plan_with_workspace(space);
  if (plan == NULL) return;
  const size_t bytes = fastnorm_plan_workspace_bytes(plan);
  CHECK(bytes > 0);
  call made = call_make(space, 1, 1, 1 << 16, 1, false);
  tensor workspace = tensor_poisoned(space, bytes + 16);
  const fastnorm_norm_args args = right_args(&made);
  char message[256];
  snprintf(message, sizeof message, "workspace is null; it must point to %zu bytes", bytes);
  CHECK_FAILS(fastnorm_plan_execute(plan, &args, NULL, bytes, space->stream),
              FASTNORM_INVALID_ARGUMENT, message);
  snprintf(message, sizeof message, "workspace_bytes=%zu is too small; the plan needs %zu",
           bytes - 1, bytes);
  CHECK_FAILS(fastnorm_plan_execute(plan, &args, workspace.data, bytes - 1, space->stream),
              FASTNORM_INVALID_ARGUMENT, message);
  void* const shifted = (char*)workspace.data + 8;
  snprintf(message, sizeof message, "workspace=%p must be aligned to 16 bytes", shifted);
  CHECK_FAILS(fastnorm_plan_execute(plan, &args, shifted, bytes, space->stream),
              FASTNORM_INVALID_ARGUMENT, message);
  CHECK(tensor_is_poisoned(&workspace) && tensor_canaries_intact(&workspace));
  CHECK(call_is_untouched(&made));
  tensor_release(&workspace);
  call_release(&made);
  fastnorm_plan_destroy(plan);
}
