// SPDX-License-Identifier: Apache-2.0
#include <fastnorm/status.hpp>

namespace fastnorm {

const char* to_string(StatusCode code) noexcept {
  switch (code) {
    case StatusCode::ok:
      return "ok";
    case StatusCode::invalid_argument:
      return "invalid_argument";
    case StatusCode::unsupported:
      return "unsupported";
    case StatusCode::unavailable:
      return "unavailable";
    case StatusCode::out_of_memory:
      return "out_of_memory";
    case StatusCode::device_error:
      return "device_error";
  }
  return "unknown status code";
}

}  // namespace fastnorm
