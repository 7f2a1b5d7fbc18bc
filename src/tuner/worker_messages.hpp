// SPDX-License-Identifier: Apache-2.0
/// What a run asks of a worker, and what it answers: one record a message (record_text.hpp), one
/// answer a request. Both ends are the same program, so that the messages have no versions.
#pragma once

#include "core/device_info.hpp"
#include "measure/cases.hpp"
#include "measure/samples.hpp"
#include "measure/space.hpp"
#include "tuner/journal_record.hpp"
#include "tuner/record_text.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace fastnorm::tuner {

/// Extents, by their rank.
template <class Values, class Visit>
void visit_extents(Values& values, Visit&& visit) {
  if constexpr (std::is_const_v<Values>) {
    visit(values.rank());
    for (int axis = 0; axis < values.rank(); ++axis) visit(values[axis]);
  } else {
    int rank = 0;
    visit(rank);
    for (int axis = 0; axis < rank; ++axis) {
      std::int64_t value = 0;
      visit(value);
      values.push_back(value);
    }
  }
}

template <class Desc, class Visit>
void visit_desc(Desc& desc, Visit&& visit) {
  visit(desc.op);
  visit_extents(desc.extents, visit);
  visit(desc.groups);
  visit(desc.normalized_rank);
  visit(desc.eps);
  visit(desc.x_type);
  visit(desc.y_type);
  visit(desc.affine_type);
  visit(desc.layout);
  visit_extents(desc.x_strides, visit);
  visit_extents(desc.y_strides, visit);
  visit(desc.residual);
  visit(desc.epilogue.activation);
  visit(desc.epilogue.slope);
  visit(desc.epilogue.alpha);
  visit(desc.epilogue.lower);
  visit(desc.epilogue.upper);
  visit(desc.epilogue.gamma);
  visit(desc.epilogue.normalised);
  visit(desc.epilogue.modulation);
}

template <class Info, class Visit>
void visit_device(Info& info, Visit&& visit) {
  visit(info.memory);
  visit(info.ordinal);
  visit(info.name);
  visit(info.compute_capability_major);
  visit(info.compute_capability_minor);
  visit(info.processors);
  visit(info.l2_bytes);
  visit(info.private_cache_bytes);
  visit(info.memory_gb_s);
  visit(info.host_space);
  visit(info.max_threads_per_block);
  visit(info.max_threads_per_processor);
  visit(info.max_blocks_per_processor);
  visit(info.registers_per_processor);
  visit(info.shared_bytes_per_block);
  visit(info.cooperative_launch);
  visit(info.memory_bytes);
  visit(info.pci_address);
}

// ---- Requests.

/// The current device of each back end.
struct ListDevices {
  static constexpr const char* kind = "list_devices";
  template <class Self, class Visit>
  static void fields(Self&, Visit&&) {}
};

/// The software below the back end.
struct TellSoftware {
  std::string backend;

  static constexpr const char* kind = "tell_software";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.backend);
  }
};

/// Whether the answer has to have it.
enum class CopyCeiling { wanted, known };

/// Takes a case up: its data, and its copy ceiling.
struct LoadCase {
  std::string backend;
  std::uint64_t seed = 0;
  measure::Affine affine = measure::Affine::absent;
  NormDesc desc;
  CopyCeiling copy_ceiling = CopyCeiling::wanted;

  static constexpr const char* kind = "load";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.backend);
    visit(self.seed);
    visit(self.affine);
    visit_desc(self.desc, visit);
    visit(self.copy_ceiling);
  }
};

struct VerifyCandidate {
  std::string contender;
  Placement placement = Placement::beside;

  static constexpr const char* kind = "verify";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.contender);
    visit(self.placement);
  }
};

struct TimeCandidate {
  std::string contender;
  measure::SampleLimits limits;

  static constexpr const char* kind = "time";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.contender);
    visit(self.limits.at_least);
    visit(self.limits.at_most);
    visit(self.limits.seconds);
  }
};

using WorkerRequest =
    std::variant<ListDevices, TellSoftware, LoadCase, VerifyCandidate, TimeCandidate>;

// ---- Answers.

struct ListedDevice {
  std::string backend;
  Status status;  ///< Why there is none.
  DeviceInfo info;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.backend);
    visit(self.status);
    visit_device(self.info, visit);
  }
};

struct DeviceList {
  std::vector<ListedDevice> devices;

  static constexpr const char* kind = "devices";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.devices);
  }
};

struct SoftwareTold {
  Status status;
  measure::Software software;

  static constexpr const char* kind = "software";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.status);
    visit(self.software.cuda);
    visit(self.software.driver);
  }
};

struct CaseLoaded {
  Status status;
  double copy_us = 0;      ///< Where it was wanted,
  double copy_mad_us = 0;  ///< with its noise.

  static constexpr const char* kind = "loaded";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.status);
    visit(self.copy_us);
    visit(self.copy_mad_us);
  }
};

/// The result of an evaluation. Once `health` is a failure, the worker can do nothing more.
struct CandidateVerified {
  Status status;
  Status health;

  static constexpr const char* kind = "verified";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.status);
    visit(self.health);
  }
};

/// The same.
struct CandidateTimed {
  Status status;
  Status health;
  std::vector<double> samples_us;

  static constexpr const char* kind = "timed";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.status);
    visit(self.health);
    visit(self.samples_us);
  }
};

using WorkerAnswer =
    std::variant<DeviceList, SoftwareTold, CaseLoaded, CandidateVerified, CandidateTimed>;

/// With its newline.
std::string to_line(const WorkerRequest& request);
std::string to_line(const WorkerAnswer& answer);

/// Without its newline. Nothing where the line is not one that to_line() has written.
std::optional<WorkerRequest> parse_request(std::string_view line);
std::optional<WorkerAnswer> parse_answer(std::string_view line);

}  // namespace fastnorm::tuner
