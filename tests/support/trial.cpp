// SPDX-License-Identifier: Apache-2.0
#include "support/trial.hpp"

#include "support/places.hpp"
#include "support/random.hpp"
#include "support/shapes.hpp"
#include "support/tolerance.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <random>
#include <utility>

namespace fastnorm::test {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

bool has_mean(const TrialSetup& setup) {
  return setup.desc.op != Op::rms_norm &&
         (setup.statistics == SavedStatistics::mean || setup.statistics == SavedStatistics::both);
}

bool has_rstd(const TrialSetup& setup) {
  return setup.statistics == SavedStatistics::rstd || setup.statistics == SavedStatistics::both;
}

Garbage next_garbage() {
  static std::atomic<std::size_t> turn{0};
  return all_garbage[turn++ % all_garbage.size()];
}

std::vector<std::uint8_t> garbage_bytes(Garbage garbage, std::size_t count) {
  switch (garbage) {
    case Garbage::zeros:
      return std::vector<std::uint8_t>(count, 0x00);
    case Garbage::ones:
      return std::vector<std::uint8_t>(count, 0xFF);
    case Garbage::large:
      return std::vector<std::uint8_t>(count, 0x7F);
    case Garbage::random:
      break;
  }
  std::vector<std::uint8_t> bytes(count);
  std::mt19937 engine(1);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(engine());
  return bytes;
}

/// The values at their places, and between them what no call may touch.
Values spread(const Values& values, const std::vector<std::size_t>& where) {
  constexpr double between = 77;
  const std::size_t span = values.empty() ? 0 : *std::max_element(where.begin(), where.end()) + 1;
  Values all(span, between);
  for (std::size_t i = 0; i < values.size(); ++i) all[where[i]] = values[i];
  return all;
}

}  // namespace

Trial::Trial(TrialSetup setup, Memory& memory)
    : setup_(std::move(setup)),
      memory_(memory),
      reference_(reference(setup_.desc, setup_.inputs)),
      y_tolerance_(y_tolerance(setup_.desc, reference_)) {
  const NormDesc& desc = setup_.desc;
  const NormInputs& inputs = setup_.inputs;
  const Offsets& offsets = setup_.offsets;
  const auto make = [&](const char* name, Role role, DType type, const Values& values,
                        const std::vector<std::size_t>& where, std::size_t offset) {
    const Values all = where.empty() ? values : spread(values, where);
    return Tensor{name, role, std::make_unique<GuardedTensor>(memory, type, all.size(), offset),
                  encode(type, all), where};
  };
  const std::vector<std::size_t> one_by_one;
  const auto make_input = [&](const char* name, DType type, const std::optional<Values>& values,
                              const std::vector<std::size_t>& where, std::size_t offset) {
    return values ? make(name, Role::input, type, *values, where, offset)
                  : Tensor{name, Role::input};
  };
  const auto make_output = [&](const char* name, bool wanted, DType type, std::size_t count,
                               const std::vector<std::size_t>& where, std::size_t offset) {
    constexpr double poison = std::numeric_limits<double>::quiet_NaN();
    return wanted ? make(name, Role::output, type, Values(count, poison), where, offset)
                  : Tensor{name};
  };
  const bool dense = desc.layout == Layout::channels_first && desc.x_strides.rank() == 0 &&
                     desc.y_strides.rank() == 0;
  const std::vector<std::size_t> x_places = dense ? one_by_one : places(desc, desc.x_strides);
  const std::vector<std::size_t> y_places = dense ? one_by_one : places(desc, desc.y_strides);
  x_ = make_input("x", desc.x_type, inputs.x, x_places, offsets.x);
  residual_ = make_input("residual", desc.x_type, inputs.residual, x_places, offsets.residual);
  gamma_ = make_input("gamma", desc.affine_type, inputs.gamma, one_by_one, offsets.gamma);
  beta_ = make_input("beta", desc.affine_type, inputs.beta, one_by_one, offsets.beta);
  scale_ = make_input("scale", desc.affine_type, inputs.scale, one_by_one, offsets.scale);
  shift_ = make_input("shift", desc.affine_type, inputs.shift, one_by_one, offsets.shift);

  const std::size_t count = inputs.x.size();
  const std::size_t rows = logical_shape(desc).statistics();
  const DType accumulation = accumulation_type(desc.x_type);
  const bool has_y = setup_.output == Output::separate;
  y_ = make_output("y", has_y, desc.y_type, count, y_places, offsets.y);
  const bool has_sum = setup_.sum == SumOutput::separate;
  sum_ = make_output("sum", has_sum, desc.x_type, count, x_places, offsets.sum);
  mean_ = make_output("mean", has_mean(setup_), accumulation, rows, one_by_one, 0);
  rstd_ = make_output("rstd", has_rstd(setup_), accumulation, rows, one_by_one, 0);

  x_.overwritten = setup_.output == Output::in_place || setup_.sum == SumOutput::in_x;
  residual_.overwritten =
      setup_.output == Output::in_residual || setup_.sum == SumOutput::in_residual;
  reset();
}

