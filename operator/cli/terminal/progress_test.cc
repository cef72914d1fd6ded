#include "operator/cli/terminal/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <atomic>
#include <cstdio>

namespace ballast::cli {
namespace {

TEST(Progress, IsALineOnATerminalWhileTheWorkLasts) {
  const int main = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_EQ(grantpt(main), 0);
  ASSERT_EQ(unlockpt(main), 0);
  const int terminal = open(ptsname(main), O_RDWR | O_NOCTTY);
  std::string shown;
  const auto read_until = [&](const std::string& text) {
    while (shown.find(text) == std::string::npos) {
      std::array<char, 100> part{};
      const ssize_t size = read(main, part.data(), part.size());
      ASSERT_GT(size, 0);
      shown.append(part.data(), static_cast<std::size_t>(size));
    }
  };
  {
    const Progress progress([] { return std::string("7 decisions so far"); }, terminal);
    read_until("\r\x1b[K7 decisions so far");
    shown.clear();
  }
  read_until("\r\x1b[K");
  close(terminal);
  close(main);
}

TEST(Progress, IsNothingWhereThereIsNoTerminal) {
  std::atomic<bool> asked = false;
  std::FILE* const file = std::tmpfile();
  {
    const Progress progress([&] { return asked = true, std::string("x"); }, fileno(file));
  }
  EXPECT_FALSE(asked);
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

TEST(Progress, IsAShareOfWhatThereIs) {
  EXPECT_EQ(ShareOf(0, 1), "0% of 1 MB");
  EXPECT_EQ(ShareOf(34'000'000, 340'000'000), "10% of 340 MB");
  EXPECT_EQ(ShareOf(400'000'000, 340'000'000), "100% of 340 MB");
  EXPECT_EQ(ShareOf(0, 0), "100% of 0 MB");
  EXPECT_EQ(ShareCopied("/none", "/none"), "100% of 0 MB");
}

}  // namespace
}  // namespace ballast::cli
