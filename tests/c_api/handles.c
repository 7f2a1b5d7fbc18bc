// SPDX-License-Identifier: Apache-2.0
/// The list of untuned shapes, the digest of selections, and the names of values.
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
  CHECK_FAILS(fastnorm_selection_digest(both, 2, &options, NULL), FASTNORM_INVALID_ARGUMENT,
              "digest is null; it must point to 65 chars");
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
