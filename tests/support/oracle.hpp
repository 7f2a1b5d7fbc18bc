/// The reference: group normalization in double precision on the host, written from the definition
/// in NormDesc and from nothing that the kernels use.
#pragma once

#include <fastnorm/norm_desc.hpp>

#include <optional>
#include <vector>

namespace fastnorm::test {

/// The inputs of one call; gamma and beta may be absent.
struct NormInputs {
  std::vector<float> x;
  std::optional<std::vector<float>> gamma;
  std::optional<std::vector<float>> beta;
};

struct NormReference {
  std::vector<double> y;     ///< Like x.
  std::vector<double> mean;  ///< [N, groups]
  std::vector<double> rstd;  ///< [N, groups]
};

NormReference reference(const NormDesc& desc, const NormInputs& inputs);

}  // namespace fastnorm::test
