#include "operator/kube/http/tls.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "operator/kube/http/shared_tls.h"
#include "tests/support/certificate_authority.h"
#include "tests/support/temp_dir.h"

namespace ballast::kube {
namespace {

using testing::HasSubstr;

class TlsTest : public testing::Test {
 protected:
  TlsTest() {
    config_.ca.text = ca_.certificate();
    config_.client_certificate.file = dir_.Write("robot.crt", robot_.certificate);
    config_.client_key.file = dir_.Write("robot.key", robot_.key);
  }

  const support::TempDir dir_;
  const support::CertificateAuthority ca_;
  const support::KeyPair robot_ = ca_.Issue("robot");
  ClusterConfig config_;
};

TEST_F(TlsTest, ReadingNamesTheMaterialThatCannotBeUsed) {
  const support::KeyPair other = ca_.Issue("other");
  const auto checked = ReadTls(config_);
  ASSERT_TRUE(checked.ok()) << checked.error().message;

  struct Case {
    Material ClusterConfig::*material;
    Material content;
    std::string message;
  };
  const Case cases[] = {
      {&ClusterConfig::ca, {.text = "garbage"}, "certificate-authority: holds no PEM certificate"},
      {&ClusterConfig::ca, {.file = "/nonexistent/ca"}, "/nonexistent/ca: No such file"},
      {&ClusterConfig::ca, {.file = dir_.Write("empty", "")}, dir_.path() + "/empty"},
      {&ClusterConfig::client_certificate,
       {.text = robot_.key},
       "client-certificate: holds no PEM"},
      {&ClusterConfig::client_key,
       {.text = robot_.certificate},
       "client-key: holds no PEM private"},
      {&ClusterConfig::client_key,
       {.text = other.key},
       "client-key: does not belong to the certificate"},
  };
  for (const Case& c : cases) {
    ClusterConfig config = config_;
    config.*c.material = c.content;
    const auto status = ReadTls(config);
    ASSERT_FALSE(status.ok()) << c.message;
    EXPECT_THAT(status.error().message, HasSubstr(c.message));
  }
}

// How many authorities the context has at hand.
int Trusted(SSL_CTX* context) {
  return sk_X509_OBJECT_num(X509_STORE_get0_objects(SSL_CTX_get_cert_store(context)));
}

TEST_F(TlsTest, TheSystemsAuthoritiesAreParsedOnlyWhereTheyCount) {
  const std::string all =
      dir_.Write("system.crt", support::CertificateAuthority().certificate() +
                                   support::CertificateAuthority().certificate());
  setenv("SSL_CERT_FILE", all.c_str(), 1);
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  // As a shared library finds it.
  const auto set_default =
      reinterpret_cast<int (*)(SSL_CTX*)>(dlsym(RTLD_DEFAULT, "SSL_CTX_set_default_verify_paths"));
  ASSERT_NE(set_default, nullptr);
  EXPECT_EQ(set_default(context.get()), 1);
  EXPECT_EQ(Trusted(context.get()), 0);

  ASSERT_TRUE(ConfigureTls(context.get(), config_, "peer").ok());
  EXPECT_EQ(Trusted(context.get()), 1);
  ASSERT_TRUE(ConfigureTls(context.get(), {}, "peer").ok());
  EXPECT_EQ(Trusted(context.get()), 2);
  unsetenv("SSL_CERT_FILE");
}

TEST_F(TlsTest, TheSharedContextIsTheSameUntilAFileChanges) {
  const support::KeyPair next = ca_.Issue("robot");
  config_.ca = {.file = dir_.Write("ca.crt", ca_.certificate())};
  SharedTls tls;
  const auto first = tls.Get(config_, "peer");
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(*tls.Get(config_, "peer"), *first);

  dir_.Write("robot.crt", next.certificate);
  EXPECT_FALSE(tls.Get(config_, "peer").ok()) << "half of the rotation";
  dir_.Write("robot.key", next.key);
  const auto second = tls.Get(config_, "peer");
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_NE(*second, *first);

  dir_.Write("ca.crt", support::CertificateAuthority().certificate());
  const auto third = tls.Get(config_, "peer");
  ASSERT_TRUE(third.ok()) << third.error().message;
  EXPECT_NE(*third, *second);
}

}  // namespace
}  // namespace ballast::kube
