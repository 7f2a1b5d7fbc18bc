// SPDX-License-Identifier: Apache-2.0
#include "core/tuning_text.hpp"

namespace fastnorm {

std::string operation_text(const TuningKey& key) {
  std::string text = std::string(to_string(key.op)) + " " + to_string(key.x_type);
  if (key.y_type != key.x_type) text += std::string("->") + to_string(key.y_type);
  if (key.affine_type != key.x_type) text += std::string(" affine ") + to_string(key.affine_type);
  if (key.layout != Layout::channels_first) text += std::string(" ") + to_string(key.layout);
  if (!(key.epilogue == EpilogueKey())) text += " " + to_string(key.epilogue);
  return text;
}

std::string to_string(const TuningShape& shape) {
  return "n=" + std::to_string(shape.n) + " c=" + std::to_string(shape.c) +
         " groups=" + std::to_string(shape.groups) + " inner=" + std::to_string(shape.inner);
}

}  // namespace fastnorm
