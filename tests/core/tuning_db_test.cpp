// SPDX-License-Identifier: Apache-2.0
#include "core/tuning_db.hpp"

#include "core/tuning_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace fastnorm {
namespace {

using test::sample_entry;
using test::sample_file;
using test::sample_gpu;
using test::sample_host;

Problem make_problem(std::int64_t n, std::int64_t c, std::int64_t groups, std::int64_t inner,
                     Op op = Op::group_norm) {
  NormDesc desc;
  desc.op = op;
  desc.extents = {n, c, inner};
  desc.groups = groups;
  Result<Problem> problem = Problem::create(desc);
  EXPECT_TRUE(problem.ok()) << problem.status().message();
  return std::move(problem).value();
}

/// A query together with what it points to.
struct Call {
  Problem problem = make_problem(112, 64, 8, 262144);
  DeviceInfo device = sample_gpu();
  int alignment = 16;
  bool deterministic = false;

  std::vector<TuningMatch> in(const TuningDb& db) const {
    TuningQuery query = TuningQuery::of(problem, "cuda", device);
    query.key.alignment = alignment;
    query.key.deterministic = deterministic;
    return db.lookup(query);
  }
};

TuningDb database(std::vector<TuningEntry> entries, const DeviceInfo& device = sample_gpu()) {
  TuningFile file = sample_file(device);
  file.entries = std::move(entries);
  return TuningDb({file});
}

TEST(DeviceKey, GpusAreTheirNumbers) {
  const DeviceKey key = DeviceKey::of(sample_gpu());
  EXPECT_EQ(key.compute_capability_major, 9);
  EXPECT_EQ(key.processors, 132);
  EXPECT_EQ(key.l2_mib, 60);
  EXPECT_EQ(key.memory_gb_s, 4800);
  EXPECT_TRUE(key.host_cpu.empty());

  DeviceInfo renamed = sample_gpu();
  renamed.name = "NVIDIA H200 NVL";
  EXPECT_EQ(match(key, DeviceKey::of(renamed)), DeviceMatch::exact);
}

TEST(DeviceKey, GpusMatchWithinFivePercent) {
  const DeviceKey h200 = DeviceKey::of(sample_gpu());
  const auto changed = [&](auto field, auto value) {
    DeviceKey key = h200;
    key.*field = value;
    return match(h200, key);
  };
  EXPECT_EQ(changed(&DeviceKey::memory_gb_s, 4600), DeviceMatch::exact);
  EXPECT_EQ(changed(&DeviceKey::memory_gb_s, 5040), DeviceMatch::exact);
  EXPECT_EQ(changed(&DeviceKey::memory_gb_s, 3350), DeviceMatch::same_arch) << "an H100";
  EXPECT_EQ(changed(&DeviceKey::memory_gb_s, 0), DeviceMatch::same_arch) << "unknown bandwidth";
  EXPECT_EQ(changed(&DeviceKey::l2_mib, 58), DeviceMatch::exact);
  EXPECT_EQ(changed(&DeviceKey::l2_mib, 50), DeviceMatch::same_arch);
  EXPECT_EQ(changed(&DeviceKey::processors, 114), DeviceMatch::same_arch);
  EXPECT_EQ(changed(&DeviceKey::compute_capability_minor, 1), DeviceMatch::none);
  EXPECT_EQ(changed(&DeviceKey::compute_capability_major, 10), DeviceMatch::none);
}

TEST(DeviceKey, HostsMatchByModelThreadsAndSpace) {
  const DeviceKey key = DeviceKey::of(sample_host());
  EXPECT_EQ(key.l2_mib, 0);
  EXPECT_EQ(match(key, key), DeviceMatch::exact);
  DeviceInfo other = sample_host();
  other.processors = 16;
  EXPECT_EQ(match(key, DeviceKey::of(other)), DeviceMatch::same_arch);
  other = sample_host();
  other.host_space = "OpenMP";
  EXPECT_EQ(match(key, DeviceKey::of(other)), DeviceMatch::same_arch);
  other = sample_host();
  other.name = "AMD EPYC 7003";
  EXPECT_EQ(match(key, DeviceKey::of(other)), DeviceMatch::none);
  EXPECT_EQ(match(key, DeviceKey::of(sample_gpu())), DeviceMatch::none);
  EXPECT_EQ(match(DeviceKey::of(sample_gpu()), key), DeviceMatch::none);
}

TEST(TuningShape, IsThatOfTheProblem) {
  EXPECT_EQ(TuningShape::of(make_problem(2, 12, 3, 35)), (TuningShape{2, 12, 3, 35}));
  EXPECT_EQ(TuningShape::of(make_problem(2, 12, 0, 35, Op::instance_norm)),
            (TuningShape{2, 12, 12, 35}));
}

TEST(TuningLookup, EmptyDatabaseHasNothing) {
  EXPECT_TRUE(Call().in(TuningDb()).empty());
  EXPECT_TRUE(Call().in(database({})).empty());
}

TEST(TuningLookup, ExactShapeComesFirst) {
  const TuningDb db = database({sample_entry(100), sample_entry(112), sample_entry(120)});
  const auto matches = Call().in(db);
  ASSERT_EQ(matches.size(), 3U);
  EXPECT_EQ(matches[0].entry->shape.n, 112);
  EXPECT_EQ(matches[0].quality, MatchQuality::exact);
  EXPECT_EQ(matches[0].file, &db.files()[0]);
  EXPECT_EQ(matches[1].entry->shape.n, 120) << "the nearer one";
  EXPECT_EQ(matches[1].quality, MatchQuality::bucket);
  EXPECT_EQ(matches[2].entry->shape.n, 100);
}

// Its row counts for more than how near it is.
TEST(TuningLookup, AnotherBatchSizeComesBeforeShapesThatAreNearer) {
  std::vector<TuningEntry> entries = {sample_entry(60)};
  for (std::int64_t i = 1; i <= 20; ++i) entries.push_back(sample_entry(112, 64, 8, 262144 + i));
  const TuningDb db = database(entries);
  const auto matches = Call().in(db);
  ASSERT_EQ(matches.size(), TuningDb::max_matches);
  EXPECT_EQ(matches[0].entry->shape.n, 60);
  EXPECT_EQ(matches[0].quality, MatchQuality::bucket);
  EXPECT_EQ(matches[1].quality, MatchQuality::nearest);
}

TEST(TuningLookup, SameRowsOfAnotherTensorAreNearest) {
  const auto matches = Call().in(database({sample_entry(56, 128, 16)}));
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches[0].quality, MatchQuality::nearest);
}

