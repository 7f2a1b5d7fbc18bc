// SPDX-License-Identifier: Apache-2.0
/// Structs of other sizes than the library's, as programs of other versions have them.
#include "call.h"
#include "checks.h"
#include "tests.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { n = 2, c = 6, s = 35, groups = 3 };

static const int64_t extents[] = {n, c, s};
enum { rank = sizeof extents / sizeof *extents };

/// Structs as a later version might have them.
typedef struct later_epilogue {
  fastnorm_epilogue now;
  int64_t later;
} later_epilogue;
typedef struct later_desc {
  fastnorm_norm_desc now;
  int64_t later;
} later_desc;
typedef struct later_args {
  fastnorm_norm_args now;
  void* later;
} later_args;
typedef struct later_plan_options {
  fastnorm_plan_options now;
  int64_t later;
} later_plan_options;
typedef struct later_norm_options {
  fastnorm_norm_options now;
  int64_t later;
} later_norm_options;

/// All structs of a call, of this version or the later one, whose members say the same.
typedef struct structs {
  later_epilogue epilogue;
  later_desc desc;
  later_args args;
  later_plan_options plan;
  later_norm_options options;
} structs;

/// `more` is how much larger than the library's each struct says that it is.
static void init_structs(structs* all, size_t more, const call* made) {
  memset(all, 0xAA, sizeof *all);
  fastnorm_epilogue_init(&all->epilogue.now, sizeof(fastnorm_epilogue) + more);
  fastnorm_norm_desc_init(&all->desc.now, sizeof(fastnorm_norm_desc) + more);
  fastnorm_norm_args_init(&all->args.now, sizeof(fastnorm_norm_args) + more);
  fastnorm_plan_options_init(&all->plan.now, sizeof(fastnorm_plan_options) + more);
  fastnorm_norm_options_init(&all->options.now, sizeof(fastnorm_norm_options) + more);
  all->desc.now.rank = rank;
  all->desc.now.extents = extents;
  all->desc.now.groups = groups;
  all->desc.now.epilogue = &all->epilogue.now;
  all->args.now.x = made->x.tensor.data;
  all->args.now.y = made->y.tensor.data;
  all->plan.now.memory = made->space->memory;
  all->options.now.plan = &all->plan.now;
  all->options.now.epilogue = &all->epilogue.now;
  all->options.now.stream = made->space->stream;
}

static fastnorm_status normalize(const structs* all) {
  return fastnorm_normalize(&all->desc.now, &all->args.now, all->options.now.stream,
                            &all->plan.now);
}

static fastnorm_status group_norm(const structs* all) {
  return fastnorm_group_norm(extents, rank, groups, all->args.now.x, all->args.now.y, NULL, NULL,
                             &all->options.now);
}

static void check_result(const call* made, const fastnorm_norm_args* args) {
  case_of_norm of;
  memset(&of, 0, sizeof of);
  of.n = n;
  of.c = c;
  of.s = s;
  of.groups = groups;
  of.eps = 1e-5;
  of.x = made->x.values;
  call_has_results(made, &of, args);
}

