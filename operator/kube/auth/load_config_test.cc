#include "operator/kube/auth/load_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/temp_dir.h"

namespace ballast::kube {
namespace {

using testing::HasSubstr;

class InCluster : public testing::Test {
 protected:
  void SetUp() override {
    setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1", 1);
    setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    dir_.Write("token", "t");
    dir_.Write("ca.crt", "ca");
    dir_.Write("namespace", "ballast-system");
  }
  void TearDown() override {
    unsetenv("KUBERNETES_SERVICE_HOST");
    unsetenv("KUBERNETES_SERVICE_PORT");
  }
  support::TempDir dir_;
};

// It becomes a header of each request.
TEST_F(InCluster, RefusesALineBreakInWhomToActAs) {
  for (const std::string& kubeconfig : {std::string(), dir_.Write("config", "{}")}) {
    EXPECT_THAT(LoadConfig(kubeconfig, {.as = "a\nb"}).error().message, HasSubstr("--as: "));
    EXPECT_THAT(LoadConfig(kubeconfig, {.as_uid = "a\nb"}).error().message,
                HasSubstr("--as-uid: "));
    EXPECT_THAT(LoadConfig(kubeconfig, {.as_groups = {"a", "\r"}}).error().message,
                HasSubstr("--as-group: "));
  }
}

TEST_F(InCluster, ReadsTheServiceAccount) {
  const auto config = LoadInCluster(dir_.path());
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server, "https://10.96.0.1:443");
  EXPECT_EQ(config->token.file, dir_.path() + "/token");
  EXPECT_EQ(config->ca.file, dir_.path() + "/ca.crt");
  EXPECT_EQ(config->namespace_, "ballast-system");
}

TEST_F(InCluster, AnIpv6AddressStandsInBrackets) {
  setenv("KUBERNETES_SERVICE_HOST", "fd00:10:96::1", 1);
  const auto config = LoadInCluster(dir_.path());
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server, "https://[fd00:10:96::1]:443");
}

TEST_F(InCluster, NamesTheMissingFile) {
  const support::TempDir empty;
  const auto config = LoadInCluster(empty.path());
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message, HasSubstr(empty.path() + "/token"));
}

TEST_F(InCluster, IsWhatCountsWithoutAKubeconfig) {
  unsetenv("KUBERNETES_SERVICE_HOST");
  const auto none = LoadConfig("");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message,
            "there is no kubeconfig, and this is no pod: KUBERNETES_SERVICE_HOST and "
            "KUBERNETES_SERVICE_PORT are unset; name a file with --kubeconfig or $KUBECONFIG");

  const auto kubeconfig = [this](const std::string& name) {
    return dir_.Write(name,
                      "{current-context: c, contexts: [{name: c, context: {cluster: c}}], "
                      "clusters: [{name: c, cluster: {server: 'http://" +
                          name + "'}}]}");
  };
  setenv("KUBECONFIG", (":/nonexistent:" + kubeconfig("listed")).c_str(), 1);
  EXPECT_EQ(LoadConfig("")->server, "http://listed");
  EXPECT_EQ(LoadConfig(kubeconfig("named"))->server, "http://named");
  // One file is named, as to kubectl.
  EXPECT_EQ(LoadConfig(kubeconfig("arn:8080"))->server, "http://arn:8080");
  unsetenv("KUBECONFIG");
}

TEST_F(InCluster, SaysThatThisIsNoPod) {
  unsetenv("KUBERNETES_SERVICE_HOST");
  const auto config = LoadInCluster(dir_.path());
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().code, Code::kNotFound);
}

}  // namespace
}  // namespace ballast::kube
