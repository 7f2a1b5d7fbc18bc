// SPDX-License-Identifier: Apache-2.0
#include "tuner/record_text.hpp"

#include "tuner/checksum.hpp"

#include <array>

namespace fastnorm::tuner {
namespace {

constexpr char separator = '\t';
constexpr std::size_t checksum_digits = 8;

constexpr std::array all_codes = {
    StatusCode::ok,          StatusCode::invalid_argument, StatusCode::unsupported,
    StatusCode::unavailable, StatusCode::out_of_memory,    StatusCode::device_error};

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

}  // namespace

void FieldWriter::operator()(std::string_view text) {
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

void FieldWriter::operator()(StatusCode code) {
  (*this)(std::string_view(fastnorm::to_string(code)));
}

void FieldWriter::operator()(const Status& status) {
  (*this)(status.code());
  (*this)(status.message());
}

void FieldWriter::operator()(Disturbances disturbances) {
  (*this)(std::string_view(to_string(disturbances)));
}

std::string_view FieldReader::next() {
  if (left_.empty() || left_.front() != separator) {
    failed_ = true;
    return {};
  }
  left_.remove_prefix(1);
  const std::string_view field = left_.substr(0, left_.find(separator));
  left_.remove_prefix(field.size());
  return field;
}

void FieldReader::operator()(std::string& text) {
  const std::optional<std::string> read = unescaped(next());
  if (read) {
    text = *read;
  } else {
    failed_ = true;
  }
}

void FieldReader::operator()(RunClock::Duration& duration) {
  RunClock::Duration::rep count = 0;
  (*this)(count);
  duration = RunClock::Duration(count);
}

void FieldReader::operator()(StatusCode& code) {
  const std::string_view name = next();
  for (const StatusCode one : all_codes) {
    if (name != fastnorm::to_string(one)) continue;
    code = one;
    return;
  }
  failed_ = true;
}

void FieldReader::operator()(Status& status) {
  StatusCode code = StatusCode::ok;
  std::string message;
  (*this)(code);
  (*this)(message);
  status = code == StatusCode::ok ? Status() : Status(code, std::move(message));
}

void FieldReader::operator()(Disturbances& disturbances) {
  const std::optional<Disturbances> read = parse_disturbances(next());
  if (read) {
    disturbances = *read;
  } else {
    failed_ = true;
  }
}

void FieldReader::operator()(bool& value) {
  int number = 0;
  (*this)(number);
  value = number != 0;
}

std::string checked_line(const std::string& text) {
  return crc32_text(text) + separator + text + '\n';
}

std::optional<std::string_view> checked_text(std::string_view line) {
  if (line.size() <= checksum_digits || line[checksum_digits] != separator) return {};
  const std::string_view text = line.substr(checksum_digits + 1);
  if (line.substr(0, checksum_digits) != crc32_text(text)) return {};
  return text;
}

}  // namespace fastnorm::tuner
