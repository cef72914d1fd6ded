#include "operator/app/server_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_transport.h"

namespace ballast::app {
namespace {

// As on a server of that minor version; empty: the server does not answer.
ServerRules RulesOn(const std::string& minor, const api::GateOverrides& overrides) {
  support::FakeTransport transport([&](const kube::Request&) -> Result<kube::Response> {
    if (minor.empty()) {
      return Error{Code::kUnavailable, "no route to host"};
    }
    return kube::Response{200, R"({"major":"1","minor":")" + minor + R"("})"};
  });
  return FindRules(transport, overrides);
}

TEST(FindRules, FollowsTheServersVersionUnlessGatesAreSet) {
  const struct {
    const char* minor;
    api::GateOverrides overrides;
    bool scale_to_zero;
    bool configurable_tolerance;
  } kCases[] = {
      {"34", {}, false, false},
      {"36", {}, false, true},
      {"37+", {}, true, true},
      {"34", {.scale_to_zero = true}, true, false},
      {"37", {.configurable_tolerance = false}, true, false},
      {"", {}, true, true},  // as 1.37
      {"", {.scale_to_zero = false, .configurable_tolerance = false}, false, false},
  };
  for (const auto& c : kCases) {
    const api::FeatureGates gates = RulesOn(c.minor, c.overrides).gates;
    EXPECT_EQ(gates.scale_to_zero, c.scale_to_zero) << c.minor;
    EXPECT_EQ(gates.configurable_tolerance, c.configurable_tolerance) << c.minor;
  }
  EXPECT_EQ(RulesOn("37", {}).minor, 37);
  EXPECT_EQ(RulesOn("40", {}).minor, 40);
  EXPECT_EQ(RulesOn("", {}).minor, api::kTestedMinor);
}

}  // namespace
}  // namespace ballast::app
