// SPDX-License-Identifier: Apache-2.0
/// Records as lines of text: what a journal is made of, and what a run and its workers say to each
/// other.
///
///     CHECKSUM<tab>kind<tab>field<tab>...<newline>
///
/// The checksum is the CRC-32 of what follows its tab, without the newline. Tabs, newlines and
/// backslashes within a field are written \t, \n and \\. A record is a type that names its kind
/// and, in order, its fields:
///
///     struct WinnersStored {
///       TuningNumber tuning;
///       static constexpr const char* kind = "stored";
///       template <class Self, class Visit>
///       static void fields(Self& self, Visit&& visit) {
///         visit(self.tuning);
///       }
///     };
///
/// Fields are text, numbers, statuses, durations, disturbances, enums (by the names that
/// `enum_names(E)` gives, found by ADL, else by number), types with fields of their own, and in the
/// last place vectors of these.
#pragma once

#include "core/disturbances.hpp"
#include "core/number_text.hpp"
#include "tuner/run_clock.hpp"

#include <fastnorm/status.hpp>

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace fastnorm::tuner {

template <class E, class = void>
inline constexpr bool has_names = false;
template <class E>
inline constexpr bool has_names<E, std::void_t<decltype(enum_names(E{}))>> = true;

/// Appends fields to a line.
class FieldWriter {
 public:
  explicit FieldWriter(const char* kind) : text_(kind) {}

  void operator()(std::string_view text);
  void operator()(const std::string& text) { (*this)(std::string_view(text)); }
  void operator()(RunClock::Duration duration) { (*this)(duration.count()); }
  void operator()(StatusCode code);
  void operator()(const Status& status);
  void operator()(Disturbances disturbances);
  void operator()(bool value) { (*this)(value ? 1 : 0); }

  template <class Value>
  void operator()(const Value& value) {
    if constexpr (has_names<Value>) {
      (*this)(std::string_view(enum_names(value)[static_cast<std::size_t>(value)]));
    } else if constexpr (std::is_enum_v<Value>) {
      (*this)(static_cast<int>(value));
    } else if constexpr (std::is_arithmetic_v<Value>) {
      number(value);
    } else {
      Value::fields(value, *this);
    }
  }

  template <class Item>
  void operator()(const std::vector<Item>& items) {
    for (const Item& item : items) (*this)(item);
  }

  std::string take() && { return std::move(text_); }

 private:
  /// The shortest text that reads back as the same number.
  template <class Number>
  void number(Number value) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    text_ += '\t';
    text_.append(buffer, end);
  }

  std::string text_;
};

/// Takes fields off a line; failed() once one is missing or not what it has to be.
class FieldReader {
 public:
  explicit FieldReader(std::string_view fields) : left_(fields) {}

  void operator()(std::string& text);
  void operator()(RunClock::Duration& duration);
  void operator()(StatusCode& code);
  void operator()(Status& status);
  void operator()(Disturbances& disturbances);
  void operator()(bool& value);

  template <class Value>
  void operator()(Value& value) {
    if constexpr (has_names<Value>) {
      const std::string_view name = next();
      const auto& names = enum_names(Value{});
      std::size_t number = 0;
      while (number < names.size() && name != names[number]) ++number;
      if (number == names.size())
        failed_ = true;
      else
        value = static_cast<Value>(number);
    } else if constexpr (std::is_enum_v<Value>) {
      int number = 0;
      (*this)(number);
      value = static_cast<Value>(number);
    } else if constexpr (std::is_arithmetic_v<Value>) {
      if (!parse_number(next(), value)) failed_ = true;
    } else {
      Value::fields(value, *this);
    }
  }

  /// All that is left.
  template <class Item>
  void operator()(std::vector<Item>& items) {
    while (!failed_ && !left_.empty()) (*this)(items.emplace_back());
  }

  bool failed() const noexcept { return failed_ || !left_.empty(); }

 private:
  std::string_view next();

  std::string_view left_;
  bool failed_ = false;
};

/// "CHECKSUM<tab>TEXT<newline>"
std::string checked_line(const std::string& text);

/// The text of such a line, which comes without its newline; nothing where the checksum is wrong.
std::optional<std::string_view> checked_text(std::string_view line);

namespace record_text_detail {

/// Whether the fields are those of such a record.
template <class Record, class Records>
bool read_as(std::string_view kind, std::string_view fields, std::optional<Records>& result) {
  if (kind != Record::kind) return false;
  Record record;
  FieldReader reader(fields);
  Record::fields(record, reader);
  if (!reader.failed()) result = std::move(record);
  return true;
}

template <class... Records>
std::optional<std::variant<Records...>> read_one_of(std::string_view text,
                                                    const std::variant<Records...>*) {
  const std::string_view kind = text.substr(0, text.find('\t'));
  std::optional<std::variant<Records...>> result;
  static_cast<void>((read_as<Records>(kind, text.substr(kind.size()), result) || ...));
  return result;
}

}  // namespace record_text_detail

/// One of several records, with its newline.
template <class... Records>
std::string to_record_line(const std::variant<Records...>& record) {
  return std::visit(
      [](const auto& one) {
        using Record = std::decay_t<decltype(one)>;
        FieldWriter writer(Record::kind);
        Record::fields(one, writer);
        return checked_line(std::move(writer).take());
      },
      record);
}

/// Without its newline. Nothing where the line is not one that to_record_line() has written.
template <class Records>
std::optional<Records> parse_record_line(std::string_view line) {
  const std::optional<std::string_view> text = checked_text(line);
  if (!text) return std::nullopt;
  constexpr const Records* kinds = nullptr;
  return record_text_detail::read_one_of(*text, kinds);
}

}  // namespace fastnorm::tuner
