// SPDX-License-Identifier: Apache-2.0
// Part of each test program that is built with sanitizers; their runtime calls it before main.

// A request for more memory than there is has to come back as a status, not end the program. What
// is found ends it by a signal, so that a test can say what it was doing.
extern "C" __attribute__((visibility("default"))) const char*
__asan_default_options() {  // NOLINT: their name
  return "allocator_may_return_null=1:abort_on_error=1";
}
