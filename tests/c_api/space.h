// SPDX-License-Identifier: Apache-2.0
/// Where the tests of the C interface have their tensors, and how they say that they fail: both
/// come from the C++ side, which knows the memory space and the test framework.
#pragma once

#include <fastnorm/fastnorm.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct test_space {
  fastnorm_memory memory;
  fastnorm_stream stream;
  void* (*allocate)(size_t bytes);  ///< Aligned to 256 bytes.
  void (*release)(void* pointer);
  void (*write)(void* to, const void* from, size_t bytes);
  void (*read)(void* to, const void* from, size_t bytes);  ///< Waits for all work before.
} test_space;

void report_failure(const char* file, int line, const char* message);

#ifdef __cplusplus
}  // extern "C"
#endif
