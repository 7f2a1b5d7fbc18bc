// SPDX-License-Identifier: Apache-2.0
// Runs the tests that are written in C.
#include "support/target.hpp"
#include "tests.h"

// Both interfaces go together in one file.
#include <fastnorm/fastnorm.h>
#include <fastnorm/fastnorm.hpp>

#include <gtest/gtest.h>

extern "C" void report_failure(const char* file, int line, const char* message) {
  ADD_FAILURE_AT(file, line) << message;
}

namespace fastnorm::test {
namespace {

class CApi : public TargetTest {
 protected:
  void run(void (*test)(const test_space* space)) {
    TargetStream stream;
    const test_space space = {static_cast<fastnorm_memory>(target_space()),
                              stream.get().handle,
                              [](std::size_t bytes) { return target_memory().allocate(bytes); },
                              [](void* pointer) { target_memory().release(pointer); },
                              [](void* to, const void* from, std::size_t bytes) {
                                target_memory().write(to, from, bytes);
                              },
                              [](void* to, const void* from, std::size_t bytes) {
                                target_memory().read(to, from, bytes);
                              }};
    test(&space);
  }
};

TEST_F(CApi, GroupNormWithoutAPlan) { run(group_norm_without_a_plan); }
TEST_F(CApi, EveryOperationWithoutAPlan) { run(every_operation_without_a_plan); }
TEST_F(CApi, OptionsOfCallsWithoutAPlan) { run(options_of_calls_without_a_plan); }
TEST_F(CApi, HalfTypesWithoutAPlan) { run(half_types_without_a_plan); }
TEST_F(CApi, DescriptorWithoutAPlan) { run(descriptor_without_a_plan); }
TEST_F(CApi, PlanWithEveryTensor) { run(plan_with_every_tensor); }
TEST_F(CApi, PlanInPlace) { run(plan_in_place); }
TEST_F(CApi, PlanOfStridedTensors) { run(plan_of_strided_tensors); }
TEST_F(CApi, PlanOfNothing) { run(plan_of_nothing); }
TEST_F(CApi, PlanSaysWhatRuns) { run(plan_says_what_runs); }
TEST_F(CApi, PlanIsForcedByNames) { run(plan_is_forced_by_names); }

TEST_F(CApi, NullPointers) { run(null_pointers); }
TEST_F(CApi, DescriptorsThatAreRefused) { run(descriptors_that_are_refused); }
TEST_F(CApi, OptionsThatAreRefused) { run(options_that_are_refused); }
TEST_F(CApi, TensorsThatAreRefused) { run(tensors_that_are_refused); }
TEST_F(CApi, WorkspacesThatAreRefused) { run(workspaces_that_are_refused); }

TEST_F(CApi, DefaultsOfStructs) { run(defaults_of_structs); }
TEST_F(CApi, SmallerStructs) { run(smaller_structs); }
TEST_F(CApi, LargerStructs) { run(larger_structs); }

TEST_F(CApi, ListOfUntunedShapes) { run(list_of_untuned_shapes); }
TEST_F(CApi, DigestOfSelections) { run(digest_of_selections); }
TEST_F(CApi, BackendSaysWhatItRunsOn) { run(backend_says_what_it_runs_on); }
TEST_F(CApi, NamesOfValues) { run(names_of_values); }

}  // namespace
}  // namespace fastnorm::test
