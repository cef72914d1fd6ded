// Tests an informer against a scripted server: each call takes the next answer. A watch stays
// silent after the end of the script until the informer stops.
#include "operator/runtime/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"
#include "tests/support/fresh_name.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointee;

// One answer of the server: a page, the lines of a watch and how it ends, or an error.
struct Answer {
  std::string page;
  std::vector<std::string> lines;
  Status end = Done{};
  std::chrono::seconds pause{0};            // before the last line
  std::function<void()> meanwhile = [] {};  // before a page
};

std::string Object(const std::string& name, int version, const std::string& value,
                   const std::string& uid = "u") {
  return R"({"metadata":{"namespace":"n","name":")" + name + R"(","uid":")" + uid +
         R"(","resourceVersion":")" + std::to_string(version) + R"("},"value":)" + value + "}";
}

std::string Page(int version, const std::vector<std::string>& items,
                 const std::string& continue_token = "") {
  std::string page = R"({"metadata":{"resourceVersion":")" + std::to_string(version) +
                     R"(","continue":")" + continue_token + R"("},"items":[)";
  for (const std::string& item : items) {
    page += (page.back() == '[' ? "" : ",") + item;
  }
  return page + "]}";
}

std::string Line(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}";
}

// Ends the initial events of a stream.
std::string EndBookmark(int version) {
  return Line("BOOKMARK", R"({"metadata":{"resourceVersion":")" + std::to_string(version) +
                              R"(","annotations":{"k8s.io/initial-events-end":"true"}}})");
}

const std::string kExpired =
    R"({"kind":"Status","code":410,"reason":"Expired","message":"too old resource version"})";

class InformerTest : public testing::Test {
 protected:
  // Uses the clock, so that a test can wait until the sleep has begun.
  void SleepUntil(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable wake;
    const std::stop_callback on_stop(stop, [&] {
      const std::lock_guard lock(mutex);
      wake.notify_all();
    });
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      clock_.WaitUntil(lock, wake, clock_.Steady() + 1'000'000h);
    }
  }

  using TestInformer = Informer<std::string>;

  ~InformerTest() override { informer_.Stop(); }

  void Start(std::vector<Answer> script) {
    for (Answer& answer : script) {
      script_.Push(std::move(answer));
    }
    informer_.AddHandler([this](const TestInformer::Change& change) {
      const auto text = [](const auto& value) { return value ? *value : std::string("-"); };
      changes_.Push(change.key.name + ": " + text(change.before) + " > " + text(change.after));
    });
    informer_.Start();
  }

  // The next change that the handler sees.
  std::string NextChange() { return changes_.Pop().value_or("nothing"); }

  // The next call: "list limit=500 continue=c1", "watch 7" or "stream".
  std::string NextCall() {
    const auto request = calls_.Pop();
    if (!request) {
      return "no call";
    }
    const auto value = [&](const char* name) { return support::QueryOf(*request, name); };
    if (value("sendInitialEvents") == "true") {
      EXPECT_EQ(value("resourceVersionMatch"), "NotOlderThan");
      EXPECT_EQ(value("allowWatchBookmarks"), "true");
      EXPECT_EQ(value("resourceVersion"), "-");
      return "stream";
    }
    return value("watch") == "true"
               ? "watch " + value("resourceVersion")
               : "list limit=" + value("limit") + " continue=" + value("continue");
  }

  bool streams_ = false;  // if not, requests for a stream take nothing from the script
  support::Channel<Answer> script_;
  support::Channel<kube::Request> calls_;
  support::Channel<std::string> changes_;
  support::FakeClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) -> Result<kube::Response> {
                                      calls_.Push(request);
                                      if (script_.empty()) {
                                        return Error{Code::kUnavailable, "the script has ended"};
                                      }
                                      const Answer answer = *script_.Pop();
                                      answer.meanwhile();
                                      if (!answer.end.ok()) {
                                        return answer.end.error();
                                      }
                                      return kube::Response{200, answer.page};
                                    },
                                    [this](const kube::Request& request, const kube::LineSink& sink,
                                           const std::stop_token& stop) -> Status {
                                      if (!streams_) {
                                        TRY(support::RefuseStream(request));
                                      }
                                      calls_.Push(request);
                                      if (script_.empty()) {
                                        SleepUntil(stop);
                                        return Done{};
                                      }
                                      const Answer answer = *script_.Pop();
                                      for (const std::string& line : answer.lines) {
                                        if (&line == &answer.lines.back()) {
                                          clock_.Advance(answer.pause);
                                        }
                                        TRY(sink(line));
                                      }
                                      return answer.end;
                                    }};
  TestInformer informer_{transport_,
                         clock_,
                         {.resource = {.group = "", .version = "v1", .plural = "things"}},
                         ByCursor<std::string>([](const json::Cursor& object) {
                           std::string value;
                           object.Required("value").Read(value);
                           return value;
                         })};
};

