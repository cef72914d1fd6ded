#include "operator/cli/cluster/autoscale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_transport.h"

namespace ballast::cli {
namespace {

using ::testing::HasSubstr;

TEST(Autoscale, MakesThePolicyThatIsAskedFor) {
  const struct {
    AutoscaleRequest request;
    const char* spec;  // expected in the policy, or in the error
    bool ok = true;
  } kCases[] = {
      {{.target = "deployment/web", .min = 2, .max = 10, .cpu = "60%"},
       R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},)"
       R"("minReplicas":2,"maxReplicas":10,"metrics":[{"type":"Resource","resource":{"name":"cpu",)"
       R"("target":{"type":"Utilization","averageUtilization":60}}}],"podSelection":"Owned"}})"},
      {{.target = "deploy/web", .max = 3}, R"("maxReplicas":3)"},
      {{.target = "statefulsets.apps/db", .max = 3}, R"("kind":"StatefulSet","name":"db")"},
      {{.target = "rc/old", .max = 3}, R"({"apiVersion":"v1","kind":"ReplicationController")"},
      {{.target = "Rollout.v1alpha1.argoproj.io/web", .max = 3},
       R"({"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","name":"web"})"},
      {{.target = "sts/db", .namespace_ = "shop", .name = "night", .max = 3},
       R"("metadata":{"name":"night","namespace":"shop"})"},
      {{.target = "rs/web", .max = 3, .cpu = "500"}, R"("averageValue":"500m")"},
      {{.target = "rs/web", .max = 3, .cpu = "1.5"}, R"("averageValue":"1500m")"},
      {{.target = "rs/web", .max = 3, .memory = "200"}, R"("averageValue":"200Mi")"},
      {{.target = "rs/web", .max = 3, .memory = "1Gi"}, R"("averageValue":"1Gi")"},
      {{.target = "web", .max = 3}, "TYPE/NAME", false},
      {{.target = "shop/deployment/web", .max = 3}, "TYPE/NAME", false},
      {{.target = "rollout/web", .max = 3}, "Kind.version.group", false},
      {{.target = "deploymnt.apps/web", .max = 3},
       "; did you mean deployment or deployments?",
       false},
      {{.target = "deploy/web", .max = 3, .cpu = "sixty"}, "--cpu sixty", false},
      {{.target = "deploy/web", .max = 3, .cpu = "0%"}, "--cpu 0%", false},
      {{.target = "deploy/web", .max = 3, .memory = "-1Gi"}, "--memory -1Gi", false},
      {{.target = "deploy/web", .max = 0}, "spec.maxReplicas", false},
      {{.target = "deploy/web", .min = 4, .max = 3}, "spec.m", false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.spec);
    const auto policy = MakePolicy(c.request);
    ASSERT_EQ(policy.ok(), c.ok);
    EXPECT_THAT(c.ok ? policy.value() : policy.error().message, HasSubstr(c.spec));
  }
}

TEST(DoubtAbout, IsWhetherANumberWithoutAUnitIsAPercentage) {
  EXPECT_EQ(DoubtAbout({.cpu = "60"}),
            "--cpu 60 is 60m in each pod; for a part of what they request write --cpu 60%");
  EXPECT_EQ(DoubtAbout({.cpu = "500", .memory = "80"}),
            "--memory 80 is 80Mi in each pod; for a part of what they request write --memory 80%");
  EXPECT_EQ(DoubtAbout({.cpu = "60%", .memory = "64Mi"}), "");
  EXPECT_EQ(DoubtAbout({.cpu = "60m"}), "");
}

// A server with this policy, or none; it answers an apply with resource version 8.
support::FakeTransport ServerWith(const std::string& policy) {
  return support::FakeTransport([policy](const kube::Request& request) -> Result<kube::Response> {
    if (request.method == kube::Method::kGet) {
      return policy.empty() ? Result<kube::Response>(Error{Code::kNotFound, "not found"})
                            : kube::Response{200, policy};
    }
    return kube::Response{200, R"({"metadata":{"resourceVersion":"8"}})"};
  });
}

std::string PolicyBy(const std::string& manager, const std::string& operation,
                     const std::string& version) {
  return R"({"metadata":{"resourceVersion":")" + version + R"(","managedFields":[{"manager":")" +
         manager + R"(","operation":")" + operation + R"("}]}})";
}

TEST(Autoscale, ChangesOnlyWhatItMade) {
  const std::string ours = "kubectl-ballast-autoscale";
  const struct {
    std::string present;
    std::optional<ApplyResult> applied;  // nullopt: refused
  } kCases[] = {
      {"", ApplyResult::kCreated},
      {PolicyBy(ours, "Apply", "7"), ApplyResult::kChanged},
      {PolicyBy(ours, "Apply", "8"), ApplyResult::kUnchanged},
      {PolicyBy(ours, "Update", "7"), std::nullopt},
      {PolicyBy("helm", "Apply", "7"), std::nullopt},
      {R"({"metadata":{"resourceVersion":"7"}})", std::nullopt},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.present);
    support::FakeTransport server = ServerWith(c.present);
    kube::Client client(server);
    const auto applied = Apply(client, {"shop", "web"}, "{}");
    ASSERT_EQ(applied.ok(), c.applied.has_value());
    ASSERT_EQ(server.requests().size(), c.applied ? 2U : 1U);
    if (!c.applied) {
      EXPECT_EQ(applied.error().code, Code::kConflict);
      EXPECT_THAT(applied.error().message, HasSubstr("shop/web"));
      continue;
    }
    EXPECT_EQ(*applied, *c.applied);
    const kube::Request sent = server.requests().back();
    EXPECT_EQ(sent.method, kube::Method::kPatch);
    EXPECT_EQ(sent.content_type, kube::kContentApply);
    EXPECT_EQ(support::QueryOf(sent, "fieldManager"), ours);
    EXPECT_EQ(support::QueryOf(sent, "force"), "-");
  }
}

TEST(Autoscale, WritesNothingWhileItCannotSeeWhatIsThere) {
  support::FakeTransport server([](const kube::Request&) -> Result<kube::Response> {
    return Error{Code::kForbidden, "may not get"};
  });
  kube::Client client(server);
  const auto applied = Apply(client, {"shop", "web"}, "{}");
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().code, Code::kForbidden);
  EXPECT_EQ(server.requests().size(), 1U);
}

}  // namespace
}  // namespace ballast::cli
