#include "support/random.hpp"

#include "support/shapes.hpp"

#include <random>

namespace fastnorm::test {

std::vector<float> normal_values(std::size_t count, std::uint64_t seed, float mean,
                                 float deviation) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<float> distribution(mean, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(engine);
  return values;
}

NormInputs random_inputs(const NormDesc& desc, std::uint64_t seed) {
  const LogicalShape shape = logical_shape(desc);
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<float> channel_mean(-4, 4);
  std::uniform_real_distribution<float> channel_deviation(0.5F, 2);

  NormInputs inputs;
  inputs.x = normal_values(shape.elements(), engine());
  for (std::size_t first = 0; first < inputs.x.size(); first += shape.spatial) {
    const float mean = channel_mean(engine);
    const float deviation = channel_deviation(engine);
    for (std::size_t s = 0; s < shape.spatial; ++s) {
      float& x = inputs.x[first + s];
      x = mean + deviation * x;
    }
  }
  inputs.gamma = normal_values(shape.c, engine(), 1, 0.5F);
  inputs.beta = normal_values(shape.c, engine());
  return inputs;
}

}  // namespace fastnorm::test
