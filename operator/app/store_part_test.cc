#include "operator/app/store_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "store/sqlite/files.h"
#include "store/sqlite/sqlite.h"
#include "store/testing/test_store.h"

namespace ballast::app {
namespace {

using store::testing::At;
using store::testing::EvaluationOf;
using store::testing::Folder;
using ::testing::HasSubstr;

const store::Process kProcess{At(0), {}};

TEST(StorePart, IsReadyOnceItIsOpen) {
  const Folder folder;
  StorePart part(folder.Path("db"), kProcess, {});
  EXPECT_EQ(part.CheckReady().error().message, "the store is being opened");
  EXPECT_EQ(part.ledger().health().problem->message, "the store is not open yet");
  ASSERT_TRUE(part.Part().start({}).ok());
  EXPECT_TRUE(part.CheckReady().ok());
  EXPECT_TRUE(
      part.ledger().AppendDurably(store::Intended{EvaluationOf("web", 0, 2, 5)}).durable.ok());
}

// Scaling does not depend on the store.
TEST(StorePart, StartsWithoutAStoreThatCannotBeUsed) {
  const Folder folder;
  const std::string foreign = folder.Path("foreign");
  ASSERT_TRUE(store::Database::Open(foreign, store::Access::kWrite)
                  .value()
                  ->Execute("CREATE TABLE t (a)")
                  .ok());
  for (const auto& path : {foreign, folder.Path("none/db")}) {
    StorePart part(path, kProcess, {});
    ASSERT_TRUE(part.Part().start({}).ok()) << path;
    EXPECT_TRUE(part.CheckReady().ok()) << path;
    EXPECT_THAT(part.ledger().health().problem->message,
                HasSubstr(path == foreign ? foreign : folder.Path("none")));
    part.ledger().Append(store::Evaluated{EvaluationOf("web", 0, 5, 5), {}, nullptr});
    EXPECT_TRUE(part.ledger().Recall("uid-web", At(15))) << path;
  }
}

// SIGTERM while it waits for the former process to end.
TEST(StorePart, StopsWaiting) {
  const Folder folder;
  const auto other = store::FileLock::Take(folder.Path("db")).value();
  StorePart part(folder.Path("db"), kProcess, {});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(part.Part().start(stop.get_token()).ok());
  EXPECT_FALSE(part.CheckReady().ok());
}

}  // namespace
}  // namespace ballast::app
