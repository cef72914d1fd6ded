#include "operator/cli/terminal/table.h"

#include <algorithm>

#include "operator/cli/terminal/columns.h"

namespace ballast::cli {

std::string Table::Add(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    widths_.resize(std::max(widths_.size(), row.size()));
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      widths_[i] = std::max(widths_[i], WidthOf(row[i]));
    }
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i + 1 < row.size() ? PadTo(row[i], widths_[i] + 2) : row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string Align(const std::vector<Row>& rows) { return Table().Add(rows); }

}  // namespace ballast::cli
