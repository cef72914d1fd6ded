#include "operator/runtime/failed_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "operator/process/log.h"
#include "tests/support/fresh_name.h"

namespace ballast::runtime {
namespace {

std::string Logged(const std::string& call, Code code) {
  testing::internal::CaptureStderr();
  const Error error{code, "no"};
  LogFailedCall({call, 418, "4b3c", error});
  return testing::internal::GetCapturedStderr();
}

TEST(FailedCalls, AreLoggedWithTheirAuditIdUnlessThatIsHowThingsGo) {
  const std::string call = support::FreshName("GET /pods");
  for (const Code code : {Code::kForbidden, Code::kUnavailable, Code::kThrottled, Code::kInvalid}) {
    EXPECT_THAT(Logged(call, code),
                testing::HasSubstr(R"("call":")" + call + R"(","status":418,"code":")" +
                                   Name(code) + R"(","auditId":"4b3c","error":"no")"));
  }
  for (const Code code : {Code::kNotFound, Code::kConflict, Code::kGone}) {
    EXPECT_EQ(Logged(call, code), "");
    log::SetLevel(log::Level::kDebug);
    EXPECT_THAT(Logged(call, code), testing::HasSubstr("4b3c"));
    log::SetLevel(log::Level::kInfo);
  }
}

TEST(FailedCalls, AreLoggedOnceAMinute) {
  const std::string call = support::FreshName("GET /nodes");
  EXPECT_NE(Logged(call, Code::kForbidden), "");
  EXPECT_EQ(Logged(call, Code::kForbidden), "");
}

}  // namespace
}  // namespace ballast::runtime
