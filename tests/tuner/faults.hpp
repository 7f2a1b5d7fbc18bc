// SPDX-License-Identifier: Apache-2.0
/// What may go wrong in a candidate, as things that a process can be made to do.
#pragma once

#include <fastnorm/status.hpp>
#include <fastnorm/types.hpp>

#include <array>
#include <vector>

namespace fastnorm::test {

enum class Fault {
  segfault,
  abort,
  exit,
  unhandled_exception,
  kill,            ///< As the system does where memory runs out.
  hang,            ///< Without an end.
  stop,            ///< However often it is let go on.
  garbled_answer,  ///< Writes into the worker's channel.
  closed_channel,
  // In a kernel on a device:
  illegal_access,  ///< Costs the context.
  endless_kernel,
};

constexpr std::array<const char*, 11> enum_names(Fault) {
  return {"segfault",       "abort",          "exit",          "unhandled_exception",
          "kill",           "hang",           "stop",          "garbled_answer",
          "closed_channel", "illegal_access", "endless_kernel"};
}

/// Those that a back end of that memory space can have.
std::vector<Fault> faults_of(MemorySpace memory);

/// What a run says of one.
const char* words_for(Fault fault);

/// Does it.
Status commit(Fault fault, Stream stream);

/// Enqueues a kernel with the fault.
Status enqueue_faulty_kernel(Fault fault, Stream stream);

}  // namespace fastnorm::test
