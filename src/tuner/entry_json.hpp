// SPDX-License-Identifier: Apache-2.0
/// What a database holds, as JSON, by the names of its YAML form.
#pragma once

#include "core/tuning_db.hpp"
#include "tuner/json_writer.hpp"

namespace fastnorm::tuner {

/// An object: key, shape, config, stats and provenance.
void write_entry(JsonWriter& json, const TuningEntry& entry);

/// An object: the device's name and what identifies it.
void write_device(JsonWriter& json, const TuningFile& file);

/// An object: strategy and fields; those that are numbers as numbers.
void write_config(JsonWriter& json, const std::string& strategy, const ConfigFields& fields);

}  // namespace fastnorm::tuner