std::array<const Trial::Tensor*, 10> Trial::tensors() const {
  return {&x_, &residual_, &gamma_, &beta_, &scale_, &shift_, &y_, &sum_, &mean_, &rstd_};
}

void Trial::reset() {
  for (const Tensor* tensor : tensors()) {
    if (tensor->buffer) tensor->buffer->write_encoded(tensor->initial);
  }
}

const Trial::Tensor& Trial::output_y() const {
  switch (setup_.output) {
    case Output::in_place:
      return x_;
    case Output::in_residual:
      return residual_;
    default:
      return y_;
  }
}

/// Without a buffer where the call asks for none.
const Trial::Tensor& Trial::output_sum() const {
  switch (setup_.sum) {
    case SumOutput::in_x:
      return x_;
    case SumOutput::in_residual:
      return residual_;
    default:
      return sum_;
  }
}

NormArgs Trial::args() const {
  NormArgs args;
  args.x = x_.data();
  args.y = output_y().data();
  args.gamma = gamma_.data();
  args.beta = beta_.data();
  args.mean = mean_.data();
  args.rstd = rstd_.data();
  args.residual = residual_.data();
  args.sum = output_sum().data();
  args.scale = scale_.data();
  args.shift = shift_.data();
  return args;
}

void Trial::pretend() {
  output_y().put(reference_.y);
  output_sum().put(reference_.sum);
  mean_.put(reference_.mean);
  rstd_.put(reference_.rstd);
}

Values Trial::y() const { return output_y().values(); }
Values Trial::mean() const { return mean_.buffer->read(); }
Values Trial::rstd() const { return rstd_.buffer->read(); }

AssertionResult Trial::canaries_intact() const {
  for (const Tensor* tensor : tensors()) {
    if (!tensor->buffer) continue;
    if (const AssertionResult intact = tensor->buffer->canaries_intact(); !intact) {
      return AssertionFailure() << "around " << tensor->name << ": " << intact.message();
    }
  }
  return AssertionSuccess();
}

AssertionResult Trial::Tensor::is_as_before() const {
  if (!buffer || buffer->read_encoded() == initial) return AssertionSuccess();
  const auto same = same_bits(std::string(name) + " after the call", buffer->read(),
                              decode(buffer->type(), initial));
  return AssertionFailure() << same.message();
}

Values Trial::Tensor::values() const {
  const Values all = buffer->read();
  if (places.empty()) return all;
  Values values;
  values.reserve(places.size());
  for (const std::size_t place : places) values.push_back(all[place]);
  return values;
}

void Trial::Tensor::put(const Values& values) const {
  if (!buffer) return;
  if (places.empty()) return buffer->write(values);
  Values all = buffer->read();
  for (std::size_t i = 0; i < values.size(); ++i) all[places[i]] = values[i];
  buffer->write(all);
}

