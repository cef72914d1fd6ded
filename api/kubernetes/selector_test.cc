#include "api/kubernetes/selector.h"

#include <gtest/gtest.h>

#include <string>

#include "api/kubernetes/parse_selector.h"
#include "api/kubernetes/testing/testdata.h"

namespace ballast::api {
namespace {

TEST(Selector, ParsesPrintsAndMatchesAsUpstream) {
  const Labels kSets[] = {
      {{"app", "web"}, {"tier", "front"}}, {{"a", "1"}}, {{"app", "5"}, {"in", "x"}}, {}};
  for (const auto& row : ReadTable("selector.tsv")) {
    const auto selector = ParseSelector(row[0]);
    if (row[1].starts_with('!')) {
      // "!" begins an error in the table, and also a printed selector such as "!key", which a third
      // column follows.
      if (!selector.ok()) {
        EXPECT_EQ("!" + selector.error().message, row[1]) << row[0];
        continue;
      }
      ASSERT_EQ(row.size(), 3U) << row[0] << " should be: " << row[1];
    }
    ASSERT_TRUE(selector.ok()) << row[0] << ": " << selector.error().message;
    EXPECT_EQ(selector->Print(), row[1]) << row[0];
    std::string matched;
    for (const Labels& labels : kSets) {
      matched += selector->Matches(labels) ? '1' : '0';
    }
    EXPECT_EQ(matched, row[2]) << row[0];
  }
}

}  // namespace
}  // namespace ballast::api
