// SPDX-License-Identifier: Apache-2.0
/// A strategy's launch parameters: a small typed aggregate, carried type-erased through the core.
///
/// An aggregate takes part by naming its fields once:
///
///     struct BlockRowConfig {
///       int threads = 256;
///       WalkOrder second_read = WalkOrder::forward;
///       template <class Self, class Visit>
///       static void fields(Self& self, Visit&& visit) {
///         visit("threads", self.threads);
///         visit("second_read", self.second_read);
///       }
///     };
///
/// That one visitor serves printing, parsing, comparing and the YAML database. Fields are int, or
/// enums for which `enum_names(E)` (found by ADL) gives a std::array of the values' names in order.
#pragma once

#include "core/number_text.hpp"
#include "core/quoted.hpp"

#include <fastnorm/status.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace fastnorm {

/// A configuration as text, field by field: what the database and the command line hold.
struct ConfigField {
  std::string name;
  std::string value;
  friend bool operator==(const ConfigField& a, const ConfigField& b) {
    return a.name == b.name && a.value == b.value;
  }
};
using ConfigFields = std::vector<ConfigField>;

/// "threads=256,vec_width=4" and back. Parsing fails on a piece without "=".
std::string to_string(const ConfigFields& fields);
Result<ConfigFields> parse_config_text(std::string_view text);

namespace config_detail {

template <class T>
std::string value_text(T value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(enum_names(T{})[static_cast<std::size_t>(value)]);
  } else {
    return std::to_string(value);
  }
}

template <class T>
bool parse_value(std::string_view text, T& value) {
  if constexpr (std::is_enum_v<T>) {
    const auto names = enum_names(T{});
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == text) {
        value = static_cast<T>(i);
        return true;
      }
    }
    return false;
  } else {
    return parse_number(text, value);
  }
}

/// What parse_value() accepts: "an integer", or "one of forward, backward".
template <class T>
std::string allowed_values() {
  if constexpr (std::is_enum_v<T>) {
    std::string text;
    for (const std::string_view name : enum_names(T{})) {
      text += (text.empty() ? "one of " : ", ") + std::string(name);
    }
    return text;
  } else {
    return "an integer";
  }
}

/// What is wrong with the names of a configuration's fields: unknown, missing or repeated ones.
/// Empty where nothing is.
std::string wrong_names(const ConfigFields& fields, const std::vector<std::string_view>& known);

}  // namespace config_detail

template <class T>
ConfigFields to_fields(const T& config) {
  ConfigFields result;
  T::fields(config, [&](const char* name, const auto& value) {
    result.push_back({name, config_detail::value_text(value)});
  });
  return result;
}

/// Reads an aggregate back. Every field must be there once, known and well formed: a database entry
/// of another version is refused, not guessed at.
template <class T>
Result<T> from_fields(const ConfigFields& fields) {
  T config;
  std::vector<std::string_view> known;
  T::fields(config, [&](const char* name, const auto&) { known.emplace_back(name); });
  std::string problem = config_detail::wrong_names(fields, known);
  T::fields(config, [&](const char* name, auto& value) {
    if (!problem.empty()) return;
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [name](const ConfigField& one) { return one.name == name; });
    if (config_detail::parse_value(field->value, value)) return;
    problem = "config field " + shortened(field->name) + "=" + shortened(field->value) +
              " must be " + config_detail::allowed_values<std::decay_t<decltype(value)>>();
  });
  if (!problem.empty()) return Status(StatusCode::invalid_argument, problem);
  return config;
}

/// Any strategy's aggregate, by value. Copies share the immutable original.
class Config {
 public:
  Config() = default;

  template <class T>
  static Config of(T value) {
    Config config;
    config.self_ = std::make_shared<const Holder<T>>(std::move(value));
    return config;
  }

  bool has_value() const noexcept { return self_ != nullptr; }

  /// The aggregate, or null if the config is another strategy's.
  template <class T>
  const T* get() const noexcept {
    if (!self_ || self_->type() != typeid(T)) return nullptr;
    return &static_cast<const Holder<T>&>(*self_).value;
  }

  ConfigFields fields() const { return self_ ? self_->fields() : ConfigFields{}; }
  std::string text() const { return to_string(fields()); }

  friend bool operator==(const Config& a, const Config& b) { return a.fields() == b.fields(); }
  friend bool operator!=(const Config& a, const Config& b) { return !(a == b); }

 private:
  struct Concept {
    virtual ~Concept() = default;
    virtual const std::type_info& type() const noexcept = 0;
    virtual ConfigFields fields() const = 0;
  };
  template <class T>
  struct Holder final : Concept {
    explicit Holder(T v) : value(std::move(v)) {}
    const std::type_info& type() const noexcept override { return typeid(T); }
    ConfigFields fields() const override { return to_fields(value); }
    T value;
  };
  std::shared_ptr<const Concept> self_;
};

}  // namespace fastnorm
