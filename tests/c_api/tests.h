// SPDX-License-Identifier: Apache-2.0
/// The tests, each a function of the memory under test.
#pragma once

#include "space.h"

#ifdef __cplusplus
extern "C" {
#endif

void group_norm_without_a_plan(const test_space* space);
void every_operation_without_a_plan(const test_space* space);
void options_of_calls_without_a_plan(const test_space* space);
void half_types_without_a_plan(const test_space* space);
void descriptor_without_a_plan(const test_space* space);
void plan_with_every_tensor(const test_space* space);
void plan_in_place(const test_space* space);
void plan_of_strided_tensors(const test_space* space);
void plan_of_nothing(const test_space* space);
void plan_says_what_runs(const test_space* space);
void plan_is_forced_by_names(const test_space* space);

void null_pointers(const test_space* space);
void descriptors_that_are_refused(const test_space* space);
void options_that_are_refused(const test_space* space);
void tensors_that_are_refused(const test_space* space);
void workspaces_that_are_refused(const test_space* space);

void defaults_of_structs(const test_space* space);
void smaller_structs(const test_space* space);
void larger_structs(const test_space* space);

void list_of_untuned_shapes(const test_space* space);
void digest_of_selections(const test_space* space);
void backend_says_what_it_runs_on(const test_space* space);
void names_of_values(const test_space* space);

#ifdef __cplusplus
}  // extern "C"
#endif
