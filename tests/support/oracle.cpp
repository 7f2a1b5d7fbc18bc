// SPDX-License-Identifier: Apache-2.0
#include "support/oracle.hpp"

#include "support/shapes.hpp"

#include <cmath>
#include <cstddef>

namespace fastnorm::test {
namespace {

template <class Real>
Real activated(const Epilogue& epilogue, Real v) {
  switch (epilogue.activation) {
    case Activation::none:
      return v;
    case Activation::relu:
      return v < 0 ? Real{0} : v;
    case Activation::leaky_relu:
      return v < 0 ? Real{epilogue.slope} * v : v;
    case Activation::elu:
      return v < 0 ? Real{epilogue.alpha} * std::expm1(v) : v;
    case Activation::silu:
      return v / (1 + std::exp(-v));
    case Activation::gelu:
      return v * std::erfc(-v / std::sqrt(Real{2})) / 2;
    case Activation::gelu_tanh: {
      const Real pi = std::acos(Real{-1});
      const Real cubic = static_cast<Real>(0.044715L);
      return v * (1 + std::tanh(std::sqrt(2 / pi) * (v + cubic * v * v * v))) / 2;
    }
    case Activation::tanh:
      return std::tanh(v);
    case Activation::hardswish:
      return v * (v + 3 < 0 ? Real{0} : v + 3 > 6 ? Real{6} : v + 3) / 6;
    case Activation::clamp:
      return v < Real{epilogue.lower} ? Real{epilogue.lower}
                                      : (v > Real{epilogue.upper} ? Real{epilogue.upper} : v);
  }
  return v;
}

/// What is normalised. One addition of values that the type has, in double, and one rounding: that
/// gives the same bits as an addition in the accumulation type, since double has more than twice
/// the digits of float (Figueroa, "When is double rounding innocuous?", 1995), and float more than
/// twice those of the 16-bit types.
Values summed(const NormDesc& desc, const Values& x, const std::optional<Values>& residual) {
  if (desc.residual == Residual::none) return x;
  const Values r = rounded(desc.x_type, residual.value());
  const DType type =
      desc.residual == Residual::rounded_sum ? desc.x_type : accumulation_type(desc.x_type);
  Values h(x.size());
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = rounded(type, x[i] + r[i]);
  return h;
}

/// A vector's element, or what stands for an absent tensor.
double at(const std::optional<Values>& tensor, std::size_t i, double absent) {
  return tensor ? (*tensor)[i] : absent;
}

std::optional<Values> as_stored(DType type, const std::optional<Values>& tensor) {
  if (!tensor) return std::nullopt;
  return rounded(type, *tensor);
}

template <class Real>
NormReference reference_in(const NormDesc& desc, const NormInputs& inputs) {
  const LogicalShape shape = logical_shape(desc);
  const auto index = [&](std::size_t n, std::size_t c, std::size_t s) {
    return (n * shape.c + c) * shape.spatial + s;
  };
  const std::size_t channels = shape.c / shape.groups;
  const auto count = static_cast<Real>(shape.row_len());
  const Epilogue& epilogue = desc.epilogue;

  const Values x = rounded(desc.x_type, inputs.x);
  const Values h = summed(desc, x, inputs.residual);
  const std::optional<Values> gammas = as_stored(desc.affine_type, inputs.gamma);
  const std::optional<Values> betas = as_stored(desc.affine_type, inputs.beta);
  const std::optional<Values> scales = as_stored(desc.affine_type, inputs.scale);
  const std::optional<Values> shifts = as_stored(desc.affine_type, inputs.shift);

  NormReference result;
  if (desc.residual != Residual::none) result.sum = rounded(desc.x_type, h);
  for (Values* values :
       {&result.y, &result.normalised, &result.factor, &result.before_activation}) {
    values->resize(h.size());
  }
  for (std::size_t n = 0; n < shape.n; ++n) {
    const std::size_t sample = n / (shape.n / shape.samples);
    for (std::size_t g = 0; g < shape.groups; ++g) {
      const std::size_t first = g * channels;
      const std::size_t last = first + channels;

      Real mean = 0;
      if (desc.op != Op::rms_norm) {
        for (std::size_t c = first; c < last; ++c) {
          for (std::size_t s = 0; s < shape.spatial; ++s) mean += Real{h[index(n, c, s)]};
        }
        mean /= count;
      }
      Real squares = 0;
      for (std::size_t c = first; c < last; ++c) {
        for (std::size_t s = 0; s < shape.spatial; ++s) {
          const Real centred = Real{h[index(n, c, s)]} - mean;
          squares += centred * centred;
        }
      }
      const Real rstd = 1 / std::sqrt(squares / count + static_cast<Real>(desc.eps));

      for (std::size_t c = first; c < last; ++c) {
        Real gamma = at(gammas, c, 1);
        if (gammas && epilogue.gamma == GammaForm::centred_zero) {
          gamma = rounded(accumulation_type(desc.x_type), 1 + (*gammas)[c]);
        }
        const Real beta = at(betas, c, 0);
        const Real scale = at(scales, sample * shape.c + c, 0);
        const Real shift = at(shifts, sample * shape.c + c, 0);
        for (std::size_t s = 0; s < shape.spatial; ++s) {
          const std::size_t i = index(n, c, s);
          Real normalised = (Real{h[i]} - mean) * rstd;
          result.normalised[i] = static_cast<double>(normalised);
          result.factor[i] = static_cast<double>(gamma * (1 + scale));
          if (epilogue.normalised == NormalisedRounding::affine_type) {
            normalised = rounded(desc.affine_type, static_cast<double>(normalised));
          }
          const Real v = (normalised * gamma + beta) * (1 + scale) + shift;
          result.before_activation[i] = static_cast<double>(v);
          result.y[i] = static_cast<double>(activated(epilogue, v));
        }
      }
      result.mean.push_back(static_cast<double>(mean));
      result.rstd.push_back(static_cast<double>(rstd));
    }
  }
  return result;
}

}  // namespace

NormReference reference(const NormDesc& desc, const NormInputs& inputs) {
  return desc.x_type == DType::f64 ? reference_in<long double>(desc, inputs)
                                   : reference_in<double>(desc, inputs);
}

}  // namespace fastnorm::test