AssertionResult Trial::Tensor::gaps_are_as_before() const {
  if (!buffer || places.empty()) return AssertionSuccess();
  // The elements themselves are somebody else's affair.
  std::vector<std::uint8_t> bytes = buffer->read_encoded();
  const std::size_t size = size_of(buffer->type());
  for (const std::size_t place : places) {
    std::copy_n(initial.data() + place * size, size, bytes.data() + place * size);
  }
  if (bytes == initial) return AssertionSuccess();
  return AssertionFailure() << "between the elements of " << name << " something was written";
}

AssertionResult Trial::gaps_unchanged() const {
  for (const Tensor* tensor : tensors()) {
    if (const auto same = tensor->gaps_are_as_before(); !same) return same;
  }
  return AssertionSuccess();
}

AssertionResult Trial::inputs_unchanged() const {
  for (const Tensor* tensor : tensors()) {
    if (tensor->role == Role::output || tensor->overwritten) continue;
    if (const auto same = tensor->is_as_before(); !same) return same;
  }
  return AssertionSuccess();
}

AssertionResult Trial::check() const {
  if (const auto intact = canaries_intact(); !intact) return intact;
  if (const auto unchanged = inputs_unchanged(); !unchanged) return unchanged;
  if (const auto unchanged = gaps_unchanged(); !unchanged) return unchanged;
  const auto y_right = all_within("y", y(), reference_.y, y_tolerance_);
  if (!y_right) return y_right;
  if (const Tensor& sum = output_sum(); sum.buffer) {
    const auto right = same_bits("sum", sum.values(), reference_.sum);
    if (!right) return right;
  }
  if (mean_.buffer) {
    const auto right =
        all_within("mean", mean(), reference_.mean, mean_tolerance(setup_.desc, reference_));
    if (!right) return right;
  }
  if (rstd_.buffer) {
    const auto right =
        all_within("rstd", rstd(), reference_.rstd, rstd_tolerance(setup_.desc, reference_));
    if (!right) return right;
  }
  return AssertionSuccess();
}

AssertionResult Trial::untouched() const {
  if (const auto intact = canaries_intact(); !intact) return intact;
  for (const Tensor* tensor : tensors()) {
    if (const auto same = tensor->is_as_before(); !same) return same;
  }
  return AssertionSuccess();
}

TrialSetup random_trial(const NormDesc& desc, std::uint64_t seed) {
  TrialSetup setup;
  setup.desc = desc;
  setup.inputs = random_inputs(desc, seed);
  return setup;
}

GarbageWorkspace::GarbageWorkspace(Memory& memory, std::size_t bytes)
    : GarbageWorkspace(memory, bytes, next_garbage()) {}

GarbageWorkspace::GarbageWorkspace(Memory& memory, std::size_t bytes, Garbage garbage)
    : buffer_(memory, bytes) {
  buffer_.write(garbage_bytes(garbage, bytes));
}

AssertionResult execute(const Plan& plan, Trial& trial, Stream stream) {
  trial.reset();
  const GarbageWorkspace workspace(trial.memory(), plan.workspace_bytes());
  const Status status = plan.execute(trial.args(), workspace.data(), workspace.size(), stream);
  if (!status.ok()) {
    return AssertionFailure() << plan.describe() << ": " << to_string(status.code()) << ": "
                              << status.message();
  }
  if (const auto intact = workspace.canaries_intact(); !intact) {
    return AssertionFailure() << plan.describe() << ": workspace: " << intact.message();
  }
  return AssertionSuccess();
}

AssertionResult run(const Plan& plan, Trial& trial, Stream stream) {
  if (const auto executed = execute(plan, trial, stream); !executed) return executed;
  if (const auto right = trial.check(); !right) {
    return AssertionFailure() << plan.describe() << ": " << right.message();
  }
  return AssertionSuccess();
}

AssertionResult run_normalize(Trial& trial, const PlanOptions& options, Stream stream) {
  trial.reset();
  const Status status = normalize(trial.setup().desc, trial.args(), stream, options);
  if (!status.ok()) {
    return AssertionFailure() << to_string(status.code()) << ": " << status.message();
  }
  return trial.check();
}

}  // namespace fastnorm::test
