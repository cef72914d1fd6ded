// For tests: reads tables that upstream's own code generated (see testdata/README.md).
//
// Errors: a table that cannot be read, or is empty, fails the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace ballast {

// The rows of BALLAST_TEST_DATA/<name>, split at tabs, without the lines that begin with '#'.
inline std::vector<std::vector<std::string>> ReadTable(const std::string& name) {
  const char* directory = std::getenv("BALLAST_TEST_DATA");
  EXPECT_NE(directory, nullptr) << "run it by ctest, or set BALLAST_TEST_DATA to api/testdata";
  std::ifstream file(std::string(directory != nullptr ? directory : "api/testdata") + "/" + name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) {
      continue;
    }
    std::vector<std::string>& row = rows.emplace_back(1);
    for (const char c : line) {
      if (c == '\t') {
        row.emplace_back();
      } else {
        row.back() += c;
      }
    }
  }
  EXPECT_FALSE(rows.empty()) << name;
  return rows;
}

}  // namespace ballast
