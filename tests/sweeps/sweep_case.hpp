// SPDX-License-Identifier: Apache-2.0
/// What the sweeps go over: a back end and a shape.
#pragma once

#include "core/backend.hpp"
#include "support/places.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"

#include <fastnorm/plan.hpp>

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace fastnorm::test {

using SweepCase = std::tuple<const Backend*, NormDesc>;

inline const Backend& backend_of(const SweepCase& sweep_case) { return *std::get<0>(sweep_case); }
inline const NormDesc& desc_of(const SweepCase& sweep_case) { return std::get<1>(sweep_case); }

/// "kokkos_host_group_norm_2x8x5_groups_4_eps_1e_05".
inline std::string name_of(const ::testing::TestParamInfo<SweepCase>& info) {
  std::string name(backend_of(info.param).name());
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name + "_" + to_identifier(desc_of(info.param));
}

/// Rows that lie side by side: columns and groups of any number and width, few positions and many,
/// few samples and many.
inline const std::vector<NormDesc>& column_shapes() {
  static const std::vector<NormDesc> shapes = {
      channels_last(group_norm_desc({1, 48, 32, 32}, 16)),
      channels_last(group_norm_desc({2, 64, 7, 7}, 8)),
      channels_last(group_norm_desc({1, 32, 3001}, 4)),
      channels_last(group_norm_desc({2, 30, 333}, 3)),
      channels_last(group_norm_desc({2, 96, 500}, 1)),
      channels_last(group_norm_desc({1, 2560, 24}, 32)),
      channels_last(group_norm_desc({2000, 4, 3}, 2)),
      channels_last(group_norm_desc({1, 6006, 9}, 3003)),
      channels_last(instance_norm_desc({2, 3, 40, 50})),
      channels_last(instance_norm_desc({5, 40, 8, 8, 8})),
      over_channels(layer_norm_desc({3, 9, 7, 96})),
      over_channels(layer_norm_desc({1, 500, 200})),
      over_channels(layer_norm_desc({40, 16, 64})),
      over_channels(layer_norm_desc({2, 8, 3000})),
      over_channels(rms_norm_desc({2, 513, 33})),
      over_channels(rms_norm_desc({1, 8, 5, 384})),
  };
  return shapes;
}

/// Small enough to try every configuration.
inline const std::vector<NormDesc>& small_column_shapes() {
  static const std::vector<NormDesc> shapes = {
      channels_last(group_norm_desc({2, 8, 5}, 4)),  channels_last(group_norm_desc({2, 34, 9}, 17)),
      channels_last(group_norm_desc({3, 24, 7}, 1)), channels_last(group_norm_desc({1, 64, 60}, 8)),
      channels_last(instance_norm_desc({2, 6, 31})), over_channels(layer_norm_desc({2, 7, 12})),
      over_channels(layer_norm_desc({1, 32, 100})),  over_channels(rms_norm_desc({2, 33, 9})),
  };
  return shapes;
}

class Sweep : public TargetTestWithParam<SweepCase> {
 protected:
  const Backend& backend() const { return backend_of(GetParam()); }
  const NormDesc& desc() const { return desc_of(GetParam()); }

  /// The back end's plan with this strategy and configuration.
  Result<Plan> forced(const NormDesc& desc, const KernelVariant& variant,
                      const Config& config) const {
    PlanOptions options = target_options(backend());
    options.strategy = variant.name();
    options.config = config.text();
    return Plan::create(desc, options);
  }
};

}  // namespace fastnorm::test
