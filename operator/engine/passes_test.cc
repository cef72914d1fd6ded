// Compares the table of passes in docs/engine.md with the passes that run.
#include "operator/engine/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace ballast::engine {
namespace {

template <typename State>
void Add(const std::string& list, std::span<const Pass<State>> passes,
         std::vector<std::string>& rows) {
  for (const Pass<State>& pass : passes) {
    rows.push_back("| " + list + " | " + std::string(pass.name) + " | " +
                   (pass.kinds == Kinds::kPolicies ? "policies" : "all") + " |");
  }
}

// The first three columns of the rows that begin with the name of a list.
std::vector<std::string> DocumentedPasses() {
  const char* folder = std::getenv("BALLAST_TEST_DATA");
  std::ifstream page(std::string(folder == nullptr ? "docs" : folder) + "/engine.md");
  std::vector<std::string> rows;
  for (std::string line; std::getline(page, line);) {
    for (const char* list : {"count", "each metric", "finish", "conclude"}) {
      if (line.starts_with("| " + std::string(list) + " |")) {
        std::size_t end = 0;
        for (int column = 0; column < 3; ++column) {
          end = line.find('|', end + 1);
        }
        rows.push_back(line.substr(0, end + 1));
      }
    }
  }
  return rows;
}

TEST(Passes, AreThoseOfTheirPage) {
  std::vector<std::string> rows;
  Add("count", CountingPasses(), rows);
  Add("each metric", MetricPasses(), rows);
  Add("finish", FinishingPasses(), rows);
  Add("conclude", ConcludingPasses(), rows);
  EXPECT_THAT(DocumentedPasses(), ::testing::ElementsAreArray(rows));
}

}  // namespace
}  // namespace ballast::engine
