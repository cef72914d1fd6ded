// Aligns columns of text.
//
// Thread-safety: one thread at a time for each Table; Align is a pure function.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ballast::cli {

using Row = std::vector<std::string>;

// Rows that come in parts: a column is as wide as its widest cell so far (columns.h), but the
// last cell of a row is not counted.
class Table {
 public:
  // One line for each row. Rows may differ in length. Lines have no trailing blanks.
  std::string Add(const std::vector<Row>& rows);

 private:
  std::vector<std::size_t> widths_;
};

// A table of which all rows are known.
std::string Align(const std::vector<Row>& rows);

}  // namespace ballast::cli
