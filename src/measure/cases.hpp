// SPDX-License-Identifier: Apache-2.0
/// The workload shapes that tests, benchmarks and the tuner share, and their one loader.
#pragma once

#include "core/epilogue_key.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm::measure {

enum class Pass { forward, forward_backward };
enum class Affine { absent, present };  ///< Gamma and beta: neither or both.

/// One workload, as the file states it (cases/workloads.yaml and fused.yaml explain the fields).
struct Case {
  std::string name;
  std::string op;  ///< One of the file format's operations; the library may not offer it (yet).
  std::int64_t n = 0;
  std::int64_t c = 0;
  std::vector<std::int64_t> spatial;
  std::int64_t groups = 0;  ///< 0 for operations without groups.
  double eps = 1e-5;
  Affine affine = Affine::present;
  DType dtype = DType::f32;  ///< Of x, and where nothing else is said of all.
  std::optional<DType> y_dtype{};
  std::optional<DType> affine_dtype{};
  Layout layout = Layout::channels_first;  ///< "rows" is channels-first without spatial extents.
  /// hardtanh is clamp. The parameters are Epilogue's defaults.
  Activation activation = Activation::none;
  EpilogueKey fused{};  ///< What else the call does; its activation is none.
  Pass pass = Pass::forward;
  std::string evidence;  ///< Where the numbers come from: config, unchecked, derived.
  std::string source;
  std::string note;
};

/// Parses `text`; `source` is its name in messages. The first error ends it: "source:line: case
/// NAME: field F: value, and what is allowed". An empty list is an error.
Result<std::vector<Case>> parse_cases(std::string_view text, const std::string& source);

/// The same from a file.
Result<std::vector<Case>> load_cases(const std::filesystem::path& path);

/// cases/workloads.yaml as it is compiled into the tools.
Result<std::vector<Case>> shipped_cases();

/// The case's normalization with its activation; layer_norm and rms_norm are over c and all spatial
/// extents, layer_norm_channels and rms_norm_channels over c at each position. `unsupported`, with
/// the reason, for what the library does not offer yet (callers report the case as skipped).
/// Whether a back end supports it is another question.
Result<NormDesc> to_desc(const Case& workload);

}  // namespace fastnorm::measure
