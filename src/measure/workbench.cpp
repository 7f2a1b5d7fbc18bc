// SPDX-License-Identifier: Apache-2.0
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

/// No call is faster than a copy of what it moves; so much is the copies' own imperfection.
constexpr double fastest_against_copy = 0.95;

std::string gigabytes(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GB", static_cast<double>(bytes) * 1e-9);
  return text;
}

std::size_t statistics_bytes(const Problem& problem) {
  return static_cast<std::size_t>(problem.rows()) * sizeof(RowStatistics);
}

/// Where a copy of as many bytes as a call moves needs little more room than x and y have, one part
/// in so many at most, x is copied, and the time is taken in proportion: a modulation is small, and
/// memory may be short.
constexpr std::int64_t small_share = 16;

/// Bytes of either side of the copy that stands for one of `copied`, where x and y have room for
/// `room`.
std::int64_t timed_bytes(std::int64_t copied, std::int64_t room) {
  return copied > room && copied - room <= room / small_share ? room : copied;
}

std::int64_t room_of_tensors(const Problem& problem) {
  return std::min(problem.x_bytes(), problem.y_bytes());
}

/// Of buffers beside x and y; 0 where those serve.
std::size_t bytes_beside_tensors(const Problem& problem) {
  const std::int64_t room = room_of_tensors(problem);
  const std::int64_t timed = timed_bytes(problem.moved_bytes() / 2, room);
  return timed <= room ? 0 : static_cast<std::size_t>(timed);
}

/// How the rows of a tensor with these strides take turns; without strides it has none.
Turns turns_of(const RowMemory& memory, const std::optional<RowStrides>& strides) {
  if (!strides || memory.rows_per_outer == 1) return {};
  if (rows_take_turns(memory, *strides)) return {strides->run, strides->row};
  return {Turns{}.period, strides->row};
}

/// The index, in the problem's extents, of an element of a row.
std::vector<std::int64_t> index_of(const Problem& problem, const RowElement& element) {
  const AffineMap& affine = problem.affine();
  const std::int64_t n = element.row / affine.row_period;
  const std::int64_t channel = channel_of(affine, element.row, element.i);
  const std::int64_t position =
      element.i / (affine.inner * affine.channels_per_row) * affine.inner +
      element.i % affine.inner;
  std::int64_t rest = (n * problem.channels() + channel) * problem.inner() + position;
  const Extents& extents = problem.desc().extents;
  std::vector<std::int64_t> index(static_cast<std::size_t>(extents.rank()));
  for (int axis = extents.rank() - 1; axis >= 0; --axis) {
    index[static_cast<std::size_t>(axis)] = rest % extents[axis];
    rest /= extents[axis];
  }
  return index;
}

void append(std::string& names, const std::string& name) {
  names += (names.empty() ? "" : ", ") + name;
}

Status not_loaded() { return {StatusCode::unavailable, "the workbench has no problem loaded"}; }

}  // namespace

std::array<Workbench::Tensor, 7> Workbench::tensors(const Problem& problem) {
  const NormDesc& desc = problem.desc();
  const RowMemory& memory = problem.memory();
  const bool affine = affine_ == Affine::present;
  const bool modulated = desc.epilogue.modulation == Modulation::scale_shift;
  const std::int64_t gammas = affine ? problem.channels() : 0;
  const std::int64_t betas = desc.op == Op::rms_norm ? 0 : gammas;
  const std::int64_t residuals = desc.residual == Residual::none ? 0 : problem.x_span();
  const std::int64_t scales = modulated ? problem.samples() * problem.channels() : 0;
  return {{{&x_, "x", desc.x_type, problem.x_span(), seed_, memory.x},
           {&y_, "y", desc.y_type, problem.y_span(), {}, memory.y},
           {&gamma_, "gamma", desc.affine_type, gammas, mix_bits(seed_ + 1), {}},
           {&beta_, "beta", desc.affine_type, betas, mix_bits(seed_ + 2), {}},
           {&residual_, "residual", desc.x_type, residuals, mix_bits(seed_ + 3), memory.x},
           {&scale_, "scale", desc.affine_type, scales, mix_bits(seed_ + 4), {}},
           {&shift_, "shift", desc.affine_type, scales, mix_bits(seed_ + 5), {}}}};
}

