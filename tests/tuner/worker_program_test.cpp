// SPDX-License-Identifier: Apache-2.0
// The program and the process that measures for it: what ends one, and what becomes of the other.
#include "core/backend.hpp"
#include "support/temporary_folder.hpp"
#include "tuner/program.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm::tuner {
namespace {

using namespace std::chrono_literals;
using test::autotune;
using test::children_of;
using test::contains;
using test::is_running;
using test::ProgramRun;
using test::read_text;
using test::TemporaryFolder;

class WorkerProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Backend* backend : backends()) {
      if (backend->memory() == MemorySpace::host) return;
    }
    GTEST_SKIP() << "this build has no back end for the host";
  }

  /// A run over a short case, a longer one and a short one. `act` is called with the program's id,
  /// in the middle of the second.
  template <class Act>
  ProgramRun run(const Act& act) {
    const std::filesystem::path cases = folder_.path() / "cases.yaml";
    std::ofstream(cases)
        << "- {name: first, op: group_norm, n: 1, c: 4, spatial: [8], groups: 2, dtype: f32, "
           "layout: nchw}\n"
           "- {name: second, op: group_norm, n: 64, c: 64, spatial: [32, 32], groups: 2, dtype: "
           "f32, layout: nchw}\n"
           "- {name: third, op: group_norm, n: 1, c: 4, spatial: [9], groups: 2, dtype: f32, "
           "layout: nchw}\n";
    bool acted = false;
    return autotune(
        {"--backend", "kokkos", "--cases", cases.string(), "--budget", "30", "--db", db().string()},
        {}, [&](pid_t process, const std::string& out) {
          if (acted || !contains(out, "\nfirst ")) return;
          acted = true;
          wait_for_second_case();
          act(process);
        });
  }

  std::filesystem::path db() const { return folder_.path() / "db"; }

 private:
  /// Until a candidate of it has been verified.
  void wait_for_second_case() const {
    const auto give_up = std::chrono::steady_clock::now() + 60s;
    while (std::chrono::steady_clock::now() < give_up) {
      for (const auto& entry : std::filesystem::directory_iterator(db())) {
        const bool is_journal = entry.path().extension() == ".journal";
        if (is_journal && contains(read_text(entry.path()), "\tverified\t0\t1\t")) return;
      }
      std::this_thread::sleep_for(1ms);
    }
    ADD_FAILURE() << "the second case does not get that far";
  }

  TemporaryFolder folder_;
};

TEST_F(WorkerProgram, ItsDeathCostsOneEvaluation) {
  const ProgramRun run = this->run([](pid_t process) {
    const std::vector<pid_t> workers = children_of(process);
    ASSERT_EQ(workers.size(), 1U);
    kill(workers[0], SIGKILL);
  });
  // That of a candidate, or where it was the default's, of its case.
  EXPECT_TRUE(contains(run.out + run.err, "killed by SIGKILL")) << run.out << run.err;
  EXPECT_TRUE(contains(run.out, "\nthird ")) << run.out << run.err;
}

TEST_F(WorkerProgram, ItEndsWithTheProgram) {
  std::vector<pid_t> workers;
  const ProgramRun run = this->run([&](pid_t process) {
    workers = children_of(process);
    kill(process, SIGKILL);
  });
  EXPECT_EQ(run.exit_status, -1);
  ASSERT_EQ(workers.size(), 1U);
  const auto give_up = std::chrono::steady_clock::now() + 30s;
  while (is_running(workers[0]) && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_FALSE(is_running(workers[0]));
}

TEST_F(WorkerProgram, CtrlCDoesNotReachIt) {
  const ProgramRun run = this->run([](pid_t process) { kill(-process, SIGINT); });
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_TRUE(contains(run.err, "interrupted; the same with --resume goes on")) << run.err;
  EXPECT_FALSE(contains(run.out + run.err, "SIGINT")) << run.out << run.err;
  EXPECT_TRUE(contains(run.out, "1 tuned")) << run.out;
}

TEST_F(WorkerProgram, NobodyElseStartsIt) {
  const ProgramRun run = autotune({"worker"});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(contains(run.err, "autotune starts by itself")) << run.err;
}

}  // namespace
}  // namespace fastnorm::tuner
