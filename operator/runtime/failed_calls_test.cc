#include "operator/runtime/failed_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "operator/process/log.h"

namespace ballast::runtime {
namespace {

std::string Logged(const std::string& call, Code code) {
  testing::internal::CaptureStderr();
  const Error error{code, "no"};
  LogFailedCall({call, 418, "4b3c", error});
  return testing::internal::GetCapturedStderr();
}

TEST(FailedCalls, AreLoggedWithTheirAuditIdUnlessThatIsHowThingsGo) {
  for (const Code code : {Code::kForbidden, Code::kUnavailable, Code::kThrottled, Code::kInvalid}) {
    EXPECT_THAT(Logged("GET /pods", code),
                testing::HasSubstr(std::string(R"("call":"GET /pods","status":418,"code":")") +
                                   Name(code) + R"(","auditId":"4b3c","error":"no")"));
  }
  for (const Code code : {Code::kNotFound, Code::kConflict, Code::kGone}) {
    EXPECT_EQ(Logged("GET /pods", code), "");
    log::SetLevel(log::Level::kDebug);
    EXPECT_THAT(Logged("GET /pods", code), testing::HasSubstr("4b3c"));
    log::SetLevel(log::Level::kInfo);
  }
}

TEST(FailedCalls, AreLoggedOnceAMinute) {
  EXPECT_NE(Logged("GET /nodes", Code::kForbidden), "");
  EXPECT_EQ(Logged("GET /nodes", Code::kForbidden), "");
}

}  // namespace
}  // namespace ballast::runtime