Status Workbench::check_memory(const Problem& problem) {
  std::int64_t needed = memory_reserve;
  std::int64_t held = 0;
  const auto count = [&](const GuardedBuffer& buffer, std::size_t bytes) {
    needed +=
        static_cast<std::int64_t>(std::max(GuardedBuffer::footprint(bytes), buffer.capacity()));
    held += static_cast<std::int64_t>(buffer.capacity());
  };
  for (const Tensor& tensor : tensors(problem)) count(*tensor.buffer, tensor.bytes());
  count(statistics_, statistics_bytes(problem));
  const std::size_t copied = bytes_beside_tensors(problem);
  for (const GuardedBuffer* buffer : {&copy_from_, &copy_to_}) count(*buffer, copied);
  Result<std::int64_t> free = space_->available_bytes();
  if (!free.ok()) return free.status();
  if (const std::int64_t missing = needed - held - free.value(); missing > 0) {
    if (Status status = space_->release(missing); !status.ok()) return status;
    free = space_->available_bytes();
    if (!free.ok()) return free.status();
  }
  if (needed <= free.value() + held) return {};
  return {StatusCode::out_of_memory, "needs " + gigabytes(needed) + " of memory, " +
                                         gigabytes(free.value() + held) + " are free"};
}

Status Workbench::load(const NormDesc& desc, Affine affine, std::uint64_t seed) {
  problem_.reset();
  const Result<Problem> created = Problem::create(desc);
  if (!created.ok()) return created.status();
  const Problem& problem = created.value();
  if (problem.empty()) {
    return {StatusCode::unsupported, "a tensor without elements leaves nothing to measure"};
  }
  affine_ = affine;
  seed_ = seed;
  if (Status status = check_memory(problem); !status.ok()) return status;
  if (Status status = place_tensors(problem); !status.ok()) return status;
  problem_ = problem;
  Status status =
      space_->row_statistics(reference_call(), static_cast<RowStatistics*>(statistics_.data()));
  if (!status.ok()) problem_.reset();
  return status;
}

Status Workbench::place_tensors(const Problem& problem) {
  for (const Tensor& tensor : tensors(problem)) {
    Status status = tensor.buffer->resize(*space_, tensor.bytes());
    if (!status.ok()) return status;
  }
  if (Status status = statistics_.resize(*space_, statistics_bytes(problem)); !status.ok()) {
    return status;
  }
  for (const Tensor& tensor : tensors(problem)) {
    if (!tensor.seed) continue;
    Status status = space_->fill_random(tensor.buffer->data(), tensor.type, tensor.count,
                                        turns_of(problem.memory(), tensor.strides), *tensor.seed);
    if (!status.ok()) return status;
  }
  return {};
}

NormArgs Workbench::args() const noexcept {
  const auto data = [](const GuardedBuffer& buffer) {
    return buffer.size() == 0 ? nullptr : buffer.data();
  };
  NormArgs args;
  args.x = data(x_);
  args.y = data(y_);
  args.gamma = data(gamma_);
  args.beta = data(beta_);
  args.residual = data(residual_);
  args.scale = data(scale_);
  args.shift = data(shift_);
  return args;
}

ReferenceCall Workbench::reference_call() const noexcept {
  const NormDesc& desc = problem_->desc();
  ReferenceCall call{};
  call.tensors = args();
  call.statistics = static_cast<const RowStatistics*>(statistics_.data());
  call.x_type = desc.x_type;
  call.y_type = desc.y_type;
  call.affine_type = desc.affine_type;
  call.accumulation_type = problem_->accumulation_type();
  call.kind = problem_->statistics();
  call.residual = desc.residual;
  call.epilogue = desc.epilogue;
  call.eps = problem_->eps();
  call.rows = problem_->rows();
  call.row_len = problem_->row_len();
  call.memory = problem_->memory();
  call.affine = problem_->affine();
  call.rows_per_sample = problem_->rows_per_sample();
  call.channels = problem_->channels();
  return call;
}

Status Workbench::prepare_workspace(std::size_t bytes) {
  if (Status status = workspace_.resize(*space_, bytes); !status.ok()) return status;
  const auto turn = static_cast<std::size_t>(verifications_++);
  return space_->fill(workspace_.data(), garbage[turn % garbage.size()], bytes);
}

