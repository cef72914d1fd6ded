// Aligns columns of text.
//
// Thread-safety: pure function.
// Errors: none.
#pragma once

#include <string>
#include <vector>

namespace ballast::cli {

using Row = std::vector<std::string>;

// One line for each row. Columns are as wide as their widest cell (text_width.h), but the last
// cell of a row is not counted. Rows may differ in length. Lines have no trailing blanks.
std::string Align(const std::vector<Row>& rows);

}  // namespace ballast::cli