TEST_F(InformerTest, ListsAllPagesThenWatches) {
  EXPECT_FALSE(informer_.HasSynced());
  Start({{.page = Page(5, {Object("a", 1, R"("A")")}, "c1")},
         {.page = Page(5, {Object("b", 2, R"("B")")})},
         {.lines = {Line("ADDED", Object("c", 6, R"("C")")),
                    Line("MODIFIED", Object("a", 7, R"("AA")")),
                    Line("DELETED", Object("b", 8, R"("B")"))}}});
  ASSERT_TRUE(informer_.WaitForSync(10s));
  EXPECT_EQ(NextChange(), "a: - > A");
  EXPECT_EQ(NextChange(), "b: - > B");
  EXPECT_EQ(NextChange(), "c: - > C");
  EXPECT_EQ(NextChange(), "a: A > AA");
  EXPECT_EQ(NextChange(), "b: B > -");
  EXPECT_EQ(NextCall(), "list limit=500 continue=-");
  EXPECT_EQ(NextCall(), "list limit=500 continue=c1");
  EXPECT_EQ(NextCall(), "watch 5");
  EXPECT_EQ(NextCall(), "watch 8") << "a watch that ended is resumed, without a list";
  EXPECT_THAT(informer_.cache().List(),
              ElementsAre(Pointee(std::string("AA")), Pointee(std::string("C"))));
}

TEST_F(InformerTest, AListThatWouldNeverEndBeginsAgainAfterAPause) {
  Start(std::vector<Answer>(kube::kMostPages, {.page = Page(5, {}, "again")}));
  EXPECT_EQ(NextCall(), "list limit=500 continue=-");
  for (int i = 1; i < kube::kMostPages; ++i) {
    ASSERT_EQ(NextCall(), "list limit=500 continue=again");
  }
  clock_.Advance(clock_.AwaitSleeper());
  EXPECT_EQ(NextCall(), "list limit=500 continue=-");
}

TEST_F(InformerTest, SyncedMeansThatTheHandlersHaveBeenTold) {
  Start({{.page = Page(5, {Object("a", 1, R"("A")")})}});
  ASSERT_TRUE(informer_.WaitForSync(10s));
  EXPECT_FALSE(changes_.empty());
}

TEST_F(InformerTest, BookmarksOnlyMoveThePointToResumeFrom) {
  Start({{.page = Page(5, {})},
         {.lines = {Line("BOOKMARK", R"({"metadata":{"resourceVersion":"90"}})")}}});
  NextCall();
  EXPECT_EQ(NextCall(), "watch 5");
  EXPECT_EQ(NextCall(), "watch 90");
  EXPECT_EQ(informer_.cache().size(), 0U);
}

TEST_F(InformerTest, A410InALaterPageBeginsTheListAgainWholeAndMixesNothing) {
  Start({{.page = Page(5, {Object("a", 1, R"("A")")}, "c1")},
         {.end = Error{Code::kGone, "continue token expired"}},
         {.page = Page(9, {Object("b", 2, R"("B")")})}});
  EXPECT_EQ(NextCall(), "list limit=500 continue=-");
  EXPECT_EQ(NextCall(), "list limit=500 continue=c1");
  clock_.Advance(clock_.AwaitSleeper());
  EXPECT_EQ(NextCall(), "list limit=- continue=-");
  EXPECT_EQ(NextCall(), "watch 9");
  EXPECT_EQ(NextChange(), "b: - > B") << "\"a\" was of the list that was cut off";
}

