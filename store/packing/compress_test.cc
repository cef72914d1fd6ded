#include "store/packing/compress.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ballast::store {
namespace {

using namespace std::string_literals;

TEST(Compress, GivesBackAnyText) {
  std::mt19937 random(20260304);
  std::string noise(100'000, '\0');
  for (char& c : noise) {
    c = static_cast<char>(random());
  }
  for (const std::string& text : {""s, "x"s, R"({"replicas":3})"s, "\1\0\x28"s, noise}) {
    const auto back = Decompress(Compress(text).value());
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, text);
  }
}

// Otherwise it would be on disk and could never be read.
TEST(Compress, TakesNoTextThatCannotBeReadBack) {
  const auto longest = Compress(std::string(kMaxText, 'x'));
  ASSERT_TRUE(longest.ok()) << longest.error().message;
  const auto back = Decompress(*longest);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->size(), kMaxText);
  const auto longer = Compress(std::string(kMaxText + 1, 'x'));
  ASSERT_FALSE(longer.ok());
  EXPECT_EQ(longer.error().message, "the text has 67108865 bytes, more than 67108864");
}

// A frame as it exists on disks.
TEST(Decompress, ReadsWhatAnEarlierBuildCompressed) {
  const std::string text = R"({"status":{"phase":"Running"},"desiredReplicas":8})";
  const std::string frame =
      "\x01\x28\xb5\x2f\xfd\x20\x32\x8d\x00\x00\x20\x7b\x7d\x38\x7d\x03\x00"
      "\x25\x82\x89\x8c\x12\x1e\x8c\x14\xe2\x0a"s;
  const auto back = Decompress(frame);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, text);
}

TEST(Decompress, RefusesWhatIsDamaged) {
  const std::string whole =
      Compress(R"({"status":{"phase":"Running"},"desiredReplicas":8})").value();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = Decompress(whole.substr(0, size));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().code, Code::kCorrupt);
  }
  EXPECT_FALSE(Decompress("\2" + whole.substr(1)).ok());
}

}  // namespace
}  // namespace ballast::store
