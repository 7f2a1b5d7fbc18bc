#include "measure/workbench.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

namespace fastnorm::measure {
namespace {

/// For workspaces and whatever else the process needs beside the tensors.
constexpr std::int64_t memory_reserve = std::int64_t{256} << 20;

/// Every verification finds another of these in the workspace: a kernel that relies on zeros, on
/// what it left there itself, or on an all-ones sentinel fails one of them.
constexpr std::array<unsigned char, 3> garbage = {0xa5, 0x00, 0xff};

/// All bits set is a NaN.
constexpr unsigned char nan_byte = 0xff;

std::string gigabytes(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GB", static_cast<double>(bytes) * 1e-9);
  return text;
}

std::size_t affine_bytes(const Problem& problem, Affine affine) {
  return affine == Affine::present ? static_cast<std::size_t>(problem.channels()) * sizeof(float)
                                   : 0;
}

std::size_t statistics_bytes(const Problem& problem) {
  return static_cast<std::size_t>(problem.rows()) * sizeof(RowStatistics);
}

Status not_loaded() { return {StatusCode::unavailable, "the workbench has no problem loaded"}; }

}  // namespace

Status Workbench::check_memory(const Problem& problem, Affine affine) const {
  const std::size_t wanted[] = {
      static_cast<std::size_t>(problem.x_bytes()), static_cast<std::size_t>(problem.y_bytes()),
      affine_bytes(problem, affine), affine_bytes(problem, affine), statistics_bytes(problem)};
  const GuardedBuffer* buffers[] = {&x_, &y_, &gamma_, &beta_, &statistics_};
  std::int64_t needed = memory_reserve;
  std::int64_t held = 0;
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    needed += static_cast<std::int64_t>(
        std::max(GuardedBuffer::footprint(wanted[i]), buffers[i]->capacity()));
    held += static_cast<std::int64_t>(buffers[i]->capacity());
  }
  const Result<std::int64_t> free = space_->available_bytes();
  if (!free.ok()) return free.status();
  if (needed <= free.value() + held) return {};
  return {StatusCode::out_of_memory, "needs " + gigabytes(needed) + " of memory, " +
                                         gigabytes(free.value() + held) + " are free"};
}

Status Workbench::load(const NormDesc& desc, Affine affine, std::uint64_t seed) {
  problem_.reset();
  const Result<Problem> created = Problem::create(desc);
  if (!created.ok()) return created.status();
  const Problem& problem = created.value();
  if (desc.x_type != DType::f32 || desc.y_type != DType::f32 || desc.affine_type != DType::f32) {
    return {StatusCode::unsupported, "only f32 tensors can be measured yet"};
  }
  if (problem.empty()) {
    return {StatusCode::unsupported, "a tensor without elements leaves nothing to measure"};
  }
  if (Status status = check_memory(problem, affine); !status.ok()) return status;

  affine_ = affine;
  seed_ = seed;
  if (Status status = place_tensors(problem); !status.ok()) return status;
  Status status = space_->row_statistics(static_cast<const float*>(x_.data()), problem.rows(),
                                         problem.row_len(), problem.eps(),
                                         static_cast<RowStatistics*>(statistics_.data()));
  if (!status.ok()) return status;
  problem_ = problem;
  return {};
}

Status Workbench::place_tensors(const Problem& problem) {
  struct Tensor {
    GuardedBuffer& buffer;
    std::size_t bytes;
    std::optional<std::uint64_t> seed;  // of its values, where it has any
  };
  const Tensor tensors[] = {{x_, static_cast<std::size_t>(problem.x_bytes()), seed_},
                            {y_, static_cast<std::size_t>(problem.y_bytes()), std::nullopt},
                            {gamma_, affine_bytes(problem, affine_), mix_bits(seed_ + 1)},
                            {beta_, affine_bytes(problem, affine_), mix_bits(seed_ + 2)},
                            {statistics_, statistics_bytes(problem), std::nullopt}};
  for (const Tensor& tensor : tensors) {
    Status status = tensor.buffer.resize(*space_, tensor.bytes);
    if (!status.ok()) return status;
  }
  for (const Tensor& tensor : tensors) {
    if (!tensor.seed) continue;
    Status status =
        space_->fill_random(static_cast<float*>(tensor.buffer.data()),
                            static_cast<std::int64_t>(tensor.bytes / sizeof(float)), *tensor.seed);
    if (!status.ok()) return status;
  }
  return {};
}

NormArgs Workbench::args() const noexcept {
  NormArgs args;
  args.x = x_.data();
  args.y = y_.data();
  if (affine_ == Affine::present) {
    args.gamma = gamma_.data();
    args.beta = beta_.data();
  }
  return args;
}

Status Workbench::prepare_workspace(std::size_t bytes) {
  if (Status status = workspace_.resize(*space_, bytes); !status.ok()) return status;
  const auto turn = static_cast<std::size_t>(verifications_++);
  return space_->fill(workspace_.data(), garbage[turn % garbage.size()], bytes);
}

