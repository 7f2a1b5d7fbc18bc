// SPDX-License-Identifier: Apache-2.0
#include "measure/nvml.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace fastnorm::measure {
namespace {

// As nvml.h declares it; the interface is stable.

using Return = int;
constexpr Return success = 0;
constexpr int sm_clock = 1;
constexpr int thermal_policy = 1;

struct ViolationTime {
  unsigned long long reference_us;
  unsigned long long violation_ns;
};

struct Utilisation {
  unsigned gpu;
  unsigned memory;
};

struct ProcessSample {
  unsigned process;
  unsigned long long time_us;
  unsigned sm;
  unsigned memory;
  unsigned encoder;
  unsigned decoder;
};

struct Close {
  void operator()(void* library) const { dlclose(library); }
};

std::string last_error() {
  const char* error = dlerror();
  return error == nullptr ? "unknown error" : error;
}

}  // namespace

struct NvmlDevice::Library {
  std::unique_ptr<void, Close> handle;
  Return (*shut_down)() = nullptr;

  // Null where the library has no such function.
  Return (*clock)(void*, int, unsigned*) = nullptr;
  Return (*reasons)(void*, unsigned long long*) = nullptr;
  Return (*violation)(void*, int, ViolationTime*) = nullptr;
  Return (*utilisation)(void*, Utilisation*) = nullptr;
  Return (*process_use)(void*, ProcessSample*, unsigned*, unsigned long long) = nullptr;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (shut_down != nullptr) shut_down();
  }

  template <class Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(handle.get(), name));
  }
};

NvmlDevice::NvmlDevice(std::unique_ptr<Library> library, void* device)
    : library_(std::move(library)), device_(device) {}
NvmlDevice::NvmlDevice(NvmlDevice&&) noexcept = default;
NvmlDevice& NvmlDevice::operator=(NvmlDevice&&) noexcept = default;
NvmlDevice::~NvmlDevice() = default;

Result<NvmlDevice> NvmlDevice::open(const std::string& library, const std::string& pci_address) {
  auto loaded = std::make_unique<Library>();
  loaded->handle.reset(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (loaded->handle == nullptr) return Status(StatusCode::unavailable, last_error());

  Return (*start)() = nullptr;
  Return (*find_device)(const char*, void**) = nullptr;
  Return (*shut_down)() = nullptr;
  loaded->find("nvmlInit_v2", start);
  loaded->find("nvmlShutdown", shut_down);
  loaded->find("nvmlDeviceGetHandleByPciBusId_v2", find_device);
  if (start == nullptr || shut_down == nullptr || find_device == nullptr) {
    return Status(StatusCode::unavailable, library + " is no NVML");
  }
  if (const Return code = start(); code != success) {
    return Status(StatusCode::unavailable,
                  library + " cannot be started: error " + std::to_string(code));
  }
  loaded->shut_down = shut_down;
  void* device = nullptr;
  if (const Return code = find_device(pci_address.c_str(), &device); code != success) {
    return Status(StatusCode::unavailable, library + " does not know the device " + pci_address +
                                               ": error " + std::to_string(code));
  }
  loaded->find("nvmlDeviceGetClockInfo", loaded->clock);
  loaded->find("nvmlDeviceGetCurrentClocksThrottleReasons", loaded->reasons);
  loaded->find("nvmlDeviceGetViolationStatus", loaded->violation);
  loaded->find("nvmlDeviceGetUtilizationRates", loaded->utilisation);
  loaded->find("nvmlDeviceGetProcessUtilization", loaded->process_use);
  return NvmlDevice(std::move(loaded), device);
}

std::optional<int> NvmlDevice::sm_clock_mhz() const {
  unsigned mhz = 0;
  if (library_->clock == nullptr || library_->clock(device_, sm_clock, &mhz) != success) return {};
  return static_cast<int>(mhz);
}

std::optional<std::uint64_t> NvmlDevice::reasons() const {
  unsigned long long bits = 0;
  if (library_->reasons == nullptr || library_->reasons(device_, &bits) != success) return {};
  return bits;
}

std::optional<std::uint64_t> NvmlDevice::thermal_ns() const {
  ViolationTime time{};
  if (library_->violation == nullptr ||
      library_->violation(device_, thermal_policy, &time) != success) {
    return {};
  }
  return time.violation_ns;
}

std::optional<int> NvmlDevice::utilisation() const {
  Utilisation rates{};
  if (library_->utilisation == nullptr || library_->utilisation(device_, &rates) != success) {
    return {};
  }
  return static_cast<int>(rates.gpu);
}

std::vector<ProcessUse> NvmlDevice::process_use() const {
  if (library_->process_use == nullptr) return {};
  using namespace std::chrono;
  const auto now = duration_cast<microseconds>(system_clock::now().time_since_epoch());
  const auto since = static_cast<unsigned long long>((now - seconds(1)).count());
  // The number of samples is asked for first, and may have grown until they are.
  unsigned count = 0;
  static_cast<void>(library_->process_use(device_, nullptr, &count, since));
  if (count == 0) return {};
  constexpr unsigned reserve = 16;
  std::vector<ProcessSample> samples(count + reserve);
  count = static_cast<unsigned>(samples.size());
  if (library_->process_use(device_, samples.data(), &count, since) != success) return {};
  samples.resize(std::min(samples.size(), std::size_t{count}));

  std::vector<ProcessUse> uses;
  for (const ProcessSample& sample : samples) {
    const int process = static_cast<int>(sample.process);
    auto known = std::find_if(uses.begin(), uses.end(),
                              [&](const ProcessUse& use) { return use.process == process; });
    if (known == uses.end()) known = uses.insert(uses.end(), {process, 0});
    known->percent = std::max(known->percent, static_cast<int>(sample.sm));
  }
  return uses;
}

}  // namespace fastnorm::measure
