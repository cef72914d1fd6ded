// Reads vectors (one a line) from standard input, lets the engine decide their snapshots, and says
// where it differs from what is expected; of the vectors that differ, the shortest is shown. Ends
// with "N of M equal" and status 0 if all are.
#include <iostream>
#include <string>

#include "tests/conformance/check.h"

namespace ballast::testing {
namespace {

std::string Describe(const Result<Check>& check) {
  if (!check.ok()) {
    return check.error().message;
  }
  std::string text = check->id;
  for (const std::string& difference : check->differences) {
    text += "\n" + difference;
  }
  return text;
}

int Run() {
  explain::DecisionStream stream(engine::Tracing::kOff);
  std::size_t total = 0;
  std::size_t equal = 0;
  std::string shortest;
  std::string about;
  for (std::string line; std::getline(std::cin, line); ++total) {
    const auto check = CheckVector(line, stream);
    if (check.ok() && check->differences.empty()) {
      ++equal;
    } else if (shortest.empty() || line.size() < shortest.size()) {
      shortest = line;
      about = Describe(check);
    }
  }
  if (!shortest.empty()) {
    std::cout << shortest << "\n" << about << "\n";
  }
  std::cout << equal << " of " << total << " equal\n";
  return equal == total && total > 0 ? 0 : 1;
}

}  // namespace
}  // namespace ballast::testing

int main() { return ballast::testing::Run(); }
