// SPDX-License-Identifier: Apache-2.0
// What a program has met without a tuning entry, asked for and recorded. Each test is a process of
// its own, since the environment is looked at once.
#include "core/backend.hpp"
#include "measure/cases.hpp"
#include "support/temporary_folder.hpp"

#include <fastnorm/fastnorm.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm::test {
namespace {

/// What a child process did.
struct Ended {
  int exit_status = -1;
  std::string err;
};

/// A child process that records in a file, does something and then ends by exit(), or as that ends
/// it. What it does returns whether all was well.
class Recording {
 public:
  template <class Action>
  Recording(const std::string& record, Action action) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe(ends), 0);
    child_ = fork();
    if (child_ == 0) {
      setenv("FASTNORM_RECORD", record.c_str(), 1);
      setenv("FASTNORM_TUNING_DB", "none", 1);
      unsetenv("FASTNORM_LOG");
      dup2(ends[1], STDERR_FILENO);
      close(ends[0]);
      close(ends[1]);
      std::exit(action() ? 0 : 1);
    }
    close(ends[1]);
    err_ = ends[0];
  }

  Ended wait() const {
    Ended ended;
    char buffer[4096];
    for (ssize_t count = 0; (count = read(err_, buffer, sizeof buffer)) > 0;) {
      ended.err.append(buffer, static_cast<std::size_t>(count));
    }
    close(err_);
    int status = 0;
    EXPECT_EQ(waitpid(child_, &status, 0), child_);
    if (WIFEXITED(status)) ended.exit_status = WEXITSTATUS(status);
    return ended;
  }

 private:
  pid_t child_ = -1;
  int err_ = -1;
};

template <class Action>
Ended with_record(const std::string& record, Action action) {
  return Recording(record, action).wait();
}

/// A layer_norm of rows of `length`.
bool call(std::int64_t length, const NormOptions& options = {}) {
  const std::vector<float> x(static_cast<std::size_t>(2 * length), 1.0F);
  std::vector<float> y(x.size());
  return layer_norm({2, length}, 1, x.data(), y.data(), nullptr, nullptr, options).ok();
}

std::set<std::string> names_in(const std::filesystem::path& path) {
  std::set<std::string> names;
  const auto cases = measure::load_cases(path);
  EXPECT_TRUE(cases.ok()) << cases.status().message();
  if (!cases.ok()) return names;
  for (const measure::Case& one : cases.value()) names.insert(one.name);
  return names;
}

class Untuned : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto on_host = [](const Backend* b) { return b->memory() == MemorySpace::host; };
    if (std::none_of(backends().begin(), backends().end(), on_host)) {
      GTEST_SKIP() << "this build has no back end for the host";
    }
  }

  TemporaryFolder folder_;
  const std::filesystem::path record_ = folder_.path() / "shapes.yaml";
};

TEST_F(Untuned, EachShapeIsListedOnceInItsOrder) {
  const Ended ended = with_record("", [] {
    for (const std::int64_t length : {7, 5, 7}) {
      if (!call(length)) return false;
    }
    const std::vector<UntunedShape> shapes = untuned_shapes();
    if (shapes.size() != 2) return false;
    const UntunedShape& first = shapes[0];
    return first.desc.extents == Extents{2, 7} && shapes[1].desc.extents == Extents{2, 5} &&
           first.desc.op == Op::layer_norm && first.backend.rfind("kokkos", 0) == 0 &&
           first.served_by == "heuristic" &&
           first.case_text.rfind("{name: layer_norm_2x7_f32_rows, op: layer_norm, ", 0) == 0;
  });
  EXPECT_EQ(ended.exit_status, 0) << ended.err;
  EXPECT_FALSE(std::filesystem::exists(record_));
}