TEST_F(InformerTest, A410InAWatchListsAgainAndTellsTheDifference) {
  Start({{.page = Page(5, {Object("gone", 1, R"("G")"), Object("same", 2, R"("S")"),
                           Object("changed", 3, R"("C")")})},
         {.lines = {Line("ERROR", kExpired)}},
         {.page = Page(50, {Object("same", 2, R"("S")"), Object("changed", 9, R"("CC")"),
                            Object("new", 8, R"("N")")})}});
  for (int i = 0; i < 3; ++i) {
    NextChange();
  }
  clock_.Advance(clock_.AwaitSleeper());
  EXPECT_EQ(NextChange(), "gone: G > -");
  EXPECT_EQ(NextChange(), "changed: C > CC");
  EXPECT_EQ(NextChange(), "new: - > N");
  for (const char* call :
       {"list limit=500 continue=-", "watch 5", "list limit=500 continue=-", "watch 50"}) {
    EXPECT_EQ(NextCall(), call);
  }
  EXPECT_TRUE(changes_.empty()) << "\"same\" has not changed";
}

TEST_F(InformerTest, AnObjectMadeAnewUnderItsNameIsDeletedAndAdded) {
  Start({{.page = Page(5, {Object("a", 1, R"("old")", "u1")})},
         {.lines = {Line("ERROR", kExpired)}},
         {.page = Page(9, {Object("a", 8, R"("new")", "u2")})}});
  EXPECT_EQ(NextChange(), "a: - > old");
  clock_.Advance(clock_.AwaitSleeper());
  EXPECT_EQ(NextChange(), "a: old > -");
  EXPECT_EQ(NextChange(), "a: - > new");
}

TEST_F(InformerTest, StreamsEverythingThenWatchesOn) {
  streams_ = true;
  Start(
      {{.lines = {Line("ADDED", Object("a", 9, R"("A")")), Line("ADDED", Object("b", 2, R"("B")")),
                  Line("MODIFIED", Object("a", 10, R"("AA")")),
                  Line("DELETED", Object("b", 11, R"("B")")), EndBookmark(12),
                  Line("ADDED", Object("c", 13, R"("C")"))}}});
  ASSERT_TRUE(informer_.WaitForSync(10s));
  EXPECT_EQ(NextChange(), "a: - > AA") << "told once, as it was at the end";
  EXPECT_EQ(NextChange(), "c: - > C");
  EXPECT_EQ(NextCall(), "stream");
  EXPECT_EQ(NextCall(), "watch 13");
}

TEST_F(InformerTest, AStreamThatIsRefusedBecomesAList) {
  streams_ = true;
  Start({{.end = Error{Code::kInvalid, "sendInitialEvents: Forbidden"}},
         {.page = Page(5, {Object("a", 1, R"("A")")})}});
  EXPECT_EQ(NextChange(), "a: - > A");
  for (const char* call : {"stream", "list limit=500 continue=-", "watch 5"}) {
    EXPECT_EQ(NextCall(), call);
  }
}

// A server that ignores sendInitialEvents sends all objects, but never the bookmark after them.
TEST_F(InformerTest, AStreamThatNeverEndsItsBeginningBecomesAList) {
  streams_ = true;
  const std::string a = Line("ADDED", Object("a", 1, R"("A")"));
  const std::string bookmark = Line("BOOKMARK", R"({"metadata":{"resourceVersion":"3"}})");
  Start({{.lines = {a, bookmark}, .end = Error{Code::kTimeout, "silent"}},
         {.page = Page(5, {})},
         {.lines = {Line("ERROR", kExpired)}},
         {.lines = {a, a}, .pause = 61s},
         {.page = Page(6, {})}});
  EXPECT_EQ(NextCall(), "stream");
  EXPECT_EQ(NextCall(), "list limit=500 continue=-") << "it fell silent";
  EXPECT_EQ(NextCall(), "watch 5");
  clock_.Advance(clock_.AwaitSleeper());
  EXPECT_EQ(NextCall(), "stream");
  EXPECT_EQ(NextCall(), "list limit=500 continue=-") << "it went on for ever";
  EXPECT_EQ(NextCall(), "watch 6");
  EXPECT_TRUE(changes_.empty());
}

