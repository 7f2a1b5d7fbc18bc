// SPDX-License-Identifier: Apache-2.0
#include <fastnorm/fastnorm.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> x(2 * 32 * 64 * 64), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17);
  const fastnorm::Status status =
      fastnorm::group_norm({2, 32, 64, 64}, /*groups=*/8, x.data(), y.data());
  std::printf("%s\n", status.ok() ? "normalized" : status.message().c_str());
  return status.ok() ? 0 : 1;
}
