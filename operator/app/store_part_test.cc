#include "operator/app/store_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "operator/server/health.h"
#include "store/sqlite/backup.h"
#include "store/sqlite/files.h"
#include "store/sqlite/restore.h"
#include "store/sqlite/sqlite.h"
#include "store/testing/test_store.h"
#include "tests/support/fake_clock.h"

namespace ballast::app {
namespace {

using store::testing::At;
using store::testing::EvaluationOf;
using store::testing::Folder;
using ::testing::AllOf;
using ::testing::HasSubstr;

const store::Process kProcess{At(0), {}};

class StorePartTest : public ::testing::Test {
 protected:
  support::FakeClock clock_;
};

TEST_F(StorePartTest, IsReadyOnceItIsOpen) {
  const Folder folder;
  StorePart part(folder.Path("db"), kProcess, {}, clock_);
  EXPECT_EQ(part.CheckReady().error().message, "the store is being opened");
  EXPECT_EQ(part.ledger().health().problem->message, "the store is not open yet");
  ASSERT_TRUE(part.Part().start({}).ok());
  EXPECT_TRUE(part.CheckReady().ok());
  EXPECT_TRUE(
      part.ledger().AppendDurably(store::Intended{EvaluationOf("web", 0, 2, 5)}).durable.ok());
}

TEST_F(StorePartTest, TellsHowFarBackTheHistoryReaches) {
  const Folder folder;
  {
    StorePart part(folder.Path("db"), kProcess, {}, clock_);
    ASSERT_TRUE(part.Part().start({}).ok());
    part.ledger().Append(store::Evaluated{EvaluationOf("web", 100, 5, 5), {}, nullptr});
    EXPECT_TRUE(part.ledger().Flush().ok());
  }
  StorePart part(folder.Path("db"), kProcess, {}, clock_);
  telemetry::Registry registry;
  part.AddMetrics(registry);
  ASSERT_TRUE(part.Part().start({}).ok());
  part.ledger().Append(store::Evaluated{EvaluationOf("web", 115, 5, 5), {}, nullptr});
  // After a commit there may be a step of retention, which finds it out.
  while (!part.ledger().health().history_since) {
    ASSERT_TRUE(part.ledger().Flush().ok());
  }
  EXPECT_EQ(part.ledger().health().history_since, At(100));
  EXPECT_THAT(registry.Print(),
              AllOf(HasSubstr("ballast_store_history_begin_timestamp_seconds 1800000100\n"),
                    HasSubstr("ballast_store_history_max_age_seconds 2592000\n")));
}

TEST_F(StorePartTest, ThinsTheHistoryOfAReplicaThatDoesNotLead) {
  constexpr auto kRetention = std::chrono::hours(30 * 24);
  const Folder folder;
  {
    StorePart led(folder.Path("db"), kProcess, {}, clock_);
    ASSERT_TRUE(led.Part().start({}).ok());
    store::EvaluationRecord evaluation = EvaluationOf("web", 0, 5, 5);
    evaluation.time = clock_.Now();
    led.ledger().Append(store::Evaluated{evaluation, {}, nullptr});
    EXPECT_TRUE(led.ledger().Flush().ok());
  }
  StorePart part(folder.Path("db"), kProcess,
                 {Duration{std::chrono::nanoseconds(kRetention).count()}}, clock_);
  ASSERT_TRUE(part.Part().start({}).ok());
  (void)clock_.AwaitSleeper();
  clock_.Advance(kRetention + std::chrono::hours(1));
  const auto database = store::Database::Open(folder.Path("db"), store::Access::kRead).value();
  const auto decisions = [&] {
    return database->Integer("SELECT count(*) FROM decisions").value();
  };
  EXPECT_EQ(decisions(), 1);
  while (decisions() > 0) {
    (void)part.ledger().Flush();
  }
}

TEST_F(StorePartTest, PutsACopyInPlaceThatWaits) {
  const Folder folder;
  const std::string path = folder.Path("db");
  {
    StorePart part(path, kProcess, {}, clock_);
    ASSERT_TRUE(part.Part().start({}).ok());
    part.ledger().AppendDurably(store::Intended{EvaluationOf("web", 0, 2, 5)});
    ASSERT_TRUE(store::BackUp(path, folder.Path("copy")).ok());
    ASSERT_TRUE(store::Restore(folder.Path("copy"), path, {.at_start = true}).ok());
  }
  ::testing::internal::CaptureStderr();
  StorePart part(path, kProcess, {}, clock_);
  ASSERT_TRUE(part.Part().start({}).ok());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr(R"("msg":"a copy of the store was restored")"),
                    HasSubstr(R"("former":")" + path + ".replaced-")));
}

// Scaling does not depend on the store.
TEST_F(StorePartTest, StartsWithoutAStoreThatCannotBeUsed) {
  const Folder folder;
  const std::string foreign = folder.Path("foreign");
  ASSERT_TRUE(store::Database::Open(foreign, store::Access::kWrite)
                  .value()
                  ->Execute("CREATE TABLE t (a)")
                  .ok());
  for (const auto& path : {foreign, folder.Path("none/db")}) {
    StorePart part(path, kProcess, {}, clock_);
    ASSERT_TRUE(part.Part().start({}).ok()) << path;
    EXPECT_TRUE(part.CheckReady().ok()) << path;
    EXPECT_THAT(part.ledger().health().problem->message,
                HasSubstr(path == foreign ? foreign : folder.Path("none")));
    part.ledger().Append(store::Evaluated{EvaluationOf("web", 0, 5, 5), {}, nullptr});
    EXPECT_TRUE(part.ledger().Recall("uid-web", At(15))) << path;
  }
}

// SIGTERM while it waits for the former process to end.
TEST_F(StorePartTest, StopsWaiting) {
  const Folder folder;
  const auto other = store::FileLock::Take(folder.Path("db")).value();
  StorePart part(folder.Path("db"), kProcess, {}, clock_);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(part.Part().start(stop.get_token()).ok());
  // Alive, so that no kubelet restarts it, but not ready.
  server::Health health;
  health.AddReady("store", [&part] { return part.CheckReady(); });
  const auto ready = health.Answer({.method = "GET", .path = "/readyz"});
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.body, "[-]store failed: the store is being opened\nreadyz check failed\n");
  EXPECT_EQ(health.Answer({.method = "GET", .path = "/livez"}).status, 200);
}

}  // namespace
}  // namespace ballast::app
