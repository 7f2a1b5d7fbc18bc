// SPDX-License-Identifier: Apache-2.0
/// How calls report errors: nothing in the library throws on purpose, prints (but the log) or
/// aborts.
#pragma once

#include <fastnorm/export.hpp>

#include <string>
#include <utility>
#include <variant>

namespace fastnorm {

enum class StatusCode {
  ok,
  invalid_argument,  ///< The request can never be right; the message names argument and value.
  unsupported,       ///< A sensible request that this build or device does not offer.
  unavailable,       ///< No usable device, or its runtime is already shut down.
  out_of_memory,     ///< Memory that the library itself needed could not be had.
  device_error,      ///< The device's runtime refused or failed; the message carries its words.
};

/// The code's name as it is spelt above.
FASTNORM_API const char* to_string(StatusCode code) noexcept;

/// Success, or a code with a sentence that names the argument, its value and what is allowed.
/// A failed call has launched nothing and written nothing, unless its documentation says otherwise.
/// Success owns no memory.
class [[nodiscard]] FASTNORM_API Status {
 public:
  Status() noexcept = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const noexcept { return code_ == StatusCode::ok; }
  StatusCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }

 private:
  StatusCode code_ = StatusCode::ok;
  std::string message_;
};

/// A value, or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}  // NOLINT: implicit, so that `return value;` works
  Result(Status failure) : state_(std::move(failure)) {}  // NOLINT: likewise

  bool ok() const noexcept { return std::holds_alternative<T>(state_); }

  /// The failure, or success where there is a value.
  Status status() const { return ok() ? Status{} : std::get<Status>(state_); }

  /// The value; only where ok().
  T& value() & { return std::get<T>(state_); }
  const T& value() const& { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }

 private:
  std::variant<Status, T> state_;
};

}  // namespace fastnorm
