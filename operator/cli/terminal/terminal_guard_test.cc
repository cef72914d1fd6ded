#include "operator/cli/terminal/terminal_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <ostream>
#include <sstream>

#include "operator/cli/terminal/terminal.h"

namespace ballast::cli {
namespace {

std::string Guarded(const std::vector<std::string>& parts) {
  std::stringbuf terminal;
  GuardedBuffer guard(terminal);
  std::ostream out(&guard);
  for (const std::string& part : parts) {
    out << part;
  }
  out.flush();
  return terminal.str();
}

TEST(GuardedBuffer, KeepsTextLinesAndColours) {
  for (const std::string& text :
       {std::string("NAME  wörk\nweb   好 🙂\n"), std::string("no end of line"),
        std::string("\n\n"),
        Paint(Colour::kRed, "lost") + " and " + Paint(Colour::kBold, "kept") + "\n"}) {
    EXPECT_EQ(Guarded({text}), text);
  }
  // In parts, as streams may write them.
  const std::string green = Paint(Colour::kGreen, "好");
  EXPECT_EQ(Guarded({green.substr(0, 2), green.substr(2, 4), green.substr(6)}), green);
}

TEST(GuardedBuffer, LetsNothingPassThatATerminalObeys) {
  const struct {
    const char* about;
    std::string text;
    std::string shown;
  } kCases[] = {
      {"a cleared screen", "a\x1b[2Jb", "a\uFFFD[2Jb"},
      {"a window's title", "\x1b]0;mine\x07", "\uFFFD]0;mine\uFFFD"},
      {"several colours at once, and what only begins as one", "\x1b[1;31mx\x1b[1",
       "\uFFFD[1;31mx\uFFFD[1"},
      {"a sequence that begins in another", "\x1b\x1b[31\x1b[2J", "\uFFFD\uFFFD[31\uFFFD[2J"},
      {"the same of one character", "\u009b2J\u0090q\u009c", "\uFFFD2J\uFFFDq\uFFFD"},
      {"a byte of that",
       "\x9b"
       "2J",
       "\uFFFD2J"},
      {"the begin of the line", "hidden\rshown\n", "hidden shown\n"},
      {"what goes back", "10\b9\x7f", "10\uFFFD9\uFFFD"},
      {"another direction", "web\u202egnp\u2066x", "web\uFFFDgnp\uFFFDx"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Guarded({c.text}), c.shown) << c.about;
    // Nor in parts.
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < c.text.size(); i += 2) {
      parts.push_back(c.text.substr(i, 2));
    }
    EXPECT_EQ(Guarded(parts), c.shown) << c.about;
  }
}

TEST(GuardedBuffer, FailsAsWhatItWritesTo) {
  std::stringbuf closed(std::ios_base::in);
  GuardedBuffer guard(closed);
  std::ostream out(&guard);
  out << "a line\n";
  EXPECT_TRUE(out.fail());
}

TEST(TerminalGuard, LeavesAPipeAsItIs) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::ostringstream out;
  {
    const TerminalGuard guard(out, ends[1]);
    out << "\x1b[2J";
  }
  EXPECT_EQ(out.str(), "\x1b[2J");
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace ballast::cli
