#include "operator/cli/testing/run.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>

namespace ballast::cli::testing {

Answer Run(AddCommand add, std::vector<std::string> arguments, const std::string& input) {
  Answer answer;
  CLI::App program;
  add(program, answer.status);
  arguments.insert(arguments.begin(), program.get_subcommands({}).front()->get_name());
  std::reverse(arguments.begin(), arguments.end());  // CLI11 parses from the back
  std::istringstream in(input);
  std::streambuf* const stdin_buffer = std::cin.rdbuf(in.rdbuf());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  program.parse(arguments);
  std::cin.rdbuf(stdin_buffer);
  answer.out = ::testing::internal::GetCapturedStdout();
  answer.error = ::testing::internal::GetCapturedStderr();
  return answer;
}

}  // namespace ballast::cli::testing
