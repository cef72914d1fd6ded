#include "api/autoscaling/trust_annotation.h"

#include <gtest/gtest.h>

#include <string>

namespace ballast::api {
namespace {

TEST(TrustAnnotation, TrustsUntilATime) {
  const struct {
    const char* value;
    bool trusts;
    bool wrong;
  } kCases[] = {
      {"2026-11-22T12:00:01Z", true, false},
      {"2026-11-22T13:00:01+01:00", true, false},
      {"2026-11-22T12:00:00Z", false, false},
      {"2025-11-22T12:00:00Z", false, false},
      {"true", false, true},
      {"", false, true},
      {"2026-11-23", false, true},
  };
  const Time now = *ParseTime("2026-11-22T12:00:00Z");
  for (const auto& c : kCases) {
    Autoscaler policy;
    policy.kind = kPolicyKind;
    policy.metadata.annotations = {{kSourcesTrustedUntil, c.value}};
    EXPECT_EQ(TrustsSources(policy, now), c.trusts) << c.value;
    const FieldErrors errors = CheckTrust(policy);
    ASSERT_EQ(!errors.empty(), c.wrong) << c.value;
    if (c.wrong) {
      EXPECT_EQ(errors.begin()->field, "metadata.annotations[ballast.dev/sources-trusted-until]");
    }
  }
  EXPECT_FALSE(TrustsSources(Autoscaler(), now));
  EXPECT_TRUE(CheckTrust(Autoscaler()).empty());
}

}  // namespace
}  // namespace ballast::api
