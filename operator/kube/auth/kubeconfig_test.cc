#include "operator/kube/auth/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace ballast::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

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

TEST(LoadKubeconfig, ReadsTheContextThatIsNamed) {
  const support::TempDir dir;
  const std::string file = dir.Write("config", kGood);
  EXPECT_EQ(LoadKubeconfig(file, {.context = "dev"})->server, "http://localhost:1");
  EXPECT_EQ(LoadKubeconfig(file, {.context = "prod"})->server, "https://api.example:6443");
  EXPECT_THAT(LoadKubeconfig(file, {.context = "x"}).error().message,
              HasSubstr("contexts: has no entry named \"x\""));
  const std::string none = dir.Write("none", Replaced(kGood, "current-context: prod", ""));
  EXPECT_TRUE(LoadKubeconfig(none, {.context = "prod"}).ok());
}

TEST(LoadKubeconfig, TakesClusterAndUserThatAreNamed) {
  const support::TempDir dir;
  const std::string file = dir.Write("config", kGood);
  EXPECT_EQ(LoadKubeconfig(file, {.cluster = "other"})->server, "http://localhost:1");
  EXPECT_EQ(LoadKubeconfig(file, {.cluster = "other"})->namespace_, "shop");
  EXPECT_THAT(LoadKubeconfig(file, {.cluster = "x"}).error().message,
              HasSubstr("clusters: has no entry named \"x\""));
  EXPECT_THAT(LoadKubeconfig(file, {.user = "x"}).error().message,
              HasSubstr("users: has no entry named \"x\""));
  EXPECT_EQ(LoadKubeconfig(file, {.as = "alice"})->impersonate.user, "alice");
  const std::string none = dir.Write("none", Replaced(kGood, "current-context: prod", ""));
  EXPECT_EQ(LoadKubeconfig(none, {.cluster = "main", .user = "robot"})->token.file, "/var/token");
}

