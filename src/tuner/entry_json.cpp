// SPDX-License-Identifier: Apache-2.0
#include "tuner/entry_json.hpp"

#include "core/number_text.hpp"
#include "core/tuning_schema.hpp"

#include <cstdint>
#include <string>

namespace fastnorm::tuner {
namespace {

void write_key(JsonWriter& json, const TuningKey& key) {
  json.begin_object();
  json.key("backend").text(key.backend);
  json.key("op").text(to_string(key.op));
  json.key("x").text(to_string(key.x_type));
  json.key("y").text(to_string(key.y_type));
  json.key("affine").text(to_string(key.affine_type));
  json.key("layout").text(to_string(key.layout));
  json.key("epilogue").text(to_string(key.epilogue));
  json.key("alignment").integer(key.alignment);
  json.key("deterministic").boolean(key.deterministic);
  json.end();
}

void write_shape(JsonWriter& json, const TuningShape& shape) {
  json.begin_object();
  json.key("n").integer(shape.n);
  json.key("c").integer(shape.c);
  json.key("groups").integer(shape.groups);
  json.key("inner").integer(shape.inner);
  json.end();
}

void write_stats(JsonWriter& json, const TuningStats& stats) {
  json.begin_object();
  json.key("median_us").number(stats.median_us);
  json.key("mad_us").number(stats.mad_us);
  json.key("samples").integer(stats.samples);
  json.key("default_us").number(stats.default_us);
  json.key("copy_us").number(stats.copy_us);
  json.key("default_mad_us").number(stats.default_mad_us);
  json.key("copy_mad_us").number(stats.copy_mad_us);
  json.key("disturbed_by").begin_array();
  for (const Disturbance one : all_disturbances) {
    if (stats.disturbed_by.contains(one)) json.text(to_string(one));
  }
  json.end();
  json.end();
}

void write_provenance(JsonWriter& json, const Provenance& provenance) {
  json.begin_object();
  for (const ProvenanceField& field : provenance_fields) {
    json.key(field.name).text(provenance.*field.value);
  }
  json.end();
}

}  // namespace

void write_config(JsonWriter& json, const std::string& strategy, const ConfigFields& fields) {
  json.begin_object();
  json.key("strategy").text(strategy);
  for (const ConfigField& field : fields) {
    json.key(field.name);
    std::int64_t number = 0;
    if (parse_number(field.value, number)) {
      json.integer(number);
    } else {
      json.text(field.value);
    }
  }
  json.end();
}

void write_entry(JsonWriter& json, const TuningEntry& entry) {
  json.begin_object();
  write_key(json.key("key"), entry.key);
  write_shape(json.key("shape"), entry.shape);
  write_config(json.key("config"), entry.strategy, entry.config);
  write_stats(json.key("stats"), entry.stats);
  write_provenance(json.key("provenance"), entry.provenance);
  json.end();
}

void write_device(JsonWriter& json, const TuningFile& file) {
  const DeviceKey& device = file.device;
  json.begin_object();
  json.key("name").text(file.device_name);
  if (device.compute_capability_major == 0) {
    json.key("cpu").text(device.host_cpu);
    json.key("threads").integer(device.processors);
    json.key("host_space").text(device.host_space);
  } else {
    json.key("compute_capability")
        .text(std::to_string(device.compute_capability_major) + "." +
              std::to_string(device.compute_capability_minor));
    json.key("sms").integer(device.processors);
    json.key("l2_mib").integer(device.l2_mib);
    json.key("memory_gb_s").integer(device.memory_gb_s);
  }
  json.end();
}

}  // namespace fastnorm::tuner
