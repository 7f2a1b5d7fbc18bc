// SPDX-License-Identifier: Apache-2.0
/// The border of the C interface: statuses become numbers with a message beside them, and no
/// exception gets through.
#pragma once

#include <fastnorm/fastnorm.h>
#include <fastnorm/status.hpp>

#include <exception>
#include <new>

namespace fastnorm::c_api {

/// Keeps a copy as the thread's message; never throws, whatever is left of memory or of the thread.
void keep_message(const char* message) noexcept;

/// The same of a text that is there for ever, and needs no copy.
void keep_literal(const char* message) noexcept;

const char* kept_message() noexcept;

/// The status as a number; the message of a failure is kept.
fastnorm_status report(const Status& status) noexcept;

/// What `call` returns, a Status, reported. The library throws nothing on purpose, but the standard
/// library below it may: where memory is short, or a lock or a thread cannot be had.
template <class Call>
fastnorm_status guarded(const Call& call) noexcept {
  try {
    return report(call());
  } catch (const std::bad_alloc&) {
    keep_literal("out of host memory");
    return FASTNORM_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    keep_message(error.what());
    return FASTNORM_DEVICE_ERROR;
  }
}

}  // namespace fastnorm::c_api