// What the tools of EKS, GKE, AKS, OpenShift and Rancher leave in a file, and what people do to it.
TEST(LoadKubeconfig, ReadsWhatClientGoReads) {
  const std::string before =
      "current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n";
  const std::string cluster = "clusters: [{name: c, cluster: {server: \"https://h:1\"}}]\n";
  const struct {
    const char* name;
    std::string text;
    const char* server;
  } kCases[] = {
      {"an empty user", before + cluster + "users: [{name: u, user: {}}]", "https://h:1"},
      {"a null user", before + cluster + "users: [{name: u, user: null}]", "https://h:1"},
      {"no user", before + cluster + "users: [{name: u}]", "https://h:1"},
      {"empty passwords",
       before + cluster + "users: [{name: u, user: {username: '', password: ''}}]", "https://h:1"},
      {"nulls",
       before + cluster +
           "users: [{name: u, user: {token: null, auth-provider: null}}]\n"
           "preferences: null\nextensions: null",
       "https://h:1"},
      {"extensions",
       before + "clusters: [{name: c, cluster: {server: \"https://h:1\", extensions: "
                "[{name: cluster_info, extension: {provider: minikube}}]}}]\nusers: [{name: u, "
                "user: {}}]",
       "https://h:1"},
      {"a prefix",
       before + "clusters: [{name: c, cluster: {server: "
                "\"https://rancher/k8s/clusters/c-1/?x=y#z\"}}]\nusers: [{name: u}]",
       "https://rancher/k8s/clusters/c-1/"},
      {"a scheme in capitals",
       before + "clusters: [{name: c, cluster: {server: \"HTTPS://h\"}}]\n"
                "users: [{name: u}]",
       "https://h"},
      {"no scheme",
       before + "clusters: [{name: c, cluster: {server: \"localhost:8080\"}}]\n"
                "users: [{name: u}]",
       "http://localhost:8080"},
      {"the first of several documents", before + cluster + "users: [{name: u}]\n---\na: 1\n",
       "https://h:1"},
      {"a plugin",
       before + cluster +
           "users: [{name: u, user: {exec: {apiVersion: "
           "client.authentication.k8s.io/v1beta1, command: kubelogin, args: null, env: null, "
           "provideClusterInfo: false}}}]",
       "https://h:1"},
  };
  const support::TempDir dir;
  const std::string empty = dir.Write("empty", "# nothing\n");
  for (const auto& c : kCases) {
    const auto config = LoadKubeconfig(empty + ":" + dir.Write("config", c.text));
    ASSERT_TRUE(config.ok()) << c.name << ": " << config.error().message;
    EXPECT_EQ(config->server, c.server) << c.name;
  }
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
      {"an empty entry",
       "- name: main\n  cluster:", "- name: main\n  clutter:", "clusters[1].cluster: is required"},
      {"bad server", "https://api.example:6443", "ftp://api.example",
       "clusters[1].cluster.server: \"ftp://api.example\" is not a server's URL"},
      {"bad base64", "Q0EgUEVN", "\"%%\"",
       "clusters[1].cluster.certificate-authority-data: not base64"},
      {"insecure with CA", "tls-server-name: kubernetes", "insecure-skip-tls-verify: true",
       "clusters[1].cluster.insecure-skip-tls-verify: contradicts certificate-authority"},
      {"proxy", "tls-server-name: kubernetes", "proxy-url: socks5://p",
       "clusters[1].cluster.proxy-url: only a proxy of the form http://host:port"},
      {"basic authentication", "tokenFile: /var/token", "password: x",
       "users[0].user.password: is not supported"},
      {"exec without version", "tokenFile: /var/token", "exec: {command: aws}",
       "users[0].user.exec.apiVersion: is required"},
      {"exec of an old version", "tokenFile: /var/token",
       "exec: {command: aws, apiVersion: client.authentication.k8s.io/v1alpha1}",
       "users[0].user.exec.apiVersion: is not supported; client.authentication.k8s.io/v1 and"},
      {"exec without command", "tokenFile: /var/token",
       "exec: {apiVersion: client.authentication.k8s.io/v1beta1}",
       "users[0].user.exec.command: is required"},
      {"exec without mode", "tokenFile: /var/token",
       "exec: {command: aws, apiVersion: client.authentication.k8s.io/v1}",
       "users[0].user.exec.interactiveMode: is required"},
      {"exec at a terminal", "tokenFile: /var/token",
       "exec: {command: a, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always}",
       "users[0].user.exec.interactiveMode: there is no terminal"},
      {"impersonation", "tokenFile: /var/token", "as-uid: admin",
       "users[0].user: as-uid, as-groups"},
      {"impersonated groups", "tokenFile: /var/token", "as: a\n    as-groups: b",
       "users[0].user.as-groups: expected an array"},
      {"a line break in a group", "tokenFile: /var/token", "as: a\n    as-groups: [b, \"c\\n\"]",
       "users[0].user.as-groups[1]: has a line break"},
      {"a line break in a header", "tokenFile: /var/token", "as: \"a\\nb\"",
       "users[0].user.as: has a line break or another control character"},
      {"a line break in an extra", "tokenFile: /var/token",
       "as: a\n    as-user-extra: {why: [b, \"a\\r\"]}",
       "users[0].user.as-user-extra.why[1]: has a line break"},
      {"certificate without key", "client-key-data: S0VZ", "token: x",
       "users[0].user: client-certificate needs client-key"},
      {"certificate twice", "client-certificate: pki/robot.crt",
       "client-certificate: pki/robot.crt\n    client-certificate-data: S0VZ",
       "users[0].user.client-certificate-data: contradicts client-certificate; keep one"},
      {"token and password", "tokenFile: /var/token", "token: x\n    username: jane",
       "users[0].user.token: contradicts username"},
      {"two of a name", "name: other\n  cluster", "name: main\n  cluster",
       "clusters[1]: has the name \"main\" of an earlier entry"},
      {"wrong where nobody chooses it", "server: \"http://localhost:1\"", "server: [x]",
       "clusters[0].cluster.server: expected a string"},
      {"another kind", "kind: Config", "kind: Pod", "kind: must be Config in a kubeconfig"},
      {"another version", "apiVersion: v1", "apiVersion: v2", "apiVersion: must be v1"},
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

TEST(LoadKubeconfig, ReadsExecProxyAndImpersonation) {
  const support::TempDir dir;
  const std::string text =
      Replaced(Replaced(kGood, "tls-server-name: kubernetes",
                        "proxy-url: http://proxy:3128\n    extensions: [{name: "
                        "client.authentication.k8s.io/exec, extension: {audience: prod}}]"),
               "tokenFile: /var/token", R"(as: jane
    as-uid: "7"
    as-groups: [developers, guests]
    as-user-extra: {Reason: [debug, 'a, b'], scopes: ['']}
    exec:
      apiVersion: client.authentication.k8s.io/v1
      interactiveMode: IfAvailable
      command: bin/login
      args: [get, token]
      env: [{name: A, value: b}]
      installHint: see the wiki
      provideClusterInfo: true)");
  const auto config = LoadKubeconfig(dir.Write("config", text));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->proxy_url, "http://proxy:3128");
  EXPECT_EQ(config->impersonate.user, "jane");
  EXPECT_EQ(config->impersonate.uid, "7");
  EXPECT_THAT(config->impersonate.groups, ElementsAre("developers", "guests"));
  EXPECT_THAT(config->impersonate.extra, ElementsAre(Pair("Reason", ElementsAre("debug", "a, b")),
                                                     Pair("scopes", ElementsAre(""))));
  ASSERT_TRUE(config->exec);
  EXPECT_EQ(config->exec->command, dir.path() + "/bin/login");
  EXPECT_THAT(config->exec->args, ElementsAre("get", "token"));
  EXPECT_THAT(config->exec->env, ElementsAre(Pair("A", "b")));
  EXPECT_EQ(config->exec->install_hint, "see the wiki");
  EXPECT_TRUE(config->exec->cluster_info);
  EXPECT_EQ(config->exec->cluster_options, R"({"audience":"prod"})");
}

