// SPDX-License-Identifier: Apache-2.0
/// What a test was doing, for when it does not come back.
#pragma once

#include <string>

namespace fastnorm::test {

/// While it lives, signals that end the program (and that of a time limit) print the last words
/// first. At most one at a time.
class CrashReport {
 public:
  CrashReport();
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

  /// What to say if what follows is the end. Printed up to some thousand characters.
  void last_words(const std::string& words);
};

}  // namespace fastnorm::test
