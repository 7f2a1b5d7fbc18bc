// SPDX-License-Identifier: Apache-2.0
/// Tensors of fp32 or of raw bytes in the memory under test, between canaries.
#pragma once

#include "space.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct tensor {
  const test_space* space;
  unsigned char* block;
  void* data;
  size_t bytes;
} tensor;

/// Every byte is 0xFF, so that an element of any floating-point type is NaN.
tensor tensor_poisoned(const test_space* space, size_t bytes);
tensor tensor_of(const test_space* space, const void* values, size_t bytes);
void tensor_release(tensor* t);

void tensor_read(const tensor* t, void* values);
bool tensor_is_poisoned(const tensor* t);
bool tensor_holds(const tensor* t, const void* values);
bool tensor_canaries_intact(const tensor* t);
