#include "store/writer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "store/sqlite.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

TEST(Writer, AWriteThatFailsByItselfCostsOnlyItself) {
  const testing::Folder folder;
  constexpr int kWrites = 1'000;
  int applied = 0;
  Writer::Writes writes;
  for (int i = 0; i < kWrites; ++i) {
    writes.emplace_back([&applied, i](Database& database) -> Status {
      ++applied;
      TRY(database.Run("CREATE TABLE IF NOT EXISTS done (i INTEGER)"));
      TRY(database.Run("INSERT INTO done VALUES (?)", std::int64_t{i}));
      return i % 10 == 9 ? Status(Error{Code::kInternal, "a defect"}) : Status(Done{});
    });
  }
  const std::string path = folder.Path("db");
  {
    Writer writer(
        Database::Open(path, Access::kWrite).value(),
        {.start = [] {},
         .begin = [] {},
         .last = [](Database&, const JournalNotes&) -> Status { return Done{}; },
         .everything = [](Database&) -> Status { return Done{}; },
         .tidy = [](Database&) -> Result<bool> { return false; }},
        {std::chrono::milliseconds(1), std::chrono::milliseconds(1), std::chrono::milliseconds(1)});
    writer.Add(std::move(writes));
    EXPECT_TRUE(writer.Flush(std::chrono::minutes(1)).ok());
    EXPECT_EQ(writer.state().dropped, kWrites / 10);
  }
  EXPECT_LE(applied, 2 * kWrites);  // nothing begins anew for each of them
  const auto database = Database::Open(path, Access::kRead).value();
  EXPECT_EQ(database->Integer("SELECT count(*) FROM done").value(), kWrites - kWrites / 10);
}

}  // namespace
}  // namespace ballast::store
