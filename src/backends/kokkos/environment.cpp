// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/environment.hpp"

#include "backends/kokkos/thread_count.hpp"
#include "core/quoted.hpp"

#include <Kokkos_Core.hpp>
#include <strings.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>

namespace fastnorm::kokkos {
namespace {

Status refused(const char* name, const char* value, const std::string& allowed) {
  return Status(StatusCode::invalid_argument,
                std::string(name) + "=" + in_quotes(value) + " must be " + allowed);
}

std::string integer_from(long least, long most) {
  return "an integer from " + std::to_string(least) + " to " + std::to_string(most);
}

/// Kokkos keeps an int of the number, whatever is lost by that, and ignores what follows it. With
/// strtol(), as Kokkos: a sign or a space in front is no fault.
Status check_integer(const char* name, long least, long most) {
  const char* value = std::getenv(name);
  if (value == nullptr) return {};
  char* end = nullptr;
  errno = 0;
  const long number = std::strtol(value, &end, 10);
  if (end != value && *end == '\0' && errno == 0 && number >= least && number <= most) return {};
  return refused(name, value, integer_from(least, most));
}

/// OpenMP reads its variable itself, and the program may have set another number since: the
/// variable is at fault where Kokkos would take its number.
Status check_openmp_threads() {
  const char* name = "OMP_NUM_THREADS";
  const char* value = std::getenv(name);
  if (value == nullptr || !surplus_threads()) return {};
  if (std::strtol(value, nullptr, 10) <= most_threads) return {};
  return refused(name, value, integer_from(1, most_threads));
}

#if KOKKOS_VERSION >= 30700  // Earlier ones know other words, and throw where they meet none.
using Compare = int(const char*, const char*);

Status check_word(const char* name, Compare& compare, std::initializer_list<const char*> allowed) {
  const char* value = std::getenv(name);
  if (value == nullptr) return {};
  std::string words;
  for (const char* word : allowed) {
    if (compare(value, word) == 0) return {};
    words += (words.empty() ? "one of " : ", ") + std::string(word);
  }
  return refused(name, value, words);
}

Status check_switch(const char* name) {
  return check_word(name, strcasecmp, {"yes", "true", "1", "no", "false", "0"});
}
#endif

}  // namespace

Status check_environment() {
  for (Status status : {
         check_integer("KOKKOS_NUM_THREADS", 1, most_threads), check_openmp_threads(),
             check_integer("KOKKOS_DEVICE_ID", 0, std::numeric_limits<int>::max()),
#if KOKKOS_VERSION >= 30700
             check_switch("KOKKOS_DISABLE_WARNINGS"), check_switch("KOKKOS_PRINT_CONFIGURATION"),
             check_switch("KOKKOS_TUNE_INTERNALS"),
             check_word("KOKKOS_MAP_DEVICE_ID_BY", std::strcmp, {"random", "mpi_rank"}),
#endif
       }) {
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace fastnorm::kokkos
