#include "operator/kube/auth/exec_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_patience.h"

namespace ballast::kube {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

class ExecPluginTest : public testing::Test {
 protected:
  // A plugin that prints an ExecCredential with `status` and appends "run" to a file at each run.
  ClusterConfig Config(const std::string& status) {
    return Script(R"(echo '{"apiVersion":")" + std::string(kV1) +
                  R"(","kind":"ExecCredential","status":)" + status + "}'");
  }
  ClusterConfig Script(const std::string& script) {
    ClusterConfig config{.server = "https://api:6443", .ca = {.text = "PEM"}};
    config.exec = ExecConfig{.api_version = kV1,
                             .command = "sh",
                             .args = {"-c", "echo run >> " + runs_ + "; " + script}};
    return config;
  }
  int Runs() const {
    std::ifstream file(runs_);
    int lines = 0;
    for (std::string line; std::getline(file, line);) {
      ++lines;
    }
    return lines;
  }
  ExecPlugin Plugin(const ClusterConfig& config) { return ExecPlugin(config, clock_); }

  static std::chrono::steady_clock::time_point Soon() {
    return std::chrono::steady_clock::now() + support::Patience();
  }

  support::TempDir dir_;
  std::string runs_ = dir_.path() + "/runs";
  support::FakeClock clock_;  // begins at 2023-11-14T22:13:20Z
};

TEST_F(ExecPluginTest, RunsAgainWhenTheCredentialsExpire) {
  ExecPlugin plugin =
      Plugin(Config(R"({"token":"t1","expirationTimestamp":"2023-11-14T22:23:20Z"})"));
  EXPECT_EQ(plugin.Get(Soon())->token, "t1");
  clock_.SetWall(std::chrono::seconds(599));
  EXPECT_EQ(plugin.Get(Soon())->token, "t1");
  EXPECT_EQ(Runs(), 1);
  clock_.SetWall(std::chrono::seconds(1));
  EXPECT_TRUE(plugin.Get(Soon()).ok());
  EXPECT_EQ(Runs(), 2);
}

TEST_F(ExecPluginTest, KeepsWhatDoesNotExpire) {
  ExecPlugin plugin = Plugin(Config(R"({"clientCertificateData":"C","clientKeyData":"K"})"));
  clock_.SetWall(std::chrono::seconds(100'000));
  EXPECT_EQ(plugin.Get(Soon())->client_certificate.text, "C");
  EXPECT_EQ(plugin.Get(Soon())->client_key.text, "K");
  EXPECT_EQ(Runs(), 1);
}

TEST_F(ExecPluginTest, RunsAgainWhenRefused) {
  const std::string token = dir_.Write("token", "old");
  ExecPlugin plugin = Plugin(Script(R"(echo "{\"apiVersion\":\")" + std::string(kV1) +
                                    R"(\",\"status\":{\"token\":\"$(cat )" + token + R"()\"}}")"));
  const Credentials old = plugin.Get(Soon()).value();
  EXPECT_EQ(old.token, "old");
  EXPECT_FALSE(plugin.Renew(old, Soon())) << "the same again is no use";
  dir_.Write("token", "new");
  EXPECT_TRUE(plugin.Renew(old, Soon()));
  EXPECT_TRUE(plugin.Renew(old, Soon())) << "another thread had the old one too";
  EXPECT_EQ(Runs(), 3);
  EXPECT_EQ(plugin.Get(Soon())->token, "new");
}

TEST_F(ExecPluginTest, IsToldWhatItIsFor) {
  ClusterConfig config = Config(R"({"token":"t"})");
  config.exec->args[1] += "; printf %s \"$KUBERNETES_EXEC_INFO\" > " + dir_.path() + "/info";
  const auto info = [&] {
    EXPECT_TRUE(Plugin(config).Get(Soon()).ok());
    return Material{.file = dir_.path() + "/info"}.Read().value();
  };
  EXPECT_EQ(info(), R"({"kind":"ExecCredential","apiVersion":")" + std::string(kV1) +
                        R"(","spec":{"interactive":false}})");
  config.exec->cluster_info = true;
  config.exec->cluster_options = R"({"audience":"prod"})";
  EXPECT_EQ(info(), R"({"kind":"ExecCredential","apiVersion":")" + std::string(kV1) +
                        R"(","spec":{"interactive":false,"cluster":{"server":"https://api:6443",)"
                        R"("certificate-authority-data":"UEVN","config":{"audience":"prod"}}}})");
}

TEST_F(ExecPluginTest, SaysWhatIsWrongAndNeverTheToken) {
  struct Case {
    ClusterConfig config;
    const char* message;
  };
  ClusterConfig missing = Config("{}");
  missing.exec->command = "/nonexistent/login";
  missing.exec->install_hint = "see the wiki";
  const Case cases[] = {
      {Script("exit 1"), "the credential plugin sh: ended with status 1"},
      {Script("echo s3cret"), "what it prints is not JSON"},
      {Config("{}"), "status: has neither a token nor a client certificate"},
      {Config(R"({"clientKeyData":"s3cret"})"),
       "status: clientCertificateData and clientKeyData need each other"},
      {Config(R"({"token":"s3cret","expirationTimestamp":"soon"})"), "status.expirationTimestamp"},
      {Config(R"({"token":"s3cret\u000d"})"), "status.token: has a line break"},
      {Script(R"(echo '{"apiVersion":"v2","status":{"token":"s3cret"}}')"),
       "apiVersion: expected client.authentication.k8s.io/v1"},
      {missing, "/nonexistent/login: cannot be run: No such file or directory; see the wiki"},
  };
  for (const Case& c : cases) {
    const auto credentials = Plugin(c.config).Get(Soon());
    ASSERT_FALSE(credentials.ok()) << c.message;
    EXPECT_THAT(credentials.error().message, HasSubstr(c.message));
    EXPECT_THAT(credentials.error().message, Not(HasSubstr("s3cret")));
  }
}

// The run continues, and the next caller gets its result.
TEST_F(ExecPluginTest, ASlowOneCostsNoCallMoreThanItHas) {
  const std::string pipe = dir_.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ClusterConfig config = Config(R"({"token":"t1"})");
  config.exec->args.back() = "read line < " + pipe + "; " + config.exec->args.back();
  ExecPlugin plugin = Plugin(config);
  for (int i = 0; i < 2; ++i) {
    const auto late = plugin.Get(std::chrono::steady_clock::now());
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().code, Code::kTimeout);
  }
  std::ofstream(pipe) << "go on" << std::endl;
  EXPECT_EQ(plugin.Get(Soon())->token, "t1");
  EXPECT_EQ(Runs(), 1);
}

TEST_F(ExecPluginTest, DoesNotRunAFailingOneInAHotLoop) {
  ExecPlugin plugin = Plugin(Script("exit 1"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(plugin.Get(Soon()).ok());
  }
  EXPECT_EQ(Runs(), 1);
  clock_.SetWall(std::chrono::seconds(10));
  EXPECT_FALSE(plugin.Get(Soon()).ok());
  EXPECT_EQ(Runs(), 2);
  clock_.SetWall(-std::chrono::seconds(3600));
  EXPECT_FALSE(plugin.Get(Soon()).ok());
  EXPECT_EQ(Runs(), 3) << "the clock was set back";
}

}  // namespace
}  // namespace ballast::kube