Result<std::string> Workbench::damaged_surroundings() {
  std::string damaged;
  const auto look = [&](const GuardedBuffer& buffer, const char* name) {
    const Result<bool> intact = buffer.intact(*space_);
    if (!intact.ok()) return intact.status();
    if (!intact.value()) append(damaged, std::string("around ") + name);
    return Status{};
  };
  for (const Tensor& tensor : tensors(*problem_)) {
    if (Status status = look(*tensor.buffer, tensor.name); !status.ok()) return status;
  }
  if (Status status = look(workspace_, "the workspace"); !status.ok()) return status;
  return damaged;
}

/// Of y: whoever writes a vector over the end of a row writes there.
Result<std::string> Workbench::damaged_gaps() {
  const Places places(problem_->memory(), problem_->memory().y);
  if (!places.has_gaps()) return std::string();
  const Result<std::int64_t> written =
      space_->count_set_gaps(y_.data(), problem_->desc().y_type, places);
  if (!written.ok()) return written.status();
  return std::string(written.value() > 0 ? "between the elements of y" : "");
}

bool Workbench::inputs_have_gaps() const {
  return Places(problem_->memory(), problem_->memory().x).has_gaps();
}

/// Of x and what is like it: a kernel that takes an input for its output writes there.
Result<std::string> Workbench::damaged_inputs() {
  std::string damaged;
  for (const Tensor& tensor : tensors(*problem_)) {
    if (!tensor.seed || !tensor.strides) continue;
    const Result<std::int64_t> places =
        space_->count_damaged(tensor.buffer->data(), tensor.type, tensor.count,
                              turns_of(problem_->memory(), tensor.strides), *tensor.seed);
    if (!places.ok()) return places.status();
    if (places.value() > 0) append(damaged, std::string("in ") + tensor.name);
  }
  return damaged;
}

Result<Verdict> Workbench::run_and_compare(const Call& call, const NormArgs& args) {
  if (Status status = prepare_workspace(call.workspace_bytes); !status.ok()) return status;
  Status run =
      space_->run([&](Stream stream) { return call.run(args, workspace_.data(), stream); });
  if (!run.ok()) return run;

  // In place too, the reference has the inputs as they were.
  const Result<Comparison> compared = space_->compare(reference_call());
  if (!compared.ok()) return compared.status();
  const Comparison& tally = compared.value();
  Verdict verdict;
  verdict.violations = tally.violations;
  verdict.worst_ratio = tally.worst_ratio;
  verdict.worst_index = index_of(*problem_, tally.worst);
  verdict.got = tally.got;
  verdict.expected = tally.expected;

  std::vector<Result<std::string>> damages = {damaged_surroundings(), damaged_gaps()};
  // Whoever writes over an element of an input makes y wrong, too, since the reference is computed
  // from it.
  if (verdict.violations > 0 || inputs_have_gaps()) damages.push_back(damaged_inputs());
  for (const Result<std::string>& damage : damages) {
    if (!damage.ok()) return damage.status();
    if (!damage.value().empty()) append(verdict.damaged, damage.value());
  }
  if (!verdict.damaged.empty()) {
    // So that the next call is judged by its own doings.
    if (Status status = place_tensors(*problem_); !status.ok()) return status;
  }
  return verdict;
}

Result<Verdict> Workbench::verify(const Call& call) {
  if (!problem_) return not_loaded();
  if (Status status = space_->fill(y_.data(), unset_byte, y_.size()); !status.ok()) return status;
  return run_and_compare(call, args());
}

bool Workbench::may_run_in_place() const noexcept {
  return problem_ && problem_->desc().x_type == problem_->desc().y_type &&
         problem_->memory().x == problem_->memory().y;
}

