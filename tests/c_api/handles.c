// SPDX-License-Identifier: Apache-2.0
/// The list of untuned shapes, the digest of selections, what back ends run on, and names of
/// values.
#include "call.h"
#include "checks.h"
#include "tests.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const int64_t extents[] = {3, 10, 11, 13};
/// Channels-last, as strides.
static const int64_t strides[] = {10 * 11 * 13, 1, 10 * 13, 10};

static bool make_plan(const test_space* space) {
  fastnorm_epilogue epilogue;
  fastnorm_epilogue_init(&epilogue, sizeof epilogue);
  epilogue.activation = FASTNORM_ACTIVATION_LEAKY_RELU;
  epilogue.slope = 0.25F;
  fastnorm_norm_desc desc;
  fastnorm_norm_desc_init(&desc, sizeof desc);
  desc.rank = 4;
  desc.extents = extents;
  desc.groups = 5;
  desc.eps = 0.5;
  desc.x_strides = strides;
  desc.y_strides = strides;
  desc.epilogue = &epilogue;
  const fastnorm_plan_options options = options_for(space);
  fastnorm_plan* plan = NULL;
  const bool made = CHECK_OK(fastnorm_plan_create(&desc, &options, &plan));
  fastnorm_plan_destroy(plan);
  return made;
}

static void check_shape(const fastnorm_untuned_list* list, size_t index) {
  fastnorm_norm_desc desc;
  memset(&desc, 0xAA, sizeof desc);
  desc.struct_size = sizeof desc;
  if (!CHECK_OK(fastnorm_untuned_list_desc(list, index, &desc))) return;
  CHECK(desc.struct_size == sizeof desc);
  CHECK(desc.op == FASTNORM_OP_GROUP_NORM && desc.rank == 4 && desc.groups == 5);
  CHECK(memcmp(desc.extents, extents, sizeof extents) == 0);
  CHECK(memcmp(desc.x_strides, strides, sizeof strides) == 0);
  CHECK(memcmp(desc.y_strides, strides, sizeof strides) == 0);
  CHECK(desc.eps == 0.5 && desc.x_type == FASTNORM_DTYPE_F32);
  CHECK(desc.epilogue != NULL && desc.epilogue->struct_size == sizeof *desc.epilogue);
  CHECK(desc.epilogue->activation == FASTNORM_ACTIVATION_LEAKY_RELU);
  CHECK(desc.epilogue->slope == 0.25F);
  CHECK(strlen(fastnorm_untuned_list_backend(list, index)) > 0);
  CHECK(strlen(fastnorm_untuned_list_served_by(list, index)) > 0);
  CHECK(strncmp(fastnorm_untuned_list_case_text(list, index), "{name: group_norm_3x10x11x13",
                strlen("{name: group_norm_3x10x11x13")) == 0);

  // What it describes can be asked for again.
  fastnorm_plan* plan = NULL;
  CHECK_OK(fastnorm_plan_create(&desc, NULL, &plan));
  fastnorm_plan_destroy(plan);

  struct {
    fastnorm_norm_desc now;
    int64_t later;
  } larger;
  memset(&larger, 0xAA, sizeof larger);
  larger.now.struct_size = sizeof larger;
  CHECK_OK(fastnorm_untuned_list_desc(list, index, &larger.now));
  CHECK(larger.now.struct_size == sizeof larger && larger.now.groups == 5 && larger.later == 0);
}

void list_of_untuned_shapes(const test_space* space) {
  fastnorm_untuned_list* before = NULL;
  fastnorm_untuned_list* after = NULL;
  if (!CHECK_OK(fastnorm_untuned_list_create(&before))) return;
  const size_t had = fastnorm_untuned_list_size(before);
  if (make_plan(space) && CHECK_OK(fastnorm_untuned_list_create(&after))) {
    const size_t has = fastnorm_untuned_list_size(after);
    if (CHECK(has == had + 1)) check_shape(after, had);
    CHECK(fastnorm_untuned_list_size(before) == had);

    fastnorm_norm_desc desc;
    char message[128];
    desc.struct_size = sizeof desc;
    snprintf(message, sizeof message, "index=%zu must be below the size, %zu", has, has);
    CHECK_FAILS(fastnorm_untuned_list_desc(after, has, &desc), FASTNORM_INVALID_ARGUMENT, message);
    CHECK_FAILS(fastnorm_untuned_list_desc(after, had, NULL), FASTNORM_INVALID_ARGUMENT,
                "desc is null; it must point to a fastnorm_norm_desc");
    desc.struct_size = 12;
    snprintf(message, sizeof message,
             "desc.struct_size=12 must be from %zu to 4096; the struct's _init function sets it",
             sizeof desc);
    CHECK_FAILS(fastnorm_untuned_list_desc(after, had, &desc), FASTNORM_INVALID_ARGUMENT, message);
    CHECK(fastnorm_untuned_list_backend(after, has) == NULL);
    CHECK(fastnorm_untuned_list_served_by(after, has) == NULL);
    CHECK(fastnorm_untuned_list_case_text(after, has) == NULL);
  }
  fastnorm_untuned_list_destroy(after);
  fastnorm_untuned_list_destroy(before);
}

