// SPDX-License-Identifier: Apache-2.0
#include "checks.h"

#include <stdio.h>
#include <string.h>

bool check_at(const char* file, int line, bool holds, const char* condition) {
  if (!holds) report_failure(file, line, condition);
  return holds;
}

bool check_status_at(const char* file, int line, fastnorm_status status, fastnorm_status expected,
                     const char* message) {
  const bool has_status = status == expected;
  if (!has_status) {
    char text[2048];
    snprintf(text, sizeof text, "expected %s, got %s: %s", fastnorm_status_name(expected),
             fastnorm_status_name(status), status == FASTNORM_OK ? "" : fastnorm_last_error());
    report_failure(file, line, text);
  }
  // Messages of the layer below name nothing that C does not have.
  return has_status &&
         (status == FASTNORM_OK || CHECK(strstr(fastnorm_last_error(), "::") == NULL)) &&
         (message == NULL || check_text_at(file, line, fastnorm_last_error(), message));
}

bool check_text_at(const char* file, int line, const char* text, const char* expected) {
  if (text != NULL && strcmp(text, expected) == 0) return true;
  char message[2048];
  snprintf(message, sizeof message, "\"%s\"\ninstead of \"%s\"", text == NULL ? "(null)" : text,
           expected);
  report_failure(file, line, message);
  return false;
}
