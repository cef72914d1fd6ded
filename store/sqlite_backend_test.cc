#include "store/sqlite_backend.h"

#include <gtest/gtest.h>

#include <string>

#include "store/sqlite.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;

// A change that refers to a decision that is not there.
ReasonAdded Defect(int number) { return {number + 1, At(0), "A", "", {}}; }

TEST(SqliteBackend, AChangeThatFailsByItselfCostsOnlyItself) {
  const testing::Folder folder;
  const std::string path = folder.Path("db");
  constexpr int kChanges = 100'000;  // to begin anew for each defect would not end
  const Subject web{"uid-web", "AutoScalePolicy", {"shop", "web"}};
  Batch batch;
  for (int i = 0; i < kChanges; ++i) {
    if (i % 10 == 9) {
      batch.changes.emplace_back(Defect(i));
    } else {
      batch.changes.emplace_back(ReplicasChanged{web, {At(i), i, i + 1, "kubectl", {}}});
    }
  }
  const auto backend = MakeSqliteBackend(path, {});
  ASSERT_TRUE(backend->Open({}).ok());
  const auto applied = backend->Apply(batch);
  ASSERT_TRUE(applied.ok()) << applied.error().message;
  EXPECT_EQ(applied->dropped, kChanges / 10);
  const auto database = Database::Open(path, Access::kRead).value();
  EXPECT_EQ(database->Integer("SELECT count(*) FROM foreign_changes").value(),
            kChanges - kChanges / 10);
  EXPECT_EQ(database->Integer("SELECT count(*) FROM turns").value(), 0);
}

}  // namespace
}  // namespace ballast::store