// The transport ends a silence by itself. The timeout shrinks with each line before the end of the
// initial events, so that bookmarks do not delay the list.
TEST_F(InformerTest, TheBeginningOfAStreamIsShortWhateverComesMeanwhile) {
  constexpr auto kBetween = 25s;
  std::vector<std::chrono::milliseconds> allowed;
  bool ends = false;
  support::FakeTransport transport(
      [](const kube::Request&) -> Result<kube::Response> {
        return Error{Code::kUnavailable, "no list"};
      },
      [&](const kube::Request& request, const kube::LineSink& sink,
          const std::stop_token&) -> Status {
        allowed.push_back(request.timeout);
        for (int line = 0; line < 3 && request.timeout > kBetween; ++line) {
          clock_.Advance(kBetween);
          TRY(sink(ends ? EndBookmark(5)
                        : Line("BOOKMARK", R"({"metadata":{"resourceVersion":"3"}})")));
          allowed.push_back(request.timeout);
        }
        calls_.Push(request);
        return Error{Code::kTimeout, "silent"};
      });
  const auto run = [&] {
    allowed.clear();
    TestInformer informer(transport, clock_, {.resource = {.plural = "things"}},
                          ByCursor<std::string>([](const json::Cursor&) { return ""; }));
    informer.Start();
    EXPECT_TRUE(calls_.Pop());
  };
  run();
  EXPECT_THAT(allowed, ElementsAre(60s, 35s, 10s));
  ends = true;
  run();
  EXPECT_THAT(allowed, ElementsAre(60s, 100s, 100s, 100s)) << "from then on it is a watch";
}

// A defect that reading an object triggers must not end the program.
TEST_F(InformerTest, SurvivesAReaderThatThrows) {
  for (const bool streams : {false, true}) {
    streams_ = streams;
    bool broken = true;
    TestInformer informer(transport_, clock_, {.resource = {.plural = "things"}},
                          [&](std::string_view) -> Result<ReadObject<std::string>> {
                            if (broken) {
                              throw std::runtime_error("a defect");
                            }
                            return ReadObject<std::string>{{{"n", "a"}, "u", "1"}, std::string()};
                          });
    if (streams) {
      script_.Push({.lines = {Line("ADDED", "{}")}});
    }
    script_.Push({.page = Page(5, {"{}"})});
    informer.Start();
    const auto wait = clock_.AwaitSleeper();
    broken = false;
    script_.Push({.page = Page(6, {"{}"})});
    clock_.Advance(wait);
    EXPECT_TRUE(informer.WaitForSync(10s));
  }
}

TEST_F(InformerTest, AStreamThatBreaksOffBeginsAnewAndMixesNothing) {
  streams_ = true;
  Start({{.lines = {Line("ADDED", Object("gone", 1, R"("G")"))},
          .end = Error{Code::kUnavailable, "reset"}},
         {.lines = {Line("ADDED", Object("a", 2, R"("A")")), EndBookmark(5),
                    Line("ERROR", kExpired)}},
         {.lines = {Line("ADDED", Object("b", 8, R"("B")")), EndBookmark(9)}}});
  clock_.Advance(clock_.AwaitSleeper());
  EXPECT_EQ(NextChange(), "a: - > A");
  clock_.Advance(clock_.AwaitSleeper());
  EXPECT_EQ(NextChange(), "a: A > -");
  EXPECT_EQ(NextChange(), "b: - > B");
  for (const char* call : {"stream", "stream", "stream", "watch 9"}) {
    EXPECT_EQ(NextCall(), call);
  }
}

