// SPDX-License-Identifier: Apache-2.0
#include <fastnorm/fastnorm.hpp>

#include <cstdio>

int main() {
  const fastnorm::NormDesc desc{.op = fastnorm::Op::instance_norm, .extents = {2, 3, 5, 7}};
  const fastnorm::PlanOptions options{.memory = fastnorm::MemorySpace::host};
  const fastnorm::Result<fastnorm::Plan> plan = fastnorm::Plan::create(desc, options);
  std::puts(plan.ok() ? plan.value().describe().c_str() : plan.status().message().c_str());
  return plan.ok() || plan.status().code() == fastnorm::StatusCode::unavailable ? 0 : 1;
}
