#include "operator/runtime/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pointee;

class CacheTest : public testing::Test {
 protected:
  CacheTest() {
    cache_.AddIndex("letter", [](const api::ObjectKey&, const std::string& text) {
      std::vector<std::string> letters;
      for (const char c : text) {
        letters.emplace_back(1, c);
      }
      return letters;
    });
  }
  void Put(const api::ObjectKey& key, const std::string& text) {
    cache_.Put(key, {"uid", "1", std::make_shared<const std::string>(text)});
  }
  Cache<std::string> cache_;
};

TEST_F(CacheTest, FindsByKeyNamespaceAndIndex) {
  Put({"b", "1"}, "xy");
  Put({"a", "2"}, "x");
  Put({"a", "1"}, "z");
  Put({"ab", "1"}, "y");
  EXPECT_THAT(cache_.Get({"a", "2"}), Pointee(std::string("x")));
  EXPECT_EQ(cache_.Get({"a", "3"}), nullptr);
  EXPECT_THAT(cache_.List(), ElementsAre(Pointee(std::string("z")), Pointee(std::string("x")),
                                         Pointee(std::string("y")), Pointee(std::string("xy"))));
  EXPECT_THAT(cache_.InNamespace("a"),
              ElementsAre(Pointee(std::string("z")), Pointee(std::string("x"))));
  EXPECT_THAT(cache_.InNamespace("c"), IsEmpty());
  EXPECT_THAT(cache_.ByIndex("letter", "x"),
              ElementsAre(Pointee(std::string("x")), Pointee(std::string("xy"))));
  EXPECT_THAT(cache_.ByIndex("letter", "x", [](const auto& text) { return text.size() > 1; }),
              ElementsAre(Pointee(std::string("xy"))));
  EXPECT_THAT(cache_.ByIndex("unknown", "x"), IsEmpty());
}

TEST_F(CacheTest, IndexesFollowChangesAndRemovals) {
  Put({"a", "1"}, "xx");
  Put({"a", "1"}, "y");
  EXPECT_THAT(cache_.ByIndex("letter", "x"), IsEmpty());
  EXPECT_THAT(cache_.ByIndex("letter", "y"), ElementsAre(Pointee(std::string("y"))));
  EXPECT_THAT(cache_.Remove({"a", "1"}).object, Pointee(std::string("y")));
  EXPECT_THAT(cache_.ByIndex("letter", "y"), IsEmpty());
  EXPECT_EQ(cache_.Remove({"a", "1"}).object, nullptr);
  EXPECT_EQ(cache_.size(), 0U);
}

TEST_F(CacheTest, WhatAReaderHoldsStays) {
  Put({"a", "1"}, "old");
  const auto held = cache_.Get({"a", "1"});
  Put({"a", "1"}, "new");
  EXPECT_EQ(*held, "old");
}

}  // namespace
}  // namespace ballast::runtime
