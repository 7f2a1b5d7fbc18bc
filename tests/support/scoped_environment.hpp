// SPDX-License-Identifier: Apache-2.0
/// An environment variable that is put back at the end of a scope.
#pragma once

#include <optional>
#include <string>

namespace fastnorm::test {

class ScopedEnvironment {
 public:
  ScopedEnvironment(std::string name, const std::string& value);
  ~ScopedEnvironment();
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace fastnorm::test
