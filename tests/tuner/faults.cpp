// SPDX-License-Identifier: Apache-2.0
#include "tuner/faults.hpp"

#include "tuner/worker_process.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace fastnorm::test {
namespace {

volatile char* forbidden_page() {
  void* page = mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return static_cast<volatile char*>(page);
}

}  // namespace

std::vector<Fault> faults_of(MemorySpace memory) {
  std::vector<Fault> faults = {
      Fault::segfault, Fault::abort, Fault::exit,           Fault::unhandled_exception, Fault::kill,
      Fault::hang,     Fault::stop,  Fault::garbled_answer, Fault::closed_channel};
  if (memory == MemorySpace::device) {
    faults.insert(faults.end(), {Fault::illegal_access, Fault::endless_kernel});
  }
  return faults;
}

const char* words_for(Fault fault) {
  switch (fault) {
    case Fault::segfault:
      return "the process was killed by SIGSEGV";
    case Fault::abort:
    case Fault::unhandled_exception:
      return "the process was killed by SIGABRT";
    case Fault::exit:
      return "the process ended with exit status 3";
    case Fault::kill:
    case Fault::closed_channel:  // Its run does that, since it cannot say anything any more.
      return "the process was killed by SIGKILL";
    case Fault::hang:
    case Fault::stop:
    case Fault::endless_kernel:
      return "did not end within ";
    case Fault::garbled_answer:
      return "the process sent what is no answer";
    case Fault::illegal_access:
      return "lost the device: ";
  }
  return "";
}

Status commit(Fault fault, Stream stream) {
  switch (fault) {
    case Fault::segfault:
      signal(SIGSEGV, SIG_DFL);  // A sanitizer makes another signal of it.
      *forbidden_page() = 1;
      break;
    case Fault::abort:
      std::abort();
    case Fault::exit:
      std::exit(3);
    case Fault::unhandled_exception:
      throw std::runtime_error("a kernel that throws");
    case Fault::kill:
      raise(SIGKILL);
      break;
    case Fault::hang:
      for (;;) pause();
    case Fault::stop:
      for (;;) raise(SIGSTOP);
    case Fault::garbled_answer: {
      constexpr char garbage[] = "00000000\tverified\tok\t\tok\t\n";
      if (write(tuner::worker_channel, garbage, sizeof garbage - 1) < 0) std::abort();
      break;
    }
    case Fault::closed_channel:
      close(tuner::worker_channel);
      for (;;) pause();
    case Fault::illegal_access:
    case Fault::endless_kernel:
      return enqueue_faulty_kernel(fault, stream);
  }
  return {};
}

}  // namespace fastnorm::test