static fastnorm_norm_desc desc_of(const int64_t* of_extents) {
  fastnorm_norm_desc desc;
  fastnorm_norm_desc_init(&desc, sizeof desc);
  desc.rank = 4;
  desc.extents = of_extents;
  desc.groups = 5;
  return desc;
}

void digest_of_selections(const test_space* space) {
  static const int64_t others[] = {3, 10, 110, 130};
  const fastnorm_plan_options options = options_for(space);
  const fastnorm_norm_desc one = desc_of(extents);
  const fastnorm_norm_desc other = desc_of(others);
  const fastnorm_norm_desc* const both[] = {&one, &other, &one};
  struct {
    char text[FASTNORM_SELECTION_DIGEST_SIZE];
    char behind;
  } first, again;
  memset(&first, 'x', sizeof first);
  CHECK_OK(fastnorm_selection_digest(both, 2, &options, first.text));
  CHECK(strlen(first.text) == 64 && strspn(first.text, "0123456789abcdef") == 64);
  CHECK(first.behind == 'x');
  CHECK_OK(fastnorm_selection_digest(both + 1, 2, &options, again.text));
  CHECK_TEXT(again.text, first.text);
  CHECK_OK(fastnorm_selection_digest(both, 1, &options, again.text));
  CHECK(strcmp(again.text, first.text) != 0);
  CHECK_OK(fastnorm_selection_digest(NULL, 0, NULL, again.text));
  CHECK(strlen(again.text) == 64);

  fastnorm_norm_desc wrong = one;
  wrong.groups = 3;
  const fastnorm_norm_desc* const with_wrong[] = {&one, &wrong};
  CHECK(fastnorm_selection_digest(with_wrong, 2, &options, again.text) ==
        FASTNORM_INVALID_ARGUMENT);
  CHECK(strncmp(fastnorm_last_error(), "shapes[1]: ", 11) == 0);
  CHECK_TEXT(again.text, "");
  const fastnorm_norm_desc* const with_null[] = {&one, NULL};
  CHECK_FAILS(fastnorm_selection_digest(with_null, 2, &options, again.text),
              FASTNORM_INVALID_ARGUMENT,
              "shapes[1]: desc is null; it must point to a fastnorm_norm_desc");
  CHECK_FAILS(fastnorm_selection_digest(NULL, 2, &options, again.text), FASTNORM_INVALID_ARGUMENT,
              "shapes is null; it must point to 2 pointers to a fastnorm_norm_desc");
  CHECK_FAILS(fastnorm_selection_digest(NULL, 1, &options, again.text), FASTNORM_INVALID_ARGUMENT,
              "shapes is null; it must point to 1 pointer to a fastnorm_norm_desc");
  CHECK_FAILS(fastnorm_selection_digest(both, 2, &options, NULL), FASTNORM_INVALID_ARGUMENT,
              "digest is null; it must point to 65 chars");
}

/// The back end that a plan of this memory runs on.
static fastnorm_plan* any_plan(const test_space* space) {
  const fastnorm_norm_desc desc = desc_of(extents);
  const fastnorm_plan_options options = options_for(space);
  fastnorm_plan* plan = NULL;
  CHECK_OK(fastnorm_plan_create(&desc, &options, &plan));
  return plan;
}

static void check_info(const test_space* space, const char* name,
                       const fastnorm_backend_info* info) {
  const bool on_host = space->memory == FASTNORM_MEMORY_HOST;
  CHECK(info->struct_size == sizeof *info && info->memory == space->memory);
  CHECK(info->processors >= 1 && strlen(info->device_name) > 0);
  CHECK((strlen(info->host_space) > 0) == on_host);
  CHECK((strlen(info->instruction_set) > 0) == on_host);
  CHECK((strlen(info->cuda_version) > 0) == !on_host);
  CHECK((strlen(info->kokkos_version) > 0) == (strncmp(name, "kokkos-", 7) == 0));
  const char* const versions[] = {info->cuda_version, info->kokkos_version};
  for (size_t i = 0; i < 2; ++i) CHECK(strspn(versions[i], "0123456789.") == strlen(versions[i]));
}

