#include "operator/sources/kept_bytes.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace ballast::sources {
namespace {

TEST(KeptBytes, ANamespaceMayHaveAllThatOthersLeave) {
  KeptBytes kept(100);
  const auto all = kept.Take("hog", 100);
  EXPECT_TRUE(all);
  EXPECT_FALSE(kept.Take("hog", 1));
  const auto share = kept.Take("shop", 50);
  EXPECT_TRUE(share) << "half of it";
  EXPECT_FALSE(kept.Take("shop", 1));
  EXPECT_FALSE(kept.Take("hog", 1));
}

TEST(KeptBytes, TogetherTheyKeepTwiceAsMuchAtMost) {
  KeptBytes kept(1000);
  std::vector<KeptBytes::Share> shares;
  std::size_t total = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 40; ++i) {
      if (auto share = kept.Take("shop-" + std::to_string(i), 7)) {
        shares.push_back(std::move(*share));
        total += 7;
      }
    }
  }
  EXPECT_GE(total, 1000U - 7U);
  EXPECT_LE(total, 2000U);
}

TEST(KeptBytes, TogetherTheyKeepNoMoreIfTheyComeOneAfterAnother) {
  KeptBytes kept(1000);
  std::vector<KeptBytes::Share> shares;
  for (int i = 0; i < 40; ++i) {
    while (auto share = kept.Take("shop-" + std::to_string(i), 1)) {
      shares.push_back(std::move(*share));
    }
  }
  EXPECT_EQ(shares.size(), 2000U);
}

TEST(KeptBytes, WhatIsNotKeptAnyMoreLeavesRoom) {
  KeptBytes kept(100);
  {
    const auto all = kept.Take("hog", 100);
    EXPECT_FALSE(kept.Take("hog", 100));
  }
  EXPECT_TRUE(kept.Take("hog", 100));
}

TEST(KeptBytes, AShareMayBeKeptForLonger) {
  std::optional<KeptBytes> kept(100);
  auto share = kept->Take("shop", 100);
  kept.reset();
  share.reset();
}

}  // namespace
}  // namespace ballast::sources