// As client-go: what is secret goes only where it is encrypted.
TEST(LoadKubeconfig, SendsNoSecretInTheClear) {
  const support::TempDir dir;
  const auto config = LoadKubeconfig(dir.Write(
      "config", Replaced(Replaced(kGood, "https://api.example:6443", "http://api.example"),
                         "tokenFile: /var/token", "token: t\n    as: jane")));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_TRUE(config->token.empty());
  EXPECT_TRUE(config->client_key.empty());
  EXPECT_TRUE(config->ca.empty());
  EXPECT_EQ(config->impersonate.user, "jane");
  for (const auto& [server, sent] : {std::pair{"localhost:8080", true},
                                     {"http://127.0.0.1:1", true},
                                     {"http://[::1]:1", true},
                                     {"http://127.example", false},
                                     {"http://10.0.0.1", false}}) {
    const auto local =
        LoadKubeconfig(dir.Write("config", Replaced(kGood, "https://api.example:6443", server)));
    ASSERT_TRUE(local.ok()) << local.error().message;
    EXPECT_EQ(!local->token.empty(), sent) << server;
  }
}

TEST(LoadKubeconfig, TakesWhomTheCallerNames) {
  const support::TempDir dir;
  const std::string file = dir.Write(
      "config",
      Replaced(kGood, "tokenFile: /var/token", "as: jane\n    as-uid: '7'\n    as-groups: [a]"));
  const auto config = LoadKubeconfig(file, {.as = "bob", .as_groups = {"b", "c"}});
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->impersonate.user, "bob");
  EXPECT_EQ(config->impersonate.uid, "7");
  EXPECT_THAT(config->impersonate.groups, ElementsAre("b", "c"));
  EXPECT_THAT(LoadKubeconfig(dir.Write("config", kGood), {.as_groups = {"b"}}).error().message,
              HasSubstr("need `as`"));
}

TEST(LoadKubeconfig, MergesFilesAsKubectlDoes) {
  const support::TempDir first;
  const support::TempDir second;
  const std::string a = first.Write("a", R"(
current-context: both
clusters: [{name: main, cluster: {server: "https://first:1", certificate-authority: ca.crt}}]
users: []
)");
  const std::string b = second.Write("b", R"(
current-context: other
contexts: [{name: both, context: {cluster: main, user: robot}}]
clusters: [{name: main, cluster: {server: "https://second:2"}}]
users: [{name: robot, user: {tokenFile: token}}]
)");
  const auto config = LoadKubeconfig("/nonexistent:" + a + "::" + b + ":");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server, "https://first:1") << "the first that names it counts";
  EXPECT_EQ(config->ca.file, first.path() + "/ca.crt");
  EXPECT_EQ(config->token.file, second.path() + "/token") << "relative to its own file";

  // An error names the file that has the problem, or all of them if an entry is in none.
  second.Write("b", "contexts: [{name: both, context: {cluster: [main]}}]");
  EXPECT_THAT(LoadKubeconfig(a + ":" + b).error().message,
              HasSubstr(b + ": contexts[0].context.cluster: expected a string"));
  second.Write("b", "contexts: []");
  EXPECT_THAT(LoadKubeconfig(a + ":" + b).error().message,
              HasSubstr(a + ", " + b + ": contexts: has no entry named \"both\""));
  second.Write("b", "contexts: 7");
  EXPECT_THAT(LoadKubeconfig(a + ":" + b).error().message, HasSubstr(b + ": contexts: expected"));
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

}  // namespace
}  // namespace ballast::kube
