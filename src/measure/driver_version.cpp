// SPDX-License-Identifier: Apache-2.0
#include "measure/driver_version.hpp"

#include <fstream>

namespace fastnorm::measure {

// The runtime knows only which CUDA version the driver is good for. Its own number stands in
// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159  ...": the first word that begins with
// a digit and has a dot.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word) {
    if (word[0] >= '0' && word[0] <= '9' && word.find('.') != std::string::npos) return word;
  }
  return {};
}

}  // namespace fastnorm::measure
