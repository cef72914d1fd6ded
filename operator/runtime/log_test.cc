#include "operator/runtime/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/json.h"

namespace ballast::log {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

TEST(Log, WritesOneJsonLine) {
  testing::internal::CaptureStderr();
  const std::string object = "shop/web";
  Info("scaled",
       {{"policy", object}, {"from", 3}, {"ok", true}, {"ratio", 0.5}, {"note", "a \"b\"\n"}});
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_THAT(line, MatchesRegex("\\{\"ts\":\"[0-9T:.-]+Z\",\"level\":\"info\",\"msg\":\"scaled\","
                                 "\"policy\":\"shop/web\",\"from\":3,\"ok\":true,\"ratio\":0.5,"
                                 "\"note\":\"a .\"b.\".n\"\\}\n"));
  EXPECT_TRUE(json::Parse(line).ok());
}

TEST(Log, StaysJsonWhateverIsLogged) {
  testing::internal::CaptureStderr();
  Info("garbage: \xff", {{"answer", std::string("\x89PNG\r\n\xff\xfe")}});
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(json::Parse(line).ok()) << line;
}

TEST(Log, LeavesOutWhatIsBelowTheLevel) {
  testing::internal::CaptureStderr();
  Debug("hidden");
  SetLevel(Level::kDebug);
  Debug("shown");
  SetLevel(Level::kError);
  Warn("hidden");
  Error("shown too");
  SetLevel(Level::kInfo);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("\"level\":\"debug\",\"msg\":\"shown\""));
  EXPECT_THAT(text, HasSubstr("\"level\":\"error\",\"msg\":\"shown too\""));
  EXPECT_THAT(text, testing::Not(HasSubstr("hidden")));
}

TEST(ParseLevel, KnowsItsNames) {
  EXPECT_EQ(*ParseLevel("warn"), Level::kWarn);
  EXPECT_THAT(ParseLevel("loud").error().message, HasSubstr("debug, info, warn, error"));
}

}  // namespace
}  // namespace ballast::log