TEST(TuningLookup, FartherThanAFactorOfTwoIsNotNear) {
  EXPECT_EQ(Call().in(database({sample_entry(224), sample_entry(56)})).size(), 2U);
  EXPECT_TRUE(Call().in(database({sample_entry(225), sample_entry(55)})).empty());
  EXPECT_EQ(Call().in(database({sample_entry(168, 64, 8, 349525)})).size(), 1U);
  EXPECT_TRUE(Call().in(database({sample_entry(168, 64, 8, 349526)})).empty());
}

TEST(TuningLookup, KeysMustAgree) {
  std::vector<TuningEntry> entries(6, sample_entry(112));
  entries[0].key.backend = "kokkos-cuda";
  entries[1].key.op = Op::instance_norm;
  entries[2].key.x_type = DType::f16;
  entries[3].key.y_type = DType::f16;
  entries[4].key.affine_type = DType::f16;
  entries[5].key.layout = Layout::channels_last;
  EXPECT_TRUE(Call().in(database(entries)).empty());
}

Problem with_epilogue(Activation activation, Residual residual, Modulation modulation) {
  NormDesc desc = make_problem(112, 64, 8, 262144).desc();
  desc.epilogue.activation = activation;
  desc.epilogue.modulation = modulation;
  desc.residual = residual;
  return Problem::create(desc).value();
}

