#include "store/packing/packing.h"

#include <gtest/gtest.h>

#include <limits>

#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(Packing, GivesBackWhatWasPut) {
  std::string out;
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{127}, kMost}) {
    PutVarint(out, static_cast<std::uint64_t>(value));
    PutSigned(out, value);
    PutOptional(out, value);
  }
  PutSigned(out, kLeast);
  PutOptional(out, std::nullopt);
  PutText(out, "");
  PutText(out, "cpu");
  PutVarint(out, 1);
  out += "abc";

  PackedInput in(out);
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{127}, kMost}) {
    EXPECT_EQ(in.Varint(), static_cast<std::uint64_t>(value));
    EXPECT_EQ(in.Signed(), value);
    EXPECT_EQ(in.Optional(), value);
  }
  EXPECT_EQ(in.Signed(), kLeast);
  EXPECT_EQ(in.Optional(), std::nullopt);
  EXPECT_EQ(in.Text(), "");
  EXPECT_EQ(in.Text(), "cpu");
  EXPECT_EQ(in.Count(), 1U);
  EXPECT_FALSE(in.at_end());
  EXPECT_EQ(in.Take(3), "abc");
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.at_end());
}

TEST(Packing, SmallNumbersAreShort) {
  std::string out;
  PutSigned(out, -64);
  PutSigned(out, 63);
  PutOptional(out, 63);
  EXPECT_EQ(out.size(), 3U);
}

TEST(Packing, AfterDamageAllIsZero) {
  const struct {
    const char* name;
    std::string bytes;
    void (*read)(PackedInput&);
  } kCases[] = {
      {"ends early", "\xff", [](PackedInput& in) { in.Varint(); }},
      {"a number too long", std::string(11, '\xff') + "\1", [](PackedInput& in) { in.Varint(); }},
      {"a text too long", "\5abc", [](PackedInput& in) { in.Text(); }},
      {"more things than bytes", "\5abc", [](PackedInput& in) { in.Count(); }},
  };
  for (const auto& c : kCases) {
    PackedInput in(c.bytes);
    c.read(in);
    EXPECT_FALSE(in.ok()) << c.name;
    EXPECT_EQ(in.Varint(), 0U) << c.name;
    EXPECT_EQ(in.Text(), "") << c.name;
    EXPECT_FALSE(in.ok()) << c.name;
  }
}

TEST(Packing, TimesAreMilliseconds) {
  EXPECT_EQ(FromMillis(Millis(testing::At(1.25))), testing::At(1.25));
  EXPECT_EQ(Millis(std::optional<Time>()), std::nullopt);
}

}  // namespace
}  // namespace ballast::store
