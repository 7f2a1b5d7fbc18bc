#include "tuner/journal_record.hpp"

#include "tuner/checksum.hpp"

#include <array>
#include <charconv>
#include <system_error>
#include <type_traits>
#include <utility>

namespace fastnorm::tuner {
namespace {

constexpr char separator = '\t';
constexpr std::size_t checksum_digits = 8;

constexpr std::array all_placements = {Placement::beside, Placement::in_place};
constexpr std::array all_codes = {
    StatusCode::ok,          StatusCode::invalid_argument, StatusCode::unsupported,
    StatusCode::unavailable, StatusCode::out_of_memory,    StatusCode::device_error};

const char* to_string(Placement placement) {
  return placement == Placement::beside ? "beside" : "in_place";
}

// ---- Writing.

/// Appends fields to a line.
class FieldWriter {
 public:
  explicit FieldWriter(const char* kind) : text_(kind) {}

  void operator()(std::string_view text) {
    text_ += separator;
    for (const char c : text) {
      switch (c) {
        case '\\':
          text_ += "\\\\";
          break;
        case '\t':
          text_ += "\\t";
          break;
        case '\n':
          text_ += "\\n";
          break;
        default:
          text_ += c;
      }
    }
  }
  void operator()(const std::string& text) { (*this)(std::string_view(text)); }

  /// The shortest text that reads back as the same number.
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  void operator()(Number number) {
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
    text_ += separator;
    text_.append(buffer.data(), end);
  }

  void operator()(RunClock::Duration duration) { (*this)(duration.count()); }
  void operator()(Placement placement) { (*this)(std::string_view(to_string(placement))); }
  void operator()(StatusCode code) { (*this)(std::string_view(fastnorm::to_string(code))); }

  void operator()(const TuningNumber& tuning) {
    (*this)(tuning.target);
    (*this)(tuning.job);
  }
  void operator()(const Status& status) {
    (*this)(status.code());
    (*this)(status.message());
  }

  template <class Item>
  void operator()(const std::vector<Item>& items) {
    for (const Item& item : items) (*this)(item);
  }

  std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

// ---- Reading.

std::optional<std::string> unescaped(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\') {
      text += field[i];
      continue;
    }
    if (++i == field.size()) return {};
    switch (field[i]) {
      case '\\':
        text += '\\';
        break;
      case 't':
        text += '\t';
        break;
      case 'n':
        text += '\n';
        break;
      default:
        return {};
    }
  }
  return text;
}

/// Takes fields off a line; failed() once one is missing or not what it has to be.
class FieldReader {
 public:
  explicit FieldReader(std::string_view fields) : left_(fields) {}

  void operator()(std::string& text) {
    const std::optional<std::string> read = unescaped(next());
    if (read) {
      text = *read;
    } else {
      failed_ = true;
    }
  }

  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  void operator()(Number& number) {
    const std::string_view field = next();
    const char* end = field.data() + field.size();
    const auto [stopped, error] = std::from_chars(field.data(), end, number);
    if (error != std::errc{} || stopped != end) failed_ = true;
  }

  void operator()(RunClock::Duration& duration) {
    RunClock::Duration::rep count = 0;
    (*this)(count);
    duration = RunClock::Duration(count);
  }

  void operator()(Placement& placement) {
    one_of(
        all_placements, [](Placement p) { return to_string(p); }, placement);
  }
  void operator()(StatusCode& code) {
    one_of(
        all_codes, [](StatusCode c) { return fastnorm::to_string(c); }, code);
  }

  void operator()(TuningNumber& tuning) {
    (*this)(tuning.target);
    (*this)(tuning.job);
  }
  void operator()(Status& status) {
    StatusCode code = StatusCode::ok;
    std::string message;
    (*this)(code);
    (*this)(message);
    status = code == StatusCode::ok ? Status() : Status(code, std::move(message));
  }

  /// All that is left.
  template <class Item>
  void operator()(std::vector<Item>& items) {
    while (!failed_ && !left_.empty()) (*this)(items.emplace_back());
  }

  bool failed() const noexcept { return failed_ || !left_.empty(); }

 private:
  std::string_view next() {
    if (left_.empty() || left_.front() != separator) {
      failed_ = true;
      return {};
    }
    left_.remove_prefix(1);
    const std::string_view field = left_.substr(0, left_.find(separator));
    left_.remove_prefix(field.size());
    return field;
  }

  template <class Value, std::size_t count, class Name>
  void one_of(const std::array<Value, count>& values, const Name& name, Value& result) {
    const std::string_view field = next();
    for (const Value value : values) {
      if (field != name(value)) continue;
      result = value;
      return;
    }
    failed_ = true;
  }

  std::string_view left_;
  bool failed_ = false;
};

/// Whether the fields are those of such a record.
template <class Record>
bool read_as(std::string_view named, std::string_view fields,
             std::optional<JournalRecord>& result) {
  if (named != Record::kind) return false;
  Record record;
  FieldReader reader(fields);
  Record::fields(record, reader);
  if (!reader.failed()) result = std::move(record);
  return true;
}

template <class... Records>
std::optional<JournalRecord> read_one_of(std::string_view named, std::string_view fields,
                                         const std::variant<Records...>*) {
  std::optional<JournalRecord> result;
  (read_as<Records>(named, fields, result) || ...);
  return result;
}

}  // namespace

std::string to_line(const JournalRecord& record) {
  return std::visit(
      [](const auto& one) {
        using Record = std::decay_t<decltype(one)>;
        FieldWriter writer(Record::kind);
        Record::fields(one, writer);
        const std::string text = std::move(writer).take();
        return crc32_text(text) + separator + text + '\n';
      },
      record);
}

std::optional<JournalRecord> parse_line(std::string_view line) {
  if (line.size() <= checksum_digits || line[checksum_digits] != separator) return {};
  const std::string_view text = line.substr(checksum_digits + 1);
  if (line.substr(0, checksum_digits) != crc32_text(text)) return {};
  const std::string_view named = text.substr(0, text.find(separator));
  constexpr const JournalRecord* kinds = nullptr;
  return read_one_of(named, text.substr(named.size()), kinds);
}

}  // namespace fastnorm::tuner