TEST(TuningKey, IsThatOfTheProblem) {
  NormDesc desc = make_problem(112, 64, 8, 262144).desc();
  desc.y_type = DType::bf16;
  desc.epilogue.activation = Activation::silu;
  desc.residual = Residual::exact_sum;
  const TuningKey key = TuningKey::of(Problem::create(desc).value(), "cuda");
  EXPECT_EQ(key.backend, "cuda");
  EXPECT_EQ(key.op, Op::group_norm);
  EXPECT_EQ(key.y_type, DType::bf16);
  EXPECT_EQ(key.alignment, 16);
  EXPECT_EQ(to_string(key.epilogue), "silu exact_residual");
}

TEST(TuningLookup, TheTensorsOfTheEpilogueMustAgree) {
  TuningEntry residual = sample_entry(112);
  residual.key.epilogue.residual = Residual::rounded_sum;
  TuningEntry modulation = sample_entry(112);
  modulation.key.epilogue.modulation = Modulation::scale_shift;
  const TuningDb db = database({sample_entry(112), residual, modulation});
  Call call;
  for (const TuningEntry& entry : db.files()[0].entries) {
    call.problem =
        with_epilogue(Activation::none, entry.key.epilogue.residual, entry.key.epilogue.modulation);
    const auto matches = call.in(db);
    ASSERT_EQ(matches.size(), 1U) << to_string(entry.key.epilogue);
    EXPECT_EQ(matches[0].entry->key.epilogue, entry.key.epilogue);
    EXPECT_EQ(matches[0].quality, MatchQuality::exact);
  }
  call.problem = with_epilogue(Activation::none, Residual::rounded_sum, Modulation::scale_shift);
  EXPECT_TRUE(call.in(db).empty());
}

TEST(TuningLookup, WhatCostsNoTrafficIsInTheBucketAtBest) {
  TuningEntry silu = sample_entry(112);
  silu.key.epilogue.activation = Activation::silu;
  silu.stats.median_us = 9000;
  TuningEntry centred = sample_entry(112);
  centred.key.epilogue.gamma = GammaForm::centred_zero;
  const TuningDb db = database({centred, sample_entry(112), silu});
  Call call;
  call.problem = with_epilogue(Activation::silu, Residual::none, Modulation::none);
  const auto matches = call.in(db);
  ASSERT_EQ(matches.size(), 3U);
  EXPECT_EQ(matches[0].entry->key.epilogue.activation, Activation::silu) << "though slower";
  EXPECT_EQ(matches[0].quality, MatchQuality::exact);
  EXPECT_EQ(matches[1].quality, MatchQuality::bucket);
  EXPECT_EQ(matches[2].quality, MatchQuality::bucket);

  call.problem = with_epilogue(Activation::relu, Residual::none, Modulation::none);
  ASSERT_EQ(call.in(db).size(), 3U);
  EXPECT_EQ(call.in(db)[0].quality, MatchQuality::bucket);
}

TEST(TuningLookup, BothWaysToAddAResidualReadTheSameTensors) {
  TuningEntry rounded = sample_entry(112);
  rounded.key.epilogue.residual = Residual::rounded_sum;
  Call call;
  call.problem = with_epilogue(Activation::none, Residual::exact_sum, Modulation::none);
  const auto matches = call.in(database({rounded}));
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches[0].quality, MatchQuality::bucket);
}

// 60 MiB of L2 hold x, a residual and y of 5242880 elements: 40 samples.
TEST(TuningLookup, AResidualCountsAmongWhatTheL2Holds) {
  const auto entry = [](std::int64_t n) {
    TuningEntry entry = sample_entry(n, 8, 8, 16384);
    entry.key.epilogue.residual = Residual::rounded_sum;
    return entry;
  };
  Call call;
  NormDesc desc = make_problem(40, 8, 8, 16384).desc();
  desc.residual = Residual::rounded_sum;
  call.problem = Problem::create(desc).value();
  EXPECT_TRUE(call.in(database({entry(41)})).empty());
  EXPECT_EQ(call.in(database({entry(39)})).size(), 1U);
}