// A stream, a page and a watch are refused, and a watch that has begun is throttled.
TEST_F(InformerTest, WaitsAsLongAsTheServerAsks) {
  const Status slow = Error{Code::kThrottled, "slow down", 45s};
  const std::string throttled =
      R"({"code":429,"reason":"TooManyRequests","details":{"retryAfterSeconds":45}})";
  streams_ = true;
  Start({{.end = slow},
         {.end = Error{Code::kInvalid, "sendInitialEvents: Forbidden"}},
         {.end = slow},
         {.page = Page(5, {})},
         {.end = slow},
         {.lines = {Line("ADDED", Object("a", 6, R"("A")")), Line("ERROR", throttled)}}});
  const struct {
    const char* call;
    bool refused;
  } kCalls[] = {{"stream", true},
                {"stream", false},
                {"list limit=500 continue=-", true},
                {"list limit=500 continue=-", false},
                {"watch 5", true},
                {"watch 5", true}};
  for (const auto& c : kCalls) {
    EXPECT_EQ(NextCall(), c.call);
    if (c.refused) {
      EXPECT_EQ(clock_.AwaitSleeper(), 45s);
      clock_.Advance(45s);
    }
  }
  EXPECT_EQ(NextCall(), "watch 6") << "it goes on where it stopped";
}

// The server is asked to end each watch at another time, and its silence is noticed.
TEST_F(InformerTest, AsksForWhatItIsToFollow) {
  const WatchSource source{.resource = {.group = "g", .version = "v1", .plural = "things"},
                           .namespace_ = "shop",
                           .label_selector = "a=b",
                           .field_selector = "c=d",
                           .idle_timeout = 70s,
                           .list_timeout = 8s,
                           .watch_timeout = 100s};
  TestInformer informer(transport_, clock_, source,
                        ByCursor<std::string>([](const json::Cursor&) { return ""; }));
  constexpr int kWatches = 20;
  script_.Push({.page = Page(5, {})});
  for (int i = 0; i < kWatches; ++i) {
    script_.Push({.lines = {Line("BOOKMARK", R"({"metadata":{"resourceVersion":"9"}})")}});
  }
  informer.Start();
  const auto list = calls_.Pop();
  ASSERT_TRUE(list);
  EXPECT_EQ(list->timeout, 8s);
  std::set<std::string> ends;
  for (int i = 0; i < kWatches; ++i) {
    const auto watch = calls_.Pop();
    ASSERT_TRUE(watch);
    EXPECT_EQ(watch->path, "/apis/g/v1/namespaces/shop/things");
    EXPECT_EQ(watch->path, list->path);
    EXPECT_EQ(watch->timeout, 70s);
    for (const kube::Request* request : {&*list, &*watch}) {
      EXPECT_EQ(support::QueryOf(*request, "labelSelector"), "a=b");
      EXPECT_EQ(support::QueryOf(*request, "fieldSelector"), "c=d");
    }
    const std::string seconds = support::QueryOf(*watch, "timeoutSeconds");
    EXPECT_THAT(std::stoi(seconds), testing::AllOf(testing::Ge(100), testing::Lt(200)));
    ends.insert(seconds);
  }
  EXPECT_GT(ends.size(), 1U);
}

TEST_F(InformerTest, GarbageInAWatchListsAgain) {
  Start({{.page = Page(5, {})}, {.lines = {"{\"type\":"}}, {.page = Page(9, {})}});
  NextCall();
  NextCall();
  clock_.Advance(clock_.AwaitSleeper());
  EXPECT_EQ(NextCall(), "list limit=500 continue=-");
}

TEST_F(InformerTest, WhatIsLargerThanAnyObjectIsNotParsed) {
  const std::string large(kube::kOneObject.bytes, ' ');
  Start({{.page = R"({"metadata":{)" + large + R"("resourceVersion":"4"},"items":[]})"},
         {.page = Page(5, {Object("a", 1, large + R"("A")")})},
         {.page = Page(6, {})},
         {.lines = {Line("ADDED", Object("a", 7, large + R"("A")"))}},
         {.page = Page(8, {Object("b", 8, R"("B")")})}});
  for (int i = 0; i < 3; ++i) {
    clock_.Advance(clock_.AwaitSleeper());
  }
  EXPECT_EQ(NextChange(), "b: - > B");
}