void defaults_of_structs(const test_space* space) {
  call made = call_make(space, n, c, s, n * groups, false);
  structs all;
  init_structs(&all, 0, &made);
  CHECK(all.epilogue.now.struct_size == sizeof(fastnorm_epilogue));
  CHECK(all.epilogue.now.activation == FASTNORM_ACTIVATION_NONE);
  CHECK(all.epilogue.now.slope == 0.01F && all.epilogue.now.alpha == 1);
  CHECK(all.epilogue.now.lower == -1 && all.epilogue.now.upper == 1);
  CHECK(all.epilogue.now.gamma == FASTNORM_GAMMA_FORM_FACTOR);
  CHECK(all.epilogue.now.normalised == FASTNORM_NORMALISED_ROUNDING_NONE);
  CHECK(all.epilogue.now.modulation == FASTNORM_MODULATION_NONE);

  CHECK(all.desc.now.struct_size == sizeof(fastnorm_norm_desc));
  CHECK(all.desc.now.op == FASTNORM_OP_GROUP_NORM);
  CHECK(all.desc.now.eps == 1e-5 && all.desc.now.normalized_rank == 1);
  CHECK(all.desc.now.x_type == FASTNORM_DTYPE_F32 && all.desc.now.y_type == FASTNORM_DTYPE_F32);
  CHECK(all.desc.now.affine_type == FASTNORM_DTYPE_F32);
  CHECK(all.desc.now.layout == FASTNORM_LAYOUT_CHANNELS_FIRST);
  CHECK(all.desc.now.residual == FASTNORM_RESIDUAL_NONE);
  CHECK(all.desc.now.x_strides == NULL && all.desc.now.y_strides == NULL);

  const fastnorm_norm_args* args = &all.args.now;
  CHECK(args->struct_size == sizeof(fastnorm_norm_args));
  CHECK(args->gamma == NULL && args->beta == NULL && args->mean == NULL && args->rstd == NULL);
  CHECK(args->residual == NULL && args->sum == NULL && args->scale == NULL && args->shift == NULL);

  const fastnorm_plan_options* plan = &all.plan.now;
  CHECK(plan->struct_size == sizeof(fastnorm_plan_options));
  CHECK(plan->device == -1 && plan->deterministic == 0);
  CHECK(plan->tuning == FASTNORM_TUNING_DATABASE && plan->launches == FASTNORM_LAUNCHES_ALL);
  CHECK(plan->backend == NULL && plan->strategy == NULL && plan->config == NULL);

  const fastnorm_norm_options* options = &all.options.now;
  CHECK(options->struct_size == sizeof(fastnorm_norm_options));
  CHECK(options->eps == 1e-5 && options->layout == FASTNORM_LAYOUT_CHANNELS_FIRST);
  CHECK(options->x_type == FASTNORM_DTYPE_F32 && options->y_type == FASTNORM_DTYPE_F32);
  CHECK(options->affine_type == FASTNORM_DTYPE_F32);
  CHECK(options->residual_sum == FASTNORM_RESIDUAL_ROUNDED_SUM);
  CHECK(options->x_strides == NULL && options->y_strides == NULL);
  CHECK(options->mean == NULL && options->rstd == NULL && options->sum == NULL);
  CHECK(options->residual == NULL && options->scale == NULL && options->shift == NULL);

  fastnorm_plan_options fresh;
  fastnorm_plan_options_init(&fresh, sizeof fresh);
  CHECK(fresh.memory == FASTNORM_MEMORY_AUTOMATIC);
  fastnorm_norm_desc empty;
  fastnorm_norm_desc_init(&empty, sizeof empty);
  CHECK(empty.rank == 0 && empty.extents == NULL && empty.groups == 0 && empty.epilogue == NULL);
  call_release(&made);
}

/// Whether `message` is said of a struct, by the calls that read it, and nothing is written.
static void refuse_size(const call* made, void (*spoil)(structs* all, size_t size),
                        fastnorm_status (*run)(const structs* all), size_t size,
                        fastnorm_status status, const char* message) {
  structs all;
  init_structs(&all, 0, made);
  spoil(&all, size);
  CHECK_FAILS(run(&all), status, message);
}

static void size_epilogue(structs* all, size_t size) { all->epilogue.now.struct_size = size; }
static void size_desc(structs* all, size_t size) { all->desc.now.struct_size = size; }
static void size_args(structs* all, size_t size) { all->args.now.struct_size = size; }
static void size_plan(structs* all, size_t size) { all->plan.now.struct_size = size; }
static void size_options(structs* all, size_t size) { all->options.now.struct_size = size; }

