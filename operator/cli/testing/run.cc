#include "operator/cli/testing/run.h"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>
#include <utility>

namespace ballast::cli::testing {

Answer Run(AddCommand add, std::vector<std::string> arguments, const std::string& input) {
  Answer answer;
  flags::Command program;
  add(program, answer.status);
  arguments.insert(arguments.begin(), program.subcommands().front()->name());
  std::istringstream in(input);
  std::streambuf* const stdin_buffer = std::cin.rdbuf(in.rdbuf());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const Status parsed = program.Parse(std::move(arguments));
  std::cin.rdbuf(stdin_buffer);
  answer.out = ::testing::internal::GetCapturedStdout();
  answer.error = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(parsed.ok()) << parsed.error().message;
  return answer;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace ballast::cli::testing
