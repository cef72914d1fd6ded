#include "operator/kube/http/line_framer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ballast::kube {
namespace {

using testing::ElementsAre;

struct Collected {
  std::vector<std::string> lines;
  LineSink Sink() {
    return [this](std::string_view line) -> Status {
      lines.emplace_back(line);
      return Done{};
    };
  }
};

TEST(LineFramer, GivesTheSameLinesHoweverTheBytesArrive) {
  const std::string bytes = "one\ntwo\r\n\nthree and more\nhalf";
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    LineFramer framer(100);
    Collected collected;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      ASSERT_TRUE(framer.Feed(std::string_view(bytes).substr(at, step), collected.Sink()).ok());
    }
    EXPECT_THAT(collected.lines, ElementsAre("one", "two", "three and more")) << step;
  }
}

TEST(LineFramer, RefusesALineThatNeverEnds) {
  LineFramer framer(8);
  Collected collected;
  ASSERT_TRUE(framer.Feed("12345678", collected.Sink()).ok());
  const Status status = framer.Feed("9", collected.Sink());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kCorrupt);
}

TEST(LineFramer, StopsAtTheSinksError) {
  LineFramer framer(100);
  int calls = 0;
  const Status status = framer.Feed("a\nb\n", [&](std::string_view) -> Status {
    ++calls;
    return Error{Code::kGone, "enough"};
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kGone);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace ballast::kube
