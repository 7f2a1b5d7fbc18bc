#include "support/oracle.hpp"

#include "support/shapes.hpp"

#include <cmath>
#include <cstddef>

namespace fastnorm::test {

NormReference reference(const NormDesc& desc, const NormInputs& inputs) {
  const LogicalShape shape = logical_shape(desc);
  const auto at = [&](std::size_t n, std::size_t c, std::size_t s) {
    return (n * shape.c + c) * shape.spatial + s;
  };
  const std::size_t channels = shape.c / shape.groups;
  const auto count = static_cast<double>(channels * shape.spatial);

  NormReference result;
  result.y.resize(inputs.x.size());
  for (std::size_t n = 0; n < shape.n; ++n) {
    for (std::size_t g = 0; g < shape.groups; ++g) {
      const std::size_t first = g * channels;
      const std::size_t last = first + channels;

      double sum = 0;
      for (std::size_t c = first; c < last; ++c) {
        for (std::size_t s = 0; s < shape.spatial; ++s) sum += double{inputs.x[at(n, c, s)]};
      }
      const double mean = sum / count;

      double squares = 0;
      for (std::size_t c = first; c < last; ++c) {
        for (std::size_t s = 0; s < shape.spatial; ++s) {
          const double centred = double{inputs.x[at(n, c, s)]} - mean;
          squares += centred * centred;
        }
      }
      const double rstd = 1 / std::sqrt(squares / count + desc.eps);

      for (std::size_t c = first; c < last; ++c) {
        const double gamma = inputs.gamma ? double{(*inputs.gamma)[c]} : 1.0;
        const double beta = inputs.beta ? double{(*inputs.beta)[c]} : 0.0;
        for (std::size_t s = 0; s < shape.spatial; ++s) {
          result.y[at(n, c, s)] = (double{inputs.x[at(n, c, s)]} - mean) * rstd * gamma + beta;
        }
      }
      result.mean.push_back(mean);
      result.rstd.push_back(rstd);
    }
  }
  return result;
}

}  // namespace fastnorm::test
