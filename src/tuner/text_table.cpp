// SPDX-License-Identifier: Apache-2.0
#include "tuner/text_table.hpp"

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
    const std::size_t room = widths[i] - cells[i].size();
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
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    titles.push_back(column.title);
    widths.push_back(column.title.size());
  }
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text = line(titles, columns, widths);
  for (const std::vector<std::string>& row : rows) text += line(row, columns, widths);
  return text;
}

}  // namespace fastnorm::tuner