void smaller_structs(const test_space* space) {
  call made = call_make(space, n, c, s, n * groups, false);
  const struct {
    const char* name;
    size_t bytes;
    void (*spoil)(structs* all, size_t size);
    fastnorm_status (*run)(const structs* all);
  } members[] = {
      {"epilogue", sizeof(fastnorm_epilogue), size_epilogue, normalize},
      {"epilogue", sizeof(fastnorm_epilogue), size_epilogue, group_norm},
      {"desc", sizeof(fastnorm_norm_desc), size_desc, normalize},
      {"args", sizeof(fastnorm_norm_args), size_args, normalize},
      {"options", sizeof(fastnorm_plan_options), size_plan, normalize},
      {"options", sizeof(fastnorm_norm_options), size_options, group_norm},
      {"options.plan", sizeof(fastnorm_plan_options), size_plan, group_norm},
  };
  for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
    const size_t wrong[] = {0, 1, members[i].bytes - 1, 4097, SIZE_MAX};
    for (size_t j = 0; j < sizeof wrong / sizeof *wrong; ++j) {
      char message[256];
      snprintf(message, sizeof message,
               "%s.struct_size=%zu must be from %zu to 4096; the struct's _init function sets it",
               members[i].name, wrong[j], members[i].bytes);
      refuse_size(&made, members[i].spoil, members[i].run, wrong[j], FASTNORM_INVALID_ARGUMENT,
                  message);
    }
  }
  CHECK(call_is_untouched(&made));

  // A struct that is too small gets as much of the defaults as it has room for.
  unsigned char bytes[sizeof(fastnorm_epilogue)];
  memset(bytes, 0xAA, sizeof bytes);
  fastnorm_epilogue_init((fastnorm_epilogue*)(void*)bytes, sizeof bytes - 4);
  for (size_t i = sizeof bytes - 4; i < sizeof bytes; ++i) CHECK(bytes[i] == 0xAA);
  call_release(&made);
}

/// 1 in a member that this library does not know.
static void ask_epilogue(structs* all) { all->epilogue.later = 1; }
static void ask_desc(structs* all) { all->desc.later = 1; }
static void ask_args(structs* all) { all->args.later = all; }
static void ask_plan(structs* all) { all->plan.later = 1; }
static void ask_options(structs* all) { all->options.later = 1; }

void larger_structs(const test_space* space) {
  enum { more = 8 };
  call made = call_make(space, n, c, s, n * groups, false);
  const struct {
    const char* name;
    size_t bytes;
    void (*ask)(structs* all);
    fastnorm_status (*run)(const structs* all);
  } members[] = {
      {"epilogue", sizeof(fastnorm_epilogue), ask_epilogue, normalize},
      {"desc", sizeof(fastnorm_norm_desc), ask_desc, normalize},
      {"args", sizeof(fastnorm_norm_args), ask_args, normalize},
      {"options", sizeof(fastnorm_plan_options), ask_plan, normalize},
      {"options", sizeof(fastnorm_norm_options), ask_options, group_norm},
      {"options.plan", sizeof(fastnorm_plan_options), ask_plan, group_norm},
  };
  for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
    structs all;
    init_structs(&all, more, &made);
    members[i].ask(&all);
    CHECK(members[i].run(&all) == FASTNORM_UNSUPPORTED);
    char beginning[256];
    snprintf(beginning, sizeof beginning, "%s.struct_size=%zu: byte ", members[i].name,
             members[i].bytes + more);
    char end[256];
    snprintf(end, sizeof end,
             " is not 0, and fastnorm %s knows the first %zu alone; what later versions added must "
             "be 0",
             fastnorm_version(), members[i].bytes);
    const char* message = fastnorm_last_error();
    CHECK(strncmp(message, beginning, strlen(beginning)) == 0);
    CHECK(strlen(message) > strlen(end) &&
          strcmp(message + strlen(message) - strlen(end), end) == 0);
  }
  CHECK(call_is_untouched(&made));

  structs all;
  init_structs(&all, more, &made);
  CHECK(all.desc.later == 0 && all.desc.now.struct_size == sizeof(later_desc));
  CHECK_OK(normalize(&all));
  check_result(&made, &all.args.now);
  const call again = made;
  made = call_make(space, n, c, s, n * groups, false);
  init_structs(&all, more, &made);
  CHECK_OK(group_norm(&all));
  check_result(&made, &all.args.now);
  call_release(&made);
  made = again;
  call_release(&made);
}