void backend_says_what_it_runs_on(const test_space* space) {
  fastnorm_plan* plan = any_plan(space);
  if (plan == NULL) return;
  const char* name = fastnorm_plan_backend(plan);
  struct {
    fastnorm_backend_info now;
    int64_t later;
  } larger;
  memset(&larger, 0xAA, sizeof larger);
  fastnorm_backend_info_init(&larger.now, sizeof larger.now);
  CHECK(larger.now.device_name == NULL && larger.now.processors == 0);
  if (CHECK_OK(fastnorm_backend_describe(name, fastnorm_plan_device(plan), &larger.now))) {
    check_info(space, name, &larger.now);
    CHECK(larger.later == (int64_t)0xAAAAAAAAAAAAAAAAU);
    // Texts are the library's: the same ones for the same answer.
    fastnorm_backend_info again;
    fastnorm_backend_info_init(&again, sizeof again);
    CHECK_OK(fastnorm_backend_describe(name, -1, &again));
    CHECK(memcmp(&again, &larger.now, sizeof again) == 0);
  }
  fastnorm_backend_info_init(&larger.now, sizeof larger);
  CHECK_OK(fastnorm_backend_describe(name, -1, &larger.now));
  CHECK(larger.now.struct_size == sizeof larger && larger.now.processors >= 1 && larger.later == 0);

  larger.now.struct_size = 12;
  char message[128];
  snprintf(message, sizeof message,
           "info.struct_size=12 must be from %zu to 4096; the struct's _init function sets it",
           sizeof(fastnorm_backend_info));
  CHECK_FAILS(fastnorm_backend_describe(name, -1, &larger.now), FASTNORM_INVALID_ARGUMENT, message);
  fastnorm_backend_info untouched;
  memset(&untouched, 0xAA, sizeof untouched);
  untouched.struct_size = sizeof untouched;
  const fastnorm_backend_info before = untouched;
  const char* const beginning = "backend=\"nowhere\" is not in this build; it has: ";
  CHECK_FAILS(fastnorm_backend_describe("nowhere", -1, &untouched), FASTNORM_INVALID_ARGUMENT,
              NULL);
  CHECK(strncmp(fastnorm_last_error(), beginning, strlen(beginning)) == 0);
  CHECK(strstr(fastnorm_last_error(), name) != NULL);
  CHECK_FAILS(fastnorm_backend_describe(name, 1000, &untouched), FASTNORM_INVALID_ARGUMENT, NULL);
  CHECK(strncmp(fastnorm_last_error(), "device=1000 ", 12) == 0);
  CHECK(memcmp(&untouched, &before, sizeof before) == 0);
  fastnorm_plan_destroy(plan);
}

void names_of_values(const test_space* space) {
  (void)space;
  char version[64];
  snprintf(version, sizeof version, "%d.%d.%d", FASTNORM_VERSION_MAJOR, FASTNORM_VERSION_MINOR,
           FASTNORM_VERSION_PATCH);
  CHECK_TEXT(fastnorm_version(), version);
  CHECK_TEXT(fastnorm_status_name(FASTNORM_OK), "ok");
  CHECK_TEXT(fastnorm_status_name(FASTNORM_DEVICE_ERROR), "device_error");
  CHECK_TEXT(fastnorm_status_name(99), "unknown status code");
  CHECK_TEXT(fastnorm_op_name(FASTNORM_OP_RMS_NORM), "rms_norm");
  CHECK_TEXT(fastnorm_op_name(256), "unknown op");
  CHECK_TEXT(fastnorm_op_name(-256), "unknown op");
  CHECK_TEXT(fastnorm_dtype_name(FASTNORM_DTYPE_BF16), "bf16");
  CHECK(fastnorm_dtype_size(FASTNORM_DTYPE_F64) == 8);
  CHECK(fastnorm_dtype_size(FASTNORM_DTYPE_F16) == 2);
  CHECK(fastnorm_dtype_size(4) == 0 && fastnorm_dtype_size(256) == 0);
  CHECK_TEXT(fastnorm_layout_name(FASTNORM_LAYOUT_CHANNELS_LAST), "channels_last");
  CHECK_TEXT(fastnorm_activation_name(FASTNORM_ACTIVATION_GELU_TANH), "gelu_tanh");
  CHECK_TEXT(fastnorm_residual_name(FASTNORM_RESIDUAL_EXACT_SUM), "exact_sum");
  CHECK_TEXT(fastnorm_gamma_form_name(FASTNORM_GAMMA_FORM_CENTRED_ZERO), "centred_zero");
  CHECK_TEXT(fastnorm_normalised_rounding_name(FASTNORM_NORMALISED_ROUNDING_AFFINE_TYPE),
             "affine_type");
  CHECK_TEXT(fastnorm_modulation_name(FASTNORM_MODULATION_SCALE_SHIFT), "scale_shift");
  CHECK_TEXT(fastnorm_memory_name(FASTNORM_MEMORY_DEVICE), "device");
}
