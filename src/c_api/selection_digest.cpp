// SPDX-License-Identifier: Apache-2.0
#include "c_api/from_c.hpp"
#include "c_api/last_error.hpp"
#include "core/counted.hpp"

#include <fastnorm/fastnorm.h>
#include <fastnorm/selection_digest.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace {

using fastnorm::Status;
namespace c_api = fastnorm::c_api;

Status read_shapes(const fastnorm_norm_desc* const* from, std::size_t count,
                   std::vector<fastnorm::NormDesc>& to) {
  if (count > 0 && from == nullptr) {
    return c_api::missing(
        "shapes", fastnorm::counted(count, "pointer", "pointers") + " to a fastnorm_norm_desc");
  }
  for (std::size_t i = 0; i < count; ++i) {
    fastnorm::NormDesc desc;
    if (const Status status = c_api::read(from[i], desc); !status.ok()) {
      return {status.code(), "shapes[" + std::to_string(i) + "]: " + status.message()};
    }
    to.push_back(desc);
  }
  return {};
}

Status write_digest(const fastnorm_norm_desc* const* c_shapes, std::size_t count,
                    const fastnorm_plan_options* c_options, char* digest) {
  std::vector<fastnorm::NormDesc> shapes;
  if (Status status = read_shapes(c_shapes, count, shapes); !status.ok()) return status;
  fastnorm::PlanOptions options;
  if (Status status = c_api::read("options", c_options, options); !status.ok()) return status;
  const fastnorm::Result<std::string> made = fastnorm::selection_digest(shapes, options);
  if (!made.ok()) return made.status();
  made.value().copy(digest, FASTNORM_SELECTION_DIGEST_SIZE - 1);
  digest[FASTNORM_SELECTION_DIGEST_SIZE - 1] = '\0';
  return {};
}

}  // namespace

fastnorm_status fastnorm_selection_digest(const fastnorm_norm_desc* const* shapes, size_t count,
                                          const fastnorm_plan_options* options, char* digest) {
  return c_api::guarded([&] {
    if (digest == nullptr) {
      return c_api::missing("digest", std::to_string(FASTNORM_SELECTION_DIGEST_SIZE) + " chars");
    }
    *digest = '\0';
    return write_digest(shapes, count, options, digest);
  });
}
