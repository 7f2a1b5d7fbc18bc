/// What the sweeps go over: a back end and a shape.
#pragma once

#include "core/backend.hpp"
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
