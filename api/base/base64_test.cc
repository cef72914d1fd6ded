#include "api/base/base64.h"

#include <gtest/gtest.h>

namespace ballast {
namespace {

TEST(DecodeBase64, ReadsTheVectorsOfRfc4648) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"Zg==", "f"},
      {"Zm8=", "fo"},
      {"Zm9v", "foo"},
      {"Zm9vYg==", "foob"},
      {"Zm9vYmE=", "fooba"},
      {"+/A=", "\xfb\xf0"},
      {"Zm9v\nYmFy\n", "foobar"},
  };
  for (const auto& [text, bytes] : cases) {
    const auto decoded = DecodeBase64(text);
    ASSERT_TRUE(decoded.ok()) << text;
    EXPECT_EQ(*decoded, bytes);
  }
}

TEST(EncodeBase64, IsReadBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(*DecodeBase64(EncodeBase64(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
  EXPECT_EQ(EncodeBase64("fooba"), "Zm9vYmE=");
}

TEST(DecodeBase64, RefusesWhatIsNone) {
  for (const char* text : {"Z", "Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zm9v!A==", "Zm 9v"}) {
    EXPECT_FALSE(DecodeBase64(text).ok()) << text;
  }
}

}  // namespace
}  // namespace ballast
