#include "operator/kube/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/temp_dir.h"

namespace ballast::kube {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kGood = R"(
apiVersion: v1
kind: Config
current-context: prod
contexts:
- name: dev
  context: {cluster: other, user: nobody}
- name: prod
  context: {cluster: main, user: robot, namespace: shop}
clusters:
- name: other
  cluster: {server: "http://localhost:1"}
- name: main
  cluster:
    server: https://api.example:6443
    certificate-authority-data: Q0EgUEVN
    tls-server-name: kubernetes
users:
- name: robot
  user:
    client-certificate: pki/robot.crt
    client-key-data: S0VZ
    tokenFile: /var/token
- name: nobody
  user: {}
)";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(LoadKubeconfig, ReadsTheCurrentContext) {
  const support::TempDir dir;
  const auto config = LoadKubeconfig(dir.Write("config", kGood));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server, "https://api.example:6443");
  EXPECT_EQ(config->tls_server_name, "kubernetes");
  EXPECT_EQ(config->ca.text, "CA PEM");
  EXPECT_EQ(config->client_certificate.file, dir.path() + "/pki/robot.crt");
  EXPECT_EQ(config->client_key.text, "KEY");
  EXPECT_EQ(config->token.file, "/var/token");
  EXPECT_EQ(config->namespace_, "shop");
  EXPECT_FALSE(config->insecure_skip_tls_verify);
}

TEST(LoadKubeconfig, AContextWithoutUserIsAnonymous) {
  const support::TempDir dir;
  const auto config = LoadKubeconfig(
      dir.Write("config", Replaced(kGood, "cluster: main, user: robot", "cluster: other")));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_TRUE(config->token.empty());
  EXPECT_EQ(config->server, "http://localhost:1");
}

TEST(LoadKubeconfig, NamesFileAndKeyOfWhatIsWrong) {
  struct Case {
    const char* name;
    const char* from;
    const char* to;
    const char* message;
  };
  const Case cases[] = {
      {"no current context", "current-context: prod", "", "current-context: is required"},
      {"unknown context", "current-context: prod", "current-context: x",
       "contexts: has no entry named \"x\""},
      {"unknown cluster", "{cluster: main", "{cluster: x", "clusters: has no entry named \"x\""},
      {"unknown user", "user: robot", "user: x", "users: has no entry named \"x\""},
      {"no server", "    server: https://api.example:6443\n", "",
       "clusters[1].cluster.server: is required"},
      {"bad server", "https://api.example:6443", "api.example",
       "clusters[1].cluster.server: \"api.example\" is not a server's URL"},
      {"bad base64", "Q0EgUEVN", "\"%%\"",
       "clusters[1].cluster.certificate-authority-data: not base64"},
      {"insecure with CA", "tls-server-name: kubernetes", "insecure-skip-tls-verify: true",
       "clusters[1].cluster.insecure-skip-tls-verify: contradicts certificate-authority"},
      {"proxy", "tls-server-name: kubernetes", "proxy-url: http://p",
       "clusters[1].cluster.proxy-url: is not supported"},
      {"exec", "tokenFile: /var/token", "exec: {command: aws}",
       "users[0].user.exec: is not supported"},
      {"impersonation", "tokenFile: /var/token", "as: admin", "users[0].user.as: is not supported"},
      {"certificate without key", "client-key-data: S0VZ", "token: x",
       "users[0].user: client-certificate and client-key need each other"},
      {"wrong type", "tokenFile: /var/token", "token: [1]",
       "users[0].user.token: expected a string, got an array"},
      {"not YAML", "kind: Config", "kind: [", "not YAML: line"},
  };
  for (const Case& c : cases) {
    const support::TempDir dir;
    const std::string path = dir.Write("config", Replaced(kGood, c.from, c.to));
    const auto config = LoadKubeconfig(path);
    ASSERT_FALSE(config.ok()) << c.name;
    EXPECT_EQ(config.error().code, Code::kInvalid) << c.name;
    EXPECT_THAT(config.error().message, HasSubstr(path + ": ")) << c.name;
    EXPECT_THAT(config.error().message, HasSubstr(c.message)) << c.name;
  }
}

TEST(LoadKubeconfig, ErrorsShowNoToken) {
  const support::TempDir dir;
  const auto config = LoadKubeconfig(dir.Write(
      "config", Replaced(kGood, "tokenFile: /var/token", "token: s3cret\n    exec: {a: s3cret}")));
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message, Not(HasSubstr("s3cret")));
}

TEST(LoadKubeconfig, SaysWhenTheFileIsMissing) {
  const auto config = LoadKubeconfig("/nonexistent/config");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().code, Code::kNotFound);
  EXPECT_THAT(config.error().message, HasSubstr("/nonexistent/config"));
}

TEST(LoadKubeconfig, SurvivesGarbage) {
  const support::TempDir dir;
  for (const char* text : {"", "[]", "1", "null", "clusters: 5\ncurrent-context: a",
                           "current-context: a\ncontexts: [1, {name: a, context: 3}]",
                           "a: 1\n---\nb: 2\n", "\x01\x02\xff"}) {
    EXPECT_FALSE(LoadKubeconfig(dir.Write("config", text)).ok()) << text;
  }
}

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

TEST_F(InCluster, ReadsTheServiceAccount) {
  const auto config = LoadInCluster(dir_.path());
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server, "https://10.96.0.1:443");
  EXPECT_EQ(config->token.file, dir_.path() + "/token");
  EXPECT_EQ(config->ca.file, dir_.path() + "/ca.crt");
  EXPECT_EQ(config->namespace_, "ballast-system");
}

TEST_F(InCluster, UsesTheServicesNameForAnIpv6Address) {
  setenv("KUBERNETES_SERVICE_HOST", "fd00:10:96::1", 1);
  const auto config = LoadInCluster(dir_.path());
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server, "https://kubernetes.default.svc:443");
}

TEST_F(InCluster, NamesTheMissingFile) {
  const support::TempDir empty;
  const auto config = LoadInCluster(empty.path());
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message, HasSubstr(empty.path() + "/token"));
}

TEST_F(InCluster, SaysThatThisIsNoPod) {
  unsetenv("KUBERNETES_SERVICE_HOST");
  const auto config = LoadInCluster(dir_.path());
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().code, Code::kNotFound);
}

}  // namespace
}  // namespace ballast::kube
