// SPDX-License-Identifier: Apache-2.0
#include "core/tuning_key.hpp"

namespace fastnorm {

bool operator==(const TuningKey& a, const TuningKey& b) {
  return a.backend == b.backend && a.op == b.op && a.x_type == b.x_type && a.y_type == b.y_type &&
         a.affine_type == b.affine_type && a.layout == b.layout && a.epilogue == b.epilogue &&
         a.alignment == b.alignment && a.deterministic == b.deterministic;
}

TuningKey TuningKey::of(const Problem& problem, std::string_view backend) {
  const NormDesc& desc = problem.desc();
  TuningKey key;
  key.backend = backend;
  key.op = desc.op;
  key.x_type = desc.x_type;
  key.y_type = desc.y_type;
  key.affine_type = desc.affine_type;
  key.layout = problem.layout();
  key.epilogue = EpilogueKey::of(desc);
  return key;
}

TuningShape TuningShape::of(const Problem& problem) {
  return {problem.n(), problem.channels(), problem.groups(), problem.inner()};
}

bool operator==(const TuningShape& a, const TuningShape& b) {
  return a.n == b.n && a.c == b.c && a.groups == b.groups && a.inner == b.inner;
}

bool share_an_entry(const Problem& a, const Problem& b) {
  constexpr std::string_view any_backend;
  return TuningKey::of(a, any_backend) == TuningKey::of(b, any_backend) &&
         TuningShape::of(a) == TuningShape::of(b);
}

}  // namespace fastnorm