Result<Verdict> Workbench::verify_in_place(const Call& call) {
  if (!problem_) return not_loaded();
  if (!may_run_in_place()) {
    return Status(StatusCode::unsupported,
                  "x and y of different types or strides cannot share memory");
  }
  if (Status status = space_->copy(y_.data(), x_.data(), x_.size()); !status.ok()) return status;
  const Places places(problem_->memory(), problem_->memory().y);
  if (places.has_gaps()) {
    Status status = space_->unset_gaps(y_.data(), problem_->desc().y_type, places);
    if (!status.ok()) return status;
  }
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

Result<std::pair<const void*, void*>> Workbench::copy_tensors(std::size_t bytes) {
  if (bytes <= x_.size() && bytes <= y_.size()) return {{x_.data(), y_.data()}};
  if (Status status = copy_to_.resize(*space_, bytes); !status.ok()) return status;
  if (Status status = copy_from_.resize(*space_, bytes); !status.ok()) return status;
  // Values, since what a copy of constant memory costs is not what one of data does.
  const auto elements = static_cast<std::int64_t>(bytes / sizeof(float));
  Status status = space_->fill_random(copy_from_.data(), DType::f32, elements, Turns{}, seed_);
  if (!status.ok()) return status;
  return {{copy_from_.data(), copy_to_.data()}};
}

Result<double> Workbench::copy_us(std::int64_t moved_bytes) {
  const Result<Summary> measured = copy(moved_bytes);
  if (!measured.ok()) return measured.status();
  return measured.value().median_us;
}

Result<Summary> Workbench::copy(std::int64_t moved_bytes) {
  if (!problem_) return not_loaded();
  const std::int64_t most = problem_->moved_bytes();
  if (moved_bytes < 2 || moved_bytes > most) {
    return Status(StatusCode::invalid_argument, "moved_bytes is " + std::to_string(moved_bytes) +
                                                    ", must be 2 to " + std::to_string(most) +
                                                    ", what a call moves");
  }
  const std::int64_t copied = moved_bytes / 2;
  if (const auto known = copies_.find(copied); known != copies_.end()) return known->second.time;
  const Result<TimedCopy> measured = time_copy(copied);
  if (!measured.ok()) return measured.status();
  return copies_.emplace(copied, measured.value()).first->second.time;
}

Result<Workbench::TimedCopy> Workbench::time_copy(std::int64_t copied) {
  const std::int64_t timed = timed_bytes(copied, room_of_tensors(*problem_));
  const auto tensors = copy_tensors(static_cast<std::size_t>(timed));
  if (!tensors.ok()) return tensors.status();
  const auto [from, to] = tensors.value();
  const SampleLimits limits{9, 51, 0.05};
  const auto ways = space_->time_copies(to, from, static_cast<std::size_t>(timed), limits);
  if (!ways.ok()) return ways.status();
  constexpr double never = std::numeric_limits<double>::infinity();
  TimedCopy best{{never, 0, 0}, never};
  for (const std::vector<double>& samples : ways.value()) {
    const Summary way = summarize(samples);
    if (way.median_us < best.time.median_us) best.time = way;
    best.fastest_us = std::min(best.fastest_us, *std::min_element(samples.begin(), samples.end()));
  }
  const double scale = static_cast<double>(copied) / static_cast<double>(timed);
  for (double* us : {&best.time.median_us, &best.time.mad_us, &best.fastest_us}) *us *= scale;
  return best;
}

Status Workbench::check_plausible(double us) {
  if (us <= 0) return {StatusCode::device_error, "measured in no time at all"};
  const std::int64_t moved = problem_ ? problem_->moved_bytes() : 0;
  if (const Result<Summary> known = copy(moved); !known.ok()) return known.status();
  TimedCopy& kept = copies_[moved / 2];
  if (us >= fastest_against_copy * kept.fastest_us) return {};
  // The copy may be what went wrong: slowed down by something that has passed.
  const Result<TimedCopy> again = time_copy(moved / 2);
  if (!again.ok()) return again.status();
  if (again.value().time.median_us < kept.time.median_us) kept.time = again.value().time;
  kept.fastest_us = std::min(kept.fastest_us, again.value().fastest_us);
  if (us >= fastest_against_copy * kept.fastest_us) return {};
  char text[96];
  std::snprintf(text, sizeof text, "measured %.3f us, where a copy of the same bytes takes %.3f us",
                us, kept.fastest_us);
  return {StatusCode::device_error, text};
}

Result<std::unique_ptr<Workbench>> make_workbench(const DeviceInfo& device) {
  Result<std::unique_ptr<Space>> space =
      device.memory == MemorySpace::host ? make_host_space(device) : make_cuda_space(device);
  if (!space.ok()) return space.status();
  return std::make_unique<Workbench>(std::move(space).value());
}

}  // namespace fastnorm::measure
