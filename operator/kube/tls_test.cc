#include "operator/kube/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/certificate_authority.h"
#include "tests/support/temp_dir.h"

namespace ballast::kube {
namespace {

using testing::HasSubstr;

TEST(ReadTls, NamesTheMaterialThatCannotBeUsed) {
  const support::TempDir dir;
  const support::CertificateAuthority ca;
  const support::KeyPair robot = ca.Issue("robot");
  const support::KeyPair other = ca.Issue("other");
  ClusterConfig good;
  good.ca.text = ca.certificate();
  good.client_certificate.file = dir.Write("robot.crt", robot.certificate);
  good.client_key.file = dir.Write("robot.key", robot.key);
  const auto checked = ReadTls(good);
  ASSERT_TRUE(checked.ok()) << checked.error().message;

  struct Case {
    Material ClusterConfig::*material;
    Material content;
    std::string message;
  };
  const Case cases[] = {
      {&ClusterConfig::ca, {.text = "garbage"}, "certificate-authority: holds no PEM certificate"},
      {&ClusterConfig::ca, {.file = "/nonexistent/ca"}, "/nonexistent/ca: No such file"},
      {&ClusterConfig::ca, {.file = dir.Write("empty", "")}, dir.path() + "/empty"},
      {&ClusterConfig::client_certificate, {.text = robot.key}, "client-certificate: holds no PEM"},
      {&ClusterConfig::client_key, {.text = robot.certificate}, "client-key: holds no PEM private"},
      {&ClusterConfig::client_key,
       {.text = other.key},
       "client-key: does not belong to the certificate"},
  };
  for (const Case& c : cases) {
    ClusterConfig config = good;
    config.*c.material = c.content;
    const auto status = ReadTls(config);
    ASSERT_FALSE(status.ok()) << c.message;
    EXPECT_THAT(status.error().message, HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace ballast::kube
