#include "operator/process/manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <utility>

#include "tests/support/channel.h"
#include "tests/support/growing_limit.h"

namespace ballast::process {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class ManagerTest : public testing::Test {
 protected:
  // A part that records its start and stop.
  Manager::Part Telling(const std::string& name, const Status& started = Done{}) {
    return {name,
            [this, name, started](const std::stop_token&) {
              happened_.push_back("+" + name);
              return started;
            },
            [this, name] { happened_.push_back("-" + name); }};
  }
  // The last part: once it has started, everything runs.
  Manager::Part Last() {
    return {"last", [this](const std::stop_token&) {
              started_.Push(true);
              return Status(Done{});
            }};
  }

  std::vector<std::string> happened_;
  support::Channel<bool> started_;
  std::stop_source stop_;
  Manager manager_{10s};
};

TEST_F(ManagerTest, StopsInTheReverseOrder) {
  manager_.Add(Telling("a"));
  manager_.Add(Telling("b"));
  manager_.Add(Last());
  auto run = std::async(std::launch::async, [&] { return manager_.Run(stop_.get_token()); });
  ASSERT_TRUE(started_.Pop());
  EXPECT_FALSE(manager_.stopping());
  stop_.request_stop();
  EXPECT_TRUE(run.get().ok());
  EXPECT_TRUE(manager_.stopping());
  EXPECT_THAT(happened_, ElementsAre("+a", "+b", "-b", "-a"));
}

TEST_F(ManagerTest, APartThatCannotStartEndsAll) {
  manager_.Add(Telling("a"));
  manager_.Add(Telling("b", Error{Code::kConflict, "in use"}));
  manager_.Add(Telling("c"));
  const Status ended = manager_.Run(stop_.get_token());
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().message, "in use");
  EXPECT_THAT(happened_, ElementsAre("+a", "+b", "-a"));
}

TEST_F(ManagerTest, AStopWhileStartingStartsNoMore) {
  manager_.Add(Telling("a"));
  manager_.Add({"waits", [this](const std::stop_token& stop) {
                  stop_.request_stop();
                  EXPECT_TRUE(stop.stop_requested());
                  return Status(Done{});
                }});
  manager_.Add(Telling("c"));
  EXPECT_TRUE(manager_.Run(stop_.get_token()).ok());
  EXPECT_THAT(happened_, ElementsAre("+a", "-a"));
}

TEST_F(ManagerTest, TheFirstFailureIsTheResult) {
  manager_.Add(Telling("a"));
  manager_.Add(Last());
  auto run = std::async(std::launch::async, [&] { return manager_.Run(stop_.get_token()); });
  ASSERT_TRUE(started_.Pop());
  manager_.Fail({Code::kConflict, "the lease was lost"});
  manager_.Fail({Code::kInternal, "and more"});
  EXPECT_EQ(run.get().error().message, "the lease was lost");
  EXPECT_THAT(happened_, ElementsAre("+a", "-a"));
}

// It is named from before the grace period begins.
TEST(ManagerDeathTest, NamesWhoDoesNotStopInTime) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::stop_source stop;
        Manager manager(1s);
        manager.Add({"stuck",
                     [&](const std::stop_token&) {
                       stop.request_stop();
                       return Status(Done{});
                     },
                     [] { std::promise<void>().get_future().wait_for(1h); }});
        static_cast<void>(manager.Run(stop.get_token()));
      },
      testing::ExitedWithCode(EXIT_FAILURE),
      "did not stop within the grace period.*\"part\":\"stuck\"");
  EXPECT_EXIT(
      {
        std::stop_source stop;
        Manager manager(1s);
        manager.Add({"still starting", [&](const std::stop_token&) {
                       stop.request_stop();
                       std::promise<void>().get_future().wait_for(1h);
                       return Status(Done{});
                     }});
        static_cast<void>(manager.Run(stop.get_token()));
      },
      testing::ExitedWithCode(EXIT_FAILURE),
      "did not stop within the grace period.*\"part\":\"still starting\"");
}

// In a test of its own: each process of a death test runs it from the start.
TEST(ManagerDeathTest, NamesTheRestIfAllPartsHaveStopped) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // Run() has to return within the grace period.
  const auto rest_hangs = [](std::chrono::milliseconds grace) {
    std::string told;
    EXPECT_EXIT(
        {
          std::stop_source stop;
          stop.request_stop();
          Manager manager(grace);
          static_cast<void>(manager.Run(stop.get_token()));
          std::promise<void>().get_future().wait_for(1h);  // like a destructor that hangs
        },
        testing::ExitedWithCode(EXIT_FAILURE), testing::Truly([&](const std::string& errors) {
          told = errors;
          return true;
        }));
    return told;
  };
  const std::string rest = R"("part":"the rest")";
  EXPECT_THAT(support::WithGrowingLimit(
                  rest_hangs,
                  [&](const std::string& told) { return told.find(rest) != std::string::npos; }),
              AllOf(HasSubstr("did not stop within the grace period"), HasSubstr(rest)));
}

}  // namespace
}  // namespace ballast::process
