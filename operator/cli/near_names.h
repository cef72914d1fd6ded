// "Did you mean": the names most like one that does not exist.
//
// Thread-safety: pure function.
#pragma once

#include <string>
#include <vector>

namespace ballast::cli {

// At most three of `names`, the most alike first: by edit distance to `wanted`, of the whole name
// or of its part after the last slash; none that differs in more than a third of its letters.
std::vector<std::string> NearNames(const std::string& wanted, std::vector<std::string> names);

}  // namespace ballast::cli
