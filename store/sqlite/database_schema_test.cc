// What the next version of the schema will need.
#include "store/sqlite/database_schema.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "store/sqlite/sqlite.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

class DatabaseSchema : public ::testing::Test {
 protected:
  DatabaseSchema() {
    EXPECT_TRUE(Migrate(*database_).ok());
    EXPECT_TRUE(database_
                    ->Execute("INSERT INTO autoscalers (uid, kind, namespace, name)"
                              " VALUES ('u', 'k', 'shop', 'web'); DROP VIEW terms_utc")
                    .ok());
  }

  std::int64_t Number(const char* sql) const { return database_->Integer(sql).value(); }

  const testing::Folder folder_;
  const std::unique_ptr<Database> database_ =
      Database::Open(folder_.Path("db"), Access::kWrite).value();
};

TEST_F(DatabaseSchema, AFileOfAnEarlierOneGetsWhatItLacks) {
  const char* const next[] = {"not applied again",
                              "ALTER TABLE autoscalers ADD COLUMN more INTEGER DEFAULT 7"};
  ASSERT_EQ(std::size(next), kMigrations.size() + 1);
  ASSERT_TRUE(Migrate(*database_, next).ok());
  EXPECT_EQ(Number("SELECT more FROM autoscalers WHERE name = 'web'"), 7);
  EXPECT_EQ(Number("SELECT count(*) FROM terms_utc"), 0) << "the views should be there anew";
  EXPECT_EQ(Number("PRAGMA user_version"), kSchemaVersion + 1);
  // As a program without that migration sees it.
  EXPECT_EQ(SchemaVersion(*database_).error().message,
            "a newer version of Ballast wrote this (schema 2, this version knows 1): use that "
            "version, or another file");
}

TEST_F(DatabaseSchema, AMigrationThatFailsChangesNothing) {
  const char* const next[] = {"not applied again",
                              "ALTER TABLE autoscalers ADD COLUMN more INTEGER; SELECT nothing"};
  EXPECT_FALSE(Migrate(*database_, next).ok());
  EXPECT_EQ(SchemaVersion(*database_).value(), kSchemaVersion);
  EXPECT_EQ(Number("SELECT count(*) FROM pragma_table_info('autoscalers') WHERE name = 'more'"), 0);
}

TEST_F(DatabaseSchema, AMigratedFileStaysAsItIs) {
  ASSERT_TRUE(Migrate(*database_).ok());
  EXPECT_EQ(Number("SELECT count(*) FROM autoscalers"), 1);
}

}  // namespace
}  // namespace ballast::store
