#include "operator/cli/pods/pod_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "operator/cli/testing/fake_kubectl.h"

namespace ballast::cli {
namespace {

constexpr const char* kKubectlInContext = R"(#!/bin/sh
if [ "$NO_CONTEXT" ]; then
  echo "error: current-context must exist in order to minify" >&2; exit 1
fi
printf team
)";

class PodOptionsTest : public ::testing::Test {
 protected:
  const testing::FakeKubectl kubectl_{kKubectlInContext};
};

TEST_F(PodOptionsTest, ANameWithoutANamespaceIsOneOfTheContexts) {
  const struct {
    AutoscalerChoice of;
    const char* namespace_;
  } kCases[] = {
      {{}, ""},
      {{.namespace_ = "shop"}, "shop"},
      {{.name = "shop/web"}, ""},
      {{.name = "web"}, "team"},
      {{.name = "asp/web"}, "team"},
      {{.name = "hpa/web", .namespace_ = "shop", .kind = "HorizontalPodAutoscaler"}, "shop"}};
  for (const auto& c : kCases) {
    const auto of = InContext({}, c.of);
    ASSERT_TRUE(of.ok()) << of.error().message;
    EXPECT_EQ(of->namespace_, c.namespace_) << c.of.name;
    EXPECT_EQ(of->name, c.of.name);
    EXPECT_EQ(of->kind, c.of.kind);
  }
  EXPECT_EQ(InContext({}, {.name = "a/b/c"}).error().code, Code::kInvalid);
  EXPECT_EQ(InContext({}, {.name = "shop/web", .namespace_ = "blog"}).error().code, Code::kInvalid);
}

TEST_F(PodOptionsTest, NamesWhatToDoWithoutAContext) {
  setenv("NO_CONTEXT", "1", 1);
  const auto of = InContext({}, {.name = "web"});
  unsetenv("NO_CONTEXT");
  ASSERT_FALSE(of.ok());
  EXPECT_EQ(
      of.error().message,
      "the namespace of \"web\" is not known: kubectl: there is no kubeconfig, or none of its "
      "contexts is current (choose a context with --context, or the namespace with -n)");
}

TEST(FirstLine, IsNotOneOfKubectlsLog) {
  const std::string logged = "E1125 19:01:56.123456    1234 memcache.go:265] \"Unhandled Error\"\n";
  EXPECT_EQ(FirstLine(logged + logged + "The connection to the server was refused\nmore\n"),
            "The connection to the server was refused");
  EXPECT_EQ(FirstLine(logged), logged.substr(0, logged.size() - 1));
  EXPECT_EQ(FirstLine("Error: no"), "Error: no");
  EXPECT_EQ(FirstLine("a\a\n"), "a\uFFFD") << "nothing for the caller's terminal to obey";
  EXPECT_EQ(FirstLine(""), "");
}

TEST(WhyKubectlFailed, NamesTheKubeconfigWhereThereIsNone) {
  EXPECT_EQ(WhyKubectlFailed("E1125 19:01:56.123456    1234 memcache.go:265] \"Unhandled Error\"\n"
                             "The connection to the server localhost:8080 was refused - did you "
                             "specify the right host or port?\n"),
            "there is no kubeconfig, or it names no cluster");
  EXPECT_EQ(WhyKubectlFailed("The connection to the server 10.0.0.1:6443 was refused\n"),
            "The connection to the server 10.0.0.1:6443 was refused");
}

}  // namespace
}  // namespace ballast::cli
