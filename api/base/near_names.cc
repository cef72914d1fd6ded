#include "api/base/near_names.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/base/lower.h"

namespace ballast {
namespace {

constexpr std::size_t kMost = 3;

// The optimal string alignment distance, in which two neighbours swapped are one edit, with three
// rows of the table at a time; more than `most` if it is.
std::size_t Distance(std::string_view a, std::string_view b, std::size_t most) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) {
    return most + 1;  // at once, whatever the length
  }
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> above;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::vector<std::size_t> two_above = std::exchange(above, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({above[j] + (a[i] == b[j] ? 0U : 1U), row[j] + 1, above[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) {
        row[j + 1] = std::min(row[j + 1], two_above[j - 1] + 1);
      }
    }
  }
  return row.back();
}

std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('/') + 1); }

}  // namespace

std::vector<std::string> NearNames(const std::string& wanted, std::vector<std::string> names) {
  // The name without its namespace ranks first: a wrong namespace often comes with the right name.
  std::vector<std::tuple<std::size_t, std::size_t, std::string>> ranked;
  const std::string given = Lower(wanted);
  for (std::string& name : names) {
    const std::string known = Lower(name);
    const std::string_view last = LastPart(known);
    const std::size_t most = known.size() / 3;
    // A long namespace is no excuse for another name.
    const std::size_t most_in_last = std::min(most, std::max(std::size_t{1}, last.size() / 3));
    const auto whole = Distance(given, known, most);
    const auto in_last = Distance(LastPart(given), last, most_in_last);
    if (whole <= most || in_last <= most_in_last) {
      ranked.emplace_back(in_last <= most_in_last ? std::min(whole, in_last) : whole, whole,
                          std::move(name));
    }
  }
  std::ranges::sort(ranked);
  const bool certain = !ranked.empty() && std::get<1>(ranked.front()) == 0;
  std::vector<std::string> near;
  for (auto& [nearest, whole, name] : ranked) {
    if (certain && whole > 0) {
      break;
    }
    if (near.size() < kMost && (near.empty() || near.back() != name)) {
      near.push_back(std::move(name));
    }
  }
  return near;
}

std::string DidYouMean(const std::string& wanted, std::vector<std::string> names) {
  std::string text;
  for (const std::string& near : NearNames(wanted, std::move(names))) {
    text += (text.empty() ? "; did you mean " : " or ") + near;
  }
  return text + (text.empty() ? "" : "?");
}

}  // namespace ballast