TEST_F(InformerTest, AnObjectThatCannotBeDecodedKeepsItsLastGoodVersion) {
  const std::string bad = support::FreshName("b");
  testing::internal::CaptureStderr();
  Start({{.page = Page(5, {Object("a", 1, R"("A")"), Object(bad, 2, "7")})},
         {.lines = {Line("MODIFIED", Object("a", 6, "[]")), Line("ERROR", kExpired)}},
         {.page = Page(9, {Object("a", 6, "[]"), Object("c", 8, R"("C")")})}});
  EXPECT_EQ(NextChange(), "a: - > A");
  clock_.Advance(clock_.AwaitSleeper());
  EXPECT_EQ(NextChange(), "c: - > C");
  EXPECT_THAT(informer_.cache().Get({"n", "a"}), Pointee(std::string("A")));
  informer_.Stop();
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      HasSubstr(R"("object":"n/)" + bad + R"(","error":"value: expected a string, got a number")"));
}

TEST_F(InformerTest, DoesNotSyncWhileTheServerIsAway) {
  Start({});
  std::jthread time([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      clock_.Advance(1s);
      std::this_thread::yield();
    }
  });
  EXPECT_FALSE(informer_.WaitForSync(2min));
}

TEST_F(InformerTest, TellsWhenAnythingWasLastHeard) {
  EXPECT_FALSE(informer_.LastHeard());
  const process::SteadyTime start = clock_.Steady();
  Start({{.page = Page(5, {Object("a", 1, R"("A")")}, "c1")},
         {.end = Error{Code::kUnavailable, "refused"}},
         {.page = Page(5, {})},
         {.lines = {Line("BOOKMARK", R"({"metadata":{"resourceVersion":"9"}})")}, .pause = 60s},
         {.lines = {Line("ERROR", kExpired)}, .pause = 40s},
         {.page = Page(50, {})}});
  const auto first = clock_.AwaitSleeper();
  EXPECT_FALSE(informer_.LastHeard()) << "half a list";
  clock_.Advance(first);
  EXPECT_EQ(NextCall(), "list limit=500 continue=-");
  EXPECT_EQ(NextCall(), "list limit=500 continue=c1");
  EXPECT_EQ(NextCall(), "list limit=500 continue=c1");
  EXPECT_EQ(NextCall(), "watch 5");
  EXPECT_EQ(NextCall(), "watch 9");
  const auto second = clock_.AwaitSleeper();
  EXPECT_EQ(informer_.LastHeard(), start + first + 60s) << "an error is no news";
  EXPECT_EQ(informer_.LastRead(), start + first);
  clock_.Advance(second);
  EXPECT_EQ(NextCall(), "list limit=500 continue=-");
  EXPECT_EQ(NextCall(), "watch 50");
  EXPECT_EQ(informer_.LastHeard(), start + first + 100s + second);
  EXPECT_EQ(informer_.LastRead(), informer_.LastHeard());
}

// What it sends is kept only once all objects have come.
TEST_F(InformerTest, TheBeginningOfAStreamIsNotHeardBeforeItsEnd) {
  streams_ = true;
  Start({{.lines = {Line("ADDED", Object("a", 9, R"("A")"))},
          .end = Error{Code::kUnavailable, "reset"}},
         {.lines = {Line("ADDED", Object("a", 9, R"("A")")), EndBookmark(12)}, .pause = 7s}});
  const auto wait = clock_.AwaitSleeper();
  EXPECT_FALSE(informer_.LastHeard());
  const process::SteadyTime before = clock_.Steady();
  clock_.Advance(wait);
  ASSERT_TRUE(informer_.WaitForSync(10s));
  EXPECT_EQ(NextCall(), "stream");
  EXPECT_EQ(NextCall(), "stream");
  EXPECT_EQ(NextCall(), "watch 12");
  EXPECT_EQ(informer_.LastHeard(), before + wait + 7s);
}

