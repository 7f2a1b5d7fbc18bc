// SPDX-License-Identifier: Apache-2.0
/// What may have made a measurement worth less.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fastnorm {

enum class Disturbance : std::uint8_t {
  thermal_slowdown,   ///< The device lowered its clock because it was hot.
  power_brake,        ///< The power supply asked it to.
  hardware_slowdown,  ///< It did for another reason of its own.
  low_clock,          ///< Its clock was far below what it had been in the run, whatever the reason.
  other_load,         ///< Another process used it.
  scatter,            ///< The samples scatter far more than usual.
};
inline constexpr std::array all_disturbances = {
    Disturbance::thermal_slowdown, Disturbance::power_brake, Disturbance::hardware_slowdown,
    Disturbance::low_clock,        Disturbance::other_load,  Disturbance::scatter};
const char* to_string(Disturbance disturbance) noexcept;

/// A set of them.
class Disturbances {
 public:
  Disturbances() = default;
  Disturbances(Disturbance one) : bits_(bit(one)) {}  // NOLINT: one is a set of one

  bool empty() const noexcept { return bits_ == 0; }
  bool contains(Disturbance one) const noexcept { return (bits_ & bit(one)) != 0; }
  Disturbances& operator|=(Disturbances others) noexcept {
    bits_ |= others.bits_;
    return *this;
  }
  friend bool operator==(Disturbances a, Disturbances b) noexcept { return a.bits_ == b.bits_; }

 private:
  static constexpr unsigned bit(Disturbance one) noexcept {
    return 1U << static_cast<unsigned>(one);
  }

  unsigned bits_ = 0;
};

/// Words in the order of the enumerators: "thermal_slowdown other_load"; empty for none.
std::string to_string(Disturbances disturbances);

/// What to_string() gives; nothing for another text.
std::optional<Disturbances> parse_disturbances(std::string_view text);

}  // namespace fastnorm
