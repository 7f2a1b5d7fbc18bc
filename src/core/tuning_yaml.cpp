// SPDX-License-Identifier: Apache-2.0
#include "core/tuning_yaml.hpp"

#include "core/enum_values.hpp"
#include "core/op_kind.hpp"
#include "core/quoted.hpp"
#include "core/tuning_schema.hpp"
#include "core/yaml_fields.hpp"
#include "core/yaml_tree.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace fastnorm {
namespace {

/// Words that a later library may have for its own epilogues are refused like any others.
void read_epilogue(YamlFields& fields, EpilogueKey& epilogue) {
  const YamlNode* value = fields.require("epilogue");
  if (value == nullptr) return;
  const bool scalar = value->kind == YamlNode::Kind::scalar;
  const std::optional<EpilogueKey> parsed = scalar ? parse_epilogue_key(value->text) : std::nullopt;
  if (parsed) {
    epilogue = *parsed;
  } else {
    fields.refuse("epilogue", *value, epilogue_key_grammar());
  }
}

TuningKey read_key(const YamlNode& node, YamlFailure& failure) {
  TuningKey key;
  YamlFields fields(node, "key", failure);
  fields.text("backend", key.backend);
  fields.one_of("op", all_ops, key.op);
  fields.exactly("pass", forward_pass);
  fields.one_of("x", all_dtypes, key.x_type);
  fields.one_of("y", all_dtypes, key.y_type);
  fields.one_of("affine", all_dtypes, key.affine_type);
  fields.one_of("layout", all_layouts, key.layout);
  read_epilogue(fields, key.epilogue);
  fields.integer("alignment", 1, key.alignment);
  fields.flag("deterministic", key.deterministic);
  fields.refuse_unread();
  if ((key.alignment & (key.alignment - 1)) != 0) {
    failure.note(node.line, "key: alignment is " + std::to_string(key.alignment) +
                                "; it must be a power of two");
  }
  return key;
}

/// Whether the tensor's bytes can be counted at all; every factor is positive.
bool countable(const TuningShape& shape, const TuningKey& key) {
  auto left = std::numeric_limits<std::int64_t>::max() /
              static_cast<std::int64_t>(std::max(size_of(key.x_type), size_of(key.y_type)));
  for (const std::int64_t extent : {shape.n, shape.c, shape.inner}) left /= extent;
  return left > 0;
}

TuningShape read_shape(const YamlNode& node, const TuningKey& key, YamlFailure& failure) {
  TuningShape shape;
  YamlFields fields(node, "shape", failure);
  constexpr std::int64_t least = 1;
  fields.integer("n", least, shape.n);
  fields.integer("c", least, shape.c);
  fields.integer("groups", least, shape.groups);
  fields.integer("inner", least, shape.inner);
  fields.refuse_unread();
  if (!failure.empty()) return shape;
  if (shape.c % shape.groups != 0) {
    failure.note(node.line, "shape: groups=" + std::to_string(shape.groups) +
                                " does not divide c=" + std::to_string(shape.c));
  }
  if (key.op == Op::instance_norm && shape.groups != shape.c) {
    failure.note(node.line, "shape: groups=" + std::to_string(shape.groups) +
                                " of instance_norm must be c=" + std::to_string(shape.c));
  }
  if (normalises_last_extents(key.op) && (shape.groups != 1 || shape.inner != 1)) {
    failure.note(node.line,
                 std::string("shape: groups and inner of ") + to_string(key.op) + " must be 1");
  }
  if (!countable(shape, key)) failure.note(node.line, "shape: its bytes exceed 2^63 - 1");
  return shape;
}

/// What the configuration's text form on the command line, "name=value,name=value", can carry.
bool is_config_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c <= '~' && c != ',' && c != '=';
  });
}

/// Only the strategy knows what its fields mean: they stay text.
ConfigFields read_config(const YamlNode& node, std::string& strategy, YamlFailure& failure) {
  ConfigFields config;
  YamlFields fields(node, "config", failure);
  fields.text("strategy", strategy);
  config.reserve(fields.unread().size());
  for (const YamlNode* member : fields.unread()) {
    const std::string name(member->name);
    if (!is_config_word(name)) {
      failure.note(member->name_line, "config: " + in_quotes(name) + " is not a field's name");
    }
    if (member->kind != YamlNode::Kind::scalar || !is_config_word(member->text)) {
      fields.refuse(name, *member, "a number or a word");
    }
    config.push_back({name, std::string(member->text)});
  }
  return config;
}

