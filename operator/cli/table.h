// Columns of text.
//
// Thread-safety: pure function.
#pragma once

#include <string>
#include <vector>

namespace ballast::cli {

using Row = std::vector<std::string>;

// One line each, columns as wide as their widest cell, the last cell of a row as it is. A row may
// have fewer cells than others. No trailing blanks.
std::string Align(const std::vector<Row>& rows);

}  // namespace ballast::cli
