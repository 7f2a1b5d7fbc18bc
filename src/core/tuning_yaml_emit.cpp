// SPDX-License-Identifier: Apache-2.0
#include "core/number_text.hpp"
#include "core/tuning_schema.hpp"
#include "core/tuning_yaml.hpp"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace fastnorm {
namespace {

/// Writes one mapping on one line.
class LineWriter {
 public:
  LineWriter(YAML::Emitter& out, const char* name) : out_(out) {
    out_ << YAML::Key << name << YAML::Value << YAML::Flow << YAML::BeginMap;
  }
  ~LineWriter() { out_ << YAML::EndMap; }
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  LineWriter& put(const std::string& field, const std::string& value) {
    out_ << YAML::Key << field << YAML::Value << value;
    return *this;
  }
  LineWriter& put(const std::string& field, const char* value) {
    return put(field, std::string(value));
  }
  LineWriter& put(const std::string& field, double value) { return put(field, number_text(value)); }
  LineWriter& put(const std::string& field, std::int64_t value) {
    return put(field, std::to_string(value));
  }
  LineWriter& put(const std::string& field, int value) { return put(field, std::to_string(value)); }

 private:
  YAML::Emitter& out_;
};

void write_device(YAML::Emitter& out, const TuningFile& file) {
  const DeviceKey& key = file.device;
  LineWriter line(out, "device");
  line.put("name", file.device_name);
  if (key.compute_capability_major == 0) {
    line.put("cpu", key.host_cpu).put("threads", key.processors).put("host_space", key.host_space);
    return;
  }
  line.put("compute_capability", std::to_string(key.compute_capability_major) + "." +
                                     std::to_string(key.compute_capability_minor));
  line.put("sms", key.processors).put("l2_mib", key.l2_mib).put("memory_gb_s", key.memory_gb_s);
}

void write_provenance(YAML::Emitter& out, const Provenance& provenance) {
  LineWriter line(out, "provenance");
  for (const ProvenanceField& field : provenance_fields) {
    const std::string& value = provenance.*field.value;
    if (!value.empty()) line.put(field.name, value);
  }
}

/// Of most of the entries, and of several such the latest.
Provenance common_provenance(const std::vector<TuningEntry>& entries) {
  const auto before = [](const Provenance* a, const Provenance* b) { return *a < *b; };
  std::map<const Provenance*, std::size_t, decltype(before)> counts(before);
  for (const TuningEntry& entry : entries) ++counts[&entry.provenance];
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
        return std::tie(a.second, *a.first) < std::tie(b.second, *b.first);
      });
  return most == counts.end() ? Provenance() : *most->first;
}

void write_stats(YAML::Emitter& out, const TuningStats& stats) {
  LineWriter line(out, "stats");
  line.put("median_us", stats.median_us)
      .put("mad_us", stats.mad_us)
      .put("samples", stats.samples)
      .put("default_us", stats.default_us)
      .put("copy_us", stats.copy_us);
  if (stats.default_mad_us > 0) line.put("default_mad_us", stats.default_mad_us);
  if (stats.copy_mad_us > 0) line.put("copy_mad_us", stats.copy_mad_us);
  if (!stats.disturbed_by.empty()) line.put("disturbed_by", to_string(stats.disturbed_by));
}

void write_entry(YAML::Emitter& out, const TuningEntry& entry, const Provenance& common) {
  const TuningKey& key = entry.key;
  const TuningShape& shape = entry.shape;
  out << YAML::BeginMap;
  LineWriter(out, "key")
      .put("backend", key.backend)
      .put("op", to_string(key.op))
      .put("pass", std::string(forward_pass))
      .put("x", to_string(key.x_type))
      .put("y", to_string(key.y_type))
      .put("affine", to_string(key.affine_type))
      .put("layout", to_string(key.layout))
      .put("epilogue", to_string(key.epilogue))
      .put("alignment", key.alignment)
      .put("deterministic", key.deterministic ? "true" : "false");
  LineWriter(out, "shape")
      .put("n", shape.n)
      .put("c", shape.c)
      .put("groups", shape.groups)
      .put("inner", shape.inner);
  {
    LineWriter line(out, "config");
    line.put("strategy", entry.strategy);
    for (const ConfigField& field : entry.config) line.put(field.name, field.value);
  }
  write_stats(out, entry.stats);
  if (!(entry.provenance == common)) write_provenance(out, entry.provenance);
  out << YAML::EndMap;
}

}  // namespace

std::string to_yaml(const TuningFile& file) {
  std::vector<const TuningEntry*> sorted;
  sorted.reserve(file.entries.size());
  for (const TuningEntry& entry : file.entries) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const TuningEntry* a, const TuningEntry* b) { return sorts_before(*a, *b); });

  YAML::Emitter out;
  out << YAML::BeginMap;
  out << YAML::Key << "schema" << YAML::Value << tuning_schema;
  write_device(out, file);
  LineWriter(out, "validity").put("kernel_version", file.kernel_version);
  const Provenance common = common_provenance(file.entries);
  write_provenance(out, common);
  out << YAML::Key << "entries" << YAML::Value << YAML::BeginSeq;
  for (const TuningEntry* entry : sorted) write_entry(out, *entry, common);
  out << YAML::EndSeq << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace fastnorm
