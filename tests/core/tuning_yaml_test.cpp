// SPDX-License-Identifier: Apache-2.0
#include "core/tuning_yaml.hpp"

#include "core/tuning_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace fastnorm {
namespace {

using test::same_entry;
using test::sample_entry;
using test::sample_file;
using test::sample_gpu;
using test::sample_host;

constexpr const char* head = R"(schema: 1
device: {name: NVIDIA H200, compute_capability: 9.0, sms: 132, l2_mib: 60, memory_gb_s: 4800}
validity: {kernel_version: 5}
provenance: {fastnorm: 0.1.0, cuda: 13.0, driver: 580.65, utc: 2026-11-29}
entries:
)";

constexpr const char* entry_2 =
    R"(  - key: {backend: cuda, op: group_norm, pass: forward, x: f32, y: f32, affine: f32, layout: channels_first, epilogue: none, alignment: 16, deterministic: true}
    shape: {n: 2, c: 64, groups: 8, inner: 262144}
    config: {strategy: split_two_kernel, threads: 256, blocks_per_row: 128, second_read: backward}
    stats: {median_us: 3893.25, mad_us: 4, samples: 30, default_us: 5640, copy_us: 3540}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string entry_text(int n) { return replaced(entry_2, "n: 2", "n: " + std::to_string(n)); }

ParsedTuningFile parse(const std::string& text) {
  Result<ParsedTuningFile> parsed = parse_tuning_yaml(text, "db.yaml");
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return parsed.ok() ? std::move(parsed).value() : ParsedTuningFile();
}

std::string failure(const std::string& text) {
  const Result<ParsedTuningFile> parsed = parse_tuning_yaml(text, "db.yaml");
  EXPECT_FALSE(parsed.ok()) << text.substr(0, 200);
  return parsed.status().message();
}

void expect_contains(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << "\"" << text << "\" lacks \"" << words << "\"";
}

TEST(TuningYaml, WritesTheDocumentedLayout) {
  TuningFile file = sample_file(sample_gpu());
  file.entries = {sample_entry(2)};
  EXPECT_EQ(to_yaml(file), std::string(head) + entry_2);
}

// Files of earlier versions do not have them, and those without disturbances are as short.
TEST(TuningYaml, NoiseOfOtherFiguresAndDisturbancesMayBeMissing) {
  TuningFile file = sample_file(sample_gpu());
  file.entries = {sample_entry(2)};
  TuningStats& stats = file.entries[0].stats;
  stats.default_mad_us = 6.5;
  stats.copy_mad_us = 2.25;
  stats.disturbed_by = Disturbance::scatter;
  stats.disturbed_by |= Disturbance::thermal_slowdown;
  const std::string text = to_yaml(file);
  EXPECT_EQ(text, head + replaced(entry_2, "copy_us: 3540",
                                  "copy_us: 3540, default_mad_us: 6.5, copy_mad_us: 2.25, "
                                  "disturbed_by: thermal_slowdown scatter"));
  const ParsedTuningFile parsed = parse(text);
  EXPECT_TRUE(parsed.problems.empty());
  ASSERT_EQ(parsed.file.entries.size(), 1U);
  EXPECT_TRUE(same_entry(parsed.file.entries[0], file.entries[0]));
}

