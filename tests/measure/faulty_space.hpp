// SPDX-License-Identifier: Apache-2.0
/// A host space in which something is wrong with what the workbench asks it.
#pragma once

#include "measure/space.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace fastnorm::test {

/// What goes wrong; nothing, as it is made.
struct Faults {
  double time_factor = 1;          ///< Of the calls' times.
  double first_copy_factor = 1;    ///< Of the times of the first copy that is asked for,
  std::size_t spared_samples = 0;  ///< but for as many of each way's.
  std::int64_t available_bytes = std::int64_t{1} << 40;
  std::int64_t releasable_bytes = 0;
};

class FaultySpace final : public measure::Space {
 public:
  /// `faults` has to outlive the object, and may change.
  FaultySpace(std::unique_ptr<measure::Space> space, const Faults& faults)
      : space_(std::move(space)), faults_(faults) {}

  Result<std::int64_t> available_bytes() const override {
    return faults_.available_bytes + released_;
  }
  Status release(std::int64_t bytes) override {
    if (bytes <= faults_.releasable_bytes - released_) released_ += bytes;
    return {};
  }
  Result<measure::Memory> allocate(std::size_t bytes) override { return space_->allocate(bytes); }
  Status fill(void* to, unsigned char byte, std::size_t bytes) override {
    return space_->fill(to, byte, bytes);
  }
  Status copy(void* to, const void* from, std::size_t bytes) override {
    return space_->copy(to, from, bytes);
  }
  Status read(void* to_host, const void* from, std::size_t bytes) override {
    return space_->read(to_host, from, bytes);
  }
  Status fill_random(void* tensor, DType type, std::int64_t count, measure::Turns turns,
                     std::uint64_t seed) override {
    return space_->fill_random(tensor, type, count, turns, seed);
  }
  Result<std::int64_t> count_damaged(const void* tensor, DType type, std::int64_t count,
                                     measure::Turns turns, std::uint64_t seed) override {
    return space_->count_damaged(tensor, type, count, turns, seed);
  }
  Status unset_gaps(void* tensor, DType type, const measure::Places& places) override {
    return space_->unset_gaps(tensor, type, places);
  }
  Result<std::int64_t> count_set_gaps(const void* tensor, DType type,
                                      const measure::Places& places) override {
    return space_->count_set_gaps(tensor, type, places);
  }
  Status row_statistics(const measure::ReferenceCall& call,
                        measure::RowStatistics* statistics) override {
    return space_->row_statistics(call, statistics);
  }
  Result<measure::Comparison> compare(const measure::ReferenceCall& call) override {
    return space_->compare(call);
  }
  Status run(const measure::Work& work) override { return space_->run(work); }

  Result<std::vector<double>> time(const measure::Work& work,
                                   const measure::SampleLimits& limits) override {
    return scaled(space_->time(work, limits), faults_.time_factor);
  }
  Result<std::vector<std::vector<double>>> time_copies(
      void* to, const void* from, std::size_t bytes, const measure::SampleLimits& limits) override {
    auto ways = space_->time_copies(to, from, bytes, limits);
    if (ways.ok() && copies_++ == 0) {
      for (std::vector<double>& way : ways.value()) {
        for (std::size_t i = faults_.spared_samples; i < way.size(); ++i) {
          way[i] *= faults_.first_copy_factor;
        }
      }
    }
    return ways;
  }

  Status health() override { return space_->health(); }
  measure::Software software() const override { return space_->software(); }

  int copies() const noexcept { return copies_; }

 private:
  static Result<std::vector<double>> scaled(Result<std::vector<double>> samples, double factor) {
    if (samples.ok()) {
      for (double& sample : samples.value()) sample *= factor;
    }
    return samples;
  }

  std::unique_ptr<measure::Space> space_;
  const Faults& faults_;
  std::int64_t released_ = 0;
  int copies_ = 0;
};

}  // namespace fastnorm::test
