// SPDX-License-Identifier: Apache-2.0
#include "support/random.hpp"

#include "core/enum_values.hpp"
#include "support/shapes.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace fastnorm::test {
namespace {

constexpr std::array outputs = {Output::separate, Output::in_place, Output::in_residual};
constexpr std::array sum_outputs = {SumOutput::absent, SumOutput::separate, SumOutput::in_x,
                                    SumOutput::in_residual};
constexpr std::array saved_statistics = {SavedStatistics::none, SavedStatistics::mean,
                                         SavedStatistics::rstd, SavedStatistics::both};

/// Elements of x that share a mean and a spread.
std::size_t stretch_length(const LogicalShape& shape) {
  return shape.groups == 1 && shape.spatial == 1 ? std::max<std::size_t>(1, shape.c / 4)
                                                 : shape.spatial;
}

Output draw_output(const NormDesc& desc, Draw& draw) {
  const Output output = draw.one_of(outputs);
  if (desc.x_type != desc.y_type || desc.x_strides != desc.y_strides) return Output::separate;
  return output == Output::in_residual && desc.residual == Residual::none ? Output::in_place
                                                                          : output;
}

/// Apart from y.
SumOutput draw_sum(const NormDesc& desc, Output output, Draw& draw) {
  const SumOutput sum = draw.one_of(sum_outputs);
  if (desc.residual == Residual::none) return SumOutput::absent;
  const bool taken = (sum == SumOutput::in_x && output == Output::in_place) ||
                     (sum == SumOutput::in_residual && output == Output::in_residual);
  return taken ? SumOutput::separate : sum;
}

/// Half of all tensors lie where a library would want them.
std::size_t draw_offset(Draw& draw) { return draw.once_in(2) ? 0 : draw.below(9); }

}  // namespace

std::vector<float> normal_values(std::size_t count, std::uint64_t seed, float mean,
                                 float deviation) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<float> distribution(mean, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(engine);
  return values;
}

Values normal_tensor(std::size_t count, std::uint64_t seed, float mean, float deviation) {
  const std::vector<float> values = normal_values(count, seed, mean, deviation);
  return {values.begin(), values.end()};
}

NormInputs random_inputs(const NormDesc& desc, std::uint64_t seed) {
  const LogicalShape shape = logical_shape(desc);
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<float> stretch_mean(-4, 4);
  std::uniform_real_distribution<float> stretch_deviation(0.5F, 2);

  NormInputs inputs;
  inputs.x = normal_tensor(shape.elements(), engine());
  const std::size_t stretch = stretch_length(shape);
  for (std::size_t first = 0; first < inputs.x.size(); first += stretch) {
    const double mean = stretch_mean(engine);
    const double deviation = stretch_deviation(engine);
    const std::size_t last = std::min(first + stretch, inputs.x.size());
    for (std::size_t i = first; i < last; ++i) inputs.x[i] = mean + deviation * inputs.x[i];
  }
  const float gamma_mean = desc.epilogue.gamma == GammaForm::factor ? 1 : 0;
  inputs.gamma = normal_tensor(shape.c, engine(), gamma_mean, 0.5F);
  inputs.beta = normal_tensor(shape.c, engine());
  if (desc.residual != Residual::none) {
    inputs.residual = normal_tensor(shape.elements(), engine(), 0.5F);
  }
  if (desc.epilogue.modulation == Modulation::scale_shift) {
    inputs.scale = normal_tensor(shape.samples * shape.c, engine(), 0, 0.5F);
    inputs.shift = normal_tensor(shape.samples * shape.c, engine());
  }
  return inputs;
}

NormDesc draw_form(NormDesc shape, Draw& draw) {
  NormDesc desc = with_types(std::move(shape), draw.one_of(offered_types()));
  desc.residual = draw.one_of(all_residuals);
  Epilogue& epilogue = desc.epilogue;
  epilogue.activation = draw.one_of(all_activations);
  epilogue.slope = draw.one_of(std::array{0.01F, 0.2F, -0.5F, 1.5F});
  epilogue.alpha = draw.one_of(std::array{1.0F, 0.5F, 1.75F});
  epilogue.lower = draw.one_of(std::array{-1.0F, 0.0F, -0.25F});
  epilogue.upper = draw.one_of(std::array{1.0F, 6.0F, 0.0F});
  epilogue.gamma = draw.one_of(all_gamma_forms);
  epilogue.normalised = draw.one_of(all_normalised_roundings);
  epilogue.modulation = draw.one_of(all_modulations);
  return desc;
}

TrialSetup draw_trial(const NormDesc& desc, Draw& draw) {
  TrialSetup setup;
  setup.desc = desc;
  setup.inputs = random_inputs(desc, draw.seed());
  for (auto tensor :
       {&NormInputs::gamma, &NormInputs::beta, &NormInputs::scale, &NormInputs::shift}) {
    if (draw.once_in(4)) (setup.inputs.*tensor).reset();
  }
  setup.statistics = draw.one_of(saved_statistics);
  setup.output = draw_output(desc, draw);
  setup.sum = draw_sum(desc, setup.output, draw);
  for (auto offset : {&Offsets::x, &Offsets::y, &Offsets::gamma, &Offsets::beta, &Offsets::residual,
                      &Offsets::sum, &Offsets::scale, &Offsets::shift}) {
    setup.offsets.*offset = draw_offset(draw);
  }
  return setup;
}

std::string describe(const TrialSetup& setup) {
  const NormInputs& inputs = setup.inputs;
  const Offsets& offsets = setup.offsets;
  std::ostringstream text;
  text << to_text(setup.desc) << ", gamma " << inputs.gamma.has_value() << ", beta "
       << inputs.beta.has_value() << ", scale " << inputs.scale.has_value() << ", shift "
       << inputs.shift.has_value() << ", statistics " << static_cast<int>(setup.statistics)
       << ", y " << static_cast<int>(setup.output) << ", sum " << static_cast<int>(setup.sum)
       << ", offsets x " << offsets.x << " y " << offsets.y << " gamma " << offsets.gamma
       << " beta " << offsets.beta << " residual " << offsets.residual << " sum " << offsets.sum
       << " scale " << offsets.scale << " shift " << offsets.shift;
  return text.str();
}

}  // namespace fastnorm::test