TEST(TuningLookup, RowsOfLayerNormAreItsSamples) {
  NormDesc desc;
  desc.op = Op::layer_norm;
  desc.extents = {64, 128, 1024};
  Call call;
  call.problem = Problem::create(desc).value();
  EXPECT_EQ(TuningShape::of(call.problem), (TuningShape{8192, 1024, 1, 1}));
  TuningEntry entry = sample_entry(8192, 1024, 1, 1);
  entry.key.op = Op::layer_norm;
  const auto matches = call.in(database({entry}));
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches[0].quality, MatchQuality::exact);
}

// 200 KiB of a row fit on chip: 51200 elements.
TEST(TuningLookup, RowsOnChipSayNothingAboutLongerOnes) {
  Call call;
  call.problem = make_problem(112, 8, 8, 51201);
  EXPECT_TRUE(call.in(database({sample_entry(112, 8, 8, 51200)})).empty());
  EXPECT_EQ(call.in(database({sample_entry(112, 8, 8, 51202)})).size(), 1U);
}

// 60 MiB of L2 hold x and y of 7864320 elements.
TEST(TuningLookup, TensorsInTheL2SayNothingAboutLargerOnes) {
  Call call;
  call.problem = make_problem(60, 8, 8, 16384);
  EXPECT_TRUE(call.in(database({sample_entry(61, 8, 8, 16384)})).empty());
  EXPECT_EQ(call.in(database({sample_entry(59, 8, 8, 16384)})).size(), 1U);
}

TEST(TuningLookup, OneElementAChannelIsARegimeOfItsOwn) {
  Call call;
  call.problem = make_problem(4096, 1024, 1, 1);
  EXPECT_TRUE(call.in(database({sample_entry(4096, 512, 1, 2)})).empty());
  EXPECT_EQ(call.in(database({sample_entry(4096, 512, 1, 1)})).size(), 1U);
}

TEST(TuningLookup, DeterministicCallsTakeDeterministicEntries) {
  TuningEntry atomic = sample_entry(112);
  atomic.key.deterministic = false;
  atomic.stats.median_us = 3000;
  const TuningDb db = database({sample_entry(112), atomic});
  Call call;
  const auto all = call.in(db);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_FALSE(all[0].entry->key.deterministic) << "the faster one";
  EXPECT_EQ(all[1].quality, MatchQuality::exact);
  call.deterministic = true;
  const auto repeatable = call.in(db);
  ASSERT_EQ(repeatable.size(), 1U);
  EXPECT_TRUE(repeatable[0].entry->key.deterministic);
}

TEST(TuningLookup, WiderAccessesThanThePointersAllowAreNoSuggestion) {
  TuningEntry narrow = sample_entry(112);
  narrow.key.alignment = 4;
  const TuningDb db = database({sample_entry(112), sample_entry(100), narrow});
  Call call;
  const auto aligned = call.in(db);
  ASSERT_EQ(aligned.size(), 3U);
  EXPECT_EQ(aligned[0].quality, MatchQuality::exact);
  EXPECT_EQ(aligned[1].entry->shape.n, 100);
  EXPECT_EQ(aligned[2].entry->key.alignment, 4);
  EXPECT_EQ(aligned[2].quality, MatchQuality::nearest) << "a weaker hit than its shape says";
  call.alignment = 4;
  const auto misaligned = call.in(db);
  ASSERT_EQ(misaligned.size(), 1U);
  EXPECT_EQ(misaligned[0].entry->key.alignment, 4);
  EXPECT_EQ(misaligned[0].quality, MatchQuality::exact);
  call.alignment = 256;
  EXPECT_EQ(call.in(db)[0].quality, MatchQuality::exact) << "no access is wider than 16 bytes";
}

