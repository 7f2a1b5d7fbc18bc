// SPDX-License-Identifier: Apache-2.0
// A program that links fastnorm::fastnorm and knows nothing else.
#include <fastnorm/fastnorm.hpp>

#include <cstdio>

int main() {
  const float x[] = {1, 2, 3, 4};
  float y[4] = {};
  fastnorm::NormOptions options;
  options.plan.memory = fastnorm::MemorySpace::host;
  const fastnorm::Status status = fastnorm::group_norm({1, 4}, 1, x, y, nullptr, nullptr, options);
  std::printf("fastnorm %s: %s %s\n", fastnorm::version(), fastnorm::to_string(status.code()),
              status.message().c_str());
  std::printf("y = %.5f %.5f %.5f %.5f\n", double{y[0]}, double{y[1]}, double{y[2]}, double{y[3]});
  // A build without a back end for the host says so; everything else is a failure.
  return status.ok() || status.code() == fastnorm::StatusCode::unavailable ? 0 : 1;
}
