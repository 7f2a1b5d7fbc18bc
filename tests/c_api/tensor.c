// SPDX-License-Identifier: Apache-2.0
#include "tensor.h"

#include <stdlib.h>
#include <string.h>

enum { guard_bytes = 256, canary = 0xFD, poison = 0xFF };

static unsigned char* host_copy(const tensor* t) {
  const size_t bytes = t->bytes + 2 * guard_bytes;
  unsigned char* copy = malloc(bytes);
  if (copy == NULL) abort();
  t->space->read(copy, t->block, bytes);
  return copy;
}

static bool all_are(const unsigned char* bytes, size_t count, unsigned char value) {
  for (size_t i = 0; i < count; ++i) {
    if (bytes[i] != value) return false;
  }
  return true;
}

tensor tensor_poisoned(const test_space* space, size_t bytes) {
  const size_t block_bytes = bytes + 2 * guard_bytes;
  unsigned char* contents = malloc(block_bytes);
  if (contents == NULL) abort();
  memset(contents, canary, block_bytes);
  memset(contents + guard_bytes, poison, bytes);
  tensor t = {space, space->allocate(block_bytes), NULL, bytes};
  t.data = t.block + guard_bytes;
  space->write(t.block, contents, block_bytes);
  free(contents);
  return t;
}

tensor tensor_of(const test_space* space, const void* values, size_t bytes) {
  const tensor t = tensor_poisoned(space, bytes);
  space->write(t.data, values, bytes);
  return t;
}

void tensor_release(tensor* t) { t->space->release(t->block); }

void tensor_read(const tensor* t, void* values) { t->space->read(values, t->data, t->bytes); }

bool tensor_is_poisoned(const tensor* t) {
  unsigned char* copy = host_copy(t);
  const bool is_poisoned = all_are(copy + guard_bytes, t->bytes, poison);
  free(copy);
  return is_poisoned;
}

bool tensor_holds(const tensor* t, const void* values) {
  unsigned char* copy = host_copy(t);
  const bool is_same = memcmp(copy + guard_bytes, values, t->bytes) == 0;
  free(copy);
  return is_same;
}

bool tensor_canaries_intact(const tensor* t) {
  unsigned char* copy = host_copy(t);
  const bool intact = all_are(copy, guard_bytes, canary) &&
                      all_are(copy + guard_bytes + t->bytes, guard_bytes, canary);
  free(copy);
  return intact;
}
