// SPDX-License-Identifier: Apache-2.0
/// Checks in C, with the place that a macro alone can know.
#pragma once

#include "space.h"

#include <stdbool.h>

#define CHECK(condition) check_at(__FILE__, __LINE__, (condition), #condition)

/// The call has succeeded. What it says if not is shown.
#define CHECK_OK(call) check_status_at(__FILE__, __LINE__, (call), FASTNORM_OK, NULL)

/// The call has failed with this status and, to the letter, this message.
#define CHECK_FAILS(call, status, message) \
  check_status_at(__FILE__, __LINE__, (call), (status), (message))

#define CHECK_TEXT(text, expected) check_text_at(__FILE__, __LINE__, (text), (expected))

bool check_at(const char* file, int line, bool holds, const char* condition);
bool check_status_at(const char* file, int line, fastnorm_status status, fastnorm_status expected,
                     const char* message);
bool check_text_at(const char* file, int line, const char* text, const char* expected);
