// "Did you mean": the names that are most similar to one that does not exist.
//
// Thread-safety: pure function.
// Errors: none.
#pragma once

#include <string>
#include <vector>

namespace ballast::cli {

// At most three of `names`, the most similar first, by edit distance to `wanted` of the whole name
// or of the part after the last slash. Names that differ in more than a third of their letters are
// left out.
std::vector<std::string> NearNames(const std::string& wanted, std::vector<std::string> names);

}  // namespace ballast::cli