TEST(TuningLookup, OtherDevicesOfTheArchitectureComeLast) {
  DeviceInfo h100 = sample_gpu();
  h100.memory_gb_s = 3350;
  h100.l2_bytes = std::int64_t{50} << 20;
  DeviceInfo a100 = sample_gpu();
  a100.compute_capability_major = 8;
  std::vector<TuningFile> files = {sample_file(h100), sample_file(a100), sample_file(sample_gpu())};
  files[0].entries = {sample_entry(100), sample_entry(112)};
  files[1].entries = {sample_entry(112)};
  files[2].entries = {sample_entry(60)};
  const TuningDb db(files);
  const auto matches = Call().in(db);
  ASSERT_EQ(matches.size(), 3U);
  EXPECT_EQ(matches[0].quality, MatchQuality::bucket);
  EXPECT_EQ(matches[1].quality, MatchQuality::same_arch);
  EXPECT_EQ(matches[1].entry->shape.n, 112);
  EXPECT_EQ(matches[2].entry->shape.n, 100);
}

TEST(TuningLookup, EarlierFilesWinAmongEqualQuality) {
  std::vector<TuningFile> files(2, sample_file(sample_gpu()));
  files[0].entries = {sample_entry(100)};
  files[0].entries[0].stats.median_us = 9000;
  files[1].entries = {sample_entry(112), sample_entry(113)};
  const TuningDb db(files);
  const auto matches = Call().in(db);
  ASSERT_EQ(matches.size(), 3U);
  EXPECT_EQ(matches[0].entry->shape.n, 112) << "quality before file";
  EXPECT_EQ(matches[1].file, &db.files()[0]) << "file before distance and time";
  EXPECT_EQ(matches[2].entry->shape.n, 113);
}

TEST(TuningLookup, EmptyProblemsMatchNothing) {
  Call call;
  call.problem = make_problem(0, 64, 8, 262144);
  EXPECT_TRUE(call.in(database({sample_entry(112)})).empty());
}

// What no file holds, for the parser refuses it, must not hurt either.
TEST(TuningLookup, ImpossibleShapesAreLeftOut) {
  EXPECT_EQ(
      Call()
          .in(database({sample_entry(0), sample_entry(-1), sample_entry(112, 64, 0),
                        sample_entry(112, 4, 8), sample_entry(112, 64, 8, 0), sample_entry(112)}))
          .size(),
      1U);
}

TEST(TuningLookup, ExtremeShapes) {
  constexpr std::int64_t large = std::int64_t{1} << 60;
  const TuningDb db = database({sample_entry(large, 1, 1, 1), sample_entry(1, 1, 1, large),
                                sample_entry(1, 1, 1, 1), sample_entry(1, large, 1, 1)});
  Call call;
  for (const auto& [n, c, inner] :
       {std::tuple(large, std::int64_t{1}, std::int64_t{1}),
        std::tuple(std::int64_t{1}, large, std::int64_t{1}),
        std::tuple(std::int64_t{1}, std::int64_t{1}, large),
        std::tuple(std::int64_t{1}, std::int64_t{1}, std::int64_t{1})}) {
    call.problem = make_problem(n, c, 1, inner);
    const auto matches = call.in(db);
    ASSERT_EQ(matches.size(), 1U);
    EXPECT_EQ(matches[0].quality, MatchQuality::exact);
  }
}

// ---- Against a plain search through everything.

struct Expected {
  MatchQuality quality = MatchQuality::exact;
  std::size_t file = 0;
  int narrower = 0;
  bool outside_bucket = false;
  double distance = 0;
  bool other_shape = false;
  bool other_epilogue = false;
  double median_us = 0;
  std::size_t index = 0;
  const TuningEntry* entry = nullptr;
};

std::pair<bool, bool> regime(std::int64_t rows, std::int64_t row_len, std::int64_t tensors,
                             const DeviceInfo& device) {
  return {row_len * 4 <= 200 * 1024, rows * row_len * 4 * tensors <= device.l2_bytes};
}

