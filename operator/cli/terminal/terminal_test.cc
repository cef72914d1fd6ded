#include "operator/cli/terminal/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <iostream>

namespace ballast::cli {
namespace {

// Standard output is a terminal while it lives.
class Terminal {
 public:
  Terminal() : main_(posix_openpt(O_RDWR | O_NOCTTY)), saved_(dup(STDOUT_FILENO)) {
    std::cout.flush();
    grantpt(main_);
    unlockpt(main_);
    const int terminal = open(ptsname(main_), O_RDWR | O_NOCTTY);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
  }
  ~Terminal() {
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
    close(main_);
  }

 private:
  int main_;
  int saved_;
};

TEST(Colour, OnATerminalUnlessTheEnvironmentSaysNo) {
  const struct {
    bool terminal;
    const char* term;
    const char* no_color;
    bool colour;
  } kCases[] = {
      {true, "xterm", nullptr, true},  {true, "xterm", "", true},
      {true, "xterm", "1", false},     {true, "dumb", nullptr, false},
      {true, nullptr, nullptr, false}, {false, "xterm", nullptr, false},
  };
  for (const auto& c : kCases) {
    c.term == nullptr ? unsetenv("TERM") : setenv("TERM", c.term, 1);
    c.no_color == nullptr ? unsetenv("NO_COLOR") : setenv("NO_COLOR", c.no_color, 1);
    bool colour = false;
    if (c.terminal) {
      const Terminal terminal;
      colour = TerminalHasColour();
    } else {
      const int null = open("/dev/null", O_WRONLY);
      const int saved = dup(STDOUT_FILENO);
      dup2(null, STDOUT_FILENO);
      colour = TerminalHasColour();
      dup2(saved, STDOUT_FILENO);
      close(null);
      close(saved);
    }
    EXPECT_EQ(colour, c.colour) << (c.term == nullptr ? "-" : c.term);
  }
  unsetenv("NO_COLOR");
}

TEST(Colour, IsASequence) {
  EXPECT_EQ(Paint(Colour::kRed, "no"), "\x1b[31mno\x1b[0m");
  EXPECT_EQ(Paint(Colour::kNone, "no"), "no");
  EXPECT_EQ(Paint(Colour::kRed, ""), "");
}

}  // namespace
}  // namespace ballast::cli
