// SPDX-License-Identifier: Apache-2.0
/// Columns as wide as what stands in them.
#pragma once

#include <string>
#include <vector>

namespace fastnorm::tuner {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
};

/// The titles and the rows, a line each, two spaces from column to column. A row has a cell for
/// each column; what a cell quotes is shown as by shortened().
std::string text_table(const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows);

}  // namespace fastnorm::tuner
