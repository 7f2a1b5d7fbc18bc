// SPDX-License-Identifier: Apache-2.0
#include "core/provenance.hpp"

#include "core/quoted.hpp"

#include <tuple>

namespace fastnorm {
namespace {

struct SoftwarePart {
  const char* name;
  std::string Provenance::*version;
};
constexpr SoftwarePart software_parts[] = {{"fastnorm ", &Provenance::fastnorm},
                                           {"CUDA ", &Provenance::cuda},
                                           {"driver ", &Provenance::driver}};

void append(std::string& list, const std::string& item) {
  list += (list.empty() ? "" : ", ") + item;
}

}  // namespace

bool operator==(const Provenance& a, const Provenance& b) {
  return std::tie(a.utc, a.fastnorm, a.cuda, a.driver) ==
         std::tie(b.utc, b.fastnorm, b.cuda, b.driver);
}

bool operator<(const Provenance& a, const Provenance& b) {
  return std::tie(a.utc, a.fastnorm, a.cuda, a.driver) <
         std::tie(b.utc, b.fastnorm, b.cuda, b.driver);
}

std::string software_text(const Provenance& provenance) {
  std::string text;
  for (const SoftwarePart& part : software_parts) {
    const std::string& version = provenance.*part.version;
    if (!version.empty()) append(text, part.name + shortened(version));
  }
  return text;
}

std::string software_difference(const Provenance& measured, const Provenance& here) {
  std::string text;
  for (const SoftwarePart& part : software_parts) {
    const std::string& then = measured.*part.version;
    const std::string& now = here.*part.version;
    if (then.empty() || now.empty() || then == now) continue;
    append(text, part.name + shortened(then) + " instead of " + now);
  }
  return text;
}

}  // namespace fastnorm