void read_disturbances(YamlFields& fields, Disturbances& disturbances) {
  const YamlNode* value = fields.find("disturbed_by");
  if (value == nullptr) return;
  const bool scalar = value->kind == YamlNode::Kind::scalar;
  const std::optional<Disturbances> parsed =
      scalar ? parse_disturbances(value->text) : std::nullopt;
  if (parsed) {
    disturbances = *parsed;
  } else {
    fields.refuse("disturbed_by", *value, "words in this order: " + names_of(all_disturbances));
  }
}

/// What a clock can have measured and a ratio of two can show. 0: not measured, or no scatter.
void read_us(YamlFields& fields, std::string_view name, double& us) {
  constexpr double shortest = 1e-6;
  constexpr double longest = 1e12;
  const YamlNode* value = fields.require(name);
  if (value == nullptr) return;
  double number = 0;
  if (YamlFields::parse_number(*value, number) &&
      (number == 0 || (number >= shortest && number <= longest))) {
    us = number;
  } else {
    fields.refuse(name, *value, "0, or from 0.000001 to 1000000000000");
  }
}

TuningStats read_stats(const YamlNode& node, YamlFailure& failure) {
  TuningStats stats;
  YamlFields fields(node, "stats", failure);
  read_us(fields, "median_us", stats.median_us);
  read_us(fields, "mad_us", stats.mad_us);
  fields.integer("samples", 1, stats.samples);
  read_us(fields, "default_us", stats.default_us);
  read_us(fields, "copy_us", stats.copy_us);
  if (fields.has("default_mad_us")) read_us(fields, "default_mad_us", stats.default_mad_us);
  if (fields.has("copy_mad_us")) read_us(fields, "copy_mad_us", stats.copy_mad_us);
  read_disturbances(fields, stats.disturbed_by);
  fields.refuse_unread();
  if (stats.median_us <= 0) failure.note(node.line, "stats: median_us is 0; it must be more");
  return stats;
}

Provenance read_provenance(const YamlNode& node, YamlFailure& failure) {
  Provenance provenance;
  YamlFields fields(node, "provenance", failure);
  for (const ProvenanceField& field : provenance_fields) {
    const YamlNode* found = fields.find(field.name);
    if (found == nullptr) continue;
    provenance.*field.value = found->text;
    if (found->kind != YamlNode::Kind::scalar) fields.refuse(field.name, *found, "a text");
  }
  fields.refuse_unread();
  return provenance;
}

/// `oddity`: what is wrong and spoils nothing.
TuningEntry read_entry(const YamlNode& node, const Provenance& common, YamlFailure& failure,
                       YamlFailure& oddity) {
  TuningEntry entry;
  YamlFields fields(node, "entry", failure);
  if (const YamlNode* key = fields.require("key")) entry.key = read_key(*key, failure);
  if (const YamlNode* shape = fields.require("shape")) {
    entry.shape = read_shape(*shape, entry.key, failure);
  }
  if (const YamlNode* config = fields.require("config")) {
    entry.config = read_config(*config, entry.strategy, failure);
  }
  if (const YamlNode* stats = fields.require("stats")) entry.stats = read_stats(*stats, failure);
  const YamlNode* provenance = fields.find("provenance");
  entry.provenance = provenance == nullptr ? common : read_provenance(*provenance, oddity);
  fields.refuse_unread();
  return entry;
}