TEST(TuningYaml, AMessageQuotesLittleOfWhatIsWrongAndNoControlCharacter) {
  const std::string huge(3'000'000, 'x');
  const std::string key(500, 'x');  // YAML has a limit of 1024
  const std::string some = "\"" + std::string(60, 'x') + "...\"";
  const std::string text = head + entry_text(2);
  const struct {
    std::string from, to, said;
  } wrong[] = {
      {"schema: 1", "schema: " + huge, "db.yaml:1: file: schema is " + some + "; it must be 1"},
      {"schema: 1", "schema: 1\nschema: \"\\e[2J\\n\"", "file has \"schema\" twice"},
      {"schema: 1", R"(schema: "\e[2J\n\x9B")",
       R"(db.yaml:1: file: schema is "\x1b[2J\n\u009b"; it must be 1)"},
      {"schema: 1", "schema: *" + huge, "not valid YAML: "},
  };
  for (const auto& [from, to, said] : wrong) {
    const std::string message = failure(replaced(text, from, to));
    expect_contains(message, said);
    EXPECT_LT(message.size(), 300U) << said;
  }
  const struct {
    std::string from, to, said;
  } wrong_entries[] = {
      {"n: 2", "n: " + huge, "entry 1: shape: n is " + some + "; it must be an integer from 1"},
      {"{n: 2", "{" + key + ": 2, n: 2", "shape has an unknown field " + some},
      {"{n: 2", "{" + key + ": 2, " + key + ": 2, n: 2", "shape has " + some + " twice"},
      {"threads: 256", R"("\e[2J": 256)", R"(config: "\x1b[2J" is not a field's name)"},
      {"threads: 256", "threads: \"" + huge + " \"", "config: threads is " + some},
  };
  for (const auto& [from, to, said] : wrong_entries) {
    const ParsedTuningFile parsed = parse(replaced(text, from, to));
    ASSERT_EQ(parsed.problems.size(), 1U) << said;
    expect_contains(parsed.problems[0], said);
    EXPECT_LT(parsed.problems[0].size(), 300U) << said;
  }
}

TEST(TuningYaml, ReadsWhatItWrites) {
  TuningFile file = sample_file(sample_gpu());
  file.entries = {sample_entry(2), sample_entry(112)};
  file.entries[1].config.clear();
  const ParsedTuningFile parsed = parse(to_yaml(file));
  EXPECT_TRUE(parsed.problems.empty());
  EXPECT_EQ(parsed.file.source, "db.yaml");
  EXPECT_EQ(parsed.file.device_name, "NVIDIA H200");
  EXPECT_EQ(match(parsed.file.device, file.device), DeviceMatch::exact);
  EXPECT_EQ(parsed.file.device.memory_gb_s, 4800);
  EXPECT_EQ(parsed.file.kernel_version, kernel_version);
  ASSERT_EQ(parsed.file.entries.size(), 2U);
  EXPECT_TRUE(same_entry(parsed.file.entries[0], file.entries[0]));
  EXPECT_TRUE(same_entry(parsed.file.entries[1], file.entries[1]));
}

TEST(TuningYaml, HostsAreDescribedByCpuThreadsAndSpace) {
  TuningFile file = sample_file(sample_host());
  file.entries = {sample_entry(2)};
  file.entries[0].key.backend = "kokkos-host";
  file.entries[0].provenance.cuda.clear();
  const std::string text = to_yaml(file);
  expect_contains(
      text, "device: {name: AMD EPYC 9004, cpu: AMD EPYC 9004, threads: 2, host_space: Serial}\n");
  EXPECT_EQ(text.find("cuda"), std::string::npos);
  const ParsedTuningFile parsed = parse(text);
  EXPECT_EQ(match(parsed.file.device, file.device), DeviceMatch::exact);
  EXPECT_TRUE(same_entry(parsed.file.entries.at(0), file.entries[0]));
  EXPECT_TRUE(parsed.problems.empty());
}

TEST(TuningYaml, AnEntryThatWasMeasuredOtherwiseThanMostSaysSo) {
  TuningFile file = sample_file(sample_gpu());
  file.entries = {sample_entry(2), sample_entry(3), sample_entry(4), sample_entry(5)};
  file.entries[1].provenance = {"0.0.9", "12.8", "", "2026-10-01"};
  file.entries[2].provenance = {};
  const std::string text = to_yaml(file);
  EXPECT_EQ(text, std::string(head) + entry_2 + entry_text(3) +
                      "    provenance: {fastnorm: 0.0.9, cuda: 12.8, utc: 2026-10-01}\n" +
                      entry_text(4) + "    provenance: {}\n" + entry_text(5));
  const ParsedTuningFile parsed = parse(text);
  EXPECT_TRUE(parsed.problems.empty());
  ASSERT_EQ(parsed.file.entries.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(same_entry(parsed.file.entries[i], file.entries[i])) << i;
  }
}

TEST(TuningYaml, OfAsManyEntriesTheLatestAreNoExceptions) {
  TuningFile file = sample_file(sample_gpu());
  file.entries = {sample_entry(2), sample_entry(3)};
  file.entries[1].provenance.utc = "2026-10-01";
  EXPECT_EQ(to_yaml(file), std::string(head) + entry_2 + entry_text(3) +
                               "    provenance: {fastnorm: 0.1.0, cuda: 13.0, driver: 580.65, "
                               "utc: 2026-10-01}\n");
}

TEST(TuningYaml, AnEntrysOddProvenanceCostsNotTheEntry) {
  for (const char* odd : {"3", "[1]", "{cuda: [1]}", "{hip: 6}", "{cuda: 1, cuda: 2}"}) {
    const ParsedTuningFile parsed =
        parse(std::string(head) + entry_2 + "    provenance: " + odd + "\n" + entry_text(3));
    EXPECT_EQ(parsed.file.entries.size(), 2U) << odd;
    ASSERT_EQ(parsed.problems.size(), 1U) << odd;
    expect_contains(parsed.problems[0], "db.yaml:10: entry 1: provenance");
    EXPECT_EQ(parsed.file.entries[0].provenance.driver, "") << odd;
    EXPECT_EQ(parsed.file.entries[1].provenance.driver, "580.65") << odd;
  }
}

TEST(TuningYaml, TimesThatNoClockShowsAreRefused) {
  for (const char* absurd : {"1e-320", "9e-7", "1e13", "1e308"}) {
    const ParsedTuningFile parsed = parse(replaced(
        head + std::string(entry_2), "median_us: 3893.25", std::string("median_us: ") + absurd));
    EXPECT_TRUE(parsed.file.entries.empty()) << absurd;
    ASSERT_EQ(parsed.problems.size(), 1U) << absurd;
    expect_contains(parsed.problems[0], std::string("median_us is \"") + absurd +
                                            "\"; it must be 0, or from 0.000001 to 1000000000000");
  }
}

TEST(TuningYaml, NumbersRoundTripBitForBit) {
  std::mt19937_64 random(7);
  TuningFile file = sample_file(sample_gpu());
  for (int n = 1; n <= 500; ++n) {
    TuningEntry entry = sample_entry(n);
    for (double* value : {&entry.stats.median_us, &entry.stats.mad_us, &entry.stats.copy_us}) {
      *value = std::exp(std::uniform_real_distribution<double>(-13, 27)(random));
    }
    file.entries.push_back(entry);
  }
  file.entries[0].stats.samples = std::numeric_limits<int>::max();
  file.entries[0].stats.median_us = 1e-6;
  file.entries[1].stats.median_us = 1e12;
  const ParsedTuningFile parsed = parse(to_yaml(file));
  ASSERT_EQ(parsed.file.entries.size(), file.entries.size());
  for (std::size_t i = 0; i < file.entries.size(); ++i) {
    EXPECT_TRUE(same_entry(parsed.file.entries[i], file.entries[i])) << i;
  }
}

TEST(TuningYaml, TextsRoundTripWhateverTheyHold) {
  for (const char* name : {"~",
                           "null",
                           " x ",
                           "a: b",
                           "a #b",
                           "{",
                           "}",
                           "[a",
                           "a,b",
                           "\"",
                           "'",
                           "true",
                           "1",
                           "-",
                           "- a",
                           "?",
                           ":",
                           "---",
                           "...",
                           "&a",
                           "*a",
                           "!a",
                           "%a",
                           "@a",
                           "`a",
                           "|",
                           ">",
                           "<<",
                           "=",
                           "\t",
                           "a\\b",
                           "\u00e9",
                           "\u65e5\u672c",
                           "a\nb",
                           "Intel(R) Xeon(R) Platinum 8480+ @ 2.00GHz"}) {
    SCOPED_TRACE(name);
    TuningFile file = sample_file(sample_host());
    file.device_name = name;
    file.device.host_cpu = name;
    file.entries = {sample_entry(2), sample_entry(3)};
    file.entries[0].provenance.driver = name;
    const ParsedTuningFile parsed = parse(to_yaml(file));
    EXPECT_TRUE(parsed.problems.empty());
    EXPECT_EQ(parsed.file.device_name, name);
    EXPECT_EQ(parsed.file.device.host_cpu, name);
    EXPECT_EQ(parsed.file.entries.at(0).provenance.driver, name);
    EXPECT_EQ(parsed.file.entries.at(1).provenance.driver, "580.65");
  }
}

TEST(TuningYaml, EntriesAreSortedByKeyThenShape) {
  TuningFile file = sample_file(sample_gpu());
  for (const std::int64_t n : {9, 10, 112, 2}) file.entries.push_back(sample_entry(n));
  for (std::size_t i = 0; i < 4; ++i) {
    TuningEntry atomic = file.entries[i];
    atomic.key.deterministic = false;
    file.entries.push_back(atomic);
    TuningEntry instance = file.entries[i];
    instance.key.op = Op::instance_norm;
    instance.shape.groups = instance.shape.c;
    file.entries.push_back(instance);
  }
  const std::string text = to_yaml(file);
  std::mt19937 random(3);
  std::shuffle(file.entries.begin(), file.entries.end(), random);
  EXPECT_EQ(to_yaml(file), text);
  const ParsedTuningFile parsed = parse(text);
  EXPECT_EQ(parsed.file.entries.size(), 12U);
  EXPECT_TRUE(std::is_sorted(parsed.file.entries.begin(), parsed.file.entries.end(), sorts_before));
  EXPECT_EQ(parsed.file.entries.front().shape.n, 2);
}

// A file by hand: block style, comments, quotes, other orders, wrapped lines.
TEST(TuningYaml, ReadsAnyStyleOfYaml) {
  const ParsedTuningFile parsed = parse(R"(# mine
entries:
- stats:
    copy_us: 3540.5   # same run
    default_us: "5640"
    median_us: 3.89325e3
    mad_us: 4
    samples: 30
  config: {strategy: stream}
  shape: {inner: 16, groups: 8,
          c: 64, n: 2}
  key:
    {deterministic: true, alignment: 4, epilogue: none, layout: channels_first, affine: f32,
     y: f32, x: f32, pass: forward, op: 'group_norm', backend: cuda}
validity:
  kernel_version: 5
device: {name: x, cpu: x, threads: 1, host_space: Serial}
schema: 1
)");
  EXPECT_TRUE(parsed.problems.empty());
  ASSERT_EQ(parsed.file.entries.size(), 1U);
  EXPECT_EQ(parsed.file.entries[0].stats.median_us, 3893.25);
  EXPECT_EQ(parsed.file.entries[0].key.alignment, 4);
}

struct BadEntry {
  const char* from;
  const char* to;
  int line;  ///< Of the entry, from 1.
  const char* reason;
};

TEST(TuningYaml, ABadEntryCostsThatEntryAlone) {
  constexpr const char* key_line =
      "key: {backend: cuda, op: group_norm, pass: forward, x: f32, y: f32, "
      "affine: f32, layout: channels_first, epilogue: none, alignment: 16, "
      "deterministic: true}";
  const BadEntry cases[] = {
      {"backend: cuda, ", "", 1, "key has no \"backend\""},
      {"backend: cuda", "backend: ", 1, "backend is nothing"},
      {"backend: cuda", "backend: ''", 1, "backend is \"\""},
      {"backend: cuda", "backend: [cuda]", 1, "backend is a list"},
      {"backend: cuda", "backend: cuda, backend: cuda", 1, "key has \"backend\" twice"},
      {"backend: cuda", "colour: red, backend: cuda", 1, "key has an unknown field \"colour\""},
      {"op: group_norm", "op: batch_norm", 1,
       "op is \"batch_norm\"; it must be one of group_norm, instance_norm"},
      {"pass: forward", "pass: backward", 1, "pass is \"backward\"; it must be forward"},
      {"x: f32", "x: f8", 1, "x is \"f8\"; it must be one of f32, f16, bf16, f64"},
      {"layout: channels_first", "layout: nchw", 1, "layout is \"nchw\""},
      {"epilogue: none", "epilogue: {silu: 1}", 1, "epilogue is a mapping"},
      {"epilogue: none, ", "", 1, "key has no \"epilogue\""},
      {"epilogue: none", "epilogue: mish", 1,
       "epilogue is \"mish\"; it must be none, or in this order an activation (relu, leaky_relu, "},
      {"epilogue: none", "epilogue: silu fp8_scale", 1, "epilogue is \"silu fp8_scale\""},
      {"epilogue: none", "epilogue: residual silu", 1, "epilogue is \"residual silu\""},
      {"alignment: 16", "alignment: 0", 1, "alignment is \"0\""},
      {"alignment: 16", "alignment: 12", 1, "alignment is 12; it must be a power of two"},
      {"alignment: 16", "alignment: 16B", 1, "alignment is \"16B\""},
      {"deterministic: true", "deterministic: maybe", 1, "deterministic is \"maybe\""},
      {"key: {", "kex: {", 1, "entry has no \"key\""},
      {key_line, "key: 3", 1, "key is \"3\"; it must be a mapping"},
      {"n: 2", "n: 0", 2, "n is \"0\"; it must be an integer from 1"},
      {"n: 2", "n: -2", 2, "n is \"-2\""},
      {"n: 2", "n: 2.5", 2, "n is \"2.5\""},
      {"n: 2", "n: 99999999999999999999", 2, "n is \"99999999999999999999\""},
      {"n: 2", "n: 0x10", 2, "n is \"0x10\""},
      {"n: 2", "n: 137438953472", 2, "its bytes exceed"},
      {"c: 64", "c: 63", 2, "groups=8 does not divide c=63"},
      {"inner: 262144", "inner: 262144, depth: 1", 2, "shape has an unknown field \"depth\""},
      {", inner: 262144", "", 2, "shape has no \"inner\""},
      {"strategy: split_two_kernel, ", "", 3, "config has no \"strategy\""},
      {"threads: 256", "threads: [256]", 3, "threads is a list"},
      {"threads: 256", "threads: '1,b=2'", 3, "threads is \"1,b=2\""},
      {"threads: 256", "threads: ", 3, "threads is nothing"},
      {"threads: 256", "'a b': 256", 3, "\"a b\" is not a field's name"},
      {"threads: 256", "threads: 256, threads: 128", 3, "config has \"threads\" twice"},
      {"median_us: 3893.25", "median_us: .nan", 4, "median_us is \".nan\""},
      {"median_us: 3893.25", "median_us: nan", 4, "median_us is \"nan\""},
      {"median_us: 3893.25", "median_us: inf", 4, "median_us is \"inf\""},
      {"median_us: 3893.25", "median_us: 1e999", 4, "median_us is \"1e999\""},
      {"median_us: 3893.25", "median_us: 0", 4, "median_us is 0"},
      {"mad_us: 4", "mad_us: -4", 4,
       "mad_us is \"-4\"; it must be 0, or from 0.000001 to 1000000000000"},
      {"samples: 30", "samples: 0", 4, "samples is \"0\""},
      {"samples: 30, ", "", 4, "stats has no \"samples\""},
      {"default_us: 5640", "default_us: fast", 4, "default_us is \"fast\""},
      {"copy_us: 3540", "copy_us: 3540, copy_mad_us: -1", 4, "copy_mad_us is \"-1\""},
      {"copy_us: 3540", "copy_us: 3540, disturbed_by: noise", 4, "disturbed_by is \"noise\""},
      {"copy_us: 3540", "copy_us: 3540, disturbed_by: scatter low_clock", 4, "in this order"},
      {"copy_us: 3540", "copy_us: 3540, disturbed_by: [scatter]", 4, "disturbed_by is a list"},
      {"copy_us: 3540", "copy_us: 3540, note: x", 4, "stats has an unknown field \"note\""},
      {"    stats", "    extra: 1\n    stats", 4, "entry has an unknown field \"extra\""},
  };
  for (const BadEntry& bad : cases) {
    SCOPED_TRACE(bad.to);
    const ParsedTuningFile parsed =
        parse(head + entry_text(1) + replaced(entry_2, bad.from, bad.to) + entry_text(3));
    ASSERT_EQ(parsed.file.entries.size(), 2U);
    EXPECT_EQ(parsed.file.entries[0].shape.n, 1);
    EXPECT_EQ(parsed.file.entries[1].shape.n, 3);
    ASSERT_EQ(parsed.problems.size(), 1U);
    // Five lines of head and four of the first entry come before.
    const std::string place = "db.yaml:" + std::to_string(5 + 4 + bad.line) + ": entry 2: ";
    EXPECT_EQ(parsed.problems[0].substr(0, place.size()), place) << parsed.problems[0];
    expect_contains(parsed.problems[0], bad.reason);
  }
}

TEST(TuningYaml, ShapesMayBeAsLargeAsMemoryCanBeCounted) {
  const std::string text = head + replaced(entry_2, "n: 2", "n: 137438953471");
  EXPECT_TRUE(parse(text).problems.empty());
}

TEST(TuningYaml, InstanceNormHasOneGroupAChannel) {
  const std::string instance = replaced(entry_2, "group_norm", "instance_norm");
  const ParsedTuningFile parsed =
      parse(head + instance + replaced(instance, "groups: 8", "groups: 64"));
  EXPECT_EQ(parsed.file.entries.size(), 1U);
  ASSERT_EQ(parsed.problems.size(), 1U);
  expect_contains(parsed.problems[0], "db.yaml:7: entry 1: shape: groups=8");
}

TEST(TuningYaml, EpiloguesAreWords) {
  TuningEntry entry = sample_entry(2);
  entry.key.x_type = DType::bf16;
  entry.key.epilogue = {Activation::silu, Residual::rounded_sum, GammaForm::factor,
                        NormalisedRounding::none, Modulation::scale_shift};
  TuningFile file = sample_file(sample_gpu());
  file.entries = {entry, sample_entry(2)};
  const std::string text = to_yaml(file);
  expect_contains(text, "epilogue: silu residual modulation, alignment");
  const ParsedTuningFile parsed = parse(text);
  ASSERT_EQ(parsed.file.entries.size(), 2U) << "they differ in their epilogue";
  EXPECT_TRUE(same_entry(parsed.file.entries[0], entry)) << "bf16 comes before f32";
}

TEST(TuningYaml, RowsOfLayerNormHaveNeitherGroupsNorInner) {
  const std::string layer = replaced(entry_2, "group_norm", "layer_norm");
  const ParsedTuningFile parsed =
      parse(head + layer + replaced(layer, "groups: 8, inner: 262144", "groups: 1, inner: 1"));
  EXPECT_EQ(parsed.file.entries.size(), 1U);
  ASSERT_EQ(parsed.problems.size(), 1U);
  expect_contains(parsed.problems[0], "shape: groups and inner of layer_norm must be 1");
}

TEST(TuningYaml, EntriesThatAreNoMappings) {
  const ParsedTuningFile parsed = parse(std::string(head) + "  - 3\n  - [a]\n  -\n" + entry_2);
  EXPECT_EQ(parsed.file.entries.size(), 1U);
  ASSERT_EQ(parsed.problems.size(), 3U);
  expect_contains(parsed.problems[0], "db.yaml:6: entry 1: entry is \"3\"; it must be a mapping");
  expect_contains(parsed.problems[1], "db.yaml:7: entry 2: entry is a list");
  expect_contains(parsed.problems[2], "entry 3: entry is nothing");
}

TEST(TuningYaml, OfEqualEntriesTheFirstCounts) {
  const std::string slower = replaced(entry_2, "median_us: 3893.25", "median_us: 9000");
  const ParsedTuningFile parsed = parse(std::string(head) + entry_2 + slower + entry_text(3));
  ASSERT_EQ(parsed.file.entries.size(), 2U);
  EXPECT_EQ(parsed.file.entries[0].stats.median_us, 3893.25);
  ASSERT_EQ(parsed.problems.size(), 1U);
  expect_contains(parsed.problems[0],
                  "db.yaml:10: entry 2: key and shape are those of an earlier entry");
}

TEST(TuningYaml, UnknownFieldsOutsideEntriesCostALineEach) {
  std::string text = std::string("colour: red\n") + head + entry_2;
  text = replaced(text, "sms: 132", "sms: 132, rops: 1");
  text = replaced(text, "kernel_version: 5", "kernel_version: 5, until: 3");
  text = replaced(text, "cuda: 13.0", "cuda: 13.0, hip: 6");
  const ParsedTuningFile parsed = parse(text);
  EXPECT_EQ(parsed.file.entries.size(), 1U);
  ASSERT_EQ(parsed.problems.size(), 4U);
  std::string all;
  for (const std::string& problem : parsed.problems) all += problem + "\n";
  expect_contains(all, "db.yaml:1: file has an unknown field \"colour\"");
  expect_contains(all, "db.yaml:3: device has an unknown field \"rops\"");
  expect_contains(all, "db.yaml:4: validity has an unknown field \"until\"");
  expect_contains(all, "db.yaml:5: provenance has an unknown field \"hip\"");
}

TEST(TuningYaml, ProvenanceSpoilsNothing) {
  const std::string line =
      "provenance: {fastnorm: 0.1.0, cuda: 13.0, driver: 580.65, utc: 2026-11-29}\n";
  EXPECT_TRUE(parse(replaced(head + std::string(entry_2), line, "")).problems.empty());
  for (const char* odd : {"provenance: 3\n", "provenance:\n", "provenance: {cuda: [1]}\n",
                          "provenance: {cuda: 1, cuda: 2}\n"}) {
    const ParsedTuningFile parsed = parse(replaced(head + std::string(entry_2), line, odd));
    EXPECT_EQ(parsed.file.entries.size(), 1U) << odd;
    EXPECT_EQ(parsed.problems.size(), 1U) << odd;
  }
}

TEST(TuningYaml, EntriesOfOtherKernelsAreIgnored) {
  const ParsedTuningFile parsed = parse(replaced(std::string(head) + entry_2 + entry_text(3),
                                                 "kernel_version: 5", "kernel_version: 6"));
  EXPECT_TRUE(parsed.file.entries.empty());
  EXPECT_EQ(parsed.file.kernel_version, 6);
  ASSERT_EQ(parsed.problems.size(), 1U);
  expect_contains(parsed.problems[0], "kernel_version 6, this library has 5");
}

TEST(TuningYaml, RefusesWholeFiles) {
  const std::string good = std::string(head) + entry_2;
  const auto expect_failure = [](const std::string& text, const std::string& words) {
    SCOPED_TRACE(words);
    expect_contains(failure(text), words);
  };
  expect_failure("", "db.yaml:1: empty");
  expect_failure("\n\n", "empty");
  expect_failure("# nothing\n", "empty");
  expect_failure("---\n", "file is nothing");
  expect_failure("schema\n", "db.yaml:1: file is \"schema\"");
  expect_failure("- schema: 1\n", "file is a list");
  expect_failure(replaced(good, "schema: 1", "schema: 2"),
                 "db.yaml:1: file: schema is \"2\"; it must be 1");
  expect_failure(replaced(good, "schema: 1", "schema: one"), "schema is \"one\"");
  expect_failure(replaced(good, "schema: 1\n", ""), "file has no \"schema\"");
  expect_failure("schema: 1\n" + good, "db.yaml:2: file has \"schema\" twice");
  expect_failure(replaced(good, "device: ", "devise: "), "file has no \"device\"");
  expect_failure(replaced(good, "name: NVIDIA H200, ", ""), "db.yaml:2: device has no \"name\"");
  expect_failure(replaced(good, "compute_capability: 9.0", "compute_capability: 9"),
                 "compute_capability is \"9\"; it must be of the form 9.0");
  expect_failure(replaced(good, "compute_capability: 9.0, ", ""), "device has neither");
  expect_failure(replaced(good, "sms: 132", "sms: 0"), "db.yaml:2: device: sms is \"0\"");
  expect_failure(replaced(good, "sms: 132", "sms: 132, sms: 132"), "device has \"sms\" twice");
  expect_failure(replaced(good, "l2_mib: 60", "l2_mib: -1"), "l2_mib is \"-1\"");
  expect_failure(replaced(good, "kernel_version: 5", "kernel_version: x"), "db.yaml:3: validity");
  expect_failure(replaced(good, "validity: {kernel_version: 5}\n", ""), "no \"validity\"");
  expect_failure(replaced(good, "entries:\n", "entry:\n"), "file has no \"entries\"");
  expect_failure(std::string(head), "file: entries is nothing; it must be a list");
  expect_failure(std::string(head) + "  {}\n", "entries is a mapping");
  expect_failure(good + "---\n" + good, "more than one document");
  expect_failure(replaced(good, "name: NVIDIA H200", "name: &a x, other: *a"), "aliases");
  expect_failure(replaced(good, "name: NVIDIA H200", "[name]: x"), "a key must be a scalar");
  expect_failure(good.substr(0, good.size() - 20), "not valid YAML");
  expect_failure(good + "}\n", "not valid YAML");
  expect_failure("\t" + good, "db.yaml:");
}

TEST(TuningYaml, RefusesWhatIsNotText) {
  const std::string good = std::string(head) + entry_2;
  for (const std::string& bytes :
       {std::string(1, '\0'), std::string("\x01"), std::string("\x7F"), std::string("\xFF"),
        std::string("\x80"), std::string("\xC0\xAF"), std::string("\xE0\x80\xAF"),
        std::string("\xED\xA0\x80"), std::string("\xF4\x90\x80\x80"), std::string("\xE2\x82"),
        std::string("\xF0\x9F\x98")}) {
    expect_contains(failure(replaced(good, "H200", "H" + bytes)), "db.yaml:2: not UTF-8 text");
  }
  std::string utf16 = "\xFF\xFE";
  for (const char c : good) utf16 += std::string(1, c) + '\0';
  expect_contains(failure(utf16), "not UTF-8 text");
  EXPECT_TRUE(parse("\xEF\xBB\xBF" + good).problems.empty()) << "a byte order mark is UTF-8";
}

TEST(TuningYaml, DepthIsBounded) {
  for (const char* opening :
       {"[", "{", "- ", "? ", "{a: ", "[{", "&a ", "!a ", "a: ", "[a, ", "- - [{"}) {
    std::string text = std::string(head) + "  - ";
    for (int i = 0; i < 100000; ++i) text += opening;
    expect_contains(failure(text), "db.yaml:");
    expect_contains(failure(text.substr(text.find("- ") + 2)), "db.yaml:");
  }
  // An unknown field may nest as deep as anybody would write it.
  EXPECT_EQ(parse(std::string("extra: [[[[{a: {b: [c]}}]]]]\n") + head + entry_2).problems.size(),
            1U);
}

/// Whatever a damaged file still gives must survive being written and read again.
void expect_consistent(const std::string& text) {
  const Result<ParsedTuningFile> parsed = parse_tuning_yaml(text, "db.yaml");
  if (!parsed.ok()) {
    EXPECT_FALSE(parsed.status().message().empty());
    return;
  }
  TuningFile file = parsed.value().file;
  file.kernel_version = kernel_version;
  const Result<ParsedTuningFile> again = parse_tuning_yaml(to_yaml(file), "again.yaml");
  ASSERT_TRUE(again.ok()) << again.status().message() << "\n" << text;
  EXPECT_TRUE(again.value().problems.empty()) << again.value().problems.front() << "\n" << text;
  ASSERT_EQ(again.value().file.entries.size(), file.entries.size()) << text;
  std::stable_sort(file.entries.begin(), file.entries.end(), sorts_before);
  for (std::size_t i = 0; i < file.entries.size(); ++i) {
    ASSERT_TRUE(same_entry(again.value().file.entries[i], file.entries[i])) << text;
  }
}

TEST(TuningYamlMutations, TruncatedAnywhere) {
  const std::string text = std::string(head) + entry_2 + entry_text(3);
  for (std::size_t length = 0; length < text.size(); ++length) {
    expect_consistent(text.substr(0, length));
  }
}

TEST(TuningYamlMutations, BitsAndBytesChanged) {
  const std::string text = std::string(head) + entry_2 + entry_text(3);
  constexpr std::string_view special = "{}[]:,-?&*!|>'\"%@`#\n\t \\~=<.0aé";
  std::mt19937 random(20);
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  for (int round = 0; round < 6000; ++round) {
    std::string damaged = text;
    for (std::size_t i = below(4) + 1; i > 0; --i) {
      const std::size_t at = below(damaged.size());
      switch (below(5)) {
        case 0:
          damaged[at] = static_cast<char>(damaged[at] ^ (1 << below(8)));
          break;
        case 1:
          damaged[at] = special[below(special.size())];
          break;
        case 2:
          damaged.insert(at, 1, special[below(special.size())]);
          break;
        case 3:
          damaged.erase(at, below(40));
          break;
        default:
          damaged.insert(at, damaged.substr(below(damaged.size()), below(200)));
          break;
      }
    }
    expect_consistent(damaged);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fastnorm
