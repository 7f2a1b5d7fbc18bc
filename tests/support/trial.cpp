#include "support/trial.hpp"

#include "support/random.hpp"
#include "support/shapes.hpp"
#include "support/tolerance.hpp"

#include <utility>

namespace fastnorm::test {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

bool has_mean(Statistics statistics) {
  return statistics == Statistics::mean || statistics == Statistics::both;
}

bool has_rstd(Statistics statistics) {
  return statistics == Statistics::rstd || statistics == Statistics::both;
}

std::vector<float> poison(std::size_t count) {
  return std::vector<float>(count, std::numeric_limits<float>::quiet_NaN());
}

}  // namespace

Trial::Trial(TrialSetup setup, Memory& memory)
    : setup_(std::move(setup)),
      memory_(memory),
      reference_(reference(setup_.desc, setup_.inputs)),
      x_(memory, setup_.inputs.x.size(), setup_.offsets.x) {
  const auto make = [&](std::size_t count, std::size_t offset) {
    return std::make_unique<Buffer>(memory, count, offset);
  };
  const std::size_t channels = logical_shape(setup_.desc).c;
  const std::size_t statistics = logical_shape(setup_.desc).statistics();
  if (!in_place()) y_ = make(x_.size(), setup_.offsets.y);
  if (setup_.inputs.gamma) gamma_ = make(channels, setup_.offsets.gamma);
  if (setup_.inputs.beta) beta_ = make(channels, setup_.offsets.beta);
  if (has_mean(setup_.statistics)) mean_ = make(statistics, 0);
  if (has_rstd(setup_.statistics)) rstd_ = make(statistics, 0);
  reset();
}

void Trial::reset() {
  x_.write(setup_.inputs.x);
  if (gamma_) gamma_->write(*setup_.inputs.gamma);
  if (beta_) beta_->write(*setup_.inputs.beta);
  for (Buffer* output : {y_.get(), mean_.get(), rstd_.get()}) {
    if (output) output->poison();
  }
}

NormArgs Trial::args() const {
  NormArgs args;
  args.x = x_.data();
  args.y = in_place() ? x_.data() : y_->data();
  args.gamma = gamma_ ? gamma_->data() : nullptr;
  args.beta = beta_ ? beta_->data() : nullptr;
  args.mean = mean_ ? mean_->data() : nullptr;
  args.rstd = rstd_ ? rstd_->data() : nullptr;
  return args;
}

std::vector<float> Trial::y() const { return in_place() ? x_.read() : y_->read(); }

AssertionResult Trial::canaries_intact() const {
  const std::pair<const char*, const Buffer*> buffers[] = {{"x", &x_},
                                                           {"y", y_.get()},
                                                           {"gamma", gamma_.get()},
                                                           {"beta", beta_.get()},
                                                           {"mean", mean_.get()},
                                                           {"rstd", rstd_.get()}};
  for (const auto& [name, buffer] : buffers) {
    if (!buffer) continue;
    if (const AssertionResult intact = buffer->canaries_intact(); !intact) {
      return AssertionFailure() << "around " << name << ": " << intact.message();
    }
  }
  return AssertionSuccess();
}

AssertionResult Trial::inputs_unchanged() const {
  if (!in_place()) {
    if (const auto same = same_bits("x after the call", x_.read(), setup_.inputs.x); !same) {
      return same;
    }
  }
  if (gamma_) {
    const auto same = same_bits("gamma after the call", gamma_->read(), *setup_.inputs.gamma);
    if (!same) return same;
  }
  if (beta_) {
    const auto same = same_bits("beta after the call", beta_->read(), *setup_.inputs.beta);
    if (!same) return same;
  }
  return AssertionSuccess();
}

AssertionResult Trial::check() const {
  if (const auto intact = canaries_intact(); !intact) return intact;
  if (const auto unchanged = inputs_unchanged(); !unchanged) return unchanged;
  const auto y_right =
      all_within("y", y(), reference_.y, y_tolerance(setup_.desc, setup_.inputs, reference_));
  if (!y_right) return y_right;
  if (mean_) {
    const auto right =
        all_within("mean", mean_->read(), reference_.mean, mean_tolerance(reference_));
    if (!right) return right;
  }
  if (rstd_) {
    const auto right =
        all_within("rstd", rstd_->read(), reference_.rstd, rstd_tolerance(reference_));
    if (!right) return right;
  }
  return AssertionSuccess();
}

AssertionResult Trial::untouched() const {
  if (const auto intact = canaries_intact(); !intact) return intact;
  if (const auto unchanged = inputs_unchanged(); !unchanged) return unchanged;
  if (in_place()) return same_bits("x, in place", x_.read(), setup_.inputs.x);
  for (const Buffer* output : {y_.get(), mean_.get(), rstd_.get()}) {
    if (!output) continue;
    const auto same = same_bits("a poisoned output", output->read(), poison(output->size()));
    if (!same) return same;
  }
  return AssertionSuccess();
}

TrialSetup random_trial(const NormDesc& desc, std::uint64_t seed) {
  TrialSetup setup;
  setup.desc = desc;
  setup.inputs = random_inputs(desc, seed);
  return setup;
}

GarbageWorkspace::GarbageWorkspace(Memory& memory, std::size_t bytes) : buffer_(memory, bytes) {
  // Neither zero nor a plausible counter, and NaN where it is read as floating point.
  buffer_.write(std::vector<std::uint8_t>(bytes, 0xFF));
}

AssertionResult run(const Plan& plan, Trial& trial, Stream stream) {
  trial.reset();
  const GarbageWorkspace workspace(trial.memory(), plan.workspace_bytes());
  const Status status = plan.execute(trial.args(), workspace.data(), workspace.size(), stream);
  if (!status.ok()) {
    return AssertionFailure() << plan.describe() << ": " << to_string(status.code()) << ": "
                              << status.message();
  }
  if (const auto right = trial.check(); !right) {
    return AssertionFailure() << plan.describe() << ": " << right.message();
  }
  if (const auto intact = workspace.canaries_intact(); !intact) {
    return AssertionFailure() << plan.describe() << ": workspace: " << intact.message();
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
