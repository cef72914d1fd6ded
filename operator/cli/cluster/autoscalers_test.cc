#include "operator/cli/cluster/autoscalers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_transport.h"

namespace ballast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Object(const std::string& namespace_, const std::string& name) {
  return R"({"metadata":{"namespace":")" + namespace_ + R"(","name":")" + name +
         R"("},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"maxReplicas":3}})";
}

TEST(AutoscalerName, IsReadInKubectlsForms) {
  const struct {
    const char* text;
    const char* kind;
    const char* namespace_;
    const char* name;
  } kCases[] = {
      {"web", "", "", "web"},
      {"shop/web", "", "shop", "web"},
      {"asp/web", api::kPolicyKind, "", "web"},
      {"AutoScalePolicy.ballast.dev/web", api::kPolicyKind, "", "web"},
      {"hpa/web", api::kHpaKind, "", "web"},
      {"horizontalpodautoscaler.autoscaling/web", api::kHpaKind, "", "web"},  // of -o name
      {"hpa.v2.autoscaling/web", api::kHpaKind, "", "web"},
      {"asp.v1alpha1.ballast.dev/web", api::kPolicyKind, "", "web"},
      {"horizontalpodautoscalers/web", api::kHpaKind, "", "web"},
  };
  for (const auto& c : kCases) {
    const auto name = ParseName(c.text);
    ASSERT_TRUE(name.ok()) << c.text;
    EXPECT_EQ(name->kind, c.kind) << c.text;
    EXPECT_EQ(name->namespace_, c.namespace_) << c.text;
    EXPECT_EQ(name->name, c.name) << c.text;
  }
  for (const char* wrong : {"", "/web", "asp/", "asp/shop/web"}) {
    EXPECT_FALSE(ParseName(wrong).ok()) << wrong;
  }
  for (const std::string type : {"deploy", "Deployments.apps", "sts", "rs.v1.apps", "rc"}) {
    const auto name = ParseName(type + "/web");
    ASSERT_FALSE(name.ok()) << type;
    EXPECT_EQ(name.error().message,
              "\"" + type +
                  "/web\" names a workload: give its autoscaler, asp/NAME or hpa/NAME "
                  "(or web -n " +
                  type + ", if that is a namespace)");
  }
}

TEST(Autoscalers, AreListedByNameWithBothKinds) {
  support::FakeTransport transport([](const kube::Request& request) -> Result<kube::Response> {
    const bool policies = request.path == "/apis/ballast.dev/v1alpha1/autoscalepolicies";
    EXPECT_TRUE(policies || request.path == "/apis/autoscaling/v2/horizontalpodautoscalers");
    return kube::Response{200, R"({"metadata":{},"items":[)" +
                                   (policies ? Object("shop", "web") + "," + Object("bank", "api")
                                             : Object("shop", "web")) +
                                   "]}"};
  });
  kube::Client client(transport);
  const FoundAutoscalers found = ListAutoscalers(client, "");
  EXPECT_THAT(found.problems, SizeIs(0));
  std::vector<std::string> names;
  for (const api::Autoscaler& autoscaler : found.all) {
    names.push_back(autoscaler.metadata.namespace_ + " " + PrintName(autoscaler));
  }
  EXPECT_THAT(names, ElementsAre("bank asp/api", "shop asp/web", "shop hpa/web"));
}

// One kind that cannot be read does not hide the other.
TEST(Autoscalers, AreListedAsFarAsTheyCanBeRead) {
  support::FakeTransport transport([](const kube::Request& request) -> Result<kube::Response> {
    if (request.path.find("/autoscalepolicies") != std::string::npos) {
      return Error{Code::kNotFound, "the server could not find the requested resource"};
    }
    return Error{Code::kForbidden, "alice may not"};
  });
  kube::Client client(transport);
  EXPECT_THAT(ListAutoscalers(client, "shop").problems,
              ElementsAre(HasSubstr("the CRD is not installed"),
                          "horizontalpodautoscalers cannot be read: alice may not"));
}

TEST(Autoscalers, AreFoundByName) {
  support::FakeTransport transport([](const kube::Request& request) -> Result<kube::Response> {
    if (request.path.ends_with("/namespaces/shop/horizontalpodautoscalers/web")) {
      return kube::Response{200, Object("shop", "web")};
    }
    return Error{Code::kNotFound, "not found"};
  });
  kube::Client client(transport);
  const FoundAutoscalers found = FindAutoscalers(client, {.name = "web"}, "shop");
  EXPECT_THAT(found.problems, SizeIs(0));
  ASSERT_THAT(found.all, SizeIs(1));
  EXPECT_EQ(PrintName(found.all.front()), "hpa/web");
  EXPECT_TRUE(FindAutoscaler(client, {.name = "web"}, "shop").ok());
  EXPECT_THAT(FindAutoscalers(client, {.kind = api::kPolicyKind, .name = "web"}, "shop").problems,
              ElementsAre("there is no AutoScalePolicy web in namespace shop"));
  EXPECT_THAT(FindAutoscalers(client, {.namespace_ = "bank", .name = "web"}, "shop").all,
              SizeIs(0));
}

// Whoever may read policies only sees the policy; what changes one must know that it is the only
// one of the name.
TEST(Autoscalers, AreFoundAsFarAsTheyCanBeRead) {
  support::FakeTransport transport([](const kube::Request& request) -> Result<kube::Response> {
    if (request.path.find("/autoscalepolicies") != std::string::npos) {
      return kube::Response{200, Object("shop", "web")};
    }
    return Error{Code::kForbidden, "alice may not"};
  });
  kube::Client client(transport);
  const FoundAutoscalers found = FindAutoscalers(client, {.name = "web"}, "shop");
  EXPECT_THAT(found.all, SizeIs(1));
  EXPECT_THAT(found.problems,
              ElementsAre("horizontalpodautoscalers cannot be read: alice may not"));
  const auto one = FindAutoscaler(client, {.name = "web"}, "shop");
  ASSERT_FALSE(one.ok());
  EXPECT_EQ(one.error().code, Code::kUnavailable);
  EXPECT_TRUE(FindAutoscaler(client, {.kind = api::kPolicyKind, .name = "web"}, "shop").ok());
}

TEST(Autoscalers, OfBothKindsAreNotOne) {
  support::FakeTransport transport([](const kube::Request&) -> Result<kube::Response> {
    return kube::Response{200, Object("shop", "web")};
  });
  kube::Client client(transport);
  EXPECT_EQ(FindAutoscaler(client, {.name = "web"}, "shop").error().code, Code::kConflict);
}

}  // namespace
}  // namespace ballast::cli
