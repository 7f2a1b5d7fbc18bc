// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker_service.hpp"

#include "measure/workbench.hpp"
#include "tuner/complain.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/line_channel.hpp"
#include "tuner/search_space.hpp"
#include "tuner/suspension.hpp"
#include "tuner/workbench_evaluator.hpp"
#include "tuner/worker_messages.hpp"
#include "tuner/worker_process.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace fastnorm::tuner {
namespace {

/// A back end's current device, and what measures there.
struct Bench {
  const Backend* backend = nullptr;
  const DeviceInfo* device = nullptr;
  std::unique_ptr<measure::Workbench> workbench;
};

class Service {
 public:
  explicit Service(const std::vector<const Backend*>& available) : available_(available) {}

  WorkerAnswer operator()(const ListDevices&) const {
    DeviceList list;
    for (const Backend* backend : available_) {
      ListedDevice& listed = list.devices.emplace_back();
      listed.backend = backend->name();
      const Result<const DeviceInfo*> device = backend->device(-1);
      listed.status = device.status();
      if (device.ok()) listed.info = *device.value();
    }
    return list;
  }

  WorkerAnswer operator()(const TellSoftware& request) {
    if (Status status = set_up(request.backend); !status.ok()) return SoftwareTold{status, {}};
    return SoftwareTold{{}, bench_.workbench->software()};
  }

  WorkerAnswer operator()(const LoadCase& request) {
    if (Status status = set_up(request.backend); !status.ok()) return CaseLoaded{status, 0, 0};
    evaluator_.reset();
    Result<Problem> problem = Problem::create(request.desc);
    if (!problem.ok()) return CaseLoaded{problem.status(), 0, 0};
    problem_ = std::move(problem).value();
    measure::Workbench& workbench = *bench_.workbench;
    Status loaded = workbench.load(request.desc, request.affine, request.seed);
    if (!loaded.ok()) return CaseLoaded{loaded, 0, 0};
    evaluator_.emplace(*problem_, *bench_.device, workbench);
    if (request.copy_ceiling == CopyCeiling::known) return CaseLoaded{};
    const Result<measure::Summary> copy =
        undisturbed_by_stops([&] { return workbench.copy(problem_->moved_bytes()); });
    if (!copy.ok()) return CaseLoaded{copy.status(), 0, 0};
    return CaseLoaded{{}, copy.value().median_us, copy.value().mad_us};
  }

  WorkerAnswer operator()(const VerifyCandidate& request) {
    const Result<Contender> contender = contender_of(request.contender);
    if (!contender.ok()) return CandidateVerified{contender.status(), {}};
    Status status = request.placement == Placement::in_place
                        ? evaluator_->verify_in_place(contender.value())
                        : evaluator_->verify(contender.value());
    return CandidateVerified{status, health_after(status)};
  }

  WorkerAnswer operator()(const TimeCandidate& request) {
    const Result<Contender> contender = contender_of(request.contender);
    if (!contender.ok()) return CandidateTimed{contender.status(), {}, {}};
    Result<std::vector<double>> samples =
        undisturbed_by_stops([&] { return evaluator_->time(contender.value(), request.limits); });
    if (samples.ok()) return CandidateTimed{{}, {}, std::move(samples).value()};
    return CandidateTimed{samples.status(), health_after(samples.status()), {}};
  }

 private:
  /// One back end's device at a time: the buffers of one must not take the memory of the next.
  Status set_up(const std::string& name) {
    if (bench_.backend != nullptr && bench_.backend->name() == name) return {};
    evaluator_.reset();
    bench_ = {};
    for (const Backend* backend : available_) {
      if (backend->name() != name) continue;
      const Result<const DeviceInfo*> device = backend->device(-1);
      if (!device.ok()) return device.status();
      auto workbench = measure::make_workbench(*device.value());
      if (!workbench.ok()) return workbench.status();
      bench_ = {backend, device.value(), std::move(workbench).value()};
      return {};
    }
    return {StatusCode::invalid_argument, "there is no back end " + name};
  }

  Result<Contender> contender_of(const std::string& text) const {
    if (!evaluator_) return Status(StatusCode::unavailable, "no case has been loaded");
    return Contender::parse(text, *bench_.backend);
  }

  Status health_after(const Status& status) {
    return status.ok() ? Status() : bench_.workbench->health();
  }

  const std::vector<const Backend*>& available_;
  Bench bench_;
  std::optional<Problem> problem_;
  std::optional<WorkbenchEvaluator> evaluator_;
};

bool is_socket(int descriptor) {
  struct stat about {};
  return ::fstat(descriptor, &about) == 0 && S_ISSOCK(about.st_mode);
}

/// Candidates are expected to crash: that takes the time of the crash and not that of a core file.
void write_no_core_file() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

}  // namespace

int serve(const std::vector<const Backend*>& available) {
  if (!is_socket(worker_channel)) {
    return complain(std::string(worker_argument) + " is what autotune starts by itself",
                    exit_usage);
  }
  // While a candidate hangs, nobody would notice that the run is gone.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  write_no_core_file();
  note_continuations();
  LineChannel channel{FileDescriptor(worker_channel)};
  Service service(available);
  std::string line;
  while (channel.receive(line, std::nullopt) == LineChannel::Received::line) {
    const std::optional<WorkerRequest> request = parse_request(line);
    if (!request) return exit_failed;
    if (!channel.send(to_line(std::visit(service, *request)))) break;
  }
  return exit_done;
}

}  // namespace fastnorm::tuner