TEST_F(Untuned, ForcedAndHeuristicPlansAndEmptyTensorsAreNotListed) {
  const Ended ended = with_record("", [] {
    NormDesc desc;
    desc.op = Op::layer_norm;
    desc.extents = {2, 7};
    PlanOptions options;
    options.memory = MemorySpace::host;
    options.tuning = Tuning::heuristic;
    const Result<Plan> heuristic = Plan::create(desc, options);
    if (!heuristic.ok()) return false;
    options.tuning = Tuning::database;
    options.strategy = heuristic.value().strategy();
    if (!Plan::create(desc, options).ok()) return false;
    options.strategy.clear();
    desc.extents = {0, 7};
    return Plan::create(desc, options).ok() && untuned_shapes().empty();
  });
  EXPECT_EQ(ended.exit_status, 0) << ended.err;
}

TEST_F(Untuned, ANewShapeIsInTheFileBeforeTheCallReturns) {
  const Ended ended = with_record(record_.string(), [] {
    if (call(7) && call(9)) _exit(7);  // without any handler
    return false;
  });
  EXPECT_EQ(ended.exit_status, 7) << ended.err;
  EXPECT_EQ(names_in(record_),
            (std::set<std::string>{"layer_norm_2x7_f32_rows", "layer_norm_2x9_f32_rows"}));
}

TEST_F(Untuned, WhatWaitsIsWrittenAtExit) {
  constexpr std::int64_t many = 300;
  const Ended ended = with_record(record_.string(), [] {
    for (std::int64_t length = 1; length <= many; ++length) {
      if (!call(length)) return false;
    }
    return true;
  });
  EXPECT_EQ(ended.exit_status, 0) << ended.err;
  EXPECT_EQ(names_in(record_).size(), static_cast<std::size_t>(many));
}

TEST_F(Untuned, ARelativePathIsThatOfTheFirstCall) {
  const Ended ended = with_record("shapes.yaml", [&] {
    return chdir(folder_.path().c_str()) == 0 && call(7) && chdir("/") == 0 && call(9);
  });
  EXPECT_EQ(ended.exit_status, 0) << ended.err;
  EXPECT_EQ(names_in(record_).size(), 2U);
}

TEST_F(Untuned, ProcessesAndThreadsShareAFile) {
  constexpr int processes = 3;
  constexpr int threads = 4;
  constexpr std::int64_t lengths = 40;
  std::vector<Recording> recordings;
  for (int process = 0; process < processes; ++process) {
    recordings.emplace_back(record_.string(), [process] {
      std::vector<std::thread> callers;
      for (int thread = 0; thread < threads; ++thread) {
        callers.emplace_back([process, thread] {
          for (std::int64_t i = 0; i < lengths; ++i) {
            // Half of each thread's are the next one's, too.
            if (!call(1 + process * 1000 + thread * (lengths / 2) + i)) std::abort();
          }
        });
      }
      for (std::thread& caller : callers) caller.join();
      return true;
    });
  }
  for (const Recording& recording : recordings) {
    const Ended ended = recording.wait();
    EXPECT_EQ(ended.exit_status, 0) << ended.err;
  }
  EXPECT_EQ(names_in(record_).size(),
            static_cast<std::size_t>(processes * (threads + 1) * (lengths / 2)));
}

TEST_F(Untuned, AFileThatCannotBeWrittenCostsOneLine) {
  std::ofstream(folder_.path() / "file") << "x";
  const std::filesystem::path below_a_file = folder_.path() / "file" / "shapes.yaml";
  const Ended ended =
      with_record(below_a_file.string(), [] { return call(7) && call(8) && call(9); });
  EXPECT_EQ(ended.exit_status, 0) << ended.err;
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_NE(ended.err.find("fastnorm: warning: FASTNORM_RECORD: shapes are not recorded: "),
            std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("file"), std::string::npos) << ended.err;
}

TEST_F(Untuned, AnotherKindOfFileIsNotSpoilt) {
  std::ofstream(record_) << "schema: 1\n";
  const Ended ended = with_record(record_.string(), [] { return call(7); });
  EXPECT_EQ(ended.exit_status, 0);
  EXPECT_NE(ended.err.find("not a list of cases"), std::string::npos) << ended.err;
  std::ifstream stream(record_);
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(stream)), {}), "schema: 1\n");
}

}  // namespace
}  // namespace fastnorm::test
