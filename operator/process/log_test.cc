#include "operator/process/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/json/json.h"
#include "operator/process/log_line.h"
#include "tests/support/fresh_name.h"

namespace ballast::log {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

TEST(Log, WritesOneJsonLine) {
  testing::internal::CaptureStderr();
  const std::string object = "hpa/shop/web";
  Info("scaled",
       {{"autoscaler", object}, {"from", 3}, {"ok", true}, {"ratio", 0.5}, {"note", "a \"b\"\n"}});
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_THAT(line,
              MatchesRegex("\\{\"ts\":\"[0-9T:.-]+Z\",\"level\":\"info\",\"msg\":\"scaled\","
                           "\"autoscaler\":\"hpa/shop/web\",\"from\":3,\"ok\":true,\"ratio\":0.5,"
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

TEST(Log, WritesTextThatDoesNothingToATerminal) {
  testing::internal::CaptureStderr();
  SetFormat(LogFormat::kText);
  Warn("a watch failed", {{"resource", "pods"},
                          {"namespace", ""},
                          {"times", 3},
                          {"ratio", 0.5},
                          {"again", true},
                          {"expression", "a=b"},
                          {"error", "no \"answer\"\n\x1b[31m\xff"}});
  SetFormat(LogFormat::kJson);
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_THAT(line, MatchesRegex("[0-9T:.-]+Z warn a watch failed resource=pods .*\n"));
  EXPECT_THAT(line, testing::EndsWith(" namespace=\"\" times=3 ratio=0.5 again=true "
                                      "expression=\"a=b\" "
                                      "error=\"no \\\"answer\\\" \uFFFD[31m\uFFFD\"\n"));
}

TEST(Log, WritesOnceAMinuteWhatIsAboutOneObjectAndCause) {
  const std::string once = support::FreshName("shop/once");
  const std::string hidden = support::FreshName("shop/hidden");
  testing::internal::CaptureStderr();
  EXPECT_TRUE(Warn(About{once, "Timeout"}, "failed", {{"code", "Timeout"}}));
  EXPECT_FALSE(Warn(About{once, "Timeout"}, "failed", {{"code", "again"}}));
  EXPECT_TRUE(Warn(About{once, "Forbidden"}, "failed", {{"code", "Forbidden"}}));
  EXPECT_TRUE(Debug(About{hidden}, "failed", {})) << "nobody wants to know";
  SetLevel(Level::kDebug);
  Debug(About{hidden}, "failed", {{"shown", true}});
  SetLevel(Level::kInfo);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, testing::MatchesRegex(".*Timeout.*\n.*Forbidden.*\n.*shown.*\n"))
      << "what is below the level counts for nothing";
}

TEST(LogLine, SaysHowManyWereHeldBack) {
  const LogLine line{.level = Level::kWarn, .message = "failed", .held_back = 7};
  EXPECT_THAT(PrintJson(line), testing::EndsWith("\"msg\":\"failed\",\"heldBack\":7}"));
  EXPECT_THAT(PrintText(line), testing::EndsWith("warn failed heldBack=7"));
}

TEST(ParseFormat, KnowsItsNames) {
  EXPECT_EQ(*ParseFormat("json"), LogFormat::kJson);
  EXPECT_EQ(*ParseFormat("text"), LogFormat::kText);
  EXPECT_THAT(ParseFormat("xml").error().message, HasSubstr("json nor text"));
}

TEST(ParseLevel, KnowsItsNames) {
  EXPECT_EQ(*ParseLevel("warn"), Level::kWarn);
  EXPECT_THAT(ParseLevel("loud").error().message, HasSubstr("debug, info, warn, error"));
}

}  // namespace
}  // namespace ballast::log
