#include "operator/kube/auth/token_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace ballast::kube {
namespace {

using namespace std::chrono_literals;

class TokenSourceTest : public testing::Test {
 protected:
  support::TempDir dir_;
  std::string file_ = dir_.Write("token", "first\n");
  support::FakeClock clock_;
  TokenSource source_{Material{.file = file_}, clock_};
};

TEST_F(TokenSourceTest, ReadsTheFileAgainAfterAMinute) {
  EXPECT_EQ(*source_.Get(), "first");
  dir_.Write("token", "second");
  clock_.Advance(59s);
  EXPECT_EQ(*source_.Get(), "first");
  clock_.Advance(1s);
  EXPECT_EQ(*source_.Get(), "second");
}

TEST_F(TokenSourceTest, KeepsTheFormerTokenWhileTheFileIsUnreadable) {
  EXPECT_EQ(*source_.Get(), "first");
  std::filesystem::remove(file_);
  clock_.Advance(2min);
  EXPECT_EQ(*source_.Get(), "first");
  dir_.Write("token", " \n");
  EXPECT_EQ(*source_.Get(), "first");
  dir_.Write("token", "half\nof it");
  EXPECT_EQ(*source_.Get(), "first");
  dir_.Write("token", "third");
  EXPECT_EQ(*source_.Get(), "third");
}

TEST_F(TokenSourceTest, RenewsAfterARefusal) {
  EXPECT_EQ(*source_.Get(), "first");
  EXPECT_FALSE(source_.Renew("first")) << "the file still holds the refused token";
  dir_.Write("token", "second");
  EXPECT_TRUE(source_.Renew("first"));
  EXPECT_EQ(*source_.Get(), "second");
  EXPECT_TRUE(source_.Renew("first")) << "somebody else has renewed it meanwhile";
}

TEST(TokenSource, FailsWhenItNeverHadAToken) {
  const support::TempDir dir;
  const struct {
    Material token;
    std::string message;
  } kCases[] = {
      {{.file = "/nonexistent/token"}, "/nonexistent/token"},
      {{.file = dir.Write("empty", " \n")}, dir.path() + "/empty: holds no token"},
      {{.file = dir.Write("two", "s3cret\ns3cret\n")}, dir.path() + "/two: has a line break"},
      {{.text = "s3cret\r\nImpersonate-User: admin"}, "the token: has a line break"},
  };
  for (const auto& c : kCases) {
    TokenSource source(c.token);
    for (int i = 0; i < 2; ++i) {
      const auto token = source.Get();
      ASSERT_FALSE(token.ok()) << c.message;
      EXPECT_THAT(token.error().message, testing::HasSubstr(c.message));
      EXPECT_THAT(token.error().message, testing::Not(testing::HasSubstr("s3cret")));
    }
  }
}

TEST(TokenSource, InlineTokensAndNoneDoNotChange) {
  TokenSource with(Material{.text = "fixed"});
  EXPECT_EQ(*with.Get(), "fixed");
  EXPECT_FALSE(with.Renew("fixed"));
  TokenSource without(Material{});
  EXPECT_EQ(*without.Get(), "");
  EXPECT_FALSE(without.Renew(""));
}

}  // namespace
}  // namespace ballast::kube
