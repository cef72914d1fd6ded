// "Did you mean": the names that are most similar to one that does not exist.
#pragma once

#include <string>
#include <vector>

namespace ballast {

// At most three of `names`, the most similar first, by edit distance to `wanted` of the whole name
// or of the part after the last slash, whatever the case; two neighbours swapped are one edit.
// Names that differ in more than a third of their letters are left out (of the part after the
// slash: of its letters, but one may always), and where one differs in nothing but case, so are all
// others.
std::vector<std::string> NearNames(const std::string& wanted, std::vector<std::string> names);

// The same as a text: "; did you mean history?"; empty if there is none.
std::string DidYouMean(const std::string& wanted, std::vector<std::string> names);

}  // namespace ballast
