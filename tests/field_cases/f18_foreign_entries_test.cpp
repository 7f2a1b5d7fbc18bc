// SPDX-License-Identifier: Apache-2.0
// F18: database entries that were written for another chip, by another version, or by hand.
#include "core/tuning_yaml.hpp"
#include "user_database.hpp"

namespace fastnorm::test {
namespace {

class F18ForeignEntries : public UserDatabaseTest {
 protected:
  Origin origin_with(const TuningFile& file) {
    return UserDatabaseTest::origin_with(to_yaml(file));
  }
};

TEST_F(F18ForeignEntries, AGoodEntryIsTaken) {
  EXPECT_EQ(origin_with(file_with(std::string(some_variant().name()), default_fields())),
            Origin::exact);
}

TEST_F(F18ForeignEntries, UnknownKernel) {
  EXPECT_EQ(origin_with(file_with("warp_per_row_v9", default_fields())), Origin::heuristic);
}

TEST_F(F18ForeignEntries, ImpossibleValues) {
  const ConfigFields good = default_fields();
  for (std::size_t field = 0; field < good.size(); ++field) {
    for (const char* value : {"-7", "0x40", "1e9", "99999999999"}) {
      ConfigFields bad = good;
      bad[field].value = value;
      EXPECT_EQ(origin_with(file_with(std::string(some_variant().name()), bad)), Origin::heuristic)
          << to_string(bad);
    }
  }
}

TEST_F(F18ForeignEntries, BlocksAndVectorsThatNoDeviceHas) {
  for (const ConfigField& impossible :
       {ConfigField{"threads", "2048"}, ConfigField{"vec_width", "3"}, ConfigField{"lanes", "3"}}) {
    ConfigFields bad = default_fields();
    bool has_field = false;
    for (ConfigField& field : bad) {
      if (field.name != impossible.name) continue;
      field.value = impossible.value;
      has_field = true;
    }
    if (!has_field) continue;
    EXPECT_EQ(origin_with(file_with(std::string(some_variant().name()), bad)), Origin::heuristic)
        << to_string(bad);
  }
}

TEST_F(F18ForeignEntries, UnknownDevice) {
  TuningFile file = file_with(std::string(some_variant().name()), default_fields());
  file.device.compute_capability_major = 99;
  file.device.host_cpu += " of another maker";
  EXPECT_EQ(origin_with(file), Origin::heuristic);
}

TEST_F(F18ForeignEntries, OneChipUnderTwoNames) {
  TuningFile file = file_with(std::string(some_variant().name()), default_fields());
  file.device_name = "Reseller's Edition";
  EXPECT_EQ(origin_with(file), Origin::exact);
}

// One name, but another memory (a host: another number of threads), is another device.
TEST_F(F18ForeignEntries, OneNameOnTwoChips) {
  TuningFile file = file_with(std::string(some_variant().name()), default_fields());
  if (target_space() == MemorySpace::device) {
    file.device.memory_gb_s /= 2;
  } else {
    file.device.processors += 1;
  }
  EXPECT_NE(origin_with(file), Origin::exact);
}

}  // namespace
}  // namespace fastnorm::test
