// SPDX-License-Identifier: Apache-2.0
#include "tuner/visible_gpu.hpp"

#include <cstdlib>
#include <sstream>

namespace fastnorm::tuner {

std::string visible_gpu(int number) {
  const std::string variable = "CUDA_VISIBLE_DEVICES";
  const char* inherited = std::getenv(variable.c_str());
  if (inherited == nullptr) return variable + "=" + std::to_string(number);
  std::istringstream list(inherited);
  std::string name;
  for (int place = 0; std::getline(list, name, ','); ++place) {
    if (place == number) return variable + "=" + name;
  }
  return variable + "=";
}

}  // namespace fastnorm::tuner