int exponent_of(int power) {
  int exponent = 0;
  while (power > 1) {
    power /= 2;
    ++exponent;
  }
  return exponent;
}

std::vector<Expected> search_all(const TuningDb& db, const Call& call) {
  std::vector<Expected> found;
  const Problem& problem = call.problem;
  for (std::size_t f = 0; f < db.files().size(); ++f) {
    const TuningFile& file = db.files()[f];
    const DeviceMatch device = match(file.device, DeviceKey::of(call.device));
    if (device == DeviceMatch::none) continue;
    for (std::size_t i = 0; i < file.entries.size(); ++i) {
      const TuningEntry& entry = file.entries[i];
      const TuningShape& shape = entry.shape;
      if (entry.key.backend != "cuda" || entry.key.op != problem.desc().op ||
          entry.key.x_type != DType::f32) {
        continue;
      }
      const NormDesc& desc = problem.desc();
      const EpilogueKey& epilogue = entry.key.epilogue;
      const bool has_residual = desc.residual != Residual::none;
      if ((epilogue.residual != Residual::none) != has_residual ||
          (epilogue.modulation == Modulation::none) !=
              (desc.epilogue.modulation == Modulation::none)) {
        continue;
      }
      if (call.deterministic && !entry.key.deterministic) continue;
      if (entry.key.alignment > call.alignment) continue;
      if ((shape.inner == 1) != (problem.inner() == 1)) continue;
      const std::int64_t rows = shape.n * shape.groups;
      const std::int64_t row_len = shape.c / shape.groups * shape.inner;
      const std::int64_t tensors = has_residual ? 3 : 2;
      if (regime(rows, row_len, tensors, call.device) !=
          regime(problem.rows(), problem.row_len(), tensors, call.device)) {
        continue;
      }
      Expected match;
      // In whole numbers first: within a factor of two, rows and row lengths together.
      const std::int64_t most =
          std::max(rows, problem.rows()) * std::max(row_len, problem.row_len());
      const std::int64_t least =
          std::min(rows, problem.rows()) * std::min(row_len, problem.row_len());
      if (most > 2 * least) continue;
      const auto log2_apart = [](std::int64_t u, std::int64_t v) {
        return std::abs(std::log2(static_cast<double>(u)) - std::log2(static_cast<double>(v)));
      };
      match.distance = log2_apart(problem.rows(), rows) + log2_apart(problem.row_len(), row_len);
      match.other_shape = !(shape == TuningShape::of(problem));
      match.narrower = exponent_of(call.alignment) - exponent_of(entry.key.alignment);
      match.other_epilogue = !(epilogue == EpilogueKey::of(desc));
      match.outside_bucket = match.narrower > 0 || shape.c != problem.channels() ||
                             shape.groups != problem.groups() || shape.inner != problem.inner();
      const bool same = !match.other_shape && !match.other_epilogue && match.narrower == 0;
      match.quality = device != DeviceMatch::exact ? MatchQuality::same_arch
                      : same                       ? MatchQuality::exact
                      : match.outside_bucket       ? MatchQuality::nearest
                                                   : MatchQuality::bucket;
      match.file = f;
      match.median_us = entry.stats.median_us;
      match.index = i;
      match.entry = &entry;
      found.push_back(match);
    }
  }
  std::sort(found.begin(), found.end(), [](const Expected& a, const Expected& b) {
    const auto rank = [](const Expected& e) {
      return std::tie(e.quality, e.file, e.narrower, e.outside_bucket, e.distance, e.other_shape,
                      e.other_epilogue, e.median_us, e.index);
    };
    return rank(a) < rank(b);
  });
  return found;
}

class RandomDb {
 public:
  explicit RandomDb(unsigned seed) : random_(seed) {}