TEST_F(InformerTest, ReadsEverythingAgainWhenAsked) {
  EXPECT_FALSE(informer_.Reread()) << "nothing was read yet";
  Start({{.page = Page(5, {Object("gone", 1, R"("G")")})}});
  EXPECT_EQ(NextChange(), "gone: - > G");
  EXPECT_EQ(NextCall(), "list limit=500 continue=-");
  EXPECT_EQ(NextCall(), "watch 5");
  clock_.AwaitSleeper();  // the watch is silent
  script_.Push({.page = Page(9, {Object("a", 8, R"("A")")})});
  EXPECT_TRUE(informer_.Reread());
  EXPECT_EQ(NextChange(), "gone: G > -");
  EXPECT_EQ(NextChange(), "a: - > A");
  EXPECT_EQ(NextCall(), "list limit=500 continue=-");
  EXPECT_EQ(NextCall(), "watch 9");
  clock_.AwaitSleeper();
  clock_.Advance(Reflector::kRereadPeriod - 1ns);
  EXPECT_FALSE(informer_.Reread()) << "so soon";
  clock_.Advance(1ns);
  script_.Push({.page = Page(11, {})});
  EXPECT_TRUE(informer_.Reread());
  EXPECT_EQ(NextChange(), "a: A > -");
}

// However soon after another time, and whatever is being read.
TEST_F(InformerTest, ReadsAnewWhatMayHaveChangedSince) {
  process::SteadyTime since;
  const auto read_anew = [&] {
    clock_.Advance(1s);
    since = clock_.Steady();
    informer_.ReadAnew();
  };
  Start({{.page = Page(5, {Object("a", 1, R"("A")")}, "c1")},
         {.page = Page(5, {}), .meanwhile = read_anew},
         {.page = Page(9, {Object("a", 8, R"("AA")")})}});
  EXPECT_EQ(NextCall(), "list limit=500 continue=-");
  EXPECT_EQ(NextCall(), "list limit=500 continue=c1");
  EXPECT_EQ(NextCall(), "list limit=500 continue=-") << "the first list began before";
  EXPECT_EQ(NextCall(), "watch 9");
  EXPECT_TRUE(informer_.WaitForSync(0s, since));
  EXPECT_FALSE(informer_.WaitForSync(0s, since + 1ns));
  EXPECT_EQ(NextChange(), "a: - > A");
  EXPECT_EQ(NextChange(), "a: A > AA");
  clock_.AwaitSleeper();  // the watch is silent
  script_.Push({.page = Page(11, {})});
  read_anew();
  EXPECT_EQ(NextChange(), "a: AA > -");
  EXPECT_TRUE(informer_.WaitForSync(10s, since));
}

TEST_F(InformerTest, TellsWhatGoesOn) {
  const auto await = [this](const std::string& state) {
    while (informer_.DebugState().state != state) {
      std::this_thread::yield();
    }
    return informer_.DebugState();
  };
  const auto before = informer_.DebugState();
  EXPECT_EQ(before.state, "not started");
  EXPECT_FALSE(before.heard_at);
  EXPECT_FALSE(before.last_error);
  Start({{.page = "", .lines = {}, .end = Error{Code::kForbidden, "no\033right"}}});
  const auto failed = await("backing off");
  ASSERT_TRUE(failed.last_error);
  EXPECT_EQ(failed.last_error->code, "Forbidden");
  EXPECT_EQ(failed.last_error->message, "no\uFFFDright");
  EXPECT_EQ(failed.last_error->at, clock_.Steady());
  EXPECT_FALSE(failed.heard_at);
  script_.Push({.page = Page(5, {Object("a", 1, "1")})});
  clock_.Advance(clock_.AwaitSleeper());
  const auto healthy = await("watching");
  EXPECT_EQ(healthy.heard_at, clock_.Steady());
  EXPECT_TRUE(healthy.last_error) << "it is told after it is over, too";
}

TEST_F(InformerTest, StopsWhileItWaits) {
  Start({{.end = Error{Code::kUnavailable, "refused"}}});
  clock_.AwaitSleeper();
  informer_.Stop();
}

// If a server's stream never sends all objects, there is still time for a list.
TEST(WatchSource, LeavesTimeForAListWithinTheTwoMinutesOfASync) {
  EXPECT_LT(WatchSource{}.stream_timeout + WatchSource{}.list_timeout, 2min);
}

}  // namespace
}  // namespace ballast::runtime