Result<std::string> Workbench::damaged_tensors() {
  const std::pair<const GuardedBuffer*, const char*> tensors[] = {
      {&x_, "around x"},
      {&y_, "around y"},
      {&gamma_, "around gamma"},
      {&beta_, "around beta"},
      {&workspace_, "around the workspace"}};
  std::string damaged;
  for (const auto& [buffer, name] : tensors) {
    const Result<bool> intact = buffer->intact(*space_);
    if (!intact.ok()) return intact.status();
    if (!intact.value()) damaged += (damaged.empty() ? "" : ", ") + std::string(name);
  }
  return damaged;
}

Result<Verdict> Workbench::run_and_compare(const Call& call, const NormArgs& args) {
  if (Status status = prepare_workspace(call.workspace_bytes); !status.ok()) return status;
  Status run =
      space_->run([&](Stream stream) { return call.run(args, workspace_.data(), stream); });
  if (!run.ok()) return run;

  Expectation expectation{};
  expectation.x = static_cast<const float*>(x_.data());
  expectation.y = static_cast<const float*>(y_.data());
  expectation.gamma = static_cast<const float*>(args.gamma);
  expectation.beta = static_cast<const float*>(args.beta);
  expectation.statistics = static_cast<const RowStatistics*>(statistics_.data());
  expectation.rows = problem_->rows();
  expectation.row_len = problem_->row_len();
  expectation.row_period = problem_->affine().row_period;
  expectation.channels_per_row = problem_->affine().channels_per_row;
  expectation.inner = problem_->affine().inner;
  const Result<Comparison> compared = space_->compare(expectation);
  if (!compared.ok()) return compared.status();
  Result<std::string> damaged = damaged_tensors();
  if (!damaged.ok()) return damaged.status();

  const Comparison& tally = compared.value();
  Verdict verdict;
  verdict.violations = tally.violations;
  verdict.worst_ratio = tally.worst_ratio;
  verdict.worst_index = tally.worst_index;
  verdict.got = tally.got;
  verdict.expected = tally.expected;
  verdict.damaged = std::move(damaged).value();
  if (verdict.violations > 0) {
    // Whoever writes into x makes y wrong, too, since the reference is computed from x as it is.
    const auto count = static_cast<std::int64_t>(x_.size() / sizeof(float));
    const auto damaged_inputs =
        space_->count_damaged(static_cast<const float*>(x_.data()), count, seed_);
    if (!damaged_inputs.ok()) return damaged_inputs.status();
    if (damaged_inputs.value() > 0) {
      verdict.damaged += (verdict.damaged.empty() ? "" : ", ") + std::string("in x");
    }
  }
  if (!verdict.damaged.empty()) {
    // So that the next call is judged by its own doings.
    if (Status status = place_tensors(*problem_); !status.ok()) return status;
  }
  return verdict;
}

Result<Verdict> Workbench::verify(const Call& call) {
  if (!problem_) return not_loaded();
  if (Status status = space_->fill(y_.data(), nan_byte, y_.size()); !status.ok()) return status;
  return run_and_compare(call, args());
}

Result<Verdict> Workbench::verify_in_place(const Call& call) {
  if (!problem_) return not_loaded();
  if (Status status = space_->copy(y_.data(), x_.data(), x_.size()); !status.ok()) return status;
  NormArgs in_place = args();
  in_place.x = in_place.y;
  return run_and_compare(call, in_place);
}

Result<std::vector<double>> Workbench::time(const Call& call, const SampleLimits& limits) {
  if (!problem_) return not_loaded();
  if (Status status = prepare_workspace(call.workspace_bytes); !status.ok()) return status;
  const NormArgs tensors = args();
  return space_->time([&](Stream stream) { return call.run(tensors, workspace_.data(), stream); },
                      limits);
}

Result<double> Workbench::copy_us(std::int64_t bytes) {
  if (!problem_) return not_loaded();
  const auto most = static_cast<std::int64_t>(std::min(x_.size(), y_.size()));
  if (bytes < 1 || bytes > most) {
    return Status(StatusCode::invalid_argument, "bytes is " + std::to_string(bytes) +
                                                    ", must be 1 to " + std::to_string(most) +
                                                    ", the loaded tensors' size");
  }
  if (const auto known = copies_us_.find(bytes); known != copies_us_.end()) return known->second;
  const SampleLimits limits{9, 51, 0.05};
  const auto ways =
      space_->time_copies(y_.data(), x_.data(), static_cast<std::size_t>(bytes), limits);
  if (!ways.ok()) return ways.status();
  double best = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& samples : ways.value()) best = std::min(best, median(samples));
  copies_us_.emplace(bytes, best);
  return best;
}

Result<std::unique_ptr<Workbench>> make_workbench(const DeviceInfo& device) {
  Result<std::unique_ptr<Space>> space =
      device.memory == MemorySpace::host ? make_host_space(device) : make_cuda_space(device);
  if (!space.ok()) return space.status();
  return std::make_unique<Workbench>(std::move(space).value());
}

}  // namespace fastnorm::measure