  std::int64_t below(std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random_);
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<std::int64_t>(values.size()))];
  }

  /// Few enough values that queries meet entries, in every octave.
  TuningShape shape() {
    TuningShape shape;
    shape.n = (std::int64_t{1} << below(8)) + below(4);
    shape.groups = one_of<std::int64_t>({1, 2, 8, 32});
    shape.c = shape.groups * (1 + below(8));
    shape.inner = below(4) == 0 ? 1 : (std::int64_t{1} << below(16)) + below(3);
    return shape;
  }

  /// Mostly none.
  EpilogueKey epilogue() {
    EpilogueKey key;
    if (below(4) == 0) key.activation = one_of({Activation::silu, Activation::relu});
    if (below(4) == 0) key.residual = one_of({Residual::rounded_sum, Residual::exact_sum});
    if (below(8) == 0) key.modulation = Modulation::scale_shift;
    if (below(8) == 0) key.gamma = GammaForm::centred_zero;
    return key;
  }

  TuningFile file(const DeviceInfo& device, int entries) {
    TuningFile file = sample_file(device);
    for (int i = 0; i < entries; ++i) {
      TuningEntry entry;
      entry.key.backend = one_of({"cuda", "cuda", "cuda", "kokkos-cuda"});
      entry.key.op = one_of({Op::group_norm, Op::group_norm, Op::instance_norm});
      entry.key.x_type = one_of({DType::f32, DType::f32, DType::f16});
      entry.key.alignment = one_of({16, 16, 8, 4});
      entry.key.deterministic = below(2) == 0;
      entry.key.epilogue = epilogue();
      entry.shape = shape();
      if (entry.key.op == Op::instance_norm) entry.shape.groups = entry.shape.c;
      entry.strategy = "s";
      entry.stats.median_us = static_cast<double>(1 + below(5));
      file.entries.push_back(entry);
    }
    return file;
  }

 private:
  std::mt19937 random_;
};

TEST(TuningLookupRandom, AgreesWithASearchThroughEverything) {
  std::size_t nonempty = 0;
  std::size_t truncated = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    RandomDb random(seed);
    DeviceInfo h100 = sample_gpu();
    h100.memory_gb_s = 3350;
    DeviceInfo other = sample_gpu();
    other.compute_capability_major = 8;
    const TuningDb db({random.file(sample_gpu(), 400), random.file(h100, 1500),
                       random.file(other, 50), random.file(sample_gpu(), 3000),
                       random.file(sample_host(), 50)});
    for (int round = 0; round < 600; ++round) {
      Call call;
      const TuningShape shape = random.shape();
      const Op op = random.one_of({Op::group_norm, Op::instance_norm});
      NormDesc desc =
          make_problem(shape.n, shape.c, op == Op::group_norm ? shape.groups : 0, shape.inner, op)
              .desc();
      const EpilogueKey epilogue = random.epilogue();
      desc.residual = epilogue.residual;
      desc.epilogue.activation = epilogue.activation;
      desc.epilogue.gamma = epilogue.gamma;
      desc.epilogue.modulation = epilogue.modulation;
      call.problem = Problem::create(desc).value();
      call.device = random.one_of({sample_gpu(), h100});
      call.alignment = random.one_of({16, 8, 4});
      call.deterministic = random.below(2) == 0;

      const std::vector<Expected> expected = search_all(db, call);
      const std::vector<TuningMatch> matches = call.in(db);
      ASSERT_EQ(matches.size(), std::min(expected.size(), TuningDb::max_matches));
      for (std::size_t i = 0; i < matches.size(); ++i) {
        ASSERT_EQ(matches[i].entry, expected[i].entry)
            << "match " << i << " for " << call.problem.to_string();
        ASSERT_EQ(matches[i].quality, expected[i].quality);
        ASSERT_EQ(matches[i].file, &db.files()[expected[i].file]);
      }
      nonempty += matches.empty() ? 0 : 1;
      truncated += expected.size() > TuningDb::max_matches ? 1 : 0;
    }
  }
  EXPECT_GT(nonempty, 1000U) << "the test must meet entries";
  EXPECT_GT(truncated, 100U);
}

}  // namespace
}  // namespace fastnorm
