// informer_test.cc, soak_test.cc and http_soak_test.cc test these rules against servers.
#include "operator/runtime/reflector_steps.h"

#include <gtest/gtest.h>

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;

TEST(Advance, AfterAStream) {
  const auto failed = [](Code code) { return Status(Error{code, ""}); };
  struct Case {
    const char* name;
    Streaming state;
    WatchEnd end;
    ReflectorState next;
    bool back_off;
  };
  const Case cases[] = {
      {"ended in time", {}, {"9", 3, 300s}, Watching{"9"}, false},
      {"failed as a watch", {4}, {"9", 3, 9s, failed(Code::kTimeout)}, Watching{"9"}, true},
      {"410 as a watch", {}, {"9", 3, 9s, failed(Code::kGone)}, Streaming{}, true},
      {"ended too early", {}, {"", 3, 9s}, Listing{}, false},
      {"not supported", {}, {"", 0, 0s, failed(Code::kInvalid)}, Listing{}, false},
      {"no end bookmark", {}, {"", 3, 100s, failed(Code::kTimeout)}, Listing{}, false},
      {"unreachable", {}, {"", 0, 0s, failed(Code::kUnavailable)}, Streaming{1}, true},
      {"unreachable for long", {4}, {"", 0, 0s, failed(Code::kUnavailable)}, Listing{}, true},
      {"429: as often as needed", {4}, {"", 0, 0s, failed(Code::kThrottled)}, Streaming{4}, true},
  };
  for (const Case& c : cases) {
    const Transition step = Advance(c.state, c.end);
    EXPECT_EQ(step.state, c.next) << c.name;
    EXPECT_EQ(step.back_off, c.back_off) << c.name;
  }
}

TEST(Advance, AfterAPage) {
  struct Case {
    const char* name;
    Listing state;
    Result<PageEnd> page;
    ReflectorState next;
    bool back_off;
  };
  const Case cases[] = {
      {"more pages", {}, PageEnd{"7", "c1"}, Listing{"c1", false, 1}, false},
      {"the last page", {"c1"}, PageEnd{"7", ""}, Watching{"7"}, false},
      {"410: the rest of the list is gone",
       {"c1"},
       Error{Code::kGone, ""},
       Listing{"", true},
       true},
      {"410 on the whole list", {"", true}, Error{Code::kGone, ""}, Listing{"", true}, true},
      {"unreachable: the same page again",
       {"c1"},
       Error{Code::kUnavailable, ""},
       Listing{"c1"},
       true},
      {"unreachable: whoever comes may have streams",
       {},
       Error{Code::kUnavailable, ""},
       Streaming{},
       true},
      {"forbidden", {}, Error{Code::kForbidden, ""}, Listing{}, true},
      {"garbage: from the start", {"c1"}, Error{Code::kCorrupt, ""}, Listing{}, true},
  };
  for (const Case& c : cases) {
    const Transition step = Advance(c.state, c.page);
    EXPECT_EQ(step.state, c.next) << c.name;
    EXPECT_EQ(step.back_off, c.back_off) << c.name;
  }
}

TEST(Advance, AfterAWatch) {
  const auto failed = [](Code code) { return Status(Error{code, ""}); };
  struct Case {
    const char* name;
    Watching state;
    WatchEnd end;
    ReflectorState next;
    bool back_off;
  };
  const Case cases[] = {
      {"ended in time", {"5"}, {"9", 3, 300s}, Watching{"9"}, false},
      {"ended in time without an event", {"5"}, {"5", 0, 300s}, Watching{"5"}, false},
      {"ended at once without an event", {"5"}, {"5", 0, 10ms}, Watching{"5"}, true},
      {"ended at once, but told something", {"5"}, {"6", 1, 10ms}, Watching{"6"}, false},
      {"410", {"5"}, {"5", 0, 1s, failed(Code::kGone)}, Streaming{}, true},
      {"410 after events", {"5"}, {"9", 3, 1s, failed(Code::kGone)}, Streaming{}, true},
      {"429: as often as needed",
       {"5", 4},
       {"5", 0, 0s, failed(Code::kThrottled)},
       Watching{"5", 4},
       true},
      {"unreachable: as often as needed",
       {"5", 4},
       {"5", 0, 0s, failed(Code::kUnavailable)},
       Watching{"5", 4},
       true},
      {"silent", {"5", 4}, {"5", 0, 150s, failed(Code::kTimeout)}, Watching{"5", 4}, true},
      {"refused by others",
       {"5", 4},
       {"5", 0, 1s, failed(Code::kForbidden)},
       Watching{"5", 4},
       true},
      {"told an error",
       {"5"},
       {"5", 0, 1s, failed(Code::kUnavailable), true},
       Watching{"5", 1},
       true},
      {"told one each time",
       {"5", 4},
       {"5", 0, 1s, failed(Code::kUnavailable), true},
       Streaming{},
       true},
      {"events between errors",
       {"5", 4},
       {"6", 1, 9s, failed(Code::kUnavailable), true},
       Watching{"6", 1},
       true},
      {"garbage", {"5"}, {"6", 1, 9s, failed(Code::kCorrupt)}, Streaming{}, true},
      {"the kind is gone", {"5"}, {"5", 0, 0s, failed(Code::kNotFound)}, Streaming{}, true},
  };
  for (const Case& c : cases) {
    const Transition step = Advance(c.state, c.end);
    EXPECT_EQ(step.state, c.next) << c.name;
    EXPECT_EQ(step.back_off, c.back_off) << c.name;
  }
}

TEST(Advance, HonoursRetryAfter) {
  const Error throttled{Code::kThrottled, "", 7s};
  EXPECT_EQ(Advance(Streaming{}, WatchEnd{.status = throttled}).at_least, 7s);
  EXPECT_EQ(Advance(Listing{}, throttled).at_least, 7s);
  EXPECT_EQ(Advance(Watching{"5"}, WatchEnd{.status = throttled}).at_least, 7s);
}

}  // namespace
}  // namespace ballast::runtime
