// SPDX-License-Identifier: Apache-2.0
// The tests' program is its own worker, as autotune is, with faulty back ends.
#include "support/target.hpp"
#include "tuner/faulty_backend.hpp"
#include "tuner/faulty_worker.hpp"
#include "tuner/worker_service.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

namespace fastnorm::test {
namespace {

int serve_faulty_backends() {
  std::vector<std::unique_ptr<FaultyBackend>> faulty;
  std::vector<const Backend*> available;
  for (const Backend* backend : target_backends()) {
    faulty.push_back(std::make_unique<FaultyBackend>(*backend, Rank::last_choice));
    available.push_back(faulty.back().get());
  }
  return tuner::serve(available);
}

}  // namespace
}  // namespace fastnorm::test

int main(int argc, char** argv) {
  using namespace fastnorm::test;
  if (argc == 2 && argv[1] == std::string_view(faulty_worker)) return serve_faulty_backends();
  if (argc == 2 && argv[1] == std::string_view(dying_worker)) std::abort();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