/// "9.0" as two numbers.
bool parse_capability(const YamlNode& node, DeviceKey& key) {
  if (node.kind != YamlNode::Kind::scalar) return false;
  const char* end = node.text.data() + node.text.size();
  const auto major = std::from_chars(node.text.data(), end, key.compute_capability_major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return false;
  const auto minor = std::from_chars(major.ptr + 1, end, key.compute_capability_minor);
  return minor.ec == std::errc{} && minor.ptr == end && key.compute_capability_major >= 1 &&
         key.compute_capability_minor >= 0;
}

/// Reads one file. `failure` is that of the file as a whole; entries have their own.
class FileReader {
 public:
  explicit FileReader(const std::string& source) : source_(source) { parsed_.file.source = source; }

  Result<ParsedTuningFile> read(const YamlNode& root) {
    YamlFields fields(root, "file", failure_);
    fields.exactly("schema", std::to_string(tuning_schema));
    // Another schema may mean other things by the same names.
    if (!failure_.empty()) return failed();

    if (const YamlNode* device = fields.require("device")) read_device(*device);
    if (const YamlNode* validity = fields.require("validity")) read_validity(*validity);
    if (const YamlNode* provenance = fields.find("provenance")) read_common(*provenance);
    const YamlNode* entries = fields.require("entries");
    if (entries != nullptr && entries->kind != YamlNode::Kind::sequence) {
      fields.refuse("entries", *entries, "a list");
    }
    report_unread(fields, "file");
    if (!failure_.empty()) return failed();

    read_entries(*entries);
    return std::move(parsed_);
  }

 private:
  Status failed() const {
    return Status(StatusCode::invalid_argument, place(failure_.line) + failure_.reason);
  }

  std::string place(int line) const { return source_ + ":" + std::to_string(line) + ": "; }

  void report(int line, const std::string& reason) {
    parsed_.problems.push_back(place(line) + reason);
  }

  void report_unread(const YamlFields& fields, const std::string& name) {
    for (const YamlNode* member : fields.unread()) {
      report(member->name_line, name + " has an unknown field " + in_quotes(member->name));
    }
  }

  void read_device(const YamlNode& node) {
    YamlFields fields(node, "device", failure_);
    DeviceKey& key = parsed_.file.device;
    fields.text("name", parsed_.file.device_name);
    constexpr std::int64_t unknown = 0;
    if (const YamlNode* capability = fields.find("compute_capability")) {
      if (!parse_capability(*capability, key)) {
        fields.refuse("compute_capability", *capability, "of the form 9.0");
      }
      fields.integer("sms", 1, key.processors);
      fields.integer("l2_mib", unknown, key.l2_mib);
      fields.integer("memory_gb_s", unknown, key.memory_gb_s);
    } else if (const YamlNode* cpu = fields.find("cpu")) {
      key.host_cpu = cpu->text;
      if (key.host_cpu.empty()) fields.refuse("cpu", *cpu, "the CPU's model");
      fields.integer("threads", 1, key.processors);
      fields.text("host_space", key.host_space);
    } else {
      failure_.note(node.line, "device has neither \"compute_capability\" nor \"cpu\"");
    }
    report_unread(fields, "device");
  }

  void read_validity(const YamlNode& node) {
    YamlFields fields(node, "validity", failure_);
    fields.integer("kernel_version", 0, parsed_.file.kernel_version);
    report_unread(fields, "validity");
  }

  /// What is wrong here spoils nothing.
  void read_common(const YamlNode& node) {
    YamlFailure oddity;
    common_ = read_provenance(node, oddity);
    if (!oddity.empty()) report(oddity.line, oddity.reason);
  }

  void read_entries(const YamlNode& list) {
    TuningFile& file = parsed_.file;
    if (file.kernel_version != kernel_version) {
      report(list.line, "entries are for kernel_version " + std::to_string(file.kernel_version) +
                            ", this library has " + std::to_string(kernel_version) +
                            "; they are ignored");
      return;
    }
    const auto before = [](const TuningEntry* a, const TuningEntry* b) {
      return sorts_before(*a, *b);
    };
    std::set<const TuningEntry*, decltype(before)> seen(before);
    file.entries.reserve(list.children().size());  // `seen` points into it
    int number = 0;
    for (const YamlNode& item : list.children()) {
      ++number;
      YamlFailure failure;
      YamlFailure oddity;
      file.entries.push_back(read_entry(item, common_, failure, oddity));
      // Our own files are in order, so that each entry is the last so far.
      if (failure.empty() &&
          *seen.insert(seen.end(), &file.entries.back()) != &file.entries.back()) {
        failure.note(item.line, "key and shape are those of an earlier entry");
      }
      const YamlFailure& wrong = failure.empty() ? oddity : failure;
      if (!wrong.empty()) {
        report(wrong.line, "entry " + std::to_string(number) + ": " + wrong.reason);
      }
      if (failure.empty()) {
        parsed_.places.push_back({item.line, number});
      } else {
        file.entries.pop_back();
      }
    }
  }

  const std::string& source_;
  ParsedTuningFile parsed_;
  Provenance common_;  ///< Of the entries that have none of their own.
  YamlFailure failure_;
};

}  // namespace

std::string ParsedTuningFile::place_text(std::size_t entry) const {
  const Place& place = places[entry];
  return file.source + ":" + std::to_string(place.line) + ": entry " +
         std::to_string(place.number) + ": ";
}

Result<ParsedTuningFile> parse_tuning_yaml(std::string_view text, const std::string& source) {
  try {
    const Result<YamlTree> tree = parse_yaml_tree(text, source);
    if (!tree.ok()) return tree.status();
    return FileReader(source).read(tree.value().root());
  } catch (const std::exception& error) {
    return Status(StatusCode::out_of_memory, source + ": " + error.what());
  }
}

}  // namespace fastnorm
