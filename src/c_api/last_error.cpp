// SPDX-License-Identifier: Apache-2.0
#include "c_api/last_error.hpp"

#include <string>

namespace fastnorm::c_api {
namespace {

/// Destroyed at the thread's end, unlike what follows, which holds until its memory is gone.
struct Text {
  ~Text();
  std::string value;
};

thread_local Text text;
thread_local const char* shown = "";
/// A static object's destructor may call the library when the main thread's text is gone.
thread_local bool is_gone = false;

Text::~Text() {
  shown = "";
  is_gone = true;
}

}  // namespace

void keep_message(const char* message) noexcept {
  if (is_gone) {
    keep_literal("the thread is ending, and keeps no message any more");
    return;
  }
  try {
    text.value = message;
    shown = text.value.c_str();
  } catch (const std::exception&) {
    keep_literal("out of host memory, for the message of another failure, too");
  }
}

void keep_literal(const char* message) noexcept { shown = message; }

const char* kept_message() noexcept { return shown; }

fastnorm_status report(const Status& status) noexcept {
  if (!status.ok()) keep_message(status.message().c_str());
  return static_cast<fastnorm_status>(status.code());
}

}  // namespace fastnorm::c_api

const char* fastnorm_last_error(void) { return fastnorm::c_api::kept_message(); }
