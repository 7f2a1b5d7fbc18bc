/// autotune show
#include "core/tuning_store.hpp"
#include "tuner/commands.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/use_database.hpp"

#include <cstdio>
#include <filesystem>
#include <string>

namespace fastnorm::tuner {
namespace {

std::string shape_text(const TuningShape& shape) {
  return std::to_string(shape.n) + "x" + std::to_string(shape.c) + "x" +
         std::to_string(shape.inner) + " groups=" + std::to_string(shape.groups);
}

/// "layer_norm bf16->f32 silu residual".
std::string operation_text(const TuningKey& key) {
  std::string text = std::string(to_string(key.op)) + " " + to_string(key.x_type);
  if (key.y_type != key.x_type) text += std::string("->") + to_string(key.y_type);
  if (!(key.epilogue == EpilogueKey())) text += " " + to_string(key.epilogue);
  return text;
}

void print_entry(const TuningEntry& entry) {
  const TuningStats& stats = entry.stats;
  std::printf("  %-12s %-24s %-30s %-64s %10.1f %7.2fx %7.2f%s\n", entry.key.backend.c_str(),
              operation_text(entry.key).c_str(), shape_text(entry.shape).c_str(),
              (entry.strategy + " " + to_string(entry.config)).c_str(), stats.median_us,
              stats.default_us / stats.median_us, stats.copy_us / stats.median_us,
              entry.key.deterministic ? "" : "  not deterministic");
}

void print_file(const TuningFile& file) {
  std::printf("\n%s: %s, %zu entries", file.source.c_str(), file.device_name.c_str(),
              file.entries.size());
  if (!file.provenance.utc.empty()) std::printf(", last written %s", file.provenance.utc.c_str());
  if (!file.provenance.fastnorm.empty()) {
    std::printf(" by fastnorm %s", file.provenance.fastnorm.c_str());
  }
  std::printf("\n");
  if (file.entries.empty()) return;
  std::printf("  %-12s %-24s %-30s %-64s %10s %8s %7s\n", "back end", "op", "N x C x inner",
              "strategy and configuration", "us", "speed-up", "of copy");
  for (const TuningEntry& entry : file.entries) print_entry(entry);
}

}  // namespace

int show(const Options& options) {
  use_database(options.db);
  const std::filesystem::path user = user_tuning_path();
  std::printf("user database: %s\n", user.empty() ? "none" : user.c_str());
  const auto db = current_tuning_db();
  for (const TuningFile& file : db->files()) print_file(file);
  if (db->files().empty()) {
    std::printf("no database has been written yet; \"autotune\" writes the user's\n");
  }
  return exit_done;
}

}  // namespace fastnorm::tuner
