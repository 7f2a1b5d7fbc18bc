// SPDX-License-Identifier: Apache-2.0
#include "tuner/text_table.hpp"

#include "core/quoted.hpp"
#include "core/utf8.hpp"

#include <algorithm>
#include <cstddef>

namespace fastnorm::tuner {
namespace {

constexpr std::size_t gap = 2;

std::string line(const std::vector<std::string>& cells, const std::vector<Column>& columns,
                 const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text.append(gap, ' ');
    const std::size_t room = widths[i] - count_code_points(cells[i]);
    if (columns[i].align == Align::right) text.append(room, ' ');
    text += cells[i];
    if (columns[i].align == Align::left) text.append(room, ' ');
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

}  // namespace

std::string text_table(const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns) lines.front().push_back(column.title);
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::string>& cells = lines.emplace_back();
    for (const std::string& cell : row) cells.push_back(shortened(cell, longest_name));
  }
  std::vector<std::size_t> widths(columns.size());
  for (const std::vector<std::string>& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], count_code_points(cells[i]));
    }
  }
  std::string text;
  for (const std::vector<std::string>& cells : lines) text += line(cells, columns, widths);
  return text;
}

}  // namespace fastnorm::tuner
